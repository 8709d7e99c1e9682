/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-cases.c - the table of cases of rig-mem. Options, resolving and the list of --list all come
 * from here; the two families (mem-usemem.c, mem-numa.c) carry a row out.
 */
#include "mem-cases.h"

#include <string.h>

#define ORDER_seq "in order"
#define ORDER_rand "at random places"

#define COW(order, is_random, suffix, pages, is_hugetlb)                                           \
	{                                                                                          \
		.name = "anon-cow-" #order suffix,                                                 \
		.text = "the parent populates a private region of " pages                          \
			"; each forked child writes "                                              \
			"its copy " ORDER_##order,                                                 \
		.family = RIG_MEM_USEMEM, .cow = true, .random = is_random, .hugetlb = is_hugetlb, \
		.unit = 50                                                                         \
	}

#define COW_MT(order, is_random, suffix, pages, is_hugetlb)                                        \
	{                                                                                          \
		.name = "anon-cow-" #order suffix "-mt",                                           \
		.text = "the parent populates a private region of " pages                          \
			"; the threads of one forked "                                             \
			"child all write the same copy " ORDER_##order,                            \
		.family = RIG_MEM_USEMEM, .cow = true, .random = is_random, .hugetlb = is_hugetlb, \
		.threads = true, .unit = 25                                                        \
	}

#define WRITE(order, is_random, suffix, pages, is_hugetlb)                                       \
	{                                                                                        \
		.name = "anon-w-" #order suffix,                                                 \
		.text = "each process maps a private region of " pages                           \
			" and writes it " ORDER_##order,                                         \
		.family = RIG_MEM_USEMEM, .random = is_random, .hugetlb = is_hugetlb, .unit = 50 \
	}

#define WRITE_MT(order, is_random, suffix, pages, is_hugetlb)                         \
	{                                                                             \
		.name = "anon-w-" #order suffix "-mt",                                \
		.text = "each thread of one process maps a private region of " pages  \
			" and writes it " ORDER_##order,                              \
		.family = RIG_MEM_USEMEM, .random = is_random, .hugetlb = is_hugetlb, \
		.threads = true, .unit = 50                                           \
	}

#define BOTH_PAGES(MAKE, order, is_random)               \
	MAKE(order, is_random, "", "base pages", false), \
		MAKE(order, is_random, "-hugetlb", "surplus 2 MiB pages", true)

const struct rig_mem_case rig_mem_cases[] = {
	BOTH_PAGES(COW, seq, false),
	BOTH_PAGES(COW, rand, true),
	BOTH_PAGES(COW_MT, seq, false),
	BOTH_PAGES(COW_MT, rand, true),
	BOTH_PAGES(WRITE, seq, false),
	BOTH_PAGES(WRITE, rand, true),
	BOTH_PAGES(WRITE_MT, seq, false),
	BOTH_PAGES(WRITE_MT, rand, true),
	{.name = "numa01",
	 .text = "2 processes, a thread for every CPU in all: each thread zeroes the whole buffer "
		 "of "
		 "its process, then passes over all of it",
	 .family = RIG_MEM_NUMA,
	 .processes = 2,
	 .cpus_per_thread = 1,
	 .size = 3ULL << 30,
	 .passes = 50,
	 .passes_small = 25},
	{.name = "numa01-thread-alloc",
	 .text = "2 processes, a thread for every CPU in all: each thread passes once over the "
		 "whole "
		 "buffer of its process, then over its own slice",
	 .family = RIG_MEM_NUMA,
	 .processes = 2,
	 .cpus_per_thread = 1,
	 .own_slice = true,
	 .size = 3ULL << 30,
	 .passes = 1000,
	 .passes_small = 50},
	{.name = "numa02",
	 .text = "1 process, a thread for every CPU: the main thread touches the buffer first, "
		 "then "
		 "each thread passes over its own slice",
	 .family = RIG_MEM_NUMA,
	 .processes = 1,
	 .cpus_per_thread = 1,
	 .own_slice = true,
	 .main_touches = true,
	 .size = 1ULL << 30,
	 .passes = 800,
	 .passes_small = 100},
	{.name = "numa02-smt",
	 .text = "as numa02, with a thread for every two CPUs",
	 .family = RIG_MEM_NUMA,
	 .processes = 1,
	 .cpus_per_thread = 2,
	 .own_slice = true,
	 .main_touches = true,
	 .size = 1ULL << 30,
	 .passes = 800,
	 .passes_small = 100},
};

const size_t rig_mem_cases_count = sizeof(rig_mem_cases) / sizeof(rig_mem_cases[0]);

const struct rig_mem_case *rig_mem_case_find(const char *name)
{
	for (size_t i = 0; i < rig_mem_cases_count; i++)
		if (strcmp(rig_mem_cases[i].name, name) == 0)
			return &rig_mem_cases[i];
	return NULL;
}
