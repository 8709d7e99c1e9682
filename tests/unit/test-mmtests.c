/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mmtests.c - mmtests' table: a row of a public mail computed again, and a worked example.
 */
#include "report/mmtests.h"

#include "report-sides.h"

/* From the memory management list, 17 February 2022, "Free pages in a single pass during bulk
 * free": elapsed of ten runs a side. The mail gives least, mean, deviation and largest value; these
 * runs are the only ones that have them. */
static void test_public_mail(void)
{
	RigSides *sides =
		sides_parse("{\"base\": {\"elapsed\": [540, 540, 550, 540, 540, 550, 540, "
			    "540, 550, 540]},"
			    " \"head\": {\"elapsed\": [530, 530, 530, 530, 530, 530, 530, "
			    "530, 530, 530]}}",
			    'A');
	g_auto(Judged) judged = {0};
	g_autofree char *text = NULL;

	sides_own(sides, "elapsed", "s", RIG_LOWER, RIG_KIND_RATIO, TRUE);
	g_free(rig_sides_at(sides, 0)->name);
	g_free(rig_sides_at(sides, 1)->name);
	rig_sides_at(sides, 0)->name = g_strdup("5.17.0-rc3-vanilla");
	rig_sides_at(sides, 1)->name = g_strdup("5.17.0-rc3-mm-highpcpopt-v2");
	judged = judged_new(sides, NULL);
	text = rig_mmtests_render(judged.judgement);
	expect_golden_file(text, "mmtests", "elapsed.txt");
}

/* Computed by hand: means harmonic where higher is better, the best 95 % of three are two, less
 * spread is positive, and nothing is starred that three runs cannot show. */
static void test_by_hand(void)
{
	RigSides *sides = sides_parse(
		"{\"base\": {\"ops\": [100, 400, 200], \"lat\": [20, 10, 15], \"c.x\": [1, 1, 1]},"
		" \"head\": {\"ops\": [50, 200, 100], \"lat\": [40, 20, 30], \"c.x\": [9, 9, 9]}}",
		'A');
	g_auto(Judged) judged = {0};
	g_autofree char *text = NULL;

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, FALSE);
	sides_own(sides, "lat", "us", RIG_LOWER, RIG_KIND_RATIO, FALSE);
	g_free(rig_sides_at(sides, 0)->name);
	g_free(rig_sides_at(sides, 1)->name);
	rig_sides_at(sides, 0)->name = g_strdup("linux-6.1");
	rig_sides_at(sides, 1)->name = g_strdup("linux-6.12");
	judged = judged_new(sides, NULL);
	text = rig_mmtests_render(judged.judgement);
	expect_golden_file(text, "mmtests", "two-metrics.txt");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mmtests/public-mail", test_public_mail);
	g_test_add_func("/mmtests/by-hand", test_by_hand);
	return g_test_run();
}
