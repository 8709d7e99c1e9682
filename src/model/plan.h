/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan.h - which side runs in which order (statistics.md, "Design" 2).
 */
#pragma once

#include <glib.h>

typedef struct {
	guint block; /* from 0 */
	guint slot;  /* place within the block, from 0 */
	guint side;  /* index into the sides */
	guint order; /* place in the whole plan, from 0 */
	guint value; /* of a sweep: index into its values, 0 without one */
} RigPlanStep;

typedef struct {
	guint64 seed;
	guint n_sides, n_blocks; /* blocks of each value */
	guint n_values;		 /* of the sweep, 1 without one */
	RigPlanStep *steps;
	guint n_steps;
} RigPlan;

/* N_BLOCKS blocks of one run a side. Two sides: half of the blocks AB and half BA (one over if odd, drawn); more
 * sides: orders are balanced over all permutations as far as the number of blocks goes; blocks shuffled by the
 * Mersenne Twister of GSL with SEED. The same arguments give the same plan on every machine. */
RigPlan *rig_plan_make(guint n_sides, guint n_blocks, guint64 seed);
/* The same for each of N_VALUES values, with orders of its own (value V takes SEED + V). The values
 * take turns block by block, so that a drift or an interruption meets all of them alike. */
RigPlan *rig_plan_make_sweep(guint n_sides, guint n_blocks, guint n_values, guint64 seed);
/* More blocks behind those that there are, up to N_BLOCKS; what was planned stays as it is. */
void rig_plan_extend(RigPlan *plan, guint n_blocks);
void rig_plan_free(RigPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigPlan, rig_plan_free)
