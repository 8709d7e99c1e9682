/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-locality.h - a thread's own view of how many of its pages are on its home node.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RIG_LOCALITY_SAMPLE 256
#define RIG_LOCALITY_NODES 1024

struct rig_locality {
	void *pages[RIG_LOCALITY_SAMPLE];
	int nodes[RIG_LOCALITY_SAMPLE];
	uint32_t seen_on[RIG_LOCALITY_NODES]; /* checks in which the thread ran there */
	int bound_node;			      /* -1: home is where it ran most */
	uint64_t next_ns;
	uint64_t start_ns;
	uint64_t since_ns; /* share has been high since; 0: it is not */
	int home;
	double share; /* of the sample that was on the home node, 0..1 */
	bool known;   /* at least one check worked */
};

/*
 * Watches @size bytes at @base for the calling thread, whose phase starts at @now_ns. The home node
 * is @bound_node, or where the thread turns out to run most if that is -1.
 */
void rig_locality_init(struct rig_locality *locality, void *base, size_t size, size_t page_size,
		       int bound_node, uint64_t now_ns);

/* Looks, if the last look is 250 ms ago. Cheap otherwise, so that passes can call it often. */
void rig_locality_look(struct rig_locality *locality, uint64_t now_ns);

/* The last look, after the passes: it can end a convergence but is too late to begin one. */
void rig_locality_finish(struct rig_locality *locality);
