/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-shift.c - Hodges and Lehmann's estimate and its interval.
 */
#include <gsl/gsl_sort.h>
#include <math.h>

#include "report/rank-counts.h"
#include "report/stat-dist.h"
#include "report/stat-rank.h"

#define ALPHA 0.05

/* So many differences are kept at once (32 MB); beyond, there is no estimate. */
#define DIFFERENCES_MAX 4000000

/* More pairs than this and the counts of signed ranks leave the range where they are exact. */
#define EXACT_SIGNED 50

/* The largest k with 2 P(S < k) <= alpha: the interval goes from the k-th smallest to the k-th
 * largest. 0 when there is none. LEVEL gets what the interval then has. */
static guint cut_exact(const double *ways, guint sums, double *level)
{
	double all = 0, below = 0;
	guint k = 0;

	for (guint s = 0; s < sums; s++)
		all += ways[s];
	*level = NAN;
	while (k < sums && 2 * (below + ways[k]) / all <= ALPHA) {
		below += ways[k++];
		*level = 1 - 2 * below / all;
	}
	return k;
}

static guint cut_normal(double mean, double variance)
{
	double k = floor(mean - rig_dist_t_critical(ALPHA, INFINITY) * sqrt(variance));

	return k < 1 ? 0 : (guint)k;
}

static void shift_from(RigShift *shift, double *all, gsize count, guint cut)
{
	gsl_sort(all, 1, count);
	shift->estimate = (all[(count - 1) / 2] + all[count / 2]) / 2;
	if (cut > 0 && cut <= count)
		shift->i95 = (RigInterval){all[cut - 1], all[count - cut]};
}

static guint cut_two_samples(RigShift *shift, guint nb, guint nh)
{
	double product = (double)nb * nh;
	g_autofree guint *ranks = NULL;
	g_autofree double *ways = NULL;
	guint sums, least = nh * (nh + 1) / 2;

	if (product > RIG_RANK_EXACT_PRODUCT) {
		shift->how = RIG_P_NORMAL;
		return cut_normal(product / 2, product * (nb + nh + 1) / 12);
	}
	ranks = g_new(guint, nb + nh);
	for (guint i = 0; i < nb + nh; i++)
		ranks[i] = i + 1;
	ways = rig_rank_counts_subsets(ranks, nb + nh, nh, &sums);
	shift->how = RIG_P_EXACT;
	return cut_exact(ways + least, nb * nh + 1, &shift->level);
}

static RigShift no_shift(void)
{
	return (RigShift){.estimate = NAN, .i95 = {NAN, NAN}, .level = NAN, .how = RIG_P_NONE};
}

RigShift rig_rank_shift(const double *base, guint n_base, const double *head, guint n_head)
{
	RigShift shift = no_shift();
	g_autofree double *b = g_new(double, MAX(n_base, 1));
	g_autofree double *h = g_new(double, MAX(n_head, 1));
	guint nb = rig_stat_pack(base, n_base, b), nh = rig_stat_pack(head, n_head, h);
	g_autofree double *all = NULL;

	if (nb == 0 || nh == 0 || (guint64)nb * nh > DIFFERENCES_MAX)
		return shift;
	all = g_new(double, (gsize)nb *nh);
	for (guint i = 0; i < nh; i++)
		for (guint j = 0; j < nb; j++)
			all[(gsize)i * nb + j] = h[i] - b[j];
	shift_from(&shift, all, (gsize)nb * nh, cut_two_samples(&shift, nb, nh));
	return shift;
}

static guint cut_pairs(RigShift *shift, guint n)
{
	g_autofree double *ways = NULL;
	guint sums;

	if (n > EXACT_SIGNED) {
		shift->how = RIG_P_NORMAL;
		return cut_normal(n * (n + 1.0) / 4, n * (n + 1.0) * (2.0 * n + 1) / 24);
	}
	ways = rig_rank_counts_signed(n, &sums);
	shift->how = RIG_P_EXACT;
	return cut_exact(ways, sums, &shift->level);
}

RigShift rig_rank_shift_pairs(const double *differences, guint n)
{
	RigShift shift = no_shift();
	g_autofree double *d = g_new(double, MAX(n, 1));
	guint pairs = rig_stat_pack(differences, n, d);
	gsize count = 0;
	g_autofree double *walsh = NULL;

	if (pairs == 0 || (guint64)pairs * (pairs + 1) / 2 > DIFFERENCES_MAX)
		return shift;
	walsh = g_new(double, (gsize)pairs *(pairs + 1) / 2);
	for (guint i = 0; i < pairs; i++)
		for (guint j = i; j < pairs; j++)
			walsh[count++] = (d[i] + d[j]) / 2;
	shift_from(&shift, walsh, count, cut_pairs(&shift, pairs));
	return shift;
}
