/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-workload.c - rig workload list|show NAME.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/listing.h"

#define DIR_NAME "workloads"

/* A workload file may be anybody's: no escape of it reaches a terminal. */
static void say(const char *format, ...) G_GNUC_PRINTF(1, 2);
static void say(const char *format, ...)
{
	g_autofree char *text = NULL;
	g_autofree char *safe = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	safe = rig_text_safe(text, -1);
	fputs(safe, stdout);
}

/* LIST: those files that read; what is wrong with the others is said, and they do not stop it. */
static GPtrArray *load_all(RigCli *cli)
{
	g_auto(GStrv) names = rig_paths_list(cli->paths, DIR_NAME);
	GPtrArray *all = g_ptr_array_new_with_free_func((GDestroyNotify)rig_workload_free);

	for (guint i = 0; names[i]; i++) {
		g_autoptr(GError) reason = NULL;
		RigWorkload *workload = rig_choose_workload(cli, names[i], &reason);

		if (workload)
			g_ptr_array_add(all, workload);
		else
			rig_log_warn(cli->log, "%s", reason->message);
	}
	return all;
}

/* The names of the primary metrics, "a, b". */
static char *primaries(const RigWorkload *workload)
{
	GString *names = g_string_new(NULL);

	for (guint i = 0; i < workload->metrics->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(workload->metrics, i);

		if (def->primary)
			g_string_append_printf(names, "%s%s", names->len ? ", " : "", def->name);
	}
	return g_string_free(names, FALSE);
}

static void write_parameters(RigJsonWriter *writer, const char *key, const GPtrArray *parameters)
{
	rig_json_open_object(writer, key);
	for (guint i = 0; i < parameters->len; i++) {
		const RigParameter *parameter = g_ptr_array_index(parameters, i);

		rig_json_open_object(writer, parameter->name);
		rig_json_add_string(writer, "value", parameter->value);
		rig_json_add_string(writer, "unit", parameter->unit);
		rig_json_add_string(writer, "text", parameter->text);
		rig_json_add_string(writer, "type", parameter->type);
		rig_json_add_bool(writer, "percent", parameter->percent);
		if (parameter->choices)
			rig_json_add_strings(writer, "values",
					     (const char *const *)parameter->choices);
		rig_json_close_object(writer);
	}
	rig_json_close_object(writer);
}

static void write_program(RigJsonWriter *writer, const RigWorkload *workload)
{
	rig_json_open_object(writer, "program");
	rig_json_add_string(writer, "builtin", workload->builtin);
	rig_json_add_string(writer, "file", workload->file);
	rig_json_add_strings(writer, "args", (const char *const *)workload->args);
	rig_json_close_object(writer);
}

static void write_details(RigJsonWriter *writer, const RigWorkload *workload)
{
	write_program(writer, workload);
	write_parameters(writer, "parameters", workload->parameters);
	write_parameters(writer, "settings", workload->settings);
	rig_json_add_strings(writer, "needs_kernel", (const char *const *)workload->needs_kernel);
	rig_json_add_int(writer, "needs_nodes", workload->needs_nodes);
	rig_json_add_strings(writer, "phases", (const char *const *)workload->phases);
	rig_json_add_strings(writer, "measured", (const char *const *)workload->measured);
	rig_json_add_int(writer, "timeout_s", workload->timeout_s);
	rig_json_add_int(writer, "sample_ms", workload->sample_ms);
	rig_json_add_bool(writer, "sample_pages", workload->sample_pages);
	rig_json_add_string(writer, "results_count", workload->results_count);
	rig_json_open_array(writer, "metrics");
	for (guint i = 0; i < workload->metrics->len; i++)
		rig_metric_def_to_json(g_ptr_array_index(workload->metrics, i), writer);
	rig_json_close_array(writer);
	rig_json_add_strings(writer, "primary_counters",
			     (const char *const *)workload->primary_counters);
}

static void write_workload(RigJsonWriter *writer, const RigWorkload *workload, gboolean details)
{
	rig_json_add_string(writer, "name", workload->name);
	rig_json_add_string(writer, "suite", workload->suite);
	rig_json_add_string(writer, "text", workload->text);
	rig_json_add_string(writer, "path", workload->path);
	if (details)
		write_details(writer, workload);
}

static void list_json(const GPtrArray *all)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "workloads");
	for (guint i = 0; i < all->len; i++) {
		rig_json_open_object(writer, NULL);
		write_workload(writer, g_ptr_array_index(all, i), FALSE);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static int list(RigCli *cli)
{
	static const char *const heads[] = {"NAME", "SUITE", "METRICS", NULL};
	g_autoptr(GPtrArray) all = load_all(cli);
	RigListing *listing;

	if (cli->json) {
		list_json(all);
		return 0;
	}
	listing = rig_listing_new(heads, TRUE);
	for (guint i = 0; i < all->len; i++) {
		const RigWorkload *workload = g_ptr_array_index(all, i);
		g_autofree char *names = primaries(workload);
		const char *row[] = {workload->name, workload->suite, names, NULL};

		rig_listing_add(listing, row);
	}
	rig_listing_print(listing);
	return 0;
}

static void add_parameter(RigListing *listing, const RigParameter *parameter, gboolean typed)
{
	g_autofree char *value =
		g_strdup_printf("  %s=%s%s%s", parameter->name, parameter->value,
				parameter->unit ? " " : "", parameter->unit ? parameter->unit : "");
	g_autofree char *takes = typed ? rig_parameter_takes(parameter) : NULL;
	g_autofree char *range = takes ? g_strconcat("takes ", takes, NULL) : NULL;
	const char *first[] = {value, parameter->text ? parameter->text : "", NULL};
	const char *second[] = {"", range, NULL};

	rig_listing_add(listing, first);
	if (range)
		rig_listing_add(listing, second);
}

/* TYPED: what they take is known, which for a setting it is not. */
static void print_parameters(const char *title, const GPtrArray *parameters, gboolean typed)
{
	static const char *const heads[] = {"", "", NULL};
	RigListing *listing;

	if (!parameters->len)
		return;
	say("\n%s\n", title);
	listing = rig_listing_new(heads, FALSE);
	for (guint i = 0; i < parameters->len; i++)
		add_parameter(listing, g_ptr_array_index(parameters, i), typed);
	rig_listing_print(listing);
}

static void print_metrics(const RigWorkload *workload)
{
	say("\nmetrics (* primary)\n");
	for (guint i = 0; i < workload->metrics->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(workload->metrics, i);

		say("%c %-32s %-10s %-8s %-11s%s%s\n", def->primary ? '*' : ' ', def->name,
		    def->unit, rig_direction_name(def->direction), rig_kind_name(def->kind),
		    def->text ? " " : "", def->text ? def->text : "");
	}
}

static void print_words(const char *title, char **words)
{
	g_autofree char *joined = g_strjoinv(" ", words);

	if (*joined)
		say("%-10s%s\n", title, joined);
}

static void show_text(const RigWorkload *workload)
{
	g_auto(GStrv) argv = rig_workload_argv(workload, 1);

	say("%s (%s)\n%s\n\n", workload->name, workload->suite, workload->text);
	print_words("runs", argv);
	if (workload->file)
		say("%-10s%s\n", "injects", workload->file);
	print_words("phases", workload->phases);
	print_words("measured", workload->measured);
	print_words("needs", workload->needs_kernel);
	say("%-10s%u s, sampled every %u ms\n", "timeout", workload->timeout_s,
	    workload->sample_ms);
	print_parameters("parameters (--set NAME=VALUE)", workload->parameters, TRUE);
	print_parameters("settings in the guest (--set PATH=VALUE)", workload->settings, FALSE);
	print_metrics(workload);
	print_words("\ncounters", workload->primary_counters);
	say("\nfile      %s\n", workload->path);
}

static int show(RigCli *cli, const char *name, GError **error)
{
	g_autoptr(RigWorkload) workload = rig_choose_workload(cli, name, error);
	RigJsonWriter *writer;

	if (!workload)
		return -1;
	if (!cli->json) {
		show_text(workload);
		return 0;
	}
	writer = rig_json_writer_new();
	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	write_workload(writer, workload, TRUE);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
	return 0;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	if (argc >= 1 && strcmp(argv[0], "list") == 0)
		return argc == 1 ? list(cli)
				 : rig_cli_usage(&rig_cmd_workload, error, "list takes no words");
	if (argc >= 1 && strcmp(argv[0], "show") == 0)
		return argc == 2 ? show(cli, argv[1], error)
				 : rig_cli_usage(&rig_cmd_workload, error, "show takes one NAME");
	if (argc == 0)
		return rig_cli_usage(&rig_cmd_workload, error, "list or show is missing");
	return rig_cli_usage(&rig_cmd_workload, error, "there is no \"%s\"", argv[0]);
}

static const char *const verbs[] = {"list", "show", NULL};

const RigCommand rig_cmd_workload = {
	.name = "workload",
	.args = "list|show NAME",
	.summary = "list the workloads, or show what one does and how it is measured",
	.description =
		"list: the workloads that were found, one a line, with their primary metrics.\n"
		"show NAME: program, parameters, guest settings, phases and metrics of one. NAME "
		"is a\n"
		"name from the list or a file (a path with a '/' or ending in .json); the format "
		"is\n"
		"in docs/workload.md.",
	.verbs = verbs,
	.completes = "workload",
	.run = run,
};
