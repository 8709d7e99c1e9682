/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-stat-multiple.c - adjusted p values, Fisher's test, power, shared variances: printed
 * figures.
 */
#include "report/stat-multiple.h"

#include <math.h>

#include "report/stat-fisher.h"
#include "report/stat-moderated.h"
#include "report/stat-power.h"

#define expect_near(a, b, e) g_assert_cmpfloat_with_epsilon(a, b, e)

/* The fifteen p values of Benjamini & Hochberg's paper of 1995: at 5 % three are found when the
 * chance of any error is kept, and four when the share of errors is. */
static const double paper[] = {0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344,
			       0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000};

static guint count_below(const double *p, guint n)
{
	guint count = 0;

	for (guint i = 0; i < n; i++)
		count += p[i] <= 0.05;
	return count;
}

static void test_paper(void)
{
	double adjusted[15];

	g_assert_cmpuint(rig_multiple_holm(paper, 15, adjusted), ==, 15);
	g_assert_cmpuint(count_below(adjusted, 15), ==, 3);
	expect_near(adjusted[2], 13 * 0.0019, 1e-15);
	g_assert_cmpuint(rig_multiple_bh(paper, 15, adjusted), ==, 15);
	g_assert_cmpuint(count_below(adjusted, 15), ==, 4);
	expect_near(adjusted[3], 0.0095 * 15 / 4, 1e-15);
	g_assert_cmpfloat(adjusted[14], ==, 1);
}

static void test_holes_and_order(void)
{
	double p[] = {0.04, NAN, 0.01, 0.03};

	g_assert_cmpuint(rig_multiple_holm(p, 4, p), ==, 3);
	expect_near(p[2], 0.03, 1e-15);
	expect_near(p[3], 0.06, 1e-15);
	expect_near(p[0], 0.06, 1e-15); /* never below that of a smaller p */
	g_assert_true(isnan(p[1]));
	g_assert_cmpuint(rig_multiple_bh(p + 1, 1, p + 1), ==, 0);
	g_assert_true(isnan(p[1]));
	g_assert_cmpuint(rig_multiple_holm(NULL, 0, NULL), ==, 0);
}

/* The lady who tasted tea: four cups of each kind. */
static void test_tea(void)
{
	expect_near(rig_fisher_p(0, 4, 4, 4), 2 / 70.0, 1e-12);
	expect_near(rig_fisher_p(1, 4, 3, 4), 34 / 70.0, 1e-12);
	expect_near(rig_fisher_p(0, 5, 0, 5), 1, 1e-12);
	expect_near(rig_fisher_p(5, 5, 5, 5), 1, 1e-12);
	expect_near(rig_fisher_p(0, 3, 3, 3), 0.1, 1e-12);
	g_assert_true(isnan(rig_fisher_p(0, 0, 1, 3)));
	g_assert_true(isnan(rig_fisher_p(4, 3, 1, 3)));
}

/* The design's table; for n = 10 it has 1.33, while 1.3249 is what R finds as well. */
static void test_power_table(void)
{
	static const struct {
		guint n;
		double effect;
	} table[] = {{3, 3.07},	  {4, 2.38},  {5, 2.02},  {6, 1.80}, {8, 1.51},
		     {10, 1.325}, {12, 1.20}, {15, 1.06}, {20, 0.91}};

	for (guint i = 0; i < G_N_ELEMENTS(table); i++)
		expect_near(rig_power_detectable(table[i].n, table[i].n, 0.05, 0.8),
			    table[i].effect, 0.005);
	expect_near(rig_power_sides(5, 5, 2, 0.05), 0.7905, 5e-5);
}

/* Cohen (1988), table 2.4.1: 64 a side see half a standard deviation with 80 %, 26 see 0.8. */
static void test_runs_needed(void)
{
	g_assert_cmpuint(rig_power_needed(0.5, 0.05, 0.8), ==, 64);
	g_assert_cmpuint(rig_power_needed(0.8, 0.05, 0.8), ==, 26);
	g_assert_cmpuint(rig_power_needed_pairs(0.5, 0.05, 0.8), ==, 34);
	g_assert_cmpuint(rig_power_needed(1000, 0.05, 0.8), ==, 2);
	g_assert_cmpuint(rig_power_needed(1e-6, 0.05, 0.8), ==, 0);
	g_assert_cmpuint(rig_power_needed(0, 0.05, 0.8), ==, 0);
	g_assert_cmpuint(rig_power_needed(NAN, 0.05, 0.8), ==, 0);
	g_assert_cmpuint(rig_power_needed(1, 0.05, 1), ==, 0);
}

static void test_power_edges(void)
{
	/* No effect: the test's own error. The sign of an effect does not matter. */
	expect_near(rig_power_sides(5, 5, 0, 0.05), 0.05, 1e-9);
	g_assert_cmpfloat(rig_power_sides(5, 7, -2, 0.05), ==, rig_power_sides(5, 7, 2, 0.05));
	g_assert_true(isnan(rig_power_sides(1, 5, 2, 0.05)));
	g_assert_true(isnan(rig_power_pairs(1, 2, 0.05)));
	g_assert_true(isnan(rig_power_detectable(1, 1, 0.05, 0.8)));
	g_assert_true(isnan(rig_power_detectable_pairs(1, 0.05, 0.8)));
	g_assert_true(isnan(rig_power_ncp(8, 0.05, 0.01)));
	g_assert_true(isnan(rig_power_noncentral_t(NAN, 3, 1)));
	/* The normal, far out: P(Z > 2 - 1). */
	expect_near(rig_power_noncentral_t(2, 1e9, 1), 0.158655, 5e-7);
}

static void test_trigamma(void)
{
	expect_near(rig_moderated_trigamma_inverse(G_PI * G_PI / 6), 1, 1e-12);
	expect_near(rig_moderated_trigamma_inverse(G_PI * G_PI / 2), 0.5, 1e-12);
	expect_near(rig_moderated_trigamma_inverse(G_PI * G_PI / 6 - 1), 2, 1e-12);
	g_assert_true(isnan(rig_moderated_trigamma_inverse(0)));
	g_assert_true(isnan(rig_moderated_trigamma_inverse(-1)));
	g_assert_true(isnan(rig_moderated_trigamma_inverse(NAN)));
}

/* Too few counters to learn a prior from: the ordinary t. */
static void test_no_prior(void)
{
	static const double variances[] = {1, 2, 3, NAN, 5}, dfs[] = {4, 4, 4, 4, 0};
	RigPrior prior = rig_moderated_fit(variances, dfs, 5);
	RigModerated t = rig_moderated_t(&prior, 3, 0.5, 2, 10);

	g_assert_cmpfloat(prior.df, ==, 0);
	g_assert_cmpfloat(t.t, ==, 3);
	g_assert_cmpfloat(t.df, ==, 10);
	t = rig_moderated_t(&prior, 3, 0.5, 0, 10);
	g_assert_true(isnan(t.p));
	prior = rig_moderated_fit(NULL, NULL, 0);
	g_assert_cmpfloat(prior.df, ==, 0);
}

/* Variances of zero, even most of them, neither break the fit nor give a p of zero. */
static void test_zero_variances(void)
{
	double variances[40] = {0}, dfs[40];
	RigPrior prior;

	for (guint i = 0; i < 40; i++) {
		dfs[i] = 8;
		if (i < 15)
			variances[i] = 0.01 * (1 + i % 5);
	}
	prior = rig_moderated_fit(variances, dfs, 40);
	g_assert_cmpfloat(prior.df, >, 0);
	g_assert_cmpfloat(prior.variance, >, 0);
	g_assert_cmpfloat(rig_moderated_t(&prior, 0.1, 0.4, 0, 8).p, >, 0);
	for (guint i = 0; i < 40; i++)
		variances[i] = 0;
	g_assert_cmpfloat(rig_moderated_fit(variances, dfs, 40).df, ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stat-multiple/paper", test_paper);
	g_test_add_func("/stat-multiple/holes-and-order", test_holes_and_order);
	g_test_add_func("/stat-fisher/tea", test_tea);
	g_test_add_func("/stat-power/table", test_power_table);
	g_test_add_func("/stat-power/runs-needed", test_runs_needed);
	g_test_add_func("/stat-power/edges", test_power_edges);
	g_test_add_func("/stat-moderated/trigamma", test_trigamma);
	g_test_add_func("/stat-moderated/no-prior", test_no_prior);
	g_test_add_func("/stat-moderated/zero-variances", test_zero_variances);
	return g_test_run();
}
