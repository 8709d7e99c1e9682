/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * aggregate.c - matrix.json, avg.json and stddev.json over the runs of one folder, as the robot has
 * them.
 *
 * They are rewritten as a whole, which costs more the more runs there are, so that is done once
 * when several runs were written or removed; in between they are not there, so nobody reads means
 * that are not true. The standard deviation is that of the population, as the robot's.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

static const char *const file_names[] = {"matrix.json", "avg.json", "stddev.json"};

char *rig_samples_to_json(GHashTable *samples)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(GList) names = g_list_sort(g_hash_table_get_keys(samples), (GCompareFunc)strcmp);

	rig_json_open_object(writer, NULL);
	for (GList *at = names; at; at = at->next) {
		const GArray *values = g_hash_table_lookup(samples, at->data);

		rig_json_open_array(writer, at->data);
		for (guint i = 0; i < values->len; i++)
			rig_json_add_double(writer, NULL, g_array_index(values, double, i));
		rig_json_close_array(writer);
	}
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}

/* The whole runs of PARENT (RigRecord*, brief), in order. */
static GPtrArray *load_runs(const char *parent, GError **error)
{
	g_autoptr(GPtrArray) runs = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);
	g_autoptr(GArray) numbers = rig_store_numbers(parent);
	g_autoptr(GPtrArray) names = NULL;

	for (guint i = 0; i < numbers->len; i++) {
		g_autofree char *dir =
			g_strdup_printf("%s/%u", parent, g_array_index(numbers, guint, i));
		g_autoptr(RigRecord) record = rig_store_load_brief(dir, &names, error);

		if (!record)
			return NULL;
		if (record->outcome == RIG_OUTCOME_OK)
			g_ptr_array_add(runs, g_steal_pointer(&record));
	}
	return g_steal_pointer(&runs);
}

static const RigMetrics *metrics_at(const GPtrArray *runs, guint i)
{
	return ((const RigRecord *)g_ptr_array_index(runs, i))->metrics;
}

/* All names that any run has. */
static RigMetrics *union_of(const GPtrArray *runs)
{
	RigMetrics *names = rig_metrics_new();
	const GPtrArray *before = NULL;

	for (guint i = 0; i < runs->len; i++) {
		const RigMetrics *run = metrics_at(runs, i);

		for (guint j = 0; rig_metrics_names(run) != before && j < rig_metrics_count(run);
		     j++)
			rig_metrics_set(names, rig_metrics_name(run, j), 0);
		before = rig_metrics_names(run);
	}
	return names;
}

/* The values of NAME in ROW, NaN for a run that has none. AT is how far each run is: rows are asked
 * for in the order of their names, which is that of the runs' own, so nothing is searched. Returns
 * how many values there are. */
static guint take_row(const char *name, const GPtrArray *runs, guint *at, double *row)
{
	guint n = 0;

	for (guint i = 0; i < runs->len; i++) {
		const RigMetrics *run = metrics_at(runs, i);
		gboolean has = at[i] < rig_metrics_count(run) &&
			       strcmp(rig_metrics_name(run, at[i]), name) == 0;

		row[i] = has ? rig_metrics_value(run, at[i]) : NAN;
		at[i] += has ? 1 : 0;
		n += has ? 1 : 0;
	}
	return n;
}

typedef struct {
	RigJsonWriter *matrix;
	RigMetrics *means, *deviations;
} Means;

static void add_row(const char *name, const double *row, guint n_runs, guint n, Means *means)
{
	double sum = 0, squares = 0;

	rig_json_open_array(means->matrix, name);
	for (guint i = 0; i < n_runs; i++) {
		rig_json_add_double(means->matrix, NULL, row[i]);
		sum += isnan(row[i]) ? 0 : row[i];
	}
	rig_json_close_array(means->matrix);
	for (guint i = 0; i < n_runs; i++)
		squares += isnan(row[i]) ? 0 : (row[i] - sum / n) * (row[i] - sum / n);
	rig_metrics_set(means->means, name, sum / n);
	rig_metrics_set(means->deviations, name, sqrt(squares / n));
}

static void add_rows(const GPtrArray *runs, Means *means)
{
	g_autoptr(RigMetrics) names = union_of(runs);
	g_autofree guint *at = g_new0(guint, runs->len);
	g_autofree double *row = g_new(double, runs->len);

	rig_json_open_object(means->matrix, NULL);
	for (guint i = 0; i < rig_metrics_count(names); i++) {
		const char *name = rig_metrics_name(names, i);
		guint n = take_row(name, runs, at, row);

		add_row(name, row, runs->len, n, means);
	}
	rig_json_close_object(means->matrix);
}

static gboolean write_into(const char *dir, const char *name, RigJsonWriter *writer, GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *text = rig_json_writer_text(writer, TRUE);

	return rig_file_write(path, text, -1, 0644, error);
}

static gboolean write_metrics(const char *dir, const char *name, const RigMetrics *metrics,
			      GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	rig_metrics_to_json(metrics, writer, NULL);
	return write_into(dir, name, writer, error);
}

gboolean rig_aggregate_write(const char *parent, GError **error)
{
	g_autoptr(GPtrArray) runs = load_runs(parent, error);
	g_autoptr(RigMetrics) means = rig_metrics_new();
	g_autoptr(RigMetrics) deviations = rig_metrics_new();
	g_autoptr(RigJsonWriter) matrix = rig_json_writer_new();

	if (!runs)
		return FALSE;
	add_rows(runs, &(Means){matrix, means, deviations});
	return write_into(parent, "matrix.json", matrix, error) &&
	       write_metrics(parent, "avg.json", means, error) &&
	       write_metrics(parent, "stddev.json", deviations, error);
}

gboolean rig_aggregate_exists(const char *parent)
{
	for (guint i = 0; i < G_N_ELEMENTS(file_names); i++) {
		g_autofree char *path = g_build_filename(parent, file_names[i], NULL);

		if (access(path, F_OK) < 0)
			return FALSE;
	}
	return TRUE;
}

gboolean rig_aggregate_remove(const char *parent, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(file_names); i++) {
		g_autofree char *path = g_build_filename(parent, file_names[i], NULL);

		if (unlink(path) == 0 || errno == ENOENT)
			continue;
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot remove", path);
		return FALSE;
	}
	return TRUE;
}
