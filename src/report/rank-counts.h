/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rank-counts.h - in how many ways ranks can be dealt (private to the rank statistics).
 */
#pragma once

#include <glib.h>

/* ways[s]: in how many ways M of the N ranks (whole numbers: midranks are doubled first) sum to s,
 * for s below *SUMS. Sums of positive terms only, so exact to the precision of a double. g_free. */
double *rig_rank_counts_subsets(const guint *ranks, guint n, guint m, guint *sums);
/* ways[s]: in how many ways any of the ranks 1..N sum to s, for s up to N (N + 1) / 2. g_free. */
double *rig_rank_counts_signed(guint n, guint *sums);
