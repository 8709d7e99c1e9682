/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-rootfs.c - lists of a guest's files and what recipes put into them.
 */
#include "vm/rootfs.h"

#include "arfix.h"
#include "expect.h"
#include "kofix.h"

#include <sys/mman.h>
#include <unistd.h>

static char *list(const RigRootfs *rootfs, RigRootfsFormat format, gsize *size)
{
	int fd = memfd_create("archive", MFD_CLOEXEC);
	g_autofree char *data = NULL;
	g_autoptr(GError) error = NULL;
	char *text;

	if (!rig_rootfs_write(rootfs, format, fd, &error))
		g_error("%s", error->message);
	*size = lseek(fd, 0, SEEK_END);
	data = g_malloc(*size);
	g_assert_cmpint(pread(fd, data, *size, 0), ==, (gssize)*size);
	text = arfix_list(data, *size, FALSE);
	close(fd);
	return text;
}

static void test_entries(void)
{
	static const char want[] = "40755 a\n40755 a/b\n100644 a/b/c = text\n120777 link -> a/b\n"
				   "41777 tmp\n20600 dev/console\n";
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	gsize size;

	rig_rootfs_add_text(rootfs, "/a/b/c", "text", 0644);
	rig_rootfs_add_link(rootfs, "/link", "a/b");
	rig_rootfs_add_dir(rootfs, "/tmp", 01777);
	rig_rootfs_add_dir(rootfs, "/dev", 0755);
	rig_rootfs_add_char_device(rootfs, "/dev/console", 5, 1, 0600);
	g_assert_cmpuint(rig_rootfs_count(rootfs), ==, 7);
	for (guint i = RIG_ROOTFS_TAR; i <= RIG_ROOTFS_CPIO; i++) {
		g_autofree char *text = list(rootfs, i, &size);
		g_autoptr(GString) got = g_string_new(text);

		/* tar marks folders by a slash. */
		g_string_replace(got, "/\n", "\n", 0);
		g_string_replace(got, "40755 dev\n", "", 0);
		g_assert_cmpstr(got->str, ==, want);
	}
}

static void test_replace(void)
{
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	g_autofree char *text = NULL;
	gsize size;

	rig_rootfs_add_link(rootfs, "/x", "/nowhere");
	rig_rootfs_add_text(rootfs, "/x", "now a file", 0600);
	text = list(rootfs, RIG_ROOTFS_TAR, &size);
	g_assert_cmpstr(text, ==, "100600 x = now a file\n");
}

static void test_same_bytes(void)
{
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	g_autofree char *first = NULL, *second = NULL;
	gsize size, again;

	rig_rootfs_add_file(rootfs, "/busybox", "/bin/busybox", 0755);
	first = list(rootfs, RIG_ROOTFS_CPIO, &size);
	second = list(rootfs, RIG_ROOTFS_CPIO, &again);
	g_assert_cmpuint(size, ==, again);
	g_assert_cmpstr(first, ==, second);
}

static void test_missing_source(void)
{
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	int fd = memfd_create("archive", MFD_CLOEXEC);
	g_autoptr(GError) error = NULL;

	rig_rootfs_add_file(rootfs, "/x", "/no/such/file", 0755);
	g_assert_false(rig_rootfs_write(rootfs, RIG_ROOTFS_TAR, fd, &error));
	g_assert_nonnull(strstr(error->message, "/no/such/file"));
	g_clear_error(&error);
	rig_rootfs_add_file(rootfs, "/x", "/dev/null", 0755);
	g_assert_false(rig_rootfs_write(rootfs, RIG_ROOTFS_TAR, fd, &error));
	g_assert_nonnull(strstr(error->message, "/dev/null"));
	close(fd);
}

static RigImage *make_image(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, "mine.json", NULL);
	g_autofree char *text = g_strdup_printf("{\"version\":1,\"text\":\"t\",\"size\":\"64M\","
						"\"busybox_applets\":[\"sh\"],\"files\":["
						"{\"path\":\"/bin/busybox\",\"from\":\"busybox\"},"
						"{\"path\":\"/sbin/own\",\"from\":\"guest:own\"},"
						"{\"path\":\"/bin/dyn\",\"from\":\"%s/dyn\"},"
						"{\"path\":\"/lib64/ld.so\",\"from\":\"%s/ld\"},"
						"{\"path\":\"/etc/motd\",\"text\":\"hi\"}]}",
						dir, dir);
	g_autoptr(GByteArray) fixed = kofix_elf(PT_LOAD, "x", 1, "");
	g_autoptr(GByteArray) dynamic = kofix_elf(PT_INTERP, "/lib64/ld.so", 13, "");
	g_autoptr(GError) error = NULL;
	RigImage *image;

	kofix_write(dir, "mine.json", text, -1);
	kofix_write(dir, "own", fixed->data, fixed->len);
	kofix_write(dir, "ld", fixed->data, fixed->len);
	kofix_write(dir, "dyn", dynamic->data, dynamic->len);
	image = rig_image_load(path, &error);
	g_assert_no_error(error);
	return image;
}

static void test_image(void)
{
	char *dir = expect_temp_dir();
	RigPaths paths = {.libexec = dir};
	g_autoptr(RigImage) image = make_image(dir);
	g_autoptr(RigRootfs) base = rig_rootfs_new(), own = rig_rootfs_new();
	g_autofree char *base_list = NULL, *own_list = NULL;
	g_autofree char *fixed = g_build_filename(dir, "ld", NULL);
	g_autoptr(GError) error = NULL;
	gsize size;

	if (!rig_rootfs_add_image(base, image, RIG_ROOTFS_BASE, &paths, fixed, &error) ||
	    !rig_rootfs_add_image(own, image, RIG_ROOTFS_OWN, &paths, fixed, &error))
		g_error("%s", error->message);
	base_list = list(base, RIG_ROOTFS_CPIO, &size);
	g_assert_nonnull(strstr(base_list, "120777 bin/sh -> /bin/busybox\n"));
	g_assert_nonnull(strstr(base_list, "100755 bin/busybox = "));
	g_assert_nonnull(strstr(base_list, "100644 etc/motd = hi\n"));
	g_assert_nonnull(strstr(base_list, "20600 dev/console\n"));
	/* rig's own programs are not in the image, and nothing else is in an overlay. */
	g_assert_null(strstr(base_list, "sbin/own"));
	own_list = list(own, RIG_ROOTFS_CPIO, &size);
	g_assert_true(g_str_has_prefix(own_list, "40755 sbin\n100755 sbin/own = "));
	g_assert_cmpuint(rig_rootfs_count(own), ==, 2);
	expect_remove(dir);
}

/* An archive over a Debian root leaves its folders and its links alone. */
static void test_over(void)
{
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	g_autofree char *text = NULL;
	gsize size;

	rig_rootfs_lay_over(rootfs);
	rig_rootfs_add_text(rootfs, "/sbin/agent", "a", 0755);
	rig_rootfs_add_text(rootfs, "/lib/modules/6.1/x.ko", "m", 0644);
	rig_rootfs_add_text(rootfs, "/library", "l", 0644);
	rig_rootfs_add_dir(rootfs, "/bin", 0755);
	rig_rootfs_add_text(rootfs, "/root/.profile", "p", 0644);
	text = list(rootfs, RIG_ROOTFS_TAR, &size);
	g_assert_cmpstr(text, ==,
			"100755 usr/sbin/agent = a\n"
			"100644 usr/lib/modules/6.1/x.ko = m\n"
			"100644 library = l\n"
			"40755 usr/bin/\n"
			"100644 root/.profile = p\n");
}

static void test_programs(void)
{
	char *dir = expect_temp_dir();
	g_autoptr(RigImage) image = make_image(dir);
	g_autofree char *dyn = g_build_filename(dir, "dyn", NULL);
	g_autofree char *own = g_build_filename(dir, "own", NULL);
	g_autofree char *script = g_build_filename(dir, "script", NULL);
	g_autofree char *text = g_build_filename(dir, "mine.json", NULL);
	g_autofree char *gone = g_build_filename(dir, "gone", NULL);
	g_autoptr(GError) error = NULL;

	kofix_write(dir, "script", "#!/bin/sh\n", -1);
	g_assert_true(rig_rootfs_check_program(own, NULL, &error));
	g_assert_true(rig_rootfs_check_program(script, NULL, &error));
	g_assert_false(rig_rootfs_check_program(dyn, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "/lib64/ld.so");
	/* This image brings the loader. */
	g_assert_true(rig_rootfs_check_program(dyn, image, &error));
	g_assert_false(rig_rootfs_check_program(text, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "neither");
	g_assert_false(rig_rootfs_check_program(gone, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "gone");
	expect_remove(dir);
}

static void test_busybox(void)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = rig_rootfs_find_busybox(&error);

	g_assert_no_error(error);
	g_assert_true(rig_rootfs_check_program(path, NULL, &error));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/rootfs/entries", test_entries);
	g_test_add_func("/rootfs/replace", test_replace);
	g_test_add_func("/rootfs/same-bytes", test_same_bytes);
	g_test_add_func("/rootfs/missing-source", test_missing_source);
	g_test_add_func("/rootfs/image", test_image);
	g_test_add_func("/rootfs/over", test_over);
	g_test_add_func("/rootfs/programs", test_programs);
	g_test_add_func("/rootfs/busybox", test_busybox);
	return g_test_run();
}
