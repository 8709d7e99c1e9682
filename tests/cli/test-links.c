/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-links.c - symbolic links in rig's folders, to where a user's own files are.
 *
 * The state and the cache may be links, and so may the folders in them (results, kernels, image):
 * that is how somebody moves them to a larger disk. Anything below is rig's own, and a link there
 * is never followed to write or to remove.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "cli-fixture.h"
#include "model/store.h"
#include "../unit/report-records.h"

static const RecordSpec spec = {
	"6.1-cloud", "base", "6.1.0", 'C', RIG_OUTCOME_OK, 500000, 20000, 1764510000,
};

typedef struct {
	CliFixture cli;
	char *outside; /* the user's folder, with one file in it */
	char *results;
} World;

static char *in(const char *folder, const char *path)
{
	return g_build_filename(folder, path, NULL);
}

static void set_up(World *world)
{
	g_autofree char *file = NULL;

	cli_setup(&world->cli);
	world->outside = in(world->cli.root, "outside");
	world->results = in(world->cli.root, "state/results");
	g_assert_true(rig_file_make_dirs(world->outside, 0755, NULL));
	file = cli_write(&world->cli, "outside/precious", "mine\n");
}

/* Nothing was taken away from the user, and nothing put to him. */
static void expect_untouched(World *world, guint n)
{
	g_autoptr(GDir) dir = g_dir_open(world->outside, 0, NULL);
	g_autofree char *file = in(world->outside, "precious");
	g_autofree char *text = rig_file_read(file, 99, NULL, NULL);
	guint entries = 0;

	while (g_dir_read_name(dir))
		entries++;
	g_assert_cmpuint(entries, ==, n);
	g_assert_cmpstr(text, ==, "mine\n");
}

static void tear_down(World *world)
{
	g_free(world->outside);
	g_free(world->results);
	cli_teardown(&world->cli);
}

static void put_link(const World *world, const char *path)
{
	g_autofree char *link = in(world->cli.root, path);
	g_autofree char *parent = g_path_get_dirname(link);

	g_assert_true(rig_file_make_dirs(parent, 0755, NULL));
	g_assert_no_errno(symlink(world->outside, link));
}

static gboolean is_link(const World *world, const char *path)
{
	g_autofree char *full = in(world->cli.root, path);

	return g_file_test(full, G_FILE_TEST_IS_SYMLINK);
}

static gboolean store(World *world, RigRecord *record, GError **error)
{
	return rig_store_write(world->results, record, NULL, error);
}

/* Where everything is behind a link, as a whole, it works as without. */
static void test_whole_state(void)
{
	World world;
	g_autoptr(RigRecord) record = record_make(&spec);
	g_autoptr(GError) error = NULL;

	set_up(&world);
	put_link(&world, "state");
	g_assert_true(store(&world, record, &error));
	cli_rig(&world.cli, "results", "list", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_nonnull(strstr(world.cli.last.out, record->id));
	cli_rig(&world.cli, "results", "remove", "--yes", record->id, NULL);
	cli_expect(&world.cli, 0, NULL);
	cli_rig(&world.cli, "gc", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_true(is_link(&world, "state"));
	tear_down(&world);
}

/* A record that was moved away, with a link in its place: the link goes. */
static void test_record(void)
{
	World world;
	g_autoptr(RigRecord) record = record_make(&spec);
	g_autofree char *moved = NULL, *json = NULL;
	g_autoptr(GError) error = NULL;

	set_up(&world);
	g_assert_true(store(&world, record, &error));
	moved = in(world.outside, "record");
	json = in(moved, "record.json");
	g_assert_no_errno(rename(record->dir, moved));
	g_assert_no_errno(symlink(moved, record->dir));
	cli_rig(&world.cli, "results", "show", "last", NULL);
	cli_expect(&world.cli, 0, NULL);
	cli_rig(&world.cli, "results", "remove", "--yes", "last", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_false(g_file_test(record->dir, G_FILE_TEST_IS_SYMLINK));
	g_assert_true(g_file_test(json, G_FILE_TEST_IS_REGULAR));
	expect_untouched(&world, 2);
	tear_down(&world);
}

/* A folder above records: neither written nor removed through. */
static void test_above_records(void)
{
	World world;
	g_autoptr(RigRecord) first = record_make(&spec), second = record_make(&spec);
	g_autofree char *folder = NULL, *moved = NULL;
	g_autoptr(GError) error = NULL;

	set_up(&world);
	g_assert_true(store(&world, first, &error));
	folder = in(world.results, first->workload);
	moved = in(world.outside, "moved");
	g_assert_no_errno(rename(folder, moved));
	g_assert_no_errno(symlink(moved, folder));
	g_assert_false(store(&world, second, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
	g_assert_nonnull(strstr(error->message, "is a symbolic link"));
	cli_rig(&world.cli, "results", "list", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_nonnull(strstr(world.cli.last.out, first->id));
	cli_rig(&world.cli, "results", "remove", "--yes", "last", NULL);
	cli_expect(&world.cli, 3, "is a symbolic link");
	g_assert_true(g_file_test(first->dir, G_FILE_TEST_IS_DIR));
	expect_untouched(&world, 2);
	tear_down(&world);
}

static void test_index_and_lock(void)
{
	static const char *const names[] = {"state/results/index.jsonl", "state/results/.lock"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		World world;
		g_autoptr(RigRecord) record = record_make(&spec);
		g_autofree char *link = NULL, *file = NULL;
		g_autoptr(GError) error = NULL;

		set_up(&world);
		link = in(world.cli.root, names[i]);
		file = in(world.outside, "precious");
		g_assert_true(rig_file_make_dirs(world.results, 0755, NULL));
		g_assert_no_errno(symlink(file, link));
		g_assert_false(store(&world, record, &error));
		g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
		g_assert_nonnull(strstr(error->message, "is a symbolic link"));
		expect_untouched(&world, 1);
		tear_down(&world);
	}
}

static void test_guest(void)
{
	World world;

	set_up(&world);
	put_link(&world, "state/guests/linked");
	cli_rig(&world.cli, "ps", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_nonnull(strstr(world.cli.last.out, "left over"));
	cli_rig(&world.cli, "exec", "linked", "--", "true", NULL);
	cli_expect(&world.cli, 2, "there is no guest");
	cli_rig(&world.cli, "console", "linked", NULL);
	cli_expect(&world.cli, 2, "there is no guest");
	expect_untouched(&world, 1);
	cli_rig(&world.cli, "down", "linked", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_false(is_link(&world, "state/guests/linked"));
	expect_untouched(&world, 1);
	tear_down(&world);
}

/* A kernel's folder: removed as a link, and what a killed rig seems to have left is looked at, not
 * into. */
static void test_kernel(void)
{
	World world;

	set_up(&world);
	put_link(&world, "state/kernels/linked");
	put_link(&world, "state/kernels/.rig-add-abcdef");
	put_link(&world, "state/.rig-abcdef");
	cli_rig(&world.cli, "kernel", "remove", "linked", NULL);
	cli_expect(&world.cli, 0, NULL);
	g_assert_false(is_link(&world, "state/kernels/linked"));
	cli_rig(&world.cli, "gc", NULL);
	cli_expect(&world.cli, 0, NULL);
	expect_untouched(&world, 1);
	tear_down(&world);
}

static void test_cache(void)
{
	static const char *const kinds[] = {"bootset", "image", "appliance", "ktree", "kside"};
	World world;

	set_up(&world);
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *path = g_strdup_printf("cache/%s/0123456789abcdef", kinds[i]);

		put_link(&world, path);
	}
	put_link(&world, "cache/.rig-build-abcdef");
	cli_rig(&world.cli, "gc", "--check", NULL);
	cli_expect(&world.cli, 0, NULL);
	cli_rig(&world.cli, "gc", "--all", NULL);
	cli_expect(&world.cli, 0, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autofree char *path = g_strdup_printf("cache/%s/0123456789abcdef", kinds[i]);

		g_assert_false(is_link(&world, path));
	}
	expect_untouched(&world, 1);
	tear_down(&world);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/links/whole-state", test_whole_state);
	g_test_add_func("/links/record", test_record);
	g_test_add_func("/links/above-records", test_above_records);
	g_test_add_func("/links/index-and-lock", test_index_and_lock);
	g_test_add_func("/links/guest", test_guest);
	g_test_add_func("/links/kernel", test_kernel);
	g_test_add_func("/links/cache", test_cache);
	return g_test_run();
}
