/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rank-counts.c - in how many ways ranks can be dealt, by adding one rank after the other.
 */
#include "report/rank-counts.h"

/* ways[k][s] of k ranks out of those seen so far; going down in k and s uses each rank once. */
double *rig_rank_counts_subsets(const guint *ranks, guint n, guint m, guint *sums)
{
	g_autofree double *ways = NULL;
	gsize total = 0, seen = 0, width;

	for (guint i = 0; i < n; i++)
		total += ranks[i];
	width = total + 1;
	ways = g_new0(double, width *(m + 1));
	ways[0] = 1;
	for (guint i = 0; i < n; i++) {
		seen += ranks[i];
		for (guint k = MIN(i + 1, m); k >= 1; k--) {
			double *to = ways + k * width + ranks[i], *from = ways + (k - 1) * width;

			for (gsize s = 0; s <= seen - ranks[i]; s++)
				to[s] += from[s];
		}
	}
	*sums = (guint)width;
	return g_memdup2(ways + m * width, width * sizeof(*ways));
}

double *rig_rank_counts_signed(guint n, guint *sums)
{
	guint total = n * (n + 1) / 2;
	double *ways = g_new0(double, (gsize)total + 1);

	ways[0] = 1;
	for (guint rank = 1; rank <= n; rank++)
		for (guint s = total; s >= rank; s--)
			ways[s] += ways[s - rank];
	*sums = total + 1;
	return ways;
}
