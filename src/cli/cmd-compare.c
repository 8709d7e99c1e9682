/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-compare.c - rig compare BASE HEAD...: what the runs of several kernels say, side by side.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/compare-expect.h"
#include "cli/compare-print.h"
#include "report/html.h"
#include "report/select.h"
#include "report/sweep.h"

typedef struct {
	char *sweep, *workload, *topology, *params, *plan, *format, *rows, *html;
	char **fail_on;
	int last;
	gboolean all;
} Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption compare_options[] = {
	{"workload", 'w', RIG_OPTION_STRING, OPT(workload), "NAME",
	 "compare runs of this workload"},
	{"topology", 't', RIG_OPTION_STRING, OPT(topology), "NAME",
	 "compare runs on this topology"},
	{"params", 'p', RIG_OPTION_STRING, OPT(params), "PARAMS",
	 "compare runs with these parameters, as rig results list shows them"},
	{"plan", 0, RIG_OPTION_STRING, OPT(plan), "SEED", "only the runs of one plan, by its seed"},
	{"sweep", 0, RIG_OPTION_STRING, OPT(sweep), "NAME",
	 "one table over the values of this parameter (without it: where the plan is a sweep)"},
	{"last", 'n', RIG_OPTION_INT, OPT(last), "N", "only the last N runs of each side"},
	{"format", 'f', RIG_OPTION_STRING, OPT(format), "FORMAT",
	 "table (default), lkp, mmtests, markdown, csv, json, ktap or junit"},
	{"rows", 0, RIG_OPTION_STRING, OPT(rows), "RULE",
	 "rows of the lkp format: found (default), lkp (the robot's rule) or all"},
	{"fail-on", 0, RIG_OPTION_STRINGS, OPT(fail_on), "METRIC:N%",
	 "exit 1 only if METRIC got worse by more than N % (or failures:N%); may be given again"},
	{"html", 0, RIG_OPTION_STRING, OPT(html), "FILE",
	 "write a page with figures to FILE as well"},
	{"all", 'a', RIG_OPTION_FLAG, OPT(all), NULL, "every counter; same as --rows all for lkp"},
	{NULL},
};

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (g_str_equal(words[i], word))
			return i;
	return -1;
}

static gboolean parse_format(const RigCli *cli, const Options *options, RigCompareFormat *format,
			     GError **error)
{
	int found = options->format ? find_word(rig_compare_formats, options->format)
				    : RIG_COMPARE_TABLE;

	if (found < 0) {
		g_autofree char *all = g_strjoinv(", ", (char **)rig_compare_formats);

		rig_cli_usage(&rig_cmd_compare, error, "--format %s is none of %s", options->format,
			      all);
		return FALSE;
	}
	*format = cli->json ? RIG_COMPARE_JSON : (RigCompareFormat)found;
	if (cli->json && options->format && found != RIG_COMPARE_JSON) {
		rig_cli_usage(&rig_cmd_compare, error, "--json and --format %s exclude each other",
			      options->format);
		return FALSE;
	}
	return TRUE;
}

static gboolean parse_rows(const Options *options, RigComparePrint *how, GError **error)
{
	int found =
		options->rows ? find_word(rig_compare_rows, options->rows) : RIG_COMPARE_ROWS_FOUND;

	if (found < 0) {
		rig_cli_usage(&rig_cmd_compare, error, "--rows %s is none of found, lkp, all",
			      options->rows);
		return FALSE;
	}
	if (options->rows && how->format != RIG_COMPARE_LKP) {
		rig_cli_usage(&rig_cmd_compare, error, "--rows goes with --format lkp only");
		return FALSE;
	}
	how->all = options->all;
	how->rows = options->all ? RIG_COMPARE_ROWS_ALL : (RigCompareRows)found;
	return TRUE;
}

/* RigGateLimit*; empty without --fail-on, NULL with an error. */
static GPtrArray *parse_limits(const Options *options, GError **error)
{
	g_autoptr(GPtrArray) limits = g_ptr_array_new_with_free_func(rig_gate_limit_free);

	for (char **text = options->fail_on; text && *text; text++) {
		RigGateLimit *limit = rig_gate_limit_parse(*text, error);

		if (!limit)
			return NULL;
		g_ptr_array_add(limits, limit);
	}
	return g_steal_pointer(&limits);
}

static RigSides *select_sides(RigCli *cli, const Options *options, char **names, guint n_names,
			      GError **error)
{
	g_autofree char *root = g_build_filename(cli->paths->state, "results", NULL);
	g_autofree char *others = NULL;
	RigSelection selection = {
		.workload = options->workload,
		.topology = options->topology,
		.params = options->params,
		.plan = options->plan,
		.last = (guint)options->last,
	};
	RigSides *sides = rig_select_sides(root, (const char *const *)names, n_names, &selection,
					   &others, error);

	if (sides && others)
		rig_log_info(cli->log, "%s", others);
	return sides;
}

/* A sweep has a table of its own; one value of it is compared like anything else. */
static RigSweep *find_sweep(RigCli *cli, const Options *options, char **names, guint n_names,
			    const RigSides *sides, RigCompareFormat format, GError **error)
{
	g_autofree char *root = g_build_filename(cli->paths->state, "results", NULL);

	if (!options->sweep &&
	    (options->params || (format != RIG_COMPARE_TABLE && format != RIG_COMPARE_JSON)))
		return NULL;
	return rig_sweep_find(root, (const char *const *)names, n_names, sides, options->sweep,
			      error);
}

/* 1 for a regression, 20 for what is inconclusive, as for one comparison. */
static int print_sweep(const RigSweep *sweep, RigCompareFormat format)
{
	g_autofree char *text = format == RIG_COMPARE_JSON ? NULL : rig_sweep_render(sweep, 0);
	gboolean regression;
	RigVerdictKind kind = rig_sweep_overall(sweep, &regression);

	if (text)
		fputs(text, stdout);
	else
		rig_cli_print_json(rig_sweep_json(sweep));
	if (regression)
		return RIG_ERROR_FAILED;
	return kind == RIG_VERDICT_INCONCLUSIVE ? RIG_ERROR_INCONCLUSIVE : 0;
}

/* What rig calibrate found for the same, or NULL; a file that cannot be read is no reason to show
 * nothing. */
static RigNoise *load_noise(const RigCli *cli, const RigSides *sides)
{
	const RigSide *base = rig_sides_at(sides, 0);
	g_autoptr(GError) reason = NULL;
	RigNoise *noise;

	if (!sides->workload || !sides->params || !sides->topology || !g_ascii_isalpha(base->class))
		return NULL;
	noise = rig_noise_load(cli->paths->state, sides->workload, sides->params, sides->topology,
			       base->class, &reason);
	if (reason)
		rig_log_warn(cli->log, "%s", reason->message);
	return noise;
}

/* Beside what goes to stdout, so that the exit code and the pipe stay as they are. */
static gboolean write_page(const RigCli *cli, const RigSides *sides, const char *path,
			   GError **error)
{
	g_autofree char *root = g_build_filename(cli->paths->state, "results", NULL);
	g_autoptr(RigNoise) noise = load_noise(cli, sides);
	g_autoptr(RigCompare) compare = rig_compare_new(sides);
	g_autoptr(RigJudgement) judgement = rig_judgement_new(compare, noise);

	rig_compare_expect(cli, sides, judgement);
	if (!rig_html_write(path, root, judgement, error))
		return FALSE;
	rig_log_info(cli->log, "%s: written", path);
	return TRUE;
}

/* Whoever set limits wants to read which of them was passed, whatever the format on stdout. */
static void tell_checks(const RigCli *cli, const RigSides *sides, const GPtrArray *checks)
{
	for (guint i = 0; i < checks->len; i++) {
		const RigGateCheck *check = g_ptr_array_index(checks, i);

		rig_log_info(cli->log, "%s: %s, %s: %s", rig_gate_result_name(check->result),
			     rig_sides_at(sides, check->head)->name, check->name, check->reason);
	}
}

static int judge(const RigCli *cli, const RigComparePrint *how, RigSides *sides,
		 const GPtrArray *limits, GError **error)
{
	g_autoptr(RigNoise) noise = load_noise(cli, sides);
	g_autoptr(RigCompare) compare = NULL;
	g_autoptr(RigJudgement) judgement = NULL;
	g_autoptr(GPtrArray) checks = NULL;

	/* The robot's table counts failures as metrics. */
	if (how->format == RIG_COMPARE_LKP)
		rig_sides_add_outcomes(sides);
	compare = rig_compare_new(sides);
	judgement = rig_judgement_new(compare, noise);
	rig_compare_expect(cli, sides, judgement);
	checks = rig_gate_checks(judgement, limits, error);
	if (!checks)
		return -1;
	/* These two have no place for it, and are kept to the character. */
	if ((how->format == RIG_COMPARE_LKP || how->format == RIG_COMPARE_MMTESTS) &&
	    rig_compare_is_emulated(sides))
		rig_log_warn(cli->log, "%s", RIG_EMULATED_TEXT);
	rig_compare_print(cli, how, judgement, checks);
	if (limits->len)
		tell_checks(cli, sides, checks);
	return rig_gate_exit_code(checks);
}

static int compare_sides(RigCli *cli, const Options *options, const RigComparePrint *how,
			 char **names, guint n_names, const GPtrArray *limits, GError **error)
{
	g_autoptr(RigSides) sides = select_sides(cli, options, names, n_names, error);
	g_autoptr(RigSweep) sweep = NULL;
	g_autoptr(GError) no_sweep = NULL;

	if (!sides || (options->html && !write_page(cli, sides, options->html, error)))
		return -1;
	sweep = find_sweep(cli, options, names, n_names, sides, how->format, &no_sweep);
	if (no_sweep) {
		g_propagate_error(error, g_steal_pointer(&no_sweep));
		return -1;
	}
	if (!sweep)
		return judge(cli, how, sides, limits, error);
	if (limits->len)
		return rig_cli_usage(&rig_cmd_compare, error,
				     "--fail-on is for one value of a sweep (--params)");
	return print_sweep(sweep, how->format);
}

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	const Options *options = data;
	g_autoptr(GPtrArray) limits = NULL;
	RigComparePrint how = {0};

	if (argc < 2)
		return rig_cli_usage(&rig_cmd_compare, error, "%s missing",
				     argc ? "HEAD is" : "BASE and HEAD are");
	if (options->last < 0)
		return rig_cli_usage(&rig_cmd_compare, error, "--last %d is not above 0",
				     options->last);
	if (!parse_format(cli, options, &how.format, error) || !parse_rows(options, &how, error))
		return -1;
	limits = parse_limits(options, error);
	if (!limits)
		return -1;
	return compare_sides(cli, options, &how, argv, (guint)argc, limits, error);
}

const RigCommand rig_cmd_compare = {
	.name = "compare",
	.args = "BASE HEAD...",
	.summary = "compare the runs of kernels side by side",
	.description =
		"BASE and HEAD are kernels (or sides) that ran the same workload with the same\n"
		"parameters on the same topology; without options the latest such runs. First\n"
		"comes the verdict: a primary metric changed, is equivalent within its margin, or\n"
		"nobody can tell; then what it rests on, failures, and the counters that changed.\n"
		"Runs of different placement class are never mixed, and timings of emulated\n"
		"machines are shown, never judged.\n\n"
		"Exits with 0 if nothing got worse, 1 if something did, 20 if that is unclear.\n\n"
		"  rig compare base head\n"
		"  rig compare v6.1 v6.12 --workload numa02 --last 5\n"
		"  rig compare base head --format lkp\n"
		"  rig compare base head --fail-on vm-scalability.throughput:5% --format ktap\n"
		"  rig compare base head --html report.html",
	.completes = "kernel",
	.state_size = sizeof(Options),
	.options = compare_options,
	.run = run,
};
