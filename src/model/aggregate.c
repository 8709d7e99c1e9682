/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * aggregate.c - matrix.json, avg.json and stddev.json over the runs of one folder, as the robot has
 * them.
 *
 * A whole run has a stats.json and a failed one has none, so a failed run cannot be averaged, not
 * even by somebody's script. The standard deviation is that of the population, as the robot's.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STATS_MAX (64 * 1024 * 1024)

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

static gint by_number(gconstpointer a, gconstpointer b)
{
	guint left = *(const guint *)a, right = *(const guint *)b;

	return (left > right) - (left < right);
}

/* The numbers of the records in PARENT, ascending. */
static GArray *run_numbers(const char *parent)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		guint number = (guint)strtoul(name, NULL, 10);

		if (strspn(name, "0123456789") == strlen(name) && strlen(name) <= 9)
			g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, by_number);
	return numbers;
}

/* The figures of a whole run appended to RUNS; nothing for a failed one. */
static gboolean add_run(const char *dir, GPtrArray *runs, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "stats.json", NULL);
	g_autoptr(RigJson) root = NULL;
	RigMetrics *metrics;

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		return TRUE;
	root = rig_json_load(path, STATS_MAX, error);
	if (!root)
		return FALSE;
	metrics = rig_metrics_new();
	g_ptr_array_add(runs, metrics);
	rig_metrics_from_json(metrics, root);
	return rig_json_finish(root, error);
}

static gboolean load_runs(const char *parent, const char *extra, GPtrArray *runs, GError **error)
{
	g_autoptr(GArray) numbers = run_numbers(parent);

	for (guint i = 0; i < numbers->len; i++) {
		g_autofree char *dir =
			g_strdup_printf("%s/%u", parent, g_array_index(numbers, guint, i));

		if (!add_run(dir, runs, error))
			return FALSE;
	}
	return !extra || add_run(extra, runs, error);
}

/* All names that any run has. */
static RigMetrics *union_of(const GPtrArray *runs)
{
	RigMetrics *names = rig_metrics_new();

	for (guint i = 0; i < runs->len; i++) {
		const RigMetrics *run = g_ptr_array_index(runs, i);

		for (guint j = 0; j < rig_metrics_count(run); j++)
			rig_metrics_set(names, rig_metrics_name(run, j), 0);
	}
	return names;
}

/* One row of matrix.json, null for a run that has no such value; and its mean and deviation. */
static void take_row(const char *name, const GPtrArray *runs, RigJsonWriter *matrix,
		     RigMetrics *means, RigMetrics *deviations)
{
	double sum = 0, squares = 0, value;
	guint n = 0;

	rig_json_open_array(matrix, name);
	for (guint i = 0; i < runs->len; i++) {
		if (rig_metrics_get(g_ptr_array_index(runs, i), name, &value))
			sum += value, n++;
		else
			value = NAN;
		rig_json_add_double(matrix, NULL, value);
	}
	rig_json_close_array(matrix);
	for (guint i = 0; i < runs->len; i++)
		if (rig_metrics_get(g_ptr_array_index(runs, i), name, &value))
			squares += (value - sum / n) * (value - sum / n);
	rig_metrics_set(means, name, sum / n);
	rig_metrics_set(deviations, name, sqrt(squares / n));
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

gboolean rig_aggregate_write(const char *parent, const char *extra, const char *into,
			     GError **error)
{
	g_autoptr(GPtrArray) runs =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_metrics_free);
	g_autoptr(RigMetrics) names = NULL;
	g_autoptr(RigMetrics) means = rig_metrics_new();
	g_autoptr(RigMetrics) deviations = rig_metrics_new();
	g_autoptr(RigJsonWriter) matrix = rig_json_writer_new();

	if (!load_runs(parent, extra, runs, error))
		return FALSE;
	names = union_of(runs);
	rig_json_open_object(matrix, NULL);
	for (guint i = 0; i < rig_metrics_count(names); i++)
		take_row(rig_metrics_name(names, i), runs, matrix, means, deviations);
	rig_json_close_object(matrix);
	return write_into(into, "matrix.json", matrix, error) &&
	       write_metrics(into, "avg.json", means, error) &&
	       write_metrics(into, "stddev.json", deviations, error);
}

gboolean rig_aggregate_move(const char *from, const char *to, GError **error)
{
	for (guint i = 0; i < G_N_ELEMENTS(file_names); i++) {
		g_autofree char *source = g_build_filename(from, file_names[i], NULL);
		g_autofree char *target = g_build_filename(to, file_names[i], NULL);

		if (rename(source, target) == 0)
			continue;
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot rename", source);
		return FALSE;
	}
	return TRUE;
}
