/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-untar.c - a guest's archives, honest ones and those that a hostile guest would write.
 */
#include "vm/untar.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "expect.h"

/* "out" is unpacked into; "victim" and what lies beside them must stay as they are. */
typedef struct {
	char *dir, *out, *victim;
	int fd;
	struct archive *archive;
	GString *left; /* "NAME: WHY\n" */
} Fixture;

static void begin(Fixture *f)
{
	g_autofree char *path = g_build_filename(f->dir, "archive", NULL);

	f->fd = g_open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	g_assert_cmpint(f->fd, >=, 0);
	f->archive = archive_write_new();
	archive_write_set_format_pax_restricted(f->archive);
	g_assert_cmpint(archive_write_open_fd(f->archive, f->fd), ==, ARCHIVE_OK);
}

static void setup(Fixture *f)
{
	f->dir = expect_temp_dir();
	f->out = g_build_filename(f->dir, "out", NULL);
	f->victim = g_build_filename(f->dir, "victim", NULL);
	f->left = g_string_new(NULL);
	g_assert_cmpint(g_mkdir(f->out, 0755), ==, 0);
	g_assert_cmpint(g_mkdir(f->victim, 0755), ==, 0);
	begin(f);
}

static void teardown(Fixture *f)
{
	g_string_free(f->left, TRUE);
	g_free(f->out);
	g_free(f->victim);
	expect_remove(f->dir);
}

static void put(Fixture *f, struct archive_entry *entry, const char *path, mode_t mode,
		const char *text)
{
	gsize length = text ? strlen(text) : 0;

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, mode);
	archive_entry_set_size(entry, (gint64)length);
	archive_entry_set_mtime(entry, 1000000, 0);
	g_assert_cmpint(archive_write_header(f->archive, entry), ==, ARCHIVE_OK);
	if (text)
		g_assert_cmpint(archive_write_data(f->archive, text, length), ==, length);
	archive_entry_free(entry);
}

static void add(Fixture *f, const char *path, mode_t mode, const char *text)
{
	put(f, archive_entry_new(), path, mode, text);
}

static void add_link(Fixture *f, const char *path, const char *target)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_symlink(entry, target);
	put(f, entry, path, S_IFLNK | 0777, NULL);
}

static void add_hard_link(Fixture *f, const char *path, const char *target)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_hardlink(entry, target);
	put(f, entry, path, S_IFREG | 0644, NULL);
}

static void note_left(const char *name, const char *why, gpointer data)
{
	g_string_append_printf(data, "%s: %s\n", name, why);
}

static gboolean unpack(Fixture *f, const char *only, GError **error)
{
	gboolean ok;

	g_assert_cmpint(archive_write_free(f->archive), ==, ARCHIVE_OK);
	g_assert_cmpint(lseek(f->fd, 0, SEEK_SET), ==, 0);
	ok = rig_untar(f->fd, f->out, only, note_left, f->left, NULL, error);
	close(f->fd);
	return ok;
}

static void expect_unpacked(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	if (!unpack(f, "tree", &error))
		g_error("%s", error->message);
}

static char *read_in(const char *dir, const char *path)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);
	char *text = NULL;

	g_file_get_contents(full, &text, NULL, NULL);
	return text;
}

static void expect_text(const char *dir, const char *path, const char *expected)
{
	g_autofree char *text = read_in(dir, path);

	g_assert_cmpstr(text, ==, expected);
}

static mode_t mode_of(Fixture *f, const char *path)
{
	g_autofree char *full = g_build_filename(f->out, path, NULL);
	struct stat info;

	return lstat(full, &info) < 0 ? 0 : info.st_mode;
}

static void expect_empty(const char *dir)
{
	g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);

	g_assert_cmpstr(g_dir_read_name(names), ==, NULL);
}

static void test_honest(void)
{
	Fixture f;
	struct stat info;
	g_autofree char *script = NULL, *target = NULL, *link = NULL;

	setup(&f);
	umask(022);
	add(&f, "tree/", S_IFDIR | 0700, NULL);
	add(&f, "tree/a/b", S_IFREG | 0644, "deep");
	add(&f, "./tree/run.sh", S_IFREG | 06777, "#!/bin/sh\n");
	add(&f, "tree/closed", S_IFREG | 0400, "closed");
	add_link(&f, "tree/a/up", "../run.sh");
	add_link(&f, "tree/here", "./a/b");
	add_hard_link(&f, "tree/second", "tree/a/b");
	add(&f, "tree/a/b", S_IFREG | 0644, "again");
	expect_unpacked(&f);
	g_assert_cmpstr(f.left->str, ==, "");
	expect_text(f.out, "tree/a/b", "again");
	expect_text(f.out, "tree/second", "deep");
	expect_text(f.out, "tree/a/up", "#!/bin/sh\n");
	expect_text(f.out, "tree/here", "again");
	/* No bit that lends rights, and the umask holds. */
	g_assert_cmpint(mode_of(&f, "tree/run.sh"), ==, S_IFREG | 0755);
	g_assert_cmpint(mode_of(&f, "tree/closed"), ==, S_IFREG | 0400);
	script = g_build_filename(f.out, "tree", "run.sh", NULL);
	g_assert_cmpint(stat(script, &info), ==, 0);
	g_assert_cmpint(info.st_mtime, ==, 1000000);
	g_assert_cmpint(info.st_uid, ==, geteuid());
	link = g_build_filename(f.out, "tree", "a", "up", NULL);
	target = g_file_read_link(link, NULL);
	g_assert_cmpstr(target, ==, "../run.sh");
	teardown(&f);
}

/* Each of them would write beside the folder that was asked for. */
static void test_names(void)
{
	static const char *const names[] = {
		".bashrc",	   "tree2/x",	     "tree/../.bashrc", "../victim/x",
		"/tmp/rig-test-x", "tree/a/../../x", "./../victim/x",	"tree/..",
	};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		Fixture f;
		GError *error = NULL;

		setup(&f);
		add(&f, names[i], S_IFREG | 0644, "evil");
		g_assert_false(unpack(&f, "tree", &error));
		expect_error(&error, RIG_ERROR_LOST, "leads out of the folder");
		expect_empty(f.out);
		expect_empty(f.victim);
		teardown(&f);
	}
}

static void test_links(void)
{
	static const char *const targets[] = {
		"/etc/passwd", "../..", "../../victim", "a/../../..", "..", "a/..",
	};
	Fixture f;

	setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(targets); i++) {
		g_autofree char *path = g_strdup_printf("tree/link%zu", i);

		add_link(&f, path, targets[i]);
	}
	/* Harmless one by one, out of the folder together. */
	add_link(&f, "tree/a/dot", ".");
	add_link(&f, "tree/a/out", "dot/../..");
	add_hard_link(&f, "tree/hard", "../victim/x");
	add_hard_link(&f, "tree/hard2", "/etc/hostname");
	add(&f, "tree/after", S_IFREG | 0644, "goes on");
	expect_unpacked(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(targets); i++) {
		g_autofree char *path = g_strdup_printf("tree/link%zu", i);

		g_assert_nonnull(strstr(f.left->str, path));
		g_assert_cmpint(mode_of(&f, path), ==, 0);
	}
	g_assert_cmpint(mode_of(&f, "tree/a/dot"), ==, S_IFLNK | 0777);
	g_assert_cmpint(mode_of(&f, "tree/a/out"), ==, 0);
	g_assert_cmpint(mode_of(&f, "tree/hard"), ==, 0);
	g_assert_cmpint(mode_of(&f, "tree/hard2"), ==, 0);
	expect_text(f.out, "tree/after", "goes on");
	teardown(&f);
}

/* A link that is there, by an earlier copy or by its owner, is not gone through. */
static void test_planted_link(void)
{
	static const char *const through[] = {"tree/planted/x", "tree/planted/",
					      "tree/planted/a/b"};

	for (gsize i = 0; i < G_N_ELEMENTS(through); i++) {
		Fixture f;
		GError *error = NULL;
		g_autofree char *tree = NULL, *link = NULL;
		gboolean folder = g_str_has_suffix(through[i], "/");

		setup(&f);
		tree = g_build_filename(f.out, "tree", NULL);
		link = g_build_filename(tree, "planted", NULL);
		g_assert_cmpint(g_mkdir(tree, 0755), ==, 0);
		g_assert_cmpint(symlink(f.victim, link), ==, 0);
		add(&f, through[i], folder ? S_IFDIR | 0755 : S_IFREG | 0644,
		    folder ? NULL : "evil");
		g_assert_false(unpack(&f, "tree", &error));
		expect_error(&error, RIG_ERROR_FAILED, "links are not followed");
		expect_empty(f.victim);
		teardown(&f);
	}
}

/* A file takes the place of a link, not of what the link leads to. */
static void test_replaces_link(void)
{
	Fixture f;
	g_autofree char *tree = NULL, *link = NULL, *secret = NULL;

	setup(&f);
	secret = g_build_filename(f.victim, "secret", NULL);
	tree = g_build_filename(f.out, "tree", NULL);
	link = g_build_filename(tree, "link", NULL);
	g_assert_true(g_file_set_contents(secret, "mine", -1, NULL));
	g_assert_cmpint(g_mkdir(tree, 0755), ==, 0);
	g_assert_cmpint(symlink(secret, link), ==, 0);
	add(&f, "tree/link", S_IFREG | 0644, "evil");
	expect_unpacked(&f);
	expect_text(f.victim, "secret", "mine");
	g_assert_cmpint(mode_of(&f, "tree/link"), ==, S_IFREG | 0644);
	teardown(&f);
}

static void test_special_files(void)
{
	Fixture f;
	struct archive_entry *device;

	setup(&f);
	device = archive_entry_new();
	archive_entry_set_rdev(device, makedev(1, 3));
	put(&f, device, "tree/null", S_IFCHR | 0666, NULL);
	device = archive_entry_new();
	archive_entry_set_rdev(device, makedev(254, 0));
	put(&f, device, "tree/disk", S_IFBLK | 0666, NULL);
	add(&f, "tree/pipe", S_IFIFO | 0666, NULL);
	add(&f, "tree/file", S_IFREG | 0644, "stays");
	expect_unpacked(&f);
	g_assert_cmpstr(f.left->str, ==,
			"tree/null: neither file nor folder nor link\n"
			"tree/disk: neither file nor folder nor link\n"
			"tree/pipe: neither file nor folder nor link\n");
	g_assert_cmpint(mode_of(&f, "tree/null") | mode_of(&f, "tree/disk") |
				mode_of(&f, "tree/pipe"),
			==, 0);
	expect_text(f.out, "tree/file", "stays");
	teardown(&f);
}

static void test_broken(void)
{
	Fixture f;
	GError *error = NULL;

	setup(&f);
	add(&f, "tree/file", S_IFREG | 0644, "a file that is cut off in the middle of its text");
	g_assert_cmpint(archive_write_free(f.archive), ==, ARCHIVE_OK);
	g_assert_cmpint(ftruncate(f.fd, 512 + 10), ==, 0);
	g_assert_cmpint(lseek(f.fd, 0, SEEK_SET), ==, 0);
	g_assert_false(rig_untar(f.fd, f.out, "tree", NULL, NULL, NULL, &error));
	expect_error(&error, RIG_ERROR_LOST, "archive is not taken");
	close(f.fd);
	teardown(&f);
}

/* All of a guest: any name, but still none that leads out. */
static void test_any(void)
{
	Fixture f;
	g_autoptr(GError) error = NULL;

	setup(&f);
	add(&f, "./", S_IFDIR | 0755, NULL);
	add(&f, "etc/motd", S_IFREG | 0644, "hello");
	add_link(&f, "etc/up", "../bin");
	add_link(&f, "out", "..");
	g_assert_true(unpack(&f, NULL, &error));
	g_assert_no_error(error);
	expect_text(f.out, "etc/motd", "hello");
	g_assert_cmpint(mode_of(&f, "etc/up"), ==, S_IFLNK | 0777);
	g_assert_cmpint(mode_of(&f, "out"), ==, 0);
	teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/untar/honest", test_honest);
	g_test_add_func("/untar/names", test_names);
	g_test_add_func("/untar/links", test_links);
	g_test_add_func("/untar/planted-link", test_planted_link);
	g_test_add_func("/untar/replaces-link", test_replaces_link);
	g_test_add_func("/untar/special-files", test_special_files);
	g_test_add_func("/untar/broken", test_broken);
	g_test_add_func("/untar/any", test_any);
	return g_test_run();
}
