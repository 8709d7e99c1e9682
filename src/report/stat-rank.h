/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-rank.h - tests that assume no distribution, exact as long as that takes no time, and the
 * interval that belongs to them.
 */
#pragma once

#include "report/stat-t.h"

/* Up to these sizes p is exact; beyond, a normal approximation, and the result says so. */
#define RIG_RANK_EXACT_PRODUCT 2500 /* runs of one side times runs of the other */
#define RIG_RANK_EXACT_PAIRS 20

typedef enum { RIG_P_NONE, RIG_P_EXACT, RIG_P_NORMAL } RigPHow;
/* "none", "exact", "normal". */
const char *rig_p_how_name(RigPHow how);

typedef struct {
	double statistic; /* U of the head (R's W for wilcox.test(head, base)), or the sum of the
			     differences */
	double p;	  /* two-sided: P(as far from the middle as seen, or farther) */
	RigPHow how;
	gboolean ties; /* equal values met, or differences of zero */
} RigRankTest;

/* Mann and Whitney (1947, Annals of Mathematical Statistics 18). With ties the exact distribution
 * is the conditional one over all ways of dealing the pooled midranks to the sides (Lehmann,
 * Nonparametrics, 1975, section 1.4); the approximation has tie and continuity corrections. */
RigRankTest rig_rank_mann_whitney(const double *base, guint n_base, const double *head,
				  guint n_head);

/* Fisher's randomization test for pairs (The Design of Experiments, 1935, section 21): every sign
 * of every difference was equally likely. DIFFERENCES may hold NaN. */
RigRankTest rig_rank_sign_flip(const double *differences, guint n);

typedef struct {
	double estimate; /* on the scale of the values; NaN without values, and beyond four million
			    differences */
	RigInterval i95; /* NaN where n cannot reach 95 % (below 4 a side, below 6 pairs) */
	double level;	 /* that the interval truly has without ties, at least 0.95; NaN when
			    approximate */
	RigPHow how;
} RigShift;

/* Hodges and Lehmann (1963, Annals of Mathematical Statistics 34): the median of all differences
 * head - base, with the interval by inverting the rank test (Hollander & Wolfe, Nonparametric
 * Statistical Methods, 1999, sections 4.2 and 4.3). */
RigShift rig_rank_shift(const double *base, guint n_base, const double *head, guint n_head);
/* The same for pairs: the median of the Walsh averages, by inverting the signed rank test
 * (ibid., sections 3.2 and 3.3). */
RigShift rig_rank_shift_pairs(const double *differences, guint n);
