/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-stat-basic.c - means, ranks, scales, and the t tests on a printed example.
 */
#include <math.h>

#include "report/stat-dist.h"
#include "report/stat-t.h"

#define expect_near(a, b, e) g_assert_cmpfloat_with_epsilon(a, b, e)

static void test_means(void)
{
	static const double v[] = {2, NAN, 4, 4, 4, 5, 5, 7, 9, NAN};
	static const double powers[] = {1, 10, NAN, 100};
	static const double zero[] = {1, 0};
	double packed[10];

	g_assert_cmpuint(rig_stat_count(v, 10), ==, 8);
	g_assert_cmpuint(rig_stat_pack(v, 10, packed), ==, 8);
	g_assert_cmpfloat(packed[1], ==, 4);
	g_assert_cmpfloat(rig_stat_mean(v, 10), ==, 5);
	g_assert_cmpfloat(rig_stat_population_sd(v, 10), ==, 2);
	expect_near(rig_stat_sd(v, 10), sqrt(32.0 / 7), 1e-15);
	g_assert_cmpfloat(rig_stat_median(v, 10), ==, 4.5);
	g_assert_cmpfloat(rig_stat_median(v, 4), ==, 4);
	expect_near(exp(rig_stat_log_mean(powers, 4)), 10, 1e-13);
	g_assert_true(isnan(rig_stat_log_mean(zero, 2)));
}

static void test_nothing(void)
{
	static const double none[] = {NAN, NAN};

	g_assert_true(isnan(rig_stat_mean(none, 2)));
	g_assert_true(isnan(rig_stat_mean(none, 0)));
	g_assert_true(isnan(rig_stat_median(none, 2)));
	g_assert_true(isnan(rig_stat_log_mean(none, 2)));
	g_assert_true(isnan(rig_stat_sd((const double[]){1, NAN}, 2)));
	g_assert_true(isnan(rig_stat_population_sd((const double[]){1}, 1)));
}

static void test_ranks(void)
{
	static const double v[] = {3, 1, 3, 2, 2, 3, 7};
	static const double expected[] = {5, 1, 5, 2.5, 2.5, 5, 7};
	double ranks[7];

	/* Groups of three and two: 27 - 3 + 8 - 2. */
	g_assert_cmpfloat(rig_stat_ranks(v, 7, ranks), ==, 30);
	for (guint i = 0; i < 7; i++)
		g_assert_cmpfloat(ranks[i], ==, expected[i]);
	g_assert_cmpfloat(rig_stat_ranks(v, 2, ranks), ==, 0);
	g_assert_cmpfloat(rig_stat_ranks(v, 0, ranks), ==, 0);
}

static void test_scales(void)
{
	static const double v[] = {0, 1, NAN, -1};
	double out[4];

	g_assert_cmpuint(rig_scale_apply(RIG_SCALE_LOG, v, 4, out), ==, 2);
	g_assert_true(isnan(out[0]) && out[1] == 0 && isnan(out[2]) && isnan(out[3]));
	g_assert_cmpuint(rig_scale_apply(RIG_SCALE_LOG_COUNT, v, 4, out), ==, 1);
	expect_near(out[0], log(0.5), 1e-15);
	g_assert_cmpuint(rig_scale_apply(RIG_SCALE_POINTS, v, 4, out), ==, 0);
	g_assert_true(out[0] == 0 && out[3] == -1);
	expect_near(rig_scale_change(RIG_SCALE_LOG, log(0.9)), -10, 1e-12);
	expect_near(rig_scale_difference(RIG_SCALE_LOG_COUNT, 25), log(1.25), 1e-15);
	g_assert_cmpfloat(rig_scale_change(RIG_SCALE_POINTS, -3), ==, -3);
	g_assert_true(isnan(rig_scale_change(RIG_SCALE_LOG, NAN)));
}

/* Hours of sleep gained by ten patients with two drugs: Student's example of 1908, with the figures
 * that R's manual prints for it. */
static const double drug1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double drug2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void test_welch(void)
{
	RigTTest t = rig_t_welch(drug1, 10, drug2, 10);

	g_assert_cmpuint(t.n_base, ==, 10);
	expect_near(t.difference, 1.58, 1e-12);
	expect_near(t.t, 1.8608, 5e-5);
	expect_near(t.df, 17.776, 5e-4);
	expect_near(t.p, 0.07939, 5e-6);
	expect_near(t.i95.lo, -0.2054832, 5e-8);
	expect_near(t.i95.hi, 3.3654832, 5e-8);
	g_assert_cmpfloat(t.i90.lo, >, 0);
	g_assert_false(t.no_spread);
}

static void test_paired(void)
{
	RigTTest t = rig_t_paired(drug1, drug2, 10);

	expect_near(t.t, 4.0621, 5e-5);
	g_assert_cmpfloat(t.df, ==, 9);
	expect_near(t.p, 0.002833, 5e-7);
	expect_near(t.i95.lo, 0.7001142, 5e-8);
	expect_near(t.i95.hi, 2.4598858, 5e-8);
}

static void test_pairs_with_holes(void)
{
	static const double base[] = {5, NAN, 6, 7, NAN}, head[] = {NAN, 8, 9, 9, 10};
	RigTTest t = rig_t_paired(base, head, 5);

	g_assert_cmpuint(t.n_base, ==, 2);
	g_assert_cmpfloat(t.difference, ==, 2.5);
	g_assert_cmpfloat(t.df, ==, 1);
	/* On one degree t is Cauchy: t = 5, p = 1 - 2 atan(5) / pi. */
	expect_near(t.p, 1 - 2 * atan(5) / G_PI, 1e-14);
}

static void test_no_spread(void)
{
	static const double a[] = {0.1, 0.1, 0.1}, b[] = {0.3, 0.3, 0.3};
	RigTTest t = rig_t_welch(a, 3, b, 3);

	g_assert_true(t.no_spread);
	expect_near(t.difference, 0.2, 1e-15);
	g_assert_true(isnan(t.p) && isnan(t.t));
	g_assert_cmpfloat(t.i95.lo, ==, t.i95.hi);
	t = rig_t_welch(a, 3, a, 3);
	g_assert_true(t.no_spread && t.difference == 0 && t.i90.hi == 0);
	/* (0.1 + 0.2) - 0.2 and the like: a spread of rounding alone. */
	t = rig_t_paired((const double[]){0.1, 0.2, 0.3}, (const double[]){0.3, 0.4, 0.5}, 3);
	g_assert_true(t.no_spread);
}

static void test_too_few(void)
{
	static const double one[] = {1, NAN}, two[] = {2, 3};
	RigTTest t = rig_t_welch(one, 2, two, 2);

	g_assert_cmpuint(t.n_base, ==, 1);
	g_assert_cmpfloat(t.difference, ==, 1.5);
	g_assert_true(isnan(t.se) && isnan(t.p) && isnan(t.i95.lo));
	g_assert_false(t.no_spread);
	t = rig_t_paired(one, two, 2);
	g_assert_true(isnan(t.p) && t.n_base == 1);
	t = rig_t_welch(NULL, 0, two, 2);
	g_assert_true(isnan(t.difference) && isnan(t.p));
}

/* Fisher & Yates' table of t. */
static void test_t_table(void)
{
	expect_near(rig_dist_t_critical(0.05, 1), 12.706, 5e-4);
	expect_near(rig_dist_t_critical(0.05, 10), 2.228, 5e-4);
	expect_near(rig_dist_t_critical(0.01, 120), 2.617, 5e-4);
	expect_near(rig_dist_t_critical(0.05, INFINITY), 1.960, 5e-4);
	expect_near(rig_dist_t_two_sided(2.228, 10), 0.05, 5e-5);
	g_assert_cmpfloat(rig_dist_t_two_sided(INFINITY, 3), ==, 0);
	g_assert_cmpfloat(rig_dist_t_two_sided(0, 3), ==, 1);
	g_assert_true(isnan(rig_dist_t_two_sided(1, 0)));
	g_assert_true(isnan(rig_dist_t_two_sided(NAN, 3)));
	g_assert_true(isnan(rig_dist_t_critical(0, 3)));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stat-basic/means", test_means);
	g_test_add_func("/stat-basic/nothing", test_nothing);
	g_test_add_func("/stat-basic/ranks", test_ranks);
	g_test_add_func("/stat-basic/scales", test_scales);
	g_test_add_func("/stat-t/welch", test_welch);
	g_test_add_func("/stat-t/paired", test_paired);
	g_test_add_func("/stat-t/pairs-with-holes", test_pairs_with_holes);
	g_test_add_func("/stat-t/no-spread", test_no_spread);
	g_test_add_func("/stat-t/too-few", test_too_few);
	g_test_add_func("/stat-t/table", test_t_table);
	return g_test_run();
}
