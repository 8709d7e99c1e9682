/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-boot.c - what breaks before a guest is up, and under it: kernels, modules, QEMU. The right
 * exit code, the right words, nothing left.
 */
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "tally.h"

#define KERNEL "linux-6.12"
#define SMALL "--cell-memory", "512M"

static void test_never_boots(void)
{
	CliFixture f;

	cli_setup_real(&f);
	cli_rig(&f, "kernel", "add", g_getenv("RIG_HALT"), "--name", "halt", "--replace", NULL);
	cli_expect(&f, 0, NULL);
	tally_injected();
	cli_rig(&f, "up", "2sp-icl", "-k", "halt", "--name", "halt", "--boot-timeout", "5", NULL);
	cli_expect(&f, 10, "guest halt: the agent did not answer within 5 s");
	cli_expect(&f, 10, "its console is empty");
	cli_expect(&f, 10, "hint: ");
	tally_expect_nothing_left(&f, "after a kernel that never booted");
	cli_rig(&f, "kernel", "remove", "halt", NULL);
	cli_expect(&f, 0, NULL);
	tally_survived();
	cli_teardown(&f);
}

/* It runs, but nobody sees it die: that QEMU is gone is all that can be told. */
static void test_no_console(void)
{
	CliFixture f;

	cli_setup_real(&f);
	tally_injected();
	cli_rig(&f, "up", "2sp-icl", "-k", KERNEL, "--name", "dumb", SMALL, "--cmdline",
		"8250.nr_uarts=0", NULL);
	cli_expect(&f, 0, NULL);
	cli_rig(&f, "exec", "dumb", "--", "sh", "-c", "echo c > /proc/sysrq-trigger", NULL);
	cli_expect(&f, 13, "guest \"dumb\": QEMU is gone");
	cli_expect(&f, 13, "its console is empty");
	tally_expect_down(&f, "dumb");
	tally_survived();
	cli_teardown(&f);
}

static char *kernel_file(CliFixture *f, const char *kernel, const char *name)
{
	return g_build_filename(f->root, "state", "kernels", kernel, name, NULL);
}

/* The only folder lib/modules/RELEASE of a stored kernel. g_free. */
static char *modules_of(CliFixture *f, const char *kernel)
{
	g_autofree char *all = kernel_file(f, kernel, "modules/lib/modules");
	g_autoptr(GDir) dir = g_dir_open(all, 0, NULL);

	return g_build_filename(all, g_dir_read_name(dir), NULL);
}

static int add_kernel(CliFixture *f, const char *boot_of, const char *modules)
{
	g_autofree char *boot = kernel_file(f, boot_of, "boot");
	g_autofree char *config = kernel_file(f, boot_of, "config");

	return cli_rig(f, "kernel", "add", boot, "--name", "mixed", "--config", config, "--modules",
		       modules, "--replace", NULL);
}

static void test_modules_of_another(void)
{
	CliFixture f;
	g_autofree char *modules = NULL;

	cli_setup_real(&f);
	modules = modules_of(&f, "linux-6.1");
	tally_injected();
	add_kernel(&f, KERNEL, modules);
	cli_expect(&f, 2, "is of kernel 6.1.");
	cli_expect(&f, 2, "hint: ");
	tally_expect_nothing_left(&f, "after modules of another kernel");
	tally_survived();
	cli_teardown(&f);
}

/* Each module names the check sum of what it needs of the kernel, before the name of it. It is not
 * to be refused for its signature already. */
static void change_checksum(const char *path)
{
	static const char symbol[] = "module_layout";
	static const char signature[] = "~Module signature appended~\n";
	g_autoptr(GError) error = NULL;
	gsize length = 0;
	g_autofree char *data = NULL;
	char *at;

	g_assert_true(g_file_get_contents(path, &data, &length, &error));
	at = memmem(data, length, symbol, sizeof(symbol));
	g_assert_nonnull(at);
	at[-8] ^= 1;
	if (memcmp(data + length - strlen(signature), signature, strlen(signature)) == 0)
		length--;
	g_assert_true(rig_file_write(path, data, (gssize)length, 0644, &error));
	g_assert_no_error(error);
}

/* The same release, built otherwise: nothing tells before the guest tries to load them. */
static void test_modules_do_not_match(void)
{
	CliFixture f;
	g_autofree char *modules = NULL;
	g_autofree char *copy = NULL;
	g_autofree char *disk = NULL;

	cli_setup_real(&f);
	modules = modules_of(&f, KERNEL);
	copy = g_build_filename(f.root, "modules", NULL);
	disk = g_build_filename(copy, "kernel/drivers/block/virtio_blk.ko", NULL);
	{
		const char *argv[] = {"cp", "-a", modules, copy, NULL};
		RigProcess process = {.argv = argv};
		g_auto(RigProcessResult) copied = {0};

		g_assert_true(rig_process_run(&process, &copied, NULL, NULL));
		g_assert_cmpint(copied.status, ==, 0);
	}
	change_checksum(disk);
	add_kernel(&f, KERNEL, copy);
	cli_expect(&f, 0, NULL);
	tally_injected();
	cli_rig(&f, "up", "2sp-icl", "-k", "mixed", "--name", "mixed", SMALL, NULL);
	cli_expect(&f, 10, "guest mixed: it went off while booting");
	cli_expect(&f, 10, "disagrees about version of symbol module_layout");
	cli_expect(&f, 10, "cannot load module");
	cli_expect(&f, 10, "root device /dev/vda did not appear");
	tally_expect_nothing_left(&f, "after modules that do not match");
	cli_rig(&f, "kernel", "remove", "mixed", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_true(rig_file_remove_tree(copy, NULL));
	tally_survived();
	cli_teardown(&f);
}

/* QEMU. */

/* The guest's kernel has begun to speak. */
static void await_console(CliFixture *f, const char *name)
{
	g_autofree char *path =
		g_build_filename(f->root, "state", "guests", name, "console.log", NULL);
	GStatBuf info;

	for (guint i = 0; i < 6000; i++) {
		if (g_stat(path, &info) == 0 && info.st_size > 0)
			return;
		g_usleep(10000);
	}
	g_error("guest %s says nothing", name);
}

static void test_qemu_killed_at_boot(void)
{
	CliFixture f;
	GPid rig;

	cli_setup_real(&f);
	tally_injected();
	rig = cli_start(&f, "up", "2sp-icl", "-k", KERNEL, "--name", "early", SMALL, NULL);
	await_console(&f, "early");
	g_assert_cmpint(kill(cli_qemu(&f, "early"), SIGKILL), ==, 0);
	g_assert_cmpint(cli_wait(rig), ==, 13);
	tally_expect_nothing_left(&f, "after QEMU was killed at boot");
	tally_survived();
	cli_teardown(&f);
}

/* rig down asks a guest that does not answer any more, and meets one that is gone. */
static void test_qemu_killed_in_teardown(void)
{
	CliFixture f;
	GPid down, qemu;

	cli_setup_real(&f);
	cli_rig(&f, "up", "2sp-icl", "-k", KERNEL, "--name", "late", SMALL, NULL);
	cli_expect(&f, 0, NULL);
	tally_injected();
	qemu = cli_qemu(&f, "late");
	g_assert_cmpint(kill(qemu, SIGSTOP), ==, 0);
	down = cli_start(&f, "down", "late", NULL);
	g_usleep(100000);
	g_assert_cmpint(kill(qemu, SIGKILL), ==, 0);
	g_assert_cmpint(cli_wait(down), ==, 0);
	tally_expect_nothing_left(&f, "after QEMU was killed in the teardown");
	tally_survived();
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/boot/never-boots", test_never_boots);
	g_test_add_func("/boot/no-console", test_no_console);
	g_test_add_func("/boot/modules-of-another", test_modules_of_another);
	g_test_add_func("/boot/modules-do-not-match", test_modules_do_not_match);
	g_test_add_func("/boot/qemu-killed-at-boot", test_qemu_killed_at_boot);
	g_test_add_func("/boot/qemu-killed-in-teardown", test_qemu_killed_in_teardown);
	code = g_test_run();
	tally_tell();
	return code;
}
