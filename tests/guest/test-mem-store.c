/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem-store.c - the store loops of rig-mem, on any memory.
 */
#include "guest/mem-store.h"

#include <glib.h>
#include <sys/mman.h>

#define PAGE 4096ULL

static void *map_pages(size_t size)
{
	void *region = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	g_assert_true(region != MAP_FAILED);
	return region;
}

/* The unrolled loop must store what the generator says, in that order: the last store wins. */
static void test_store_same_places(void)
{
	static const uint64_t counts[] = {1, 2, 3, 4, 5, 1000, 65537};
	enum { SLOTS = 509 };

	for (gsize i = 0; i < G_N_ELEMENTS(counts); i++) {
		uint64_t expected[SLOTS] = {0};
		uint64_t written[SLOTS] = {0};
		uint64_t state = rig_store_seed(7, 3);
		struct rig_store store;

		for (uint64_t n = 0; n < counts[i]; n++) {
			uint64_t slot = rig_store_random(&state, SLOTS);

			g_assert_cmpuint(slot, <, SLOTS);
			expected[slot] = state;
		}
		rig_store_init(&store, written, sizeof(written), true, 7, 3);
		rig_store_batch(&store, counts[i]);
		g_assert_cmpmem(written, sizeof(written), expected, sizeof(expected));
		g_assert_cmpuint(store.state, ==, state);
	}
}

static void test_store_seeds(void)
{
	g_autoptr(GHashTable) starts = g_hash_table_new(g_int64_hash, g_int64_equal);
	uint64_t seeds[32 * 32];
	gsize count = 0;

	for (uint64_t seed = 0; seed < 32; seed++)
		for (uint64_t task = 0; task < 32; task++) {
			seeds[count] = rig_store_seed(seed, task);
			g_assert_cmpuint(seeds[count], ==, rig_store_seed(seed, task));
			g_assert_true(g_hash_table_add(starts, &seeds[count]));
			count++;
		}
}

static void test_store_spread(void)
{
	enum { BINS = 64, DRAWS = 640000 };
	unsigned bins[BINS] = {0};
	uint64_t state = rig_store_seed(1, 0);

	for (int i = 0; i < DRAWS; i++)
		bins[rig_store_random(&state, BINS)]++;
	for (int i = 0; i < BINS; i++) {
		/* 10,000 expected, standard deviation 99. */
		g_assert_cmpuint(bins[i], >, 9500);
		g_assert_cmpuint(bins[i], <, 10500);
	}
}

static void test_store_in_order(void)
{
	uint64_t words[10] = {0};
	struct rig_store store;

	rig_store_init(&store, words, sizeof(words), false, 1, 0);
	rig_store_batch(&store, 4);
	for (int i = 0; i < 10; i++)
		g_assert_cmpint(words[i] != 0, ==, i < 4);
	rig_store_batch(&store, 23);
	g_assert_cmpuint(store.next, ==, 7);
	for (int i = 0; i < 10; i++)
		g_assert_cmpuint(words[i], !=, 0);
}

static void test_store_until(void)
{
	uint64_t words[512] = {0};
	struct rig_store store;
	uint64_t start = rig_store_now_ns();

	rig_store_init(&store, words, sizeof(words), true, 1, 0);
	g_assert_cmpuint(rig_store_until(&store, 0), ==, RIG_STORE_BATCH);
	g_assert_cmpuint(rig_store_until(&store, start + 50000000) % RIG_STORE_BATCH, ==, 0);
	g_assert_cmpuint(rig_store_now_ns(), >=, start + 50000000);
}

static void check_every_page(const uint64_t *region, size_t words)
{
	for (size_t page = 0; page < words; page += PAGE / 8) {
		size_t written = 0;

		for (size_t i = page; i < words && i < page + PAGE / 8; i++)
			written += region[i] != 0;
		g_assert_cmpuint(written, >, 0);
	}
}

static void test_copy(gconstpointer data)
{
	static const size_t sizes[] = {8, PAGE, 3 * PAGE, 1000 * PAGE, 1000 * PAGE + 8};
	bool random = GPOINTER_TO_INT(data);

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		uint64_t *region = map_pages(sizes[i]);
		struct rig_store_copied copied;
		struct rig_store store;
		struct rig_touch touch;

		rig_store_init(&store, region, sizes[i], random, 1, 0);
		g_assert_true(rig_touch_init(&touch, sizes[i], PAGE));
		copied = rig_store_copy(&store, &touch);
		check_every_page(region, sizes[i] / 8);
		g_assert_cmpuint(copied.pages, ==, (sizes[i] + PAGE - 1) / PAGE);
		g_assert_cmpuint(touch.left, ==, 0);
		g_assert_cmpuint(copied.accesses, >=, copied.pages);
		if (!random)
			g_assert_cmpuint(copied.accesses, ==, sizes[i] / 8);
		else /* ln(100) = 4.6 a page and a sweep; few pages have no such bound */
			g_assert_cmpuint(copied.accesses, <, 8 * copied.pages + 200);
		rig_touch_clear(&touch);
		munmap(region, sizes[i]);
	}
}

struct shared_copy {
	struct rig_store store;
	struct rig_touch *touch;
	struct rig_store_copied copied;
};

static gpointer copy_thread(gpointer data)
{
	struct shared_copy *copy = data;

	copy->copied = rig_store_copy(&copy->store, copy->touch);
	return NULL;
}

/* Threads of one process share the map: together they are the first writers of every page once. */
static void test_copy_shared(gconstpointer data)
{
	enum { THREADS = 4, PAGES = 4000 };
	uint64_t *region = map_pages(PAGES * PAGE);
	struct shared_copy copies[THREADS];
	GThread *threads[THREADS];
	struct rig_touch touch;
	uint64_t pages = 0;

	g_assert_true(rig_touch_init(&touch, PAGES * PAGE, PAGE));
	for (unsigned i = 0; i < THREADS; i++) {
		rig_store_init(&copies[i].store, region, PAGES * PAGE, GPOINTER_TO_INT(data), 1, i);
		copies[i].touch = &touch;
		threads[i] = g_thread_new(NULL, copy_thread, &copies[i]);
	}
	for (unsigned i = 0; i < THREADS; i++) {
		g_thread_join(threads[i]);
		pages += copies[i].copied.pages;
	}
	g_assert_cmpuint(pages, ==, PAGES);
	check_every_page(region, PAGES * PAGE / 8);
	rig_touch_clear(&touch);
	munmap(region, PAGES * PAGE);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mem/store/same-places", test_store_same_places);
	g_test_add_func("/mem/store/seeds", test_store_seeds);
	g_test_add_func("/mem/store/spread", test_store_spread);
	g_test_add_func("/mem/store/in-order", test_store_in_order);
	g_test_add_func("/mem/store/until", test_store_until);
	g_test_add_data_func("/mem/copy/in-order", GINT_TO_POINTER(false), test_copy);
	g_test_add_data_func("/mem/copy/random", GINT_TO_POINTER(true), test_copy);
	g_test_add_data_func("/mem/copy/shared-in-order", GINT_TO_POINTER(false), test_copy_shared);
	g_test_add_data_func("/mem/copy/shared-random", GINT_TO_POINTER(true), test_copy_shared);
	return g_test_run();
}
