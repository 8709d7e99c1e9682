/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload-job.c - what is made of a workload for a run: --set, the arguments, the agent's job, and
 * the part of a record's path that its parameters give.
 */
#include "model/workload.h"

#include "base/error.h"
#include "model/kconfig.h"
#include "model/workload-private.h"
#include "proto.h"

#include <string.h>

#define PARAMETER_LENGTH_MAX 31 /* in a record's path, as the robot cuts them */
#define PATH_LENGTH_MAX 200

/* At every mark, while the program stands still. cpulist is what tells the node of a CPU later on.
 */
static const char *const mark_files[] = {
	"/proc/vmstat",
	"/proc/stat",
	"/proc/meminfo",
	"/sys/devices/system/node/node*/vmstat",
	"/sys/devices/system/node/node*/numastat",
	"/sys/devices/system/node/node*/meminfo",
	"/sys/devices/system/node/node*/cpulist",
	"/proc/pagetypeinfo",
	"/proc/buddyinfo",
	"/proc/schedstat",
	NULL,
};

/* During the measurement: few, for the agent's own CPU time is taken from the workload. numa_maps
 * walks all page tables of a task: under emulation about 26 ms a GiB of 4 KiB pages, each time. */
static const char *const sample_files[] = {"/proc/vmstat", "/proc/stat", NULL};
static const char *const task_mark_files[] = {"stat", "numa_maps", "sched", NULL};
static const char *const task_sample_files[] = {"stat", NULL};
static const char *const task_sample_pages[] = {"stat", "numa_maps", NULL};

static RigParameter *find(GPtrArray *list, const char *name)
{
	for (guint i = 0; i < list->len; i++) {
		RigParameter *parameter = g_ptr_array_index(list, i);

		if (g_str_equal(parameter->name, name))
			return parameter;
	}
	return NULL;
}

static void set_unknown(const RigWorkload *workload, const char *key, GError **error)
{
	g_autoptr(GString) names = g_string_new(NULL);

	for (guint i = 0; i < workload->parameters->len; i++) {
		const RigParameter *parameter = g_ptr_array_index(workload->parameters, i);

		g_string_append_printf(names, "%s%s", names->len ? ", " : "", parameter->name);
	}
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   names->len ? "see rig workload show" : "it has no parameters",
			   "workload %s: no parameter '%s'%s%s", workload->name, key,
			   names->len ? "; there are: " : "", names->str);
}

static gboolean check_value(const char *key, const char *value, GError **error)
{
	for (const char *c = value; *c; c++) {
		if (!g_ascii_iscntrl(*c))
			continue;
		rig_error_set(error, RIG_ERROR_USAGE, "--set %s: the value has control characters",
			      key);
		return FALSE;
	}
	return TRUE;
}

gboolean rig_workload_set(RigWorkload *workload, const char *assignment, GError **error)
{
	const char *equals = strchr(assignment, '=');
	g_autofree char *key = NULL;
	g_autofree char *why = NULL;
	RigParameter *target;

	if (!equals || equals == assignment) {
		rig_error_set(error, RIG_ERROR_USAGE, "--set %s: not of the form KEY=VALUE",
			      assignment);
		return FALSE;
	}
	key = g_strndup(assignment, (gsize)(equals - assignment));
	if (!check_value(key, equals + 1, error))
		return FALSE;
	if (rig_workload_is_setting(key) && !find(workload->settings, key))
		rig_workload_add_setting(workload, key, "");
	target = find(*key == '/' ? workload->settings : workload->parameters, key);
	if (!target) {
		set_unknown(workload, key, error);
		return FALSE;
	}
	why = rig_parameter_check(target, equals + 1);
	if (why) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "see rig workload show",
				   "workload %s: %s: %s", workload->name, key, why);
		return FALSE;
	}
	g_free(target->value);
	target->value = g_strdup(equals + 1);
	target->set = TRUE;
	return TRUE;
}

/* Arguments. */

static char *substitute(const char *word, const char *name, const char *value)
{
	g_autoptr(GString) text = g_string_new(NULL);

	while (*word) {
		if (g_str_has_prefix(word, "{name}")) {
			g_string_append(text, name);
			word += strlen("{name}");
		} else if (g_str_has_prefix(word, "{value}")) {
			g_string_append(text, value);
			word += strlen("{value}");
		} else {
			g_string_append_c(text, *word++);
		}
	}
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* The style is split before the value is filled in: "-{name} {value}" gives two arguments, and a
 * value with a space stays one. */
static void add_argument(GStrvBuilder *builder, const RigWorkload *workload, const char *name,
			 const char *value)
{
	g_auto(GStrv) words = g_strsplit(workload->parameter_style, " ", -1);

	for (guint i = 0; words[i]; i++) {
		g_autofree char *argument = substitute(words[i], name, value);

		if (*words[i])
			g_strv_builder_add(builder, argument);
	}
}

gboolean rig_parameter_is_drawn(const RigParameter *parameter)
{
	return g_str_equal(parameter->name, "seed") && !parameter->set;
}

char **rig_workload_argv(const RigWorkload *workload, guint64 seed)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();
	g_autofree char *base =
		g_path_get_basename(workload->file ? workload->file : workload->builtin);
	g_autofree char *program = g_strdup_printf("%s/%s", RIG_GUEST_BIN, base);
	g_autofree char *seed_text = g_strdup_printf("%" G_GUINT64_FORMAT, seed);

	g_strv_builder_add(builder, program);
	g_strv_builder_addv(builder, (const char **)workload->args);
	for (guint i = 0; i < workload->parameters->len; i++) {
		const RigParameter *parameter = g_ptr_array_index(workload->parameters, i);
		gboolean seeds = rig_parameter_is_drawn(parameter);
		const char *value = seeds ? seed_text : parameter->value;

		if (*value)
			add_argument(builder, workload, parameter->name, value);
	}
	return g_strv_builder_end(builder);
}

/* The job. */

static void add_settings(RigJsonWriter *writer, const RigWorkload *workload)
{
	rig_json_open_object(writer, "settings");
	for (guint i = 0; i < workload->settings->len; i++) {
		const RigParameter *setting = g_ptr_array_index(workload->settings, i);

		rig_json_add_string(writer, setting->name, setting->value);
	}
	rig_json_close_object(writer);
}

char *rig_workload_job(const RigWorkload *workload, guint64 seed, double scale, int sample_ms,
		       const char *const *readback)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_auto(GStrv) argv = rig_workload_argv(workload, seed);
	double timeout_ms = CLAMP(1000.0 * workload->timeout_s * scale, 1000.0, (double)G_MAXINT32);

	rig_json_open_object(writer, NULL);
	rig_json_add_strings(writer, "argv", (const char *const *)argv);
	rig_json_open_object(writer, "env");
	rig_json_close_object(writer);
	add_settings(writer, workload);
	rig_json_add_int(writer, "timeout_ms", (gint64)timeout_ms);
	rig_json_add_int(writer, "sample_ms",
			 sample_ms < 0 ? (gint64)workload->sample_ms : sample_ms);
	rig_json_add_strings(writer, "mark_files", mark_files);
	rig_json_add_strings(writer, "sample_files", sample_files);
	rig_json_add_strings(writer, "task_mark_files", task_mark_files);
	rig_json_add_strings(writer, "task_sample_files",
			     workload->sample_pages ? task_sample_pages : task_sample_files);
	rig_json_add_bool(writer, "follow", rig_workload_is_foreign(workload));
	if (readback)
		rig_json_add_strings(writer, "readback", readback);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, FALSE);
}

/* The record's path. */

static gint by_name(gconstpointer a, gconstpointer b)
{
	const RigParameter *const *left = a, *const *right = b;

	return strcmp((*left)->name, (*right)->name);
}

/* In place: what the robot does not take in a path. */
static void sanitize(char *text)
{
	for (; *text; text++)
		if (!g_ascii_isalnum(*text) && !strchr("+=:.%-", *text))
			*text = '_';
}

static void append_part(GString *path, const char *text, gsize max)
{
	g_autofree char *part = g_strndup(text, max);

	sanitize(part);
	if (*part)
		g_string_append_printf(path, "%s%s", path->len ? "-" : "", part);
}

static void append_settings(GString *path, GPtrArray *settings)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_copy(settings, NULL, NULL);

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, by_name);
	for (guint i = 0; i < sorted->len; i++) {
		const RigParameter *setting = g_ptr_array_index(sorted, i);
		g_autofree char *text = g_strdup_printf("%s=%s", setting->name + 1, setting->value);

		if (setting->set)
			append_part(path, text, PATH_LENGTH_MAX);
	}
}

/* A name that a file system takes; what is cut off still counts, by its digest. */
static char *bounded(GString *path)
{
	g_autofree char *digest = NULL;

	if (path->len <= PATH_LENGTH_MAX)
		return g_string_free(path, FALSE);
	digest = g_compute_checksum_for_string(G_CHECKSUM_SHA256, path->str, -1);
	g_string_truncate(path, PATH_LENGTH_MAX);
	g_string_append_printf(path, "-%.8s", digest);
	return g_string_free(path, FALSE);
}

char *rig_workload_path_params(const RigWorkload *workload)
{
	g_autoptr(GPtrArray) sorted = g_ptr_array_copy(workload->parameters, NULL, NULL);
	GString *path = g_string_new(NULL);

	g_ptr_array_set_free_func(sorted, NULL);
	g_ptr_array_sort(sorted, by_name);
	for (guint i = 0; i < sorted->len; i++) {
		const RigParameter *parameter = g_ptr_array_index(sorted, i);

		if (!rig_parameter_is_drawn(parameter))
			append_part(path, parameter->value, PARAMETER_LENGTH_MAX);
	}
	append_settings(path, workload->settings);
	if (!path->len)
		g_string_append(path, "default");
	return bounded(path);
}

/* Needs. */

gboolean rig_workload_check_kernel(const RigWorkload *workload, const char *kernel,
				   const char *config_text, GError **error)
{
	g_autoptr(GString) missing = g_string_new(NULL);

	for (guint i = 0; config_text && workload->needs_kernel[i]; i++)
		if (!rig_kconfig_meets(config_text, workload->needs_kernel[i]))
			g_string_append_printf(missing, "%s%s", missing->len ? ", " : "",
					       workload->needs_kernel[i]);
	if (!missing->len)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "take another kernel, or build this one with them",
			   "kernel %s: workload %s needs %s", kernel, workload->name, missing->str);
	return FALSE;
}
