/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-lkp.c - the robot's table against the robot's own output (tests/data/lkp/), and its rule
 * against what the original decided on a set of cases.
 */
#include "report/lkp.h"

#include "expect.h"

#define GOLDEN_KEYS                                                            \
	"compiler=gcc-13 cpufreq_governor=performance runtime=300s size=512G " \
	"tbox_group=lkp-icl-2sp2 test=anon-cow-rand-hugetlb testcase=vm-scalability"

static void set_golden_keys(RigSides *sides)
{
	g_auto(GStrv) pairs = g_strsplit(GOLDEN_KEYS, " ", -1);

	for (char **pair = pairs; *pair; pair++) {
		char *equals = strchr(*pair, '=');

		g_hash_table_insert(sides->keys, g_strndup(*pair, equals - *pair),
				    g_strdup(equals + 1));
	}
	sides->suite = g_strdup("vm-scalability");
}

static char *golden(const char *name)
{
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", "lkp", name, NULL);
	g_autoptr(GError) error = NULL;
	char *text = rig_file_read(path, 0x100000, NULL, &error);

	g_assert_no_error(error);
	return text;
}

/* {"base": {...}, "head": {...}} with the names of the two sides. */
static RigSides *sides_from(const char *text, const char *base, const char *head)
{
	RigSides *sides = rig_sides_new();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) root = rig_json_parse("input", text, -1, &error);

	g_assert_no_error(error);
	rig_sides_add_json(sides, base, rig_json_object(root, "base", RIG_JSON_REQUIRED));
	rig_sides_add_json(sides, head, rig_json_object(root, "head", RIG_JSON_REQUIRED));
	g_assert_true(rig_json_finish(root, &error));
	g_assert_no_error(error);
	set_golden_keys(sides);
	return sides;
}

static void expect_golden(const char *input, const char *base, const char *head, RigLkpRows rows,
			  const char *expected_name)
{
	g_autoptr(RigSides) sides = sides_from(input, base, head);
	g_autofree char *expected = golden(expected_name);
	g_autofree char *text = rig_lkp_render(sides, rows);

	g_assert_cmpstr(text, ==, expected);
}

#define BASE "6b0ed7b3c77547d2c1f5e5a5a5a5a5a5a5a5a5a5"
#define HEAD "d2136d749d76af980b3accd72704eea4eab625bd"

static void test_golden_rule(void)
{
	g_autofree char *input = golden("compare1.input.json");

	expect_golden(input, BASE, HEAD, RIG_LKP_ROWS_RULE, "compare1.default.txt");
}

static void test_golden_all(void)
{
	g_autofree char *input = golden("compare1.input.json");

	expect_golden(input, BASE, HEAD, RIG_LKP_ROWS_ALL, "compare1.all.txt");
}

/* The inputs follow from the figures that the original printed. */
static void test_number_format(void)
{
	expect_golden("{\"base\": {\"x.a\": [999.99, 999.99, 999.99], \"x.b\": [1000, 1000, 1000],"
		      " \"x.c\": [1e8, 1e8, 1e8], \"x.d\": [100000001, 100000001, 100000001],"
		      " \"x.e\": [0.5, 0.5, 0.5], \"x.f\": [-5, -5, -5], \"x.g\": [0, 0, 0],"
		      " \"x.h\": [1, 1, 1], \"x.i\": [97, 100, 103]},"
		      "\"head\": {\"x.a\": [2000, 2000, 2000], \"x.b\": [0, 0, 0],"
		      " \"x.c\": [2e8, 2e8, 2e8], \"x.d\": [3e8, 3e8, 3e8],"
		      " \"x.e\": [0.6, 0.6, 0.6], \"x.f\": [5, 5, 5], \"x.g\": [1, 1, 1],"
		      " \"x.h\": [2000, 2000, 2000], \"x.i\": [191, 200, 209]}}",
		      "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb",
		      "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", RIG_LKP_ROWS_ALL,
		      "number-format.txt");
}

/* One case of decision-rules.txt: EXPECTED holds the rows that the original shows, in its own words
 * with one blank between two fields, or "" for none. */
typedef struct {
	const char *title, *base, *head, *expected;
} Case;

static const Case cases[] = {
	{"n=2/2", "\"vm-scalability.throughput\": [100000, 100002]",
	 "\"vm-scalability.throughput\": [50000, 50002]", ""},
	{"n=3/1", "\"vm-scalability.throughput\": [100000, 100001, 100002]",
	 "\"vm-scalability.throughput\": [50000]",
	 "vm-scalability.throughput avgs=100001,50000 sd=0.816497,-1 chg=-50.0005 runs=3,1\n"},
	{"n=1/3", "\"vm-scalability.throughput\": [100000]",
	 "\"vm-scalability.throughput\": [50000, 50001, 50002]",
	 "vm-scalability.throughput avgs=100000,50001 sd=-1,0.816497 chg=-49.999 runs=1,3\n"},
	{"3/3 0.9%", "\"vm-scalability.throughput\": [100000, 100001, 100002]",
	 "\"vm-scalability.throughput\": [100900, 100901, 100902]", ""},
	{"3/3 1.1%", "\"vm-scalability.throughput\": [100000, 100001, 100002]",
	 "\"vm-scalability.throughput\": [101100, 101101, 101102]",
	 "vm-scalability.throughput avgs=100001,101101 sd=0.816497,0.816497 chg=1.09999 "
	 "runs=3,3\n"},
	{"overlap partial: b 100..110 med105, h 106..116 med 111",
	 "\"vm-scalability.throughput\": [100000, 105000, 110000]",
	 "\"vm-scalability.throughput\": [106000, 111000, 116000]",
	 "vm-scalability.throughput avgs=105000,111000 sd=4082.48,4082.48 chg=5.71429 "
	 "runs=3,3\n"},
	{"overlap more: h 104..114 med 109",
	 "\"vm-scalability.throughput\": [100000, 105000, 110000]",
	 "\"vm-scalability.throughput\": [104000, 109000, 114000]", ""},
	{"mpstat 4%", "\"mpstat.cpu.all.sys%\": [10, 10, 10]",
	 "\"mpstat.cpu.all.sys%\": [10.4, 10.4, 10.4]", ""},
	{"mpstat 6%", "\"mpstat.cpu.all.sys%\": [10, 10, 10]",
	 "\"mpstat.cpu.all.sys%\": [10.6, 10.6, 10.6]",
	 "mpstat.cpu.all.sys% avgs=10,10.6 sd=0,0 chg=0.6 runs=3,3\n"},
	{"proc-vmstat small max<1000", "\"proc-vmstat.numa_pages_migrated\": [100, 100, 100]",
	 "\"proc-vmstat.numa_pages_migrated\": [900, 900, 900]", ""},
	{"proc-vmstat zero base", "\"proc-vmstat.numa_pages_migrated\": [0, 0, 0]",
	 "\"proc-vmstat.numa_pages_migrated\": [9000, 9000, 9000]",
	 "proc-vmstat.numa_pages_migrated avgs=0,9000 sd=0,0 chg=9e+105 runs=3,3\n"},
	{"proc-vmstat missing base", "\"proc-vmstat.pgfault\": [5, 5, 5]",
	 "\"proc-vmstat.pgfault\": [5, 5, 5], "
	 "\"proc-vmstat.numa_pages_migrated\": [9000, 9000, 9000]",
	 ""},
	{"proc-vmstat missing head",
	 "\"proc-vmstat.pgfault\": [5, 5, 5], "
	 "\"proc-vmstat.numa_pages_migrated\": [9000, 9000, 9000]",
	 "\"proc-vmstat.pgfault\": [5, 5, 5]",
	 "proc-vmstat.numa_pages_migrated avgs=9000,0 sd=0,-1 chg=-100 runs=3,3\n"},
	{"dmesg 0/3 -> 1/3", "\"dmesg.BUG:foo\": [0, 0, 0]", "\"dmesg.BUG:foo\": [0, 1, 0]",
	 "dmesg.BUG:foo fails=0,1 chg=33.3333 runs=3,3\n"},
	{"dmesg missing base", "\"proc-vmstat.pgfault\": [5, 5, 5]",
	 "\"proc-vmstat.pgfault\": [5, 5, 5], \"dmesg.BUG:foo\": [0, 1, 0]",
	 "dmesg.BUG:foo fails=0,1 chg=33.3333 runs=3,3\n"},
	{"slabinfo", "\"slabinfo.a.num_objs\": [1000, 1000, 1000]",
	 "\"slabinfo.a.num_objs\": [3000, 3000, 3000]",
	 "slabinfo.a.num_objs avgs=1000,3000 sd=0,0 chg=200 runs=3,3\n"},
	{"perf-sched", "\"perf-sched.total_wait_time.max.ms\": [1000, 1000, 1000]",
	 "\"perf-sched.total_wait_time.max.ms\": [3000, 3000, 3000]",
	 "perf-sched.total_wait_time.max.ms avgs=1000,3000 sd=0,0 chg=200 runs=3,3\n"},
	{"kpi",
	 "\"vm-scalability.throughput\": [100000, 100001, 100002], "
	 "\"vm-scalability.stddev%\": [1.0, 1.1, 1.2]",
	 "\"vm-scalability.throughput\": [50000, 50001, 50002], "
	 "\"vm-scalability.stddev%\": [5.0, 5.1, 5.2]",
	 "vm-scalability.stddev% avgs=1.1,5.1 sd=0.0816497,0.0816497 chg=4 runs=3,3\n"
	 "vm-scalability.throughput avgs=100001,50001 sd=0.816497,0.816497 chg=-49.9995 "
	 "runs=3,3\n"},
	{"incomplete run",
	 "\"vm-scalability.throughput\": [100000, 100001, 100002, 100000], "
	 "\"last_state.is_incomplete_run\": [0, 0, 0, 0]",
	 "\"vm-scalability.throughput\": [50000, 50001, 50002, 7], "
	 "\"last_state.is_incomplete_run\": [0, 0, 0, 1]",
	 "last_state.is_incomplete_run fails=0,1 chg=25 runs=4,4\n"
	 "vm-scalability.throughput avgs=100001,50001 sd=0.829156,0.816497 chg=-49.9994 "
	 "runs=4,3\n"},
};

static char *row_text(const RigLkpRow *row)
{
	if (row->failure)
		return g_strdup_printf("%s fails=%u,%u chg=%.6g runs=%u,%u\n", row->name,
				       row->fails[0], row->fails[1], row->changes[1], row->runs[0],
				       row->runs[1]);
	return g_strdup_printf("%s avgs=%.6g,%.6g sd=%.6g,%.6g chg=%.6g runs=%u,%u\n", row->name,
			       row->avgs[0], row->avgs[1], row->stddevs[0], row->stddevs[1],
			       row->changes[1], row->runs[0], row->runs[1]);
}

static void test_decision(gconstpointer data)
{
	const Case *c = data;
	g_autofree char *input =
		g_strdup_printf("{\"base\": {%s}, \"head\": {%s}}", c->base, c->head);
	g_autoptr(RigSides) sides = sides_from(input, "base", "head");
	g_autoptr(GPtrArray) rows = rig_lkp_rows(sides, RIG_LKP_ROWS_RULE);
	g_autoptr(GString) found = g_string_new(NULL);

	for (guint i = 0; i < rows->len; i++) {
		g_autofree char *text = row_text(g_ptr_array_index(rows, i));

		g_string_append(found, text);
	}
	g_assert_cmpstr(found->str, ==, c->expected);
}

/* The titles and the row names of the original's transcript, so that the cases cannot drift from
 * it. */
static void test_cases_are_the_original(void)
{
	g_autofree char *original = golden("decision-rules.txt");

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_auto(GStrv) lines = g_strsplit(cases[i].expected, "\n", -1);

		g_assert_nonnull(strstr(original, cases[i].title));
		for (char **line = lines; *line && **line; line++) {
			g_autofree char *name = g_strndup(*line, strcspn(*line, " "));

			g_assert_nonnull(strstr(original, name));
		}
	}
}

/* Known failures on both sides are no news, in either direction one new or gone is. */
static void test_failure_rule(void)
{
	static const struct {
		const char *base, *head;
		guint rows;
	} table[] = {
		{"[1, 0, 0]", "[1, 1, 1]", 0},
		{"[1, 1, 1]", "[0, 0, 0]", 1},
		{"[0]", "[1]", 1},
		{"[0, 0, 0]", "[0, 0, 0]", 0},
	};

	for (guint i = 0; i < G_N_ELEMENTS(table); i++) {
		g_autofree char *input = g_strdup_printf("{\"base\": {\"dmesg.x\": %s}, "
							 "\"head\": {\"dmesg.x\": %s}}",
							 table[i].base, table[i].head);
		g_autoptr(RigSides) sides = sides_from(input, "base", "head");
		g_autoptr(GPtrArray) rows = rig_lkp_rows(sides, RIG_LKP_ROWS_RULE);

		g_assert_cmpuint(rows->len, ==, table[i].rows);
	}
}

/* Columns of a third side repeat those of the second; failures that a side has not are blank. */
static void test_three_sides(void)
{
	static const char input[] = "{\"base\": {\"t.x\": [10, 10, 10], \"dmesg.x\": [0, 0, 0]},"
				    " \"head\": {\"t.x\": [20, 20, 20], \"dmesg.x\": [1, 1, 1]}}";
	g_autoptr(RigSides) sides = sides_from(input, "v6.1", "v6.12");
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) third = rig_json_parse("third", "{\"t.x\": [5, 5, 5]}", -1, &error);
	g_autofree char *text = NULL;

	g_assert_no_error(error);
	rig_sides_add_json(sides, "v6.18", third);
	g_assert_true(rig_json_finish(third, &error));
	text = rig_lkp_render(sides, RIG_LKP_ROWS_ALL);
	g_assert_nonnull(strstr(text, "\ncommit: \n  v6.1\n  v6.12\n  v6.18\n\n"
				      "            v6.1                       v6.12 "
				      "                      v6.18 \n"
				      "---------------- --------------------------- "
				      "--------------------------- \n"
				      "       fail:runs  %reproduction    fail:runs  %reproduction"
				      "    fail:runs\n"));
	g_assert_nonnull(strstr(text, "           :3          100%           3:3"
				      "            0%            :3     dmesg.x\n"));
	g_assert_nonnull(strstr(text, "     10.00          +100.0%      20.00"
				      "           -50.0%       5.00        t.x\n"));
}

/* From 32 runs on an outlier on each end does not count. */
static void test_margin(void)
{
	g_autoptr(GString) base = g_string_new("1000");
	g_autoptr(GString) head = g_string_new("1");
	g_autofree char *input = NULL;
	g_autoptr(RigSides) sides = NULL;
	g_autoptr(GPtrArray) rows = NULL;

	for (int i = 1; i < 32; i++) {
		g_string_append(base, ", 100");
		g_string_append(head, ", 200");
	}
	input = g_strdup_printf("{\"base\": {\"t.x\": [%s]}, \"head\": {\"t.x\": [%s]}}", base->str,
				head->str);
	sides = sides_from(input, "base", "head");
	rows = rig_lkp_rows(sides, RIG_LKP_ROWS_RULE);
	g_assert_cmpuint(rows->len, ==, 1);
}

/* What rig's statistics find: a counter that appears is "new", not a change of 1e+102 percent; one
 * that the robot's rule would show too, and one that does not move, are told apart. */
static void test_found(void)
{
	g_autoptr(RigSides) sides =
		sides_from("{\"base\": {\"vm-scalability.throughput\": [100, 101, 102, 100, 101],"
			   "  \"proc-vmstat.fresh\": [0, 0, 0, 0, 0],"
			   "  \"proc-vmstat.moved\": [1000, 1010, 1020, 1005, 1015],"
			   "  \"proc-vmstat.gone\": [60, 61, 62, 63, 64],"
			   "  \"proc-vmstat.still\": [1000, 1010, 1020, 1005, 1015]},"
			   " \"head\": {\"vm-scalability.throughput\": [100, 101, 102, 101, 100],"
			   "  \"proc-vmstat.fresh\": [50, 51, 52, 53, 54],"
			   "  \"proc-vmstat.moved\": [2000, 2010, 2020, 2005, 2015],"
			   "  \"proc-vmstat.gone\": [0, 0, 0, 0, 0],"
			   "  \"proc-vmstat.still\": [1005, 1010, 1020, 1000, 1015]}}",
			   "b", "h");
	RigMetricInfo *own = (RigMetricInfo *)rig_sides_info(sides, "vm-scalability.throughput");
	g_autoptr(RigCompare) compare = NULL;
	g_autoptr(RigJudgement) judgement = NULL;
	g_autofree char *text = NULL;

	own->own = own->primary = TRUE;
	compare = rig_compare_new(sides);
	judgement = rig_judgement_new(compare, NULL);
	text = rig_lkp_render_found(judgement);
	g_assert_nonnull(strstr(
		text, "\n         %stddev     %change         %stddev\n"
		      "             \\          |                \\  \n"
		      "    100.80            +0.0%     100.80        vm-scalability.throughput\n"
		      "      0.00             new       52.00 ±  2%  proc-vmstat.fresh\n"
		      "     62.00 ±  2%    -100.0%       0.00        proc-vmstat.gone\n"
		      "      1010           +99.0%       2010        proc-vmstat.moved\n\n"));
}

/* A guest chooses names; none of them moves a cursor. */
static void test_hostile_names(void)
{
	g_autoptr(RigSides) sides =
		sides_from("{\"base\": {\"t.\\u001b[2Jx\": [1]}, \"head\": {}}", "b\033[31m", "h");
	g_autofree char *text = rig_lkp_render(sides, RIG_LKP_ROWS_ALL);

	g_assert_null(strchr(text, '\033'));
	g_assert_nonnull(strstr(text, "t.\\x1b[2Jx"));
}

static void test_profile_order(void)
{
	g_autoptr(RigSides) sides =
		sides_from("{\"base\": {\"perf-profile.self.b\": [1], \"perf-profile.self.a\": [1],"
			   " \"perf-profile.calltrace.z\": [1]},"
			   " \"head\": {\"perf-profile.self.b\": [2], \"perf-profile.self.a\": [3],"
			   " \"perf-profile.calltrace.z\": [9]}}",
			   "b", "h");
	g_autoptr(GPtrArray) rows = rig_lkp_rows(sides, RIG_LKP_ROWS_ALL);
	static const char *const expected[] = {"perf-profile.calltrace.z", "perf-profile.self.b",
					       "perf-profile.self.a"};

	for (guint i = 0; i < 3; i++)
		g_assert_cmpstr(((RigLkpRow *)g_ptr_array_index(rows, i))->name, ==, expected[i]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/lkp/golden/rule", test_golden_rule);
	g_test_add_func("/lkp/golden/all", test_golden_all);
	g_test_add_func("/lkp/golden/number-format", test_number_format);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *path = g_strdup_printf("/lkp/decision/%02u", i);

		g_test_add_data_func(path, &cases[i], test_decision);
	}
	g_test_add_func("/lkp/decision/original", test_cases_are_the_original);
	g_test_add_func("/lkp/failure-rule", test_failure_rule);
	g_test_add_func("/lkp/three-sides", test_three_sides);
	g_test_add_func("/lkp/margin", test_margin);
	g_test_add_func("/lkp/found", test_found);
	g_test_add_func("/lkp/hostile-names", test_hostile_names);
	g_test_add_func("/lkp/profile-order", test_profile_order);
	return g_test_run();
}
