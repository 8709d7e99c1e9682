/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload-type.c - what values a workload's parameter takes, so that a wrong one is refused before
 * anything boots and not by the program in the guest.
 */
#include "base/size.h"
#include "model/workload-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_OF_MEMORY_MAX 100
#define PERCENT_OF_CPUS_MAX 1000

static const char *const types[] = {"size", "count", "index", "number", "seconds", "choice", NULL};

static gboolean is_whole(const char *text, guint64 min, guint64 max)
{
	guint64 value;

	return g_ascii_string_to_unsigned(text, 10, min, max, &value, NULL);
}

static gboolean is_percent(const char *text, guint64 max)
{
	gsize length = strlen(text);
	g_autofree char *digits = g_strndup(text, length ? length - 1 : 0);

	return g_str_has_suffix(text, "%") && is_whole(digits, 1, max);
}

static gboolean is_size(const char *text)
{
	guint64 bytes;

	return rig_size_parse(text, &bytes, NULL) && bytes > 0;
}

static gboolean is_positive(const char *text)
{
	char *end = NULL;
	double value = g_ascii_strtod(text, &end);

	return end != text && !*end && isfinite(value) && value > 0;
}

static char *check_size(const RigParameter *parameter, const char *value)
{
	if (is_size(value) || (parameter->percent && is_percent(value, PERCENT_OF_MEMORY_MAX)))
		return NULL;
	return g_strdup_printf("'%s' is no size above 0 with its unit, such as 256M%s", value,
			       parameter->percent ? ", and no percentage from 1% to 100%" : "");
}

static char *check_count(const RigParameter *parameter, const char *value)
{
	if (is_whole(value, 1, G_MAXINT64) ||
	    (parameter->percent && is_percent(value, PERCENT_OF_CPUS_MAX)))
		return NULL;
	return g_strdup_printf("'%s' is no whole number above 0%s", value,
			       parameter->percent ? " and no percentage, such as 50%" : "");
}

static char *check_choice(const RigParameter *parameter, const char *value)
{
	g_autofree char *all = NULL;

	if (g_strv_contains((const char *const *)parameter->choices, value))
		return NULL;
	all = g_strjoinv(", ", parameter->choices);
	return g_strdup_printf("'%s' is none of %s", value, all);
}

char *rig_parameter_check(const RigParameter *parameter, const char *value)
{
	const char *type = parameter->type;

	if (!type || !*value)
		return NULL;
	if (g_str_equal(type, "size"))
		return check_size(parameter, value);
	if (g_str_equal(type, "count"))
		return check_count(parameter, value);
	if (g_str_equal(type, "choice"))
		return check_choice(parameter, value);
	if (g_str_equal(type, "index"))
		return is_whole(value, 0, G_MAXUINT64)
			       ? NULL
			       : g_strdup_printf("'%s' is no whole number from 0 on", value);
	return is_positive(value) ? NULL : g_strdup_printf("'%s' is no number above 0", value);
}

char *rig_parameter_takes(const RigParameter *parameter)
{
	const char *type = parameter->type ? parameter->type : "";
	g_autofree char *choices = NULL;

	if (g_str_equal(type, "size"))
		return g_strdup_printf("a size above 0%s",
				       parameter->percent ? ", or 1% to 100% of the memory" : "");
	if (g_str_equal(type, "count"))
		return g_strdup_printf("a whole number from 1%s",
				       parameter->percent ? ", or 1% to 1000% of the CPUs" : "");
	if (g_str_equal(type, "index"))
		return g_strdup("a whole number from 0");
	if (g_str_equal(type, "choice")) {
		choices = g_strjoinv(", ", parameter->choices);
		return g_strdup_printf("one of %s", choices);
	}
	return g_strdup(*type ? "a number above 0" : "any text");
}

static void read_choices(RigParameter *parameter, RigJson *entry)
{
	parameter->choices = rig_json_strings(entry, "values", RIG_JSON_REQUIRED);
	if (!parameter->choices)
		parameter->choices = g_new0(char *, 1);
	else if (!parameter->choices[0])
		rig_json_fail(entry, "values", "is empty");
}

void rig_parameter_read_type(RigParameter *parameter, RigJson *entry)
{
	const char *type = rig_json_string(entry, "type", RIG_JSON_OPTIONAL);
	gboolean may_be_percent = type && (g_str_equal(type, "size") || g_str_equal(type, "count"));
	g_autofree char *why = NULL;

	if (type && !g_strv_contains(types, type)) {
		rig_json_fail(entry, "type",
			      "'%s' is none of size, count, index, number, seconds, choice", type);
		return;
	}
	parameter->type = g_strdup(type);
	if (may_be_percent)
		parameter->percent = rig_json_bool(entry, "percent", RIG_JSON_OPTIONAL, TRUE);
	if (g_strcmp0(type, "choice") == 0)
		read_choices(parameter, entry);
	why = parameter->value ? rig_parameter_check(parameter, parameter->value) : NULL;
	if (why)
		rig_json_fail(entry, "default", "%s", why);
}
