/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-initramfs.c - the archives that a kernel unpacks, read back.
 */
#include "vm/initramfs.h"

#include "arfix.h"
#include "expect.h"
#include "kofix.h"

static GPtrArray *make_files(const char *dir)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);

	kofix_write(dir, "init", "INIT", -1);
	kofix_write(dir, "kernel/b/ring.ko", "RING", -1);
	kofix_write(dir, "kernel/a/blk.ko", "BLK", -1);
	g_ptr_array_add(files, g_strdup("kernel/b/ring.ko"));
	g_ptr_array_add(files, g_strdup("kernel/a/blk.ko"));
	return files;
}

static void write_boot(const char *dir, const char *path)
{
	g_autoptr(GPtrArray) files = make_files(dir);
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	g_autofree char *init = g_build_filename(dir, "init", NULL);
	g_autoptr(GError) error = NULL;

	rig_initramfs_add_boot(rootfs, init, dir, files);
	g_ptr_array_set_size(files, 1);
	rig_initramfs_add_modules(rootfs, dir, files, "/rig/more");
	if (!rig_initramfs_write(rootfs, path, &error))
		g_error("%s", error->message);
}

#define BOOT                                                                          \
	"100755 init = INIT\n40755 dev\n20600 dev/console\n40755 rig\n40755 rig/ko\n" \
	"100644 rig/ko/ring.ko = RING\n100644 rig/ko/blk.ko = BLK\n"                  \
	"100644 rig/modules = /rig/ko/ring.ko\n/rig/ko/blk.ko\n\n"                    \
	"100644 rig/more = /rig/ko/ring.ko\n\n"

static void test_boot(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "initrd", NULL);
	g_autofree char *data = NULL, *list = NULL;
	g_autoptr(GError) error = NULL;
	gsize length;

	write_boot(dir, path);
	data = rig_file_read(path, 1 << 20, &length, &error);
	g_assert_no_error(error);
	g_assert_cmpmem(data, 6, "070701", 6);
	list = arfix_list(data, length, TRUE);
	g_assert_cmpstr(list, ==, BOOT);
	expect_remove(dir);
}

static void test_append(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *base = g_build_filename(dir, "initrd", NULL);
	g_autofree char *path = g_build_filename(dir, "with-job", NULL);
	g_autofree char *before = NULL, *after = NULL, *data = NULL, *list = NULL;
	g_autoptr(GError) error = NULL;
	gsize length;

	write_boot(dir, base);
	before = rig_file_sha256(base, &error);
	if (!rig_initramfs_append_text(base, "/rig/job.json", "{}", path, &error))
		g_error("%s", error->message);
	data = rig_file_read(path, 1 << 20, &length, &error);
	list = arfix_list(data, length, TRUE);
	g_assert_cmpstr(list, ==, BOOT "40755 rig\n100644 rig/job.json = {}\n");
	after = rig_file_sha256(base, &error);
	g_assert_cmpstr(before, ==, after);
	expect_remove(dir);
}

static void test_missing(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "initrd", NULL);
	g_autoptr(GPtrArray) files = make_files(dir);
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(files, g_strdup("kernel/gone.ko"));
	rig_initramfs_add_boot(rootfs, "/bin/busybox", dir, files);
	g_assert_false(rig_initramfs_write(rootfs, path, &error));
	g_assert_nonnull(strstr(error->message, "gone.ko"));
	/* Nobody finds half an archive. */
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/initramfs/boot", test_boot);
	g_test_add_func("/initramfs/append", test_append);
	g_test_add_func("/initramfs/missing", test_missing);
	return g_test_run();
}
