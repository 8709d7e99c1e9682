/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-bzimage.c - bzImage and vmlinux files, whole and broken.
 */
#include "vm/bzimage.h"

#include "expect.h"
#include "kofix.h"
#include "vm/kernelfile.h"
#include "vm/unpack.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#define BANNER                                                                                  \
	"Linux version 6.1.0-57-cloud-amd64 (builder@host) (gcc-12 (Debian 12.2.0-14+deb12u1) " \
	"12.2.0, GNU ld (GNU Binutils for Debian) 2.40) #1 SMP PREEMPT_DYNAMIC Debian 6.1.192-3"

static GByteArray *make_bzimage(GByteArray **vmlinux)
{
	g_autoptr(GByteArray) packed = NULL;

	*vmlinux = kofix_vmlinux(BANNER);
	packed = kofix_gzip((*vmlinux)->data, (*vmlinux)->len);
	return kofix_bzimage(packed, "6.1.0-57-cloud-amd64 (builder@host) #1 SMP");
}

static GByteArray *extract(const GByteArray *file, const RigBzImage *image, GError **error)
{
	int fd = memfd_create("kernel", MFD_CLOEXEC);
	GByteArray *kernel = NULL;

	if (rig_bzimage_extract(file->data, image, fd, error)) {
		gssize size = lseek(fd, 0, SEEK_END);

		kernel = g_byte_array_set_size(g_byte_array_new(), size);
		g_assert_cmpint(pread(fd, kernel->data, size, 0), ==, size);
	}
	close(fd);
	return kernel;
}

static void test_extract(void)
{
	g_autoptr(GByteArray) vmlinux = NULL, file = make_bzimage(&vmlinux), kernel = NULL;
	g_auto(RigBzImage) image = {0};
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_bzimage_read(file->data, file->len, &image, &error));
	g_assert_cmpuint(image.protocol, ==, 0x20f);
	g_assert_cmpstr(image.version, ==, "6.1.0-57-cloud-amd64 (builder@host) #1 SMP");
	kernel = extract(file, &image, &error);
	g_assert_no_error(error);
	g_assert_cmpmem(kernel->data, kernel->len, vmlinux->data, vmlinux->len);
	g_assert_true(rig_elf_has_pvh(kernel->data, kernel->len));
}

static void expect_cut(const GByteArray *file, gsize length)
{
	g_autofree guint8 *copy = g_memdup2(file->data, length);
	g_auto(RigBzImage) image = {0};
	g_autoptr(GError) error = NULL;

	g_assert_false(rig_bzimage_read(copy, length, &image, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
}

static void test_cut(void)
{
	g_autoptr(GByteArray) vmlinux = NULL, file = make_bzimage(&vmlinux);

	for (gsize length = 0; length < file->len; length += 13)
		expect_cut(file, length);
	expect_cut(file, file->len - 1);
}

static void test_bad_payload(void)
{
	g_autoptr(GByteArray) vmlinux = NULL, file = make_bzimage(&vmlinux);
	guint32 huge = 0xfffffff0, other;
	g_auto(RigBzImage) image = {0};
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_bzimage_read(file->data, file->len, &image, &error));
	/* The size that the trailer claims bounds what is written. */
	memcpy(file->data + file->len - 4, &huge, 4);
	g_assert_null(extract(file, &image, &error));
	expect_error(&error, RIG_ERROR_USAGE, "claims");
	other = vmlinux->len + 1;
	memcpy(file->data + file->len - 4, &other, 4);
	g_assert_null(extract(file, &image, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_clear_error(&error);
	memset(file->data + image.payload_offset, 'x', 64);
	g_assert_null(extract(file, &image, &error));
	expect_error(&error, RIG_ERROR_USAGE, "kernel payload");
	memcpy(file->data + 0x24c, &huge, 4);
	rig_bzimage_clear(&image);
	g_assert_false(rig_bzimage_read(file->data, file->len, &image, &error));
	expect_error(&error, RIG_ERROR_USAGE, "cut off");
}

static void test_old_protocol(void)
{
	g_autoptr(GByteArray) vmlinux = NULL, file = make_bzimage(&vmlinux);
	g_auto(RigBzImage) image = {0};
	g_autoptr(GError) error = NULL;

	file->data[0x206] = 7;
	g_assert_true(rig_bzimage_read(file->data, file->len, &image, &error));
	g_assert_null(extract(file, &image, &error));
	expect_error(&error, RIG_ERROR_USAGE, "2.07");
}

static void test_pvh(void)
{
	static const guint32 other_owner[] = {4, 4, 18, 0x00554e47, 0};
	static const guint32 too_long[] = {4, 4000, 18, 0x006e6558, 0};
	g_autoptr(GByteArray) good = kofix_vmlinux("");
	g_autoptr(GByteArray) gnu = kofix_elf(PT_NOTE, other_owner, sizeof(other_owner), "");
	g_autoptr(GByteArray) cut = kofix_elf(PT_NOTE, too_long, sizeof(too_long), "");

	g_assert_true(rig_elf_has_pvh(good->data, good->len));
	g_assert_false(rig_elf_has_pvh(gnu->data, gnu->len));
	g_assert_false(rig_elf_has_pvh(cut->data, cut->len));
	for (gsize length = 0; length < sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) + 8; length++) {
		g_autofree guint8 *copy = g_memdup2(good->data, length);

		g_assert_false(rig_elf_has_pvh(copy, length));
	}
}

static void test_banner(void)
{
	static const char text[] = "Linux version %s (%s)\0Linux version 6.1.0 (b) (gcc) # SMP\0"
				   "x" BANNER "\n\0";
	static const char early[] = "Linux version 6.1.0 (b) (gcc) # SMP";
	g_autofree char *banner = rig_kernelfile_banner(text, sizeof(text));
	g_autofree char *only = rig_kernelfile_banner(early, sizeof(early));
	g_autofree char *release = rig_kernelfile_release(banner);

	g_assert_cmpstr(banner, ==, BANNER);
	g_assert_cmpstr(only, ==, early);
	g_assert_cmpstr(release, ==, "6.1.0-57-cloud-amd64");
	g_assert_null(rig_kernelfile_banner("Linux version %s", 16));
	g_assert_null(rig_kernelfile_banner("", 0));
	g_assert_null(rig_kernelfile_release("Linux version ../x (b)"));
	g_assert_null(rig_kernelfile_release(NULL));
}

static void expect_compiler(const char *text, const char *want)
{
	g_autofree char *compiler = rig_kernelfile_compiler(text);

	g_assert_cmpstr(compiler, ==, want);
}

static void test_compiler(void)
{
	expect_compiler(BANNER, "gcc-12");
	expect_compiler(
		"Linux version 6.8 (a@b) (x86_64-linux-gnu-gcc-13 (Ubuntu 13.2.0-23ubuntu4) "
		"13.2.0, GNU ld 2.42) #1",
		"gcc-13");
	expect_compiler(
		"Linux version 6.9 (a) (gcc (GCC) 14.1.1 20240522 (Red Hat 14.1.1-4), GNU ld) #1",
		"gcc-14");
	expect_compiler(
		"Linux version 6.6 (a) (Debian clang version 16.0.6 (27+b1), Debian LLD) #1",
		"clang-16");
	expect_compiler("\"gcc-12 (Debian 12.2.0-14+deb12u1) 12.2.0\"", "gcc-12");
	expect_compiler("n", "unknown");
	expect_compiler(NULL, "unknown");
}

static void test_config(void)
{
	static const char config[] = "CONFIG_NUMA=y\n";
	g_autoptr(GByteArray) packed = kofix_gzip(config, strlen(config));
	g_autoptr(GByteArray) kernel = g_byte_array_new();
	g_autofree char *text = NULL;

	g_byte_array_append(kernel, (const guint8 *)"..IKCFG_ST", 10);
	g_byte_array_append(kernel, packed->data, packed->len);
	g_assert_null(rig_kernelfile_config(kernel->data, kernel->len));
	g_byte_array_append(kernel, (const guint8 *)"IKCFG_ED..", 10);
	text = rig_kernelfile_config(kernel->data, kernel->len);
	g_assert_cmpstr(text, ==, config);
}

static void test_unpack_bound(void)
{
	g_autofree char *zeros = g_malloc0(1 << 20);
	g_autoptr(GByteArray) packed = kofix_gzip(zeros, 1 << 20);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;
	gsize length;

	g_assert_null(rig_unpack_to_memory("bomb", packed->data, packed->len, 1000, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "more than 1000");
	text = rig_unpack_to_memory("exact", packed->data, packed->len, 1 << 20, &length, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(length, ==, 1 << 20);
	g_assert_null(rig_unpack_to_memory("plain", "just text", 9, 1000, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "plain");
}

static void test_interpreter(void)
{
	g_autoptr(GByteArray) dynamic = kofix_elf(PT_INTERP, "/lib64/ld.so", 13, "");
	g_autoptr(GByteArray) fixed = kofix_elf(PT_LOAD, "x", 1, "");
	g_autofree char *path = rig_elf_interpreter(dynamic->data, dynamic->len);

	g_assert_cmpstr(path, ==, "/lib64/ld.so");
	g_assert_null(rig_elf_interpreter(fixed->data, fixed->len));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/bzimage/extract", test_extract);
	g_test_add_func("/bzimage/cut", test_cut);
	g_test_add_func("/bzimage/bad-payload", test_bad_payload);
	g_test_add_func("/bzimage/old-protocol", test_old_protocol);
	g_test_add_func("/kernelfile/pvh", test_pvh);
	g_test_add_func("/kernelfile/banner", test_banner);
	g_test_add_func("/kernelfile/compiler", test_compiler);
	g_test_add_func("/kernelfile/config", test_config);
	g_test_add_func("/kernelfile/interpreter", test_interpreter);
	g_test_add_func("/unpack/bound", test_unpack_bound);
	return g_test_run();
}
