/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-csv.c - comma-separated values: quoting, missing values, and numbers that read back.
 */
#include "report/csv.h"

#include <math.h>

#include "expect.h"
#include "report/number.h"
#include "report-records.h"

static void test_lines(void)
{
	static const RecordSpec spec = {"6.1-cloud",	"ba\"se, one", "6.1", 'C',
					RIG_OUTCOME_OK, 500000,	       8,     1764510185};
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) records = records_make(&spec, 1);
	RecordSpec failed = spec;
	g_autoptr(RigCompare) compare = NULL;
	g_autoptr(RigJudgement) judgement = NULL;
	g_autofree char *text = NULL;

	failed.outcome = RIG_OUTCOME_HANG;
	failed.started++;
	g_ptr_array_add(records, record_make(&failed));
	((RigRecord *)records->pdata[0])->id = g_strdup("20251130-134305-7f3a");
	rig_sides_add_records(sides, "ba\"se, one", records);
	compare = rig_compare_new(sides);
	judgement = rig_judgement_new(compare, NULL);
	text = rig_csv_render(judgement);
	g_assert_true(g_str_has_prefix(text,
				       "side,kernel,class,run,started,outcome,metric,unit,value,"
				       "change,change_unit,lo95,hi95,p,q,verdict\r\n"));
	g_assert_nonnull(strstr(text, "\"ba\"\"se, one\",6.1-cloud,C,20251130-134305-7f3a,"
				      "2025-11-30T13:43:05Z,ok,vm-scalability.throughput,KB/s,"
				      "500000,,,,,,,\r\n"));
	g_assert_nonnull(strstr(text, "\"ba\"\"se, one\",6.1-cloud,C,2,2025-11-30T13:43:06Z,hang,"
				      "vm-scalability.throughput,KB/s,,,,,,,,\r\n"));
	g_assert_nonnull(strstr(text, "ok,locality.hint_faults_local%,,80,,,,,,,\r\n"));
}

static void test_hostile_names(void)
{
	static const RecordSpec spec = {"k", "s", "6.1", 'C', RIG_OUTCOME_OK, 5, 8, 1};
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) records = records_make(&spec, 1);
	g_autoptr(RigCompare) compare = NULL;
	g_autoptr(RigJudgement) judgement = NULL;
	g_autofree char *text = NULL;

	rig_metrics_set(((RigRecord *)records->pdata[0])->metrics, "a\033[2J\nb", 1);
	rig_sides_add_records(sides, "s", records);
	compare = rig_compare_new(sides);
	judgement = rig_judgement_new(compare, NULL);
	text = rig_csv_render(judgement);
	g_assert_null(strchr(text, '\033'));
	/* A line break is data and stays, inside quotes. */
	g_assert_nonnull(strstr(text, ",\"a\\x1b[2J\nb\",,1,,,,,,,\r\n"));
}

static void expect_exact(double value, const char *expected)
{
	g_autofree char *text = rig_number_exact(value);

	g_assert_cmpstr(text, ==, expected);
	if (isfinite(value))
		g_assert_cmpfloat(g_ascii_strtod(text, NULL), ==, value);
}

static void test_exact(void)
{
	expect_exact(0, "0");
	expect_exact(0.1, "0.1");
	expect_exact(1.0 / 3, "0.3333333333333333");
	expect_exact(0.1 + 0.2, "0.30000000000000004");
	expect_exact(1e300, "1e+300");
	expect_exact(-5, "-5");
	expect_exact(NAN, "");
	expect_exact(INFINITY, "");
}

static void expect_people(double value, const char *expected)
{
	g_autofree char *text = rig_number_people(value);

	g_assert_cmpstr(text, ==, expected);
}

static void test_people(void)
{
	expect_people(0, "0");
	expect_people(7, "7");
	expect_people(79.514, "79.51");
	expect_people(0.5, "0.5");
	expect_people(-12.346, "-12.35");
	expect_people(999.96, "1000");
	expect_people(1234567.8, "1234568");
	expect_people(123456789, "123456789");
	expect_people(1.5e9, "1.5e+09");
	expect_people(0.0000123, "1.23e-05");
	expect_people(NAN, "-");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/csv/lines", test_lines);
	g_test_add_func("/csv/hostile-names", test_hostile_names);
	g_test_add_func("/number/exact", test_exact);
	g_test_add_func("/number/people", test_people);
	return g_test_run();
}
