/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-table.c - the comparison for people: complete, 80 columns, safe to show; and one run shown.
 */
#include "report/run-view.h"
#include "report/table.h"

#include <locale.h>

#include "expect.h"
#include "report-records.h"
#include "report-sides.h"

static const RecordSpec base_spec = {
	"6.1.192-cloud", "base", "6.1.0-57-cloud-amd64", 'C', RIG_OUTCOME_OK, 500000, 20000, 1000,
};
static const RecordSpec head_spec = {
	"6.12.117-cloud",
	"head",
	"6.12.117+deb12-cloud-amd64",
	'C',
	RIG_OUTCOME_OK,
	450000,
	30000,
	2000,
};

static RigSides *make_sides(guint n_base, guint n_head, guint n_failed)
{
	RigSides *sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&base_spec, n_base);
	g_autoptr(GPtrArray) head = records_make(&head_spec, n_head);

	for (guint i = 0; i < n_failed; i++) {
		RecordSpec failed = head_spec;

		failed.outcome = RIG_OUTCOME_PANIC;
		g_ptr_array_add(head, record_make(&failed));
	}
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	return sides;
}

static char *render(const RigSides *sides, gboolean all, gboolean color)
{
	g_autoptr(RigCompare) compare = rig_compare_new(sides);
	g_autoptr(RigJudgement) judgement = rig_judgement_new(compare, NULL);
	RigTableOptions options = {.all = all, .color = color};

	return rig_table_render(judgement, &options);
}

/* No line is longer than WIDTH columns and none ends in a blank. */
static void expect_narrow(const char *text, glong width)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (g_utf8_strlen(*line, -1) > width)
			g_error("too wide: \"%s\"", *line);
		g_assert_false(g_str_has_suffix(*line, " "));
	}
}

static void expect_in_order(const char *text, const char *const *parts)
{
	for (; *parts; parts++) {
		const char *found = strstr(text, *parts);

		if (!found)
			g_error("\"%s\" is not (or too early) in\n%s", *parts, text);
		text = found + 1;
	}
}

static void test_content(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 3, 0);
	g_autofree char *text = render(sides, FALSE, FALSE);
	static const char *const parts[] = {
		"anon-cow-rand-hugetlb on 2sp-icl: head against base\n",
		"verdict     NOT JUDGED\n",
		"vm-scalability.throughput: timings of an emulated machine (class C)",
		"counters    ",
		"failures    base 0 of 3 runs failed, head 0 of 3 (p = 1)\n",
		"\nprimary metric ",
		"vm-scalability.throughput 0.900 0.896 to 0.905 - 3",
		"not judged\n",
		"\nall metrics of the workload",
		"vm-scalability.throughput, KB/s",
		"501000 ±0.2%",
		"451000 ±0.2%",
		"-10.0 %\n",
		"rig.copy_time, us",
		"+11.1 %\n",
		"\nCounters that changed\n",
		"\nfaults",
		"  pgfault",
		"-3.3 % less\n",
		"\nnot tested  ",
		"\nNUMA, locality and task moves",
		"whole run",
		"copy",
		"access",
		"\nnuma_hint_faults ",
		"20000 > 30000",
		"5000 > 7500",
		"15000 > 22500",
		"\nhint_faults_local%",
		"\nsched.cross_node_migrations",
		"7 > 7",
		"workload    vm-scalability anon-cow-rand-hugetlb\n",
		"parameters  runtime=20 unit=50%\n",
		"topology    2sp-icl, fitted to 2 sockets",
		"base        base = 6.1.192-cloud (Linux 6.1.0-57",
		"head        head = 6.12.117-cloud (Linux 6.12.117+",
		"class       C (emulated)",
		"prove nothing",
		"test        Welch: ",
		"B/A: head over base",
		NULL};

	expect_in_order(text, parts);
	expect_narrow(text, 80);
	/* Counters that nobody asked for, a group of zeros, and what every run differs in. */
	g_assert_null(strstr(text, "numa_interleave"));
	g_assert_null(strstr(text, "plan.order"));
	g_assert_null(strstr(text, "kernel.sha256"));
	g_assert_null(strstr(text, "Be wary"));
	g_assert_null(strstr(text, "Failed runs"));
}

static const char *line_start(const char *text, guint line)
{
	for (guint i = 0; text && i < line; i++) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* Who reads no further than the first 15 lines knows what came out, why, and how sure it is. */
static void test_answer_first(void)
{
	g_autoptr(RigSides) sides =
		sides_parse("{\"base\": {\"ops\": [100, 101, 102, 100.5, 101.5],"
			    "  \"access.locality.hugetlb_remote%\": [10, 10.5, 11, 10.2, 10.4],"
			    "  \"proc-vmstat.pgreuse\": [50, 51, 52, 53, 54],"
			    "  \"proc-vmstat.pgalloc_normal\": [9000, 9010, 9005, 9002, 9007]},"
			    " \"head\": {\"ops\": [90, 90.9, 91.8, 90.45, 91.35],"
			    "  \"access.locality.hugetlb_remote%\": [30, 30.5, 31, 30.2, 30.4],"
			    "  \"proc-vmstat.pgreuse\": [0, 0, 0, 0, 0],"
			    "  \"proc-vmstat.pgalloc_normal\": [9000, 9010, 9005, 9002, 9007]}}",
			    'A');
	static const char *const first[] = {"verdict     WORSE",
					    "ops is worse (-10.0 %)",
					    "why         ops worse: tasks ran more away",
					    "primary metric",
					    "0.900 0.890 to 0.910",
					    NULL};
	g_autofree char *text = NULL;
	g_autofree char *top = NULL;

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	g_ptr_array_add(sides->phases, g_strdup("access"));
	text = render(sides, FALSE, FALSE);
	g_assert_nonnull(line_start(text, 15));
	top = g_strndup(text, (gsize)(line_start(text, 15) - text));
	expect_in_order(top, first);
	expect_golden_file(text, "report", "worse.txt");
}

/* What spoils a verdict stands beside it, not below the figures. */
static void test_doubt(void)
{
	g_autoptr(RigSides) sides = sides_parse("{\"base\": {\"ops\": [100, 101, 102, 100.5, "
						"101.5], \"cal\": [50, 51, 52, 50.5, 51.5]},"
						" \"head\": {\"ops\": [90, 90.9, 91.8, 90.45, "
						"91.35], \"cal\": [20, 21, 22, 20.5, 21.5]}}",
						'A');
	static const char *const parts[] = {
		"verdict     WORSE", "but         head: the control cal", "primary metric", NULL};
	g_autofree char *text = NULL;

	sides_own(sides, "ops", "1/s", RIG_HIGHER, RIG_KIND_RATIO, TRUE);
	sides_own(sides, "cal", "1/s", RIG_HIGHER, RIG_KIND_RATIO, FALSE)->control = TRUE;
	text = render(sides, FALSE, FALSE);
	expect_in_order(text, parts);
	g_assert_null(strstr(text, "Be wary"));
}

/* What is known of the phases' counters, for the one phase "run". */
static void rename_info(RigSides *sides)
{
	RigMetricInfo *info =
		(RigMetricInfo *)rig_sides_info(sides, "access.proc-vmstat.numa_hint_faults");

	g_assert_nonnull(info);
	g_assert_true(g_hash_table_steal(sides->info, info->name));
	g_free(info->name);
	info->name = g_strdup("run.proc-vmstat.numa_hint_faults");
	g_hash_table_insert(sides->info, info->name, info);
	g_assert_true(g_hash_table_remove(sides->info, "copy.proc-vmstat.numa_hint_faults"));
}

static RigSides *sides_of_plans(const char *base_plan, const char *head_plan)
{
	RigSides *sides = make_sides(3, 3, 0);

	for (guint s = 0; s < 2; s++) {
		const RigSide *side = rig_sides_at(sides, s);

		for (guint i = 0; i < side->runs->len; i++) {
			RigSideRun *run = g_ptr_array_index(side->runs, i);
			char *number = g_strdup_printf("%u", i);

			g_hash_table_insert(run->manifest, g_strdup("plan.id"),
					    g_strdup(i ? head_plan : base_plan));
			g_hash_table_insert(run->manifest, g_strdup("plan.block"), number);
			g_hash_table_insert(run->manifest, g_strdup("plan.blocks"), g_strdup("3"));
		}
	}
	return sides;
}

static void test_plans(void)
{
	g_autoptr(RigSides) one = sides_of_plans("first", "first");
	g_autoptr(RigSides) two = sides_of_plans("first", "second");
	g_autofree char *text = render(one, FALSE, FALSE);
	g_autofree char *pooled = render(two, FALSE, FALSE);
	static const char *const parts[] = {
		"verdict",	  "but         the runs are of 2 plans: ",
		"(--plan ID",	  "second)",
		"primary metric", NULL};

	g_assert_null(strstr(text, "plans: if"));
	expect_in_order(pooled, parts);
}

/* Counters of the one phase "run" are those of the whole run once more. */
static void test_only_phase(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 3, 0);
	g_autofree char *two = render(sides, FALSE, FALSE);
	g_autofree char *one = NULL;

	g_assert_nonnull(strstr(two, "whole run"));
	g_assert_null(strstr(two, "whole run\n"));
	g_assert_nonnull(strstr(two, "access"));
	g_ptr_array_set_size(sides->phases, 0);
	g_ptr_array_add(sides->phases, g_strdup("run"));
	for (guint s = 0; s < 2; s++) {
		GHashTable *values = rig_sides_at(sides, s)->values;
		gpointer name, column;

		g_assert_true(g_hash_table_steal_extended(
			values, "access.proc-vmstat.numa_hint_faults", &name, &column));
		g_free(name);
		g_hash_table_insert(values, g_strdup("run.proc-vmstat.numa_hint_faults"), column);
		g_hash_table_remove(values, "copy.proc-vmstat.numa_hint_faults");
	}
	rename_info(sides);
	one = render(sides, FALSE, FALSE);
	g_assert_nonnull(strstr(one, "whole run\n"));
	g_assert_nonnull(strstr(one, "\nnuma_hint_faults  "));
	g_assert_null(strstr(one, ", run"));
	g_assert_null(strstr(one, "  run  "));
}

static void test_all(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 3, 0);
	g_autofree char *text = render(sides, TRUE, FALSE);
	/* The largest change first. */
	static const char *const parts[] = {"\nAll counters, largest change",
					    "\nproc-vmstat.pgfault", "\nmeminfo.MemFree", NULL};

	expect_in_order(text, parts);
	expect_narrow(text, 80);
}

static void test_failures(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 2, 1);
	g_autofree char *text = render(sides, FALSE, FALSE);
	static const char *const parts[] = {
		"failures    base 0 of 3 runs failed, head 1 of 3 (p = 1)",
		"Failed runs, counted above and in no mean:",
		"head, run ?: panic: Kernel panic - not syncing: \\x1b[31mfatal",
		"Be wary:",
		"head: 2 whole runs; fewer than 3",
		NULL};

	expect_in_order(text, parts);
	/* The mean is that of the two whole runs. */
	g_assert_nonnull(strstr(text, "450500"));
}

static void test_nothing_but_failures(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 0, 2);
	g_autofree char *text = render(sides, FALSE, FALSE);

	g_assert_nonnull(strstr(text, "head 2 of 2"));
	g_assert_nonnull(strstr(text, "head: none of its 2 runs was whole"));
	g_assert_null(strstr(text, "gone"));
}

static void test_differences(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = records_make(&head_spec, 3);
	g_autofree char *text = NULL;

	for (guint i = 0; i < 3; i++)
		rig_record_manifest(head->pdata[i], "qemu.version", i ? "10.0.3" : "10.0.2");
	rig_record_manifest(base->pdata[0], "image.sha256", "abc");
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	text = render(sides, FALSE, FALSE);
	g_assert_nonnull(strstr(text, "What differs besides the kernel (base, head):\n"
				      "  - image.sha256: abc | (none)\n"
				      "  - qemu.version: 10.0.2 | 10.0.2, 10.0.3\n"));
}

/* Timings of an emulated and of a real machine are shown side by side, and that is all. */
static void test_classes(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	RecordSpec real = head_spec;
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	g_autoptr(GPtrArray) head = NULL;
	g_autofree char *text = NULL;
	static const char *const parts[] = {"verdict     NOT JUDGED",
					    "timings of different placement classes",
					    "vm-scalability.throughput, KB/s",
					    "451000 ±0.2%      -\n",
					    "\nnuma_hint_faults",
					    "base class  C (emulated)",
					    "head class  A (KVM",
					    "timings are not compared",
					    "host.governor was powersave",
					    NULL};

	real.class = 'A';
	head = records_make(&real, 3);
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	text = render(sides, FALSE, FALSE);
	expect_in_order(text, parts);
}

static void test_three_sides(void)
{
	g_autoptr(RigSides) sides = make_sides(3, 3, 0);
	g_autoptr(GPtrArray) third = records_make(&base_spec, 4);
	g_autofree char *text = NULL;
	static const char *const parts[] = {"head against base", "head 0 of 3", "next against base",
					    "head 0 of 4", NULL};

	rig_sides_add_records(sides, "next", third);
	text = render(sides, FALSE, FALSE);
	expect_in_order(text, parts);
	expect_narrow(text, 80);
}

/* Long and hostile names: nothing is cut off, nothing reaches the terminal. */
static void test_names(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GPtrArray) base = records_make(&base_spec, 3);
	static const char hostile[] = "locality.\033]0;x\a\nfirst";
	static const char wide[] =
		"sched.a_name_that_is_longer_than_any_column_could_be_in_eighty_columns_of_text";
	g_autofree char *text = NULL;
	g_autofree char *joined = NULL;
	g_auto(GStrv) lines = NULL;

	rig_metrics_set(((RigRecord *)base->pdata[0])->metrics, hostile, 12);
	rig_metrics_set(((RigRecord *)base->pdata[0])->metrics, wide, 5);
	rig_sides_add_records(sides, "a name too long for a heading", base);
	rig_sides_add_records(sides, "漢字", base);
	text = render(sides, FALSE, FALSE);
	g_assert_null(strchr(text, '\033'));
	g_assert_null(strchr(text, '\a'));
	g_assert_nonnull(strstr(text, "base        a name too long for a heading"));
	/* Put the pieces of the first column together again. */
	lines = g_strsplit(text, "\n", -1);
	for (char **line = lines; *line; line++) {
		char *end = strchr(g_strchug(*line), ' ');

		if (end)
			*end = '\0';
	}
	joined = g_strjoinv("", lines);
	g_assert_nonnull(strstr(joined, wide + strlen("sched.")));
}

static void test_color(void)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	RecordSpec real_base = base_spec, real_head = head_spec;
	g_autoptr(GPtrArray) base = NULL;
	g_autoptr(GPtrArray) head = NULL;
	g_autofree char *plain = NULL;
	g_autofree char *colored = NULL;

	real_base.class = real_head.class = 'A';
	base = records_make(&real_base, 3);
	head = records_make(&real_head, 3);
	rig_sides_add_records(sides, "base", base);
	rig_sides_add_records(sides, "head", head);
	plain = render(sides, FALSE, FALSE);
	colored = render(sides, FALSE, TRUE);
	g_assert_null(strchr(plain, '\033'));
	g_assert_nonnull(strstr(colored, "\033[31m"));
}

static void test_run_view(void)
{
	g_autoptr(RigRecord) record = record_make(&head_spec);
	RigRunViewOptions options = {0};
	g_autofree char *brief = NULL;
	g_autofree char *full = NULL;
	static const char *const parts[] = {"outcome     ok\n",
					    "workload    anon-cow-rand-hugetlb\n",
					    "kernel      6.12.117-cloud, side head\n",
					    "class       C",
					    "METRIC",
					    "vm-scalability.throughput",
					    "450000 KB/s higher is better",
					    "rig.copy_time",
					    "PHASE",
					    "copy",
					    "access",
					    "seconds",
					    "1.50",
					    "18.25",
					    "proc-vmstat.numa_hint_faults",
					    "7500",
					    "22500",
					    NULL};

	record->id = g_strdup("20261130-134305-7f3a");
	brief = rig_run_view_render(record, &options);
	expect_in_order(brief, parts);
	expect_narrow(brief, 80);
	g_assert_null(strstr(brief, "pgfault"));
	g_assert_null(strstr(brief, "qemu.version"));
	options.verbose = TRUE;
	full = rig_run_view_render(record, &options);
	g_assert_nonnull(strstr(full, "proc-vmstat.pgfault"));
	g_assert_nonnull(strstr(full, "qemu.version"));
}

static void test_failed_run_view(void)
{
	RecordSpec spec = head_spec;
	g_autoptr(RigRecord) record = NULL;
	RigRunViewOptions options = {0};
	g_autofree char *text = NULL;

	spec.outcome = RIG_OUTCOME_PANIC;
	record = record_make(&spec);
	text = rig_run_view_render(record, &options);
	g_assert_nonnull(strstr(text, "outcome     panic: Kernel panic - not syncing: \\x1b[31m"));
	g_assert_null(strchr(text, '\033'));
	g_assert_null(strstr(text, "METRIC"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	/* libsmartcols asks the locale what can be shown. */
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		g_error("this system has no C.UTF-8");
	g_test_add_func("/table/content", test_content);
	g_test_add_func("/table/answer-first", test_answer_first);
	g_test_add_func("/table/doubt", test_doubt);
	g_test_add_func("/table/plans", test_plans);
	g_test_add_func("/table/only-phase", test_only_phase);
	g_test_add_func("/table/all", test_all);
	g_test_add_func("/table/failures", test_failures);
	g_test_add_func("/table/nothing-but-failures", test_nothing_but_failures);
	g_test_add_func("/table/differences", test_differences);
	g_test_add_func("/table/classes", test_classes);
	g_test_add_func("/table/three-sides", test_three_sides);
	g_test_add_func("/table/names", test_names);
	g_test_add_func("/table/color", test_color);
	g_test_add_func("/run-view/whole", test_run_view);
	g_test_add_func("/run-view/failed", test_failed_run_view);
	return g_test_run();
}
