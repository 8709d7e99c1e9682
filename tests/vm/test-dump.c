/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-dump.c - memory dumps of real guests: whole and readable, or not there at all.
 *
 * The reader is makedumpfile: it finds the kernel's log in a dump by what the kernel says of itself
 * in there (VMCOREINFO), so a dump that it takes is one that crash can take.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "fault-workload.h"
#include "leftovers.h"

#define PANIC_LINE "Kernel panic - not syncing: sysrq triggered crash"
#define CRASH "sh", "-c", "echo c > /proc/sysrq-trigger"
#define LOG_MAX (4 * 1024 * 1024)
#define WAIT_MS 60000
/* Room for a dump to begin in, beside what a dump leaves free, and not for all of it. */
#define SMALL_DISK "size=285m,mode=0755"

/* The kernel's log as a reader of dumps finds it in PATH. g_free. */
static char *log_in_dump(CliFixture *f, const char *path)
{
	g_autofree char *log = g_build_filename(f->root, "dmesg.txt", NULL);
	const char *argv[] = {"makedumpfile", "--dump-dmesg", "-f", path, log, NULL};
	RigProcess process = {.argv = argv, .timeout_ms = WAIT_MS};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	char *text;

	g_assert_true(rig_process_run(&process, &result, NULL, &error));
	if (result.status != 0)
		g_error("makedumpfile %s: %s%s", path, result.out, result.err);
	text = rig_file_read(log, LOG_MAX, NULL, &error);
	g_assert_no_error(error);
	return text;
}

/* PATH is a compressed dump, ours alone to read, with TEXT in the kernel's log. */
static void check_dump(CliFixture *f, const char *path, const char *expected)
{
	g_autofree char *log = log_in_dump(f, path);
	g_autoptr(GMappedFile) file = g_mapped_file_new(path, FALSE, NULL);
	struct stat info;

	g_assert_cmpint(memcmp(g_mapped_file_get_contents(file), "KDUMP   ", 8), ==, 0);
	g_assert_nonnull(strstr(log, expected));
	g_assert_cmpint(stat(path, &info), ==, 0);
	g_assert_cmpint(info.st_mode & 0777, ==, 0600);
	/* 2 GiB of guest, hardly used. */
	g_assert_cmpint(info.st_size, <, 512 * 1024 * 1024);
}

/* The first dump outside a record, NULL if there is none. g_free. */
static char *find_dump(CliFixture *f)
{
	g_autofree char *dir = g_build_filename(f->root, "state", "last-failure", NULL);
	g_autoptr(GDir) names = g_dir_open(dir, 0, NULL);
	const char *name;

	while (names && (name = g_dir_read_name(names)))
		if (strstr(name, "vmcore"))
			return g_build_filename(dir, name, NULL);
	return NULL;
}

static void expect_no_dump(CliFixture *f)
{
	g_autofree char *path = find_dump(f);

	g_assert_cmpstr(path, ==, NULL);
}

/* The folders stay from test to test, and what one that failed has left is not this one's. */
static void setup(CliFixture *f)
{
	char *path;

	cli_setup_real(f);
	while ((path = find_dump(f))) {
		g_assert_cmpint(unlink(path), ==, 0);
		g_free(path);
	}
}

/* "dump" of the only run, which ended with OUTCOME; NULL without one. g_free. */
static char *dump_of_run(CliFixture *f, const char *outcome, char **id)
{
	g_autoptr(RigJson) root = cli_json(f);
	RigJson *run = rig_json_at(rig_json_array(root, "runs", RIG_JSON_REQUIRED), 0);

	g_assert_cmpstr(rig_json_string(run, "outcome", RIG_JSON_REQUIRED), ==, outcome);
	*id = g_strdup(rig_json_string(run, "id", RIG_JSON_REQUIRED));
	return g_strdup(rig_json_string(run, "dump", RIG_JSON_OPTIONAL));
}

static void test_panic(void)
{
	CliFixture f;
	g_autofree char *workload = NULL, *dump = NULL, *id = NULL;

	setup(&f);
	workload = fault_workload(&f, "panic", "60", "CONFIG_NUMA");
	cli_rig(&f, "run", workload, "-k", "linux-6.12", "--dump", "--json", NULL);
	cli_expect(&f, 11, NULL);
	dump = dump_of_run(&f, "panic", &id);
	g_assert_nonnull(dump);
	check_dump(&f, dump, PANIC_LINE);
	expect_no_dump(&f);
	leftovers_expect_none(f.root, 0, "after a run that was dumped");
	cli_rig(&f, "results", "show", id, NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, dump));
	g_assert_nonnull(strstr(f.last.out, "crash /usr/lib/debug/boot/vmlinux-6.12"));
	cli_rig(&f, "results", "remove", "--yes", id, NULL);
	cli_expect(&f, 0, NULL);
	g_assert_false(g_file_test(dump, G_FILE_TEST_EXISTS));
	cli_teardown(&f);
}

/* Every CPU with its interrupts off: nobody in the guest can tell any more. */
static void test_hang(void)
{
	CliFixture f;
	g_autofree char *workload = NULL, *dump = NULL, *id = NULL;

	setup(&f);
	workload = fault_workload(&f, "interrupts-off", "600", "CONFIG_NUMA");
	cli_rig(&f, "run", workload, "-k", "linux-6.12", "--dump", "--hang-timeout", "10", "--json",
		NULL);
	cli_expect(&f, 12, NULL);
	dump = dump_of_run(&f, "hang", &id);
	g_assert_nonnull(dump);
	check_dump(&f, dump, "Linux version 6.12");
	leftovers_expect_none(f.root, 0, "after a hang that was dumped");
	cli_rig(&f, "results", "remove", "--yes", id, NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

/* The file that QEMU writes below FOLDER/guests/NAME, once there is something in it. */
static void wait_for_writing(CliFixture *f, const char *name)
{
	g_autofree char *path =
		g_build_filename(f->root, "state", "guests", name, "vmcore.raw", NULL);
	struct stat info;

	for (guint i = 0; i < WAIT_MS; i += 2) {
		if (stat(path, &info) == 0 && info.st_size > 0)
			return;
		g_usleep(2000);
	}
	g_error("%s: no dump began", path);
}

/* Ticks of CPU time that the process PID has had. */
static guint64 ticks_of(GPid pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *text = rig_file_read(path, 4096, NULL, NULL);
	guint64 user, system;

	g_assert_nonnull(text);
	g_assert_cmpint(sscanf(strrchr(text, ')') + 1,
			       " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" G_GUINT64_FORMAT
			       " %" G_GUINT64_FORMAT,
			       &user, &system),
			==, 2);
	return user + system;
}

static void expect_state(CliFixture *f, const char *expected)
{
	g_autoptr(RigJson) root = NULL;
	RigJson *guest;

	cli_rig(f, "ps", "--json", NULL);
	cli_expect(f, 0, NULL);
	root = cli_json(f);
	guest = rig_json_at(rig_json_array(root, "guests", RIG_JSON_REQUIRED), 0);
	g_assert_cmpstr(rig_json_string(guest, "state", RIG_JSON_REQUIRED), ==, expected);
}

/* A guest that is up stays where it panicked, until rig down; whoever meets it there first writes
 * its memory, also after a rig that was killed while it did. */
static void test_guest_that_is_up(void)
{
	CliFixture f;
	g_autofree char *dump = NULL;
	GPid exec, qemu;
	guint64 ticks;
	struct stat first, again;

	setup(&f);
	dump = g_build_filename(f.root, "state", "last-failure", "stays.vmcore", NULL);
	cli_rig(&f, "up", "2sp-icl", "-k", "linux-6.12", "--name", "stays", "--dump", NULL);
	cli_expect(&f, 0, NULL);
	qemu = cli_qemu(&f, "stays");
	exec = cli_start(&f, "exec", "stays", "--", CRASH, NULL);
	wait_for_writing(&f, "stays");
	g_assert_cmpint(kill(exec, SIGKILL), ==, 0);
	cli_wait(exec);
	expect_no_dump(&f);
	expect_state(&f, "panicked");
	cli_rig(&f, "up", "2sp-icl", "-k", "linux-6.12", "--name", "stays", NULL);
	cli_expect(&f, 2, "rig down --dump stays");
	cli_rig(&f, "exec", "stays", "--", "true", NULL);
	cli_expect(&f, 11, dump);
	check_dump(&f, dump, PANIC_LINE);
	/* Whoever meets it later leaves the dump as it is. */
	g_assert_cmpint(stat(dump, &first), ==, 0);
	cli_rig(&f, "exec", "stays", "--", "true", NULL);
	cli_expect(&f, 11, NULL);
	g_assert_cmpint(stat(dump, &again), ==, 0);
	g_assert_cmpuint(again.st_ino, ==, first.st_ino);
	/* It does not even use the host's CPUs; a busy host makes this no less true. */
	ticks = ticks_of(qemu);
	g_usleep(1 * G_USEC_PER_SEC);
	g_assert_cmpuint(ticks_of(qemu) - ticks, <, 30);
	g_assert_cmpint(unlink(dump), ==, 0);
	cli_rig(&f, "down", "--dump", "stays", NULL);
	cli_expect(&f, 0, NULL);
	check_dump(&f, dump, PANIC_LINE);
	leftovers_expect_none(f.root, 0, "after rig down --dump");
	cli_rig(&f, "gc", "--all", "--dry-run", NULL);
	g_assert_nonnull(strstr(f.last.out, "stays.vmcore"));
	g_assert_cmpint(unlink(dump), ==, 0);
	cli_teardown(&f);
}

static char *name_of_run(GPid rig)
{
	return g_strdup_printf("run-%d-1", (int)rig);
}

/* QEMU is stopped, so the dump cannot be over before the signal comes. An oops is a panic here. */
static void test_interrupt(void)
{
	CliFixture f;
	g_autofree char *workload = NULL, *name = NULL;
	GPid rig;

	setup(&f);
	workload = fault_workload(&f, "null-pointer", "60", "CONFIG_NUMA");
	rig = cli_start(&f, "run", workload, "-k", "linux-6.12", "--dump", NULL);
	name = name_of_run(rig);
	wait_for_writing(&f, name);
	g_assert_cmpint(kill(cli_qemu(&f, name), SIGSTOP), ==, 0);
	g_assert_cmpint(kill(rig, SIGINT), ==, 0);
	/* The run was over: it is recorded as what it was. */
	g_assert_cmpint(cli_wait(rig), ==, 11);
	expect_no_dump(&f);
	leftovers_expect_none(f.root, 0, "after Ctrl-C in a dump");
	cli_rig(&f, "results", "show", "last", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "panic: the kernel panicked"));
	g_assert_null(strstr(f.last.out, "memory dump"));
	cli_teardown(&f);
}

/* A state folder of its own on a small disk; kernels and cache are those of the others. */
static void use_small_disk(CliFixture *f, const char *disk)
{
	g_autofree char *kernels = g_build_filename(f->root, "state", "kernels", NULL);
	g_autofree char *cache = g_build_filename(f->root, "cache", NULL);
	g_autofree char *probe = g_build_filename(f->root, "state", "kvm-probe.json", NULL);
	const char *const links[][2] = {
		{kernels, "state/kernels"}, {cache, "cache"}, {probe, "state/kvm-probe.json"}};
	g_autofree char *state = g_build_filename(disk, "state", NULL);

	g_assert_cmpint(mkdir(state, 0755), ==, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(links); i++) {
		g_autofree char *at = g_build_filename(disk, links[i][1], NULL);

		g_assert_cmpint(symlink(links[i][0], at), ==, 0);
	}
	g_free(f->root);
	f->root = g_strdup(disk);
}

static void test_full_disk(void)
{
	CliFixture f;
	g_autofree char *workload = NULL, *id = NULL, *dump = NULL, *disk = NULL;

	setup(&f);
	disk = g_build_filename(f.root, "d", NULL);
	g_assert_true(mkdir(disk, 0755) == 0 || errno == EEXIST);
	if (mount("tmpfs", disk, "tmpfs", 0, SMALL_DISK) < 0) {
		g_test_skip("a small disk can only be mounted by root");
		cli_teardown(&f);
		return;
	}
	use_small_disk(&f, disk);
	workload = fault_workload(&f, "panic", "60", "CONFIG_NUMA");
	cli_rig(&f, "run", workload, "-k", "linux-6.12", "--dump", "--diskless", "--json", NULL);
	/* The run counts for more than its dump. */
	cli_expect(&f, 11, "no memory dump");
	g_assert_nonnull(strstr(f.last.err, "leaves 256 MiB"));
	dump = dump_of_run(&f, "panic", &id);
	g_assert_null(dump);
	expect_no_dump(&f);
	leftovers_expect_none(f.root, 0, "after a dump that did not fit");
	cli_teardown(&f);
	g_assert_cmpint(umount2(disk, MNT_DETACH), ==, 0);
	g_assert_cmpint(rmdir(disk), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/dump/panic", test_panic);
	g_test_add_func("/dump/hang", test_hang);
	g_test_add_func("/dump/guest-that-is-up", test_guest_that_is_up);
	g_test_add_func("/dump/interrupt", test_interrupt);
	g_test_add_func("/dump/full-disk", test_full_disk);
	return g_test_run();
}
