/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-bench.c - rig-mem --bench-loop. Both loops use the same generator on the same pages, turn by
 * turn, so that what else the machine does hits both; the best turn of each is compared.
 */
#include "mem-bench.h"
#include "mem-store.h"

#include <stdio.h>
#include <sys/mman.h>

#define ROUNDS 15
#define ROUND_NS 60000000ULL

/* What anyone would write first: no batches, no clock, nothing counted. */
__attribute__((noinline)) static void plain_loop(uint64_t *base, uint64_t slots, uint64_t count)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t slot = rig_store_random(&state, slots);

		base[slot] = state;
	}
}

/* Nanoseconds a store. @count gets the stores done. */
static double time_access(struct rig_store *store, uint64_t *count)
{
	uint64_t start = rig_store_now_ns();

	*count = rig_store_until(store, start + ROUND_NS);
	return (double)(rig_store_now_ns() - start) / (double)*count;
}

static double time_plain(const struct rig_store *store, uint64_t count)
{
	uint64_t start = rig_store_now_ns();

	plain_loop(store->base, store->slots, count);
	return (double)(rig_store_now_ns() - start) / (double)count;
}

bool rig_mem_bench(uint64_t size)
{
	struct rig_store store;
	double plain = 0;
	double access = 0;
	uint64_t count = 0;
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (region == MAP_FAILED)
		return false;
	rig_store_init(&store, region, size, false, 1, 0);
	rig_store_batch(&store, store.slots);
	store.random = true;
	for (int round = 0; round < ROUNDS; round++) {
		double access_now = time_access(&store, &count);
		double plain_now = time_plain(&store, count);

		access = round == 0 || access_now < access ? access_now : access;
		plain = round == 0 || plain_now < plain ? plain_now : plain;
	}
	munmap(region, size);
	printf("{\"plain_ns\": %.4f, \"access_ns\": %.4f, \"ratio\": %.4f, \"size\": %llu, "
	       "\"rounds\": %d}\n",
	       plain, access, plain / access, (unsigned long long)size, ROUNDS);
	return true;
}
