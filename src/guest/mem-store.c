/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-store.c - the loops that the anon cases of rig-mem spend their time in. Stores are volatile:
 * the work is one 8-byte store per 8 bytes, and a compiler would otherwise make wider ones of the
 * sequential loop. The measured loop must be no slower than a plain one (rig-mem --bench-loop).
 */
#include "mem-store.h"

#include <sys/mman.h>
#include <time.h>

uint64_t rig_store_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

/* A bijection that turns neighbouring numbers into unrelated ones. */
static uint64_t scramble(uint64_t value)
{
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	value ^= value >> 32;
	value *= 0xd6e8feb86659fd93ULL;
	return value ^ (value >> 32);
}

uint64_t rig_store_seed(uint64_t seed, uint64_t task)
{
	return scramble(scramble(seed + 1) + task);
}

void rig_store_init(struct rig_store *store, void *base, size_t size, bool random, uint64_t seed,
		    uint64_t task)
{
	*store = (struct rig_store){
		.base = base,
		.slots = size / sizeof(uint64_t),
		.state = rig_store_seed(seed, task),
		.random = random,
	};
}

static inline void store_word(uint64_t *base, uint64_t slot, uint64_t value)
{
	*(volatile uint64_t *)(base + slot) = value;
}

static inline void store_random(struct rig_store *store)
{
	uint64_t slot = rig_store_random(&store->state, store->slots);

	store_word(store->base, slot, store->state);
}

/* @n steps of the generator at once are one step of another one of its kind. */
#define LEAP_FACTOR_1 RIG_STORE_FACTOR
#define LEAP_FACTOR_2 (LEAP_FACTOR_1 * LEAP_FACTOR_1)
#define LEAP_FACTOR_3 (LEAP_FACTOR_2 * LEAP_FACTOR_1)
#define LEAP_FACTOR_4 (LEAP_FACTOR_2 * LEAP_FACTOR_2)
#define LEAP_STEP_1 RIG_STORE_STEP
#define LEAP_STEP_2 (LEAP_STEP_1 * (LEAP_FACTOR_1 + 1))
#define LEAP_STEP_3 (LEAP_STEP_2 * LEAP_FACTOR_1 + LEAP_STEP_1)
#define LEAP_STEP_4 (LEAP_STEP_3 * LEAP_FACTOR_1 + LEAP_STEP_1)

/*
 * The places are those of rig_store_random(), in that order, but four of them do not wait for one
 * another, so that the loop waits for memory and not for its generator.
 */
static void batch_random(struct rig_store *store, uint64_t count)
{
	uint64_t *base = store->base;
	uint64_t slots = store->slots;
	uint64_t state = store->state;

	for (; count >= 4; count -= 4) {
		uint64_t one = state * LEAP_FACTOR_1 + LEAP_STEP_1;
		uint64_t two = state * LEAP_FACTOR_2 + LEAP_STEP_2;
		uint64_t three = state * LEAP_FACTOR_3 + LEAP_STEP_3;

		state = state * LEAP_FACTOR_4 + LEAP_STEP_4;
		store_word(base, rig_store_place(one, slots), one);
		store_word(base, rig_store_place(two, slots), two);
		store_word(base, rig_store_place(three, slots), three);
		store_word(base, rig_store_place(state, slots), state);
	}
	store->state = state;
	for (; count > 0; count--)
		store_random(store);
}

static void batch_in_order(struct rig_store *store, uint64_t count)
{
	while (count > 0) {
		uint64_t run = store->slots - store->next;
		uint64_t *at = store->base + store->next;

		if (run > count)
			run = count;
		for (uint64_t i = 0; i < run; i++)
			store_word(at, i, i | 1); /* never 0: a written page shows */
		count -= run;
		store->next += run;
		if (store->next == store->slots)
			store->next = 0;
	}
}

void rig_store_batch(struct rig_store *store, uint64_t count)
{
	if (store->random)
		batch_random(store, count);
	else
		batch_in_order(store, count);
}

uint64_t rig_store_until(struct rig_store *store, uint64_t deadline_ns)
{
	uint64_t accesses = 0;

	do {
		rig_store_batch(store, RIG_STORE_BATCH);
		accesses += RIG_STORE_BATCH;
	} while (rig_store_now_ns() < deadline_ns);
	return accesses;
}

bool rig_touch_init(struct rig_touch *touch, size_t size, size_t page_size)
{
	uint64_t pages = (size + page_size - 1) / page_size;
	void *seen = mmap(NULL, pages, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (seen == MAP_FAILED)
		return false;
	*touch = (struct rig_touch){
		.seen = seen,
		.pages = pages,
		.shift = (unsigned)__builtin_ctzll(page_size / sizeof(uint64_t)),
	};
	atomic_init(&touch->left, pages);
	return true;
}

void rig_touch_clear(struct rig_touch *touch)
{
	if (touch->seen)
		munmap((void *)touch->seen, touch->pages);
	touch->seen = NULL;
}

/* True for the first task that says so of @page. */
static inline bool touch_claim(struct rig_touch *touch, uint64_t page)
{
	if (atomic_load_explicit(&touch->seen[page], memory_order_relaxed) ||
	    atomic_exchange_explicit(&touch->seen[page], 1, memory_order_relaxed))
		return false;
	atomic_fetch_sub_explicit(&touch->left, 1, memory_order_relaxed);
	return true;
}

static bool touch_few_left(const struct rig_touch *touch)
{
	return atomic_load_explicit(&touch->left, memory_order_relaxed) * 100 <= touch->pages;
}

static void copy_sweep(struct rig_store *store, struct rig_touch *touch,
		       struct rig_store_copied *copied)
{
	for (uint64_t page = 0; page < touch->pages; page++) {
		uint64_t first = page << touch->shift;
		uint64_t words = 1ULL << touch->shift;

		if (atomic_load_explicit(&touch->seen[page], memory_order_relaxed))
			continue;
		if (words > store->slots - first)
			words = store->slots - first;
		words = rig_store_random(&store->state, words);
		store_word(store->base, first + words, store->state);
		copied->accesses++;
		copied->pages += touch_claim(touch, page);
	}
}

static struct rig_store_copied copy_random(struct rig_store *store, struct rig_touch *touch)
{
	struct rig_store_copied copied = {0};

	while (!touch_few_left(touch)) {
		uint64_t slot = rig_store_random(&store->state, store->slots);

		store_word(store->base, slot, store->state);
		copied.accesses++;
		copied.pages += touch_claim(touch, slot >> touch->shift);
	}
	copy_sweep(store, touch, &copied);
	return copied;
}

static struct rig_store_copied copy_in_order(struct rig_store *store, struct rig_touch *touch)
{
	struct rig_store_copied copied = {0};

	for (uint64_t page = 0; page < touch->pages; page++) {
		uint64_t words = 1ULL << touch->shift;

		if (words > store->slots - store->next)
			words = store->slots - store->next;
		batch_in_order(store, words);
		copied.accesses += words;
		copied.pages += touch_claim(touch, page);
	}
	return copied;
}

struct rig_store_copied rig_store_copy(struct rig_store *store, struct rig_touch *touch)
{
	return store->random ? copy_random(store, touch) : copy_in_order(store, touch);
}
