/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * judgement.h - a comparison with what the statistics say of it: what every report is made of.
 */
#pragma once

#include "report/compare.h"
#include "report/expected.h"
#include "report/noise.h"
#include "report/statcompare.h"

typedef struct {
	const RigCompare *compare; /* borrowed; outlives this */
	GPtrArray *stats;	   /* RigStatCompare*, one a head: use rig_judgement_stats() */
	GPtrArray *doubts; /* char*, for people: a control that moved, an effect below the spread of
			      one kernel against itself */
	GPtrArray *expected; /* RigExpected*, one a head as STATS: NULL where no recipe says */
} RigJudgement;

/* NOISE (may be NULL) is the calibration for what was compared. */
RigJudgement *rig_judgement_new(const RigCompare *compare, const RigNoise *noise);
void rig_judgement_free(RigJudgement *judgement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigJudgement, rig_judgement_free)

/* HEAD is a kernel of RECIPE, and the base is the recipe's. */
void rig_judgement_expect(RigJudgement *judgement, guint head, const RigKernelRecipe *recipe);

/* HEAD from 1. */
const RigExpected *rig_judgement_expected(const RigJudgement *judgement, guint head);
const RigStatCompare *rig_judgement_stats(const RigJudgement *judgement, guint head);
