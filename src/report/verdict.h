/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict.h - what the numbers of one metric permit to say.
 *
 * Not seeing a change is not the same as seeing that there is none: so there are three verdicts.
 * Equivalence by two one-sided tests (Schuirmann, 1987, Journal of Pharmacokinetics and
 * Biopharmaceutics 15): the 90 % interval lies within the margin. Looks before the end of a plan by
 * Haybittle (1971, British Journal of Radiology 44) and Peto (1976, British Journal of Cancer 34).
 */
#pragma once

#include "report/stat-rank.h"

#define RIG_VERDICT_ALPHA 0.05
#define RIG_VERDICT_ALPHA_EARLY 0.001
#define RIG_VERDICT_MARGIN 1.0 /* percent, or points */

typedef enum {
	RIG_VERDICT_NONE,	  /* there is nothing to judge: a side has too few values */
	RIG_VERDICT_CHANGED,	  /* no change is excluded */
	RIG_VERDICT_EQUIVALENT,	  /* a change beyond the margin is excluded */
	RIG_VERDICT_INCONCLUSIVE, /* neither; n_needed says how many runs would do */
	RIG_VERDICT_NOT_JUDGED,	  /* timings of an emulated or mixed machine */
} RigVerdictKind;
/* "none", "changed", "equivalent", "inconclusive", "not judged". */
const char *rig_verdict_name(RigVerdictKind kind);

typedef struct {
	RigScale scale;
	const RigTTest *test;	 /* on SCALE */
	double p_adjusted;	 /* by Holm; NaN: take test->p */
	guint family;		 /* metrics that were adjusted for; 0 or 1: only this */
	const RigRankTest *rank; /* decides where there is no spread for a t */
	double margin;		 /* percent or points, above 0 */
	double detectable;	 /* percent or points; NaN where unknown */
	guint n_needed;	       /* runs a side or blocks to see a change of the margin; 0 unknown */
	gboolean paired;       /* only for the wording */
	gboolean timing;       /* the metric is made of time */
	char class;	       /* placement class of both sides; '?' mixed, 0 unknown */
	gboolean early;	       /* the plan is not at its end */
	const char *up, *down; /* words for a change in either direction ("better" and "worse",
				  "less"): up first */
} RigVerdictInput;

typedef struct {
	RigVerdictKind kind;
	gboolean small; /* changed, but the 90 % interval lies within the margin: it does not matter
			 */
	const char *word; /* of the change: input's word for up or down; NULL unless changed */
	char *reason;	  /* one sentence without a full stop, no line break */
} RigVerdict;

RigVerdict rig_verdict_decide(const RigVerdictInput *input);
void rig_verdict_clear(RigVerdict *verdict);
