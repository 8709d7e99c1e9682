/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-judgement.c - what a verdict is doubted for; margins; and its words.
 */
#include "report/judgement.h"

#include <math.h>

#include "report-sides.h"
#include "report/phrase.h"

#define OPS "[100, 101, 102, 100.5, 101.5]"
#define OPS_10_LESS "[90, 90.9, 91.8, 90.45, 91.35]"

static RigSides *make(char class)
{
	RigSides *sides =
		sides_parse("{\"base\": {\"ops\": " OPS ", \"cal\": " OPS "},"
			    " \"head\": {\"ops\": " OPS_10_LESS ", \"cal\": " OPS_10_LESS "}}",
			    class);

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	sides_own(sides, "cal", "1/s", RIG_HIGHER, RIG_KIND_RATIO, FALSE);
	return sides;
}

static const RigStatMetric *metric(const Judged *judged, guint i)
{
	return g_ptr_array_index(rig_judgement_stats(judged->judgement, 1)->metrics, i);
}

static const char *only_doubt(const Judged *judged)
{
	g_assert_cmpuint(judged->judgement->doubts->len, ==, 1);
	return g_ptr_array_index(judged->judgement->doubts, 0);
}

static void test_control(void)
{
	RigSides *sides = make('A'), *emulated = make('C');
	g_auto(Judged) judged = {0}, silent = {0};

	((RigMetricInfo *)rig_sides_info(sides, "cal"))->control = TRUE;
	((RigMetricInfo *)rig_sides_info(emulated, "cal"))->control = TRUE;
	judged = judged_new(sides, NULL);
	silent = judged_new(emulated, NULL);
	g_assert_cmpstr(only_doubt(&judged), ==,
			"head: the control cal moved by -10.0 %: something else than the kernel "
			"changed, so doubt the rest");
	/* A timing that is not judged proves no control wrong either. */
	g_assert_cmpuint(silent.judgement->doubts->len, ==, 0);
}

/* A calibration whose one metric, ops, spreads by PERCENT between boots. */
static RigNoise *noise_of(double percent)
{
	RigNoise *noise = g_new0(RigNoise, 1);
	RigNoiseMetric *m = g_new0(RigNoiseMetric, 1);

	noise->metrics = g_ptr_array_new();
	noise->blocks = 6;
	m->name = (char *)"ops";
	m->scale = RIG_SCALE_LOG;
	m->sd = rig_scale_difference(RIG_SCALE_LOG, percent);
	g_ptr_array_add(noise->metrics, m);
	return noise;
}

static void noise_drop(RigNoise *noise)
{
	g_free(g_ptr_array_index(noise->metrics, 0));
	g_ptr_array_unref(noise->metrics);
	g_free(noise);
}

static void test_noise(void)
{
	RigNoise *loud = noise_of(15), *quiet = noise_of(2);
	g_auto(Judged) doubted = judged_new(make('A'), loud);
	g_auto(Judged) believed = judged_new(make('A'), quiet);

	g_assert_cmpstr(only_doubt(&doubted), ==,
			"head: the change of ops, -10.0 %, is smaller than the spread between "
			"boots of one kernel (15 %; rig calibrate, 6 blocks)");
	g_assert_cmpuint(believed.judgement->doubts->len, ==, 0);
	noise_drop(loud);
	noise_drop(quiet);
}

/* The workload's own margin decides what is equivalent, and what is too small to matter. */
static void test_margin(void)
{
	RigSides *sides = make('A');
	g_auto(Judged) judged = {0};

	((RigMetricInfo *)rig_sides_info(sides, "ops"))->margin = 15;
	judged = judged_new(sides, NULL);
	g_assert_cmpfloat(metric(&judged, 0)->margin, ==, 15);
	g_assert_true(metric(&judged, 0)->verdict.small);
	g_assert_cmpfloat(metric(&judged, 1)->margin, ==, RIG_VERDICT_MARGIN);
	g_assert_false(metric(&judged, 1)->verdict.small);
}

static void expect_phrase(char *text, const char *expected)
{
	g_assert_cmpstr(text, ==, expected);
	g_free(text);
}

static void test_phrases(void)
{
	expect_phrase(rig_phrase_change(RIG_SCALE_LOG, -10.04), "-10.0 %");
	expect_phrase(rig_phrase_change(RIG_SCALE_LOG, 0.034), "+0.034 %");
	expect_phrase(rig_phrase_change(RIG_SCALE_LOG, 0), "+0.0 %");
	expect_phrase(rig_phrase_change(RIG_SCALE_LOG, 123456), "+1.23e+05 %");
	expect_phrase(rig_phrase_change(RIG_SCALE_POINTS, 2.5), "+2.5 pt");
	expect_phrase(rig_phrase_change(RIG_SCALE_LOG, NAN), "-");
	expect_phrase(rig_phrase_size(RIG_SCALE_LOG, 12.345), "12.3 %");
	expect_phrase(rig_phrase_p(0.0079365), "0.0079");
	expect_phrase(rig_phrase_p(1e-9), "<0.0001");
	expect_phrase(rig_phrase_p(NAN), "-");
}

static void expect_words(RigSides *sides, const char *headline, const char *primaries)
{
	g_auto(Judged) judged = judged_new(sides, NULL);
	const RigStatCompare *stats = rig_judgement_stats(judged.judgement, 1);
	g_autofree char *text = rig_phrase_primaries(stats);

	g_assert_cmpstr(rig_phrase_headline(stats), ==, headline);
	g_assert_cmpstr(text, ==, primaries);
}

static RigSides *with_head(const char *head, RigDirection direction)
{
	g_autofree char *text =
		g_strdup_printf("{\"base\": {\"ops\": " OPS "}, \"head\": {\"ops\": %s}}", head);
	RigSides *sides = sides_parse(text, 'A');

	sides_own(sides, "ops", "1/s", direction, RIG_KIND_RATIO, TRUE);
	return sides;
}

static void test_headlines(void)
{
	expect_words(with_head(OPS_10_LESS, RIG_HIGHER), "WORSE", "ops is worse (-10.0 %)");
	expect_words(with_head(OPS_10_LESS, RIG_LOWER), "BETTER", "ops is better (-10.0 %)");
	expect_words(with_head(OPS_10_LESS, RIG_NEITHER), "CHANGED", "ops is less (-10.0 %)");
	expect_words(with_head("[100.1, 101.1, 101.9, 100.6, 101.4]", RIG_HIGHER), "EQUIVALENT",
		     "ops is the same within 1 %");
	expect_words(make('C'), "NOT JUDGED",
		     "ops: timings of an emulated machine (class C) say nothing about a real one");
	expect_words(sides_parse("{\"base\": {\"c.x\": [1, 2]}, \"head\": {\"c.x\": [1, 2]}}", 'A'),
		     "NO VERDICT", "the workload names no primary metric");
}

/* What was seen, and what it takes. */
static void test_inconclusive(void)
{
	g_auto(Judged) judged = judged_new(with_head("[60, 140, 95, 120, 80]", RIG_HIGHER), NULL);
	const RigStatCompare *stats = rig_judgement_stats(judged.judgement, 1);
	g_autofree char *text = rig_phrase_primaries(stats);

	g_assert_cmpstr(rig_phrase_headline(stats), ==, "INCONCLUSIVE");
	g_assert_true(g_str_has_prefix(text, "ops is unclear: 5 runs a side see "));
	g_assert_true(g_str_has_suffix(text, " would see 1 %"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/judgement/control", test_control);
	g_test_add_func("/judgement/noise", test_noise);
	g_test_add_func("/judgement/margin", test_margin);
	g_test_add_func("/phrase/figures", test_phrases);
	g_test_add_func("/phrase/headlines", test_headlines);
	g_test_add_func("/phrase/inconclusive", test_inconclusive);
	return g_test_run();
}
