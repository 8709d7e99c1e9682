/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-plan.c - rig plan WORKLOAD: what a run would do, cost and see, as text or as a file.
 */
#include <stdio.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/plan-view.h"

typedef struct {
	RigRunOptions run;
	char *output;
	gboolean replace;
} Options;

static const RigOption plan_options[] = {
	RIG_RUN_PLAN_OPTIONS(Options, run),
	{"output", 'o', RIG_OPTION_STRING, G_STRUCT_OFFSET(Options, output), "FILE",
	 "write the plan, for rig run --plan FILE"},
	{"replace", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(Options, replace), NULL,
	 "write over the FILE of --output where it is there"},
	RIG_RUN_PLACE_OPTIONS(Options, run),
	{NULL},
};

/* Before anything is printed. A plan that was begun must not be lost by a slip. */
static gboolean check_output(const Options *options, GError **error)
{
	if (!options->output || options->replace ||
	    !g_file_test(options->output, G_FILE_TEST_EXISTS))
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE, "another name, or --replace",
			   "--output %s: is there already", options->output);
	return FALSE;
}

static gboolean write_plan(RigCli *cli, const RigRunSession *session, const char *path,
			   GError **error)
{
	g_autofree char *text = NULL;

	if (session->guest) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "name a --kernel or a --topology",
				   "a plan's file is for fresh guests, but %s is up and would be "
				   "taken",
				   rig_guest_name(session->guest));
		return FALSE;
	}
	text = rig_planfile_to_json(session->file);
	if (!rig_file_write(path, text, -1, 0644, error))
		return FALSE;
	rig_log_info(cli->log, "next: rig run --plan %s", path);
	return TRUE;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	const Options *opts = options;
	g_autoptr(RigRunSession) session = NULL;

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_plan, error,
				     argc ? "one WORKLOAD at a time" : "WORKLOAD is missing");
	if (!check_output(opts, error))
		return -1;
	session = rig_run_session_new(cli, argv[0], &opts->run, error);
	if (!session || !rig_plan_view(cli, session, &opts->run, error))
		return -1;
	if (opts->output && !cli->dry_run && !write_plan(cli, session, opts->output, error))
		return -1;
	return 0;
}

const RigCommand rig_cmd_plan = {
	.name = "plan",
	.args = "WORKLOAD",
	.summary = "say what a run would do, how long it takes and what it can see",
	.description =
		"Order, seed, time from earlier runs, and the smallest change that so many blocks\n"
		"see with 80 % power, from what rig calibrate found. With --output the plan is a\n"
		"file that rig run --plan carries out, and carries on with after an\n"
		"interruption.\n\n"
		"  rig plan numa02 --kernel base --kernel head --blocks 6\n"
		"  rig plan numa02 --kernel base --kernel head --effect 2%\n"
		"  rig plan numa02 --kernel base --kernel head --blocks 10 --output plan.json",
	.completes = "workload",
	.state_size = sizeof(Options),
	.options = plan_options,
	.run = run,
};
