/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload.c - reads a workload file (docs/workload.md) and checks all that can be checked before
 * a guest boots. What is made of it for a run is in workload-job.c.
 */
#include "model/workload.h"

#include "base/file.h"
#include "model/workload-private.h"

#include <string.h>

#define WORKLOAD_VERSION 1
#define DEFAULT_STYLE "--{name}={value}"
#define DEFAULT_TIMEOUT_S 300
#define DEFAULT_SAMPLE_MS 1000
#define PRIMARY_MAX 3

static void parameter_free(RigParameter *parameter)
{
	g_free(parameter->name);
	g_free(parameter->value);
	g_free(parameter->unit);
	g_free(parameter->text);
	g_free(parameter->type);
	g_strfreev(parameter->choices);
	g_free(parameter);
}

static RigWorkload *workload_new(const char *path)
{
	RigWorkload *workload = g_new0(RigWorkload, 1);

	workload->path = g_strdup(path);
	workload->parameters = g_ptr_array_new_with_free_func((GDestroyNotify)parameter_free);
	workload->settings = g_ptr_array_new_with_free_func((GDestroyNotify)parameter_free);
	workload->metrics = g_ptr_array_new_with_free_func((GDestroyNotify)rig_metric_def_free);
	return workload;
}

void rig_workload_free(RigWorkload *workload)
{
	if (!workload)
		return;
	g_free(workload->name);
	g_free(workload->suite);
	g_free(workload->text);
	g_free(workload->path);
	g_free(workload->builtin);
	g_free(workload->file);
	g_strfreev(workload->args);
	g_free(workload->parameter_style);
	g_ptr_array_unref(workload->parameters);
	g_ptr_array_unref(workload->settings);
	g_strfreev(workload->needs_kernel);
	g_strfreev(workload->phases);
	g_strfreev(workload->measured);
	g_free(workload->results_count);
	g_ptr_array_unref(workload->metrics);
	g_strfreev(workload->primary_counters);
	g_free(workload);
}

static gboolean is_word(const char *word)
{
	return *word && strlen(word) <= 64 &&
	       strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-") == strlen(word);
}

static gboolean is_number(const char *text)
{
	return *text && strlen(text) <= 9 && strspn(text, "0123456789") == strlen(text);
}

static gboolean is_one_line(const char *text)
{
	for (; *text; text++)
		if (g_ascii_iscntrl(*text))
			return FALSE;
	return TRUE;
}

/* Program. */

static void read_style(RigWorkload *workload, RigJson *program)
{
	const char *style = rig_json_string(program, "parameter_style", RIG_JSON_OPTIONAL);

	workload->parameter_style = g_strdup(style ? style : DEFAULT_STYLE);
	if (!strstr(workload->parameter_style, "{value}"))
		rig_json_fail(program, "parameter_style", "'%s' has no {value}", style);
}

/* A relative FILE is meant from the workload file's folder, so a folder of both can be moved. */
static void read_file(RigWorkload *workload, RigJson *program, const char *file)
{
	g_autofree char *above = g_path_get_dirname(workload->path);
	g_autofree char *folder = g_canonicalize_filename(above, NULL);
	g_autofree char *base = g_path_get_basename(file);

	workload->file = g_canonicalize_filename(file, folder);
	if (!*file || !rig_file_check_name("program", base, NULL))
		rig_json_fail(program, "file", "'%s' has no fit file name", file);
}

static void read_program(RigWorkload *workload, RigJson *root)
{
	RigJson *program = rig_json_object(root, "program", RIG_JSON_REQUIRED);
	const char *builtin = rig_json_string(program, "builtin", RIG_JSON_OPTIONAL);
	const char *file = rig_json_string(program, "file", RIG_JSON_OPTIONAL);

	if (!program)
		return;
	if (!builtin == !file)
		rig_json_fail(program, NULL, "must have one of builtin and file");
	if (builtin && !is_word(builtin))
		rig_json_fail(program, "builtin", "'%s' is no program name", builtin);
	workload->builtin = g_strdup(builtin);
	if (file)
		read_file(workload, program, file);
	workload->args = rig_json_strings(program, "args", RIG_JSON_OPTIONAL);
	if (!workload->args)
		workload->args = g_new0(char *, 1);
	read_style(workload, program);
}

/* Parameters and settings. */

static void read_parameters(RigWorkload *workload, RigJson *root)
{
	RigJson *object = rig_json_object(root, "parameters", RIG_JSON_OPTIONAL);
	g_auto(GStrv) names = object ? rig_json_keys(object) : NULL;

	for (guint i = 0; names && names[i]; i++) {
		RigJson *entry = rig_json_object(object, names[i], RIG_JSON_REQUIRED);
		RigParameter *parameter = g_new0(RigParameter, 1);

		parameter->name = g_strdup(names[i]);
		parameter->value = g_strdup(rig_json_string(entry, "default", RIG_JSON_REQUIRED));
		parameter->unit = g_strdup(rig_json_string(entry, "unit", RIG_JSON_OPTIONAL));
		parameter->text = g_strdup(rig_json_string(entry, "text", RIG_JSON_OPTIONAL));
		rig_parameter_read_type(parameter, entry);
		g_ptr_array_add(workload->parameters, parameter);
		if (!is_word(names[i]))
			rig_json_fail(object, names[i], "is no parameter name ([a-z0-9-]+)");
		if (parameter->value && !is_one_line(parameter->value))
			rig_json_fail(entry, "default", "has control characters");
	}
}

gboolean rig_workload_is_setting(const char *path)
{
	return (g_str_has_prefix(path, "/proc/sys/") || g_str_has_prefix(path, "/sys/")) &&
	       !strstr(path, "/../") && !g_str_has_suffix(path, "/..") &&
	       !g_str_has_suffix(path, "/") && strlen(path) <= 200 && is_one_line(path);
}

void rig_workload_add_setting(RigWorkload *workload, const char *path, const char *value)
{
	RigParameter *setting = g_new0(RigParameter, 1);

	setting->name = g_strdup(path);
	setting->value = g_strdup(value);
	g_ptr_array_add(workload->settings, setting);
}

static void read_settings(RigWorkload *workload, RigJson *root)
{
	RigJson *object = rig_json_object(root, "settings", RIG_JSON_OPTIONAL);
	g_auto(GStrv) paths = object ? rig_json_keys(object) : NULL;

	for (guint i = 0; paths && paths[i]; i++) {
		const char *value = rig_json_string(object, paths[i], RIG_JSON_REQUIRED);

		if (!rig_workload_is_setting(paths[i]))
			rig_json_fail(object, paths[i], "lies not below /proc/sys or /sys");
		else if (value && !is_one_line(value))
			rig_json_fail(object, paths[i], "has control characters");
		rig_workload_add_setting(workload, paths[i], value);
	}
}

/* Needs. */

static gboolean is_option(const char *need)
{
	const char *equals = strchr(need, '=');

	return g_str_has_prefix(need, "CONFIG_") && equals && equals[1];
}

static void read_needs(RigWorkload *workload, RigJson *root)
{
	RigJson *needs = rig_json_object(root, "needs", RIG_JSON_OPTIONAL);

	workload->needs_kernel = rig_json_strings(needs, "kernel", RIG_JSON_OPTIONAL);
	if (!workload->needs_kernel)
		workload->needs_kernel = g_new0(char *, 1);
	workload->needs_nodes = (guint)rig_json_int(needs, "nodes", RIG_JSON_OPTIONAL, 1, 64, 1);
	for (guint i = 0; workload->needs_kernel[i]; i++)
		if (!is_option(workload->needs_kernel[i]))
			rig_json_fail(needs, "kernel", "'%s' is not of the form CONFIG_NAME=y",
				      workload->needs_kernel[i]);
}

/* Phases. */

static void check_phases(RigWorkload *workload, RigJson *phases)
{
	for (guint i = 0; workload->phases[i]; i++)
		if (!is_word(workload->phases[i]) || g_str_equal(workload->phases[i], "start") ||
		    g_str_equal(workload->phases[i], "end"))
			rig_json_fail(phases, "order", "'%s' cannot be a phase's name",
				      workload->phases[i]);
	for (guint i = 0; workload->measured[i]; i++)
		if (!g_strv_contains((const char *const *)workload->phases, workload->measured[i]))
			rig_json_fail(phases, "measured", "'%s' is not among the phases",
				      workload->measured[i]);
	if (!workload->measured[0])
		rig_json_fail(phases, "measured", "is empty");
}

static void read_phases(RigWorkload *workload, RigJson *root)
{
	static const char *const foreign[] = {"run", NULL};
	RigJson *phases =
		rig_json_object(root, "phases", workload->builtin ? RIG_JSON_REQUIRED : 0);

	if (phases) {
		workload->phases = rig_json_strings(phases, "order", RIG_JSON_REQUIRED);
		workload->measured = rig_json_strings(phases, "measured", RIG_JSON_REQUIRED);
		if (workload->phases && workload->measured)
			check_phases(workload, phases);
		return;
	}
	workload->phases = g_strdupv((char **)foreign);
	workload->measured = g_strdupv((char **)foreign);
}

gboolean rig_workload_is_foreign(const RigWorkload *workload)
{
	return workload->file && g_str_equal(workload->phases[0], "run") && !workload->phases[1];
}

/* Results and metrics. */

static void read_results(RigWorkload *workload, RigJson *root)
{
	RigJson *results = rig_json_object(root, "results", RIG_JSON_OPTIONAL);
	const char *count = rig_json_string(results, "count", RIG_JSON_REQUIRED);

	if (count && !is_word(count) && !is_number(count))
		rig_json_fail(results, "count", "'%s' is neither a name nor a number", count);
	workload->results_count = g_strdup(count);
}

static const RigMetricDef *find_metric(const RigWorkload *workload, const char *name)
{
	for (guint i = 0; i < workload->metrics->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(workload->metrics, i);

		if (g_strcmp0(def->name, name) == 0)
			return def;
	}
	return NULL;
}

static void read_metrics(RigWorkload *workload, RigJson *root)
{
	RigJson *list = rig_json_array(root, "metrics", RIG_JSON_REQUIRED);
	guint primary = 0;

	for (guint i = 0; i < rig_json_length(list); i++) {
		RigJson *entry = rig_json_at(list, i);
		RigMetricDef *def = rig_metric_def_from_json(entry);

		if (def->name && find_metric(workload, def->name))
			rig_json_fail(entry, "name", "'%s' is there twice", def->name);
		if (def->from == RIG_FROM_RESULT && !workload->results_count)
			rig_json_fail(entry, "from",
				      "needs results.count, to know when one is missing");
		primary += def->primary ? 1 : 0;
		g_ptr_array_add(workload->metrics, def);
	}
	if (list && (!primary || primary > PRIMARY_MAX))
		rig_json_fail(root, "metrics", "%u are primary; must be 1 to %d", primary,
			      PRIMARY_MAX);
}

static void read_counters(RigWorkload *workload, RigJson *root)
{
	RigJson *counters = rig_json_object(root, "counters", RIG_JSON_OPTIONAL);

	workload->primary_counters = rig_json_strings(counters, "primary", RIG_JSON_OPTIONAL);
	if (!workload->primary_counters)
		workload->primary_counters = g_new0(char *, 1);
}

static void read_head(RigWorkload *workload, RigJson *root)
{
	const char *name = rig_json_string(root, "name", RIG_JSON_REQUIRED);
	g_autoptr(GError) reason = NULL;

	rig_json_int(root, "version", RIG_JSON_REQUIRED, WORKLOAD_VERSION, WORKLOAD_VERSION, 0);
	if (name && !rig_file_check_name("workload name", name, &reason))
		rig_json_fail(root, "name", "%s", reason->message);
	workload->name = g_strdup(name);
	workload->suite = g_strdup(rig_json_string(root, "suite", RIG_JSON_REQUIRED));
	workload->text = g_strdup(rig_json_string(root, "text", RIG_JSON_REQUIRED));
	workload->timeout_s = (guint)rig_json_int(root, "timeout_s", RIG_JSON_OPTIONAL, 1, 86400,
						  DEFAULT_TIMEOUT_S);
	workload->sample_ms = (guint)rig_json_int(root, "sample_ms", RIG_JSON_OPTIONAL, 0, 3600000,
						  DEFAULT_SAMPLE_MS);
	workload->sample_pages = rig_json_bool(root, "sample_pages", RIG_JSON_OPTIONAL, FALSE);
}

static RigWorkload *workload_read(const char *path, RigJson *root, GError **error)
{
	g_autoptr(RigWorkload) workload = workload_new(path);

	read_head(workload, root);
	read_program(workload, root);
	read_parameters(workload, root);
	read_settings(workload, root);
	read_needs(workload, root);
	read_phases(workload, root);
	read_results(workload, root);
	read_metrics(workload, root);
	read_counters(workload, root);
	return rig_json_finish(root, error) ? g_steal_pointer(&workload) : NULL;
}

RigWorkload *rig_workload_load(const char *path, GError **error)
{
	g_autoptr(RigJson) root = rig_json_load(path, 0, error);

	return root ? workload_read(path, root, error) : NULL;
}

RigWorkload *rig_workload_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(name, text, -1, error);

	return root ? workload_read(name, root, error) : NULL;
}
