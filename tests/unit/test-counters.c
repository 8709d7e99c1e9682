/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-counters.c - figures out of the text of real kernels; expected values were computed by other
 * means. */
#include "rawfix.h"

#include "model/counters.h"

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

static RigRawRun *two_moments(const char *kernel)
{
	RigRawRun *run = rig_raw_run_new();

	rawfix_snap(run, "mark", "copy", 1);
	rawfix_kernel(run, kernel, "b");
	rawfix_snap(run, "mark", "end", 2);
	rawfix_kernel(run, kernel, "c");
	return run;
}

typedef struct {
	const char *kernel;
	guint vmstat_lines;
	double updates, huge_updates, faults, local, migrated;
	double usr, sys, idle;
} Expected;

static void test_real(gconstpointer data)
{
	const Expected *expected = data;
	g_autoptr(RigRawRun) run = two_moments(expected->kernel);
	g_autoptr(RigMetrics) first = rig_counters_parse(rawfix_at(run, 0)->files);
	g_autoptr(RigMetrics) last = rig_counters_parse(rawfix_at(run, 1)->files);
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(RigMetrics) percent = rig_metrics_new();
	g_autoptr(GPtrArray) backwards = g_ptr_array_new_with_free_func(g_free);
	guint lines = 0;

	for (guint i = 0; i < rig_metrics_count(first); i++)
		lines += g_str_has_prefix(rig_metrics_name(first, i), "proc-vmstat.");
	g_assert_cmpuint(lines, ==, expected->vmstat_lines);
	rig_counters_delta(first, last, delta, backwards);
	g_assert_cmpuint(backwards->len, ==, 0);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.numa_pte_updates"), ==, expected->updates);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.numa_huge_pte_updates"), ==,
			  expected->huge_updates);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.numa_hint_faults"), ==, expected->faults);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.numa_hint_faults_local"), ==,
			  expected->local);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.numa_pages_migrated"), ==,
			  expected->migrated);
	g_assert_false(has(delta, "proc-vmstat.nr_free_pages"));
	rig_counters_mpstat(delta, percent);
	g_assert_cmpfloat_with_epsilon(value_of(percent, "mpstat.cpu.all.usr%"), expected->usr,
				       1e-9);
	g_assert_cmpfloat_with_epsilon(value_of(percent, "mpstat.cpu.all.sys%"), expected->sys,
				       1e-9);
	g_assert_cmpfloat_with_epsilon(value_of(percent, "mpstat.cpu.all.idle%"), expected->idle,
				       1e-9);
	g_assert_cmpfloat(value_of(first, "meminfo.MemTotal"), ==,
			  value_of(last, "meminfo.MemTotal"));
	g_assert_true(has(first, "numa-vmstat.node1.nr_free_pages"));
	g_assert_true(has(first, "numa-numastat.node0.local_node"));
	g_assert_true(has(first, "numa-meminfo.node1.Active(anon)"));
	g_assert_true(has(first, "numa-meminfo.node0.HugePages_Total"));
}

/* Every name that these kernels have is in the table: a new kernel's fixture shows what is to be
 * added. */
static void test_table_is_complete(gconstpointer data)
{
	g_autoptr(RigRawRun) run = two_moments(((const Expected *)data)->kernel);
	g_autoptr(RigMetrics) figures = rig_counters_parse(rawfix_at(run, 0)->files);

	for (guint i = 0; i < rig_metrics_count(figures); i++) {
		gboolean known;

		rig_counter_kind(rig_metrics_name(figures, i), &known);
		if (!known)
			g_error("%s is not in the table", rig_metrics_name(figures, i));
	}
}

static void test_kinds(void)
{
	static const struct {
		const char *name;
		RigCounterKind kind;
	} names[] = {
		{"proc-vmstat.nr_free_pages", RIG_COUNTER_GAUGE},
		{"proc-vmstat.nr_dirtied", RIG_COUNTER_EVENTS},
		{"proc-vmstat.nr_written", RIG_COUNTER_EVENTS},
		{"proc-vmstat.nr_vmscan_write", RIG_COUNTER_EVENTS},
		{"proc-vmstat.nr_foll_pin_acquired", RIG_COUNTER_EVENTS},
		{"proc-vmstat.nr_tlb_remote_flush", RIG_COUNTER_EVENTS},
		{"proc-vmstat.nr_dirty_threshold", RIG_COUNTER_GAUGE},
		{"proc-vmstat.nr_dirty", RIG_COUNTER_GAUGE},
		{"proc-vmstat.workingset_refault_anon", RIG_COUNTER_EVENTS},
		{"proc-vmstat.workingset_nodes", RIG_COUNTER_GAUGE},
		{"proc-vmstat.oom_kill", RIG_COUNTER_EVENTS},
		{"proc-vmstat.drop_pagecache", RIG_COUNTER_EVENTS},
		{"proc-vmstat.swap_ra_hit", RIG_COUNTER_EVENTS},
		{"proc-vmstat.ksm_swpin_copy", RIG_COUNTER_EVENTS},
		{"proc-vmstat.numa_hit", RIG_COUNTER_EVENTS},
		{"numa-vmstat.node0.nr_dirtied", RIG_COUNTER_EVENTS},
		{"numa-vmstat.node12.nr_anon_pages", RIG_COUNTER_GAUGE},
		{"numa-numastat.node0.other_node", RIG_COUNTER_EVENTS},
		{"numa-meminfo.node0.MemFree", RIG_COUNTER_GAUGE},
		{"meminfo.AnonPages", RIG_COUNTER_GAUGE},
	};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		gboolean known;

		if (rig_counter_kind(names[i].name, &known) != names[i].kind || !known)
			g_error("%s", names[i].name);
	}
}

static void test_unknown_is_said(void)
{
	gboolean known = TRUE;

	g_assert_cmpint(rig_counter_kind("proc-vmstat.nr_things_of_2031", &known), ==,
			RIG_COUNTER_GAUGE);
	g_assert_false(known);
}

/* 5.4: one workingset_refault, nr_unstable, and a pgfault that was made to go backwards. */
static void test_old(void)
{
	g_autoptr(RigRawRun) run = two_moments("5.4-by-hand");
	g_autoptr(RigMetrics) first = rig_counters_parse(rawfix_at(run, 0)->files);
	g_autoptr(RigMetrics) last = rig_counters_parse(rawfix_at(run, 1)->files);
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(GPtrArray) backwards = g_ptr_array_new_with_free_func(g_free);

	g_assert_cmpfloat(value_of(first, "numa-meminfo.node0.NFS_Unstable"), ==, 0);
	rig_counters_delta(first, last, delta, backwards);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.workingset_refault"), ==, 50);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.nr_dirtied"), ==, 100);
	g_assert_cmpfloat(value_of(delta, "proc-vmstat.swap_ra"), ==, 5);
	g_assert_false(has(delta, "proc-vmstat.workingset_nodes"));
	g_assert_false(has(delta, "proc-vmstat.pgfault"));
	g_assert_cmpuint(backwards->len, ==, 1);
	g_assert_cmpstr(g_ptr_array_index(backwards, 0), ==, "proc-vmstat.pgfault");
}

static RigMetrics *parse_text(const char *path, const char *text)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();

	rawfix_snap(run, "mark", "a", 1);
	rawfix_file(run, path, -1, text);
	return rig_counters_parse(rawfix_at(run, 0)->files);
}

static void test_bad_lines(void)
{
	g_autoptr(RigMetrics) vmstat = parse_text("/proc/vmstat", "good 1\n"
								  "word nan\nhex 0x10\nminus -3\n"
								  "float 1.5\n\nlonely\n \n"
								  "e\033[31m 5\n"
								  "huge 99999999999999999999999\n"
								  "late 7\ncut 12");
	g_autoptr(RigMetrics) node = parse_text("/sys/devices/system/node/nodeX/vmstat", "a 1\n");
	g_autoptr(RigMetrics) deep =
		parse_text("/sys/devices/system/node/node99999/vmstat", "a 1\n");
	g_autoptr(RigMetrics) memory =
		parse_text("/proc/meminfo", "NoColon 5 kB\n: 5 kB\nOk: 5 kB\n"
					    "Node\nNode 0\nNode 0 X:\n");

	g_assert_cmpuint(rig_metrics_count(vmstat), ==, 2);
	g_assert_cmpfloat(value_of(vmstat, "proc-vmstat.good"), ==, 1);
	g_assert_cmpfloat(value_of(vmstat, "proc-vmstat.late"), ==, 7);
	g_assert_cmpuint(rig_metrics_count(node), ==, 0);
	g_assert_cmpuint(rig_metrics_count(deep), ==, 0);
	g_assert_cmpuint(rig_metrics_count(memory), ==, 1);
	g_assert_cmpfloat(value_of(memory, "meminfo.Ok"), ==, 5);
}

static void test_mpstat_counts_guests_once(void)
{
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();
	g_autoptr(RigMetrics) nothing = rig_metrics_new();

	rig_metrics_set(delta, "cpu-time.all.user", 60);
	rig_metrics_set(delta, "cpu-time.all.guest", 20);
	rig_metrics_set(delta, "cpu-time.all.idle", 40);
	rig_counters_mpstat(delta, out);
	g_assert_cmpfloat(value_of(out, "mpstat.cpu.all.usr%"), ==, 40);
	g_assert_cmpfloat(value_of(out, "mpstat.cpu.all.guest%"), ==, 20);
	g_assert_cmpfloat(value_of(out, "mpstat.cpu.all.idle%"), ==, 40);
	rig_counters_mpstat(nothing, nothing);
	g_assert_cmpuint(rig_metrics_count(nothing), ==, 0);
}

int main(int argc, char **argv)
{
	static const Expected v61 = {"6.1.192-debian",
				     171,
				     25085,
				     48,
				     573,
				     311,
				     672,
				     100.0 * 1057 / 2174,
				     100.0 * 59 / 2174,
				     100.0 * 1052 / 2174};
	static const Expected v612 = {"6.12.117-debian",
				      182,
				      49158,
				      96,
				      103,
				      96,
				      1536,
				      100.0 * 993 / 2181,
				      100.0 * 108 / 2181,
				      100.0 * 1055 / 2181};

	g_test_init(&argc, &argv, NULL);
	g_test_add_data_func("/counters/6.1", &v61, test_real);
	g_test_add_data_func("/counters/6.12", &v612, test_real);
	g_test_add_data_func("/counters/table/6.1", &v61, test_table_is_complete);
	g_test_add_data_func("/counters/table/6.12", &v612, test_table_is_complete);
	g_test_add_func("/counters/kinds", test_kinds);
	g_test_add_func("/counters/unknown", test_unknown_is_said);
	g_test_add_func("/counters/5.4", test_old);
	g_test_add_func("/counters/bad-lines", test_bad_lines);
	g_test_add_func("/counters/guests", test_mpstat_counts_guests_once);
	return g_test_run();
}
