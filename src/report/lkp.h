/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp.h - the kernel test robot's table, to the character.
 */
#pragma once

#include "report/sides.h"

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
} RigLkpRow;

/* The rows in the robot's order: failures, the workload's own metrics by name, then the other
 * groups, those with fewest rows first. Owned list of RigLkpRow*. */
GPtrArray *rig_lkp_rows(const RigSides *sides, RigLkpRows which);

/* The whole table with its block of keys. The keys are sides->keys and what the records agree on
 * (compiler, kconfig, rootfs, tbox_group, test, testcase). Names are made safe for a terminal.
 * g_free. */
char *rig_lkp_render(const RigSides *sides, RigLkpRows which);
