/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-cgroup.c - which control groups are removed, and above all which are not.
 */
#include "vm/cgroup.h"

#include "base/file.h"
#include "expect.h"

/* Of "/var/lib/rig/libvirt". */
#define DRIVER "qemu-embed-67dac83a-"
#define ROOT "/var/lib/rig/libvirt"

static const char *const all[] = {
	"cpu/machine/" DRIVER "1-run-7-1.libvirt-qemu/vcpu0",
	"unified/machine/" DRIVER "12-run-7-1.libvirt-qemu/libvirt/emulator",
	"machine/" DRIVER "1-run-7-1.libvirt-qemu",
	/* Another guest, another driver, none of libvirt's. */
	"cpu/machine/" DRIVER "1-run-7-12.libvirt-qemu",
	"cpu/machine/" DRIVER "1-run-7.libvirt-qemu",
	"cpu/machine/" DRIVER "x-run-7-1.libvirt-qemu",
	"cpu/machine/qemu-embed-00000000-1-run-7-1.libvirt-qemu",
	"cpu/machine/" DRIVER "1-run-7-1",
	"cpu/other/" DRIVER "1-run-7-1.libvirt-qemu",
};

static char *make_all(void)
{
	char *dir = expect_temp_dir();

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++) {
		g_autofree char *path = g_build_filename(dir, all[i], NULL);

		g_assert_true(rig_file_make_dirs(path, 0755, NULL));
	}
	return dir;
}

static gboolean is_there(const char *dir, const char *name)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	return g_file_test(path, G_FILE_TEST_IS_DIR);
}

static void test_forget(void)
{
	char *dir = make_all();

	rig_cgroup_forget(dir, ROOT, "run-7-1");
	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		g_assert_cmpint(is_there(dir, all[i]), ==, i >= 3);
	g_assert_false(is_there(dir, "cpu/machine/" DRIVER "1-run-7-1.libvirt-qemu"));
	g_assert_true(is_there(dir, "unified/machine"));
	expect_remove(dir);
}

/* As libvirt 9.0 changes a name: what it leaves out, and where it cuts. */
static void expect_forgotten(const char *name, const char *group)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "machine", group, NULL);

	g_assert_true(rig_file_make_dirs(path, 0755, NULL));
	rig_cgroup_forget(dir, ROOT, name);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	expect_remove(dir);
}

static void test_names(void)
{
	expect_forgotten("a_b..c-+d-", DRIVER "3-ab.c-d.libvirt-qemu");
	expect_forgotten("0123456789012345678901234567890123456789.tail-of-a-long-one",
			 DRIVER "2-0123456789012345678901234567890123456789.t.libvirt-qemu");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroup/forget", test_forget);
	g_test_add_func("/cgroup/names", test_names);
	return g_test_run();
}
