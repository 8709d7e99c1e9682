/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-debian.c - an image of Debian's packages, from the mirror to a run in it.
 *
 * The smallest root with one package more; tests/lab uses the shipped recipe. It is made once for
 * a build directory, as the cache stays.
 */
#include <string.h>

#include "cli-fixture.h"

#define RECIPE                                                                           \
	"{\"version\": 1, \"text\": \"the smallest Debian\", \"size\": \"1G\","          \
	" \"debian\": {\"suite\": \"bookworm\", \"packages\": [\"kmod\"]},"              \
	" \"modules\": [\"null_blk\", \"virtio_blk\", \"virtio_console\"], \"files\": [" \
	" {\"path\": \"/sbin/rig-agent\", \"from\": \"guest:rig-agent\"},"               \
	" {\"path\": \"/rig/bin/rig-mem\", \"from\": \"guest:rig-mem\"},"                \
	" {\"path\": \"/root/note\", \"text\": \"on top\"}]}"

static void test_build(CliFixture *f, gconstpointer data)
{
	g_autofree char *recipe = cli_write(f, "small-debian.json", RECIPE);
	g_autofree char *first = NULL;
	g_autoptr(RigJson) root = NULL;
	g_auto(GStrv) installed = NULL;

	cli_rig(f, "image", "build", recipe, NULL);
	cli_expect(f, 0, NULL);
	first = g_strdup(f->last.out);
	cli_rig(f, "image", "build", recipe, NULL);
	cli_expect(f, 0, "already there");
	g_assert_cmpstr(f->last.out, ==, first);
	cli_rig(f, "image", "show", recipe, "--json", NULL);
	cli_expect(f, 0, NULL);
	root = cli_json(f);
	installed = rig_json_strings(rig_json_object(root, "debian", RIG_JSON_REQUIRED),
				     "installed", RIG_JSON_REQUIRED);
	g_assert_nonnull(installed);
	g_assert_cmpuint(g_strv_length(installed), >, 50);
}

static void check_in(CliFixture *f, const char *command)
{
	cli_rig(f, "exec", "deb", "--", "sh", "-ec", command, NULL);
	if (f->last.status)
		g_error("%s: exit code %d: %s", command, f->last.status, f->last.err);
}

static void test_up(CliFixture *f, gconstpointer data)
{
	static const char *const commands[] = {
		"dpkg-query -W kmod apt",
		/* The files on top left the links and folders of the root alone. */
		"test -L /sbin; test -L /lib; test -x /usr/sbin/rig-agent",
		"test $(stat -c %a /root) = 700; grep -q 'on top' /root/note",
		/* kmod's modprobe, with an index of depmod. */
		"test $(readlink -f $(command -v modprobe)) = /usr/bin/kmod",
		"modprobe null_blk; test -b /dev/nullb0",
		"modprobe -R fs-ext4 || grep -q ext4 /proc/filesystems",
		/* Nothing of the host that made it. */
		"test ! -s /etc/apt/sources.list; test ! -e /etc/hostname",
		"test ! -e /etc/apt/apt.conf.d/99mmdebstrap; test ! -s /etc/resolv.conf",
		"test ! -e /usr/share/man/man1; test -z \"$(ls /var/cache/apt/archives/*.deb)\"",
		"grep -q ' /sys/fs/cgroup cgroup2 ' /proc/mounts",
		"grep -q ' /run tmpfs ' /proc/mounts; test -c /dev/pts/ptmx",
	};
	g_autofree char *recipe = cli_write(f, "small-debian.json", RECIPE);

	cli_rig(f, "up", "2sp-icl", "-k", "linux-6.12", "--image", recipe, "--name", "deb", NULL);
	cli_expect(f, 0, NULL);
	for (guint i = 0; i < G_N_ELEMENTS(commands); i++)
		check_in(f, commands[i]);
	cli_rig(f, "down", "deb", NULL);
	cli_expect(f, 0, NULL);
}

static void test_run(CliFixture *f, gconstpointer data)
{
	g_autofree char *recipe = cli_write(f, "small-debian.json", RECIPE);

	cli_rig(f, "run", "anon-cow-rand-hugetlb", "-k", "linux-6.12", "--image", recipe, "--set",
		"runtime=2", NULL);
	cli_expect(f, 0, NULL);
}

static void test_diskless(CliFixture *f, gconstpointer data)
{
	g_autofree char *recipe = cli_write(f, "small-debian.json", RECIPE);

	cli_rig(f, "up", "2sp-icl", "-k", "linux-6.12", "--image", recipe, "--diskless", NULL);
	cli_expect(f, 2, "whole Debian root");
}

#define ADD(path, func) g_test_add(path, CliFixture, NULL, setup, func, teardown)

static void setup(CliFixture *f, gconstpointer data)
{
	cli_setup_real(f);
}

static void teardown(CliFixture *f, gconstpointer data)
{
	cli_teardown(f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("/debian/build", test_build);
	ADD("/debian/up", test_up);
	ADD("/debian/run", test_run);
	ADD("/debian/diskless", test_diskless);
	return g_test_run();
}
