/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-guest.c - a guest's life as a user leads it: up, exec, cp, console, ps, down; and how it
 * ends badly.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"

#define UP "up", "2sp-icl", "-k", "linux-6.12", "--name"

static void up(CliFixture *f, const char *name)
{
	cli_rig(f, UP, name, NULL);
	cli_expect(f, 0, NULL);
}

static void down(CliFixture *f, const char *name)
{
	cli_rig(f, "down", name, NULL);
	cli_expect(f, 0, NULL);
}

static GPid wait_for_qemu(CliFixture *f, const char *name)
{
	for (guint i = 0; i < 1200; i++) {
		GPid pid = cli_find_qemu(f, name);

		if (pid > 0)
			return pid;
		g_usleep(50000);
	}
	g_error("no QEMU of %s came up", name);
}

/* Neither process nor folder, and nothing in the way of the same name. */
static void expect_gone(CliFixture *f, const char *name)
{
	g_autofree char *dir = g_build_filename(f->root, "state", "guests", name, NULL);

	g_assert_cmpint(cli_find_qemu(f, name), ==, 0);
	g_assert_false(g_file_test(dir, G_FILE_TEST_EXISTS));
}

static char *state_of(CliFixture *f, const char *name)
{
	g_autoptr(RigJson) root = NULL;
	RigJson *guests;

	cli_rig(f, "ps", "--json", NULL);
	cli_expect(f, 0, NULL);
	root = cli_json(f);
	guests = rig_json_array(root, "guests", RIG_JSON_REQUIRED);
	for (guint i = 0; i < rig_json_length(guests); i++) {
		RigJson *guest = rig_json_at(guests, i);

		if (g_str_equal(rig_json_string(guest, "name", RIG_JSON_REQUIRED), name))
			return g_strdup(rig_json_string(guest, "state", RIG_JSON_REQUIRED));
	}
	return g_strdup("none");
}

static void expect_state(CliFixture *f, const char *name, const char *expected)
{
	g_autofree char *state = state_of(f, name);

	g_assert_cmpstr(state, ==, expected);
}

/* Another rig talks with it. */
static void await_busy(CliFixture *f, const char *name)
{
	for (guint i = 0; i < 600; i++) {
		g_autofree char *state = state_of(f, name);

		if (g_str_equal(state, "busy"))
			return;
		g_usleep(100000);
	}
	g_error("guest %s is never busy", name);
}

/* The guest is of the shape that was asked for, by its own account. */
static void check_shape(CliFixture *f, const char *name)
{
	cli_rig(f, "exec", name, "--", "cat", "/sys/devices/system/node/node1/cpulist",
		"/sys/devices/system/node/node1/distance", NULL);
	cli_expect(f, 0, NULL);
	g_assert_cmpstr(f->last.out, ==, "2-3\n20 10\n");
}

static void check_exec(CliFixture *f, const char *name)
{
	cli_rig(f, "exec", name, "--", "sh", "-c", "echo out; echo err >&2; exit 7", NULL);
	g_assert_cmpint(f->last.status, ==, 7);
	g_assert_cmpstr(f->last.out, ==, "out\n");
	g_assert_cmpstr(f->last.err, ==, "err\n");
	cli_rig(f, "exec", name, "--", "sh", "-c", "kill -9 $$", NULL);
	g_assert_cmpint(f->last.status, ==, 137);
	cli_rig(f, "exec", name, "--", "no-such-command", NULL);
	cli_expect(f, 127, "no-such-command");
	g_assert_null(strstr(f->last.err, "console"));
	cli_rig(f, "exec", name, "--", "/etc", NULL);
	cli_expect(f, 126, "/etc");
	cli_rig(f, "exec", "no-such-guest", "--", "true", NULL);
	cli_expect(f, 2, "hint: rig ps");
}

static void check_copy(CliFixture *f, const char *name)
{
	g_autofree char *text = g_strnfill(300000, 'c');
	g_autofree char *from = cli_write(f, "from.txt", text);
	g_autofree char *to = g_build_filename(f->root, "to.txt", NULL);
	g_autofree char *in = g_strdup_printf("%s:/tmp/copied", name);
	g_autofree char *missing = g_strdup_printf("%s:/no/such/file", name);
	g_autofree char *folder = g_strdup_printf("%s:/tmp", name);
	g_autofree char *in_folder = g_strdup_printf("%s:/tmp/from.txt", name);
	g_autofree char *nowhere = g_strdup_printf("%s:/no/such/folder/x", name);
	g_autofree char *back = NULL;

	unlink(to);
	cli_rig(f, "cp", from, in, NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "cp", in, to, NULL);
	cli_expect(f, 0, NULL);
	g_assert_true(g_file_get_contents(to, &back, NULL, NULL));
	g_assert_cmpstr(back, ==, text);
	unlink(to);
	cli_rig(f, "cp", missing, to, NULL);
	cli_expect(f, 2, "/no/such/file");
	g_assert_false(g_file_test(to, G_FILE_TEST_EXISTS));
	cli_rig(f, "cp", from, to, NULL);
	cli_expect(f, 2, "NAME:/path");
	cli_rig(f, "cp", folder, to, NULL);
	cli_expect(f, 2, "/tmp is a folder, add -r");
	/* A folder of the guest takes the file as it is called. */
	cli_rig(f, "cp", from, folder, NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "cp", in_folder, to, NULL);
	cli_expect(f, 0, NULL);
	/* The guest lives: its console has nothing to do with it. */
	cli_rig(f, "cp", from, nowhere, NULL);
	g_assert_cmpint(f->last.status, !=, 0);
	g_assert_null(strstr(f->last.err, "console"));
}

static void check_copy_folder(CliFixture *f, const char *name)
{
	g_autofree char *inner = g_build_filename(f->root, "folder", "inner", NULL);
	g_autofree char *folder = g_build_filename(f->root, "folder", NULL);
	g_autofree char *out = g_build_filename(f->root, "out", NULL);
	g_autofree char *in = g_strdup_printf("%s:/tmp/in", name);
	g_autofree char *in_folder = g_strdup_printf("%s:/tmp/in/folder", name);
	g_autofree char *found = g_build_filename(out, "folder", "inner", "x", NULL);
	g_autofree char *file = NULL;

	g_assert_true(rig_file_make_dirs(inner, 0755, NULL));
	file = cli_write(f, "folder/inner/x", "deep\n");
	g_assert_true(rig_file_remove_tree(out, NULL));
	cli_rig(f, "cp", "-r", folder, in, NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "cp", "-r", in_folder, out, NULL);
	cli_expect(f, 0, NULL);
	g_assert_true(g_file_test(found, G_FILE_TEST_IS_REGULAR));
}

/* A terminal gets no escape of a guest's, a pipe gets every byte. */
static void check_escapes(CliFixture *f, const char *name)
{
	g_autofree char *command =
		g_strdup_printf("RIG_STATE_DIR=%s/state %s exec %s -- printf '\\033]0;pwned\\007'",
				f->root, g_getenv("RIG"), name);
	const char *argv[] = {"script", "-qec", command, "/dev/null", NULL};
	RigProcess process = {.argv = argv, .timeout_ms = 60000};
	g_auto(RigProcessResult) seen = {0};

	cli_rig(f, "exec", name, "--", "printf", "\\033]0;pwned\\007", NULL);
	g_assert_cmpstr(f->last.out, ==, "\x1b]0;pwned\x07");
	g_assert_true(rig_process_run(&process, &seen, NULL, NULL));
	g_assert_nonnull(strstr(seen.out, "\\x1b]0;pwned\\x07"));
	g_assert_null(strchr(seen.out, '\x1b'));
	cli_rig(f, "exec", name, "--", "sh", "-c", "printf 'on \\033[2Jconsole\\n' > /dev/console",
		NULL);
	cli_rig(f, "console", name, NULL);
	g_assert_nonnull(strstr(f->last.out, "on \\x1b[2Jconsole"));
	g_assert_null(strchr(f->last.out, '\x1b'));
}

/* A guest that is up is not made another one: what differs is named. */
static void check_other_options(CliFixture *f)
{
	static const char *const other[][2] = {
		{"--cell-memory", "512M"}, {"--cell-cpus", "1"},      {"--hugepages", "2M"},
		{"--cmdline", "nosmt"},	   {"--accel", "kvm"},	      {"--cell-cpus", "0"},
		{"--cell-memory", "0M"},   {"--cell-memory", "much"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(other); i++) {
		cli_rig(f, UP, "life", other[i][0], other[i][1], NULL);
		cli_expect(f, 2, other[i][0]);
	}
	cli_rig(f, UP, "life", "--diskless", NULL);
	cli_expect(f, 2, "rig down life");
}

/* A user's own program in a guest that is up: refused by the host where it cannot start, and told
 * that there is no way back where the run is interrupted. */
static void check_own_program(CliFixture *f)
{
	static const char format[] =
		"{\"version\": 1, \"name\": \"own\", \"suite\": \"own\", \"text\": \"t\","
		" \"program\": {\"file\": \"%s\"}, \"metrics\": [{\"name\": \"own.x\","
		" \"from\": \"stdout\", \"pattern\": \"([0-9]+)\", \"unit\": \"s\","
		" \"direction\": \"lower\", \"kind\": \"ratio\", \"primary\": true}]}";
	g_autofree char *script = cli_write(f, "sleeps", "#!/bin/sh\nsleep 60\n");
	g_autofree char *rig = g_canonicalize_filename(g_getenv("RIG"), NULL);
	g_autofree char *dynamic = g_strdup_printf(format, rig);
	g_autofree char *slow = g_strdup_printf(format, script);
	g_autofree char *first = cli_write(f, "dynamic.json", dynamic);
	g_autofree char *second = cli_write(f, "slow.json", slow);
	g_autofree char *command = g_strdup_printf(
		"chmod 755 %s; RIG_STATE_DIR=%s/state RIG_CACHE_DIR=%s/cache timeout "
		"--preserve-status -s INT 8 %s run %s --on life",
		script, f->root, f->root, rig, second);
	const char *argv[] = {"sh", "-c", command, NULL};
	RigProcess process = {.argv = argv, .timeout_ms = 120000};

	cli_rig(f, "run", first, "--on", "life", NULL);
	cli_expect(f, 2, "is dynamic");
	rig_process_result_clear(&f->last);
	g_assert_true(rig_process_run(&process, &f->last, NULL, NULL));
	cli_expect(f, 130, "cannot be resumed");
}

static void test_life(void)
{
	CliFixture f;

	cli_setup_real(&f);
	up(&f, "life");
	expect_state(&f, "life", "running");
	check_shape(&f, "life");
	check_exec(&f, "life");
	check_copy(&f, "life");
	check_copy_folder(&f, "life");
	check_escapes(&f, "life");
	/* Up already: nothing is done. Something else of that name: refused. */
	cli_rig(&f, UP, "life", NULL);
	cli_expect(&f, 0, "up already");
	cli_rig(&f, "up", "2sp-icl", "-k", "linux-6.1", "--name", "life", NULL);
	cli_expect(&f, 2, "linux-6.12");
	check_other_options(&f);
	check_own_program(&f);
	down(&f, "life");
	expect_gone(&f, "life");
	cli_rig(&f, "down", "life", NULL);
	cli_expect(&f, 2, "life");
	cli_teardown(&f);
}

static void test_diskless(void)
{
	CliFixture f;

	cli_setup_real(&f);
	cli_rig(&f, UP, "dl", "--diskless", NULL);
	cli_expect(&f, 0, NULL);
	check_shape(&f, "dl");
	cli_rig(&f, "exec", "dl", "--", "sh", "-c", "ls -d /sys/block/vd*", NULL);
	g_assert_cmpint(f.last.status, !=, 0);
	down(&f, "dl");
	expect_gone(&f, "dl");
	cli_teardown(&f);
}

static void test_panic(void)
{
	CliFixture f;

	cli_setup_real(&f);
	up(&f, "panics");
	cli_rig(&f, "exec", "panics", "--", "sh", "-c", "echo c > /proc/sysrq-trigger", NULL);
	cli_expect(&f, 11, "Kernel panic - not syncing: sysrq triggered crash");
	g_assert_nonnull(strstr(f.last.err, "console.log"));
	expect_state(&f, "panics", "gone");
	cli_rig(&f, "console", "panics", "-n", "200", NULL);
	g_assert_nonnull(strstr(f.last.out, "Kernel panic"));
	/* What is left of it is in nobody's way. */
	up(&f, "panics");
	down(&f, "panics");
	expect_gone(&f, "panics");
	cli_teardown(&f);
}

/* No program to start: the kernel panics while it boots. */
static void test_panic_at_boot(void)
{
	CliFixture f;
	gint64 begin = g_get_monotonic_time();

	cli_setup_real(&f);
	cli_rig(&f, UP, "bad-boot", "--cmdline", "rdinit=/nothing root=/dev/nothing", NULL);
	cli_expect(&f, 11, "Kernel panic");
	g_assert_nonnull(strstr(f.last.err, "last-failure/bad-boot.console.log"));
	/* Seen on the console, not waited out. */
	g_assert_cmpint(g_get_monotonic_time() - begin, <, 100 * G_USEC_PER_SEC);
	expect_gone(&f, "bad-boot");
	cli_rig(&f, "console", "bad-boot", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "Kernel panic"));
	cli_teardown(&f);
}

static void test_off(void)
{
	CliFixture f;

	cli_setup_real(&f);
	up(&f, "goes-off");
	cli_rig(&f, "exec", "goes-off", "--", "sh", "-c", "echo o > /proc/sysrq-trigger; sleep 60",
		NULL);
	cli_expect(&f, 13, NULL);
	expect_state(&f, "goes-off", "gone");
	down(&f, "goes-off");
	expect_gone(&f, "goes-off");
	cli_teardown(&f);
}

static void test_qemu_killed(void)
{
	CliFixture f;
	GPid exec;

	cli_setup_real(&f);
	up(&f, "killed");
	exec = cli_start(&f, "exec", "killed", "--", "sleep", "600", NULL);
	await_busy(&f, "killed");
	/* While it runs, the guest is in use, and whoever comes second is told by whom. */
	cli_rig(&f, "exec", "killed", "--", "true", NULL);
	cli_expect(&f, 3, "is held by process");
	cli_rig(&f, "down", "killed", NULL);
	cli_expect(&f, 3, "in use");
	g_assert_cmpint(kill(cli_qemu(&f, "killed"), SIGKILL), ==, 0);
	g_assert_cmpint(cli_wait(exec), ==, 13);
	down(&f, "killed");
	expect_gone(&f, "killed");
	cli_teardown(&f);
}

/* QEMU stands still: no heartbeat, no end of the channel. */
static void test_hang(void)
{
	CliFixture f;
	GPid exec, qemu;

	cli_setup_real(&f);
	up(&f, "hangs");
	qemu = cli_qemu(&f, "hangs");
	exec = cli_start(&f, "exec", "--hang-timeout", "10", "hangs", "--", "sleep", "600", NULL);
	await_busy(&f, "hangs");
	g_assert_cmpint(kill(qemu, SIGSTOP), ==, 0);
	g_assert_cmpint(cli_wait(exec), ==, 12);
	down(&f, "hangs");
	expect_gone(&f, "hangs");
	cli_teardown(&f);
}

/* Interrupted in a command: it ends in the guest as well. */
static void test_interrupt_exec(void)
{
	CliFixture f;
	GPid exec;

	cli_setup_real(&f);
	up(&f, "stays");
	exec = cli_start(&f, "exec", "stays", "--", "sleep", "601", NULL);
	await_busy(&f, "stays");
	g_assert_cmpint(kill(exec, SIGINT), ==, 0);
	g_assert_cmpint(cli_wait(exec), ==, 130);
	cli_rig(&f, "exec", "stays", "--", "ps", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "rig-agent"));
	g_assert_null(strstr(f.last.out, "sleep 601"));
	down(&f, "stays");
	cli_teardown(&f);
}

static void test_signals_while_booting(void)
{
	static const struct {
		int signo, code;
	} cases[] = {{SIGINT, 130}, {SIGTERM, 143}};
	CliFixture f;

	cli_setup_real(&f);
	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		GPid rig = cli_start(&f, UP, "cut", NULL);
		gint64 begin;

		wait_for_qemu(&f, "cut");
		begin = g_get_monotonic_time();
		g_assert_cmpint(kill(rig, cases[i].signo), ==, 0);
		g_assert_cmpint(cli_wait(rig), ==, cases[i].code);
		g_assert_cmpint(g_get_monotonic_time() - begin, <, 60 * G_USEC_PER_SEC);
		expect_gone(&f, "cut");
	}
	cli_teardown(&f);
}

static void test_sigkill_while_booting(void)
{
	CliFixture f;
	GPid rig;

	cli_setup_real(&f);
	rig = cli_start(&f, UP, "orphan", NULL);
	wait_for_qemu(&f, "orphan");
	g_assert_cmpint(kill(rig, SIGKILL), ==, 0);
	cli_wait(rig);
	expect_state(&f, "orphan", "left over");
	cli_rig(&f, "exec", "orphan", "--", "true", NULL);
	cli_expect(&f, 13, "rig down orphan");
	down(&f, "orphan");
	expect_gone(&f, "orphan");
	up(&f, "orphan");
	down(&f, "orphan");
	cli_teardown(&f);
}

/* Refused before anything is made. */
static void test_refused(void)
{
	CliFixture f;

	cli_setup_real(&f);
	cli_rig(&f, UP, "../escape", NULL);
	cli_expect(&f, 2, "guest name");
	cli_rig(&f, UP, "remote", "--connect", "qemu+ssh://host.invalid/system", NULL);
	cli_expect(&f, 3, "qemu+ssh://host.invalid/system: libvirt:");
	cli_rig(&f, UP, "x", "--accel", "vmx", NULL);
	cli_expect(&f, 2, "\"vmx\"");
	expect_state(&f, "remote", "none");
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/guest/refused", test_refused);
	g_test_add_func("/guest/life", test_life);
	g_test_add_func("/guest/diskless", test_diskless);
	g_test_add_func("/guest/panic", test_panic);
	g_test_add_func("/guest/panic-at-boot", test_panic_at_boot);
	g_test_add_func("/guest/off", test_off);
	g_test_add_func("/guest/qemu-killed", test_qemu_killed);
	g_test_add_func("/guest/interrupt-exec", test_interrupt_exec);
	g_test_add_func("/guest/signals-while-booting", test_signals_while_booting);
	g_test_add_func("/guest/sigkill-while-booting", test_sigkill_while_booting);
	g_test_add_func("/guest/hang", test_hang);
	return g_test_run();
}
