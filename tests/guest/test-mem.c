/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem.c - the parts of rig-mem that need no process of their own: options, plan, stores, the
 * overcommit pool, control lines. test-mem-run.c runs the program.
 */
#include "guest/mem-args.h"
#include "guest/mem-control.h"
#include "guest/mem-hugetlb.h"
#include "guest/mem-store.h"
#include "proto.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KIB 1024ULL
#define MIB (1024 * KIB)
#define GIB (1024 * MIB)
#define PAGE 4096ULL

static void test_size(void)
{
	static const struct {
		const char *text;
		uint64_t bytes;
	} good[] = {
		{"0", 0},
		{"4096", 4096},
		{"4K", 4 * KIB},
		{"4KiB", 4 * KIB},
		{"512M", 512 * MIB},
		{"3GiB", 3 * GIB},
		{"1T", 1024 * GIB},
		{"18446744073709551615", UINT64_MAX},
	};
	static const char *const bad[] = {
		"",
		"K",
		"-1",
		"+1",
		" 1",
		"1 K",
		"1.5G",
		"4KB",
		"4Ki",
		"4KiBx",
		"4k",
		"0x10",
		"10%",
		"18446744073709551616",
		"18014398509481984T",
	};
	uint64_t bytes;

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
		g_assert_true(rig_mem_size_parse(good[i].text, &bytes));
		g_assert_cmpuint(bytes, ==, good[i].bytes);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++)
		if (rig_mem_size_parse(bad[i], &bytes))
			g_error("'%s' was taken for %" G_GUINT64_FORMAT, bad[i], bytes);
}

static void test_cases(void)
{
	g_assert_cmpuint(rig_mem_cases_count, ==, 20);
	for (gsize i = 0; i < rig_mem_cases_count; i++)
		g_assert_true(rig_mem_case_find(rig_mem_cases[i].name) == &rig_mem_cases[i]);
	g_assert_null(rig_mem_case_find("anon-cow"));
	g_assert_null(rig_mem_case_find(""));
}

static void test_options_good(void)
{
	const struct rig_mem_case *usemem = rig_mem_case_find("anon-cow-rand-hugetlb");
	const struct rig_mem_case *numa = rig_mem_case_find("numa02");
	struct rig_mem_options options = {0};
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(rig_mem_option_parse(usemem, "--tasks=150%", &options, why));
	g_assert_true(options.tasks.set && options.tasks.percent);
	g_assert_cmpuint(options.tasks.value, ==, 150);
	g_assert_true(rig_mem_option_parse(usemem, "--tasks=2000", &options, why));
	g_assert_false(options.tasks.percent);
	g_assert_cmpuint(options.tasks.value, ==, 2000);
	g_assert_true(rig_mem_option_parse(usemem, "--unit=1G", &options, why));
	g_assert_cmpuint(options.unit.value, ==, GIB);
	g_assert_true(rig_mem_option_parse(usemem, "--seed=0", &options, why));
	g_assert_true(options.seed.set);
	g_assert_true(rig_mem_option_parse(usemem, "--no-pool", &options, why));
	g_assert_true(options.no_pool);
	g_assert_true(rig_mem_option_parse(numa, "--bind=inverse", &options, why));
	g_assert_cmpint(options.bind, ==, RIG_MEM_BIND_INVERSE);
}

static void test_options_bad(void)
{
	static const struct {
		const char *name;
		const char *argument;
		const char *named; /* must be in the message */
	} bad[] = {
		{"anon-w-seq", "--tasks=0", "--tasks"},
		{"anon-w-seq", "--tasks=0%", "--tasks"},
		{"anon-w-seq", "--tasks=-1", "--tasks"},
		{"anon-w-seq", "--tasks=1.5", "--tasks"},
		{"anon-w-seq", "--tasks=", "--tasks"},
		{"anon-w-seq", "--tasks", "--tasks"},
		{"anon-w-seq", "--unit=101%", "--unit"},
		{"anon-w-seq", "--unit=5%%", "--unit"},
		{"anon-w-seq", "--unit=0", "--unit"},
		{"anon-w-seq", "--size=50%", "--size"},
		{"anon-w-seq", "--runtime=0", "--runtime"},
		{"anon-w-seq", "--runtime=1s", "--runtime"},
		{"anon-w-seq", "--no-pool=1", "--no-pool"},
		{"anon-w-seq", "--passes=3", "--passes"},
		{"anon-w-seq", "--colour=red", "--colour"},
		{"anon-w-seq", "runtime=1", "runtime=1"},
		{"anon-w-seq", "-", "-"},
		{"anon-w-seq", "--", "--"},
		{"numa01", "--runtime=1", "--runtime"},
		{"numa01", "--bind=both", "--bind"},
		{"numa01", "--bind", "--bind"},
		{"numa01", "--passes=0", "--passes"},
		{"numa01", "--first-node=1024", "--first-node"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct rig_mem_options options = {0};
		char why[RIG_MEM_WHY_MAX] = "";

		if (rig_mem_option_parse(rig_mem_case_find(bad[i].name), bad[i].argument, &options,
					 why))
			g_error("%s took %s", bad[i].name, bad[i].argument);
		g_assert_nonnull(strstr(why, bad[i].named));
	}
}

/* Resolves @arguments (separated by blanks) of @name on a machine of @mem bytes and @cpus. */
static bool resolve(const char *name, const char *arguments, uint64_t mem, unsigned cpus,
		    struct rig_mem_plan *plan, char *why)
{
	const struct rig_mem_case *what = rig_mem_case_find(name);
	const struct rig_mem_machine machine = {.mem_total = mem, .cpus = cpus, .page_size = PAGE};
	struct rig_mem_options options = {0};
	g_auto(GStrv) words = g_strsplit(arguments, " ", -1);

	for (int i = 0; words[i]; i++)
		if (words[i][0])
			g_assert_true(rig_mem_option_parse(what, words[i], &options, why));
	return rig_mem_plan_resolve(what, &options, &machine, plan, why);
}

static void test_plan_cow_hugetlb(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	/* The robot's machine: 256 GiB, 128 threads. */
	g_assert_true(resolve("anon-cow-rand-hugetlb", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 128);
	g_assert_cmpuint(plan.processes, ==, 128);
	g_assert_cmpuint(plan.threads, ==, 1);
	g_assert_cmpuint(plan.unit, ==, 128 * GIB);
	g_assert_cmpuint(plan.size, ==, 509 * 2 * MIB); /* 65536 / 129 = 508.03, rounded up */
	g_assert_true(plan.set_pool);
	g_assert_cmpuint(plan.pool_pages, ==, 65536 + 128 + 1);
	g_assert_cmpuint(plan.pool_pages, >=, 129 * plan.size / (2 * MIB));
	g_assert_cmpuint(plan.runtime_s, ==, 20);
	g_assert_cmpuint(plan.seed, ==, 1);
}

static void test_plan_pool(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("anon-w-seq-hugetlb", "--pool=7", GIB, 2, &plan, why));
	g_assert_cmpuint(plan.pool_pages, ==, 7);
	g_assert_true(resolve("anon-w-seq-hugetlb", "--no-pool", GIB, 2, &plan, why));
	g_assert_false(plan.set_pool);
	g_assert_true(resolve("anon-w-seq", "", GIB, 2, &plan, why));
	g_assert_false(plan.set_pool);
	/* The threads' copy stands beside the parent's, so there are two of the unit. */
	g_assert_true(resolve("anon-cow-seq-hugetlb-mt", "", 8 * GIB, 4, &plan, why));
	g_assert_cmpuint(plan.unit, ==, 2 * GIB);
	g_assert_cmpuint(plan.size, ==, 2 * GIB);
	g_assert_cmpuint(plan.pool_pages, ==, 2048 + 4 + 1);
}

static void test_plan_regions(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("anon-cow-seq", "", 8 * GIB, 3, &plan, why));
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-w-rand", "", 8 * GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-w-rand-mt", "--tasks=50% --unit=25%", 8 * GIB, 5, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 2);
	g_assert_cmpuint(plan.processes, ==, 1);
	g_assert_cmpuint(plan.threads, ==, 2);
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_true(resolve("anon-cow-seq", "--tasks=10%", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 1);
	g_assert_true(resolve("anon-cow-seq", "--size=5000 --tasks=3", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, 2 * PAGE);
	g_assert_cmpuint(plan.unit, ==, 4 * 5000);
	g_assert_true(resolve("anon-cow-seq-hugetlb", "--size=1", GIB, 4, &plan, why));
	g_assert_cmpuint(plan.size, ==, 2 * MIB);
}

static void test_plan_numa(void)
{
	struct rig_mem_plan plan;
	char why[RIG_MEM_WHY_MAX];

	g_assert_true(resolve("numa01", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.processes, ==, 2);
	g_assert_cmpuint(plan.threads, ==, 64);
	g_assert_cmpuint(plan.size, ==, 3 * GIB);
	g_assert_cmpuint(plan.passes, ==, 50);
	g_assert_true(resolve("numa01-thread-alloc", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.slice, ==, 48 * MIB);
	g_assert_cmpuint(plan.passes, ==, 1000);
	g_assert_true(resolve("numa02-smt", "", 256 * GIB, 128, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 64);
	g_assert_cmpuint(plan.size, ==, GIB);
	g_assert_cmpuint(plan.passes, ==, 800);
	g_assert_true(resolve("numa02", "", 2 * GIB, 3, &plan, why));
	g_assert_cmpuint(plan.size, <=, 256 * MIB);
	g_assert_cmpuint(plan.slice, ==, 84 * MIB); /* 256 MiB / 3, whole huge pages */
	g_assert_cmpuint(plan.passes, <, 800);
	g_assert_true(resolve("numa01", "--size=64K --passes=3", 2 * GIB, 1, &plan, why));
	g_assert_cmpuint(plan.tasks, ==, 2);
	g_assert_cmpuint(plan.slice, ==, 64 * KIB);
	g_assert_cmpuint(plan.passes, ==, 3);
}

static void test_plan_refused(void)
{
	static const struct {
		const char *name;
		const char *arguments;
		const char *named;
	} bad[] = {
		{"anon-w-seq", "--tasks=5000", "5000"},
		{"anon-w-seq", "--unit=3 --tasks=4", "too small"},
		{"anon-w-seq", "--unit=2G", "memory"},
		{"anon-cow-seq-mt", "--unit=600M", "memory"},
		{"anon-cow-seq", "--size=600M --tasks=1", "memory"},
		{"anon-cow-seq", "--size=200T --tasks=4096", "memory"},
		{"numa01", "--size=600M", "memory"},
		{"numa02", "--size=4K --tasks=4", "too small"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		struct rig_mem_plan plan;
		char why[RIG_MEM_WHY_MAX] = "";

		if (resolve(bad[i].name, bad[i].arguments, GIB, 2, &plan, why))
			g_error("%s %s was planned", bad[i].name, bad[i].arguments);
		g_assert_nonnull(strstr(why, bad[i].named));
	}
}

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

static void test_pool(void)
{
	g_autofree char *dir = g_dir_make_tmp("rig-mem-XXXXXX", NULL);
	g_autofree char *limit = g_build_filename(dir, "nr_overcommit_hugepages", NULL);
	g_autofree char *text = NULL;
	struct rig_hugetlb_pool pool;
	char why[RIG_MEM_WHY_MAX];

	g_assert_false(rig_hugetlb_pool_set(&pool, dir, 5, why));
	g_assert_nonnull(strstr(why, dir));
	rig_hugetlb_pool_restore(&pool);
	g_assert_false(g_file_test(limit, G_FILE_TEST_EXISTS));

	g_assert_true(g_file_set_contents(limit, "3\n", -1, NULL));
	g_assert_true(rig_hugetlb_pool_set(&pool, dir, 105, why));
	g_assert_true(g_file_get_contents(limit, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "105\n");
	rig_hugetlb_pool_restore(&pool);
	g_clear_pointer(&text, g_free);
	g_assert_true(g_file_get_contents(limit, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "3\n");
	g_unlink(limit);
	g_rmdir(dir);
}

/* What @control has written to the pipe whose other end is @fd. */
static char *written(int fd)
{
	char buffer[2 * RIG_CONTROL_LINE_MAX];
	ssize_t count = read(fd, buffer, sizeof(buffer));

	g_assert_cmpint(count, >, 0);
	return g_strndup(buffer, (gsize)count);
}

static void test_control_lines(void)
{
	struct rig_control control = {.ack = -1};
	int fds[2];

	g_assert_cmpint(pipe(fds), ==, 0);
	control.out = fds[1];
	{
		const pid_t tasks[] = {117, 118};
		g_autofree char *line = NULL;

		g_assert_true(rig_control_mark(&control, "copy", tasks, 2));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"mark\": \"copy\", \"tasks\": [117,118]}\n");
	}
	{
		g_autofree char *line = NULL;

		rig_control_begin(&control, "result");
		rig_control_add(&control, "task", 0);
		rig_control_add_real(&control, "kbps", 1.5);
		g_assert_true(rig_control_send(&control));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"result\": {\"task\": 0, \"kbps\": 1.500000}}\n");
	}
	{
		g_autofree char *line = NULL;

		g_assert_true(rig_control_fail(&control, "a \"b\" \\ \x1b[1m\xc3"));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"fail\": \"a \\\"b\\\" \\\\ ?[1m?\"}\n");
	}
	close(fds[0]);
	close(fds[1]);
}

static void test_control_many_tasks(void)
{
	struct rig_control control = {.ack = -1};
	pid_t tasks[RIG_TASKS_MAX];
	g_autofree char *line = NULL;
	int fds[2];

	for (int i = 0; i < RIG_TASKS_MAX; i++)
		tasks[i] = 4194303 - i;
	g_assert_cmpint(pipe(fds), ==, 0);
	control.out = fds[1];
	g_assert_true(rig_control_mark(&control, "access", tasks, RIG_TASKS_MAX));
	line = written(fds[0]);
	g_assert_cmpuint(strlen(line), <=, RIG_CONTROL_LINE_MAX);
	g_assert_true(g_str_has_suffix(line, "]}\n"));
	g_assert_nonnull(strstr(line, "4194303"));
	close(fds[0]);
	close(fds[1]);
}

static void test_control_answer(void)
{
	struct rig_control control = {0};
	int lines[2];
	int acks[2];

	g_assert_cmpint(pipe(lines), ==, 0);
	g_assert_cmpint(pipe(acks), ==, 0);
	control.out = lines[1];
	control.ack = acks[0];
	g_assert_cmpint(write(acks[1], "!", 1), ==, 1);
	g_assert_true(rig_control_mark(&control, "setup", NULL, 0));
	close(acks[1]);
	g_assert_false(rig_control_mark(&control, "populate", NULL, 0));
	close(acks[0]);
	close(lines[0]);
	close(lines[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mem/size", test_size);
	g_test_add_func("/mem/cases", test_cases);
	g_test_add_func("/mem/options/good", test_options_good);
	g_test_add_func("/mem/options/bad", test_options_bad);
	g_test_add_func("/mem/plan/cow-hugetlb", test_plan_cow_hugetlb);
	g_test_add_func("/mem/plan/pool", test_plan_pool);
	g_test_add_func("/mem/plan/regions", test_plan_regions);
	g_test_add_func("/mem/plan/numa", test_plan_numa);
	g_test_add_func("/mem/plan/refused", test_plan_refused);
	g_test_add_func("/mem/store/same-places", test_store_same_places);
	g_test_add_func("/mem/store/seeds", test_store_seeds);
	g_test_add_func("/mem/store/spread", test_store_spread);
	g_test_add_func("/mem/store/in-order", test_store_in_order);
	g_test_add_func("/mem/store/until", test_store_until);
	g_test_add_data_func("/mem/copy/in-order", GINT_TO_POINTER(false), test_copy);
	g_test_add_data_func("/mem/copy/random", GINT_TO_POINTER(true), test_copy);
	g_test_add_data_func("/mem/copy/shared-in-order", GINT_TO_POINTER(false), test_copy_shared);
	g_test_add_data_func("/mem/copy/shared-random", GINT_TO_POINTER(true), test_copy_shared);
	g_test_add_func("/mem/pool", test_pool);
	g_test_add_func("/mem/control/lines", test_control_lines);
	g_test_add_func("/mem/control/many-tasks", test_control_many_tasks);
	g_test_add_func("/mem/control/answer", test_control_answer);
	return g_test_run();
}
