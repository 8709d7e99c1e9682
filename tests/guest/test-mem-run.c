/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem-run.c - runs every case of rig-mem on this machine, small and short, and looks at what
 * it reports and at what it does between the marks.
 */
#include "mem-agent.h"
#include "proto.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define TASKS 3

struct usemem_case {
	const char *name;
	gboolean cow, threads, hugetlb;
};

static const struct usemem_case usemem_cases[] = {
	{"anon-cow-seq", TRUE, FALSE, FALSE},
	{"anon-cow-rand", TRUE, FALSE, FALSE},
	{"anon-cow-seq-mt", TRUE, TRUE, FALSE},
	{"anon-cow-rand-mt", TRUE, TRUE, FALSE},
	{"anon-w-seq", FALSE, FALSE, FALSE},
	{"anon-w-rand", FALSE, FALSE, FALSE},
	{"anon-w-seq-mt", FALSE, TRUE, FALSE},
	{"anon-w-rand-mt", FALSE, TRUE, FALSE},
	{"anon-cow-seq-hugetlb", TRUE, FALSE, TRUE},
	{"anon-cow-rand-hugetlb", TRUE, FALSE, TRUE},
	{"anon-cow-seq-hugetlb-mt", TRUE, TRUE, TRUE},
	{"anon-cow-rand-hugetlb-mt", TRUE, TRUE, TRUE},
	{"anon-w-seq-hugetlb", FALSE, FALSE, TRUE},
	{"anon-w-rand-hugetlb", FALSE, FALSE, TRUE},
	{"anon-w-seq-hugetlb-mt", FALSE, TRUE, TRUE},
	{"anon-w-rand-hugetlb-mt", FALSE, TRUE, TRUE},
};

/* @rate is @bytes in @us, in KiB/s, but for the rounding to whole microseconds. */
static void check_rate(double rate, gint64 bytes, gint64 us)
{
	double slowest = (double)bytes / 1024.0 / ((double)(us + 1) / 1e6);
	double fastest = (double)bytes / 1024.0 / ((double)us / 1e6);

	g_assert_cmpint(bytes, >, 0);
	g_assert_cmpint(us, >, 0);
	g_assert_cmpfloat(rate, >=, slowest - 1);
	g_assert_cmpfloat(rate, <=, fastest + 1);
}

static gint64 check_usemem_result(MemAgent *agent, const struct usemem_case *what, guint i)
{
	JsonObject *result = g_ptr_array_index(agent->results, i);
	gint64 first_us = mem_agent_int(result, what->cow ? "copy_us" : "populate_us");
	gint64 pages = mem_agent_int(result, what->cow ? "copy_pages" : "populate_pages");

	g_assert_cmpint(mem_agent_int(result, "task"), ==, i);
	g_assert_cmpint(mem_agent_int(result, "tid"), ==, g_array_index(agent->tasks, gint64, i));
	check_rate(mem_agent_real(result, "kbps"), mem_agent_int(result, "bytes"),
		   mem_agent_int(result, "orig_us"));
	check_rate(mem_agent_real(result, "access_kbps"), mem_agent_int(result, "access_bytes"),
		   mem_agent_int(result, "access_us"));
	g_assert_cmpint(mem_agent_int(result, "access_bytes") % (8 * 65536), ==, 0);
	g_assert_cmpint(mem_agent_int(result, "orig_us"), >=,
			first_us + mem_agent_int(result, "access_us"));
	/* The accesses, the first writes and the credit for allocating. */
	g_assert_cmpint(mem_agent_int(result, "bytes"), >=,
			mem_agent_int(result, "access_bytes") +
				mem_agent_int(agent->resolved, "size") / 8 + 8 * pages);
	/* Run time 1 s: a quarter of it at least is left for the accesses. */
	g_assert_cmpint(mem_agent_int(result, "access_us"), >=, 200000);
	return pages;
}

static void test_usemem(gconstpointer data)
{
	const struct usemem_case *what = data;
	g_autofree char *arguments = NULL;
	g_autofree char *before = mem_agent_pool();
	g_autofree char *after = NULL;
	g_autoptr(MemAgent) agent = NULL;
	gint64 pages = 0;
	gint64 expected;

	if (mem_agent_skip_pool(what->hugetlb))
		return;
	arguments = g_strdup_printf("%s --size=4M --runtime=1 --tasks=%d", what->name, TASKS);
	agent = mem_agent_whole_run(arguments);
	g_assert_cmpstr(agent->phases->str, ==,
			what->cow ? "setup populate copy access teardown"
				  : "setup populate access teardown");
	g_assert_cmpint(mem_agent_int(agent->resolved, "tasks"), ==, TASKS);
	g_assert_cmpint(mem_agent_int(agent->resolved, "size"), ==, 4 << 20);
	g_assert_cmpuint(agent->results->len, ==, TASKS);
	g_assert_cmpuint(agent->tasks->len, ==, TASKS);
	for (guint i = 0; i < TASKS; i++)
		pages += check_usemem_result(agent, what, i);
	/* One copy of each page for each address space that writes its own. */
	expected = mem_agent_int(agent->resolved, "size") /
		   mem_agent_int(agent->resolved, "page_size");
	g_assert_cmpint(pages, ==, what->cow && what->threads ? expected : TASKS * expected);
	after = mem_agent_pool();
	g_assert_cmpstr(after, ==, before);
}

/* The number after @key in /proc/@tid/@file, or -1. */
static gint64 proc_number(gint64 tid, const char *file, const char *key)
{
	g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/%s", tid, file);
	g_autofree char *text = NULL;
	const char *at;

	if (!g_file_get_contents(path, &text, NULL, NULL) || !(at = strstr(text, key)))
		return -1;
	return g_ascii_strtoll(at + strlen(key), NULL, 10);
}

/* Sleeping, not running: counters that are taken now belong to one phase. */
static gboolean stands_still(gint64 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/stat", tid);

	for (int i = 0; i < 200; i++) {
		g_autofree char *text = NULL;

		if (!g_file_get_contents(path, &text, NULL, NULL))
			return FALSE;
		if (strstr(text, ") S "))
			return TRUE;
		g_usleep(5000); /* on the way from its last store into the kernel */
	}
	return FALSE;
}

/*
 * What the phases promise, seen from outside: at "copy" the children own next to nothing, at
 * "access" all of their region, and between an unanswered mark and its answer nobody works.
 */
static void check_phases(const char *name, const char *key)
{
	g_autofree char *arguments =
		g_strdup_printf("%s --size=8M --runtime=1 --tasks=%d", name, TASKS);
	g_autoptr(MemAgent) agent = mem_agent_start(arguments);

	mem_agent_run_to(agent, "copy");
	for (guint i = 0; i < TASKS; i++) {
		gint64 tid = g_array_index(agent->tasks, gint64, i);

		g_assert_true(stands_still(tid));
		g_assert_cmpint(proc_number(tid, "smaps_rollup", key), <, 2048);
	}
	mem_agent_answer(agent);
	mem_agent_run_to(agent, "access");
	for (guint i = 0; i < TASKS; i++) {
		gint64 tid = g_array_index(agent->tasks, gint64, i);

		g_assert_true(stands_still(tid));
		g_assert_cmpint(proc_number(tid, "smaps_rollup", key), >=, 8192);
	}
	mem_agent_answer(agent);
	mem_agent_run_to(agent, NULL);
	g_assert_cmpint(mem_agent_exit_status(agent), ==, 0);
}

static void test_phases(void)
{
	check_phases("anon-cow-rand", "Private_Dirty:");
	check_phases("anon-cow-seq", "Private_Dirty:");
}

static void test_phases_hugetlb(void)
{
	if (!mem_agent_skip_pool(TRUE))
		check_phases("anon-cow-rand-hugetlb", "Private_Hugetlb:");
}

/* Waiting at a mark must not count as working: half a second of it, and the clock does not move. */
static void test_marks_cost_nothing(void)
{
	g_autoptr(MemAgent) agent =
		mem_agent_start("anon-cow-rand --size=1M --runtime=1 --tasks=1");
	JsonObject *result;

	for (const char *phase; (phase = mem_agent_next(agent));) {
		g_usleep(500000);
		mem_agent_answer(agent);
	}
	g_assert_cmpint(mem_agent_exit_status(agent), ==, 0);
	g_assert_cmpuint(agent->results->len, ==, 1);
	result = g_ptr_array_index(agent->results, 0);
	g_assert_cmpint(mem_agent_int(result, "orig_us"), <, 1400000);
	/* Were a wait counted, the accesses would get what it leaves of the run time. */
	g_assert_cmpint(mem_agent_int(result, "access_us"), >, 700000);
}

static double metric_of(MemAgent *agent, const char *name)
{
	double *value = g_hash_table_lookup(agent->metrics, name);

	g_assert_nonnull(value);
	return *value;
}

static guint online_cpus(void)
{
	return (guint)sysconf(_SC_NPROCESSORS_ONLN);
}

static void test_numa(gconstpointer data)
{
	const char *name = data;
	g_autofree char *arguments = g_strdup_printf("%s --size=16M --passes=20", name);
	g_autoptr(MemAgent) agent = mem_agent_whole_run(arguments);
	guint tasks = (guint)mem_agent_int(agent->resolved, "tasks");
	double slowest = 0;
	gint64 part;

	if (g_str_has_prefix(name, "numa01"))
		g_assert_cmpuint(tasks, ==, MAX(2, online_cpus() / 2 * 2));
	else
		g_assert_cmpuint(tasks, ==,
				 strstr(name, "smt") ? MAX(1, online_cpus() / 2) : online_cpus());
	g_assert_cmpstr(agent->phases->str, ==, "setup populate access teardown");
	g_assert_cmpint(mem_agent_int(agent->resolved, "passes"), ==, 20);
	g_assert_cmpuint(agent->results->len, ==, tasks);
	g_assert_cmpuint(agent->tasks->len, ==, tasks);
	part = mem_agent_int(agent->resolved, g_str_equal(name, "numa01") ? "size" : "slice");
	for (guint i = 0; i < tasks; i++) {
		g_assert_cmpint(mem_agent_int(g_ptr_array_index(agent->results, i), "bytes"), ==,
				20 * part);
		slowest = MAX(slowest,
			      mem_agent_real(g_ptr_array_index(agent->results, i), "seconds"));
	}
	g_assert_cmpfloat(slowest, >, 0);
	g_assert_cmpfloat(metric_of(agent, "access_seconds"), >=, slowest);
	g_assert_cmpfloat(metric_of(agent, "seconds"), >=, metric_of(agent, "access_seconds"));
	g_assert_cmpfloat_with_epsilon(
		metric_of(agent, "seconds"),
		metric_of(agent, "populate_seconds") + metric_of(agent, "access_seconds"), 1e-5);
}

static gboolean has_two_nodes(void)
{
	return g_file_test("/sys/devices/system/node/node1", G_FILE_TEST_EXISTS);
}

static void test_numa_bind(void)
{
	g_autoptr(MemAgent) hard = mem_agent_whole_run("numa02 --size=16M --passes=20 --bind=hard");
	g_autoptr(MemAgent) inverse = NULL;
	g_autoptr(MemAgent) first = NULL;

	for (guint i = 0; i < hard->results->len; i++)
		g_assert_cmpfloat(mem_agent_real(g_ptr_array_index(hard->results, i), "home_share"),
				  ==, 100.0);
	g_assert_cmpfloat(metric_of(hard, "convergence_seconds"), <=,
			  metric_of(hard, "access_seconds"));
	inverse = mem_agent_start("numa01 --size=16M --passes=20 --bind=inverse");
	mem_agent_run_to(inverse, NULL);
	if (has_two_nodes()) {
		g_assert_cmpint(mem_agent_exit_status(inverse), ==, 0);
	} else {
		g_assert_cmpint(mem_agent_exit_status(inverse), ==, 1);
		g_assert_nonnull(strstr(inverse->fail, "--bind=inverse needs two nodes"));
	}
	first = mem_agent_start("numa01 --size=16M --passes=20 --first-node=1023");
	mem_agent_run_to(first, NULL);
	g_assert_cmpint(mem_agent_exit_status(first), ==, 1);
	g_assert_nonnull(strstr(first->fail, "--first-node"));
}

static void add_usemem_tests(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(usemem_cases); i++) {
		g_autofree char *path = g_strconcat("/mem-run/", usemem_cases[i].name, NULL);

		g_test_add_data_func(path, &usemem_cases[i], test_usemem);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	signal(SIGPIPE, SIG_IGN);
	add_usemem_tests();
	g_test_add_data_func("/mem-run/numa01", "numa01", test_numa);
	g_test_add_data_func("/mem-run/numa01-thread-alloc", "numa01-thread-alloc", test_numa);
	g_test_add_data_func("/mem-run/numa02", "numa02", test_numa);
	g_test_add_data_func("/mem-run/numa02-smt", "numa02-smt", test_numa);
	g_test_add_func("/mem-run/numa-bind", test_numa_bind);
	g_test_add_func("/mem-run/phases", test_phases);
	g_test_add_func("/mem-run/phases-hugetlb", test_phases_hugetlb);
	g_test_add_func("/mem-run/marks-cost-nothing", test_marks_cost_nothing);
	return g_test_run();
}
