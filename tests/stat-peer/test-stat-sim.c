/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-stat-sim.c - what the tests promise, kept over thousands of drawn comparisons.
 *
 * Seeds are fixed, so the figures are the same each time. They are printed as diagnostics: they are
 * the ones in docs/statistics.md.
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "report/screen.h"
#include "report/stat-power.h"
#include "report/verdict.h"

#define DRAWS 10000
#define SEED 20261130
#define RUNS_MAX 20
#define MARGIN 5 /* percent: some spreads of the values drawn */

typedef enum { NORMAL, HEAVY, TIED } Shape;
static const char *const shapes[] = {"normal", "t3", "ties"};

/* One run's value: log throughputs with a spread of 2 %, the same with heavy tails, and small
 * counts, many of them equal. */
static double draw(gsl_rng *rng, Shape shape)
{
	switch (shape) {
	case NORMAL:
		return 10 + gsl_ran_gaussian(rng, 0.02);
	case HEAVY:
		return 10 + 0.02 * gsl_ran_tdist(rng, 3);
	default:
		return log(gsl_ran_poisson(rng, 6) + 0.5);
	}
}

static void draw_side(gsl_rng *rng, Shape shape, double *values, guint n, double shift)
{
	for (guint i = 0; i < n; i++)
		values[i] = draw(rng, shape) + shift;
}

typedef struct {
	double t, rank;
	double equivalent; /* within the margin, also where that is "changed, but little" */
} Shares;

static gboolean changed(const RigTTest *t, const RigRankTest *rank, gboolean *equivalent)
{
	RigVerdictInput input = {
		.scale = RIG_SCALE_LOG,
		.test = t,
		.p_adjusted = NAN,
		.rank = rank,
		.margin = MARGIN,
		.detectable = NAN,
		.up = "more",
		.down = "less",
	};
	RigVerdict verdict = rig_verdict_decide(&input);
	gboolean found = verdict.kind == RIG_VERDICT_CHANGED;

	*equivalent = verdict.kind == RIG_VERDICT_EQUIVALENT || verdict.small;
	g_assert_true(found == (verdict.word != NULL));
	rig_verdict_clear(&verdict);
	return found;
}

/* Shares of the verdict "changed", of changes within the margin, and of small rank p, over DRAWS
 * comparisons of N runs a side that truly differ by SHIFT. PAIRED: both runs of a block share a
 * disturbance that is three times their own spread. */
static Shares simulate(Shape shape, guint n, double shift, gboolean paired)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	guint t_found = 0, rank_found = 0, same = 0;

	gsl_rng_set(rng, SEED + n);
	for (guint i = 0; i < DRAWS; i++) {
		double base[RUNS_MAX], head[RUNS_MAX], differences[RUNS_MAX];
		gboolean equivalent;
		RigRankTest rank;
		RigTTest t;

		draw_side(rng, shape, base, n, 0);
		draw_side(rng, shape, head, n, shift);
		for (guint k = 0; paired && k < n; k++) {
			double common = gsl_ran_gaussian(rng, 0.06);

			base[k] += common;
			head[k] += common;
			differences[k] = head[k] - base[k];
		}
		t = paired ? rig_t_paired(base, head, n) : rig_t_welch(base, n, head, n);
		rank = paired ? rig_rank_sign_flip(differences, n)
			      : rig_rank_mann_whitney(base, n, head, n);
		t_found += changed(&t, &rank, &equivalent);
		same += equivalent;
		rank_found += rank.p < 0.05;
	}
	gsl_rng_free(rng);
	return (Shares){100.0 * t_found / DRAWS, 100.0 * rank_found / DRAWS, 100.0 * same / DRAWS};
}

/* No change: at most 5.5 % of the comparisons may say "changed". */
static void test_false_alarms(void)
{
	static const guint sizes[] = {3, 5, 6, 10, 15};

	for (guint shape = NORMAL; shape <= TIED; shape++)
		for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
			for (guint paired = 0; paired <= (sizes[i] >= 6); paired++) {
				Shares s = simulate(shape, sizes[i], 0, paired);

				g_test_message("no change, %s, n = %u, %s: changed %.2f %%, "
					       "exact p < 0.05 %.2f %%",
					       shapes[shape], sizes[i], paired ? "paired" : "Welch",
					       s.t, s.rank);
				g_assert_cmpfloat(s.t, <=, 5.5);
				g_assert_cmpfloat(s.rank, <=, 5.5);
				/* A test that never speaks would keep the promise too. */
				g_assert_cmpfloat(s.t, >=, sizes[i] < 5 ? 1 : 2.5);
			}
}

/* A true difference at the edge of the margin may be called within it in 5 % of the cases. */
static void test_false_equivalence(void)
{
	static const guint sizes[] = {8, 12, 20};
	double edge = log1p(MARGIN / 100.0);

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		Shares at_edge = simulate(NORMAL, sizes[i], edge, FALSE);

		g_test_message("a change of the margin, n = %u: within it %.2f %%", sizes[i],
			       at_edge.equivalent);
		g_assert_cmpfloat(at_edge.equivalent, <=, 5.5);
		g_assert_cmpfloat(at_edge.equivalent, >=, 3.5);
	}
}

/* The table of the smallest effect: 80 % of such changes are seen, within 2 points. */
static void test_power_of_table(void)
{
	static const struct {
		guint n;
		double effect;
	} table[] = {{3, 3.07},	 {4, 2.38},  {5, 2.02},	 {6, 1.80}, {8, 1.51},
		     {10, 1.33}, {12, 1.20}, {15, 1.06}, {20, 0.91}};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, SEED);
	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		guint n = table[i].n, pooled = 0, welch = 0;

		for (guint k = 0; k < DRAWS; k++) {
			double base[RUNS_MAX], head[RUNS_MAX];

			for (guint r = 0; r < n; r++) {
				base[r] = gsl_ran_gaussian(rng, 1);
				head[r] = gsl_ran_gaussian(rng, 1) + table[i].effect;
			}
			pooled += rig_t_pooled(base, n, head, n).p < 0.05;
			welch += rig_t_welch(base, n, head, n).p < 0.05;
		}
		g_test_message("power at n = %u, %.2f sd: %.2f %% (Welch %.2f %%)", n,
			       table[i].effect, 100.0 * pooled / DRAWS, 100.0 * welch / DRAWS);
		g_assert_cmpfloat(fabs(100.0 * pooled / DRAWS - 80), <=, 2);
		/* The table is Student's. Not to assume equal spreads costs Welch's test something
		 * as long as there are few runs to learn them from. */
		g_assert_cmpfloat(100.0 * welch / DRAWS, <=, 82);
		g_assert_cmpfloat(100.0 * welch / DRAWS, >=, n < 6 ? 68 : 78);
	}
	gsl_rng_free(rng);
}

/* Counters as a kernel has them: levels over five decades, spreads that differ (a scaled inverse
 * chi-square of 4 degrees around 10 %), Poisson noise on top. FACTOR: of the head. */
static void draw_counter(gsl_rng *rng, double factor, double *values, guint n)
{
	double level = exp(gsl_ran_flat(rng, log(3), log(3e5)));
	double spread = 0.1 * sqrt(4 / gsl_ran_chisq(rng, 4));

	for (guint i = 0; i < 2 * n; i++) {
		double mean = level * exp(gsl_ran_gaussian(rng, spread)) * (i < n ? 1 : factor);

		values[i] = gsl_ran_poisson(rng, MIN(mean, 1e8));
	}
}

typedef struct {
	double fdr;   /* mean share of false ones among the found, in percent */
	double found; /* of the truly changed, in percent */
	double any;   /* comparisons with any false finding, in percent */
} Discovery;

static Discovery screen_drawn(guint rounds, guint counters, guint n, guint changed_each,
			      gboolean paired)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	g_autofree double *values = g_new(double, counters * 2 * n);
	g_autofree RigScreenInput *inputs = g_new0(RigScreenInput, counters);
	double fdr = 0, hits = 0, any = 0, true_ones = 0;

	gsl_rng_set(rng, SEED + n + changed_each);
	for (guint round = 0; round < rounds; round++) {
		g_autoptr(RigScreen) screen = NULL;
		guint wrong = 0, right = 0;

		for (guint i = 0; i < counters; i++) {
			gboolean changes = changed_each && i % changed_each == 0;
			double *v = values + i * 2 * n;

			draw_counter(rng, changes ? 1.6 : 1, v, n);
			inputs[i] = (RigScreenInput){v, v + n, RIG_SCALE_LOG_COUNT};
		}
		screen = rig_screen_new(inputs, counters, n, n, paired, RIG_SCREEN_Q);
		for (guint i = 0; i < counters; i++) {
			gboolean changes = changed_each && i % changed_each == 0;

			true_ones += changes && screen->rows[i].status == RIG_SCREEN_TESTED;
			right += screen->rows[i].found && changes;
			wrong += screen->rows[i].found && !changes;
		}
		fdr += wrong + right ? (double)wrong / (wrong + right) : 0;
		hits += right;
		any += wrong > 0;
	}
	gsl_rng_free(rng);
	return (Discovery){100 * fdr / rounds, true_ones > 0 ? 100 * hits / true_ones : 0,
			   100 * any / rounds};
}

static void test_false_discovery(void)
{
	static const guint sizes[] = {3, 5, 10};

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++)
		for (guint paired = 0; paired <= (sizes[i] >= 6); paired++) {
			Discovery d = screen_drawn(100, 1000, sizes[i], 10, paired);

			g_test_message("1 of 10 counters changed, n = %u, %s: false discoveries "
				       "%.2f %%, changed ones found %.1f %%",
				       sizes[i], paired ? "paired" : "two sides", d.fdr, d.found);
			g_assert_cmpfloat(d.fdr, <=, 6);
			g_assert_cmpfloat(d.found, >=, sizes[i] < 5 ? 30 : 70);
		}
}

/* Nothing changed: every finding is false, so the share of comparisons with one is the rate. */
static void test_false_discovery_of_nothing(void)
{
	static const guint sizes[] = {3, 5, 10};

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		Discovery d = screen_drawn(3000, 200, sizes[i], 0, FALSE);

		g_test_message("no counter changed, n = %u: comparisons with a finding %.2f %%",
			       sizes[i], d.any);
		g_assert_cmpfloat(d.any, <=, 6);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/stat-sim/false-alarms", test_false_alarms);
	g_test_add_func("/stat-sim/false-equivalence", test_false_equivalence);
	g_test_add_func("/stat-sim/power-of-table", test_power_of_table);
	g_test_add_func("/stat-sim/false-discovery", test_false_discovery);
	g_test_add_func("/stat-sim/false-discovery-of-nothing", test_false_discovery_of_nothing);
	return g_test_run();
}
