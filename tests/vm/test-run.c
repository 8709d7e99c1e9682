/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-run.c - rig run on real guests: two kernels, diskless, and every way in which a run can
 * break.
 *
 * The binary is used as a user does. Faults come from fault.c, which is injected as a user's own
 * program.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "await.h"
#include "cli-fixture.h"
#include "fault-workload.h"
#include "leftovers.h"

#define QUICK "--set", "runtime=2"

static RigJson *first_run(RigJson *root)
{
	RigJson *runs = rig_json_array(root, "runs", RIG_JSON_REQUIRED);

	g_assert_cmpuint(rig_json_length(runs), >=, 1);
	return rig_json_at(runs, 0);
}

static double metric(RigJson *run, const char *name)
{
	RigJson *metrics = rig_json_object(run, "metrics", RIG_JSON_REQUIRED);

	if (!rig_json_has(metrics, name))
		g_error("the run has no %s", name);
	return rig_json_double(metrics, name, RIG_JSON_REQUIRED, 0);
}

static void expect_outcome(RigJson *run, const char *outcome)
{
	g_assert_cmpstr(rig_json_string(run, "outcome", RIG_JSON_REQUIRED), ==, outcome);
}

static void test_two_kernels(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	RigJson *runs;

	cli_setup_real(&f);
	cli_rig(&f, "run", "anon-cow-rand-hugetlb", "-k", "linux-6.1", "-k", "linux-6.12", QUICK,
		"--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	runs = rig_json_array(root, "runs", RIG_JSON_REQUIRED);
	g_assert_cmpuint(rig_json_length(runs), ==, 2);
	for (guint i = 0; i < 2; i++) {
		RigJson *run = rig_json_at(runs, i);
		expect_outcome(run, "ok");
		g_assert_cmpfloat(metric(run, "vm-scalability.throughput"), >, 0);
		g_assert_cmpfloat(metric(run, "rig.access_throughput"), >, 0);
		g_assert_cmpfloat(metric(run, "proc-vmstat.numa_hit"), >, 0);
		metric(run, "copy.proc-vmstat.numa_hint_faults");
		metric(run, "access.locality.hugetlb_remote%");
	}
	leftovers_expect_none(f.root, 0, "after the run");
	cli_rig(&f, "compare", "linux-6.1", "linux-6.12", "--workload", "anon-cow-rand-hugetlb",
		NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "numa_hint_faults"));
	g_assert_nonnull(strstr(f.last.out, "C (emulated)"));
	cli_rig(&f, "compare", "linux-6.1", "linux-6.12", "--workload", "anon-cow-rand-hugetlb",
		"--format", "lkp", "--rows", "all", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "vm-scalability.throughput"));
	cli_teardown(&f);
}

static void test_diskless(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	RigJson *run;

	cli_setup_real(&f);
	cli_rig(&f, "run", "anon-cow-rand-hugetlb", "-k", "linux-6.12", QUICK, "--diskless",
		"--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	run = first_run(root);
	expect_outcome(run, "ok");
	g_assert_cmpfloat(metric(run, "vm-scalability.throughput"), >, 0);
	g_assert_cmpfloat(metric(run, "proc-vmstat.numa_hit"), >, 0);
	metric(run, "copy.proc-vmstat.numa_hint_faults");
	metric(run, "access.locality.hugetlb_remote%");
	leftovers_expect_none(f.root, 0, "after the run");
	cli_teardown(&f);
}

static void test_binary_of_a_user(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	g_autofree char *path = NULL;

	cli_setup_real(&f);
	path = fault_workload(&f, "good", "60", "CONFIG_NUMA");
	cli_rig(&f, "run", path, "-k", "linux-6.12", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	expect_outcome(first_run(root), "ok");
	g_assert_cmpfloat(metric(first_run(root), "fault.score"), ==, 42.0);
	cli_teardown(&f);
}

/* MODE of fault.c must come out as OUTCOME with exit CODE, and leave nothing. */
static void check_fault_on(const char *kernel, const char *mode, const char *timeout,
			   const char *outcome, int code)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	g_autofree char *path = NULL;

	cli_setup_real(&f);
	path = fault_workload(&f, mode, timeout, "CONFIG_NUMA");
	cli_rig(&f, "run", path, "-k", kernel, "--hang-timeout", "15", "--json", NULL);
	cli_expect(&f, code, NULL);
	g_assert_null(strchr(f.last.out, '\x1b'));
	g_assert_null(strchr(f.last.err, '\x1b'));
	root = cli_json(&f);
	expect_outcome(first_run(root), outcome);
	g_assert_nonnull(rig_json_string(first_run(root), "outcome_text", RIG_JSON_REQUIRED));
	leftovers_expect_none(f.root, 0, "after the run");
	cli_rig(&f, "results", "show", "last", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, outcome));
	cli_teardown(&f);
}

static void check_fault(const char *mode, const char *timeout, const char *outcome, int code)
{
	check_fault_on("linux-6.12", mode, timeout, outcome, code);
}

static void test_panic(void)
{
	check_fault("panic", "60", "panic", 11);
}

static void test_hang(void)
{
	/* From 6.12 on ordinary tasks keep a share of each CPU whatever real-time tasks do. */
	check_fault_on("linux-6.1", "hang", "600", "hang", 12);
}

static void test_oom(void)
{
	check_fault("oom", "60", "oom", 1);
}

static void test_exit_code_and_escapes(void)
{
	check_fault("escape", "60", "workload", 1);
}

static void test_killed_by_signal(void)
{
	check_fault("killed", "60", "workload", 1);
}

static void test_no_result(void)
{
	check_fault("silent", "60", "partial", 1);
}

static void test_time_limit(void)
{
	check_fault("sleep", "2", "timeout", 124);
}

static void test_short_hugetlb_pool(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;

	cli_setup_real(&f);
	/* Enough for the parent of the default size, not for its children. */
	cli_rig(&f, "run", "anon-cow-rand-hugetlb", "-k", "linux-6.12", QUICK, "--set", "size=32M",
		"--set", "pool=20", "--json", NULL);
	cli_expect(&f, 1, NULL);
	root = cli_json(&f);
	expect_outcome(first_run(root), "workload");
	g_assert_nonnull(strstr(rig_json_string(first_run(root), "outcome_text", RIG_JSON_REQUIRED),
				"signal 7"));
	cli_teardown(&f);
}

static void test_kernel_that_lacks_an_option(void)
{
	CliFixture f;
	g_autofree char *path = NULL;

	cli_setup_real(&f);
	path = fault_workload(&f, "good", "60", "CONFIG_NO_SUCH_OPTION");
	cli_rig(&f, "run", path, "-k", "linux-6.12", NULL);
	cli_expect(&f, 3, "CONFIG_NO_SUCH_OPTION");
	cli_teardown(&f);
}

/* The process of the QEMU that rig has started for its run, once there is one. */
static GPid wait_for_qemu(CliFixture *f)
{
	g_autofree char *pattern = g_strdup_printf("qemu-system.*%s.*run-", f->root);
	const char *argv[] = {"pgrep", "-f", pattern, NULL};
	RigProcess process = {.argv = argv};

	for (int i = 0; i < 1200; i++) {
		g_auto(RigProcessResult) found = {0};
		g_assert_true(rig_process_run(&process, &found, NULL, NULL));
		if (found.status == 0)
			return (GPid)atoi(found.out);
		g_usleep(50000);
	}
	g_error("no QEMU came up");
}

/* rig run in the background, as far as its workload runs. */
static GPid start_run(CliFixture *f, GPid *qemu)
{
	GPid rig =
		cli_start(f, "run", "anon-w-seq", "-k", "linux-6.12", "--set", "runtime=60", NULL);

	*qemu = wait_for_qemu(f);
	await_ready(f);
	g_usleep(2 * G_USEC_PER_SEC);
	return rig;
}

static void test_qemu_killed(void)
{
	CliFixture f;
	GPid rig, qemu;

	cli_setup_real(&f);
	rig = start_run(&f, &qemu);
	g_assert_cmpint(kill(qemu, SIGKILL), ==, 0);
	g_assert_cmpint(cli_wait(rig), ==, 13);
	leftovers_expect_none(f.root, 0, "after the run");
	cli_rig(&f, "results", "show", "last", NULL);
	g_assert_nonnull(strstr(f.last.out, "lost"));
	cli_teardown(&f);
}

static void check_interrupt(int signo, int code)
{
	CliFixture f;
	GPid rig, qemu;

	cli_setup_real(&f);
	rig = start_run(&f, &qemu);
	g_assert_cmpint(kill(rig, signo), ==, 0);
	g_assert_cmpint(cli_wait(rig), ==, code);
	leftovers_expect_none(f.root, 0, "after the run");
	cli_teardown(&f);
}

static void test_interrupt(void)
{
	check_interrupt(SIGINT, 130);
}

static void test_terminate(void)
{
	check_interrupt(SIGTERM, 143);
}

static void test_interrupt_while_booting(void)
{
	CliFixture f;
	GPid rig;

	cli_setup_real(&f);
	rig = cli_start(&f, "run", "anon-w-seq", "-k", "linux-6.12", NULL);
	wait_for_qemu(&f);
	g_assert_cmpint(kill(rig, SIGINT), ==, 0);
	g_assert_cmpint(cli_wait(rig), ==, 130);
	leftovers_expect_none(f.root, 0, "after the run");
	cli_teardown(&f);
}

static void test_second_rig_and_sigkill(void)
{
	CliFixture f;
	GPid rig, qemu;
	g_autofree char *holder = NULL;

	cli_setup_real(&f);
	rig = start_run(&f, &qemu);
	holder = g_strdup_printf("process %d", (int)rig);
	cli_rig(&f, "run", "anon-w-seq", "-k", "linux-6.12", NULL);
	cli_expect(&f, 3, holder);
	cli_rig(&f, "ps", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "run-"));

	/* Killed outright: what is left is seen, taken away, and in nobody's way. */
	g_assert_cmpint(kill(rig, SIGKILL), ==, 0);
	cli_wait(rig);
	cli_rig(&f, "ps", NULL);
	g_assert_nonnull(strstr(f.last.out, "left over"));
	cli_rig(&f, "down", "--all", NULL);
	cli_expect(&f, 0, NULL);
	leftovers_expect_none(f.root, 0, "after the run");
	cli_rig(&f, "run", "anon-w-seq", "-k", "linux-6.12", QUICK, NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/run/two-kernels", test_two_kernels);
	g_test_add_func("/run/diskless", test_diskless);
	g_test_add_func("/run/binary-of-a-user", test_binary_of_a_user);
	g_test_add_func("/run/panic", test_panic);
	g_test_add_func("/run/oom", test_oom);
	g_test_add_func("/run/exit-code-and-escapes", test_exit_code_and_escapes);
	g_test_add_func("/run/killed-by-signal", test_killed_by_signal);
	g_test_add_func("/run/no-result", test_no_result);
	g_test_add_func("/run/time-limit", test_time_limit);
	g_test_add_func("/run/short-hugetlb-pool", test_short_hugetlb_pool);
	g_test_add_func("/run/lacks-an-option", test_kernel_that_lacks_an_option);
	g_test_add_func("/run/qemu-killed", test_qemu_killed);
	g_test_add_func("/run/interrupt", test_interrupt);
	g_test_add_func("/run/terminate", test_terminate);
	g_test_add_func("/run/interrupt-while-booting", test_interrupt_while_booting);
	g_test_add_func("/run/second-rig-and-sigkill", test_second_rig_and_sigkill);
	g_test_add_func("/run/hang", test_hang);
	return g_test_run();
}
