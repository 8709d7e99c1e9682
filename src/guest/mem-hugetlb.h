/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-hugetlb.h - the pool of surplus huge pages.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#define RIG_HUGETLB_DIR "/sys/kernel/mm/hugepages/hugepages-2048kB"

/* What the pool was before; zero-initialised means that it was not touched. */
struct rig_hugetlb_pool {
	const char *dir;
	bool changed;
	uint64_t before;
};

/*
 * Lets @pages surplus pages be allocated: nr_overcommit_hugepages of @dir (not copied), never
 * nr_hugepages, so that pages come from the buddy allocator when they are wanted. Reads the value
 * back. False and a message in @why (RIG_MEM_WHY_MAX bytes) when that is not possible.
 */
bool rig_hugetlb_pool_set(struct rig_hugetlb_pool *pool, const char *dir, uint64_t pages,
			  char *why);

/* Puts back what rig_hugetlb_pool_set() found. */
void rig_hugetlb_pool_restore(struct rig_hugetlb_pool *pool);
