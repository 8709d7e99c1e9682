/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare-print.h - the formats of rig compare.
 */
#pragma once

#include "cli/cmd.h"
#include "report/gate.h"

typedef enum {
	RIG_COMPARE_TABLE,
	RIG_COMPARE_LKP,
	RIG_COMPARE_MMTESTS,
	RIG_COMPARE_MARKDOWN,
	RIG_COMPARE_CSV,
	RIG_COMPARE_JSON,
	RIG_COMPARE_KTAP,
	RIG_COMPARE_JUNIT,
} RigCompareFormat;

typedef enum {
	RIG_COMPARE_ROWS_FOUND, /* what rig's statistics find */
	RIG_COMPARE_ROWS_LKP,	/* the robot's rule */
	RIG_COMPARE_ROWS_ALL,
} RigCompareRows;

/* "table", "lkp", ... in the order of the enum, and "found", "lkp", "all"; NULL terminated. */
extern const char *const rig_compare_formats[];
extern const char *const rig_compare_rows[];

typedef struct {
	RigCompareFormat format;
	RigCompareRows rows; /* of the lkp format */
	gboolean all;	     /* every counter in the table */
} RigComparePrint;

/* To stdout. CHECKS are those of JUDGEMENT. For the lkp format rig_sides_add_outcomes() was called
 * on the sides before. */
void rig_compare_print(const RigCli *cli, const RigComparePrint *how, const RigJudgement *judgement,
		       const GPtrArray *checks);
