/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare-print.c - the formats of rig compare.
 */
#include "cli/compare-print.h"

#include <langinfo.h>
#include <stdio.h>

#include "report/csv.h"
#include "report/ktap.h"
#include "report/lkp.h"
#include "report/markdown.h"
#include "report/mmtests.h"
#include "report/report-json.h"
#include "report/table.h"

const char *const rig_compare_formats[] = {"table", "lkp",  "mmtests", "markdown", "csv",
					   "json",  "ktap", "junit",   NULL};
const char *const rig_compare_rows[] = {"found", "lkp", "all", NULL};

static char *table_text(const RigCli *cli, const RigComparePrint *how,
			const RigJudgement *judgement)
{
	RigTableOptions options = {
		.all = how->all,
		.color = cli->color,
		.ascii = !g_str_equal(nl_langinfo(CODESET), "UTF-8"),
	};

	return rig_table_render(judgement, &options);
}

static char *lkp_text(RigCompareRows rows, const RigJudgement *judgement)
{
	const RigSides *sides = judgement->compare->sides;

	switch (rows) {
	case RIG_COMPARE_ROWS_LKP:
		return rig_lkp_render(sides, RIG_LKP_ROWS_RULE);
	case RIG_COMPARE_ROWS_ALL:
		return rig_lkp_render(sides, RIG_LKP_ROWS_ALL);
	default:
		return rig_lkp_render_found(judgement);
	}
}

static char *text_of(const RigCli *cli, const RigComparePrint *how, const RigJudgement *judgement,
		     const GPtrArray *checks)
{
	switch (how->format) {
	case RIG_COMPARE_LKP:
		return lkp_text(how->rows, judgement);
	case RIG_COMPARE_MMTESTS:
		return rig_mmtests_render(judgement);
	case RIG_COMPARE_MARKDOWN:
		return rig_markdown_render(judgement);
	case RIG_COMPARE_CSV:
		return rig_csv_render(judgement);
	case RIG_COMPARE_KTAP:
		return rig_ktap_render(judgement, checks);
	case RIG_COMPARE_JUNIT:
		return rig_junit_render(judgement, checks);
	default:
		return table_text(cli, how, judgement);
	}
}

void rig_compare_print(const RigCli *cli, const RigComparePrint *how, const RigJudgement *judgement,
		       const GPtrArray *checks)
{
	g_autofree char *text = NULL;

	if (how->format == RIG_COMPARE_JSON) {
		rig_cli_print_json(rig_report_json_judged(judgement));
		return;
	}
	text = text_of(cli, how, judgement, checks);
	fputs(text, stdout);
}
