/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * noise-file.c - what rig calibrate found, on disk.
 */
#include "report/noise.h"

#include <math.h>
#include <string.h>

#include "base/file.h"

#define FILE_MAX (64 * 1024 * 1024)
#define PART_LENGTH_MAX 220

static const char *const scales[] = {"log", "log-count", "points", NULL};

/* As in the store of records: nothing of a name leads elsewhere. */
static char *part_of(const char *text)
{
	char *part = g_strndup(text && *text ? text : "none", PART_LENGTH_MAX);

	for (char *c = part; *c; c++)
		if (!g_ascii_isalnum(*c) && !strchr("+=:.%-", *c))
			*c = '_';
	if (*part == '.')
		*part = '_';
	return part;
}

char *rig_noise_path(const char *state, const char *workload, const char *params,
		     const char *topology, char class)
{
	g_autofree char *first = part_of(workload);
	g_autofree char *second = part_of(params);
	g_autofree char *third = part_of(topology);
	char name[] = {class, '.', 'j', 's', 'o', 'n', '\0'};

	return g_build_filename(state, "noise", first, second, third, name, NULL);
}

/* Writing. */

static void write_metric(RigJsonWriter *writer, const RigNoiseMetric *m)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", m->name);
	rig_json_add_string(writer, "scale", scales[m->scale]);
	rig_json_add_bool(writer, "own", m->own);
	rig_json_add_bool(writer, "primary", m->primary);
	rig_json_add_int(writer, "n", m->n);
	rig_json_add_int(writer, "pairs", m->pairs);
	rig_json_add_double(writer, "mean", m->mean);
	rig_json_add_double(writer, "sd", m->sd);
	rig_json_add_double(writer, "pair_sd", m->pair_sd);
	rig_json_add_double(writer, "slot", m->slot);
	rig_json_add_double(writer, "slot_p", m->slot_p);
	rig_json_add_double(writer, "false_alarms", m->false_alarms);
	rig_json_add_int(writer, "splits", m->splits);
	rig_json_close_object(writer);
}

char *rig_noise_to_json(const RigNoise *noise)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	char class[] = {noise->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "format", "rig-noise");
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "workload", noise->workload);
	rig_json_add_string(writer, "params", noise->params);
	rig_json_add_string(writer, "topology", noise->topology);
	rig_json_add_string(writer, "class", class);
	rig_json_add_string(writer, "accel", noise->accel);
	rig_json_add_string(writer, "kernel", noise->kernel);
	rig_json_add_string(writer, "plan", noise->plan);
	rig_json_add_int(writer, "when", noise->when);
	rig_json_add_int(writer, "blocks", noise->blocks);
	rig_json_add_int(writer, "runs", noise->runs);
	rig_json_add_string(writer, "method", noise->paired ? "paired" : "welch");
	rig_json_open_array(writer, "metrics");
	for (guint i = 0; i < noise->metrics->len; i++)
		write_metric(writer, g_ptr_array_index(noise->metrics, i));
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}

gboolean rig_noise_save(const char *state, const RigNoise *noise, GError **error)
{
	g_autofree char *path = rig_noise_path(state, noise->workload, noise->params,
					       noise->topology, noise->class);
	g_autofree char *dir = g_path_get_dirname(path);
	g_autofree char *text = rig_noise_to_json(noise);

	return rig_file_make_dirs(dir, 0755, error) && rig_file_write(path, text, -1, 0644, error);
}

/* Reading. */

static void metric_free(gpointer data)
{
	RigNoiseMetric *metric = data;

	g_free(metric->name);
	g_free(metric);
}

static guint count_of(RigJson *object, const char *key)
{
	return (guint)rig_json_int(object, key, RIG_JSON_REQUIRED, 0, G_MAXINT, 0);
}

/* A null, which stands for a value that could not be told, is NaN. */
static double value_of(RigJson *object, const char *key)
{
	return rig_json_double(object, key, RIG_JSON_OPTIONAL, NAN);
}

static double spread_of(RigJson *object, const char *key)
{
	double value = value_of(object, key);

	if (value < 0)
		rig_json_fail(object, key, "a spread is not below 0");
	return value;
}

static void read_metric(RigNoise *noise, RigJson *object)
{
	RigNoiseMetric *m = g_new0(RigNoiseMetric, 1);
	const RigNoiseMetric *before =
		noise->metrics->len ? g_ptr_array_index(noise->metrics, noise->metrics->len - 1)
				    : NULL;

	m->name = g_strdup(rig_json_string(object, "name", RIG_JSON_REQUIRED));
	m->scale = (RigScale)rig_json_choice(object, "scale", RIG_JSON_REQUIRED, scales, 0);
	m->own = rig_json_bool(object, "own", RIG_JSON_REQUIRED, FALSE);
	m->primary = rig_json_bool(object, "primary", RIG_JSON_REQUIRED, FALSE);
	m->n = count_of(object, "n");
	m->pairs = count_of(object, "pairs");
	m->splits = count_of(object, "splits");
	m->mean = value_of(object, "mean");
	m->sd = spread_of(object, "sd");
	m->pair_sd = spread_of(object, "pair_sd");
	m->slot = value_of(object, "slot");
	m->slot_p = value_of(object, "slot_p");
	m->false_alarms = value_of(object, "false_alarms");
	if (before && g_strcmp0(before->name, m->name) >= 0)
		rig_json_fail(object, "name", "\"%s\" is not in order", m->name ? m->name : "");
	g_ptr_array_add(noise->metrics, m);
}

static void read_head(RigNoise *noise, RigJson *root)
{
	static const char *const formats[] = {"rig-noise", NULL};
	static const char *const classes[] = {"A", "B", "C", NULL};
	static const char *const methods[] = {"welch", "paired", NULL};

	rig_json_choice(root, "format", RIG_JSON_REQUIRED, formats, 0);
	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	noise->workload = g_strdup(rig_json_string(root, "workload", RIG_JSON_REQUIRED));
	noise->params = g_strdup(rig_json_string(root, "params", RIG_JSON_OPTIONAL));
	noise->topology = g_strdup(rig_json_string(root, "topology", RIG_JSON_REQUIRED));
	noise->class = classes[rig_json_choice(root, "class", RIG_JSON_REQUIRED, classes, 2)][0];
	noise->accel = g_strdup(rig_json_string(root, "accel", RIG_JSON_OPTIONAL));
	noise->kernel = g_strdup(rig_json_string(root, "kernel", RIG_JSON_OPTIONAL));
	noise->plan = g_strdup(rig_json_string(root, "plan", RIG_JSON_OPTIONAL));
	noise->when = rig_json_int(root, "when", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	noise->blocks = count_of(root, "blocks");
	noise->runs = count_of(root, "runs");
	noise->paired = rig_json_choice(root, "method", RIG_JSON_REQUIRED, methods, 0) == 1;
}

RigNoise *rig_noise_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(name, text, -1, error);
	g_autoptr(RigNoise) noise = g_new0(RigNoise, 1);
	RigJson *list;

	noise->metrics = g_ptr_array_new_with_free_func(metric_free);
	if (!root)
		return NULL;
	read_head(noise, root);
	list = rig_json_array(root, "metrics", RIG_JSON_REQUIRED);
	for (guint i = 0; i < rig_json_length(list) && rig_json_ok(root); i++)
		read_metric(noise, rig_json_at(list, i));
	return rig_json_finish(root, error) ? g_steal_pointer(&noise) : NULL;
}

RigNoise *rig_noise_load(const char *state, const char *workload, const char *params,
			 const char *topology, char class, GError **error)
{
	g_autofree char *path = rig_noise_path(state, workload, params, topology, class);
	g_autofree char *text = NULL;

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		return NULL;
	text = rig_file_read(path, FILE_MAX, NULL, error);
	return text ? rig_noise_parse(path, text, error) : NULL;
}
