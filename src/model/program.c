/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * program.c - what the workload program said of itself: control lines and stdout into values.
 *
 * The program ran in the guest and is trusted no more than that: a line that is not as it should be
 * is kept as a reason why the run is not whole, and never half used.
 */
#include "model/result-private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MATCHES_MAX 100000

static RigProgramSaid *program_new(void)
{
	RigProgramSaid *said = g_new0(RigProgramSaid, 1);

	said->results = g_ptr_array_new_with_free_func((GDestroyNotify)rig_metrics_free);
	said->metrics = g_ptr_array_new_with_free_func((GDestroyNotify)rig_metrics_free);
	said->resolved = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	said->fails = g_ptr_array_new_with_free_func(g_free);
	said->broken = g_ptr_array_new_with_free_func(g_free);
	return said;
}

void rig_program_free(RigProgramSaid *said)
{
	if (!said)
		return;
	g_ptr_array_unref(said->results);
	g_ptr_array_unref(said->metrics);
	g_hash_table_unref(said->resolved);
	g_ptr_array_unref(said->fails);
	g_ptr_array_unref(said->broken);
	g_free(said);
}

/* The object KEY of a line, numbers only, appended to LIST. */
static void take_numbers(RigJson *line, const char *key, GPtrArray *list)
{
	RigJson *object = rig_json_object(line, key, RIG_JSON_OPTIONAL);
	RigMetrics *numbers;

	if (!object)
		return;
	numbers = rig_metrics_new();
	g_ptr_array_add(list, numbers);
	rig_metrics_from_json(numbers, object);
}

static char *number_text(double value)
{
	if (value == floor(value) && fabs(value) < 9e15)
		return g_strdup_printf("%.0f", value);
	return g_strdup_printf("%.15g", value);
}

static void take_resolved(RigProgramSaid *said, RigJson *line)
{
	RigJson *object = rig_json_object(line, "resolved", RIG_JSON_OPTIONAL);
	g_auto(GStrv) names = object ? rig_json_keys(object) : NULL;

	for (guint i = 0; names && names[i]; i++) {
		RigJson *value = rig_json_member(object, names[i]);
		char *text = NULL;

		if (rig_json_is_number(value))
			text = number_text(rig_json_double(value, NULL, RIG_JSON_REQUIRED, 0));
		else
			text = g_strdup(rig_json_string(value, NULL, RIG_JSON_REQUIRED));
		if (text)
			g_hash_table_insert(said->resolved, g_strdup(names[i]), text);
	}
}

static void take_line(RigProgramSaid *said, RigJson *line)
{
	const char *fail = rig_json_string(line, "fail", RIG_JSON_OPTIONAL);

	take_numbers(line, "result", said->results);
	take_numbers(line, "metric", said->metrics);
	take_resolved(said, line);
	if (fail)
		g_ptr_array_add(said->fails, g_strdup(fail));
	rig_json_ignore(line, "mark");
	rig_json_ignore(line, "tasks");
}

RigProgramSaid *rig_program_read(const RigRawRun *raw)
{
	RigProgramSaid *said = program_new();

	for (guint i = 0; i < raw->events->len; i++) {
		const RigRawEvent *event = g_ptr_array_index(raw->events, i);
		g_autoptr(GError) reason = NULL;
		g_autoptr(RigJson) line = rig_json_parse("control line", event->line, -1, &reason);

		if (line) {
			take_line(said, line);
			if (rig_json_finish(line, &reason))
				continue;
		}
		g_ptr_array_add(said->broken, g_strdup(reason->message));
	}
	return said;
}

/* Values. */

static void values_of_lines(const GPtrArray *lines, const char *field, GArray *values)
{
	for (guint i = 0; i < lines->len; i++) {
		double value;

		if (rig_metrics_get(g_ptr_array_index(lines, i), field, &value))
			g_array_append_val(values, value);
	}
}

static void take_match(const GMatchInfo *match, GArray *values)
{
	g_autofree char *text = g_match_info_fetch(match, 1);
	char *end = NULL;
	double value = text ? g_ascii_strtod(text, &end) : 0;

	if (text && end != text && !*end && isfinite(value))
		g_array_append_val(values, value);
}

/* RAW: what a program prints need not be UTF-8. */
static void values_of_text(const char *text, const char *pattern, GArray *values)
{
	g_autoptr(GRegex) regex = g_regex_new(pattern, G_REGEX_MULTILINE | G_REGEX_RAW, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	gboolean found = regex && g_regex_match(regex, text, 0, &match);

	while (found && values->len < MATCHES_MAX) {
		take_match(match, values);
		found = g_match_info_next(match, NULL);
	}
}

GArray *rig_program_values(const RigProgramSaid *said, const RigRawRun *raw,
			   const RigMetricDef *def)
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

	if (def->from == RIG_FROM_RESULT)
		values_of_lines(said->results, def->field, values);
	else if (def->from == RIG_FROM_METRIC)
		values_of_lines(said->metrics, def->field, values);
	else
		values_of_text(raw->out->str, def->pattern, values);
	return values;
}

static gint by_value(gconstpointer a, gconstpointer b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static double sum_of(const GArray *values)
{
	double sum = 0;

	for (guint i = 0; i < values->len; i++)
		sum += g_array_index(values, double, i);
	return sum;
}

double rig_program_reduce(const RigMetricDef *def, const GArray *values)
{
	g_autoptr(GArray) sorted = g_array_copy((GArray *)values);
	const double *first = (const double *)(void *)sorted->data;
	guint n = sorted->len;

	g_array_sort(sorted, by_value);
	switch (def->reduce) {
	case RIG_REDUCE_SUM:
		return sum_of(values);
	case RIG_REDUCE_MEAN:
		return sum_of(values) / n;
	case RIG_REDUCE_MEDIAN:
		return first[n / 2];
	case RIG_REDUCE_MIN:
		return first[0];
	case RIG_REDUCE_MAX:
		return first[n - 1];
	case RIG_REDUCE_SPREAD:
		return first[n - 1] - first[0];
	case RIG_REDUCE_VALUE:
		break;
	}
	return g_array_index(values, double, n - 1);
}
