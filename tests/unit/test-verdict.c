/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-verdict.c - which numbers lead to which verdict, and the words for it.
 */
#include "report/verdict.h"

#include <math.h>
#include <string.h>

/* A test whose interval is DIFFERENCE +- HALF, in percent; the 90 % one is 0.8 of it. */
static RigTTest test_of(double difference, double half, double p)
{
	RigTTest t = {.n_base = 5, .n_head = 5, .df = 8, .p = p, .t = 1};

	t.difference = log1p(difference / 100);
	t.se = log1p(half / 100) / 2.3;
	t.i95 = (RigInterval){log1p((difference - half) / 100), log1p((difference + half) / 100)};
	t.i90 = (RigInterval){log1p((difference - 0.8 * half) / 100),
			      log1p((difference + 0.8 * half) / 100)};
	return t;
}

static RigVerdictInput input_of(const RigTTest *test)
{
	return (RigVerdictInput){
		.scale = RIG_SCALE_LOG,
		.test = test,
		.p_adjusted = NAN,
		.margin = 1,
		.detectable = NAN,
		.class = 'A',
		.timing = TRUE,
		.up = "better",
		.down = "worse",
	};
}

/* The verdict of INPUT is KIND, of WORD, and its reason holds PART. */
static void expect(const RigVerdictInput *input, RigVerdictKind kind, const char *word,
		   const char *part)
{
	RigVerdict verdict = rig_verdict_decide(input);

	g_assert_cmpstr(rig_verdict_name(verdict.kind), ==, rig_verdict_name(kind));
	g_assert_cmpstr(verdict.word, ==, word);
	if (!strstr(verdict.reason, part))
		g_error("\"%s\" is not in \"%s\"", part, verdict.reason);
	rig_verdict_clear(&verdict);
}

static void test_changed(void)
{
	RigTTest t = test_of(-5, 2, 0.00042);
	RigVerdictInput input = input_of(&t);

	expect(&input, RIG_VERDICT_CHANGED, "worse",
	       "the 95 % interval -7.00 to -3.00 % excludes no change (p = 0.00042)");
	t = test_of(5, 2, 1e-9);
	expect(&input, RIG_VERDICT_CHANGED, "better", "p < 0.0001");
}

static void test_changed_but_small(void)
{
	RigTTest t = test_of(0.4, 0.3, 0.01);
	RigVerdictInput input = input_of(&t);
	RigVerdict verdict = rig_verdict_decide(&input);

	g_assert_cmpint(verdict.kind, ==, RIG_VERDICT_CHANGED);
	g_assert_true(verdict.small);
	g_assert_nonnull(strstr(verdict.reason, "within the margin of 1 %"));
	rig_verdict_clear(&verdict);
}

static void test_equivalent(void)
{
	RigTTest t = test_of(0.1, 0.8, 0.7);
	RigVerdictInput input = input_of(&t);

	expect(&input, RIG_VERDICT_EQUIVALENT, NULL,
	       "-0.54 to +0.74 % is within the margin of 1 %");
	/* The margin is the user's. */
	input.margin = 0.5;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "");
}

static void test_inconclusive(void)
{
	RigTTest t = test_of(1, 4, 0.6);
	RigVerdictInput input = input_of(&t);

	input.detectable = 5.25;
	input.n_needed = 120;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL,
	       "holds no change and more than the margin; a change of 5.25 % could have been "
	       "seen; 120 runs a side would see 1 %");
	input.paired = TRUE;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "120 blocks");
}

/* One interval excludes no change, but it is the best of three. */
static void test_holm(void)
{
	RigTTest t = test_of(-5, 4, 0.03);
	RigVerdictInput input = input_of(&t);

	expect(&input, RIG_VERDICT_CHANGED, "worse", "(p = 0.03)");
	input.p_adjusted = 0.09;
	input.family = 3;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL,
	       "excludes no change, but p = 0.09 adjusted for 3 metrics");
}

static void test_looks(void)
{
	RigTTest t = test_of(-5, 2, 0.004);
	RigVerdictInput input = input_of(&t);

	input.early = TRUE;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "is not below 0.001");
	t.p = 0.0009;
	expect(&input, RIG_VERDICT_CHANGED, "worse", "p = 0.0009");
	/* "The same" is no reason to stop early. */
	t = test_of(0, 0.5, 0.9);
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "the plan is not at its end");
}

static void test_classes(void)
{
	RigTTest t = test_of(-50, 2, 1e-12);
	RigVerdictInput input = input_of(&t);

	input.class = 'C';
	expect(&input, RIG_VERDICT_NOT_JUDGED, NULL, "emulated");
	input.class = '?';
	expect(&input, RIG_VERDICT_NOT_JUDGED, NULL, "different placement classes");
	input.class = 'B';
	expect(&input, RIG_VERDICT_CHANGED, "worse", "class B");
	/* Events are counted by the guest's own kernel: they hold in every class. */
	input.class = 'C';
	input.timing = FALSE;
	expect(&input, RIG_VERDICT_CHANGED, "worse", "excludes no change");
}

static void test_no_spread(void)
{
	RigRankTest rank = {.p = 0.0079, .how = RIG_P_EXACT};
	RigTTest t = test_of(3, 0, NAN);
	RigVerdictInput input = input_of(&t);

	t.no_spread = TRUE;
	t.se = 0;
	input.rank = &rank;
	expect(&input, RIG_VERDICT_CHANGED, "better", "only the rank test can tell: p = 0.0079");
	rank.p = 0.1;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "p = 0.1");
	input.rank = NULL;
	expect(&input, RIG_VERDICT_INCONCLUSIVE, NULL, "no p");
	t = test_of(0, 0, NAN);
	t.no_spread = TRUE;
	t.se = 0;
	expect(&input, RIG_VERDICT_EQUIVALENT, NULL, "the same value");
}

static void test_too_few(void)
{
	RigTTest t = rig_t_welch((const double[]){1, NAN}, 2, (const double[]){1, 2}, 2);
	RigVerdictInput input = input_of(&t);

	expect(&input, RIG_VERDICT_NONE, NULL, "1 and 2 usable values");
}

static void test_points(void)
{
	RigTTest t = {.n_base = 5, .n_head = 5, .difference = -3, .se = 1, .p = 0.01};
	RigVerdictInput input = input_of(&t);

	t.i95 = (RigInterval){-5, -1};
	t.i90 = (RigInterval){-4.5, -1.5};
	input.scale = RIG_SCALE_POINTS;
	input.timing = FALSE;
	expect(&input, RIG_VERDICT_CHANGED, "worse", "-5.00 to -1.00 points");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/verdict/changed", test_changed);
	g_test_add_func("/verdict/changed-but-small", test_changed_but_small);
	g_test_add_func("/verdict/equivalent", test_equivalent);
	g_test_add_func("/verdict/inconclusive", test_inconclusive);
	g_test_add_func("/verdict/holm", test_holm);
	g_test_add_func("/verdict/looks", test_looks);
	g_test_add_func("/verdict/classes", test_classes);
	g_test_add_func("/verdict/no-spread", test_no_spread);
	g_test_add_func("/verdict/too-few", test_too_few);
	g_test_add_func("/verdict/points", test_points);
	return g_test_run();
}
