/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-gate.c - when a comparison passes, fails, or is neither; and the same as KTAP and JUnit.
 */
#include "report/gate.h"

#include "report-records.h"
#include "report-sides.h"
#include "report/ktap.h"

#define OPS "[100, 101, 102, 100.5, 101.5]"
#define OPS_10_LESS "[90, 90.9, 91.8, 90.45, 91.35]"
#define OPS_SAME "[100.1, 101.1, 101.9, 100.6, 101.4]"
#define OPS_WILD "[60, 140, 95, 120, 80]"

static RigSides *make(const char *base, const char *head, char class)
{
	g_autofree char *text = g_strdup_printf(
		"{\"base\": {\"ops\": %s, \"c.n\": [1000, 1010, 1020, 1005, 1015]},"
		" \"head\": {\"ops\": %s, \"c.n\": [2000, 2010, 2020, 2005, 2015]}}",
		base, head);
	RigSides *sides = sides_parse(text, class);

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	return sides;
}

static RigSides *make_one_run(void)
{
	RigSides *sides =
		sides_parse("{\"base\": {\"ops\": [100]}, \"head\": {\"ops\": [90]}}", 'A');

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	return sides;
}

/* The exit code for sides that are taken, with LIMIT ("METRIC:5%") or NULL. */
static int code_of(RigSides *sides, const char *limit)
{
	g_auto(Judged) judged = judged_new(sides, NULL);
	g_autoptr(GPtrArray) limits = g_ptr_array_new_with_free_func(rig_gate_limit_free);
	g_autoptr(GPtrArray) checks = NULL;
	g_autoptr(GError) error = NULL;

	if (limit)
		g_ptr_array_add(limits, rig_gate_limit_parse(limit, &error));
	g_assert_no_error(error);
	checks = rig_gate_checks(judged.judgement, limits, &error);
	g_assert_no_error(error);
	return rig_gate_exit_code(checks);
}

static void test_primaries(void)
{
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'A'), NULL), ==, 1);
	g_assert_cmpint(code_of(make(OPS_10_LESS, OPS, 'A'), NULL), ==, 0); /* better */
	g_assert_cmpint(code_of(make(OPS, OPS_SAME, 'A'), NULL), ==, 0);
	g_assert_cmpint(code_of(make(OPS, OPS_WILD, 'A'), NULL), ==, 20);
	/* Nobody may judge it, so nobody is told that it is bad. */
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'C'), NULL), ==, 0);
	/* One run a side is no verdict. */
	g_assert_cmpint(code_of(make_one_run(), NULL), ==, 20);
}

static void test_limits(void)
{
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'A'), "ops:5%"), ==, 1);
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'A'), "ops:20%"), ==, 0);
	/* 10 % it is, and the interval reaches beyond 10.5 %. */
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'A'), "ops:10.5%"), ==, 20);
	g_assert_cmpint(code_of(make(OPS_10_LESS, OPS, 'A'), "ops:0%"), ==, 0);
	g_assert_cmpint(code_of(make(OPS, OPS_WILD, 'A'), "ops:5%"), ==, 20);
	/* A counter has no good side: a move of it fails in either direction. */
	g_assert_cmpint(code_of(make(OPS, OPS, 'A'), "c.n:50%"), ==, 1);
	g_assert_cmpint(code_of(make(OPS, OPS, 'A'), "c.n:200%"), ==, 0);
	/* Limits stand in the place of the primaries. */
	g_assert_cmpint(code_of(make(OPS, OPS_10_LESS, 'A'), "c.n:200%"), ==, 0);
	/* Events are judged in class C; a timing that is asked for there is no green light. */
	g_assert_cmpint(code_of(make(OPS, OPS, 'C'), "c.n:50%"), ==, 1);
	g_assert_cmpint(code_of(make(OPS, OPS, 'C'), "ops:5%"), ==, 20);
}

static RigSides *with_failures(guint base_good, guint base_bad, guint head_good, guint head_bad)
{
	static const RecordSpec good = {"k", "s", "6.1", 'C', RIG_OUTCOME_OK, 500000, 20000, 1000};
	RecordSpec bad = good;
	RigSides *sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&good, base_good);
	g_autoptr(GPtrArray) head = records_make(&good, head_good);

	bad.outcome = RIG_OUTCOME_PANIC;
	for (guint i = 0; i < base_bad; i++)
		g_ptr_array_add(base, record_make(&bad));
	for (guint i = 0; i < head_bad; i++)
		g_ptr_array_add(head, record_make(&bad));
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	return sides;
}

static void test_failures(void)
{
	g_assert_cmpint(code_of(with_failures(5, 0, 5, 0), NULL), ==, 0);
	g_assert_cmpint(code_of(with_failures(5, 1, 5, 1), NULL), ==, 0);
	/* Fisher: 0 of 5 against 4 of 5 is p = 0.048, against 3 of 5 it is 0.17. */
	g_assert_cmpint(code_of(with_failures(5, 0, 1, 4), NULL), ==, 1);
	g_assert_cmpint(code_of(with_failures(5, 0, 2, 3), NULL), ==, 20);
	g_assert_cmpint(code_of(with_failures(3, 0, 0, 3), NULL), ==, 1);
	g_assert_cmpint(code_of(with_failures(0, 3, 3, 0), NULL), ==, 20);
	g_assert_cmpint(code_of(with_failures(5, 0, 4, 1), "failures:0%"), ==, 1);
	g_assert_cmpint(code_of(with_failures(5, 0, 4, 1), "failures:20%"), ==, 0);
}

static void expect_bad_limit(const char *text)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_gate_limit_parse(text, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is no limit");
}

static void expect_refused(const char *text, const char *part)
{
	g_auto(Judged) judged = judged_new(make(OPS, OPS, 'A'), NULL);
	g_autoptr(GPtrArray) limits = g_ptr_array_new_with_free_func(rig_gate_limit_free);
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(limits, rig_gate_limit_parse(text, &error));
	g_assert_no_error(error);
	g_assert_null(rig_gate_checks(judged.judgement, limits, &error));
	expect_error(&error, RIG_ERROR_USAGE, part);
}

static void test_bad_limits(void)
{
	static const char *const bad[] = {"ops",     "ops:",	 ":5%",	    "ops:5",	"ops:-5%",
					  "ops:5 %", "ops:nan%", "ops:5%%", "ops:1e9%", ""};

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++)
		expect_bad_limit(bad[i]);
	expect_refused("opps:5%", "did you mean ops?");
	expect_refused("nothing.like.it:5%", "there is no such metric");
	expect_refused("ops:5pt", "in percent");
}

static void test_formats(void)
{
	g_auto(Judged) bad = judged_new(make(OPS, OPS_10_LESS, 'A'), NULL);
	g_auto(Judged) emulated = judged_new(make(OPS, OPS_10_LESS, 'C'), NULL);
	g_autoptr(GPtrArray) bad_checks = rig_gate_checks(bad.judgement, NULL, NULL);
	g_autoptr(GPtrArray) emulated_checks = rig_gate_checks(emulated.judgement, NULL, NULL);
	g_autofree char *ktap = rig_ktap_render(bad.judgement, bad_checks);
	g_autofree char *ktap_skip = rig_ktap_render(emulated.judgement, emulated_checks);
	g_autofree char *junit = rig_junit_render(bad.judgement, bad_checks);
	g_autofree char *junit_skip = rig_junit_render(emulated.judgement, emulated_checks);

	expect_golden_file(ktap, "report", "worse.ktap");
	expect_golden_file(ktap_skip, "report", "emulated.ktap");
	expect_golden_file(junit, "report", "worse.junit.xml");
	expect_golden_file(junit_skip, "report", "emulated.junit.xml");
}

/* What a record's names hold must not become a directive or a tag. */
static void test_hostile(void)
{
	RigSides *sides = sides_parse("{\"base\": {\"a # SKIP <b>&\": [5, 6, 7]},"
				      " \"head\": {\"a # SKIP <b>&\": [1, 2, 3]}}",
				      'A');
	g_auto(Judged) judged = {0};
	g_autoptr(GPtrArray) checks = NULL;
	g_autofree char *ktap = NULL;
	g_autofree char *junit = NULL;

	sides_own(sides, "a # SKIP <b>&", "", RIG_LOWER, RIG_KIND_RATIO, TRUE);
	judged = judged_new(sides, NULL);
	checks = rig_gate_checks(judged.judgement, NULL, NULL);
	ktap = rig_ktap_render(judged.judgement, checks);
	junit = rig_junit_render(judged.judgement, checks);
	g_assert_nonnull(strstr(ktap, " 2 a _ SKIP <b>&"));
	g_assert_nonnull(strstr(junit, "name=\"a # SKIP &lt;b&gt;&amp;\""));
	g_assert_null(strstr(junit, "<b>"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/gate/primaries", test_primaries);
	g_test_add_func("/gate/limits", test_limits);
	g_test_add_func("/gate/failures", test_failures);
	g_test_add_func("/gate/bad-limits", test_bad_limits);
	g_test_add_func("/gate/formats", test_formats);
	g_test_add_func("/gate/hostile", test_hostile);
	return g_test_run();
}
