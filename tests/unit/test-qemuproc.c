/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-qemuproc.c - QEMU's process told from others, in a /proc of the test's own and in the real
 * one.
 */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "expect.h"
#include "vm/qemuproc.h"

#define UUID "861f6983-a865-4fa9-9c60-f4db1ce23859"
#define WORDS(name, uuid, root)                                                           \
	"/usr/bin/qemu-system-x86_64\0-name\0guest=" name ",debug-threads=on\0-object\0"  \
	"{\"file\":\"" root "/lib/qemu/domain-1-" name "/master-key.aes\"}\0-uuid\0" uuid \
	"\0-display\0none"

static void add_process(const char *proc, const char *pid, const char *words, gsize length)
{
	g_autofree char *dir = g_build_filename(proc, pid, NULL);
	g_autofree char *path = g_build_filename(dir, "cmdline", NULL);

	g_assert_true(rig_file_make_dirs(dir, 0755, NULL));
	g_assert_true(rig_file_write(path, words, (gssize)length, 0644, NULL));
}

static void test_find(void)
{
	static const char mine[] = WORDS("a", UUID, "/s/libvirt");
	static const char other[] =
		WORDS("a", "00000000-0000-4000-8000-000000000000", "/t/libvirt");
	static const char mention[] = "grep\0" UUID "\0-uuid";
	char *proc = expect_temp_dir();
	g_autofree char *uuid = NULL;

	add_process(proc, "10", mine, sizeof(mine));
	add_process(proc, "11", other, sizeof(other));
	add_process(proc, "12", mention, sizeof(mention));
	add_process(proc, "13", "", 0); /* a zombie */
	add_process(proc, "self", mine, sizeof(mine));
	g_assert_cmpint(rig_qemuproc_find(proc, UUID), ==, 10);
	g_assert_cmpint(rig_qemuproc_find(proc, "no-such"), ==, 0);
	g_assert_true(rig_qemuproc_alive(proc, 10, UUID));
	g_assert_false(rig_qemuproc_alive(proc, 11, UUID));
	g_assert_false(rig_qemuproc_alive(proc, 12, UUID));
	g_assert_false(rig_qemuproc_alive(proc, 13, UUID));
	g_assert_false(rig_qemuproc_alive(proc, 0, UUID));
	g_assert_false(rig_qemuproc_alive(proc, 10, NULL));
	/* Two states may each have a guest of that name. */
	g_assert_cmpint(rig_qemuproc_find_named(proc, "a", "/s/libvirt", &uuid), ==, 10);
	g_assert_cmpstr(uuid, ==, UUID);
	g_assert_cmpint(rig_qemuproc_find_named(proc, "a", "/u/libvirt", &uuid), ==, 0);
	g_assert_cmpint(rig_qemuproc_find_named(proc, "b", "/s/libvirt", &uuid), ==, 0);
	expect_remove(proc);
}

/* A shell that runs another program again and again keeps its own words. */
static GPid start(const char *uuid)
{
	const char *argv[] = {"/bin/sh", "-c", "while :; do sleep 1; done", "-uuid", uuid, NULL};
	GPid pid;

	g_assert_true(g_spawn_async(NULL, (char **)(gpointer)argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD,
				    NULL, NULL, &pid, NULL));
	for (guint i = 0; i < 200 && !rig_qemuproc_alive("/proc", pid, uuid); i++)
		g_usleep(10000);
	return pid;
}

static void test_kill(void)
{
	GPid pid = start(UUID);
	int status;

	/* The number alone is not enough to be killed for. */
	g_assert_true(rig_qemuproc_kill("/proc", pid, "another", 1000));
	g_assert_cmpint(waitpid(pid, &status, WNOHANG), ==, 0);
	g_assert_cmpint(rig_qemuproc_find("/proc", UUID), ==, pid);
	/* Gone as soon as it is a zombie; nobody has reaped it yet. */
	g_assert_true(rig_qemuproc_kill("/proc", pid, UUID, 5000));
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
	g_assert_true(rig_qemuproc_kill("/proc", pid, UUID, 1000));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/qemuproc/find", test_find);
	g_test_add_func("/qemuproc/kill", test_kill);
	return g_test_run();
}
