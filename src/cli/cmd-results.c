/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-results.c - rig results list|show|export|remove: what runs have left.
 */
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/dump.h"
#include "cli/results-change.h"
#include "cli/results-find.h"
#include "report/plot.h"
#include "report/run-view.h"

#define STDERR_MAX (64 << 20)
#define STDERR_LINES 10

typedef struct {
	char *workload, *topology, *kernel, *output, *plot;
	int last;
	gboolean all, failed, yes;
} Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption results_options[] = {
	{"workload", 'w', RIG_OPTION_STRING, OPT(workload), "NAME", "only runs of this workload"},
	{"topology", 't', RIG_OPTION_STRING, OPT(topology), "NAME", "only runs on this topology"},
	{"kernel", 'k', RIG_OPTION_STRING, OPT(kernel), "NAME", "only runs of this kernel or side"},
	{"last", 'n', RIG_OPTION_INT, OPT(last), "N", "only the last N of them"},
	{"failed", 0, RIG_OPTION_FLAG, OPT(failed), NULL, "only runs that failed"},
	{"all", 'a', RIG_OPTION_FLAG, OPT(all), NULL,
	 "export, remove: all runs that the other options let through"},
	{"output", 'o', RIG_OPTION_STRING, OPT(output), "DIR",
	 "export: the folder to make and to copy the runs to"},
	{"plot", 0, RIG_OPTION_STRING, OPT(plot), "METRIC",
	 "show: draw the samples of METRIC instead"},
	{"yes", 'y', RIG_OPTION_FLAG, OPT(yes), NULL, "remove: do not ask"},
	{NULL},
};

static gboolean is_failed(const RigStoreEntry *entry)
{
	return g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_OK)) != 0;
}

/* The runs that the filter options let through, oldest first. */
static GPtrArray *filtered(const RigCli *cli, const Options *options, GError **error)
{
	RigStoreQuery query = {
		.workload = options->workload,
		.topology = options->topology,
		.kernel = options->kernel,
	};
	GPtrArray *runs = rig_results_list(cli, &query, error);

	for (guint i = runs && options->failed ? runs->len : 0; i > 0; i--)
		if (!is_failed(runs->pdata[i - 1]))
			g_ptr_array_remove_index(runs, i - 1);
	if (runs && options->last > 0 && runs->len > (guint)options->last)
		g_ptr_array_remove_range(runs, 0, runs->len - (guint)options->last);
	return runs;
}

static int list(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(GPtrArray) runs = NULL;
	g_autofree char *text = NULL;

	if (argc > 0)
		return rig_cli_usage(&rig_cmd_results, error, "list takes options only, not \"%s\"",
				     words[0]);
	runs = filtered(cli, options, error);
	if (!runs)
		return -1;
	if (cli->json) {
		rig_cli_print_json(rig_run_list_json(runs));
		return 0;
	}
	text = rig_run_list_render(runs, rig_cli_width(), cli->color);
	fputs(text, stdout);
	if (runs->len == 0)
		rig_log_info(cli->log, "there are no such runs; rig run makes some");
	return 0;
}

/* What show prints: the record, or the samples of one metric. g_free. */
static char *shown(const RigCli *cli, const Options *options, const RigRecord *record,
		   GError **error)
{
	RigRunViewOptions view = {
		.color = cli->color,
		.verbose = cli->level == RIG_LOG_VERBOSE,
	};
	RigPlotOptions plot = {.ascii = !g_str_equal(nl_langinfo(CODESET), "UTF-8")};

	if (options->plot && cli->json)
		return rig_plot_record_json(record, options->plot, error);
	if (options->plot)
		return rig_plot_record(record, options->plot, &plot, error);
	return cli->json ? rig_record_to_json(record) : rig_run_view_render(record, &view);
}

static void print_path(const RigRecord *record, const char *label, const char *name)
{
	g_autofree char *path = g_build_filename(record->dir, name, NULL);

	if (g_file_test(path, G_FILE_TEST_IS_REGULAR))
		printf("%-12s%s\n", label, path);
}

static void print_dump(RigCli *cli, const RigRecord *record)
{
	g_autofree char *path = rig_dump_of(record);
	g_autofree char *command = NULL;

	if (!path)
		return;
	command = rig_dump_command(cli, g_hash_table_lookup(record->manifest, "kernel.name"),
				   g_hash_table_lookup(record->manifest, "kernel.sha256"), path);
	print_path(record, "memory dump", RIG_STORE_DUMP);
	printf("%-12s%s\n", "to open it", command);
}

/* What a run that failed left to look into. */
static void print_traces(RigCli *cli, const RigRecord *record)
{
	g_autofree char *path = g_build_filename(record->dir, "raw", "stderr", NULL);
	g_autofree char *text = rig_file_read(path, STDERR_MAX, NULL, NULL);
	g_autofree char *safe = NULL;

	if (record->outcome == RIG_OUTCOME_OK)
		return;
	printf("\n");
	print_path(record, "stderr", "raw/stderr");
	print_path(record, "console", "console.log");
	print_dump(cli, record);
	if (!text || !*g_strchomp(text))
		return;
	safe = rig_text_safe(rig_text_last_lines(text, STDERR_LINES), -1);
	printf("\nlast lines of stderr:\n%s\n", safe);
}

static int show(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(GPtrArray) runs = NULL;
	g_autoptr(RigRecord) record = NULL;
	g_autofree char *text = NULL;
	const RigStoreEntry *entry;

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_results, error,
				     "show takes one RUN (an id, its beginning, or last)");
	runs = filtered(cli, options, error);
	if (!runs)
		return -1;
	entry = rig_results_find(runs, words[0], error);
	record = entry ? rig_store_load(entry->dir, error) : NULL;
	text = record ? shown(cli, options, record, error) : NULL;
	if (!text)
		return -1;
	fputs(text, stdout);
	if (!cli->json && !options->plot)
		print_traces(cli, record);
	return 0;
}

/* The runs that WORDS name, each once, or with --all or --failed all that the options let through.
 */
static GPtrArray *chosen(const GPtrArray *runs, const Options *options, int argc, char **words,
			 GError **error)
{
	g_autoptr(GPtrArray) found = g_ptr_array_new();

	for (int i = 0; i < argc; i++) {
		const RigStoreEntry *entry = rig_results_find(runs, words[i], error);

		if (!entry)
			return NULL;
		if (!g_ptr_array_find(found, entry, NULL))
			g_ptr_array_add(found, (gpointer)entry);
	}
	for (guint i = 0; argc == 0 && i < runs->len; i++)
		g_ptr_array_add(found, runs->pdata[i]);
	return g_steal_pointer(&found);
}

static gboolean check_choice(const char *verb, const Options *options, int argc, GError **error)
{
	gboolean many = options->all || options->failed;

	if (argc == 0 && !many)
		rig_cli_usage(&rig_cmd_results, error, "%s: name RUNs, or say --all or --failed",
			      verb);
	else if (argc > 0 && many)
		rig_cli_usage(&rig_cmd_results, error,
			      "%s: RUNs and --all or --failed exclude each other", verb);
	else
		return TRUE;
	return FALSE;
}

static int export_runs(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(GPtrArray) runs = NULL;
	g_autoptr(GPtrArray) found = NULL;

	if (!options->output)
		return rig_cli_usage(&rig_cmd_results, error, "export: --output DIR is missing");
	if (!check_choice("export", options, argc, error))
		return -1;
	runs = filtered(cli, options, error);
	found = runs ? chosen(runs, options, argc, words, error) : NULL;
	return found ? rig_results_export(cli, found, options->output, error) : -1;
}

static int remove_runs(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(GPtrArray) runs = NULL;
	g_autoptr(GPtrArray) found = NULL;

	if (!check_choice("remove", options, argc, error))
		return -1;
	runs = filtered(cli, options, error);
	found = runs ? chosen(runs, options, argc, words, error) : NULL;
	return found ? rig_results_remove(cli, found, options->yes, error) : -1;
}

static const struct {
	const char *name;
	int (*run)(RigCli *cli, const Options *options, int argc, char **words, GError **error);
} verbs[] = {{"list", list}, {"show", show}, {"export", export_runs}, {"remove", remove_runs}};

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	const Options *options = data;

	if (argc == 0)
		return rig_cli_usage(&rig_cmd_results, error,
				     "list, show, export or remove is missing");
	if (options->last < 0)
		return rig_cli_usage(&rig_cmd_results, error, "--last %d is not above 0",
				     options->last);
	for (guint i = 0; i < G_N_ELEMENTS(verbs); i++)
		if (g_str_equal(argv[0], verbs[i].name))
			return verbs[i].run(cli, options, argc - 1, argv + 1, error);
	return rig_cli_usage(&rig_cmd_results, error,
			     "\"%s\" is none of list, show, export, remove", argv[0]);
}

static const char *const verb_names[] = {"list", "show", "export", "remove", NULL};

const RigCommand rig_cmd_results = {
	.name = "results",
	.args = "list|show RUN|export RUN...|remove RUN...",
	.summary = "list, show, copy and remove what runs have left",
	.description =
		"list: one line a run, the newest last. show: how a run ended, its phases, metrics "
		"and\n"
		"counters; with -v its manifest and every metric. RUN is an id, the beginning of "
		"one,\n"
		"or last. export: copy the folders of runs (record, raw text, console) to a new\n"
		"folder in the store's layout. remove: asks first, unless --yes is given.\n\n"
		"  rig results list --workload numa02 --last 10\n"
		"  rig results show last\n"
		"  rig results show last --plot proc-vmstat.numa_hint_faults\n"
		"  rig results export --all --kernel head --output head-runs\n"
		"  rig results remove --failed --dry-run",
	.verbs = verb_names,
	.completes = "run",
	.state_size = sizeof(Options),
	.options = results_options,
	.run = run,
};
