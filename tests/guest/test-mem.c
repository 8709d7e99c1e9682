/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem.c - options and plan of rig-mem.
 */
#include "guest/mem-args.h"

#include <glib.h>
#include <string.h>

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define PAGE 4096ULL

static void test_size(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4K", 4 * KIB},
		{"4KiB", 4 * KIB},
		{"512M", 512 * MIB},
		{"3GiB", 3 * GIB},
		{"1T", 1024 * GIB},
		{"18446744073709551615", UINT64_MAX},
	};
	static const char *const bad[] = {
		"",
		"K",
		"-1",
		"+1",
		" 1",
		"1 K",
		"1.5G",
		"4KB",
		"4Ki",
		"4KiBx",
		"4k",
		"0x10",
		"10%",
		"18446744073709551616",
		"18014398509481984T",
	};
	uint64_t bytes;

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
		g_assert_true(rig_mem_size_parse(good[i].text, &bytes));
		g_assert_cmpuint(bytes, ==, good[i].bytes);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		if (rig_mem_size_parse(bad[i], &bytes))
			g_error("'%s' was taken for %" G_GUINT64_FORMAT, bad[i], bytes);
}

static void test_cases(void)
{
	g_assert_cmpuint(rig_mem_cases_count, ==, 20);
	for (gsize i = 0; i < rig_mem_cases_count; i++)
		g_assert_true(rig_mem_case_find(rig_mem_cases[i].name) == &rig_mem_cases[i]);
	g_assert_null(rig_mem_case_find("anon-cow"));
	g_assert_null(rig_mem_case_find(""));
}

static void test_options_good(void)
{
	const struct rig_mem_case *usemem = rig_mem_case_find("anon-cow-rand-hugetlb");
	const struct rig_mem_case *numa = rig_mem_case_find("numa02");
	struct rig_mem_options options = {0};
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(rig_mem_option_parse(usemem, "--tasks=150%", &options, why));
	g_assert_true(options.tasks.set && options.tasks.percent);
	g_assert_cmpuint(options.tasks.value, ==, 150);
	g_assert_true(rig_mem_option_parse(usemem, "--tasks=2000", &options, why));
	g_assert_false(options.tasks.percent);
	g_assert_cmpuint(options.tasks.value, ==, 2000);
	g_assert_true(rig_mem_option_parse(usemem, "--unit=1G", &options, why));
	g_assert_cmpuint(options.unit.value, ==, GIB);
	g_assert_true(rig_mem_option_parse(usemem, "--seed=0", &options, why));
	g_assert_true(options.seed.set);
	g_assert_true(rig_mem_option_parse(usemem, "--no-pool", &options, why));
	g_assert_true(options.no_pool);
	g_assert_true(rig_mem_option_parse(numa, "--bind=inverse", &options, why));
	g_assert_cmpint(options.bind, ==, RIG_MEM_BIND_INVERSE);
}

static void test_options_bad(void)
{
	static const struct {
		const char *name;
		const char *argument;
		const char *named; /* must be in the message */
	} bad[] = {
		{"anon-w-seq", "--tasks=0", "--tasks"},
		{"anon-w-seq", "--tasks=0%", "--tasks"},
		{"anon-w-seq", "--tasks=-1", "--tasks"},
		{"anon-w-seq", "--tasks=1.5", "--tasks"},
		{"anon-w-seq", "--tasks=", "--tasks"},
		{"anon-w-seq", "--tasks", "--tasks"},
		{"anon-w-seq", "--unit=101%", "--unit"},
		{"anon-w-seq", "--unit=5%%", "--unit"},
		{"anon-w-seq", "--unit=0", "--unit"},
		{"anon-w-seq", "--size=50%", "--size"},
		{"anon-w-seq", "--runtime=0", "--runtime"},
		{"anon-w-seq", "--runtime=1s", "--runtime"},
		{"anon-w-seq", "--no-pool=1", "--no-pool"},
		{"anon-w-seq", "--passes=3", "--passes"},
		{"anon-w-seq", "--colour=red", "--colour"},
		{"anon-w-seq", "runtime=1", "runtime=1"},
		{"anon-w-seq", "-", "-"},
		{"anon-w-seq", "--", "--"},
		{"numa01", "--runtime=1", "--runtime"},
		{"numa01", "--bind=both", "--bind"},
		{"numa01", "--bind", "--bind"},
		{"numa01", "--passes=0", "--passes"},
		{"numa01", "--first-node=1024", "--first-node"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct rig_mem_options options = {0};
		char why[RIG_MEM_WHY_MAX] = "";

		if (rig_mem_option_parse(rig_mem_case_find(bad[i].name), bad[i].argument, &options,
					 why))
			g_error("%s took %s", bad[i].name, bad[i].argument);
		g_assert_nonnull(strstr(why, bad[i].named));
	}
}

/* Resolves @arguments (separated by blanks) of @name on a machine of @mem bytes and @cpus. */
static bool resolve(const char *name, const char *arguments, uint64_t mem, unsigned cpus,
		    struct rig_mem_plan *plan, char *why)
{
	const struct rig_mem_case *what = rig_mem_case_find(name);
	const struct rig_mem_machine machine = {.mem_total = mem, .cpus = cpus, .page_size = PAGE};
	struct rig_mem_options options = {0};
	g_auto(GStrv) words = g_strsplit(arguments, " ", -1);

	for (int i = 0; words[i]; i++)
		if (words[i][0])
			g_assert_true(rig_mem_option_parse(what, words[i], &options, why));
	return rig_mem_plan_resolve(what, &options, &machine, plan, why);
}

static void test_plan_cow_hugetlb(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	/* The robot's machine: 256 GiB, 128 threads. */
	g_assert_true(resolve("anon-cow-rand-hugetlb", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 128);
	g_assert_cmpuint(plan.processes, ==, 128);
	g_assert_cmpuint(plan.threads, ==, 1);
	g_assert_cmpuint(plan.unit, ==, 128 * GIB);
	g_assert_cmpuint(plan.size, ==, 509 * 2 * MIB); /* 65536 / 129 = 508.03, rounded up */
	g_assert_true(plan.set_pool);
	g_assert_cmpuint(plan.pool_pages, ==, 65536 + 128 + 1);
	g_assert_cmpuint(plan.pool_pages, >=, 129 * plan.size / (2 * MIB));
	g_assert_cmpuint(plan.runtime_s, ==, 20);
	g_assert_cmpuint(plan.seed, ==, 1);
}

static void test_plan_pool(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("anon-w-seq-hugetlb", "--pool=7", GIB, 2, &plan, why));
	g_assert_cmpuint(plan.pool_pages, ==, 7);
	g_assert_true(resolve("anon-w-seq-hugetlb", "--no-pool", GIB, 2, &plan, why));
	g_assert_false(plan.set_pool);
	g_assert_true(resolve("anon-w-seq", "", GIB, 2, &plan, why));
	g_assert_false(plan.set_pool);
	/* The threads' copy stands beside the parent's, so there are two of the unit. */
	g_assert_true(resolve("anon-cow-seq-hugetlb-mt", "", 8 * GIB, 4, &plan, why));
	g_assert_cmpuint(plan.unit, ==, 2 * GIB);
	g_assert_cmpuint(plan.size, ==, 2 * GIB);
	g_assert_cmpuint(plan.pool_pages, ==, 2048 + 4 + 1);
}

static void test_plan_regions(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("anon-cow-seq", "", 8 * GIB, 3, &plan, why));
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-w-rand", "", 8 * GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-w-rand-mt", "--tasks=50% --unit=25%", 8 * GIB, 5, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 2);
	g_assert_cmpuint(plan.processes, ==, 1);
	g_assert_cmpuint(plan.threads, ==, 2);
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-cow-seq", "--tasks=10%", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 1);
	g_assert_true(resolve("anon-cow-seq", "--size=5000 --tasks=3", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, 2 * PAGE);
	g_assert_cmpuint(plan.unit, ==, 4 * 5000);
	g_assert_true(resolve("anon-cow-seq-hugetlb", "--size=1", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, 2 * MIB);
}

static void test_plan_numa(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("numa01", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.processes, ==, 2);
	g_assert_cmpuint(plan.threads, ==, 64);
	g_assert_cmpuint(plan.size, ==, 3 * GIB);
	g_assert_cmpuint(plan.passes, ==, 50);
	g_assert_true(resolve("numa01-thread-alloc", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.slice, ==, 48 * MIB);
	g_assert_cmpuint(plan.passes, ==, 1000);
	g_assert_true(resolve("numa02-smt", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 64);
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_cmpuint(plan.passes, ==, 800);
	g_assert_true(resolve("numa02", "", 2 * GIB, 3, &plan, why));
	g_assert_cmpuint(plan.size, <=, 256 * MIB);
	g_assert_cmpuint(plan.slice, ==, 84 * MIB); /* 256 MiB / 3, whole huge pages */
	g_assert_cmpuint(plan.passes, <, 800);
	g_assert_true(resolve("numa01", "--size=64K --passes=3", 2 * GIB, 1, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 2);
	g_assert_cmpuint(plan.slice, ==, 64 * KIB);
	g_assert_cmpuint(plan.passes, ==, 3);
}

static void test_plan_refused(void)
{
	static const struct {
		const char *name;
		const char *arguments;
		const char *named;
	} bad[] = {
		{"anon-w-seq", "--tasks=5000", "5000"},
		{"anon-w-seq", "--unit=3 --tasks=4", "too small"},
		{"anon-w-seq", "--unit=2G", "memory"},
		{"anon-cow-seq-mt", "--unit=600M", "memory"},
		{"anon-cow-seq", "--size=600M --tasks=1", "memory"},
		{"anon-cow-seq", "--size=200T --tasks=4096", "memory"},
		{"numa01", "--size=600M", "memory"},
		{"numa02", "--size=4K --tasks=4", "too small"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct rig_mem_plan plan;
		char why[RIG_MEM_WHY_MAX] = "";

		if (resolve(bad[i].name, bad[i].arguments, GIB, 2, &plan, why))
			g_error("%s %s was planned", bad[i].name, bad[i].arguments);
		g_assert_nonnull(strstr(why, bad[i].named));
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mem/size", test_size);
	g_test_add_func("/mem/cases", test_cases);
	g_test_add_func("/mem/options/good", test_options_good);
	g_test_add_func("/mem/options/bad", test_options_bad);
	g_test_add_func("/mem/plan/cow-hugetlb", test_plan_cow_hugetlb);
	g_test_add_func("/mem/plan/pool", test_plan_pool);
	g_test_add_func("/mem/plan/regions", test_plan_regions);
	g_test_add_func("/mem/plan/numa", test_plan_numa);
	g_test_add_func("/mem/plan/refused", test_plan_refused);
	return g_test_run();
}
