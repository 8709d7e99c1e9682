/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-calibrate.c - rig calibrate WORKLOAD: a kernel against itself, so that noise is known.
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/measure.h"
#include "cli/plan-view.h"
#include "model/planstore.h"
#include "report/noise.h"

#define BLOCKS_DEFAULT 6

typedef struct {
	RigRunOptions run;
	char *kernel;
	gboolean resume, all;
} Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption calibrate_options[] = {
	{"kernel", 'k', RIG_OPTION_STRING, OPT(kernel), "KERNEL",
	 "the kernel (default: the default kernel)"},
	{"blocks", 'b', RIG_OPTION_COUNT, OPT(run.blocks), "N",
	 "blocks of two boots each (default: 6)"},
	{"tasks", 0, RIG_OPTION_STRING, OPT(run.tasks), "LIST",
	 "for each of these numbers of tasks, e.g. 1,16,50%,100%"},
	{"sweep", 0, RIG_OPTION_STRING, OPT(run.sweep), "NAME=V1,V2,...",
	 "for each of these values of a parameter"},
	{"resume", 0, RIG_OPTION_FLAG, OPT(resume), NULL,
	 "carry on with the plan whose ID follows (default: the latest interrupted one)"},
	{"all", 'a', RIG_OPTION_FLAG, OPT(all), NULL, "show the kernel's counters, too"},
	{"wait", 0, RIG_OPTION_FLAG, OPT(run.wait), NULL,
	 "wait while another rig measures on this host"},
	RIG_LIMIT_OPTIONS(Options, run.limits),
	RIG_RUN_PLACE_OPTIONS(Options, run),
	{NULL},
};

/* Records of one value of the sweep. */
static GPtrArray *of_value(const GPtrArray *records, const char *value)
{
	GPtrArray *chosen = g_ptr_array_new();

	for (guint i = 0; i < records->len; i++) {
		const RigRecord *record = records->pdata[i];

		if (!value ||
		    g_strcmp0(g_hash_table_lookup(record->manifest, "plan.value"), value) == 0)
			g_ptr_array_add(chosen, records->pdata[i]);
	}
	return chosen;
}

static gboolean keep_noise(RigCli *cli, const GPtrArray *records, gboolean all, GError **error)
{
	g_autoptr(RigNoise) noise = rig_noise_new(records, error);
	g_autofree char *text = NULL;

	if (!noise || !rig_noise_save(cli->paths->state, noise, error))
		return FALSE;
	text = cli->json ? rig_noise_to_json(noise) : rig_noise_render(noise, all, 0);
	fputs(text, stdout);
	return TRUE;
}

/* With a sweep one text, or one JSON document, after the other. */
static gboolean conclude(RigCli *cli, const RigRunSession *session, gboolean all, GError **error)
{
	const RigPlanFile *file = session->file;
	g_autoptr(GPtrArray) records = rig_planstore_records(session->store, file, error);

	for (guint i = 0; records && i < file->plan->n_values; i++) {
		g_autoptr(GPtrArray) chosen =
			of_value(records, file->sweep ? file->values[i] : NULL);

		if (!keep_noise(cli, chosen, all, error)) {
			g_prefix_error(error, "plan %s: ", file->id);
			return FALSE;
		}
	}
	return records != NULL;
}

static RigRunSession *session_of(RigCli *cli, Options *options, int argc, char **argv,
				 GError **error)
{
	RigRunOptions *run = &options->run;
	RigPlanFile *file;

	if (options->resume) {
		file = rig_measure_find_plan(cli, NULL, argc ? argv[0] : NULL, (guint)run->blocks,
					     TRUE, error);
		return file ? rig_run_session_resume(cli, file, run, error) : NULL;
	}
	run->aa = TRUE;
	if (!run->blocks)
		run->blocks = BLOCKS_DEFAULT;
	/* Fresh boots, whatever guest is up: what is measured is how far boots lie apart. */
	if (!run->topology)
		run->topology = g_strdup("2sp-icl");
	if (options->kernel) {
		run->kernels = g_new0(char *, 2);
		run->kernels[0] = g_strdup(options->kernel);
	}
	return rig_run_session_new(cli, argv[0], run, error);
}

static int calibrate(RigCli *cli, Options *options, RigRunSession *session, GError **error)
{
	g_autofree char *what = g_strdup_printf("rig calibrate %s", session->workload->name);
	g_autoptr(GPtrArray) records = NULL;

	if (cli->dry_run)
		return rig_plan_view(cli, session, &options->run, error) ? 0 : -1;
	if (!rig_measure(cli, session, &options->run, what, &records, error) ||
	    !conclude(cli, session, options->all, error))
		return -1;
	return rig_engine_exit_code(records);
}

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	Options *options = data;
	g_autoptr(RigRunSession) session = NULL;
	int code;

	if (argc > 1 || (argc == 0 && !options->resume))
		return rig_cli_usage(&rig_cmd_calibrate, error,
				     argc ? "one WORKLOAD at a time" : "WORKLOAD is missing");
	if (options->run.blocks == 1 || options->run.blocks < 0)
		return rig_cli_usage(&rig_cmd_calibrate, error,
				     "--blocks %d: a spread needs 2 or more", options->run.blocks);
	session = session_of(cli, options, argc, argv, error);
	code = session ? calibrate(cli, options, session, error) : -1;
	/* These are not in this command's table, so main does not free them. */
	g_clear_pointer(&options->run.kernels, g_strfreev);
	g_clear_pointer(&options->run.on, g_free);
	return code;
}

const RigCommand rig_cmd_calibrate = {
	.name = "calibrate",
	.args = "WORKLOAD",
	.summary = "set a kernel against itself, to learn how small a change can be seen",
	.description =
		"Boots the same kernel twice in each block, by the same plan as a comparison, and\n"
		"keeps for each metric: the spread between boots, whether the second run of a\n"
		"block differs from the first, and how often the test would have called that a\n"
		"change. rig plan and rig compare use it. The records are marked and never mix\n"
		"with those of a comparison.\n\n"
		"  rig calibrate anon-cow-rand-hugetlb --kernel base --blocks 6\n"
		"  rig calibrate --resume",
	.completes = "workload",
	.state_size = sizeof(Options),
	.options = calibrate_options,
	.run = run,
};
