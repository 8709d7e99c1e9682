/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-results.c - rig compare and rig results on a store of records.
 */
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli-fixture.h"
#include "model/store.h"
#include "../unit/report-records.h"

static const RecordSpec base_spec = {
	"6.1-cloud", "base", "6.1.0", 'C', RIG_OUTCOME_OK, 500000, 20000, 1764510000,
};
static const RecordSpec head_spec = {
	"6.12-cloud", "head", "6.12.0", 'C', RIG_OUTCOME_OK, 450000, 30000, 1764510100,
};

static void write_record(const char *root, RigRecord *record)
{
	g_autoptr(GError) error = NULL;

	if (!rig_store_write(root, record, &(RigRecordFiles){0}, &error))
		g_error("%s", error->message);
}

/* Three runs of base, three of head, and one of head that failed. */
static void setup(CliFixture *f)
{
	g_autofree char *root = NULL;
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = records_make(&head_spec, 3);
	RecordSpec failed = head_spec;

	cli_setup(f);
	root = g_build_filename(f->root, "state", "results", NULL);
	failed.outcome = RIG_OUTCOME_PANIC;
	failed.started += 50;
	g_ptr_array_add(head, record_make(&failed));
	for (guint i = 0; i < base->len; i++)
		write_record(root, base->pdata[i]);
	for (guint i = 0; i < head->len; i++)
		write_record(root, head->pdata[i]);
}

static void expect_out(const CliFixture *f, const char *text)
{
	if (!strstr(f->last.out, text))
		g_error("\"%s\" is not in:\n%s", text, f->last.out);
}

static guint count_lines(const char *text)
{
	guint n = 0;

	for (; *text; text++)
		n += *text == '\n';
	return n;
}

static void test_compare_table(void)
{
	CliFixture f;

	setup(&f);
	cli_rig(&f, "compare", "base", "head", NULL);
	/* A panic that the base does not have; one of four proves nothing, but lets nothing pass.
	 */
	cli_expect(&f, 20, NULL);
	expect_out(&f, "verdict     NOT JUDGED\n");
	expect_out(&f, "failures    base 0 of 3 runs failed, head 1 of 4");
	expect_out(&f, "-10.0 %\n");
	expect_out(&f, "panic: Kernel panic");
	g_assert_null(strchr(f.last.out, '\033'));
	/* By the kernels' names just the same. */
	cli_rig(&f, "compare", "6.1-cloud", "6.12-cloud", "--all", NULL);
	cli_expect(&f, 20, NULL);
	expect_out(&f, "All counters");
	cli_teardown(&f);
}

/* Kernels that were built by a recipe and its base: the shipped recipe is found and held against
 * the runs. */
static void test_compare_recipe(void)
{
	static const char *const recipes[][3] = {
		{"base-6.12", "mthp-numa", "recipe      mthp-numa: 0 of 3 as expected"},
		{"other", "mthp-numa", NULL}, /* not the recipe's base */
		{"base-6.12", "../kernels/mthp-numa", NULL},
		{"base-6.12", "gone", NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(recipes); i++) {
		CliFixture f;
		g_autofree char *root = NULL;
		g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
		g_autoptr(GPtrArray) head = records_make(&head_spec, 3);

		cli_setup(&f);
		root = g_build_filename(f.root, "state", "results", NULL);
		for (guint run = 0; run < 3; run++) {
			rig_record_manifest(base->pdata[run], "kernel.recipe", recipes[i][0]);
			rig_record_manifest(head->pdata[run], "kernel.recipe", recipes[i][1]);
			write_record(root, base->pdata[run]);
			write_record(root, head->pdata[run]);
		}
		cli_rig(&f, "compare", "base", "head", NULL);
		g_assert_nonnull(strstr(f.last.out, "verdict"));
		if (recipes[i][2])
			expect_out(&f, recipes[i][2]);
		else
			g_assert_null(strstr(f.last.out, "recipe "));
		cli_teardown(&f);
	}
}

static guint remove_caches(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	guint removed = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (g_str_equal(name, RIG_STORE_CACHE))
			removed += unlink(below) == 0 ? 1 : 0;
		else if (g_file_test(below, G_FILE_TEST_IS_DIR))
			removed += remove_caches(below);
	}
	return removed;
}

/* What is printed does not tell whether the records came from their caches: as rig run leaves them,
 * as the first comparison finds them in an old store, as it leaves them. */
static void test_compare_caches(void)
{
	static const char *const formats[] = {"table", "json", "lkp", "csv"};
	CliFixture f;
	g_autofree char *root = NULL;

	setup(&f);
	root = g_build_filename(f.root, "state", "results", NULL);
	for (guint i = 0; i < G_N_ELEMENTS(formats); i++) {
		g_autofree char *as_left = NULL;
		g_autofree char *without = NULL;

		cli_rig(&f, "compare", "base", "head", "--format", formats[i], NULL);
		as_left = g_strdup(f.last.out);
		g_assert_cmpuint(remove_caches(root), ==, 7);
		cli_rig(&f, "compare", "base", "head", "--format", formats[i], NULL);
		without = g_strdup(f.last.out);
		cli_rig(&f, "compare", "base", "head", "--format", formats[i], NULL);
		g_assert_cmpuint(strlen(as_left), >, 100);
		g_assert_cmpstr(as_left, ==, without);
		g_assert_cmpstr(as_left, ==, f.last.out);
	}
	cli_teardown(&f);
}

static void test_compare_lkp(void)
{
	static const char header[] =
		"===================================================================="
		"=====================\n"
		"compiler/cpufreq_governor/kconfig/rootfs/runtime/tbox_group/test/testcase/unit:\n"
		"  "
		"gcc-12/powersave/cloud/tiny/20/2sp-icl/anon-cow-rand-hugetlb/vm-scalability/50%\n"
		"\n"
		"commit: \n"
		"  base\n"
		"  head\n"
		"\n";
	CliFixture f;

	setup(&f);
	cli_rig(&f, "compare", "base", "head", "--format", "lkp", NULL);
	cli_expect(&f, 20, NULL);
	g_assert_true(g_str_has_prefix(f.last.out, header));
	/* The format has no place for it. */
	g_assert_nonnull(strstr(f.last.err, "class C: the guests were emulated, so timings prove"));
	expect_out(&f, "           :3           25%           1:4     last_state.panic\n");
	expect_out(&f, "        vm-scalability.throughput\n");
	cli_rig(&f, "compare", "base", "head", "--format", "lkp", "--rows", "lkp", NULL);
	cli_expect(&f, 20, NULL);
	g_assert_true(g_str_has_prefix(f.last.out, header));
	expect_out(&f, "           :3           25%           1:4     last_state.panic\n");
	expect_out(&f, "    501000           -10.0%     451000        "
		       "vm-scalability.throughput\n");
	g_assert_null(strstr(f.last.out, "meminfo.MemFree"));
	cli_rig(&f, "compare", "base", "head", "--format", "lkp", "--rows", "all", NULL);
	cli_expect(&f, 20, NULL);
	expect_out(&f, "    123456            +0.0%     123456        meminfo.MemFree\n");
	cli_teardown(&f);
}

static void test_compare_for_machines(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;

	setup(&f);
	cli_rig(&f, "compare", "base", "head", "--json", NULL);
	cli_expect(&f, 20, NULL);
	root = cli_json(&f);
	g_assert_cmpstr(rig_json_string(root, "format", RIG_JSON_REQUIRED), ==, "rig-compare");
	g_assert_cmpuint(rig_json_length(rig_json_array(root, "sides", RIG_JSON_REQUIRED)), ==, 2);
	cli_rig(&f, "compare", "base", "head", "--format", "csv", NULL);
	cli_expect(&f, 20, NULL);
	/* A line for each of 11 metrics and 7 runs, the failed one included. */
	g_assert_cmpuint(count_lines(f.last.out), ==, 1 + 11 * 7);
	cli_teardown(&f);
}

/* Events are judged in every class: faults went from 1501000 to 1451000. */
static void test_compare_gates(void)
{
	static const char faults[] = "proc-vmstat.pgfault:";
	g_autofree char *tight = g_strconcat(faults, "1%", NULL);
	g_autofree char *loose = g_strconcat(faults, "10%", NULL);
	CliFixture f;

	setup(&f);
	cli_rig(&f, "compare", "base", "head", "--fail-on", "failures:30%", "--fail-on", loose,
		"--format", "ktap", NULL);
	cli_expect(&f, 0, "pass: head, proc-vmstat.pgfault: change -3.3 %");
	expect_out(&f, "\n    ok 2 proc-vmstat.pgfault\n  ok 1 anon-cow-rand-hugetlb\n");
	cli_rig(&f, "compare", "base", "head", "--fail-on", tight, "--format", "junit", NULL);
	cli_expect(&f, 1, "fail: head, proc-vmstat.pgfault");
	expect_out(&f, "<failure message=\"change -3.3 %");
	cli_rig(&f, "compare", "base", "head", "--fail-on", "vm-scalability.throughput:5%",
		"--format", "markdown", NULL);
	cli_expect(&f, 20, "timings of an emulated machine");
	expect_out(&f, "**NOT JUDGED**");
	cli_rig(&f, "compare", "base", "head", "--fail-on", "vm-scalability.throughputs:5%", NULL);
	cli_expect(&f, 2, "did you mean vm-scalability.throughput?");
	cli_rig(&f, "compare", "base", "head", "--fail-on", "vm-scalability.throughput", NULL);
	cli_expect(&f, 2, "is no limit");
	cli_rig(&f, "compare", "base", "head", "--format", "mmtests", NULL);
	cli_expect(&f, 20, NULL);
	expect_out(&f, "\nHmean     vm-scalability.throughput         500998.67 (   0.00%)");
	cli_teardown(&f);
}

static void test_compare_errors(void)
{
	CliFixture f;

	setup(&f);
	cli_rig(&f, "compare", NULL);
	cli_expect(&f, 2, "BASE and HEAD are missing");
	cli_rig(&f, "compare", "base", NULL);
	cli_expect(&f, 2, "HEAD is missing");
	cli_rig(&f, "compare", "base", "nope", NULL);
	cli_expect(&f, 2, "no results of kernel \"nope\"");
	g_assert_nonnull(strstr(f.last.err, "hint: rig results list"));
	cli_rig(&f, "compare", "base", "6.1-cloud", NULL);
	cli_expect(&f, 2, "are the same results");
	cli_rig(&f, "compare", "base", "head", "--format", "xml", NULL);
	cli_expect(&f, 2, "--format xml");
	cli_rig(&f, "compare", "base", "head", "--rows", "all", NULL);
	cli_expect(&f, 2, "--format lkp only");
	cli_rig(&f, "compare", "base", "head", "--format", "lkp", "--rows", "some", NULL);
	cli_expect(&f, 2, "--rows some");
	cli_rig(&f, "compare", "base", "head", "--json", "--format", "csv", NULL);
	cli_expect(&f, 2, "exclude each other");
	cli_rig(&f, "compare", "base", "head", "--last", "-1", NULL);
	cli_expect(&f, 2, "--last");
	cli_rig(&f, "compare", "base", "head", "--workload", "numa02", NULL);
	cli_expect(&f, 2, "with that workload");
	g_assert_cmpstr(f.last.out, ==, "");
	cli_teardown(&f);
}

static void test_list(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;

	cli_setup(&f);
	cli_rig(&f, "results", "list", NULL);
	cli_expect(&f, 0, "no such runs");
	g_assert_cmpstr(f.last.out, ==, "");
	cli_teardown(&f);
	setup(&f);
	cli_rig(&f, "results", "list", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpuint(count_lines(f.last.out), ==, 8);
	/* The day and the time are in the id, and nowhere else: the longest line has 84 columns. */
	g_assert_null(strstr(f.last.out, "STARTED"));
	for (char *line = f.last.out, *end; (end = strchr(line, '\n')); line = end + 1)
		g_assert_cmpint(end - line, <=, 84);
	cli_rig(&f, "results", "list", "--kernel", "head", "--last", "2", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpuint(count_lines(f.last.out), ==, 3);
	/* The newest is the last. */
	g_assert_nonnull(strstr(strchr(strchr(f.last.out, '\n') + 1, '\n'), "panic"));
	cli_rig(&f, "results", "list", "--failed", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	g_assert_cmpuint(rig_json_length(rig_json_array(root, "runs", RIG_JSON_REQUIRED)), ==, 1);
	cli_teardown(&f);
}

/* A failed run shows what its program said last, without what a terminal would obey. */
static void test_show_stderr(void)
{
	RecordSpec spec = head_spec;
	g_autoptr(RigRawRun) raw = rig_raw_run_new();
	g_autoptr(RigRecord) record = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *root = NULL;
	CliFixture f;

	cli_setup(&f);
	root = g_build_filename(f.root, "state", "results", NULL);
	for (int i = 1; i <= 12; i++)
		g_string_append_printf(raw->err, "\033line %02d\n", i);
	spec.outcome = RIG_OUTCOME_WORKLOAD;
	record = record_make(&spec);
	g_assert_true(rig_store_write(root, record, &(RigRecordFiles){.raw = raw}, &error));
	g_assert_no_error(error);
	cli_rig(&f, "results", "show", "last", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "/raw/stderr\n");
	expect_out(&f, "last lines of stderr:\n\\x1bline 03\n");
	expect_out(&f, "line 12\n");
	g_assert_null(strstr(f.last.out, "line 02"));
	g_assert_null(strchr(f.last.out, '\033'));
	cli_teardown(&f);
}

static void test_show(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;

	setup(&f);
	cli_rig(&f, "results", "show", "last", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "outcome     panic: Kernel panic - not syncing: \\x1b[31mfatal\n");
	cli_rig(&f, "results", "show", "last", "--kernel", "base", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "outcome     ok\n");
	expect_out(&f, "PHASE");
	g_assert_null(strstr(f.last.out, "MANIFEST"));
	cli_rig(&f, "results", "show", "last", "-v", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "qemu.version");
	cli_rig(&f, "results", "show", "last", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	g_assert_cmpstr(rig_json_string(root, "outcome", RIG_JSON_REQUIRED), ==, "panic");
	cli_rig(&f, "results", "show", "2025", NULL);
	cli_expect(&f, 2, "could be 7 runs");
	cli_rig(&f, "results", "show", "nope", NULL);
	cli_expect(&f, 2, "there is no run \"nope\"");
	cli_rig(&f, "results", "show", "", NULL);
	cli_expect(&f, 2, "there is no run \"\"");
	cli_rig(&f, "results", "show", NULL);
	cli_expect(&f, 2, "one RUN");
	cli_teardown(&f);
}

static void test_export(void)
{
	CliFixture f;
	g_autofree char *output = NULL;
	g_autofree char *record = NULL;
	g_autofree char *folder = NULL;
	g_autofree char *cache = NULL;

	setup(&f);
	output = g_build_filename(f.root, "copy", NULL);
	record = g_build_filename(output, "anon-cow-rand-hugetlb", "20-50%", "2sp-icl", "tiny",
				  "cloud", "gcc-12", "6.12-cloud", "0", "record.json", NULL);
	cli_rig(&f, "results", "export", "--all", NULL);
	cli_expect(&f, 2, "--output DIR is missing");
	cli_rig(&f, "results", "export", "--output", output, NULL);
	cli_expect(&f, 2, "name RUNs");
	cli_rig(&f, "results", "export", "--all", "--output", output, "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpuint(count_lines(f.last.out), ==, 7);
	g_assert_false(g_file_test(output, G_FILE_TEST_EXISTS));
	cli_rig(&f, "results", "export", "--all", "--kernel", "head", "--output", output, NULL);
	cli_expect(&f, 0, "4 runs copied");
	g_assert_true(g_file_test(record, G_FILE_TEST_IS_REGULAR));
	folder = g_path_get_dirname(record);
	cache = g_build_filename(folder, RIG_STORE_CACHE, NULL);
	g_assert_false(g_file_test(cache, G_FILE_TEST_EXISTS));
	cli_rig(&f, "results", "export", "last", "--output", output, NULL);
	cli_expect(&f, 2, "exists already");
	cli_teardown(&f);
}

static guint count_runs(CliFixture *f)
{
	g_autoptr(RigJson) root = NULL;

	cli_rig(f, "results", "list", "--json", NULL);
	cli_expect(f, 0, NULL);
	root = cli_json(f);
	return rig_json_length(rig_json_array(root, "runs", RIG_JSON_REQUIRED));
}

static void test_remove(void)
{
	CliFixture f;
	g_autofree char *means = NULL;

	setup(&f);
	means = g_build_filename(f.root, "state", "results", "anon-cow-rand-hugetlb", "20-50%",
				 "2sp-icl", "tiny", "cloud", "gcc-12", "6.12-cloud", "avg.json",
				 NULL);
	cli_rig(&f, "results", "remove", NULL);
	cli_expect(&f, 2, "name RUNs");
	cli_rig(&f, "results", "remove", "last", "--all", NULL);
	cli_expect(&f, 2, "exclude each other");
	cli_rig(&f, "results", "remove", "--all", NULL);
	cli_expect(&f, 2, "hint: add --yes");
	cli_rig(&f, "results", "remove", "--failed", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpuint(count_lines(f.last.out), ==, 1);
	g_assert_cmpuint(count_runs(&f), ==, 7);
	cli_rig(&f, "results", "remove", "--failed", "--yes", NULL);
	cli_expect(&f, 0, "1 run removed");
	g_assert_true(g_file_test(means, G_FILE_TEST_IS_REGULAR));
	g_assert_cmpuint(count_runs(&f), ==, 6);
	cli_rig(&f, "results", "remove", "last", "last", "--yes", NULL);
	cli_expect(&f, 0, "1 run removed");
	g_assert_cmpuint(count_runs(&f), ==, 5);
	cli_rig(&f, "results", "remove", "--all", "--kernel", "base", "--yes", NULL);
	cli_expect(&f, 0, "3 runs removed");
	g_assert_cmpuint(count_runs(&f), ==, 2);
	cli_teardown(&f);
}

static void test_wrong_words(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "results", NULL);
	cli_expect(&f, 2, "list, show, export or remove is missing");
	cli_rig(&f, "results", "lst", NULL);
	cli_expect(&f, 2, "\"lst\" is none of");
	cli_rig(&f, "results", "list", "more", NULL);
	cli_expect(&f, 2, "not \"more\"");
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cli/compare/table", test_compare_table);
	g_test_add_func("/cli/compare/recipe", test_compare_recipe);
	g_test_add_func("/cli/compare/caches", test_compare_caches);
	g_test_add_func("/cli/compare/lkp", test_compare_lkp);
	g_test_add_func("/cli/compare/machines", test_compare_for_machines);
	g_test_add_func("/cli/compare/gates", test_compare_gates);
	g_test_add_func("/cli/compare/errors", test_compare_errors);
	g_test_add_func("/cli/results/list", test_list);
	g_test_add_func("/cli/results/show", test_show);
	g_test_add_func("/cli/results/show-stderr", test_show_stderr);
	g_test_add_func("/cli/results/export", test_export);
	g_test_add_func("/cli/results/remove", test_remove);
	g_test_add_func("/cli/results/wrong-words", test_wrong_words);
	return g_test_run();
}
