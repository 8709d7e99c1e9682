/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-hugetlb.c - sets and restores nr_overcommit_hugepages. If rig-mem is killed outright the
 * value stays: that is harmless (it only allows), and in a guest the agent's snapshots show it.
 */
#include "mem-hugetlb.h"
#include "mem-args.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static FILE *open_limit(const char *dir, const char *mode)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/nr_overcommit_hugepages", dir);
	return fopen(path, mode);
}

static bool read_limit(const char *dir, uint64_t *pages)
{
	FILE *file = open_limit(dir, "re");
	bool good = file && fscanf(file, "%" SCNu64, pages) == 1;

	if (file)
		fclose(file);
	return good;
}

static bool write_limit(const char *dir, uint64_t pages)
{
	FILE *file = open_limit(dir, "we");
	bool good;

	if (!file)
		return false;
	good = fprintf(file, "%" PRIu64 "\n", pages) > 0;
	return fclose(file) == 0 && good;
}

bool rig_hugetlb_pool_set(struct rig_hugetlb_pool *pool, const char *dir, uint64_t pages, char *why)
{
	uint64_t now = 0;

	*pool = (struct rig_hugetlb_pool){.dir = dir};
	if (!read_limit(dir, &pool->before)) {
		snprintf(why, RIG_MEM_WHY_MAX, "no 2 MiB hugetlb pages here: %s: %s", dir,
			 strerror(errno));
		return false;
	}
	if (!write_limit(dir, pages)) {
		snprintf(why, RIG_MEM_WHY_MAX, "cannot set %s/nr_overcommit_hugepages: %s", dir,
			 strerror(errno));
		return false;
	}
	pool->changed = true;
	if (!read_limit(dir, &now) || now != pages) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "%s/nr_overcommit_hugepages is %" PRIu64 ", not %" PRIu64, dir, now,
			 pages);
		rig_hugetlb_pool_restore(pool);
		return false;
	}
	return true;
}

void rig_hugetlb_pool_restore(struct rig_hugetlb_pool *pool)
{
	if (pool->changed)
		write_limit(pool->dir, pool->before);
	pool->changed = false;
}
