/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-host.c - hosts that misbehave: a clock that is set back, no memory.
 */
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "fault-workload.h"
#include "tally.h"

#define DAY (24 * 60 * 60)

/* Clock. */

static const char *find_faketime(void)
{
	static const char *const places[] = {
		"/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
		"/usr/lib64/faketime/libfaketimeMT.so.1",
		"/usr/lib/faketime/libfaketimeMT.so.1",
	};

	for (guint i = 0; i < G_N_ELEMENTS(places); i++)
		if (g_file_test(places[i], G_FILE_TEST_EXISTS))
			return places[i];
	return NULL;
}

/* Every program that is started from now on sees the clock SECONDS away, and those that run see it
 * change. Only CLOCK_REALTIME: no user can set the other. */
static void set_clock(CliFixture *f, int seconds)
{
	g_autofree char *text = g_strdup_printf("%+d\n", seconds);
	g_autofree char *path = cli_write(f, "clock", text);

	g_setenv("FAKETIME_TIMESTAMP_FILE", path, TRUE);
	g_setenv("FAKETIME_NO_CACHE", "1", TRUE);
	g_setenv("FAKETIME_DONT_FAKE_MONOTONIC", "1", TRUE);
	g_setenv("FAKETIME_DONT_RESET", "1", TRUE);
	g_setenv("LD_PRELOAD", find_faketime(), TRUE);
}

static void set_clock_right(void)
{
	g_unsetenv("LD_PRELOAD");
}

static gboolean set_up_clock(CliFixture *f)
{
	if (!find_faketime()) {
		g_test_skip("libfaketime is not installed");
		return FALSE;
	}
	cli_setup_real(f);
	return TRUE;
}

/* Without this, a test of the clock may have tested nothing. */
static void check_clock(CliFixture *f, int seconds)
{
	const char *argv[] = {"date", "+%s", NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) result = {0};
	gint64 seen;

	g_assert_true(rig_process_run(&process, &result, NULL, NULL));
	seen = g_ascii_strtoll(result.out, NULL, 10) - g_get_real_time() / G_USEC_PER_SEC;
	g_assert_cmpint(ABS(seen - seconds), <, 60);
}

static gint64 count_records(CliFixture *f)
{
	g_autoptr(RigJson) root = NULL;

	cli_rig(f, "results", "list", "--json", NULL);
	cli_expect(f, 0, NULL);
	root = cli_json(f);
	return rig_json_length(rig_json_array(root, "runs", RIG_JSON_REQUIRED));
}

static void wait_for_record(CliFixture *f, gint64 n)
{
	for (guint i = 0; i < 1200 && count_records(f) < n; i++)
		g_usleep(200 * 1000);
	g_assert_cmpint(count_records(f), ==, n);
}

/* In the middle of a plan: each of its runs is stored, and known to be done. */
static void test_clock_in_a_plan(void)
{
	CliFixture f;
	g_autofree char *workload = NULL;
	gint64 before;
	GPid rig;

	if (!set_up_clock(&f))
		return;
	workload = fault_workload(&f, "good", "60", "CONFIG_NUMA");
	before = count_records(&f);
	set_clock(&f, 0);
	rig = cli_start(&f, "run", workload, "-k", "linux-6.12", "--repeat", "2", NULL);
	wait_for_record(&f, before + 1);
	tally_injected();
	set_clock(&f, -3 * DAY);
	check_clock(&f, -3 * DAY);
	g_assert_cmpint(cli_wait(rig), ==, 0);
	g_assert_cmpint(count_records(&f), ==, before + 2);
	cli_rig(&f, "run", "--resume", NULL);
	cli_expect(&f, 2, "no plan that was interrupted");
	set_clock_right();
	tally_expect_nothing_left(&f, "after a plan under a clock that was set back");
	tally_survived();
	cli_teardown(&f);
}

/* Under a guest that is up. */
static void test_clock_under_a_guest(void)
{
	CliFixture f;

	if (!set_up_clock(&f))
		return;
	set_clock(&f, 0);
	cli_rig(&f, "up", "2sp-icl", "-k", "linux-6.12", "--name", "clock", NULL);
	cli_expect(&f, 0, NULL);
	tally_injected();
	set_clock(&f, -365 * DAY);
	check_clock(&f, -365 * DAY);
	cli_rig(&f, "ps", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "running"));
	cli_rig(&f, "exec", "clock", "--", "true", NULL);
	cli_expect(&f, 0, NULL);
	/* What the guest boots from is in use, and is none too old either. */
	cli_rig(&f, "gc", "--older-than", "1d", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_null(strstr(f.last.out, "would go"));
	cli_rig(&f, "down", "clock", NULL);
	cli_expect(&f, 0, NULL);
	set_clock_right();
	tally_expect_nothing_left(&f, "after a guest under a clock that was set back");
	tally_survived();
	cli_teardown(&f);
}

/* Memory. */

/* Too little for the guest's memory; for QEMU; for rig. */
static void test_no_memory(void)
{
	static const struct {
		const char *limit, *text;
	} cases[] = {
		{"--as=1572864000", "Cannot allocate memory"},
		{"--as=314572800", "Cannot allocate memory"},
		{"--as=83886080", "rig cannot start"},
	};
	CliFixture f;

	cli_setup_real(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		tally_injected();
		cli_rig_under(&f, cases[i].limit, "up", "2sp-icl", "-k", "linux-6.12", "--name",
			      "poor", NULL);
		cli_expect(&f, 3, cases[i].text);
		cli_expect(&f, 3, "\nhint: ");
		tally_expect_nothing_left(&f, "after a start without memory");
		tally_survived();
	}
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host/no-memory", test_no_memory);
	g_test_add_func("/host/clock-under-a-guest", test_clock_under_a_guest);
	g_test_add_func("/host/clock-in-a-plan", test_clock_in_a_plan);
	status = g_test_run();
	tally_tell();
	return status;
}
