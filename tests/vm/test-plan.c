/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-plan.c - a plan that is interrupted between two real guests, and carried on.
 */
#include <signal.h>
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"

/* Records in the store, by the lines of its index. */
static guint count_records(const CliFixture *f)
{
	g_autofree char *path = g_build_filename(f->root, "state", "results", "index.jsonl", NULL);
	g_autofree char *text = rig_file_read(path, 64 << 20, NULL, NULL);
	guint n = 0;

	for (const char *c = text; c && *c; c++)
		n += *c == '\n';
	return n;
}

static void wait_for_records(const CliFixture *f, guint wanted)
{
	for (int i = 0; i < 6000 && count_records(f) < wanted; i++)
		g_usleep(50000);
	g_assert_cmpuint(count_records(f), >=, wanted);
}

static void test_resume(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	g_autofree char *path = NULL;
	RigJson *plan, *runs, *steps;
	guint before;
	GPid rig;

	cli_setup_real(&f);
	path = g_build_filename(f.root, "resume-plan.json", NULL);
	cli_rig(&f, "plan", "anon-w-seq", "-k", "linux-6.1", "-k", "linux-6.12", "--set",
		"runtime=1", "--output", path, NULL);
	cli_expect(&f, 0, NULL);
	before = count_records(&f);
	rig = cli_start(&f, "run", "--plan", path, NULL);
	wait_for_records(&f, before + 1);
	g_assert_cmpint(kill(rig, SIGINT), ==, 0);
	g_assert_cmpint(cli_wait(rig), ==, 130);
	g_assert_cmpuint(count_records(&f), ==, before + 1);

	cli_rig(&f, "run", "--resume", "--json", NULL);
	cli_expect(&f, 0, "1 of 2 runs are done");
	root = cli_json(&f);
	runs = rig_json_array(root, "runs", RIG_JSON_REQUIRED);
	g_assert_cmpuint(rig_json_length(runs), ==, 1);
	plan = rig_json_object(root, "plan", RIG_JSON_REQUIRED);
	steps = rig_json_array(plan, "steps", RIG_JSON_REQUIRED);
	g_assert_cmpstr(rig_json_string(rig_json_at(runs, 0), "side", RIG_JSON_REQUIRED), ==,
			rig_json_string(rig_json_at(steps, 1), "side", RIG_JSON_REQUIRED));
	g_assert_cmpuint(count_records(&f), ==, before + 2);

	cli_rig(&f, "run", "--plan", path, NULL);
	cli_expect(&f, 0, "2 of 2 runs are done");
	g_assert_cmpuint(count_records(&f), ==, before + 2);
	cli_rig(&f, "run", "--plan", path, "--blocks", "2", NULL);
	cli_expect(&f, 2, "no looks");
	cli_rig(&f, "compare", "linux-6.1", "linux-6.12", "--workload", "anon-w-seq", NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/resume", test_resume);
	return g_test_run();
}
