/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-markdown.c - the comparison for a pull request: whole, and with names that are Markdown.
 */
#include "report/markdown.h"

#include "report-sides.h"

static void test_whole(void)
{
	RigSides *sides =
		sides_parse("{\"base\": {\"ops\": [100, 101, 102, 100.5, 101.5],"
			    "  \"access.locality.hugetlb_remote%\": [10, 10.5, 11, 10.2, 10.4],"
			    "  \"proc-vmstat.pgfree\": [9000, 9010, 9005, 9002, 9007],"
			    "  \"proc-vmstat.pgreuse\": [50, 51, 52, 53, 54]},"
			    " \"head\": {\"ops\": [90, 90.9, 91.8, 90.45, 91.35],"
			    "  \"access.locality.hugetlb_remote%\": [30, 30.5, 31, 30.2, 30.4],"
			    "  \"proc-vmstat.pgfree\": [9000, 9010, 9005, 9002, 9007],"
			    "  \"proc-vmstat.pgreuse\": [0, 0, 0, 0, 0]}}",
			    'A');
	g_auto(Judged) judged = {0};
	g_autofree char *text = NULL;

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	g_ptr_array_add(sides->phases, g_strdup("access"));
	judged = judged_new(sides, NULL);
	text = rig_markdown_render(judged.judgement);
	expect_golden_file(text, "report", "worse.md");
}

static void test_hostile(void)
{
	RigSides *sides = sides_parse("{\"base\": {\"a|b*[x](y)<i>\": [5, 6, 7]},"
				      " \"head\": {\"a|b*[x](y)<i>\": [1, 2, 3]}}",
				      'A');
	g_auto(Judged) judged = {0};
	g_autofree char *text = NULL;

	sides_own(sides, "a|b*[x](y)<i>", "", RIG_LOWER, RIG_KIND_RATIO, TRUE);
	judged = judged_new(sides, NULL);
	text = rig_markdown_render(judged.judgement);
	g_assert_nonnull(strstr(text, "| **a\\|b\\*\\[x\\](y)\\<i\\>** |"));
	g_assert_null(strstr(text, "<i>"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/markdown/whole", test_whole);
	g_test_add_func("/markdown/hostile", test_hostile);
	return g_test_run();
}
