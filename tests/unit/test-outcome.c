/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-outcome.c - names and codes of outcomes, and a line of a real log for each detector. */
#include "model/outcome.h"

#include "expect.h"

static void test_names(void)
{
	for (RigOutcome i = RIG_OUTCOME_OK; i <= RIG_OUTCOME_INTERRUPTED; i++) {
		RigOutcome back;

		g_assert_true(rig_outcome_from_name(rig_outcome_name(i), &back));
		g_assert_cmpint(back, ==, i);
		g_assert_true((rig_outcome_exit_code(i) == 0) == (i == RIG_OUTCOME_OK));
	}
}

static void test_unknown_name(void)
{
	RigOutcome outcome;

	g_assert_false(rig_outcome_from_name("fine", &outcome));
	g_assert_false(rig_outcome_from_name("", &outcome));
}

static void test_codes(void)
{
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_PARTIAL), ==, 1);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_BOOT), ==, 10);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_PANIC), ==, 11);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_HANG), ==, 12);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_LOST), ==, 13);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_TIMEOUT), ==, 124);
	g_assert_cmpint(rig_outcome_exit_code(RIG_OUTCOME_INTERRUPTED), ==, 130);
}

static void test_from_error(void)
{
	static const struct {
		int code;
		RigOutcome outcome;
	} pairs[] = {
		{RIG_ERROR_FAILED, RIG_OUTCOME_WORKLOAD},
		{RIG_ERROR_BOOT, RIG_OUTCOME_BOOT},
		{RIG_ERROR_PANIC, RIG_OUTCOME_PANIC},
		{RIG_ERROR_HANG, RIG_OUTCOME_HANG},
		{RIG_ERROR_LOST, RIG_OUTCOME_LOST},
		{RIG_ERROR_TIMEOUT, RIG_OUTCOME_TIMEOUT},
		{RIG_ERROR_HOST, RIG_OUTCOME_LOST},
		{RIG_ERROR_INTERRUPTED, RIG_OUTCOME_INTERRUPTED},
		{RIG_ERROR_TERMINATED, RIG_OUTCOME_INTERRUPTED},
	};
	g_autoptr(GError) cancelled = g_error_new(G_IO_ERROR, G_IO_ERROR_CANCELLED, "x");

	for (guint i = 0; i < G_N_ELEMENTS(pairs); i++) {
		g_autoptr(GError) error = g_error_new(RIG_ERROR, pairs[i].code, "x");

		g_assert_cmpint(rig_outcome_from_error(error), ==, pairs[i].outcome);
	}
	g_assert_cmpint(rig_outcome_from_error(cancelled), ==, RIG_OUTCOME_INTERRUPTED);
}

static const struct {
	RigOutcome outcome;
	const char *line;
} detected[] = {
	{RIG_OUTCOME_PANIC, "[    2.1] Kernel panic - not syncing: VFS: Unable to mount root fs"},
	{RIG_OUTCOME_PANIC, "[    9.9] Kernel panic - not syncing: Out of memory: panic_on_oom"},
	{RIG_OUTCOME_OOPS,
	 "[    3.1] BUG: kernel NULL pointer dereference, address: 0000000000000008"},
	{RIG_OUTCOME_OOPS,
	 "[    3.1] BUG: unable to handle page fault for address: ffffc90000000000"},
	{RIG_OUTCOME_OOPS, "[    3.1] Oops: 0002 [#1] PREEMPT SMP NOPTI"},
	{RIG_OUTCOME_OOPS,
	 "[    3.1] Oops: general protection fault, probably for non-canonical address"},
	{RIG_OUTCOME_OOPS,
	 "[    3.1] general protection fault, probably for non-canonical address 0xdead"},
	{RIG_OUTCOME_OOPS, "[    3.1] general protection fault: 0000 [#1] SMP"},
	{RIG_OUTCOME_OOPS, "[    3.1] kernel BUG at mm/huge_memory.c:2345!"},
	{RIG_OUTCOME_OOPS, "[    3.1] invalid opcode: 0000 [#1] PREEMPT SMP"},
	{RIG_OUTCOME_OOM,
	 "[   31.2] rig-mem invoked oom-killer: gfp_mask=0x140dca(GFP_HIGHUSER), order=0"},
	{RIG_OUTCOME_OOM,
	 "[   31.2] oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),task=rig-mem"},
	{RIG_OUTCOME_OOM,
	 "[   31.2] Out of memory: Killed process 117 (rig-mem) total-vm:1048576kB"},
	{RIG_OUTCOME_OOM,
	 "[   31.2] Out of memory: Kill process 117 (rig-mem) score 900 or sacrifice child"},
	{RIG_OUTCOME_OOM, "[   31.2] Memory cgroup out of memory: Killed process 117 (rig-mem)"},
	{RIG_OUTCOME_WARNING,
	 "[    1.5] WARNING: CPU: 1 PID: 42 at mm/memory.c:100 do_fault+0x1/0x2"},
	{RIG_OUTCOME_WARNING, "[    1.5] WARNING: possible circular locking dependency detected"},
	{RIG_OUTCOME_WARNING, "[    1.5] WARNING: suspicious RCU usage"},
	{RIG_OUTCOME_WARNING,
	 "[    1.5][   T12] WARNING: mm/memory.c:100 at do_fault+0x1/0x2, CPU#1: x/42"},
	{RIG_OUTCOME_WARNING,
	 "[   60.0] watchdog: BUG: soft lockup - CPU#3 stuck for 26s! [rig-mem:117]"},
	{RIG_OUTCOME_WARNING, "[   60.0] BUG: workqueue lockup - pool cpus=0 node=0 flags=0x0"},
	{RIG_OUTCOME_WARNING, "[   60.0] BUG: Bad page state in process rig-mem  pfn:12345"},
	{RIG_OUTCOME_WARNING, "[   60.0] BUG: scheduling while atomic: swapper/0/0/0x00000002"},
	{RIG_OUTCOME_WARNING, "[   60.0] BUG: KASAN: slab-use-after-free in do_fault+0x1/0x2"},
	{RIG_OUTCOME_WARNING,
	 "[  121.0] INFO: task rig-mem:117 blocked for more than 120 seconds."},
	{RIG_OUTCOME_WARNING, "[   21.0] rcu: INFO: rcu_preempt detected stalls on CPUs/tasks:"},
	{RIG_OUTCOME_WARNING, "[   21.0] rcu: INFO: rcu_sched self-detected stall on CPU"},
	{RIG_OUTCOME_WARNING,
	 "[   21.0] rcu: INFO: rcu_preempt detected expedited stalls on CPUs/tasks: {"},
	{RIG_OUTCOME_WARNING, "[   21.0] INFO: rcu_sched detected stalls on CPUs/tasks:"},
	{RIG_OUTCOME_WARNING, "[   21.0] NMI watchdog: Watchdog detected hard LOCKUP on cpu 2"},
	{RIG_OUTCOME_WARNING, "[   21.0] UBSAN: array-index-out-of-bounds in mm/x.c:1:2"},
	{RIG_OUTCOME_WARNING,
	 "[    0.4] sched: CPU #1's llc-sibling CPU #0 is not on the same node! [node: 1 "
	 "!= 0]. Ignoring dependency."},
	{RIG_OUTCOME_WARNING, "<4>[    1.5] WARNING: CPU: 1 PID: 42 at x"},
	{RIG_OUTCOME_WARNING, "4,812,1234567,-;WARNING: CPU: 1 PID: 42 at x"},
	{RIG_OUTCOME_WARNING, "<4>,812,1234567,-;WARNING: CPU: 1 PID: 42 at x"},
	/* What a sound kernel also says. */
	{RIG_OUTCOME_OK, "[    1.1] PCI: if necessary, use \"pci=nocrs\" and report a bug"},
	{RIG_OUTCOME_OK, "[    1.1] Spectre V2 : WARNING: Unprivileged eBPF is enabled"},
	{RIG_OUTCOME_OK,
	 "[    1.1] traps: x[7] general protection fault ip:401000 sp:7ffe error:0 in x"},
	{RIG_OUTCOME_OK,
	 "[    1.1] rig-mem[117]: segfault at 0 ip 0000000000401000 sp 00007ffe error 4"},
	{RIG_OUTCOME_OK, "[    1.1] clocksource: Marking clocksource 'tsc' as unstable"},
	{RIG_OUTCOME_OK, "[    1.1] rcu: Hierarchical RCU implementation."},
	{RIG_OUTCOME_OK,
	 "[    1.1] rcu: RCU calculated value of scheduler-enlistment delay is 25 jiffies."},
	{RIG_OUTCOME_OK, "[123"},
	{RIG_OUTCOME_OK, "["},
	{RIG_OUTCOME_OK, "<4"},
	{RIG_OUTCOME_OK, "4,"},
	{RIG_OUTCOME_OK, ""},
};

static void test_detectors(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(detected); i++) {
		g_autofree char *text =
			g_strdup_printf("[    0.0] Linux version 6.12\r\n%s\r\n[   99.0] "
					"the end\r\n",
					detected[i].line);
		g_autofree char *line = NULL;
		RigOutcome outcome = rig_outcome_scan_log(text, &line);

		if (outcome != detected[i].outcome)
			g_error("'%s' is %s", detected[i].line, rig_outcome_name(outcome));
		g_assert_true((line != NULL) == (outcome != RIG_OUTCOME_OK));
		/* The line is the message without what stands before it. */
		if (line) {
			g_assert_nonnull(strstr(detected[i].line, line));
			g_assert_null(strchr("[<0123456789", *line));
		}
	}
}

/* The worst wins, and of the worst the first. */
static void test_worst(void)
{
	g_autofree char *line = NULL;

	g_assert_cmpint(rig_outcome_scan_log("[ 1.0] WARNING: CPU: 1 PID: 1 at a\n"
					     "[ 1.1] Oops: 0000 [#1] SMP\n"
					     "[ 1.2] Oops: 0000 [#2] SMP\n"
					     "[ 1.3] Out of memory: Killed process 1 (a)\n",
					     &line),
			==, RIG_OUTCOME_OOPS);
	g_assert_cmpstr(line, ==, "Oops: 0000 [#1] SMP");
}

static void test_real_logs(void)
{
	static const char *const kernels[] = {"6.1.192-debian", "6.12.117-debian"};

	for (guint i = 0; i < G_N_ELEMENTS(kernels); i++) {
		g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", "counters",
							      kernels[i], "console.log", NULL);
		g_autofree char *text = NULL;
		g_autofree char *line = NULL;

		g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
		g_assert_cmpint(rig_outcome_scan_log(text, &line), ==, RIG_OUTCOME_OK);
		g_assert_null(line);
	}
}

static void test_hostile(void)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *line = NULL;

	/* One line of a megabyte: what stands at its far end is not looked at. */
	for (guint i = 0; i < 100000; i++)
		g_string_append(text, "[[[[[<<<;;");
	g_string_append(text, "Oops: \n[ 1.0] WARNING: \033[2J\033]0;title\a and ");
	for (guint i = 0; i < 5000; i++)
		g_string_append_c(text, 'x');
	g_assert_cmpint(rig_outcome_scan_log(text->str, &line), ==, RIG_OUTCOME_WARNING);
	g_assert_null(strpbrk(line, "\033\a\n"));
	g_assert_cmpuint(strlen(line), <, 1000);
	g_assert_cmpint(rig_outcome_scan_log(text->str, NULL), ==, RIG_OUTCOME_WARNING);
	g_assert_cmpint(rig_outcome_scan_log(NULL, NULL), ==, RIG_OUTCOME_OK);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/outcome/names", test_names);
	g_test_add_func("/outcome/unknown-name", test_unknown_name);
	g_test_add_func("/outcome/codes", test_codes);
	g_test_add_func("/outcome/from-error", test_from_error);
	g_test_add_func("/outcome/detectors", test_detectors);
	g_test_add_func("/outcome/worst", test_worst);
	g_test_add_func("/outcome/real-logs", test_real_logs);
	g_test_add_func("/outcome/hostile", test_hostile);
	return g_test_run();
}
