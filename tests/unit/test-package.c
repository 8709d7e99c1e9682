/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-package.c - packages made by hand, unpacked; names resolved by a fake client; kernels added
 * from them.
 */
#include "vm/package.h"

#include "expect.h"
#include "kofix.h"
#include "vm/kernelstore.h"

#include <archive.h>
#include <archive_entry.h>
#include <glib/gstdio.h>

#define BANNER "Linux version 6.1.0-test (b@h) (gcc-12 (D) 12.2.0, GNU ld) #1 SMP"

static void add_member(struct archive *archive, const char *path, const void *data, gsize length)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, S_IFREG | 0644);
	archive_entry_set_size(entry, length);
	g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
	g_assert_cmpint(archive_write_data(archive, data, length), ==, length);
	archive_entry_free(entry);
}

static void add_link(struct archive *archive, const char *path, const char *target)
{
	struct archive_entry *entry = archive_entry_new();

	archive_entry_set_pathname(entry, path);
	archive_entry_set_mode(entry, S_IFLNK | 0777);
	archive_entry_set_symlink(entry, target);
	archive_entry_set_size(entry, 0);
	g_assert_cmpint(archive_write_header(archive, entry), ==, ARCHIVE_OK);
	archive_entry_free(entry);
}

/* Where a kernel's files are in the packages of different distributions. */
typedef struct {
	const char *boot, *config, *modules;
} Layout;

static const Layout debian = {"./boot/vmlinuz-6.1.0-test", "./boot/config-6.1.0-test",
			      "./usr/lib/modules/6.1.0-test"};
static const Layout fedora = {"./lib/modules/6.1.0-test/vmlinuz", "./lib/modules/6.1.0-test/config",
			      "./lib/modules/6.1.0-test"};

static void add_kernel(struct archive *archive, const Layout *layout)
{
	g_autoptr(GByteArray) vmlinux = kofix_vmlinux(BANNER);
	g_autoptr(GByteArray) packed = kofix_gzip(vmlinux->data, vmlinux->len);
	g_autoptr(GByteArray) image = kofix_bzimage(packed, "6.1.0-test (b@h) #1");
	g_autoptr(GByteArray) module = kofix_module("depends=");
	g_autoptr(GByteArray) module_gz = kofix_gzip(module->data, module->len);
	g_autofree char *ko = g_strconcat(layout->modules, "/kernel/fs/x.ko.gz", NULL);
	g_autofree char *builtin = g_strconcat(layout->modules, "/modules.builtin", NULL);
	g_autofree char *build = g_strconcat(layout->modules, "/build", NULL);

	add_member(archive, layout->boot, image->data, image->len);
	add_member(archive, layout->config, "CONFIG_NUMA=y\n", 14);
	add_member(archive, ko, module_gz->data, module_gz->len);
	add_member(archive, builtin, "kernel/a.ko\n", 12);
	add_link(archive, build, "/usr/src/x");
	add_member(archive, "./usr/share/doc/x", "doc", 3);
}

static GByteArray *make_inner(gboolean tar, const Layout *layout, gboolean evil)
{
	GByteArray *bytes = g_byte_array_set_size(g_byte_array_new(), 1 << 20);
	struct archive *archive = archive_write_new();
	size_t used;

	if (tar)
		archive_write_set_format_pax_restricted(archive);
	else
		archive_write_set_format_cpio_newc(archive);
	if (tar)
		archive_write_add_filter_xz(archive);
	else
		archive_write_add_filter_gzip(archive);
	g_assert_cmpint(archive_write_open_memory(archive, bytes->data, bytes->len, &used), ==,
			ARCHIVE_OK);
	if (evil) {
		add_member(archive, "./boot/vmlinuz-/../../../escaped", "x", 1);
		add_member(archive, "/boot/../escaped", "x", 1);
	} else if (layout) {
		add_kernel(archive, layout);
	} else {
		add_member(archive, "./usr/share/doc/x", "doc", 3);
	}
	g_assert_cmpint(archive_write_close(archive), ==, ARCHIVE_OK);
	archive_write_free(archive);
	return g_byte_array_set_size(bytes, used);
}

static char *make_deb(const char *dir, const char *name, const Layout *layout, gboolean evil)
{
	g_autoptr(GByteArray) data = make_inner(TRUE, layout, evil);
	struct archive *archive = archive_write_new();
	char *path = g_build_filename(dir, name, NULL);

	archive_write_set_format_ar_svr4(archive);
	g_assert_cmpint(archive_write_open_filename(archive, path), ==, ARCHIVE_OK);
	add_member(archive, "debian-binary", "2.0\n", 4);
	add_member(archive, "control.tar.xz", "ignored", 7);
	add_member(archive, "data.tar.xz", data->data, data->len);
	g_assert_cmpint(archive_write_close(archive), ==, ARCHIVE_OK);
	archive_write_free(archive);
	return path;
}

/* The lead, two empty headers, and the compressed cpio behind them. */
static char *make_rpm(const char *dir)
{
	g_autoptr(GByteArray) data = make_inner(FALSE, &fedora, FALSE);
	g_autoptr(GByteArray) file = g_byte_array_new();
	guint8 lead[96] = {0xed, 0xab, 0xee, 0xdb, 3};
	static const guint8 header[16] = {0x8e, 0xad, 0xe8, 1};

	g_byte_array_append(file, lead, sizeof(lead));
	g_byte_array_append(file, header, sizeof(header));
	g_byte_array_append(file, header, sizeof(header));
	g_byte_array_append(file, data->data, data->len);
	kofix_write(dir, "kernel-core.rpm", file->data, file->len);
	return g_build_filename(dir, "kernel-core.rpm", NULL);
}

static RigKernel *add(const char *dir, const char *source, const char *name, gboolean replace,
		      GError **error)
{
	g_autofree char *kernels = g_build_filename(dir, "kernels", NULL);
	const RigKernelStore store = {.kernels_dir = kernels, .cache_dir = dir};
	const RigKernelSource what = {.source = source, .name = name, .replace = replace};

	return rig_kernelstore_add(&store, &what, error);
}

static void expect_kernel(const RigKernel *kernel)
{
	g_autofree char *modules = rig_kernel_modules_dir(kernel);
	g_autofree char *ko = g_build_filename(modules, "kernel/fs/x.ko", NULL);
	g_autofree char *dep = g_build_filename(modules, "modules.dep", NULL);
	g_autofree char *build = g_build_filename(modules, "build", NULL);
	g_autofree char *config = rig_kernel_config(kernel);
	g_autofree char *boot = rig_kernel_boot_path(kernel);
	g_autofree char *digest = rig_file_sha256(boot, NULL);

	g_assert_cmpstr(kernel->release, ==, "6.1.0-test");
	g_assert_cmpstr(kernel->banner, ==, BANNER);
	g_assert_cmpstr(kernel->compiler, ==, "gcc-12");
	g_assert_cmpstr(kernel->format, ==, "elf-pvh");
	g_assert_cmpstr(kernel->boot_sha256, ==, digest);
	g_assert_cmpstr(config, ==, "CONFIG_NUMA=y\n");
	g_assert_true(g_file_test(ko, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(dep, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(build, G_FILE_TEST_IS_SYMLINK));
}

static void test_deb(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = make_deb(dir, "linux-image_1_amd64.deb", &debian, FALSE);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) kernel = add(dir, path, NULL, FALSE, &error);
	g_autofree char *kernels = g_build_filename(dir, "kernels", NULL);
	g_autofree char *default_name = NULL;

	g_assert_no_error(error);
	expect_kernel(kernel);
	g_assert_cmpstr(kernel->name, ==, "6.1.0-test");
	g_assert_cmpstr(kernel->source, ==, "package linux-image_1_amd64.deb");
	default_name = rig_kernel_default(kernels);
	g_assert_cmpstr(default_name, ==, "6.1.0-test");
	expect_remove(dir);
}

static void test_rpm(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = make_rpm(dir);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) kernel = add(dir, path, "fedora", FALSE, &error);

	g_assert_no_error(error);
	expect_kernel(kernel);
	expect_remove(dir);
}

static guint count(const char *dir)
{
	g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
	guint n = 0;

	while (g_dir_read_name(handle))
		n++;
	return n;
}

static void test_again(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = make_deb(dir, "a_1_amd64.deb", &debian, FALSE);
	g_autofree char *kernels = g_build_filename(dir, "kernels", NULL);
	g_autoptr(GByteArray) other = kofix_vmlinux("Linux version 6.2.0 (b) (gcc-13) #2 SMP");
	g_autofree char *vmlinux = g_build_filename(dir, "vmlinux", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) first = add(dir, path, "k", FALSE, &error);
	g_autoptr(RigKernel) second = add(dir, path, "k", FALSE, &error);
	g_autoptr(RigKernel) third = NULL;
	const RigKernelStore store = {.kernels_dir = kernels, .cache_dir = dir};

	g_assert_no_error(error);
	g_assert_cmpint(first->added, ==, second->added);
	kofix_write(dir, "vmlinux", other->data, other->len);
	g_assert_null(add(dir, vmlinux, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "--replace");
	third = add(dir, vmlinux, "k", TRUE, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(third->release, ==, "6.2.0");
	g_assert_null(third->modules_sha256);
	/* The kernel and the default's name; no scratch folder is left. */
	g_assert_cmpuint(count(kernels), ==, 2);
	g_assert_true(rig_kernelstore_remove(&store, "k", &error));
	g_assert_cmpuint(count(kernels), ==, 0);
	g_assert_false(rig_kernelstore_remove(&store, "k", &error));
	expect_error(&error, RIG_ERROR_USAGE, "not in the store");
	expect_remove(dir);
}

static void test_bad(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *evil = make_deb(dir, "evil.deb", NULL, TRUE);
	g_autofree char *empty = make_deb(dir, "empty.deb", NULL, FALSE);
	g_autofree char *junk = g_build_filename(dir, "junk.deb", NULL);
	g_autofree char *text = g_build_filename(dir, "bzImage", NULL);
	g_autofree char *no_pvh = g_build_filename(dir, "vmlinux", NULL);
	g_autofree char *kernels = g_build_filename(dir, "kernels", NULL);
	g_autofree char *escaped = g_build_filename(kernels, "escaped", NULL);
	g_autoptr(GByteArray) elf = kofix_elf(PT_LOAD, "x", 1, BANNER);
	g_autoptr(GError) error = NULL;

	kofix_write(dir, "junk.deb", "no archive", -1);
	kofix_write(dir, "bzImage", "no kernel", -1);
	kofix_write(dir, "vmlinux", elf->data, elf->len);
	g_assert_null(add(dir, evil, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no kernel");
	g_assert_false(g_file_test(escaped, G_FILE_TEST_EXISTS));
	g_assert_null(add(dir, empty, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no kernel");
	g_assert_null(add(dir, junk, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "junk.deb");
	g_assert_null(add(dir, text, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "neither a bzImage nor a vmlinux");
	g_assert_null(add(dir, no_pvh, "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "PVH");
	g_assert_null(add(dir, "/no/such/bzImage", "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no such file");
	g_assert_null(add(dir, "./gone.deb", "k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no such file");
	g_assert_null(add(dir, text, "../k", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "../k");
	g_assert_cmpuint(count(kernels), ==, 0);
	expect_remove(dir);
}

static void test_build_dir(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *tree = g_build_filename(dir, "linux", NULL);
	g_autoptr(GByteArray) vmlinux =
		kofix_vmlinux("Linux version 6.9.0-rc1+ (b) (clang version 17.0.6, LLD) #3");
	g_autoptr(GByteArray) packed = kofix_gzip(vmlinux->data, vmlinux->len);
	g_autoptr(GByteArray) image = kofix_bzimage(packed, "6.9.0-rc1+ (b) #3");
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) kernel = NULL;
	g_autofree char *modules = NULL, *ko = NULL;

	g_assert_null(add(dir, dir, NULL, FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "make bzImage");
	kofix_write(tree, "arch/x86/boot/bzImage", image->data, image->len);
	kofix_write(tree, ".config", "CONFIG_X=y\n", -1);
	kofix_write(tree, "modules.order",
		    "drivers/block/null.o\nkernel/fs/y.ko\nfs/notbuilt.o\n../evil.o\n", -1);
	kofix_write(tree, "modules.builtin", "kernel/a.ko\n", -1);
	kofix_add(tree, "drivers/block/null.ko", "depends=");
	kofix_add(tree, "fs/y.ko", "depends=null");
	kernel = add(dir, tree, NULL, FALSE, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->name, ==, "6.9.0-rc1+");
	g_assert_cmpstr(kernel->compiler, ==, "clang-17");
	g_assert_true(g_str_has_prefix(kernel->source, "build "));
	modules = rig_kernel_modules_dir(kernel);
	ko = g_build_filename(modules, "kernel/drivers/block/null.ko", NULL);
	g_assert_true(g_file_test(ko, G_FILE_TEST_EXISTS));
	expect_remove(dir);
}

static void test_depends(void)
{
	static const char show[] =
		"Package: linux-image-cloud-amd64\nVersion: 6.1.9-1\n"
		"Depends: libc6, linux-image-6.1.0-57 (= 6.1.9-1), linux-image-a | linux-image-b, "
		"linux-image-old (>= 5)\n\nPackage: other\nDepends: linux-image-no\n";
	g_autoptr(GPtrArray) ids = rig_package_depends(show, "linux-image-");
	g_autoptr(GPtrArray) none = rig_package_depends("Package: x\n", "linux-image-");

	g_assert_cmpuint(ids->len, ==, 2);
	g_assert_cmpstr(ids->pdata[0], ==, "linux-image-6.1.0-57=6.1.9-1");
	g_assert_cmpstr(ids->pdata[1], ==, "linux-image-old");
	g_assert_cmpuint(none->len, ==, 0);
}

/* A client that knows a meta package and its kernel, and "downloads" a file made before. */
static void make_client(const char *dir, const char *deb)
{
	g_autofree char *cache = g_build_filename(dir, "bin/apt-cache", NULL);
	g_autofree char *get = g_build_filename(dir, "bin/apt-get", NULL);
	g_autofree char *script = g_strdup_printf(
		"#!/bin/sh\n[ \"$1\" = download ] || exit 9\n[ \"$2\" = real=2 ] || exit 8\n"
		"echo one >>%s/downloads\ncp %s real_2_amd64.deb\n",
		dir, deb);

	kofix_write(
		dir, "bin/apt-cache",
		"#!/bin/sh\nfor last; do :; done\ncase $last in\n"
		"meta) printf 'Package: meta\\nVersion: 1\\nDepends: linux-image-6 (= 2)\\n';;\n"
		"linux-image-6=2) printf 'Package: real\\nVersion: 2\\nDepends: kmod\\n';;\n"
		"*) exit 100;; esac\n",
		-1);
	kofix_write(dir, "bin/apt-get", script, -1);
	g_assert_cmpint(g_chmod(cache, 0755), ==, 0);
	g_assert_cmpint(g_chmod(get, 0755), ==, 0);
}

static void test_name(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *deb = make_deb(dir, "a.deb", &debian, FALSE);
	g_autofree char *bin = g_build_filename(dir, "bin", NULL);
	g_autofree char *path = g_strconcat(bin, ":", g_getenv("PATH"), NULL);
	g_autofree char *downloads = g_build_filename(dir, "downloads", NULL);
	g_autofree char *old = g_strdup(g_getenv("PATH")), *text = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) first = NULL, second = NULL;

	make_client(dir, deb);
	g_setenv("PATH", path, TRUE);
	first = add(dir, "meta", "k", FALSE, &error);
	g_assert_no_error(error);
	expect_kernel(first);
	g_assert_cmpstr(first->source, ==, "package real 2");
	/* The same again is known by its version: nothing is fetched. */
	second = add(dir, "meta", "k", FALSE, &error);
	g_assert_no_error(error);
	text = rig_file_read(downloads, 100, NULL, &error);
	g_assert_cmpstr(text, ==, "one\n");
	g_assert_null(add(dir, "unheard-of", "k2", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "apt-get update");
	g_assert_null(add(dir, "-oDebug=1", "k2", FALSE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no package name");
	g_setenv("PATH", old, TRUE);
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/package/deb", test_deb);
	g_test_add_func("/package/rpm", test_rpm);
	g_test_add_func("/package/again", test_again);
	g_test_add_func("/package/bad", test_bad);
	g_test_add_func("/package/build-dir", test_build_dir);
	g_test_add_func("/package/depends", test_depends);
	g_test_add_func("/package/name", test_name);
	return g_test_run();
}
