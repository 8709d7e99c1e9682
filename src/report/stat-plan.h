/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-plan.h - which test the plan of the runs asks for, and which runs make a pair.
 *
 * The plan is read from the manifests (plan.id or plan.seed, plan.blocks, plan.block; plan.method
 * and plan.looks where they are given), never from the values: the choice was made before the data.
 */
#pragma once

#include "report/sides.h"

/* From so many blocks on pairing wins more than the halved degrees of freedom cost. */
#define RIG_STAT_PAIRED_BLOCKS 6

typedef enum { RIG_STAT_WELCH, RIG_STAT_PAIRED } RigStatMethod;
/* "welch", "paired". */
const char *rig_stat_method_name(RigStatMethod method);

typedef struct {
	RigStatMethod method;
	char *why;		       /* for people: why this one */
	GArray *base_runs, *head_runs; /* guint: places of the runs that count, in the side's order;
					  for pairs, entry i of both is of one block */
	guint n_dropped;  /* good runs that are left out since their block lacks the other side */
	gboolean early;	  /* blocks of the plan are still to come */
	char *pooled;	  /* for people: the runs are of several plans; NULL if they are not */
	GPtrArray *notes; /* char*, for people; without that */
} RigStatPlan;

RigStatPlan *rig_stat_plan_read(const RigSide *base, const RigSide *head);
void rig_stat_plan_free(RigStatPlan *plan);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigStatPlan, rig_stat_plan_free)
