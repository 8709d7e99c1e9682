/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-locality.c - asks move_pages(2), without moving anything, where an even sample of pages is.
 * A thread has converged at the first look after which its share never fell below 90 % again.
 */
#include "mem-locality.h"

#include <numa.h>
#include <sched.h>

#define INTERVAL_NS 250000000ULL
#define HIGH_SHARE 0.9

void rig_locality_init(struct rig_locality *locality, void *base, size_t size, size_t page_size,
		       int bound_node, uint64_t now_ns)
{
	uint64_t count = size / page_size;

	*locality = (struct rig_locality){
		.bound_node = bound_node,
		.home = bound_node,
		.start_ns = now_ns,
		.next_ns = now_ns,
	};
	for (uint64_t i = 0; i < RIG_LOCALITY_SAMPLE; i++)
		locality->pages[i] = (char *)base + i * count / RIG_LOCALITY_SAMPLE * page_size;
}

static int node_of_cpu(void)
{
	unsigned cpu = 0;
	unsigned node = 0;

	if (getcpu(&cpu, &node) != 0 || node >= RIG_LOCALITY_NODES)
		return -1;
	return (int)node;
}

static void find_home(struct rig_locality *locality)
{
	int node = node_of_cpu();

	if (node < 0 || locality->bound_node >= 0)
		return;
	locality->seen_on[node]++;
	if (locality->home < 0 || locality->seen_on[node] > locality->seen_on[locality->home])
		locality->home = node;
}

/* Updates home and share. False if it could not be seen. */
static bool measure(struct rig_locality *locality)
{
	unsigned at_home = 0;

	find_home(locality);
	if (locality->home < 0 ||
	    numa_move_pages(0, RIG_LOCALITY_SAMPLE, locality->pages, NULL, locality->nodes, 0) < 0)
		return false;
	for (int i = 0; i < RIG_LOCALITY_SAMPLE; i++)
		at_home += locality->nodes[i] == locality->home;
	locality->known = true;
	locality->share = (double)at_home / RIG_LOCALITY_SAMPLE;
	if (locality->share < HIGH_SHARE)
		locality->since_ns = 0;
	return true;
}

void rig_locality_look(struct rig_locality *locality, uint64_t now_ns)
{
	if (now_ns < locality->next_ns)
		return;
	locality->next_ns = now_ns + INTERVAL_NS;
	if (measure(locality) && locality->share >= HIGH_SHARE && locality->since_ns == 0)
		locality->since_ns = now_ns;
}

void rig_locality_finish(struct rig_locality *locality)
{
	measure(locality);
}
