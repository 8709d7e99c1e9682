/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rank-counts.c - in how many ways ranks can be dealt, by adding one rank after the other.
 */
#include "report/rank-counts.h"

/* ways[k][s] of k ranks out of those seen so far; going down in k and s uses each rank once. */
double *rig_rank_counts_subsets(const guint *ranks, guint n, guint m, guint *sums)
{
	g_autofree double *ways = NULL;
	double *last;
	gsize width;
	guint total = 0;

	for (guint i = 0; i < n; i++)
		total += ranks[i];
	width = (gsize)total + 1;
	ways = g_new0(double, width *(m + 1));
	ways[0] = 1;
	for (guint i = 0; i < n; i++)
		for (guint k = MIN(i + 1, m); k >= 1; k--) {
			double *to = ways + k * width, *from = ways + (k - 1) * width;

			for (gsize s = ranks[i]; s < width; s++)
				to[s] += from[s - ranks[i]];
		}
	last = g_memdup2(ways + m * width, width * sizeof(*ways));
	*sums = total + 1;
	return last;
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
