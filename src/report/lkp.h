/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp.h - the kernel test robot's table, to the character.
 */
#pragma once

#include "report/judgement.h"

typedef enum {
	RIG_LKP_ROWS_RULE, /* rows that the robot's rule shows */
	RIG_LKP_ROWS_ALL,  /* every row */
} RigLkpRows;

/* One row as the robot computes it. */
typedef struct {
	const char *name;
	gboolean failure; /* fails:runs, else averages */
	gboolean points;  /* the changes are absolute */
	guint n_sides;
	double *avgs;	 /* 0 where a side has no value */
	double *stddevs; /* population; -1 where fewer than two values */
	guint *fails;	 /* runs with the failure */
	guint *runs;	 /* runs that count: whole ones only, except for failure rows */
	double *changes; /* against side 0; [0] unused */
	gboolean *fresh; /* the base has none of it, so that there is no change in percent; NULL for
			    the robot's own rows, which print a number all the same */
} RigLkpRow;

/* The rows in the robot's order: failures, the workload's own metrics by name, then the other
 * groups, those with fewest rows first. Owned list of RigLkpRow*. */
GPtrArray *rig_lkp_rows(const RigSides *sides, RigLkpRows which);
/* The rows that rig's statistics find, in the same order: failures, primary metrics, own metrics
 * that changed, counters that changed, appeared or vanished. */
GPtrArray *rig_lkp_rows_found(const RigJudgement *judgement);

/* The whole table with its block of keys. The keys are sides->keys and what the records agree on
 * (compiler, kconfig, rootfs, tbox_group, test, testcase). Names are made safe for a terminal.
 * g_free. */
char *rig_lkp_render(const RigSides *sides, RigLkpRows which);
/* The same table of the rows of rig_lkp_rows_found(), with "new" where the base has nothing.
 * Failures are there if rig_sides_add_outcomes() was called before the comparison was made. */
char *rig_lkp_render_found(const RigJudgement *judgement);
