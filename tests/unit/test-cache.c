/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-cache.c - entries of the cache: whole, damaged, remembered, left behind.
 */
#include "vm/cache.h"

#include "expect.h"
#include "kofix.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char *publish(const char *cache, const char *key, const char *uses)
{
	g_autofree char *from = g_build_filename(cache, "from", NULL);
	char *dir = rig_cache_path(cache, "bootset", key);
	g_autoptr(GError) error = NULL;

	kofix_write(from, "disk", "0123456789", -1);
	kofix_write(from, "initrd", "abc", -1);
	if (!rig_cache_publish(from, dir, "what\nwent in\n", uses, uses ? "its digest" : NULL,
			       &error))
		g_error("%s", error->message);
	g_assert_false(g_file_test(from, G_FILE_TEST_EXISTS));
	return dir;
}

static void set_time(const char *path, gint64 seconds)
{
	struct timespec times[2] = {{.tv_sec = seconds}, {.tv_sec = seconds}};

	g_assert_cmpint(utimensat(AT_FDCWD, path, times, 0), ==, 0);
}

static void test_hit(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *missing = rig_cache_path(cache, "bootset", "none");
	g_autofree char *dir = NULL, *uses = NULL, *digest = NULL, *of_file = NULL;
	g_autofree char *disk = NULL;
	g_autoptr(GError) error = NULL;
	GStatBuf st;

	g_assert_false(rig_cache_hit(missing, NULL));
	dir = publish(cache, "key", "image/other");
	g_assert_true(rig_cache_hit(dir, NULL));
	g_assert_true(rig_cache_verify(dir, &error));
	uses = rig_cache_uses(dir);
	g_assert_cmpstr(uses, ==, "image/other");
	digest = rig_cache_uses_sha256(dir);
	g_assert_cmpstr(digest, ==, "its digest");
	of_file = rig_cache_digest(dir, "initrd");
	g_assert_cmpstr(of_file, ==,
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	g_assert_null(rig_cache_digest(dir, "none"));
	disk = g_build_filename(dir, "disk", NULL);
	g_assert_cmpint(g_stat(disk, &st), ==, 0);
	g_assert_cmpint(st.st_mode & 0777, ==, 0644);
	g_assert_cmpint(g_stat(dir, &st), ==, 0);
	g_assert_cmpint(st.st_mode & 0777, ==, 0755);
	expect_remove(cache);
}

static void test_uses_none(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *dir = publish(cache, "key", NULL);

	g_assert_true(rig_cache_hit(dir, NULL));
	g_assert_null(rig_cache_uses(dir));
	expect_remove(cache);
}

static void test_damaged(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *dir = publish(cache, "key", NULL);
	g_autofree char *disk = g_build_filename(dir, "disk", NULL);
	g_autoptr(GError) error = NULL;
	struct stat st;

	/* Remembered as whole, so that only a change can tell. */
	g_usleep(2100 * 1000);
	g_assert_true(rig_cache_hit(dir, NULL));
	g_assert_true(rig_cache_hit(dir, NULL));
	/* One byte is another, size and time of the content are as before. */
	g_assert_cmpint(stat(disk, &st), ==, 0);
	kofix_write(dir, "disk", "012345678x", -1);
	set_time(disk, st.st_mtime);
	g_assert_false(rig_cache_hit(dir, NULL));
	g_assert_false(rig_cache_verify(dir, &error));
	expect_error(&error, RIG_ERROR_FAILED, "disk");
	kofix_write(dir, "disk", "0", -1);
	g_assert_false(rig_cache_hit(dir, NULL));
	g_assert_cmpint(g_unlink(disk), ==, 0);
	g_assert_false(rig_cache_hit(dir, NULL));
	kofix_write(dir, "complete.json", "{\"version\":1", -1);
	g_assert_false(rig_cache_hit(dir, NULL));
	/* What is made anew takes its place. */
	g_free(publish(cache, "key", NULL));
	g_assert_true(rig_cache_hit(dir, NULL));
	expect_remove(cache);
}

/* A user's folder behind a link in an entry's place, or in a file's, is neither used nor touched.
 */
static void test_links(void)
{
	char *cache = expect_temp_dir();
	char *outside = expect_temp_dir();
	g_autofree char *dir = publish(cache, "key", NULL);
	g_autofree char *disk = g_build_filename(dir, "disk", NULL);
	g_autofree char *theirs = g_build_filename(outside, "entry", NULL);
	g_autofree char *their_disk = g_build_filename(theirs, "disk", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(rename(dir, theirs), ==, 0);
	g_assert_cmpint(symlink(theirs, dir), ==, 0);
	g_assert_false(rig_cache_hit(dir, NULL));
	g_assert_false(rig_cache_verify(dir, &error));
	expect_error(&error, RIG_ERROR_FAILED, "is a symbolic link");
	g_free(publish(cache, "key", NULL));
	g_assert_false(g_file_test(dir, G_FILE_TEST_IS_SYMLINK));
	g_assert_true(rig_cache_hit(dir, NULL));
	g_assert_true(g_file_test(their_disk, G_FILE_TEST_IS_REGULAR));

	g_assert_cmpint(unlink(disk), ==, 0);
	g_assert_cmpint(symlink(their_disk, disk), ==, 0);
	g_assert_false(rig_cache_hit(dir, NULL));
	g_free(publish(cache, "key", NULL));
	g_assert_true(g_file_test(their_disk, G_FILE_TEST_IS_REGULAR));
	expect_remove(cache);
	expect_remove(outside);
}

static void test_last_used(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *dir = publish(cache, "key", NULL);
	g_autofree char *manifest = g_build_filename(dir, "complete.json", NULL);
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};

	g_assert_cmpint(utimensat(AT_FDCWD, manifest, old, 0), ==, 0);
	g_assert_cmpint(rig_cache_last_used(dir), ==, 1000);
	g_assert_true(rig_cache_hit(dir, NULL));
	g_assert_cmpint(rig_cache_last_used(dir), >, 1000000);
	expect_remove(cache);
}

static void test_digests(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *file = g_build_filename(cache, "file", NULL);
	g_autofree char *store = g_build_filename(cache, "digests", NULL);
	g_autofree char *first = NULL, *text = NULL;
	g_autoptr(RigDigests) digests = rig_digests_open(cache), again = NULL, forged = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(GString) forgery = NULL;

	kofix_write(cache, "file", "one", -1);
	first = g_strdup(rig_digests_get(digests, file, &error));
	g_assert_cmpstr(first, ==,
			"7692c3ad3540bb803c020b3aee66cd8887123234ea0c6e7143c0add73ff431ed");
	kofix_write(cache, "file", "two", -1);
	g_assert_cmpstr(rig_digests_get(digests, file, &error), !=, first);
	/* Only a file that has settled is remembered. */
	g_usleep(2100 * 1000);
	g_assert_nonnull(rig_digests_get(digests, file, &error));
	rig_digests_close(g_steal_pointer(&digests));
	text = rig_file_read(store, 4096, NULL, &error);
	g_assert_nonnull(strstr(text, file));
	/* It is really taken from there: a forged digest comes back. */
	forgery = g_string_new(text);
	memset(forgery->str, 'f', 64);
	kofix_write(cache, "digests", forgery->str, -1);
	forged = rig_digests_open(cache);
	g_assert_true(g_str_has_prefix(rig_digests_get(forged, file, &error), "ffff"));
	/* A change is seen, even with the old size and time. */
	kofix_write(cache, "file", "six", -1);
	set_time(file, 5);
	g_assert_false(g_str_has_prefix(rig_digests_get(forged, file, &error), "ffff"));
	g_assert_null(rig_digests_get(forged, "/no/such/file", &error));
	expect_error(&error, RIG_ERROR_HOST, "/no/such/file");
	expect_remove(cache);
}

static void test_digests_garbage(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *file = g_build_filename(cache, "file", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigDigests) digests = NULL;

	kofix_write(cache, "digests", "nonsense\n\nabc 1 2 3 /x\n99999999999999999999 x\n", -1);
	kofix_write(cache, "file", "one", -1);
	digests = rig_digests_open(cache);
	g_assert_nonnull(rig_digests_get(digests, file, &error));
	g_clear_pointer(&digests, rig_digests_close);
	expect_remove(cache);
}

static void test_scratch(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *old = g_build_filename(cache, ".rig-build-abcdef", NULL);
	g_autofree char *other = g_build_filename(cache, ".ssh", NULL);
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	RigScratch *scratch = rig_scratch_new(cache, "build", &error);

	g_assert_no_error(error);
	path = g_strdup(scratch->path);
	g_assert_false(rig_scratch_is_debris(path));
	rig_scratch_free(scratch);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	/* No lock in it: a young one may be about to get it. */
	g_assert_cmpint(g_mkdir(old, 0700), ==, 0);
	g_assert_false(rig_scratch_is_debris(old));
	set_time(old, 1000);
	g_assert_true(rig_scratch_is_debris(old));
	g_assert_false(rig_scratch_is_debris(cache + 1));
	/* After the host's clock was set back. */
	set_time(old, 4000000000);
	g_assert_true(rig_scratch_is_debris(old));
	/* A cache may lie where others have hidden folders. */
	g_assert_cmpint(g_mkdir(other, 0700), ==, 0);
	set_time(other, 1000);
	g_assert_false(rig_scratch_is_debris(other));
	expect_remove(cache);
}

/* A child that is killed leaves its folder; the lock is gone with it. */
static void test_killed(void)
{
	char *cache = expect_temp_dir();
	g_autofree char *path = NULL;
	int fds[2];
	char name[512] = "";
	pid_t pid;

	g_assert_cmpint(pipe(fds), ==, 0);
	pid = fork();
	if (pid == 0) {
		RigScratch *scratch = rig_scratch_new(cache, "build", NULL);

		if (!scratch || write(fds[1], scratch->path, strlen(scratch->path)) < 0)
			_exit(1);
		pause();
	}
	g_assert_cmpint(read(fds[0], name, sizeof(name) - 1), >, 0);
	g_assert_false(rig_scratch_is_debris(name));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	g_assert_true(rig_scratch_is_debris(name));
	close(fds[0]);
	close(fds[1]);
	expect_remove(cache);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cache/hit", test_hit);
	g_test_add_func("/cache/uses-none", test_uses_none);
	g_test_add_func("/cache/damaged", test_damaged);
	g_test_add_func("/cache/links", test_links);
	g_test_add_func("/cache/last-used", test_last_used);
	g_test_add_func("/cache/digests", test_digests);
	g_test_add_func("/cache/digests-garbage", test_digests_garbage);
	g_test_add_func("/cache/scratch", test_scratch);
	g_test_add_func("/cache/killed", test_killed);
	return g_test_run();
}
