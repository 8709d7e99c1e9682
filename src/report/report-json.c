/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-json.c - a comparison for machines (docs/schema/compare.json).
 *
 * Nothing is rounded and nothing left out: whoever doubts a figure can compute it again.
 */
#include "report/report-json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/report-json-stats.h"

static void add_class(RigJsonWriter *writer, char class)
{
	char text[2] = {class, '\0'};

	rig_json_add_string(writer, "class", class ? text : NULL);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void add_manifest(RigJsonWriter *writer, GHashTable *manifest)
{
	g_autofree char **keys = (char **)g_hash_table_get_keys_as_array(manifest, NULL);

	qsort(keys, g_hash_table_size(manifest), sizeof(*keys), compare_texts);
	rig_json_open_object(writer, "manifest");
	for (guint i = 0; i < g_hash_table_size(manifest); i++)
		rig_json_add_string(writer, keys[i], g_hash_table_lookup(manifest, keys[i]));
	rig_json_close_object(writer);
}

static void add_run(RigJsonWriter *writer, const RigSideRun *run)
{
	g_autofree char *started = run->started ? rig_text_time(run->started) : NULL;

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "id", run->id);
	rig_json_add_string(writer, "outcome", rig_outcome_name(run->outcome));
	rig_json_add_string(writer, "outcome_text", run->outcome_text);
	rig_json_add_string(writer, "started", started);
	add_class(writer, run->class);
	if (run->manifest)
		add_manifest(writer, run->manifest);
	rig_json_close_object(writer);
}

static void add_side(RigJsonWriter *writer, const RigSide *side)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", side->name);
	rig_json_add_string(writer, "kernel", side->kernel);
	rig_json_add_string(writer, "release", rig_side_manifest(side, "kernel.release"));
	add_class(writer, side->class);
	rig_json_add_int(writer, "n_runs", side->runs->len);
	rig_json_add_int(writer, "n_failed", side->n_failed);
	rig_json_open_array(writer, "runs");
	for (guint i = 0; i < side->runs->len; i++)
		add_run(writer, g_ptr_array_index(side->runs, i));
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

/* Numbers that are not finite become null in the writer: that is what "no value" is here. */
static void add_summary(RigJsonWriter *writer, const RigSide *side, const char *metric,
			const RigSummary *summary)
{
	const double *values = rig_side_values(side, metric);

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "n", summary->n);
	rig_json_add_double(writer, "mean", summary->mean);
	rig_json_add_double(writer, "sd", summary->sd);
	rig_json_add_double(writer, "cv_percent", summary->cv);
	rig_json_add_double(writer, "min", summary->min);
	rig_json_add_double(writer, "max", summary->max);
	rig_json_open_array(writer, "values");
	for (guint i = 0; i < side->runs->len; i++)
		rig_json_add_double(writer, NULL, values ? values[i] : NAN);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void add_change(RigJsonWriter *writer, const RigSide *head, const RigChange *change)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "side", head->name);
	rig_json_add_string(writer, "kind", rig_change_name(change->kind));
	rig_json_add_double(writer, "value", change->value);
	rig_json_add_string(writer, "word", change->word);
	rig_json_close_object(writer);
}

static void add_metric(RigJsonWriter *writer, const RigCompare *compare, const RigRow *row)
{
	const RigMetricInfo *info = row->info;
	guint n = compare->sides->sides->len;

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", info->name);
	rig_json_add_string(writer, "unit", info->unit);
	rig_json_add_string(writer, "text", info->text);
	rig_json_add_string(writer, "direction", rig_direction_name(info->direction));
	rig_json_add_string(writer, "kind", rig_kind_name(info->kind));
	rig_json_add_bool(writer, "own", info->own);
	rig_json_add_bool(writer, "primary", info->primary);
	rig_json_open_array(writer, "sides");
	for (guint i = 0; i < n; i++)
		add_summary(writer, rig_sides_at(compare->sides, i), info->name, &row->sides[i]);
	rig_json_close_array(writer);
	rig_json_open_array(writer, "changes");
	for (guint i = 1; i < n; i++)
		add_change(writer, rig_sides_at(compare->sides, i), &row->changes[i]);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void add_difference(RigJsonWriter *writer, const RigDifference *difference)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "key", difference->key);
	rig_json_open_array(writer, "values");
	for (guint i = 0; i < difference->n_values; i++)
		rig_json_add_string(writer, NULL, difference->values[i]);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void add_head(RigJsonWriter *writer, const RigCompare *compare)
{
	const RigSides *sides = compare->sides;

	rig_json_add_string(writer, "format", "rig-compare");
	rig_json_add_int(writer, "version", RIG_COMPARE_JSON_VERSION);
	rig_json_add_string(writer, "workload", sides->workload);
	rig_json_add_string(writer, "suite", sides->suite);
	rig_json_add_string(writer, "params", sides->params);
	rig_json_add_string(writer, "topology", sides->topology);
	rig_json_add_bool(writer, "timings_comparable",
			  compare->timings && !rig_compare_is_emulated(sides));
}

RigJsonWriter *rig_report_json_judged(const RigJudgement *judgement)
{
	const RigCompare *compare = judgement->compare;
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	add_head(writer, compare);
	rig_json_open_array(writer, "sides");
	for (guint i = 0; i < compare->sides->sides->len; i++)
		add_side(writer, rig_sides_at(compare->sides, i));
	rig_json_close_array(writer);
	rig_json_open_array(writer, "metrics");
	for (guint i = 0; i < compare->rows->len; i++)
		add_metric(writer, compare, g_ptr_array_index(compare->rows, i));
	rig_json_close_array(writer);
	rig_json_open_array(writer, "differences");
	for (guint i = 0; i < compare->differences->len; i++)
		add_difference(writer, g_ptr_array_index(compare->differences, i));
	rig_json_close_array(writer);
	rig_json_open_array(writer, "warnings");
	for (guint i = 0; i < compare->warnings->len; i++)
		rig_json_add_string(writer, NULL, g_ptr_array_index(compare->warnings, i));
	for (guint i = 0; i < judgement->doubts->len; i++)
		rig_json_add_string(writer, NULL, g_ptr_array_index(judgement->doubts, i));
	rig_json_close_array(writer);
	rig_report_json_stats(writer, judgement);
	rig_json_close_object(writer);
	return writer;
}

RigJsonWriter *rig_report_json(const RigCompare *compare)
{
	g_autoptr(RigJudgement) judgement = rig_judgement_new(compare, NULL);

	return rig_report_json_judged(judgement);
}
