/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-file.c - whole files and trees: links, full disks, and what must not be left behind.
 */
#include "base/file.h"

#include "expect.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sched.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct {
	char *dir;
	char *path; /* DIR/file */
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
	f->dir = expect_temp_dir();
	f->path = g_build_filename(f->dir, "file", NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
	expect_remove(f->dir);
	g_free(f->path);
}

static void write_file(const char *path, const char *text)
{
	g_autoptr(GError) error = NULL;

	if (!rig_file_write(path, text, -1, 0644, &error))
		g_error("%s", error->message);
}

static guint count_entries(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	guint n = 0;

	while (g_dir_read_name(dir))
		n++;
	return n;
}

static void test_read(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *exact = NULL, *proc = NULL, *empty = NULL;
	gsize length = 0;

	g_assert_true(rig_file_write(f->path, "a\0b", 3, 0644, &error));
	exact = rig_file_read(f->path, 3, &length, &error);
	g_assert_no_error(error);
	g_assert_cmpmem(exact, length + 1, "a\0b", 4);
	g_assert_null(rig_file_read(f->path, 2, &length, &error));
	expect_error(&error, RIG_ERROR_USAGE, "larger than 2 bytes");
	proc = rig_file_read("/proc/self/status", 65536, NULL, &error);
	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(proc, "Name:"));
	write_file(f->path, "");
	empty = rig_file_read(f->path, 0, &length, &error);
	g_assert_cmpstr(empty, ==, "");
	g_assert_cmpuint(length, ==, 0);
}

static void test_read_bad(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_file_read(f->path, 9, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "file: cannot open: No such file");
	g_assert_null(rig_file_read(f->dir, 9, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a folder, not a file");
	g_assert_null(rig_file_read("/dev/zero", 1 << 20, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "/dev/zero is a device, not a file");
	g_assert_null(rig_file_sha256(f->path, &error));
	expect_error(&error, RIG_ERROR_USAGE, "cannot open");
	g_assert_null(rig_file_sha256(f->dir, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a folder");
}

/* A pipe that nobody writes to keeps nobody waiting. */
static void test_read_pipe(Fixture *f, gconstpointer data)
{
	g_autofree char *copy = g_build_filename(f->dir, "copy", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_no_errno(mkfifo(f->path, 0644));
	g_assert_null(rig_file_read(f->path, 9, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a pipe, not a file");
	g_assert_null(rig_file_sha256(f->path, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a pipe, not a file");
	g_assert_false(rig_file_copy(f->path, copy, 0644, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a pipe, not a file");
	g_assert_false(rig_file_copy("/dev/zero", copy, 0644, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a device");
	g_assert_false(g_file_test(copy, G_FILE_TEST_EXISTS));
}

/* What a killed writer left is told from what a writer is at, and from everything else. */
static void test_debris(Fixture *f, gconstpointer data)
{
	g_autofree char *temp = g_build_filename(f->dir, ".rig-abc123", NULL);
	g_autofree char *link = g_build_filename(f->dir, ".rig-abc124", NULL);
	g_autofree char *folder = g_build_filename(f->dir, ".rig-abc125", NULL);
	g_autoptr(GError) error = NULL;
	int fd;

	write_file(f->path, "user's");
	write_file(temp, "half");
	g_assert_no_errno(symlink(f->path, link));
	g_assert_no_errno(g_mkdir(folder, 0755));
	g_assert_false(rig_file_is_debris(f->path));
	g_assert_false(rig_file_is_debris(link));
	g_assert_false(rig_file_is_debris(folder));
	g_assert_true(rig_file_remove_debris(link, &error));
	g_assert_true(rig_file_remove_debris(f->path, &error));
	g_assert_cmpuint(count_entries(f->dir), ==, 4);

	fd = open(temp, O_WRONLY | O_CLOEXEC);
	g_assert_no_errno(flock(fd, LOCK_EX));
	g_assert_false(rig_file_is_debris(temp));
	g_assert_true(rig_file_remove_debris(temp, &error));
	g_assert_true(g_file_test(temp, G_FILE_TEST_EXISTS));
	close(fd);
	g_assert_true(rig_file_is_debris(temp));
	g_assert_true(rig_file_remove_debris(temp, &error));
	g_assert_false(g_file_test(temp, G_FILE_TEST_EXISTS));
	g_assert_true(rig_file_remove_debris(temp, &error));
	g_assert_no_error(error);
}

static void test_write(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	mode_t old = umask(077);
	struct stat st;

	g_assert_true(rig_file_write(f->path, "old and long", -1, 0600, &error));
	g_assert_true(rig_file_write(f->path, "new", -1, 0644, &error));
	umask(old);
	text = rig_file_read(f->path, 99, NULL, &error);
	g_assert_cmpstr(text, ==, "new");
	g_assert_no_errno(stat(f->path, &st));
	g_assert_cmpuint(st.st_mode & 07777, ==, 0644);
	g_assert_cmpuint(count_entries(f->dir), ==, 1);
}

/* A link is replaced, not written through. */
static void test_write_link(Fixture *f, gconstpointer data)
{
	g_autofree char *link = g_build_filename(f->dir, "link", NULL);
	g_autofree char *text = NULL;

	write_file(f->path, "target");
	g_assert_no_errno(symlink(f->path, link));
	write_file(link, "new");
	text = rig_file_read(f->path, 99, NULL, NULL);
	g_assert_cmpstr(text, ==, "target");
	g_assert_false(g_file_test(link, G_FILE_TEST_IS_SYMLINK));
}

static void test_write_bad(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *nowhere = g_build_filename(f->dir, "none", "file", NULL);

	g_assert_false(rig_file_write(nowhere, "x", -1, 0644, &error));
	expect_error(&error, RIG_ERROR_HOST, "none/file: cannot create: No such file");
	/* The rename fails: a directory is in the way. The temporary file must go. */
	g_assert_no_errno(mkdir(f->path, 0755));
	g_assert_false(rig_file_write(f->path, "x", -1, 0644, &error));
	expect_error(&error, RIG_ERROR_HOST, "file: cannot write: Is a directory");
	g_assert_cmpuint(count_entries(f->dir), ==, 1);
}

static void write_proc(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	if (!file)
		return;
	fputs(text, file);
	fclose(file);
}

/* Mount a file system of 64 KiB at PATH that ends with this process, however that ends; who is not
 * root needs a user namespace for it. FALSE with errno. */
static gboolean mount_small(const char *path)
{
	uid_t uid = geteuid();
	g_autofree char *uid_map = g_strdup_printf("%d %d 1", (int)uid, (int)uid);
	g_autofree char *gid_map = g_strdup_printf("%d %d 1", (int)getegid(), (int)getegid());

	if (unshare(uid ? CLONE_NEWUSER | CLONE_NEWNS : CLONE_NEWNS) < 0)
		return FALSE;
	if (uid) {
		write_proc("/proc/self/uid_map", uid_map);
		write_proc("/proc/self/setgroups", "deny");
		write_proc("/proc/self/gid_map", gid_map);
	}
	return mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", path, "tmpfs", 0, "size=64k") == 0;
}

/* On a file system of 64 KiB the old file stays whole and nothing else remains. */
static void test_full_disk(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *big = g_strnfill(1 << 20, 'x');
	g_autofree char *disk = g_build_filename(f->dir, "disk", NULL);
	g_autofree char *path = g_build_filename(disk, "file", NULL);
	g_autofree char *copy = g_build_filename(disk, "copy", NULL);
	g_autofree char *text = NULL;

	g_assert_no_errno(mkdir(disk, 0755));
	if (!mount_small(disk)) {
		g_autofree char *why = g_strdup_printf("cannot mount a tmpfs as uid %d: %s",
						       (int)geteuid(), g_strerror(errno));

		g_test_skip(why);
		return;
	}
	write_file(path, "old");
	g_assert_false(rig_file_write(path, big, -1, 0644, &error));
	expect_error(&error, RIG_ERROR_HOST,
		     "file: cannot write: No space left on device\nhint: free some space");
	write_file(f->path, big);
	g_assert_false(rig_file_copy(f->path, copy, 0644, &error));
	expect_error(&error, RIG_ERROR_HOST, "No space left on device\nhint: free some space");
	g_assert_cmpuint(count_entries(disk), ==, 1);
	text = rig_file_read(path, 99, NULL, NULL);
	g_assert_cmpstr(text, ==, "old");
	/* What is mounted inside a tree belongs to somebody else. */
	g_assert_false(rig_file_remove_tree(f->dir, &error));
	expect_error(&error, RIG_ERROR_HOST, "something is mounted there");
	g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
	g_assert_no_errno(umount(disk));
}

static void test_copy(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *big = g_strnfill(3 << 20, 'y');
	g_autofree char *copy = g_build_filename(f->dir, "copy", NULL);
	g_autofree char *proc = g_build_filename(f->dir, "proc", NULL);
	g_autofree char *empty = g_build_filename(f->dir, "empty", NULL);
	g_autofree char *none = g_build_filename(f->dir, "none", NULL);
	g_autofree char *nothing = g_build_filename(f->dir, "nothing", NULL);
	g_autofree char *text = NULL, *status = NULL;
	struct stat st;

	write_file(f->path, big);
	g_assert_true(rig_file_copy(f->path, copy, 0755, &error));
	text = rig_file_read(copy, 4 << 20, NULL, &error);
	g_assert_cmpstr(text, ==, big);
	g_assert_no_errno(stat(copy, &st));
	g_assert_cmpuint(st.st_mode & 07777, ==, 0755);
	g_assert_true(rig_file_copy("/proc/self/status", proc, 0644, &error));
	status = rig_file_read(proc, 65536, NULL, &error);
	g_assert_true(g_str_has_prefix(status, "Name:"));
	write_file(nothing, "");
	g_assert_true(rig_file_copy(nothing, empty, 0644, &error));
	g_assert_no_errno(stat(empty, &st));
	g_assert_cmpuint(st.st_size, ==, 0);

	g_assert_false(rig_file_copy(f->path, copy, 0644, &error));
	expect_error(&error, RIG_ERROR_HOST, "copy: cannot create: File exists");
	g_assert_false(rig_file_copy(none, copy, 0644, &error));
	expect_error(&error, RIG_ERROR_USAGE, "none: cannot open");
	g_assert_false(rig_file_copy(f->dir, none, 0644, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is a folder");
	g_assert_false(g_file_test(none, G_FILE_TEST_EXISTS));
}

/* A tree with links out of it, deep folders and a file without permissions. */
static void test_remove_tree(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *outside = g_build_filename(f->dir, "outside", NULL);
	g_autofree char *kept = g_build_filename(outside, "kept", NULL);
	g_autofree char *tree = g_build_filename(f->dir, "tree", NULL);
	g_autofree char *deep = g_build_filename(tree, "a/b/c/d", NULL);
	g_autofree char *to_dir = g_build_filename(deep, "to-dir", NULL);
	g_autofree char *to_file = g_build_filename(deep, "to-file", NULL);
	g_autofree char *dangling = g_build_filename(deep, "dangling", NULL);
	g_autofree char *file = g_build_filename(tree, "a", ".hidden", NULL);

	g_assert_true(rig_file_make_dirs(outside, 0755, &error));
	g_assert_true(rig_file_make_dirs(deep, 0755, &error));
	write_file(kept, "x");
	write_file(file, "x");
	g_assert_no_errno(chmod(file, 0));
	g_assert_no_errno(symlink(outside, to_dir));
	g_assert_no_errno(symlink(kept, to_file));
	g_assert_no_errno(symlink("/nowhere", dangling));
	g_assert_true(rig_file_remove_tree(tree, &error));
	g_assert_no_error(error);
	g_assert_false(g_file_test(tree, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(kept, G_FILE_TEST_EXISTS));
	/* Missing is fine, a link is only itself, a file is a small tree. */
	g_assert_true(rig_file_remove_tree(tree, &error));
	g_assert_no_errno(symlink(outside, tree));
	g_assert_true(rig_file_remove_tree(tree, &error));
	g_assert_false(g_file_test(tree, G_FILE_TEST_IS_SYMLINK));
	g_assert_true(rig_file_remove_tree(kept, &error));
	g_assert_false(g_file_test(kept, G_FILE_TEST_EXISTS));
	g_assert_no_error(error);
}

static void test_remove_bad(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *below_file = g_build_filename(f->path, "x", NULL);

	write_file(f->path, "x");
	g_assert_false(rig_file_remove_tree(below_file, &error));
	expect_error(&error, RIG_ERROR_HOST, "file/x: cannot remove: Not a directory");
	g_assert_false(rig_file_remove_tree("/proc/self/status", &error));
	expect_error(&error, RIG_ERROR_HOST, "/proc/self/status: cannot remove");
}

static void test_make_dirs(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *deep = g_build_filename(f->dir, "a/b", NULL);
	g_autofree char *below_file = g_build_filename(f->path, "x", NULL);
	struct stat st;

	g_assert_true(rig_file_make_dirs(deep, 0700, &error));
	g_assert_true(rig_file_make_dirs(deep, 0755, &error));
	g_assert_no_errno(stat(deep, &st));
	g_assert_cmpuint(st.st_mode & 07777, ==, 0700);
	write_file(f->path, "x");
	g_assert_false(rig_file_make_dirs(below_file, 0755, &error));
	expect_error(&error, RIG_ERROR_HOST, "cannot make the directory: Not a directory");
}

static void test_temp_dir(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *a = rig_file_temp_dir(f->dir, "boot", &error);
	g_autofree char *b = rig_file_temp_dir(f->dir, "boot", &error);
	g_autofree char *start = g_build_filename(f->dir, ".boot-", NULL);

	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(a, start));
	g_assert_cmpstr(a, !=, b);
	g_assert_true(g_file_test(b, G_FILE_TEST_IS_DIR));
	g_assert_null(rig_file_temp_dir(f->path, "boot", &error));
	expect_error(&error, RIG_ERROR_HOST, "file: cannot make a directory in it");
}

static void test_sha256(Fixture *f, gconstpointer data)
{
	g_autofree char *text = g_strnfill(1000000, 'a');
	g_autofree char *sum = NULL;

	/* The standard's own example: a million times "a". */
	write_file(f->path, text);
	sum = rig_file_sha256(f->path, NULL);
	g_assert_cmpstr(sum, ==,
			"cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

static void test_tree_bytes(Fixture *f, gconstpointer data)
{
	g_autofree char *text = g_strnfill(1 << 20, 'a');
	g_autofree char *sparse = g_build_filename(f->dir, "sparse", NULL);
	g_autofree char *link = g_build_filename(f->dir, "link", NULL);
	guint64 before = rig_file_tree_bytes(f->dir), after;

	g_assert_cmpuint(rig_file_tree_bytes(f->path), ==, 0);
	write_file(f->path, text);
	write_file(sparse, "");
	g_assert_no_errno(truncate(sparse, (off_t)1 << 40));
	g_assert_no_errno(symlink("/usr", link));
	after = rig_file_tree_bytes(f->dir);
	g_assert_cmpuint(after - before, >=, 1 << 20);
	g_assert_cmpuint(after - before, <, 2 << 20);
}

static void test_check_name(void)
{
	static const char *const good[] = {"a", "2sp-icl", "6.12.117+deb12-cloud-amd64", "A_b.c"};
	static const char *const bad[] = {"",	 ".",	"..",  ".a",   "-a",	  "_a",
					  "a/b", "a b", "a\n", "../x", "\033[1m", "gr\u00fcn"};
	g_autofree char *longest = g_strnfill(64, 'a'), *too_long = g_strnfill(65, 'a');
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(good); i++)
		g_assert_true(rig_file_check_name("guest name", good[i], &error));
	g_assert_true(rig_file_check_name("guest name", longest, &error));
	g_assert_no_error(error);
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_assert_false(rig_file_check_name("guest name", bad[i], &error));
		expect_error(&error, RIG_ERROR_USAGE, "guest name \"");
	}
	g_assert_false(rig_file_check_name("guest name", too_long, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is no valid name\nhint: ");
}

#define ADD(name, function) g_test_add("/file/" name, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("read", test_read);
	ADD("read-bad", test_read_bad);
	ADD("read-pipe", test_read_pipe);
	ADD("debris", test_debris);
	ADD("write", test_write);
	ADD("write-link", test_write_link);
	ADD("write-bad", test_write_bad);
	ADD("full-disk", test_full_disk);
	ADD("copy", test_copy);
	ADD("remove-tree", test_remove_tree);
	ADD("remove-bad", test_remove_bad);
	ADD("make-dirs", test_make_dirs);
	ADD("temp-dir", test_temp_dir);
	ADD("sha256", test_sha256);
	ADD("tree-bytes", test_tree_bytes);
	g_test_add_func("/file/check-name", test_check_name);
	return g_test_run();
}
