/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metricdef.c - what a workload says of one of its metrics: where it comes from, unit, direction,
 * kind.
 *
 * Direction and kind are never guessed from a name: without them there is no metric.
 */
#include "model/workload.h"

#include <string.h>

static const char *const directions[] = {"higher", "lower", "neither", NULL};
static const char *const kinds[] = {"ratio", "percentage", "count", NULL};
static const char *const sources[] = {"result", "metric", "stdout", NULL};
static const char *const reductions[] = {"sum", "mean",	  "median", "min",
					 "max", "spread", "value",  NULL};

const char *rig_direction_name(RigDirection direction)
{
	return directions[direction];
}

const char *rig_kind_name(RigKind kind)
{
	return kinds[kind];
}

void rig_metric_def_free(RigMetricDef *def)
{
	if (!def)
		return;
	g_free(def->name);
	g_free(def->field);
	g_free(def->pattern);
	g_free(def->unit);
	g_free(def->text);
	g_free(def);
}

RigMetricDef *rig_metric_def_copy(const RigMetricDef *def)
{
	RigMetricDef *copy = g_new(RigMetricDef, 1);

	*copy = *def;
	copy->name = g_strdup(def->name);
	copy->field = g_strdup(def->field);
	copy->pattern = g_strdup(def->pattern);
	copy->unit = g_strdup(def->unit);
	copy->text = g_strdup(def->text);
	return copy;
}

/* Names become keys of flat JSON files and columns of tables. */
static gboolean is_metric_name(const char *name)
{
	return *name && strlen(name) <= 128 &&
	       strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
			    "0123456789._%+()/-") == strlen(name);
}

/* "1%" for what is compared as a ratio, "1 pt" for percentages: the unit says which, so that nobody
 * takes one for the other. 0 where there is none. */
static double read_margin(RigJson *object, RigKind kind)
{
	const char *text = rig_json_string(object, "margin", RIG_JSON_OPTIONAL);
	const char *unit = kind == RIG_KIND_PERCENTAGE ? "pt" : "%";
	char *end = NULL;
	double margin;

	if (!text)
		return 0;
	margin = g_ascii_isdigit(*text) ? g_ascii_strtod(text, &end) : 0;
	while (end && *end == ' ')
		end++;
	if (!end || !g_str_equal(end, unit) || !(margin > 0 && margin < 100)) {
		rig_json_fail(object, "margin", "'%s' is not like \"1%s\", above 0 and below 100",
			      text, kind == RIG_KIND_PERCENTAGE ? " pt" : "%");
		return 0;
	}
	return margin;
}

static void write_margin(const RigMetricDef *def, RigJsonWriter *writer)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];
	g_autofree char *text = NULL;

	if (!(def->margin > 0))
		return;
	g_ascii_dtostr(number, sizeof(number), def->margin);
	text = g_strconcat(number, def->kind == RIG_KIND_PERCENTAGE ? " pt" : "%", NULL);
	rig_json_add_string(writer, "margin", text);
}

static void check_pattern(RigJson *object, const char *pattern)
{
	g_autoptr(GError) reason = NULL;
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE | G_REGEX_RAW, 0, &reason);

	if (!regex)
		rig_json_fail(object, "pattern", "is no regular expression: %s", reason->message);
	else if (g_regex_get_capture_count(regex) != 1)
		rig_json_fail(object, "pattern", "must have exactly one group, for the number");
}

static void check(RigJson *object, const RigMetricDef *def)
{
	gboolean by_pattern = def->from == RIG_FROM_STDOUT;

	if (def->name && !is_metric_name(def->name))
		rig_json_fail(object, "name", "'%s' is no metric name", def->name);
	if (by_pattern && def->field)
		rig_json_fail(object, "field", "a number from stdout is found by a pattern");
	if (!by_pattern && def->pattern)
		rig_json_fail(object, "pattern", "only a number from stdout has one");
	if (def->pattern)
		check_pattern(object, def->pattern);
}

RigMetricDef *rig_metric_def_from_json(RigJson *object)
{
	RigMetricDef *def = g_new0(RigMetricDef, 1);
	gboolean by_pattern;

	def->name = g_strdup(rig_json_string(object, "name", RIG_JSON_REQUIRED));
	def->from = (RigFrom)rig_json_choice(object, "from", RIG_JSON_REQUIRED, sources, 0);
	by_pattern = def->from == RIG_FROM_STDOUT;
	def->field = g_strdup(rig_json_string(object, "field",
					      by_pattern ? RIG_JSON_OPTIONAL : RIG_JSON_REQUIRED));
	def->pattern = g_strdup(rig_json_string(
		object, "pattern", by_pattern ? RIG_JSON_REQUIRED : RIG_JSON_OPTIONAL));
	/* Results are one a task, so how to reduce them is to be said; other numbers are one. */
	def->reduce = (RigReduce)rig_json_choice(object, "reduce",
						 def->from == RIG_FROM_RESULT ? RIG_JSON_REQUIRED
									      : RIG_JSON_OPTIONAL,
						 reductions, RIG_REDUCE_VALUE);
	def->unit = g_strdup(rig_json_string(object, "unit", RIG_JSON_REQUIRED));
	def->text = g_strdup(rig_json_string(object, "text", RIG_JSON_OPTIONAL));
	def->direction = (RigDirection)rig_json_choice(object, "direction", RIG_JSON_REQUIRED,
						       directions, 0);
	def->kind = (RigKind)rig_json_choice(object, "kind", RIG_JSON_REQUIRED, kinds, 0);
	def->primary = rig_json_bool(object, "primary", RIG_JSON_OPTIONAL, FALSE);
	def->optional = rig_json_bool(object, "optional", RIG_JSON_OPTIONAL, FALSE);
	def->control = rig_json_bool(object, "control", RIG_JSON_OPTIONAL, FALSE);
	def->margin = read_margin(object, def->kind);
	if (def->primary && def->control)
		rig_json_fail(object, "control", "a primary metric is to move, a control is not");
	check(object, def);
	return def;
}

void rig_metric_def_to_json(const RigMetricDef *def, RigJsonWriter *writer)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", def->name);
	rig_json_add_string(writer, "from", sources[def->from]);
	if (def->field)
		rig_json_add_string(writer, "field", def->field);
	if (def->pattern)
		rig_json_add_string(writer, "pattern", def->pattern);
	rig_json_add_string(writer, "reduce", reductions[def->reduce]);
	rig_json_add_string(writer, "unit", def->unit);
	if (def->text)
		rig_json_add_string(writer, "text", def->text);
	rig_json_add_string(writer, "direction", directions[def->direction]);
	rig_json_add_string(writer, "kind", kinds[def->kind]);
	rig_json_add_bool(writer, "primary", def->primary);
	rig_json_add_bool(writer, "optional", def->optional);
	if (def->control)
		rig_json_add_bool(writer, "control", TRUE);
	write_margin(def, writer);
	rig_json_close_object(writer);
}
