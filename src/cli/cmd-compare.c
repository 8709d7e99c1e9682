/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-compare.c - rig compare BASE HEAD...: what the runs of several kernels say, side by side.
 */
#include <langinfo.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "report/csv.h"
#include "report/html.h"
#include "report/lkp.h"
#include "report/report-json.h"
#include "report/select.h"
#include "report/sweep.h"
#include "report/table.h"

typedef struct {
	char *sweep, *workload, *topology, *params, *plan, *format, *rows, *html;
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
	 "table (default), lkp, json or csv"},
	{"rows", 0, RIG_OPTION_STRING, OPT(rows), "RULE",
	 "rows of the lkp format: lkp (the robot's rule, default) or all"},
	{"html", 0, RIG_OPTION_STRING, OPT(html), "FILE",
	 "write a page with figures to FILE as well"},
	{"all", 'a', RIG_OPTION_FLAG, OPT(all), NULL, "every counter; same as --rows all for lkp"},
	{NULL},
};

typedef enum { FORMAT_TABLE, FORMAT_LKP, FORMAT_JSON, FORMAT_CSV } Format;

static int find_word(const char *const *words, const char *word)
{
	for (int i = 0; words[i]; i++)
		if (g_str_equal(words[i], word))
			return i;
	return -1;
}

static gboolean parse_format(const RigCli *cli, const Options *options, Format *format,
			     GError **error)
{
	static const char *const words[] = {"table", "lkp", "json", "csv", NULL};
	int found = options->format ? find_word(words, options->format) : FORMAT_TABLE;

	if (found < 0) {
		rig_cli_usage(&rig_cmd_compare, error,
			      "--format %s is none of table, lkp, json, csv", options->format);
		return FALSE;
	}
	*format = cli->json ? FORMAT_JSON : (Format)found;
	if (cli->json && options->format && found != FORMAT_JSON) {
		rig_cli_usage(&rig_cmd_compare, error, "--json and --format %s exclude each other",
			      options->format);
		return FALSE;
	}
	return TRUE;
}

static gboolean parse_rows(const Options *options, Format format, RigLkpRows *rows, GError **error)
{
	static const char *const words[] = {"lkp", "all", NULL};
	int found = options->rows ? find_word(words, options->rows) : RIG_LKP_ROWS_RULE;

	if (found < 0) {
		rig_cli_usage(&rig_cmd_compare, error, "--rows %s is none of lkp, all",
			      options->rows);
		return FALSE;
	}
	if (options->rows && format != FORMAT_LKP) {
		rig_cli_usage(&rig_cmd_compare, error, "--rows goes with --format lkp only");
		return FALSE;
	}
	*rows = options->all ? RIG_LKP_ROWS_ALL : (RigLkpRows)found;
	return TRUE;
}

static void print_lkp(RigSides *sides, RigLkpRows rows)
{
	g_autofree char *text = NULL;

	rig_sides_add_outcomes(sides);
	text = rig_lkp_render(sides, rows);
	fputs(text, stdout);
}

static void print_table(const RigCli *cli, const RigCompare *compare, gboolean all)
{
	RigTableOptions options = {
		.all = all,
		.color = cli->color,
		.ascii = !g_str_equal(nl_langinfo(CODESET), "UTF-8"),
	};
	g_autofree char *text = rig_table_render(compare, &options);

	fputs(text, stdout);
}

static void print_report(const RigCli *cli, RigSides *sides, Format format, gboolean all)
{
	g_autoptr(RigCompare) compare = rig_compare_new(sides);

	if (format == FORMAT_JSON) {
		rig_cli_print_json(rig_report_json(compare));
	} else if (format == FORMAT_CSV) {
		g_autofree char *text = rig_csv_render(compare);

		fputs(text, stdout);
	} else {
		print_table(cli, compare, all);
	}
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
		rig_log_info(cli->log,
			     "compared is the latest; both have also (--workload, --params, "
			     "--topology): %s",
			     others);
	return sides;
}

/* Beside what goes to stdout, so that the exit code and the pipe stay as they are. */
static gboolean write_page(RigCli *cli, const RigSides *sides, const char *path, GError **error)
{
	g_autofree char *root = g_build_filename(cli->paths->state, "results", NULL);
	g_autoptr(RigCompare) compare = rig_compare_new(sides);

	if (!rig_html_write(path, root, compare, NULL, error))
		return FALSE;
	rig_log_info(cli->log, "%s: written", path);
	return TRUE;
}

/* A sweep has a table of its own; one value of it is compared like anything else. */
static RigSweep *find_sweep(RigCli *cli, const Options *options, char **names, guint n_names,
			    const RigSides *sides, Format format, GError **error)
{
	g_autofree char *root = g_build_filename(cli->paths->state, "results", NULL);

	if (!options->sweep &&
	    (options->params || (format != FORMAT_TABLE && format != FORMAT_JSON)))
		return NULL;
	return rig_sweep_find(root, (const char *const *)names, n_names, sides, options->sweep,
			      error);
}

static void print_sweep(const RigSweep *sweep, Format format)
{
	g_autofree char *text = format == FORMAT_JSON ? NULL : rig_sweep_render(sweep, 0);

	if (text)
		fputs(text, stdout);
	else
		rig_cli_print_json(rig_sweep_json(sweep));
}

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	const Options *options = data;
	g_autoptr(RigSides) sides = NULL;
	g_autoptr(RigSweep) sweep = NULL;
	g_autoptr(GError) no_sweep = NULL;
	Format format;
	RigLkpRows rows;

	if (argc < 2)
		return rig_cli_usage(&rig_cmd_compare, error, "%s missing",
				     argc ? "HEAD is" : "BASE and HEAD are");
	if (options->last < 0)
		return rig_cli_usage(&rig_cmd_compare, error, "--last %d is not above 0",
				     options->last);
	if (!parse_format(cli, options, &format, error) ||
	    !parse_rows(options, format, &rows, error))
		return -1;
	sides = select_sides(cli, options, argv, (guint)argc, error);
	if (!sides || (options->html && !write_page(cli, sides, options->html, error)))
		return -1;
	sweep = find_sweep(cli, options, argv, (guint)argc, sides, format, &no_sweep);
	if (no_sweep) {
		g_propagate_error(error, g_steal_pointer(&no_sweep));
		return -1;
	}
	if (sweep)
		print_sweep(sweep, format);
	else if (format == FORMAT_LKP)
		print_lkp(sides, rows);
	else
		print_report(cli, sides, format, options->all);
	return 0;
}

const RigCommand rig_cmd_compare = {
	.name = "compare",
	.args = "BASE HEAD...",
	.summary = "compare the runs of kernels side by side",
	.description =
		"BASE and HEAD are kernels (or sides) that ran the same workload with the same\n"
		"parameters on the same topology; without options the latest such runs. Shown are\n"
		"failures, means, spread and change; there is no verdict. Runs of different\n"
		"placement class are never mixed, and timings of different accelerators are not\n"
		"compared.\n\n"
		"  rig compare base head\n"
		"  rig compare v6.1 v6.12 --workload numa02 --last 5\n"
		"  rig compare base head --format lkp\n"
		"  rig compare base head --html report.html",
	.completes = "kernel",
	.state_size = sizeof(Options),
	.options = compare_options,
	.run = run,
};
