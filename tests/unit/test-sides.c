/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-sides.c - records and lists of numbers as sides: what is missing, failed or unknown.
 */
#include "report/sides.h"

#include <math.h>

#include "expect.h"
#include "report-records.h"

static const RecordSpec spec = {
	"6.1-cloud", "base", "6.1.0", 'C', RIG_OUTCOME_OK, 1000, 2000, 100,
};

static void test_records(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) records = records_make(&spec, 2);
	RecordSpec failed = spec;
	const RigSide *side;
	const double *values;
	const RigMetricInfo *info;

	failed.outcome = RIG_OUTCOME_OOM;
	g_ptr_array_insert(records, 1, record_make(&failed));
	rig_sides_add_records(sides, "base", records);
	side = rig_sides_at(sides, 0);
	g_assert_cmpuint(side->runs->len, ==, 3);
	g_assert_cmpuint(side->n_failed, ==, 1);
	g_assert_cmpint(side->class, ==, 'C');
	g_assert_cmpstr(side->kernel, ==, "6.1-cloud");
	g_assert_cmpstr(sides->workload, ==, "anon-cow-rand-hugetlb");
	values = rig_side_values(side, "vm-scalability.throughput");
	g_assert_cmpfloat(values[0], ==, 1000);
	g_assert_true(isnan(values[1]));
	g_assert_cmpfloat(values[2], ==, 2000);
	info = rig_sides_info(sides, "vm-scalability.throughput");
	g_assert_true(info->own && info->primary);
	g_assert_cmpstr(info->unit, ==, "KB/s");
	g_assert_cmpint(info->direction, ==, RIG_HIGHER);
	g_assert_null(rig_side_values(side, "no.such.metric"));
	g_assert_null(rig_sides_info(sides, "no.such.metric"));
	g_assert_cmpstr(g_ptr_array_index(sides->phases, 0), ==, "copy");
}

/* What a failed run left half-way through is no value. */
static void test_failed_run_has_no_values(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) records = records_make(&spec, 1);

	((RigRecord *)records->pdata[0])->outcome = RIG_OUTCOME_PARTIAL;
	rig_sides_add_records(sides, "base", records);
	g_assert_null(rig_side_values(rig_sides_at(sides, 0), "vm-scalability.throughput"));
}

static void test_counters_are_not_guessed(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) records = records_make(&spec, 1);
	const RigMetricInfo *info;

	rig_sides_add_records(sides, "base", records);
	info = rig_sides_info(sides, "proc-vmstat.numa_hint_faults");
	g_assert_false(info->own);
	g_assert_cmpint(info->direction, ==, RIG_NEITHER);
	g_assert_cmpint(info->kind, ==, RIG_KIND_COUNT);
	g_assert_cmpint(rig_sides_info(sides, "locality.hint_faults_local%")->kind, ==,
			RIG_KIND_PERCENTAGE);
}

static void test_disagreement(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&spec, 2);
	g_autoptr(GPtrArray) head = records_make(&spec, 2);
	RigRecord *last = head->pdata[1];

	g_free(last->compiler);
	last->compiler = g_strdup("gcc-14");
	rig_record_manifest(last, "kernel.release", "6.2.0");
	last->class = 'A';
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	g_assert_null(sides->compiler);
	g_assert_cmpstr(sides->kconfig, ==, "cloud");
	g_assert_cmpstr(rig_side_manifest(rig_sides_at(sides, 0), "kernel.release"), ==, "6.1.0");
	g_assert_null(rig_side_manifest(rig_sides_at(sides, 1), "kernel.release"));
	g_assert_null(rig_side_manifest(rig_sides_at(sides, 0), "no.such.key"));
	g_assert_cmpint(rig_sides_at(sides, 1)->class, ==, '?');
}

/* A run that never got its guest has a class by accident. */
static void test_class_of_failed_runs(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	RecordSpec good = spec, failed = spec;
	g_autoptr(GPtrArray) records = NULL;

	good.class = 'A';
	failed.outcome = RIG_OUTCOME_BOOT;
	records = records_make(&good, 2);
	g_ptr_array_add(records, record_make(&failed));
	rig_sides_add_records(sides, "base", records);
	g_assert_cmpint(rig_sides_at(sides, 0)->class, ==, 'A');
}

static void test_outcomes(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&spec, 2);
	g_autoptr(GPtrArray) head = records_make(&spec, 1);
	RecordSpec failed = spec;
	const double *values;

	failed.outcome = RIG_OUTCOME_PANIC;
	g_ptr_array_add(head, record_make(&failed));
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_outcomes(sides);
	g_assert_null(rig_sides_info(sides, "last_state.is_incomplete_run"));
	rig_sides_add_records(sides, "head", head);
	rig_sides_add_outcomes(sides);
	values = rig_side_values(rig_sides_at(sides, 1), "last_state.is_incomplete_run");
	g_assert_cmpfloat(values[0], ==, 0);
	g_assert_cmpfloat(values[1], ==, 1);
	values = rig_side_values(rig_sides_at(sides, 1), "last_state.panic");
	g_assert_cmpfloat(values[1], ==, 1);
}

static void add_json(RigSides *sides, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse("matrix.json", text, -1, error);

	if (root) {
		rig_sides_add_json(sides, "side", root);
		if (!rig_json_finish(root, error))
			g_assert_true(!error || *error);
	}
}

static void test_json(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GError) error = NULL;
	guint n;
	g_autofree const char **names = NULL;

	add_json(sides, "{\"b.x\": [1, 2.5], \"a.x\": [3, 4]}", &error);
	g_assert_no_error(error);
	names = rig_sides_names(sides, &n);
	g_assert_cmpuint(n, ==, 2);
	g_assert_cmpstr(names[0], ==, "a.x");
	g_assert_cmpuint(rig_sides_at(sides, 0)->runs->len, ==, 2);
	g_assert_cmpfloat(rig_side_values(rig_sides_at(sides, 0), "b.x")[1], ==, 2.5);
}

static void test_bad_json(void)
{
	static const struct {
		const char *text, *part;
	} table[] = {
		{"{\"a\": [1, 2], \"b\": [1]}", "b: 1 values, other metrics have 2"},
		{"{\"a\": [1, \"two\"]}", "a[1]"},
		{"{\"a\": 1}", "a"},
		{"[1]", "matrix.json"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autoptr(RigSides) sides = rig_sides_new();
		g_autoptr(GError) error = NULL;

		add_json(sides, table[i].text, &error);
		expect_error(&error, RIG_ERROR_USAGE, table[i].part);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/sides/records", test_records);
	g_test_add_func("/sides/failed-run", test_failed_run_has_no_values);
	g_test_add_func("/sides/counters", test_counters_are_not_guessed);
	g_test_add_func("/sides/disagreement", test_disagreement);
	g_test_add_func("/sides/class-of-failed-runs", test_class_of_failed_runs);
	g_test_add_func("/sides/outcomes", test_outcomes);
	g_test_add_func("/sides/json", test_json);
	g_test_add_func("/sides/bad-json", test_bad_json);
	return g_test_run();
}
