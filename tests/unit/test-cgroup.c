/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-cgroup.c - libvirt's group of a process found, and taken away from every hierarchy.
 */
#include <glib/gstdio.h>

#include "expect.h"
#include "vm/cgroup.h"

#define GROUP "qemu-embed-1234abcd-1-lab.libvirt-qemu"

static char *group_of(const char *text)
{
	char *dir = expect_temp_dir();
	g_autofree char *pid = g_build_filename(dir, "17", NULL);
	g_autofree char *path = g_build_filename(pid, "cgroup", NULL);
	char *group;

	g_assert_true(rig_file_make_dirs(pid, 0755, NULL));
	g_assert_true(rig_file_write(path, text, -1, 0644, NULL));
	group = rig_cgroup_of(dir, 17);
	g_assert_null(rig_cgroup_of(dir, 18));
	expect_remove(dir);
	return group;
}

static void test_of(void)
{
	g_autofree char *one = group_of("9:name=systemd:/\n3:cpuset:/machine/" GROUP
					"/emulator\n0::/machine/" GROUP "/emulator\n");
	g_autofree char *two = group_of("0::/machine/" GROUP "\n");

	g_assert_cmpstr(one, ==, GROUP);
	g_assert_cmpstr(two, ==, GROUP);
	g_assert_null(group_of("0::/machine.slice/machine-qemu-1.scope/libvirt/emulator\n"));
	g_assert_null(group_of("0::/machine/other/emulator\nrubbish\n:\n0::\n"));
	g_assert_null(group_of("0::/user/machine/" GROUP "\n"));
}

static char *make(const char *root, const char *path)
{
	char *full = g_build_filename(root, path, NULL);

	g_assert_true(rig_file_make_dirs(full, 0755, NULL));
	return full;
}

static gboolean is_there(const char *root, const char *path)
{
	g_autofree char *full = g_build_filename(root, path, NULL);

	return g_file_test(full, G_FILE_TEST_EXISTS);
}

/* Version 2 at the root, version 1 below it, and neighbours that stay. */
static void test_remove(void)
{
	char *root = expect_temp_dir();
	static const char *const paths[] = {"machine/" GROUP "/vcpu0", "machine/" GROUP "/emulator",
					    "cpuset/machine/" GROUP "/vcpu0",
					    "cpuset/machine/other.libvirt-qemu", "user"};

	for (guint i = 0; i < G_N_ELEMENTS(paths); i++)
		g_free(make(root, paths[i]));
	rig_cgroup_remove(root, GROUP);
	g_assert_false(is_there(root, "machine/" GROUP));
	g_assert_false(is_there(root, "cpuset/machine/" GROUP));
	g_assert_true(is_there(root, "machine"));
	g_assert_true(is_there(root, "cpuset/machine/other.libvirt-qemu"));
	/* What is none of libvirt's groups is never touched, whatever guest.json says. */
	rig_cgroup_remove(root, NULL);
	rig_cgroup_remove(root, "");
	rig_cgroup_remove(root, "other.libvirt-qemu");
	rig_cgroup_remove(root, "qemu-embed-x/../other.libvirt-qemu");
	rig_cgroup_remove(root, "../user");
	g_assert_true(is_there(root, "cpuset/machine/other.libvirt-qemu"));
	g_assert_true(is_there(root, "user"));
	expect_remove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cgroup/of", test_of);
	g_test_add_func("/cgroup/remove", test_remove);
	return g_test_run();
}
