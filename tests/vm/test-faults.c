/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-faults.c - what breaks in a guest that is up: its kernel, its agent, its workload. The right
 * exit code, the right words, nothing left.
 */
#include <string.h>

#include "cli-fixture.h"
#include "fault-workload.h"
#include "tally.h"

#define KERNEL "linux-6.12"
#define QUICK_LIMIT "15"

/* No byte of a guest's has a terminal do anything. */
static void expect_tame(CliFixture *f)
{
	g_assert_null(strchr(f->last.out, '\x1b'));
	g_assert_null(strchr(f->last.err, '\x1b'));
}

/* Runs: one boot each. */

typedef struct {
	const char *path, *mode, *timeout, *memory;
	const char *outcome;
	int code;
	const char *words;
} RunFault;

static const RunFault run_faults[] = {
	{"/faults/null-pointer", "null-pointer", "60", "512M", "oops", 11,
	 "BUG: kernel NULL pointer dereference"},
	{"/faults/null-pointer-panic", "null-pointer-panic", "60", "512M", "panic", 11,
	 "Kernel panic - not syncing: Fatal exception"},
	{"/faults/soft-lockup", "soft-lockup", "60", "512M", "workload", 1,
	 "BUG: soft lockup - CPU#1 stuck"},
	{"/faults/interrupts-off", "interrupts-off", "60", "512M", "hang", 12,
	 "said nothing for 15 s"},
	{"/faults/oom-with-agent", "oom-all", "60", "256M", "panic", 11,
	 "Kernel panic - not syncing: System is deadlocked on memory"},
	{"/faults/agent-killed", "agent-killed", "60", "512M", "panic", 11,
	 "Kernel panic - not syncing: Attempted to kill init!"},
	{"/faults/agent-flood", "agent-flood", "60", "512M", "lost", 13,
	 "broke the protocol: an output is too long"},
	{"/faults/agent-count", "agent-count", "60", "512M", "lost", 13, "broke the protocol"},
	{"/faults/disk-full", "fill", "60", "512M", "workload", 1, "the disk is full"},
};

static void run_fault(CliFixture *f, const char *mode, const char *timeout, const char *memory)
{
	g_autofree char *path = fault_workload(f, mode, timeout, "CONFIG_NUMA");

	tally_injected();
	cli_rig(f, "run", path, "-k", KERNEL, "--cell-memory", memory, "--hang-timeout",
		QUICK_LIMIT, "--json", NULL);
	expect_tame(f);
}

/* The only run of the last command must have ended as OUTCOME, for a reason that has WORDS. */
static void expect_run(CliFixture *f, const char *outcome, const char *words)
{
	g_autoptr(RigJson) root = cli_json(f);
	RigJson *runs = rig_json_array(root, "runs", RIG_JSON_REQUIRED);
	RigJson *run;

	g_assert_cmpuint(rig_json_length(runs), ==, 1);
	run = rig_json_at(runs, 0);
	if (strcmp(rig_json_string(run, "outcome", RIG_JSON_REQUIRED), outcome) != 0)
		g_error("the run is not %s:\n%s", outcome, f->last.out);
	if (!strstr(rig_json_string(run, "outcome_text", RIG_JSON_REQUIRED), words))
		g_error("the run does not say \"%s\":\n%s", words, f->last.out);
}

static void test_run(gconstpointer data)
{
	const RunFault *fault = data;
	CliFixture f;

	cli_setup_real(&f);
	run_fault(&f, fault->mode, fault->timeout, fault->memory);
	cli_expect(&f, fault->code, NULL);
	expect_run(&f, fault->outcome, fault->words);
	tally_expect_nothing_left(&f, fault->path);
	cli_rig(&f, "results", "show", "last", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, fault->outcome));
	tally_survived();
	cli_teardown(&f);
}

/* Where the agent still gets to run it ends the program, where not the guest hangs. */
static void test_bomb(void)
{
	CliFixture f;

	cli_setup_real(&f);
	run_fault(&f, "bomb", "2", "512M");
	if (f.last.status == 124)
		expect_run(&f, "timeout", "ran out of its time");
	else
		expect_run(&f, "hang", "said nothing for 15 s");
	g_assert_true(f.last.status == 124 || f.last.status == 12);
	tally_expect_nothing_left(&f, "after a program that forks without end");
	tally_survived();
	cli_teardown(&f);
}

/* An agent that lies, in a guest that stays: one boot for all. */

#define LIAR "liar"

static gboolean is_up(CliFixture *f, const char *name)
{
	g_autofree char *dir = g_build_filename(f->root, "state", "guests", name, NULL);

	return g_file_test(dir, G_FILE_TEST_EXISTS);
}

static void up(CliFixture *f, const char *name)
{
	g_autofree char *to = g_strdup_printf("%s:/tmp/fault", name);

	cli_rig(f, "up", "2sp-icl", "-k", KERNEL, "--name", name, "--cell-memory", "512M", NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "cp", g_getenv("RIG_FAULT"), to, NULL);
	cli_expect(f, 0, NULL);
}

static void setup_liar(CliFixture *f)
{
	cli_setup_real(f);
	if (!is_up(f, LIAR))
		up(f, LIAR);
	tally_injected();
}

typedef struct {
	const char *path, *mode;
	int code;
	const char *words;
} Lie;

static const Lie lies[] = {
	{"/faults/agent-broken-json", "agent-broken", 13,
	 "broke the protocol: message: line 1: the text ends"},
	{"/faults/agent-invalid-utf8", "agent-bytes", 13,
	 "broke the protocol: message: line 1: invalid UTF-8"},
	{"/faults/agent-long-line", "agent-long", 13, "sent a line longer than 65536 bytes"},
	{"/faults/agent-out-of-order", "agent-order", 13,
	 "broke the protocol: exec is answered by \"hello\""},
	{"/faults/agent-escapes", "agent-escapes", 1, "in the guest: \\x1b]0;owned\\x07\\x1b[2J"},
};

/* Whatever it said: the guest is named, and the next command works. */
static void test_lie(gconstpointer data)
{
	const Lie *lie = data;
	g_autofree char *mode = g_strdup_printf("--mode=%s", lie->mode);
	CliFixture f;

	setup_liar(&f);
	cli_rig(&f, "exec", LIAR, "--", "/tmp/fault", mode, NULL);
	cli_expect(&f, lie->code, lie->words);
	expect_tame(&f);
	if (lie->code == 13) {
		cli_expect(&f, 13, "guest \"" LIAR "\": ");
		cli_expect(&f, 13, "last lines of the console:");
		cli_expect(&f, 13, "hint: the whole console is in ");
	}
	cli_rig(&f, "exec", LIAR, "--", "echo", "alive", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpstr(f.last.out, ==, "alive\n");
	tally_survived();
	cli_teardown(&f);
}

static void test_version(void)
{
	CliFixture f;

	setup_liar(&f);
	cli_rig(&f, "exec", LIAR, "--", "/tmp/fault", "--mode=agent-version", NULL);
	cli_expect(&f, 0, NULL);
	/* It begins soon after the command that started it is over. */
	for (guint i = 0; i < 100 && f.last.status != 10; i++) {
		g_usleep(100000);
		cli_rig(&f, "exec", "--hang-timeout", "10", LIAR, "--", "true", NULL);
	}
	cli_expect(&f, 10, "speaks protocol 99, not 1");
	cli_expect(&f, 10, "hint: ");
	cli_rig(&f, "exec", LIAR, "--", "true", NULL);
	cli_expect(&f, 0, NULL);
	tally_survived();
	cli_teardown(&f);
}

/* Silent while it is asked something, and to whoever comes next. */
static void test_mute(void)
{
	CliFixture f;

	setup_liar(&f);
	cli_rig(&f, "exec", "--hang-timeout", "10", LIAR, "--", "/tmp/fault", "--mode=agent-mute",
		NULL);
	cli_expect(&f, 12, "said nothing for 10 s");
	cli_rig(&f, "exec", "--hang-timeout", "10", LIAR, "--", "true", NULL);
	cli_expect(&f, 12, "did not answer within 10 s");
	cli_expect(&f, 12, "rig down " LIAR);
	tally_expect_down(&f, LIAR);
	tally_survived();
	cli_teardown(&f);
}

/* Where only some of the tests were asked for. */
static void take_liar_down(void)
{
	CliFixture f;

	cli_setup_real(&f);
	if (is_up(&f, LIAR))
		tally_expect_down(&f, LIAR);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	int code;

	g_test_init(&argc, &argv, NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(lies); i++)
		g_test_add_data_func(lies[i].path, &lies[i], test_lie);
	g_test_add_func("/faults/agent-version", test_version);
	g_test_add_func("/faults/agent-mute", test_mute);
	for (gsize i = 0; i < G_N_ELEMENTS(run_faults); i++)
		g_test_add_data_func(run_faults[i].path, &run_faults[i], test_run);
	g_test_add_func("/faults/forks-without-end", test_bomb);
	code = g_test_run();
	take_liar_down();
	tally_tell();
	return code;
}
