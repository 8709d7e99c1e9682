/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-libvirtd.c - guests of a libvirtd that is killed and started again under them.
 *
 * The daemons are the machine's own programs, but they see empty folders of their own in place of
 * libvirt's, no network and no control groups: whatever else runs on the machine is left alone.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "await.h"
#include "base/file.h"
#include "cli-fixture.h"
#include "tally.h"

#define SYSTEM "--connect", "qemu:///system"
#define SMALL "--cell-memory", "512M"

/* NULL, or why there can be no daemons here. */
static const char *hide_folders(void)
{
	static const char *const folders[] = {"/etc/libvirt", "/run/libvirt", "/var/lib/libvirt",
					      "/var/log/libvirt", "/var/cache/libvirt"};

	if (access("/usr/sbin/libvirtd", X_OK) < 0 || access("/usr/sbin/virtlogd", X_OK) < 0)
		return "libvirtd and virtlogd are not installed";
	for (gsize i = 0; i < G_N_ELEMENTS(folders); i++)
		if (geteuid() == 0 && !rig_file_make_dirs(folders[i], 0755, NULL))
			return "libvirt's folders cannot be made";
	if (unshare(CLONE_NEWNS | CLONE_NEWNET) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return "no right to a view of files and network of one's own";
	for (gsize i = 0; i < G_N_ELEMENTS(folders); i++)
		if (mount("tmpfs", folders[i], "tmpfs", 0, "mode=0755") < 0)
			g_error("%s: %s", folders[i], g_strerror(errno));
	g_assert_true(g_file_set_contents("/etc/libvirt/qemu.conf",
					  "security_driver = \"none\"\n"
					  "cgroup_controllers = [ ]\n",
					  -1, NULL));
	g_assert_true(g_file_set_contents("/etc/libvirt/libvirtd.conf", "auth_unix_rw = \"none\"\n",
					  -1, NULL));
	return NULL;
}

static void die_with_test(gpointer data)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
}

static GPid start_daemon(const char *path)
{
	const char *argv[] = {path, NULL};
	g_autoptr(GError) error = NULL;
	GPid pid;

	if (!g_spawn_async("/", (char **)argv, NULL,
			   G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
				   G_SPAWN_STDERR_TO_DEV_NULL,
			   die_with_test, NULL, &pid, &error))
		g_error("%s", error->message);
	return pid;
}

static gboolean answers(void)
{
	const char *argv[] = {"virsh", "-c", "qemu:///system", "list", NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) result = {0};

	return rig_process_run(&process, &result, NULL, NULL) && result.status == 0;
}

static GPid start_libvirtd(void)
{
	GPid pid = start_daemon("/usr/sbin/libvirtd");

	for (guint i = 0; i < 600; i++) {
		if (answers())
			return pid;
		g_usleep(100000);
	}
	g_error("libvirtd does not answer");
}

static void stop(GPid pid)
{
	g_assert_cmpint(kill(pid, SIGKILL), ==, 0);
	cli_wait(pid);
}

/* rig run, as far as its workload has begun. */
static GPid start_run(CliFixture *f)
{
	GPid rig = cli_start(f, "run", SYSTEM, "anon-w-seq", "-k", "linux-6.12", SMALL, "--set",
			     "runtime=4", NULL);

	await_ready(f);
	return rig;
}

static void expect_last_run_ok(CliFixture *f)
{
	cli_rig(f, "results", "show", "last", NULL);
	cli_expect(f, 0, NULL);
	g_assert_nonnull(strstr(f->last.out, "outcome     ok"));
	g_assert_nonnull(strstr(f->last.out, "anon-w-seq"));
}

static void test_restarted_in_run(void)
{
	CliFixture f;
	GPid libvirtd, rig;

	cli_setup_real(&f);
	libvirtd = start_libvirtd();
	rig = start_run(&f);
	tally_injected();
	stop(libvirtd);
	libvirtd = start_libvirtd();
	g_assert_cmpint(cli_wait(rig), ==, 0);
	tally_expect_nothing_left(&f, "after libvirtd was killed and started again");
	expect_last_run_ok(&f);
	tally_survived();
	stop(libvirtd);
	cli_teardown(&f);
}

/* The run is kept, its guest cannot be taken away: until there is a libvirtd again. */
static void test_gone_in_run(void)
{
	CliFixture f;
	GPid libvirtd, rig;

	cli_setup_real(&f);
	libvirtd = start_libvirtd();
	rig = start_run(&f);
	tally_injected();
	stop(libvirtd);
	g_assert_cmpint(cli_wait(rig), ==, 0);
	expect_last_run_ok(&f);
	cli_rig(&f, "ps", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "left over"));
	cli_rig(&f, "down", "--all", NULL);
	cli_expect(&f, 3, "hint: start libvirtd");
	libvirtd = start_libvirtd();
	cli_rig(&f, "down", "--all", NULL);
	cli_expect(&f, 0, NULL);
	tally_expect_nothing_left(&f, "after libvirtd was back");
	tally_survived();
	stop(libvirtd);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	const char *reason;
	GPid virtlogd;
	int code;

	g_test_init(&argc, &argv, NULL);
	reason = hide_folders();
	if (reason) {
		g_print("1..0 # SKIP %s\n", reason);
		return 0;
	}
	virtlogd = start_daemon("/usr/sbin/virtlogd");
	g_test_add_func("/libvirtd/restarted-in-run", test_restarted_in_run);
	g_test_add_func("/libvirtd/gone-in-run", test_gone_in_run);
	code = g_test_run();
	stop(virtlogd);
	tally_tell();
	return code;
}
