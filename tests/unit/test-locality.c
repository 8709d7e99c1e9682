/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-locality.c - pages and CPU time by node, on text of real kernels and on small cases done by
 * hand. */
#include "rawfix.h"

#include "model/locality.h"

static double value_of(const RigMetrics *metrics, const char *name)
{
	double value = 0;

	if (!rig_metrics_get(metrics, name, &value))
		g_error("%s is missing", name);
	return value;
}

static gboolean has(const RigMetrics *metrics, const char *name)
{
	double value;

	return rig_metrics_get(metrics, name, &value);
}

/* From snapshot I to the next, both of which tell of pages. */
static void take_interval(RigLocality *locality, const RigRawRun *run, guint i)
{
	rig_locality_interval(locality, rawfix_at(run, i), rawfix_at(run, i + 1), rawfix_at(run, i),
			      rawfix_at(run, i + 1));
}

typedef struct {
	const char *kernel;
	double hugetlb, anon, migrated;
} Expected;

/* Two threads with the same memory, one on each node all the time. */
static void test_real(gconstpointer data)
{
	const Expected *expected = data;
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();

	rawfix_snap(run, "mark", "copy", 1);
	rawfix_kernel(run, expected->kernel, "b");
	rawfix_snap(run, "mark", "end", 2);
	rawfix_kernel(run, expected->kernel, "c");
	g_assert_true(rig_locality_learn_nodes(locality, rawfix_at(run, 0)->files));
	take_interval(locality, run, 0);
	rig_locality_marks(locality, rawfix_at(run, 0), rawfix_at(run, 1));
	rig_locality_report(locality, out);
	g_assert_cmpfloat_with_epsilon(value_of(out, "locality.hugetlb_remote%"), expected->hugetlb,
				       1e-9);
	g_assert_cmpfloat_with_epsilon(value_of(out, "locality.anon_remote%"), expected->anon,
				       1e-9);
	g_assert_cmpfloat(value_of(out, "sched.cross_node_migrations"), ==, 0);
	g_assert_cmpfloat(value_of(out, "sched.nr_migrations"), ==, 0);
	g_assert_cmpfloat(value_of(out, "sched.numa_pages_migrated"), ==, expected->migrated);
}

static void test_numa_maps(void)
{
	RigNumaMaps maps;

	rig_numa_maps_parse(
		"7f00 default anon=8 dirty=8 N0=2 N1=6 kernelpagesize_kB=4\n"
		"7f10 default file=/anon_hugepage\\040(deleted) huge anon=3 dirty=3 N1=3 "
		"kernelpagesize_kB=2048\n"
		"7f20 default file=/bin/hog anon=2 dirty=4 N1=4 kernelpagesize_kB=4\n"
		"7f30 default file=/bin/hog mapped=40 N0=40 kernelpagesize_kB=4\n"
		"7f40 default stack anon=1 dirty=1 N0=1 kernelpagesize_kB=4\n"
		"7f50 default\n"
		"7f60 interleave:0-1 anon=5 N999=5 N1x=7 Nx=1 N1= kernelpagesize_kB=4\n"
		"7f70 default anon=1 N0=1 kernelpagesize_kB=99999999999999999999\n"
		"7f80 default anon=9 N0=9",
		&maps);
	g_assert_cmpfloat(maps.anon[0], ==, (2 + 1) * 4);
	g_assert_cmpfloat(maps.anon[1], ==, 6 * 4);
	g_assert_cmpfloat(maps.hugetlb[0], ==, 0);
	g_assert_cmpfloat(maps.hugetlb[1], ==, 3 * 2048);
}

static void test_stat(void)
{
	/* A name may hold anything, a parenthesis too. */
	const char *good =
		"117 (a) b (c) R 1 117 0 0 -1 0 9 0 0 0 250 17 0 0 20 0 1 0 50 0 0 0 0 0 0 0 0 "
		"0 0 0 0 0 0 0 17 3 0 0 0 0 0\n";
	guint cpu;
	double used;

	g_assert_true(rig_task_stat_parse(good, &cpu, &used));
	g_assert_cmpuint(cpu, ==, 3);
	g_assert_cmpfloat(used, ==, 267);
	g_assert_false(rig_task_stat_parse("", &cpu, &used));
	g_assert_false(rig_task_stat_parse("117 (x) R 1 2 3\n", &cpu, &used));
	g_assert_false(rig_task_stat_parse("117 (x", &cpu, &used));
}

/* A task's files at one moment. */
static void add_moment(RigRawRun *run, guint cpu, guint used, const char *maps)
{
	g_autofree char *stat =
		g_strdup_printf("9 (x) R 1 9 0 0 -1 0 9 0 0 0 %u 0 0 0 20 0 1 0 50 0 0 0 0 "
				"0 0 0 0 0 0 0 0 0 0 0 17 %u 0 0 0 0 0\n",
				used, cpu);

	rawfix_snap(run, "mark", "access", run->snaps->len + 1);
	rawfix_file(run, "/sys/devices/system/node/node0/cpulist", -1, "0-1\n");
	rawfix_file(run, "/sys/devices/system/node/node1/cpulist", -1, "2-3\n");
	rawfix_file(run, "stat", 9, stat);
	rawfix_file(run, "numa_maps", 9, maps);
}

/* 100 ticks at home, then 300 of which half count on each node: the pages are all on node 0. */
static void test_moving_task(void)
{
	static const char pages[] = "7f00 default anon=8 N0=8 kernelpagesize_kB=4\n";
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigLocality) phase = rig_locality_new();
	g_autoptr(RigLocality) sum = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();

	add_moment(run, 0, 0, pages);
	add_moment(run, 1, 100, pages);
	add_moment(run, 2, 400, pages);
	rig_locality_learn_nodes(phase, rawfix_at(run, 0)->files);
	take_interval(phase, run, 0);
	take_interval(phase, run, 1);
	rig_locality_merge(sum, phase);
	rig_locality_report(sum, out);
	g_assert_cmpfloat(value_of(out, "locality.anon_remote%"), ==, 100.0 * 150 / 400);
	g_assert_cmpfloat(value_of(out, "sched.cross_node_migrations"), ==, 1);
	g_assert_false(has(out, "locality.hugetlb_remote%"));
	g_assert_false(has(out, "sched.nr_migrations"));
}

/* Samples that do not tell of pages: those of the marks around them, in proportion to time. */
static void test_pages_at_marks_only(void)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(RigLocality) no_start = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();
	g_autoptr(RigMetrics) out_no_start = rig_metrics_new();

	/* Times are 1, 2, 3, 4, 5. */
	add_moment(run, 0, 0, "7f00 default anon=100 N0=100 kernelpagesize_kB=4\n");
	for (guint i = 1; i <= 3; i++)
		add_moment(run, 0, 100 * i, "");
	add_moment(run, 0, 400, "7f00 default anon=100 N1=100 kernelpagesize_kB=4\n");
	rig_locality_learn_nodes(locality, rawfix_at(run, 0)->files);
	rig_locality_interval(locality, rawfix_at(run, 2), rawfix_at(run, 3), rawfix_at(run, 0),
			      rawfix_at(run, 4));
	rig_locality_report(locality, out);
	g_assert_cmpfloat(value_of(out, "locality.anon_remote%"), ==, 100.0 * 2.5 / 4);
	rig_locality_learn_nodes(no_start, rawfix_at(run, 0)->files);
	rig_locality_interval(no_start, rawfix_at(run, 2), rawfix_at(run, 3), NULL,
			      rawfix_at(run, 4));
	rig_locality_report(no_start, out_no_start);
	g_assert_cmpfloat(value_of(out_no_start, "locality.anon_remote%"), ==, 100);
}

static void test_nothing_known(void)
{
	static const char pages[] = "7f00 default anon=8 N0=8 kernelpagesize_kB=4\n";
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();

	add_moment(run, 0, 0, pages);
	add_moment(run, 0, 100, pages);
	/* Without cpulist no CPU has a node. */
	take_interval(locality, run, 0);
	rig_locality_report(locality, out);
	g_assert_cmpuint(rig_metrics_count(out), ==, 0);
}

static void set_faults(RigMetrics *metrics, double faults, double local)
{
	rig_metrics_set(metrics, "proc-vmstat.numa_hint_faults", faults);
	rig_metrics_set(metrics, "proc-vmstat.numa_hint_faults_local", local);
}

static void test_hint_fault_floor(void)
{
	g_autoptr(RigMetrics) enough = rig_metrics_new();
	g_autoptr(RigMetrics) few = rig_metrics_new();
	g_autoptr(RigMetrics) none = rig_metrics_new();

	set_faults(enough, 20, 5);
	set_faults(few, 19, 19);
	set_faults(none, 0, 0);
	rig_locality_from_counters(enough);
	rig_locality_from_counters(few);
	rig_locality_from_counters(none);
	g_assert_cmpfloat(value_of(enough, "locality.hint_faults_local%"), ==, 25);
	g_assert_false(has(few, "locality.hint_faults_local%"));
	g_assert_false(has(none, "locality.hint_faults_local%"));
}

static void test_net_updates(void)
{
	g_autoptr(RigMetrics) metrics = rig_metrics_new();
	g_autoptr(RigMetrics) odd = rig_metrics_new();

	rig_metrics_set(metrics, "proc-vmstat.numa_pte_updates", 25085);
	rig_metrics_set(metrics, "proc-vmstat.numa_huge_pte_updates", 48);
	rig_locality_from_counters(metrics);
	g_assert_cmpfloat(value_of(metrics, "numa.pte_updates_net"), ==, 509);
	rig_metrics_set(odd, "proc-vmstat.numa_pte_updates", 100);
	rig_metrics_set(odd, "proc-vmstat.numa_huge_pte_updates", 1);
	rig_locality_from_counters(odd);
	g_assert_false(has(odd, "numa.pte_updates_net"));
}

int main(int argc, char **argv)
{
	static const Expected v61 = {"6.1.192-debian", 50.32948929159802, 50.2890252337121, 1822};
	static const Expected v612 = {"6.12.117-debian", 50.798990748528176, 50.73120953582936,
				      1024};

	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/locality/6.1", &v61, test_real);
	g_test_add_data_func("/locality/6.12", &v612, test_real);
	g_test_add_func("/locality/numa-maps", test_numa_maps);
	g_test_add_func("/locality/stat", test_stat);
	g_test_add_func("/locality/moving-task", test_moving_task);
	g_test_add_func("/locality/pages-at-marks-only", test_pages_at_marks_only);
	g_test_add_func("/locality/nothing-known", test_nothing_known);
	g_test_add_func("/locality/hint-fault-floor", test_hint_fault_floor);
	g_test_add_func("/locality/net-updates", test_net_updates);
	return g_test_run();
}
