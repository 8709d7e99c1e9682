/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sides.c - the values of what is compared, side by side, one value a run.
 */
#include "report/sides.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/store.h"

static void info_free(gpointer data)
{
	RigMetricInfo *info = data;

	g_free(info->name);
	g_free(info->unit);
	g_free(info->text);
	g_free(info);
}

static void run_free(gpointer data)
{
	RigSideRun *run = data;

	g_free(run->id);
	g_free(run->outcome_text);
	g_clear_pointer(&run->manifest, g_hash_table_unref);
	g_free(run);
}

static void side_free(gpointer data)
{
	RigSide *side = data;

	g_free(side->name);
	g_free(side->kernel);
	g_ptr_array_unref(side->runs);
	g_hash_table_unref(side->values);
	g_free(side);
}

RigSides *rig_sides_new(void)
{
	RigSides *sides = g_new0(RigSides, 1);

	sides->sides = g_ptr_array_new_with_free_func(side_free);
	sides->phases = g_ptr_array_new_with_free_func(g_free);
	sides->info = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, info_free);
	sides->keys = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return sides;
}

void rig_sides_free(RigSides *sides)
{
	if (!sides)
		return;
	g_free(sides->workload);
	g_free(sides->suite);
	g_free(sides->params);
	g_free(sides->topology);
	g_free(sides->image);
	g_free(sides->kconfig);
	g_free(sides->compiler);
	g_free(sides->variant);
	g_ptr_array_unref(sides->sides);
	g_ptr_array_unref(sides->phases);
	g_hash_table_unref(sides->info);
	g_hash_table_unref(sides->keys);
	g_free(sides);
}

static RigSide *side_new(const char *name)
{
	RigSide *side = g_new0(RigSide, 1);

	side->name = g_strdup(name);
	side->runs = g_ptr_array_new_with_free_func(run_free);
	side->values = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_array_unref);
	return side;
}

RigSide *rig_sides_at(const RigSides *sides, guint i)
{
	return g_ptr_array_index(sides->sides, i);
}

const double *rig_side_values(const RigSide *side, const char *metric)
{
	GArray *values = g_hash_table_lookup(side->values, metric);

	return values ? &g_array_index(values, double, 0) : NULL;
}

const RigMetricInfo *rig_sides_info(const RigSides *sides, const char *metric)
{
	return g_hash_table_lookup(sides->info, metric);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

const char **rig_sides_names(const RigSides *sides, guint *n)
{
	gpointer *names = g_hash_table_get_keys_as_array(sides->info, n);

	qsort(names, *n, sizeof(*names), compare_names);
	return (const char **)names;
}

const char *rig_side_manifest(const RigSide *side, const char *key)
{
	const char *common = NULL;

	for (guint i = 0; i < side->runs->len; i++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, i);
		const char *value = run->manifest ? g_hash_table_lookup(run->manifest, key) : NULL;

		if (!value || (common && !g_str_equal(common, value)))
			return NULL;
		common = value;
	}
	return common;
}

/* A counter that no workload described: what its name's form says for certain and no more. */
static RigMetricInfo *info_ensure(RigSides *sides, const char *name)
{
	RigMetricInfo *info = g_hash_table_lookup(sides->info, name);

	if (info)
		return info;
	info = g_new0(RigMetricInfo, 1);
	info->name = g_strdup(name);
	info->direction = RIG_NEITHER;
	info->kind = g_str_has_suffix(name, "%") || g_str_has_prefix(name, "perf-profile.")
			     ? RIG_KIND_PERCENTAGE
			     : RIG_KIND_COUNT;
	g_hash_table_insert(sides->info, info->name, info);
	return info;
}

static void info_from_def(RigSides *sides, const RigMetricDef *def)
{
	RigMetricInfo *info = info_ensure(sides, def->name);

	g_free(info->unit);
	g_free(info->text);
	info->unit = g_strdup(def->unit);
	info->text = g_strdup(def->text);
	info->direction = def->direction;
	info->kind = def->kind;
	info->primary = def->primary;
	info->control = def->control;
	info->margin = def->margin;
	info->own = TRUE;
}

/* The column of METRIC, with NaN for every run that has no value for it. */
static GArray *column_ensure(RigSide *side, const char *metric)
{
	GArray *column = g_hash_table_lookup(side->values, metric);
	double none = NAN;

	if (column)
		return column;
	column = g_array_sized_new(FALSE, FALSE, sizeof(double), side->runs->len);
	for (guint i = 0; i < side->runs->len; i++)
		g_array_append_val(column, none);
	g_hash_table_insert(side->values, g_strdup(metric), column);
	return column;
}

static void set_value(RigSides *sides, RigSide *side, guint run, const char *metric, double value)
{
	info_ensure(sides, metric);
	g_array_index(column_ensure(side, metric), double, run) = value;
}

static RigSideRun *run_from_record(const RigRecord *record)
{
	RigSideRun *run = g_new0(RigSideRun, 1);

	run->id = g_strdup(record->id);
	run->outcome = record->outcome;
	run->outcome_text = g_strdup(record->outcome_text);
	run->class = record->class;
	run->started = record->started;
	if (record->manifest)
		run->manifest = g_hash_table_ref(record->manifest);
	return run;
}

/* The columns of a list of names, which many records share: they are looked up once. */
typedef struct {
	const GPtrArray *names;
	GPtrArray *columns; /* GArray* of the side */
} Columns;

static void find_columns(RigSides *sides, RigSide *side, const RigMetrics *metrics,
			 Columns *columns)
{
	if (columns->names == rig_metrics_names(metrics))
		return;
	columns->names = rig_metrics_names(metrics);
	g_ptr_array_set_size(columns->columns, 0);
	for (guint i = 0; i < rig_metrics_count(metrics); i++) {
		const char *name = rig_metrics_name(metrics, i);

		info_ensure(sides, name);
		g_ptr_array_add(columns->columns, column_ensure(side, name));
	}
}

static void add_values(RigSides *sides, RigSide *side, guint run, const RigMetrics *metrics,
		       Columns *columns)
{
	find_columns(sides, side, metrics, columns);
	for (guint i = 0; i < columns->columns->len; i++)
		g_array_index((GArray *)g_ptr_array_index(columns->columns, i), double, run) =
			rig_metrics_value(metrics, i);
}

/* Keep in FIELD what all records say; NULL from the first that says otherwise. */
static void agree(char **field, const char *value, gboolean first)
{
	if (first) {
		g_free(*field);
		*field = g_strdup(value);
	} else if (g_strcmp0(*field, value) != 0) {
		g_clear_pointer(field, g_free);
	}
}

static void learn_phases(RigSides *sides, const RigRecord *record)
{
	if (sides->phases->len > 0)
		return;
	for (guint i = 0; record->phases && i < record->phases->len; i++)
		g_ptr_array_add(sides->phases,
				g_strdup(((RigPhase *)g_ptr_array_index(record->phases, i))->name));
}

static void agree_record(RigSides *sides, const RigRecord *record, gboolean first)
{
	g_autofree char *variant = rig_store_variant(record->manifest);

	agree(&sides->variant, variant, first);
	agree(&sides->workload, record->workload, first);
	agree(&sides->suite, record->suite, first);
	agree(&sides->params, record->params, first);
	agree(&sides->topology, record->topology, first);
	agree(&sides->image, record->image, first);
	agree(&sides->kconfig, record->kconfig, first);
	agree(&sides->compiler, record->compiler, first);
}

static void side_class(RigSide *side, char class)
{
	if (side->class == 0)
		side->class = class;
	else if (side->class != class)
		side->class = '?';
}

/* A run that failed early may never have learnt its class: only whole runs speak for the side. */
static void side_classes(RigSide *side, const GPtrArray *records)
{
	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = g_ptr_array_index(records, i);

		if (record->outcome == RIG_OUTCOME_OK)
			side_class(side, record->class);
		else
			side->n_failed++;
	}
	for (guint i = 0; i < records->len && side->n_failed == records->len; i++)
		side_class(side, ((const RigRecord *)g_ptr_array_index(records, i))->class);
}

void rig_sides_add_records(RigSides *sides, const char *name, const GPtrArray *records)
{
	gboolean first = sides->sides->len == 0;
	RigSide *side = side_new(name);
	g_autoptr(GPtrArray) found = g_ptr_array_new();
	Columns columns = {.columns = found};

	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = g_ptr_array_index(records, i);

		g_ptr_array_add(side->runs, run_from_record(record));
		agree_record(sides, record, first && i == 0);
		learn_phases(sides, record);
		agree(&side->kernel, record->kernel, i == 0);
	}
	side_classes(side, records);
	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = g_ptr_array_index(records, i);

		if (record->outcome == RIG_OUTCOME_OK)
			add_values(sides, side, i, record->metrics, &columns);
		for (guint d = 0; record->defs && d < record->defs->len; d++)
			info_from_def(sides, g_ptr_array_index(record->defs, d));
	}
	g_ptr_array_add(sides->sides, side);
}

static guint longest_list(RigJson *object, char **names)
{
	guint longest = 0;

	for (char **name = names; name && *name; name++)
		longest = MAX(longest,
			      rig_json_length(rig_json_array(object, *name, RIG_JSON_REQUIRED)));
	return longest;
}

static void add_list(RigSides *sides, RigSide *side, const char *metric, RigJson *list)
{
	for (guint i = 0; i < rig_json_length(list) && i < side->runs->len; i++)
		set_value(sides, side, i, metric,
			  rig_json_double(rig_json_at(list, i), NULL, RIG_JSON_REQUIRED, NAN));
}

void rig_sides_add_json(RigSides *sides, const char *name, RigJson *object)
{
	g_auto(GStrv) metrics = rig_json_keys(object);
	guint runs = longest_list(object, metrics);
	RigSide *side = side_new(name);

	for (guint i = 0; i < runs; i++)
		g_ptr_array_add(side->runs, g_new0(RigSideRun, 1));
	for (char **metric = metrics; metric && *metric; metric++) {
		RigJson *list = rig_json_array(object, *metric, RIG_JSON_REQUIRED);

		if (rig_json_length(list) != runs)
			rig_json_fail(object, *metric, "%u values, other metrics have %u",
				      rig_json_length(list), runs);
		add_list(sides, side, *metric, list);
	}
	g_ptr_array_add(sides->sides, side);
}

static gboolean any_failed(const RigSides *sides)
{
	for (guint i = 0; i < sides->sides->len; i++)
		if (rig_sides_at(sides, i)->n_failed > 0)
			return TRUE;
	return FALSE;
}

static void mark_failure(RigSides *sides, RigSide *side, guint run, const char *metric)
{
	GArray *column = column_ensure(side, metric);

	info_ensure(sides, metric);
	for (guint i = 0; i < column->len; i++)
		if (isnan(g_array_index(column, double, i)))
			g_array_index(column, double, i) = 0;
	g_array_index(column, double, run) = 1;
}

void rig_sides_add_outcomes(RigSides *sides)
{
	for (guint i = 0; any_failed(sides) && i < sides->sides->len; i++) {
		RigSide *side = rig_sides_at(sides, i);

		for (guint r = 0; r < side->runs->len; r++) {
			const RigSideRun *run = g_ptr_array_index(side->runs, r);
			g_autofree char *metric =
				g_strconcat("last_state.", rig_outcome_name(run->outcome), NULL);

			if (run->outcome == RIG_OUTCOME_OK)
				continue;
			mark_failure(sides, side, r, "last_state.is_incomplete_run");
			mark_failure(sides, side, r, metric);
		}
	}
}
