/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-run.c - rig run WORKLOAD: carry out a plan and say what came of it.
 */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/run-session.h"

#define OPT(field) G_STRUCT_OFFSET(RigRunOptions, field)

static const RigOption run_options[] = {
	{"on", 0, RIG_OPTION_STRING, OPT(on), "GUEST", "run in this guest, which is up and stays"},
	{"topology", 't', RIG_OPTION_STRING, OPT(topology), "TOPOLOGY",
	 "boot fresh guests of this shape (default: 2sp-icl)"},
	{"kernel", 'k', RIG_OPTION_STRINGS, OPT(kernels), "KERNEL",
	 "boot this kernel; several: sides that are compared"},
	{"image", 0, RIG_OPTION_STRING, OPT(image), "IMAGE", "root file system (default: tiny)"},
	{"repeat", 'n', RIG_OPTION_INT, OPT(repeat), "N",
	 "fresh boots of each side, in shuffled balanced blocks (default: 1)"},
	{"set", 's', RIG_OPTION_STRINGS, OPT(settings), "KEY=VALUE",
	 "a parameter of the workload; may be given again"},
	{"seed", 0, RIG_OPTION_STRING, OPT(seed), "N",
	 "of the plan and the workload (default: drawn and recorded)"},
	{"sample-ms", 0, RIG_OPTION_INT, OPT(sample_ms), "MS", "time between two samples"},
	{"no-samples", 0, RIG_OPTION_FLAG, OPT(no_samples), NULL, "take counters at marks only"},
	{"diskless", 0, RIG_OPTION_FLAG, OPT(diskless), NULL,
	 "no disk, no virtio: the root as an initramfs, results over isa-debugcon"},
	{"cmdline", 0, RIG_OPTION_STRING, OPT(cmdline), "WORDS", "more words for the kernel"},
	{"wait", 0, RIG_OPTION_FLAG, OPT(wait), NULL,
	 "wait while another rig measures on this host"},
	RIG_SHAPE_OPTIONS(RigRunOptions, shape),
	{NULL},
};

static void print_plan(const RigRunSession *session)
{
	const RigPlan *plan = session->plan;

	printf("workload %s, seed %" G_GUINT64_FORMAT ", %u run%s%s%s\n", session->workload->name,
	       session->seed, plan->n_steps, plan->n_steps == 1 ? "" : "s",
	       session->topology ? " on topology " : "",
	       session->topology ? session->topology->name : "");
	for (guint i = 0; i < plan->n_steps; i++)
		printf("  run %u  block %u  %s\n", i + 1, plan->steps[i].block + 1,
		       session->side_names[plan->steps[i].side]);
}

static void plan_json(const RigRunSession *session, RigJsonWriter *writer)
{
	const RigPlan *plan = session->plan;

	rig_json_open_object(writer, "plan");
	rig_json_add_int(writer, "seed", (gint64)session->seed);
	rig_json_add_int(writer, "blocks", plan->n_blocks);
	rig_json_add_strings(writer, "sides", (const char *const *)session->side_names);
	rig_json_open_array(writer, "steps");
	for (guint i = 0; i < plan->n_steps; i++) {
		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "block", plan->steps[i].block);
		rig_json_add_int(writer, "slot", plan->steps[i].slot);
		rig_json_add_string(writer, "side", session->side_names[plan->steps[i].side]);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void record_json(const RigRecord *record, RigJsonWriter *writer)
{
	char class[] = {record->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "id", record->id);
	rig_json_add_string(writer, "dir", record->dir);
	rig_json_add_string(writer, "side", record->side);
	rig_json_add_string(writer, "kernel", record->kernel);
	rig_json_add_string(writer, "class", class);
	rig_json_add_string(writer, "outcome", rig_outcome_name(record->outcome));
	rig_json_add_string(writer, "outcome_text", record->outcome_text);
	rig_json_add_double(writer, "duration_s", record->duration_s);
	rig_metrics_to_json(record->metrics, writer, "metrics");
	rig_json_close_object(writer);
}

static void print_result_json(const RigRunSession *session, const GPtrArray *records)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "workload", session->workload->name);
	plan_json(session, writer);
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
		printf("%s  %-16s %s\n", record->id, record->side, safe);
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
		rig_log_info(session->cli->log, "next: rig compare %s %s", first, second);
	else
		rig_log_info(session->cli->log, "next: rig results show %s",
			     ((RigRecord *)records->pdata[records->len - 1])->id);
}

static RigLock *measurement_lock(RigCli *cli, const RigRunOptions *options, const char *workload,
				 GError **error)
{
	g_autofree char *path = g_build_filename(cli->paths->state, "measure.lock", NULL);
	g_autofree char *what = g_strdup_printf("rig run %s", workload);
	RigLock *lock;

	if (!rig_file_make_dirs(cli->paths->state, 0755, error))
		return NULL;
	if (options->wait)
		rig_log_status(cli->log, "waiting for the measurement lock");
	lock = rig_lock_take(path, what, options->wait ? -1 : 0, cli->cancellable, error);
	if (!lock)
		g_prefix_error(error, "another measurement is under way on this host: ");
	return lock;
}

static int measure(RigCli *cli, RigRunSession *session, const RigRunOptions *options,
		   GError **error)
{
	g_autoptr(RigLock) lock = measurement_lock(cli, options, session->workload->name, error);
	g_autoptr(GPtrArray) records = NULL;
	g_autoptr(GError) stop = NULL;

	if (!lock)
		return -1;
	records = rig_run_session_execute(session, options, &stop);
	rig_log_status_clear(cli->log);
	if (cli->json)
		print_result_json(session, records);
	else if (records)
		print_records(records);
	if (stop) {
		g_propagate_error(error, g_steal_pointer(&stop));
		return -1;
	}
	say_what_next(session, records);
	return rig_engine_exit_code(records);
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	const RigRunOptions *opts = options;
	g_autoptr(RigRunSession) session = NULL;

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_run, error,
				     argc ? "one WORKLOAD at a time" : "WORKLOAD is missing");
	session = rig_run_session_new(cli, argv[0], opts, error);
	if (!session)
		return -1;
	if (!cli->dry_run)
		return measure(cli, session, opts, error);
	if (cli->json)
		print_result_json(session, NULL);
	else
		print_plan(session);
	return 0;
}

const RigCommand rig_cmd_run = {
	.name = "run",
	.args = "WORKLOAD",
	.summary = "run a workload and record what came of it",
	.description =
		"In the guest that is up where there is one and nothing asks for another; else a "
		"guest\n"
		"is booted for each run and taken away after it. Several --kernel are the sides of "
		"a\n"
		"comparison: each block runs every side once, in an order drawn from the seed.\n"
		"Runs that are not whole (a task died, a result is missing, the kernel warned or\n"
		"panicked) are recorded and counted as failed, and never averaged.\n\n"
		"  rig run anon-cow-rand-hugetlb\n"
		"  rig run numa02 --kernel base --kernel head --repeat 5 --set size=256M\n"
		"  rig run anon-w-seq --on 2sp-icl",
	.completes = "workload",
	.state_size = sizeof(RigRunOptions),
	.options = run_options,
	.run = run,
};
