/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-run.c - rig run: carry out a plan and say what came of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/dump.h"
#include "cli/measure.h"
#include "cli/plan-view.h"

typedef struct {
	RigRunOptions run;
	char *plan;
	gboolean resume;
} Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption run_options[] = {
	{"on", 0, RIG_OPTION_STRING, OPT(run.on), "GUEST",
	 "run in this guest, which is up and stays"},
	RIG_RUN_PLAN_OPTIONS(Options, run),
	{"plan", 0, RIG_OPTION_STRING, OPT(plan), "FILE",
	 "carry out this plan, or what is left of it"},
	{"resume", 0, RIG_OPTION_FLAG, OPT(resume), NULL,
	 "carry on with the plan whose ID follows (default: the latest interrupted one)"},
	RIG_RUN_PLACE_OPTIONS(Options, run),
	{"dump", 0, RIG_OPTION_FLAG, OPT(run.dump), NULL,
	 "keep a memory dump of a guest that panics or hangs with its record"},
	{"wait", 0, RIG_OPTION_FLAG, OPT(run.wait), NULL,
	 "wait while another rig measures on this host"},
	RIG_LIMIT_OPTIONS(Options, run.limits),
	{NULL},
};

static void record_json(const RigRecord *record, RigJsonWriter *writer)
{
	char class[] = {record->class, '\0'};
	g_autofree char *dump = rig_dump_of(record);

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "id", record->id);
	rig_json_add_string(writer, "dir", record->dir);
	rig_json_add_string(writer, "side", record->side);
	rig_json_add_string(writer, "kernel", record->kernel);
	rig_json_add_string(writer, "class", class);
	rig_json_add_string(writer, "outcome", rig_outcome_name(record->outcome));
	rig_json_add_string(writer, "outcome_text", record->outcome_text);
	rig_json_add_double(writer, "duration_s", record->duration_s);
	if (dump)
		rig_json_add_string(writer, "dump", dump);
	rig_metrics_to_json(record->metrics, writer, "metrics");
	rig_json_close_object(writer);
}

static void print_result_json(const RigRunSession *session, const GPtrArray *records)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "workload", session->workload->name);
	rig_plan_view_json(session, writer);
	rig_json_open_array(writer, "runs");
	for (guint i = 0; records && i < records->len; i++)
		record_json(records->pdata[i], writer);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void print_records(const GPtrArray *records)
{

	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = records->pdata[i];
		g_autofree char *summary = rig_engine_summary(record);
		g_autofree char *safe = rig_text_safe(summary, -1);
		g_autofree char *dump = rig_dump_of(record);
		printf("%s  %-16s %s\n", record->id, record->side, safe);
		if (dump)
			printf("%s  %-16s memory dump: %s\n", record->id, record->side, dump);
	}
}

static void say_what_next(const RigRunSession *session, const GPtrArray *records)
{
	const char *first, *second;

	if (records->len == 0)
		return;
	first = session->side_names[0];
	second = session->side_names[1];
	if (second)
		rig_log_info(session->cli->log, "next: rig compare %s %s -w %s", first, second,
			     ((RigRecord *)records->pdata[0])->workload);
	else
		rig_log_info(session->cli->log, "next: rig results show %s",
			     ((RigRecord *)records->pdata[records->len - 1])->id);
}

static int measure(RigCli *cli, RigRunSession *session, const RigRunOptions *options,
		   GError **error)
{
	g_autofree char *what = g_strdup_printf("rig run %s", session->workload->name);
	g_autoptr(GPtrArray) records = NULL;
	gboolean ok;

	if (options->effect)
		return rig_cli_usage(&rig_cmd_run, error,
				     "--effect goes with --dry-run (or rig plan)");
	ok = rig_measure(cli, session, options, what, &records, error);
	if (records && cli->json)
		print_result_json(session, records);
	else if (records)
		print_records(records);
	if (!ok)
		return -1;
	say_what_next(session, records);
	return rig_engine_exit_code(records);
}

/* Options that only a new plan can take: their name, or NULL. */
static const char *changes_plan(const RigRunOptions *run)
{
	return run->on	       ? "--on"
	       : run->kernels  ? "--kernel"
	       : run->tasks    ? "--tasks"
	       : run->sweep    ? "--sweep"
	       : run->looks    ? "--looks"
	       : run->method   ? "--method"
	       : run->seed     ? "--seed"
	       : run->image    ? "--image"
	       : run->cmdline  ? "--cmdline"
	       : run->settings ? "--set"
	       : run->topology ? "--topology"
	       : run->diskless ? "--diskless"
			       : NULL;
}

static RigRunSession *resume(RigCli *cli, Options *options, const char *id, GError **error)
{
	const char *given = changes_plan(&options->run);
	RigPlanFile *file;
	guint blocks = 1;

	if (given) {
		rig_cli_usage(&rig_cmd_run, error, "%s cannot be given for a plan that is there",
			      given);
		return NULL;
	}
	if (!rig_run_options_blocks(&options->run, &blocks, error))
		return NULL;
	if (!options->run.blocks && !options->run.repeat)
		blocks = 0;
	file = rig_measure_find_plan(cli, options->plan, id, blocks, FALSE, error);
	return file ? rig_run_session_resume(cli, file, &options->run, error) : NULL;
}

static gboolean check_words(const Options *options, int argc, GError **error)
{
	if (options->plan && (options->resume || argc))
		rig_cli_usage(&rig_cmd_run, error, "--plan FILE says all: no %s besides",
			      argc ? "WORKLOAD" : "--resume");
	else if (argc > 1)
		rig_cli_usage(&rig_cmd_run, error, "one WORKLOAD at a time");
	else if (!argc && !options->plan && !options->resume)
		rig_cli_usage(&rig_cmd_run, error, "WORKLOAD is missing");
	else
		return TRUE;
	return FALSE;
}

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	Options *options = data;
	g_autoptr(RigRunSession) session = NULL;

	if (!check_words(options, argc, error))
		return -1;
	if (options->plan || options->resume)
		session = resume(cli, options, argc ? argv[0] : NULL, error);
	else
		session = rig_run_session_new(cli, argv[0], &options->run, error);
	if (!session)
		return -1;
	if (!cli->dry_run)
		return measure(cli, session, &options->run, error);
	return rig_plan_view(cli, session, &options->run, error) ? 0 : -1;
}

const RigCommand rig_cmd_run = {
	.name = "run",
	.args = "WORKLOAD | --plan FILE | --resume [ID]",
	.summary = "run a workload and record what came of it",
	.description =
		"In the guest that is up where there is one and nothing asks for another; else a "
		"guest\n"
		"is booted for each run and taken away after it. Several --kernel are the sides of "
		"a\n"
		"comparison: each block runs every side once, in an order drawn from the seed.\n"
		"Runs that are not whole (a task died, a result is missing, the kernel warned or\n"
		"panicked) are recorded and counted as failed, and never averaged. A plan that "
		"was\n"
		"interrupted is carried on with by --resume.\n\n"
		"  rig run anon-cow-rand-hugetlb\n"
		"  rig run numa02 --kernel base --kernel head --blocks 6 --set size=256M\n"
		"  rig run numa02 --kernel base --kernel head --tasks 1,50%,100%\n"
		"  rig run --resume\n"
		"  rig run anon-w-seq --on 2sp-icl",
	.completes = "workload",
	.state_size = sizeof(Options),
	.options = run_options,
	.run = run,
};
