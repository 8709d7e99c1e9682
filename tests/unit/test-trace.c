/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-trace.c - what one run did over time: times, rates, nodes, tasks; with raw text and without.
 */
#include "report/trace.h"

#include "expect.h"
#include "html-run.h"

static const RigTracePoint *point(const RigTrace *trace, const char *name, guint i, guint n)
{
	const GArray *points = g_hash_table_lookup(trace->series, name);

	if (!points)
		g_error("no series %s", name);
	g_assert_cmpuint(points->len, ==, n);
	return &g_array_index(points, RigTracePoint, i);
}

static void expect_point(const RigTrace *trace, const char *name, guint i, guint n, double t0,
			 double t1, double v)
{
	const RigTracePoint *p = point(trace, name, i, n);

	g_assert_cmpfloat_with_epsilon(p->t0, t0, 1e-9);
	g_assert_cmpfloat_with_epsilon(p->t1, t1, 1e-9);
	g_assert_cmpfloat_with_epsilon(p->v, v, 1e-9);
}

static void test_raw(void)
{
	HtmlRun spec = {.faults = 40, .used = 256};
	g_autoptr(RigRecord) record = html_record(&spec);
	g_autoptr(RigRawRun) raw = html_raw(&spec);
	g_autoptr(RigTrace) trace = rig_trace_new(record, raw);
	const RigTracePhase *phase;

	g_assert_true(trace->timed);
	g_assert_cmpuint(trace->n_nodes, ==, 2);
	g_assert_cmpuint(trace->phases->len, ==, 2);
	phase = g_ptr_array_index(trace->phases, 1);
	g_assert_cmpstr(phase->name, ==, "access");
	g_assert_cmpfloat(phase->start, ==, 2);
	g_assert_cmpfloat(phase->end, ==, 6);
	/* Seven snapshots a second apart: 40 faults in each of the six, all of them hint faults. */
	expect_point(trace, "proc-vmstat.numa_hint_faults", 0, 6, 0, 1, 40);
	expect_point(trace, "proc-vmstat.numa_hint_faults", 5, 6, 5, 6, 40);
	expect_point(trace, "mpstat.cpu.all.usr%", 0, 6, 0, 1, 75);
	/* Node files are read at the three marks only. */
	expect_point(trace, "node0.used", 1, 3, 2, 2, 256);
	expect_point(trace, "node1.used", 2, 3, 6, 6, 128);
	expect_point(trace, "node0.hugetlb", 1, 3, 2, 2, 20);
	/* Task 11 on node 0, task 12 moves from node 0 to node 1 at the fourth snapshot. */
	expect_point(trace, "node0.tasks", 0, 7, 0, 0, 2);
	expect_point(trace, "node1.tasks", 3, 7, 3, 3, 1);
	/* All pages lie on node 0; from then on one of two tasks with equal time is remote. */
	expect_point(trace, "locality.anon_remote%", 0, 6, 0, 1, 0);
	expect_point(trace, "locality.anon_remote%", 5, 6, 5, 6, 50);
	g_assert_cmpuint(((GArray *)g_hash_table_lookup(trace->tasks, "w.throughput"))->len, ==, 4);
}

static void test_samples_only(void)
{
	HtmlRun spec = {.faults = 40, .used = 256};
	g_autoptr(RigRecord) record = html_record(&spec);
	g_autoptr(RigTrace) trace = rig_trace_new(record, NULL);

	g_assert_false(trace->timed);
	g_assert_cmpuint(trace->phases->len, ==, 0);
	expect_point(trace, "proc-vmstat.numa_hint_faults", 1, 2, 1, 2, 41);
	g_assert_null(g_hash_table_lookup(trace->series, "w.throughput"));
	g_assert_nonnull(g_hash_table_lookup(trace->tasks, "w.throughput"));
}

static void test_nothing(void)
{
	g_autoptr(RigRecord) record = rig_record_new();
	g_autoptr(RigRawRun) raw = rig_raw_run_new();
	g_autoptr(RigTrace) trace = rig_trace_new(record, raw);

	g_assert_cmpuint(g_hash_table_size(trace->series), ==, 0);
	g_assert_false(trace->timed);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/trace/raw", test_raw);
	g_test_add_func("/trace/samples-only", test_samples_only);
	g_test_add_func("/trace/nothing", test_nothing);
	return g_test_run();
}
