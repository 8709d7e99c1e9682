/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-rank.c - rank and permutation tests.
 */
#include "report/stat-rank.h"

#include <math.h>
#include <stdlib.h>

#include "report/rank-counts.h"
#include "report/stat-dist.h"

const char *rig_p_how_name(RigPHow how)
{
	static const char *const names[] = {"none", "exact", "normal"};

	return names[how];
}

/* P(|S - middle| >= |seen - middle|) where S is the sum of M of the N doubled midranks. */
static double exact_rank_sum(const guint *doubled, guint n, guint m, guint seen)
{
	guint sums;
	g_autofree double *ways = rig_rank_counts_subsets(doubled, n, m, &sums);
	gint64 twice_middle = (gint64)m * (n + 1), distance;
	double all = 0, extreme = 0;

	/* The mean of the doubled midranks is n + 1, so the middle is m (n + 1), a whole number. */
	distance = ABS((gint64)seen - twice_middle);
	for (guint s = 0; s < sums; s++) {
		all += ways[s];
		if (ABS((gint64)s - twice_middle) >= distance)
			extreme += ways[s];
	}
	return MIN(1, extreme / all);
}

static double normal_rank_sum(double u, double nb, double nh, double ties)
{
	double n = nb + nh;
	double variance = nb * nh / 12 * (n + 1 - ties / (n * (n - 1)));
	double distance = MAX(fabs(u - nb * nh / 2) - 0.5, 0);

	return variance > 0 ? rig_dist_normal_two_sided(distance / sqrt(variance)) : 1;
}

RigRankTest rig_rank_mann_whitney(const double *base, guint n_base, const double *head,
				  guint n_head)
{
	RigRankTest test = {.statistic = NAN, .p = NAN, .how = RIG_P_NONE};
	guint n = n_base + n_head;
	g_autofree double *pool = g_new(double, MAX(n, 1));
	g_autofree double *ranks = g_new(double, MAX(n, 1));
	g_autofree guint *doubled = g_new(guint, MAX(n, 1));
	guint nh = rig_stat_pack(head, n_head, pool);
	guint nb = rig_stat_pack(base, n_base, pool + nh);
	double sum = 0, ties;

	if (nh == 0 || nb == 0)
		return test;
	n = nh + nb;
	ties = rig_stat_ranks(pool, n, ranks);
	test.ties = ties > 0;
	for (guint i = 0; i < nh; i++)
		sum += ranks[i];
	test.statistic = sum - nh * (nh + 1.0) / 2;
	if ((guint64)nh * nb > RIG_RANK_EXACT_PRODUCT) {
		test.how = RIG_P_NORMAL;
		test.p = normal_rank_sum(test.statistic, nb, nh, ties);
		return test;
	}
	for (guint i = 0; i < n; i++)
		doubled[i] = (guint)(2 * ranks[i] + 0.5);
	test.how = RIG_P_EXACT;
	test.p = exact_rank_sum(doubled, n, nh, (guint)(2 * sum + 0.5));
	return test;
}

/* Largest first, so that most of the 2^n signs need not be tried one by one. */
static int by_size(const void *a, const void *b)
{
	double x = fabs(*(const double *)a), y = fabs(*(const double *)b);

	return x < y ? 1 : -(x > y);
}

/* How many of the 2^n sums SUM +- d[0] +- ... reach BOUND in size. REST[0] is |d[0]| + ... A
 * recursion, so that each sum is rounded n times at most. */
static double count_flips(const double *d, const double *rest, guint n, double sum, double bound)
{
	if (n == 0)
		return fabs(sum) >= bound;
	if (fabs(sum) - rest[0] >= bound)
		return ldexp(1, (int)n);
	if (fabs(sum) + rest[0] < bound)
		return 0;
	return count_flips(d + 1, rest + 1, n - 1, sum + d[0], bound) +
	       count_flips(d + 1, rest + 1, n - 1, sum - d[0], bound);
}

static double exact_flips(double *d, guint n, double sum)
{
	double rest[RIG_RANK_EXACT_PAIRS + 1] = {0}, bound;

	qsort(d, n, sizeof(*d), by_size);
	for (guint i = n; i-- > 0;)
		rest[i] = rest[i + 1] + fabs(d[i]);
	/* Sums that are equal but for rounding are equal. The first sign is fixed: the mirror image
	 * counts the same. */
	bound = fabs(sum) - 1e-12 * rest[0];
	return count_flips(d + 1, rest + 1, n - 1, d[0], bound) / ldexp(1, (int)n - 1);
}

RigRankTest rig_rank_sign_flip(const double *differences, guint n)
{
	RigRankTest test = {.statistic = NAN, .p = NAN, .how = RIG_P_NONE};
	g_autofree double *d = g_new(double, MAX(n, 1));
	guint pairs = rig_stat_pack(differences, n, d);
	double sum = 0, squares = 0;

	if (pairs == 0)
		return test;
	for (guint i = 0; i < pairs; i++) {
		sum += d[i];
		squares += d[i] * d[i];
		test.ties |= d[i] == 0;
	}
	test.statistic = sum;
	if (pairs > RIG_RANK_EXACT_PAIRS) {
		test.how = RIG_P_NORMAL;
		test.p = squares > 0 ? rig_dist_normal_two_sided(sum / sqrt(squares)) : 1;
		return test;
	}
	test.how = RIG_P_EXACT;
	test.p = exact_flips(d, pairs, sum);
	return test;
}
