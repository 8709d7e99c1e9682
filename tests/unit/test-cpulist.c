/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-cpulist.c - the kernel's list form in and out, and set operations.
 */
#include "base/cpulist.h"

#include "expect.h"

static RigCpuList *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	RigCpuList *list = rig_cpulist_parse(text, &error);

	g_assert_no_error(error);
	g_assert_nonnull(list);
	return list;
}

static void expect_text(const char *text, const char *expected, guint count)
{
	g_autoptr(RigCpuList) list = parse(text);
	g_autofree char *again = rig_cpulist_format(list);

	g_assert_cmpstr(again, ==, expected);
	g_assert_cmpuint(rig_cpulist_count(list), ==, count);
}

static void test_parse(void)
{
	expect_text("", "", 0);
	expect_text("\n", "", 0);
	expect_text("0", "0", 1);
	expect_text("0-3,8\n", "0-3,8", 5);
	expect_text("8,0-3,2-4", "0-4,8", 6);
	expect_text("0-31,64-95", "0-31,64-95", 64);
	expect_text("63,64", "63-64", 2);
	expect_text("5-5", "5", 1);
	expect_text("8191", "8191", 1);
	expect_text("0-8191", "0-8191", 8192);
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		const char *part;
	} cases[] = {
		{"x", "bad part \"x\""},
		{"0,x-3", "bad part \"x-3\""},
		{"3-0", "bad part \"3-0\""},
		{"0-", "bad part \"0-\""},
		{"-1", "bad part \"-1\""},
		{"0,,1", "bad part \"\""},
		{"0,", "bad part \"\""},
		{" 0", "bad part \" 0\""},
		{"0\n\n", "bad part"},
		{"0-3:1/2", "bad part \"0-3:1/2\""},
		{"8192", "bad part \"8192\""},
		{"0-8192", "bad part \"0-8192\""},
		{"4294967296", "bad part \"4294967296\""},
		{"99999999999999999999", "bad part"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(rig_cpulist_parse(cases[i].text, &error));
		expect_error(&error, RIG_ERROR_USAGE, cases[i].part);
	}
}

static void test_at(void)
{
	g_autoptr(RigCpuList) list = parse("1,63-64,200,8191");
	static const guint expected[] = {1, 63, 64, 200, 8191};

	g_assert_cmpuint(rig_cpulist_count(list), ==, G_N_ELEMENTS(expected));
	for (guint i = 0; i < G_N_ELEMENTS(expected); i++) {
		g_assert_cmpuint(rig_cpulist_at(list, i), ==, expected[i]);
		g_assert_true(rig_cpulist_contains(list, expected[i]));
		g_assert_false(rig_cpulist_contains(list, expected[i] + 2));
	}
	g_assert_false(rig_cpulist_contains(list, RIG_CPULIST_MAX));
	g_assert_false(rig_cpulist_contains(list, G_MAXUINT));
}

static void test_sets(void)
{
	g_autoptr(RigCpuList) a = parse("0-3");
	g_autoptr(RigCpuList) b = rig_cpulist_copy(a);
	g_autoptr(RigCpuList) empty = rig_cpulist_new();

	g_assert_true(rig_cpulist_equal(a, b));
	g_assert_true(rig_cpulist_intersects(a, b));
	g_assert_false(rig_cpulist_intersects(a, empty));
	rig_cpulist_add(b, 100);
	g_assert_false(rig_cpulist_equal(a, b));
	g_assert_cmpuint(rig_cpulist_count(a), ==, 4);
	rig_cpulist_add(b, 100);
	g_assert_cmpuint(rig_cpulist_count(b), ==, 5);
	rig_cpulist_add_range(empty, 4, 99);
	g_assert_false(rig_cpulist_intersects(a, empty));
	g_assert_false(rig_cpulist_intersects(b, empty));
	rig_cpulist_add(empty, 3);
	g_assert_true(rig_cpulist_intersects(a, empty));
}

/* Any set comes back as it was; compared with a plain array of flags. */
static void test_round_trip(void)
{
	for (guint round = 0; round < 200; round++) {
		g_autoptr(RigCpuList) list = rig_cpulist_new();
		g_autoptr(RigCpuList) again = NULL;
		g_autofree char *text = NULL;
		gboolean set[300] = {FALSE};
		guint count = 0;

		for (guint i = 0; i < round; i++) {
			guint cpu = (guint)g_test_rand_int_range(0, 300);

			count += !set[cpu];
			set[cpu] = TRUE;
			rig_cpulist_add(list, cpu);
		}
		text = rig_cpulist_format(list);
		again = parse(text);
		g_assert_true(rig_cpulist_equal(list, again));
		g_assert_cmpuint(rig_cpulist_count(again), ==, count);
		for (guint cpu = 0; cpu < 300; cpu++)
			g_assert_cmpint(rig_cpulist_contains(again, cpu), ==, set[cpu]);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cpulist/parse", test_parse);
	g_test_add_func("/cpulist/bad", test_bad);
	g_test_add_func("/cpulist/at", test_at);
	g_test_add_func("/cpulist/sets", test_sets);
	g_test_add_func("/cpulist/round-trip", test_round_trip);
	return g_test_run();
}
