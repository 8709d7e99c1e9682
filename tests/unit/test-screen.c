/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-screen.c - which counters are tested, which are found, which appear or vanish.
 */
#include "report/screen.h"

#include <math.h>

#define RUNS 5

/* Counters of five runs a side; the last ones make the crowd that variances are learnt from. */
typedef struct {
	double values[64][2 * RUNS];
	RigScreenInput inputs[64];
	guint n;
} Set;

static guint add(Set *set, RigScale scale, const double *base, const double *head)
{
	double *v = set->values[set->n];

	for (guint i = 0; i < RUNS; i++) {
		v[i] = base[i];
		v[RUNS + i] = head[i];
	}
	set->inputs[set->n] = (RigScreenInput){v, v + RUNS, scale};
	return set->n++;
}

static void add_crowd(Set *set, guint n)
{
	g_autoptr(GRand) rand = g_rand_new_with_seed(11);

	for (guint i = 0; i < n; i++) {
		double base[RUNS], head[RUNS];

		for (guint k = 0; k < RUNS; k++) {
			base[k] = g_rand_int_range(rand, 900, 1100);
			head[k] = g_rand_int_range(rand, 900, 1100);
		}
		add(set, RIG_SCALE_LOG_COUNT, base, head);
	}
}

static const double hundreds[] = {1000, 1010, 990, 1020, 980};
static const double more[] = {1500, 1520, 1480, 1510, 1490};
static const double zeros[] = {0, 0, 0, 0, 0};
static const double sevens[] = {7, 7, 7, 7, 7};
static const double rare[] = {0, 0, 3000, 0, 2000};
static const double few[] = {1, 2, 3, 1, 2};
static const double negative[] = {-5, -4, -6, -5, 3};
static const double single[] = {NAN, NAN, 900, NAN, NAN};

static void test_filter(void)
{
	Set set = {0};
	g_autoptr(RigScreen) screen = NULL;
	guint constant = add(&set, RIG_SCALE_LOG_COUNT, sevens, sevens);
	guint empty = add(&set, RIG_SCALE_LOG_COUNT, zeros, zeros);
	guint seldom = add(&set, RIG_SCALE_LOG_COUNT, rare, rare);
	guint low = add(&set, RIG_SCALE_LOG_COUNT, few, few);
	guint below = add(&set, RIG_SCALE_LOG_COUNT, negative, hundreds);
	guint one = add(&set, RIG_SCALE_LOG_COUNT, single, hundreds);
	guint good = add(&set, RIG_SCALE_LOG_COUNT, hundreds, more);
	guint share = add(&set, RIG_SCALE_POINTS, few, negative);

	add_crowd(&set, 20);
	screen = rig_screen_new(set.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	g_assert_cmpint(screen->rows[constant].status, ==, RIG_SCREEN_CONSTANT);
	g_assert_cmpint(screen->rows[empty].status, ==, RIG_SCREEN_CONSTANT);
	g_assert_cmpint(screen->rows[seldom].status, ==, RIG_SCREEN_ZERO);
	g_assert_cmpint(screen->rows[low].status, ==, RIG_SCREEN_FEW);
	g_assert_cmpint(screen->rows[below].status, ==, RIG_SCREEN_SHORT);
	g_assert_cmpint(screen->rows[one].status, ==, RIG_SCREEN_SHORT);
	g_assert_cmpint(screen->rows[good].status, ==, RIG_SCREEN_TESTED);
	g_assert_cmpint(screen->rows[share].status, ==, RIG_SCREEN_TESTED);
	g_assert_cmpuint(screen->n_tested, ==, 22);
	g_assert_cmpuint(screen->n_constant, ==, 2);
	g_assert_cmpuint(screen->n_zero + screen->n_few, ==, 2);
	g_assert_cmpuint(screen->n_short, ==, 2);
	g_assert_true(isnan(screen->rows[low].p) && isnan(screen->rows[low].q));
	g_assert_true(screen->rows[good].found && !screen->rows[seldom].found);
	g_assert_cmpfloat_with_epsilon(screen->rows[good].difference, log(1.5), 1e-3);
	g_assert_cmpstr(rig_screen_status_name(RIG_SCREEN_FEW), ==, "too few events");
}

/* The filter must not know the sides: with all runs dealt anew it keeps the same counters. */
static void test_filter_is_blind(void)
{
	Set set = {0}, swapped = {0};
	g_autoptr(RigScreen) a = NULL, b = NULL;

	add(&set, RIG_SCALE_LOG_COUNT, zeros, hundreds);
	add(&set, RIG_SCALE_LOG_COUNT, rare, few);
	add(&set, RIG_SCALE_LOG_COUNT, few, zeros);
	add_crowd(&set, 15);
	for (guint i = 0; i < set.n; i++) {
		double base[RUNS], head[RUNS];

		for (guint k = 0; k < RUNS; k++) {
			base[k] = set.values[i][2 * k];
			head[k] = set.values[i][2 * k + 1];
		}
		add(&swapped, RIG_SCALE_LOG_COUNT, base, head);
	}
	a = rig_screen_new(set.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	b = rig_screen_new(swapped.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	for (guint i = 0; i < set.n; i++)
		g_assert_cmpint(a->rows[i].status, ==, b->rows[i].status);
}

static void test_appear_and_vanish(void)
{
	static const double nearly[] = {0, 5, 5, 5, 5};
	Set set = {0};
	g_autoptr(RigScreen) screen = NULL;

	add(&set, RIG_SCALE_LOG_COUNT, zeros, few);
	add(&set, RIG_SCALE_LOG_COUNT, few, zeros);
	add(&set, RIG_SCALE_LOG_COUNT, zeros, nearly);
	add(&set, RIG_SCALE_LOG_COUNT, hundreds, hundreds);
	set.inputs[3].base = NULL;
	screen = rig_screen_new(set.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	g_assert_true(screen->rows[0].appears && !screen->rows[0].vanishes);
	g_assert_true(screen->rows[1].vanishes && !screen->rows[1].appears);
	g_assert_false(screen->rows[2].appears);
	g_assert_true(screen->rows[3].appears);
	g_assert_cmpint(screen->rows[3].status, ==, RIG_SCREEN_SHORT);
	g_assert_true(isnan(screen->rows[3].difference));
	g_assert_cmpuint(screen->n_appear, ==, 2);
	g_assert_cmpuint(screen->n_vanish, ==, 1);
}

/* A single run a side could have a counter by chance. */
static void test_one_run_proves_nothing(void)
{
	Set set = {0};
	g_autoptr(RigScreen) screen = NULL;

	add(&set, RIG_SCALE_LOG_COUNT, zeros, few);
	screen = rig_screen_new(set.inputs, set.n, 1, 1, FALSE, RIG_SCREEN_Q);
	g_assert_cmpuint(screen->n_appear + screen->n_tested + screen->n_found, ==, 0);
}

/* Blocks differ by far more than the sides: only pairs see the change. */
static void test_paired(void)
{
	Set set = {0};
	g_autoptr(RigScreen) paired = NULL, sides = NULL;
	double base[RUNS], head[RUNS];
	guint i;

	for (guint k = 0; k < RUNS; k++) {
		base[k] = 1000 * exp(k);
		head[k] = base[k] * (1.2 + 0.01 * (k % 2));
	}
	i = add(&set, RIG_SCALE_LOG_COUNT, base, head);
	add_crowd(&set, 20);
	paired = rig_screen_new(set.inputs, set.n, RUNS, RUNS, TRUE, RIG_SCREEN_Q);
	sides = rig_screen_new(set.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	g_assert_true(paired->paired && paired->rows[i].found);
	g_assert_false(sides->rows[i].found);
	g_assert_cmpfloat_with_epsilon(paired->rows[i].difference, sides->rows[i].difference,
				       1e-12);
}

/* Exact repetition: nothing scatters at all, so that there is a difference and no test. */
static void test_no_spread(void)
{
	static const double nines[] = {9, 9, 9, 9, 9};
	Set set = {0};
	g_autoptr(RigScreen) screen = NULL;

	add(&set, RIG_SCALE_LOG_COUNT, sevens, nines);
	add(&set, RIG_SCALE_LOG_COUNT, nines, sevens);
	screen = rig_screen_new(set.inputs, set.n, RUNS, RUNS, FALSE, RIG_SCREEN_Q);
	g_assert_cmpuint(screen->n_no_spread, ==, 2);
	g_assert_cmpuint(screen->n_tested + screen->n_found, ==, 0);
	g_assert_cmpfloat(screen->rows[0].difference, >, 0);
}

static void test_nothing(void)
{
	g_autoptr(RigScreen) screen = rig_screen_new(NULL, 0, 0, 0, FALSE, RIG_SCREEN_Q);
	RigScreenInput unknown = {NULL, NULL, RIG_SCALE_LOG_COUNT};
	g_autoptr(RigScreen) one = rig_screen_new(&unknown, 1, 3, 3, FALSE, RIG_SCREEN_Q);

	g_assert_cmpuint(screen->n_tested, ==, 0);
	g_assert_cmpint(one->rows[0].status, ==, RIG_SCREEN_SHORT);
	g_assert_false(one->rows[0].appears || one->rows[0].vanishes);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/screen/filter", test_filter);
	g_test_add_func("/screen/filter-is-blind", test_filter_is_blind);
	g_test_add_func("/screen/appear-and-vanish", test_appear_and_vanish);
	g_test_add_func("/screen/one-run-proves-nothing", test_one_run_proves_nothing);
	g_test_add_func("/screen/paired", test_paired);
	g_test_add_func("/screen/no-spread", test_no_spread);
	g_test_add_func("/screen/nothing", test_nothing);
	return g_test_run();
}
