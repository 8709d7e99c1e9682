/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-store.h - 8-byte stores to a region, in order or at random places, and the count of pages
 * that have been written. Pure but for the clock, so that tests run it on any mapping.
 */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The run time is looked at once in this many accesses. */
#define RIG_STORE_BATCH 65536

/* One task's place in its region. */
struct rig_store {
	uint64_t *base;
	uint64_t slots; /* 8-byte words of the region */
	uint64_t state; /* of the random generator */
	uint64_t next;	/* sequential: the word to write next */
	bool random;
};

/* Which pages of a region have been written. The threads of a process may share one. */
struct rig_touch {
	_Atomic uint8_t *seen; /* a byte a page */
	uint64_t pages;
	_Atomic uint64_t left;
	unsigned shift; /* log2 of the words of a page */
};

/* What a copy pass did. */
struct rig_store_copied {
	uint64_t accesses;
	uint64_t pages; /* of which this task was the first writer */
};

/* The generator: state * FACTOR + STEP, modulo 2^64 (full period). */
#define RIG_STORE_FACTOR 6364136223846793005ULL
#define RIG_STORE_STEP 1442695040888963407ULL

/* The low bits of such a state are poor, so the place comes from the high ones. */
static inline uint64_t rig_store_place(uint64_t state, uint64_t slots)
{
	return (uint64_t)(((unsigned __int128)state * slots) >> 64);
}

/* One step: the next place, below @slots. */
static inline uint64_t rig_store_random(uint64_t *state, uint64_t slots)
{
	*state = *state * RIG_STORE_FACTOR + RIG_STORE_STEP;
	return rig_store_place(*state, slots);
}

/* Where the generator of @task starts for @seed: far from that of every other task and seed. */
uint64_t rig_store_seed(uint64_t seed, uint64_t task);

/* @size is a multiple of 8, at least 8; @base stays the caller's. */
void rig_store_init(struct rig_store *store, void *base, size_t size, bool random, uint64_t seed,
		    uint64_t task);

/* @count stores. */
void rig_store_batch(struct rig_store *store, uint64_t count);

/* Stores until CLOCK_MONOTONIC is @deadline_ns, at least one batch. Returns the accesses. */
uint64_t rig_store_until(struct rig_store *store, uint64_t deadline_ns);

/*
 * @size bytes in pages of @page_size (a power of two). False when there is no memory for the map;
 * its pages are populated here, so that no fault of the map falls into a counted phase.
 */
bool rig_touch_init(struct rig_touch *touch, size_t size, size_t page_size);
void rig_touch_clear(struct rig_touch *touch);

/*
 * Stores as in the access phase until every page of the region has been written once. In order that
 * is one pass. At random the last pages would take long to be hit by chance (half a million pages:
 * thirteen times as many accesses), so when at most 1 % are left they are written by a sweep.
 */
struct rig_store_copied rig_store_copy(struct rig_store *store, struct rig_touch *touch);

/* CLOCK_MONOTONIC. */
uint64_t rig_store_now_ns(void);
