/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-modules.c - which modules load in which order, and how they come into the store.
 */
#include "vm/modules.h"

#include "expect.h"
#include "kofix.h"
#include "vm/drivers.h"

static char *make_tree(void)
{
	char *dir = expect_temp_dir();

	kofix_add(dir, "kernel/fs/ext4/ext4.ko",
		  "depends=jbd2,mbcache|softdep=pre: crc32c post: x");
	kofix_add(dir, "kernel/fs/jbd2/jbd2.ko", "depends=");
	kofix_add(dir, "kernel/fs/mbcache.ko", "depends=");
	kofix_add(dir, "kernel/crypto/crc32c_generic.ko",
		  "depends=|alias=crypto-crc32c|alias=crc32c");
	kofix_add(dir, "kernel/drivers/virtio/virtio_pci.ko", "depends=virtio_ring,virtio");
	kofix_add(dir, "kernel/drivers/virtio/virtio_ring.ko", "depends=");
	kofix_add(dir, "kernel/drivers/block/virtio-blk.ko", "depends=virtio_ring");
	kofix_add(dir, "kernel/a.ko", "depends=b");
	kofix_add(dir, "kernel/b.ko", "depends=a");
	kofix_add(dir, "kernel/broken.ko", "depends=missing");
	kofix_write(dir, "modules.builtin",
		    "kernel/drivers/virtio/virtio.ko\nkernel/x/serial-8250.ko\n", -1);
	return dir;
}

static char *resolve(const RigModules *modules, const char *const *names)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GError) error = NULL;
	GString *text = g_string_new(NULL);

	if (!rig_modules_resolve(modules, names, files, &error))
		g_error("%s", error->message);
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *base = g_path_get_basename(files->pdata[i]);

		g_string_append_printf(text, "%s%s", i ? " " : "", base);
	}
	return g_string_free(text, FALSE);
}

static void expect_order(const RigModules *modules, const char *first, const char *second,
			 const char *want)
{
	const char *names[] = {first, second, NULL};
	g_autofree char *order = resolve(modules, names);

	g_assert_cmpstr(order, ==, want);
}

static void test_order(void)
{
	char *dir = make_tree();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = rig_modules_open(dir, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(rig_modules_count(modules), ==, 10);
	/* The soft dependency is named by an alias; virtio is built in. */
	expect_order(modules, "ext4", NULL, "crc32c_generic.ko jbd2.ko mbcache.ko ext4.ko");
	expect_order(modules, "virtio_pci", "virtio_blk",
		     "virtio_ring.ko virtio_pci.ko virtio-blk.ko");
	expect_order(modules, "virtio-blk", "virtio_blk", "virtio_ring.ko virtio-blk.ko");
	expect_order(modules, "virtio*", NULL, "virtio_ring.ko virtio-blk.ko virtio_pci.ko");
	expect_order(modules, "nobody", "virtio", "");
	/* Bad modules in a circle end, too. */
	expect_order(modules, "a", NULL, "b.ko a.ko");
	expect_remove(dir);
}

static void test_other_release(void)
{
	char *dir = make_tree();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = NULL;

	kofix_add(dir, "kernel/c.ko", "vermagic=6.12.1 SMP preempt mod_unload");
	modules = rig_modules_open(dir, &error);
	g_assert_no_error(error);
	g_assert_true(rig_modules_check_release(modules, "6.12.1", &error));
	g_assert_no_error(error);
	g_assert_false(rig_modules_check_release(modules, "6.12.10", &error));
	expect_error(&error, RIG_ERROR_USAGE, "module c is of kernel 6.12.1, not of 6.12.10");
	expect_remove(dir);
}

static void test_missing(void)
{
	char *dir = make_tree();
	const char *names[] = {"broken", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = rig_modules_open(dir, &error);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	g_assert_no_error(error);
	g_assert_false(rig_modules_resolve(modules, names, files, &error));
	expect_error(&error, RIG_ERROR_HOST, "broken needs missing");
	expect_remove(dir);
}

static void test_builtin(void)
{
	char *dir = make_tree();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = rig_modules_open(dir, &error);
	g_autoptr(RigModules) none = rig_modules_open(NULL, &error);

	g_assert_no_error(error);
	g_assert_true(rig_modules_is_builtin(modules, "virtio"));
	g_assert_true(rig_modules_is_builtin(modules, "serial_8250"));
	g_assert_false(rig_modules_is_builtin(modules, "ext4"));
	g_assert_true(rig_modules_has(modules, "ext4"));
	g_assert_false(rig_modules_has(none, "ext4"));
	g_assert_false(rig_modules_knows_builtin(none));
	expect_remove(dir);
}

static void test_not_a_module(void)
{
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;

	kofix_write(dir, "kernel/x.ko", "no module at all", 16);
	g_assert_null(rig_modules_open(dir, &error));
	expect_error(&error, RIG_ERROR_USAGE, "x.ko");
	expect_remove(dir);
}

static void test_dep(void)
{
	char *dir = make_tree();
	const char *names[] = {"virtio_pci", "mbcache", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = rig_modules_open(dir, &error);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *some = NULL, *all = NULL;

	g_assert_true(rig_modules_resolve(modules, names, files, &error));
	some = rig_modules_dep(modules, files);
	g_assert_cmpstr(
		some, ==,
		"kernel/drivers/virtio/virtio_pci.ko: kernel/drivers/virtio/virtio_ring.ko\n"
		"kernel/drivers/virtio/virtio_ring.ko:\n"
		"kernel/fs/mbcache.ko:\n");
	all = rig_modules_dep(modules, NULL);
	/* From right to left is the order of loading. */
	g_assert_nonnull(strstr(all, "ext4.ko: kernel/fs/mbcache.ko kernel/fs/jbd2/jbd2.ko "
				     "kernel/crypto/crc32c_generic.ko\n"));
	expect_remove(dir);
}

static void test_install(void)
{
	char *dir = make_tree(), *out = expect_temp_dir();
	g_autofree char *to = g_build_filename(out, "lib", NULL);
	g_autofree char *packed = g_build_filename(to, "kernel/fs/packed.ko", NULL);
	g_autofree char *dep = g_build_filename(to, "modules.dep", NULL);
	g_autofree char *junk = g_build_filename(to, "build", NULL);
	g_autofree char *first = NULL, *second = NULL, *text = NULL, *content = NULL;
	g_autoptr(GByteArray) plain = kofix_module("depends=");
	g_autoptr(GError) error = NULL;
	gsize length;

	kofix_add(dir, "kernel/fs/packed.ko.gz", "depends=");
	kofix_write(dir, "build", "junk", 4);
	if (!rig_modules_install(dir, to, FALSE, NULL, &error))
		g_error("%s", error->message);
	content = rig_file_read(packed, 1 << 20, &length, &error);
	g_assert_no_error(error);
	g_assert_cmpmem(content, length, plain->data, plain->len);
	text = rig_file_read(dep, 1 << 20, NULL, &error);
	g_assert_nonnull(strstr(text, "kernel/fs/packed.ko:\n"));
	g_assert_false(g_file_test(junk, G_FILE_TEST_EXISTS));
	first = rig_modules_digest(to, &error);
	kofix_write(to, "kernel/b.ko", "changed", 7);
	second = rig_modules_digest(to, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(first, !=, second);
	expect_remove(dir);
	expect_remove(out);
}

static void test_drivers(void)
{
	static const RigDriver blk = {"virtio_blk", "CONFIG_VIRTIO_BLK"};
	static const RigDriver ring = {"virtio", "CONFIG_VIRTIO"};
	static const RigDriver odd[] = {{"odd", "CONFIG_ODD"}, {NULL, NULL}};
	char *dir = make_tree();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigModules) modules = rig_modules_open(dir, &error);
	g_autoptr(RigModules) none = rig_modules_open(NULL, &error);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	g_assert_cmpint(rig_driver_find(modules, NULL, &blk), ==, RIG_DRIVER_MODULE);
	g_assert_cmpint(rig_driver_find(modules, NULL, &ring), ==, RIG_DRIVER_BUILTIN);
	g_assert_cmpint(rig_driver_find(none, "CONFIG_VIRTIO_BLK=y\n", &blk), ==,
			RIG_DRIVER_BUILTIN);
	g_assert_cmpint(rig_driver_find(none, NULL, &blk), ==, RIG_DRIVER_UNKNOWN);
	g_assert_cmpint(rig_driver_find(none, "CONFIG_VIRTIO_BLK=m\n", &blk), ==,
			RIG_DRIVER_MISSING);
	g_assert_cmpint(rig_driver_find(modules, NULL, &odd[0]), ==, RIG_DRIVER_MISSING);
	g_assert_false(rig_drivers_resolve(modules, NULL, "head", odd, files, &error));
	expect_error(&error, RIG_ERROR_HOST, "head lacks the driver odd (CONFIG_ODD)");
	g_assert_false(rig_drivers_resolve(modules, "CONFIG_ODD=m\n", "head", odd, files, &error));
	expect_error(&error, RIG_ERROR_HOST, "--modules");
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/modules/other-release", test_other_release);
	g_test_add_func("/modules/order", test_order);
	g_test_add_func("/modules/missing", test_missing);
	g_test_add_func("/modules/builtin", test_builtin);
	g_test_add_func("/modules/not-a-module", test_not_a_module);
	g_test_add_func("/modules/dep", test_dep);
	g_test_add_func("/modules/install", test_install);
	g_test_add_func("/modules/drivers", test_drivers);
	return g_test_run();
}
