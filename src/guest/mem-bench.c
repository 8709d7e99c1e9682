/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-bench.c - rig-mem --bench-loop. Both loops use the same generator on the same pages, turn by
 * turn, so that what else the machine does hits both; the best turn of each is compared. Time is
 * the thread's CPU time: a turn of the access loop ends by the clock, so by wall time a preempted
 * one would do fewer stores and hand the plain loop a shorter turn that is luckier.
 */
#include "mem-bench.h"
#include "mem-store.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>

#define ROUNDS 25
#define ROUND_NS 40000000ULL

/* What anyone would write first: no batches, no clock, nothing counted. */
__attribute__((noinline)) static void plain_loop(uint64_t *base, uint64_t slots, uint64_t count)
{
	uint64_t state = 1;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t slot = rig_store_random(&state, slots);

		base[slot] = state;
	}
}

static double cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

/* Nanoseconds a store. @count gets the stores done. */
static double time_access(struct rig_store *store, uint64_t *count)
{
	double start = cpu_ns();

	*count = rig_store_until(store, rig_store_now_ns() + ROUND_NS);
	return (cpu_ns() - start) / (double)*count;
}

static double time_plain(const struct rig_store *store, uint64_t count)
{
	double start = cpu_ns();

	plain_loop(store->base, store->slots, count);
	return (cpu_ns() - start) / (double)count;
}

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a;
	double y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(*values), compare_doubles);
	return values[ROUNDS / 2];
}

static void run_rounds(struct rig_store *store, uint64_t size)
{
	double plain[ROUNDS];
	double access[ROUNDS];
	double ratio[ROUNDS];
	uint64_t count = 0;

	time_access(store, &count);
	for (int round = 0; round < ROUNDS; round++) {
		if (round % 2)
			plain[round] = time_plain(store, count);
		access[round] = time_access(store, &count);
		if (round % 2 == 0)
			plain[round] = time_plain(store, count);
		ratio[round] = plain[round] / access[round];
	}
	printf("{\"plain_ns\": %.4f, \"access_ns\": %.4f, \"ratio\": %.4f, \"size\": %llu, "
	       "\"rounds\": %d}\n",
	       median(plain), median(access), median(ratio), (unsigned long long)size, ROUNDS);
}

bool rig_mem_bench(uint64_t size)
{
	struct rig_store store;
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (region == MAP_FAILED)
		return false;
	rig_store_init(&store, region, size, false, 1, 0);
	rig_store_batch(&store, store.slots);
	store.random = true;
	run_rounds(&store, size);
	munmap(region, size);
	return true;
}
