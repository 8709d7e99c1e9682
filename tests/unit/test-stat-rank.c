/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-stat-rank.c - rank tests against tables, a printed example, and all ways of dealing ranks.
 */
#include "report/stat-rank.h"

#include <math.h>

#define expect_near(a, b, e) g_assert_cmpfloat_with_epsilon(a, b, e)

static double p_without_overlap(guint n)
{
	double base[6], head[6];

	for (guint i = 0; i < n; i++) {
		base[i] = i;
		head[i] = 10 + i;
	}
	return rig_rank_mann_whitney(base, n, head, n).p;
}

/* The smallest p there is: 2 / (2n over n). */
static void test_smallest_p(void)
{
	expect_near(p_without_overlap(3), 0.100, 1e-12);
	expect_near(p_without_overlap(4), 2.0 / 70, 1e-12);
	expect_near(p_without_overlap(5), 0.0079365, 5e-8);
	expect_near(p_without_overlap(6), 2.0 / 924, 1e-12);
}

/* P by going through every choice of NH of the N pooled values. */
static double brute_force(const double *pool, guint n, guint nh)
{
	double ranks[16], middle = nh * (n + 1) / 2.0, seen = 0;
	guint all = 0, extreme = 0;

	rig_stat_ranks(pool, n, ranks);
	for (guint i = 0; i < nh; i++)
		seen += ranks[i];
	for (guint set = 0; set < 1u << n; set++) {
		double sum = 0;

		if ((guint)__builtin_popcount(set) != nh)
			continue;
		for (guint i = 0; i < n; i++)
			if (set & 1u << i)
				sum += ranks[i];
		all++;
		extreme += fabs(sum - middle) >= fabs(seen - middle) - 1e-9;
	}
	return (double)extreme / all;
}

static void test_ties(void)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(4);

	for (guint round = 0; round < 200; round++) {
		guint nh = (guint)g_rand_int_range(rand, 1, 7);
		guint nb = (guint)g_rand_int_range(rand, 1, 7);
		double pool[16];
		RigRankTest test;

		for (guint i = 0; i < nh + nb; i++)
			pool[i] = g_rand_int_range(rand, 0, 5);
		test = rig_rank_mann_whitney(pool + nh, nb, pool, nh);
		g_assert_cmpint(test.how, ==, RIG_P_EXACT);
		expect_near(test.p, brute_force(pool, nh + nb, nh), 1e-12);
	}
}

static void test_all_the_same(void)
{
	static const double v[] = {7, 7, 7, 7};
	RigRankTest test = rig_rank_mann_whitney(v, 4, v, 4);

	g_assert_true(test.ties);
	g_assert_cmpfloat(test.p, ==, 1);
	g_assert_cmpfloat(test.statistic, ==, 8);
}

static void test_failed_runs(void)
{
	static const double base[] = {1, NAN, 2, 3, NAN}, head[] = {NAN, 4, 5, 6};
	RigRankTest test = rig_rank_mann_whitney(base, 5, head, 4);

	expect_near(test.p, 0.1, 1e-12);
	g_assert_false(test.ties);
	test = rig_rank_mann_whitney(base + 1, 1, head, 4);
	g_assert_true(isnan(test.p) && test.how == RIG_P_NONE);
	test = rig_rank_mann_whitney(NULL, 0, NULL, 0);
	g_assert_true(isnan(test.p));
}

/* Large samples: the normal approximation, close to the exact value just below the limit. */
static void test_large(void)
{
	double base[51], head[51];
	RigRankTest exact, normal;

	for (guint i = 0; i < 51; i++) {
		base[i] = (i * 37) % 51;
		head[i] = (i * 29) % 51 + 8.5;
	}
	exact = rig_rank_mann_whitney(base, 50, head, 50);
	normal = rig_rank_mann_whitney(base, 51, head, 51);
	g_assert_cmpint(exact.how, ==, RIG_P_EXACT);
	g_assert_cmpint(normal.how, ==, RIG_P_NORMAL);
	g_assert_cmpstr(rig_p_how_name(normal.how), ==, "normal");
	g_assert_cmpfloat(exact.p, <, 0.05);
	expect_near(exact.p, normal.p, 0.01);
}

/* Darwin's maize, crossed less self-fertilized in eighths of an inch: Fisher counted 863 of the
 * 32768 signs in each direction (The Design of Experiments, section 21). */
static void test_darwin(void)
{
	static const double d[] = {49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48};
	RigRankTest test = rig_rank_sign_flip(d, G_N_ELEMENTS(d));

	g_assert_cmpfloat(test.statistic, ==, 314);
	g_assert_cmpint(test.how, ==, RIG_P_EXACT);
	expect_near(test.p, 2 * 863 / 32768.0, 1e-15);
}

static void test_flips_of_little(void)
{
	static const double six[] = {1, 2, 0.5, 3, 0.1, 2}, zeros[] = {0, 0, NAN};

	expect_near(rig_rank_sign_flip(six, 6).p, 2 / 64.0, 1e-15);
	g_assert_cmpfloat(rig_rank_sign_flip(six, 1).p, ==, 1);
	g_assert_cmpfloat(rig_rank_sign_flip(zeros, 3).p, ==, 1);
	g_assert_true(rig_rank_sign_flip(zeros, 3).ties);
	g_assert_true(isnan(rig_rank_sign_flip(zeros + 2, 1).p));
}

/* Decimal fractions whose sums differ by rounding must count as equal. */
static void test_flips_with_rounding(void)
{
	static const double d[] = {0.1, 0.2, 0.3, 0.3, 0.2, 0.1};
	static const double whole[] = {1, 2, 3, 3, 2, 1};
	static const double mixed[] = {0.1, -0.2, 0.3, 0.3, -0.2, 0.1};
	static const double mixed_whole[] = {1, -2, 3, 3, -2, 1};

	g_assert_cmpfloat(rig_rank_sign_flip(d, 6).p, ==, rig_rank_sign_flip(whole, 6).p);
	g_assert_cmpfloat(rig_rank_sign_flip(mixed, 6).p, ==, rig_rank_sign_flip(mixed_whole, 6).p);
}

static void test_many_flips(void)
{
	double d[40];
	RigRankTest exact, normal;

	for (guint i = 0; i < 40; i++)
		d[i] = (int)((i * 7) % 20) - 7;
	exact = rig_rank_sign_flip(d, 20);
	normal = rig_rank_sign_flip(d, 40);
	g_assert_cmpint(exact.how, ==, RIG_P_EXACT);
	g_assert_cmpint(normal.how, ==, RIG_P_NORMAL);
	/* z = sum / root of the sum of squares: 100 / sqrt(1580). */
	expect_near(normal.p, erfc(100 / sqrt(1580) / G_SQRT2), 1e-12);
}

static void test_shift(void)
{
	static const double base[] = {1, 2, 3, 4}, head[] = {11, 13, 12, 17};
	RigShift shift = rig_rank_shift(base, 4, head, 4);

	/* 16 differences from 7 to 16. With 4 a side the whole range has 1 - 2 / 70. */
	g_assert_cmpfloat(shift.estimate, ==, 10);
	g_assert_cmpfloat(shift.i95.lo, ==, 7);
	g_assert_cmpfloat(shift.i95.hi, ==, 16);
	expect_near(shift.level, 1 - 2.0 / 70, 1e-12);
	shift = rig_rank_shift(base, 3, head, 3);
	g_assert_cmpfloat(shift.estimate, ==, 10);
	g_assert_true(isnan(shift.i95.lo) && isnan(shift.level));
	shift = rig_rank_shift(base, 0, head, 3);
	g_assert_true(isnan(shift.estimate));
}

static void test_shift_pairs(void)
{
	static const double d[] = {1, 2, 3, 4, 5, 60};
	RigShift shift = rig_rank_shift_pairs(d, 6);

	expect_near(shift.level, 1 - 2 / 64.0, 1e-12);
	g_assert_cmpfloat(shift.i95.lo, ==, 1);
	g_assert_cmpfloat(shift.i95.hi, ==, 60);
	/* One wild block moves the mean to 12.5, but not this. */
	g_assert_cmpfloat(shift.estimate, ==, 3.5);
	g_assert_true(isnan(rig_rank_shift_pairs(d, 5).i95.lo));
	g_assert_true(isnan(rig_rank_shift_pairs(d, 0).estimate));
}

static void test_shift_of_many(void)
{
	double base[60], head[60];
	RigShift shift;

	for (guint i = 0; i < 60; i++) {
		base[i] = (i * 7) % 60;
		head[i] = (i * 11) % 60 + 5;
	}
	shift = rig_rank_shift(base, 60, head, 60);
	g_assert_cmpint(shift.how, ==, RIG_P_NORMAL);
	g_assert_cmpfloat(shift.estimate, ==, 5);
	/* The normal interval is about the t interval, 5 +- 6.3. */
	g_assert_cmpfloat(shift.i95.lo, >=, -2.5);
	g_assert_cmpfloat(shift.i95.lo, <=, -1);
	g_assert_cmpfloat(shift.i95.hi - 5, ==, 5 - shift.i95.lo);
	for (guint i = 0; i < 60; i++)
		head[i] -= base[i];
	shift = rig_rank_shift_pairs(head, 60);
	g_assert_cmpint(shift.how, ==, RIG_P_NORMAL);
	g_assert_true(shift.i95.lo < shift.estimate && shift.estimate < shift.i95.hi);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stat-rank/smallest-p", test_smallest_p);
	g_test_add_func("/stat-rank/ties", test_ties);
	g_test_add_func("/stat-rank/all-the-same", test_all_the_same);
	g_test_add_func("/stat-rank/failed-runs", test_failed_runs);
	g_test_add_func("/stat-rank/large", test_large);
	g_test_add_func("/stat-rank/darwin", test_darwin);
	g_test_add_func("/stat-rank/flips-of-little", test_flips_of_little);
	g_test_add_func("/stat-rank/flips-with-rounding", test_flips_with_rounding);
	g_test_add_func("/stat-rank/many-flips", test_many_flips);
	g_test_add_func("/stat-rank/shift", test_shift);
	g_test_add_func("/stat-rank/shift-pairs", test_shift_pairs);
	g_test_add_func("/stat-rank/shift-of-many", test_shift_of_many);
	return g_test_run();
}
