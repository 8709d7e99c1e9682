/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-plan.c - rig plan, run --plan, run --resume and calibrate, as far as no guest is needed:
 * what is printed, what is written, and what is refused.
 */
#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/text.h"
#include "cli-fixture.h"
#include "model/planstore.h"
#include "model/store.h"
#include "report/noise.h"

#define SIDES "--kernel", "base", "--kernel", "head", "--accel", "tcg"

/* A kernel as far as planning looks at it. */
static void add_kernel(CliFixture *f, const char *name, const char *content)
{
	g_autofree char *dir = g_build_filename(f->root, "state", "kernels", name, NULL);
	g_autofree char *file = g_build_filename("state", "kernels", name, "kernel.json", NULL);
	g_autofree char *digest = rig_text_sha256(content);
	g_autofree char *path = NULL;
	g_autofree char *text = g_strdup_printf(
		"{\"version\": 1, \"name\": \"%s\", \"release\": \"6.12.0\", \"compiler\": "
		"\"gcc-12\",\n"
		" \"source\": \"file /x\", \"format\": \"elf-pvh\", \"boot_sha256\": \"%s\",\n"
		" \"added\": 1}\n",
		name, digest);

	g_assert_true(rig_file_make_dirs(dir, 0755, NULL));
	path = cli_write(f, file, text);
}

static void setup(CliFixture *f)
{
	cli_setup(f);
	add_kernel(f, "base", "one");
	add_kernel(f, "head", "two");
}

static void expect_out(const CliFixture *f, const char *text)
{
	if (!strstr(f->last.out, text))
		g_error("\"%s\" is not in:\n%s", text, f->last.out);
}

/* The plan is the same whichever way it is asked for; nothing is left behind. */
static void test_dry_run(void)
{
	CliFixture f;
	g_autofree char *printed = NULL;
	g_autofree char *plans = NULL;

	setup(&f);
	cli_rig(&f, "plan", "numa02", SIDES, "--blocks", "3", "--seed", "1", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "seed 1, 6 runs on topology 2sp-icl");
	expect_out(&f, "Welch");
	expect_out(&f, "an estimate");
	expect_out(&f, "rig calibrate numa02");
	printed = g_strdup(f.last.out);
	cli_rig(&f, "run", "numa02", SIDES, "--repeat", "3", "--seed", "1", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpstr(f.last.out, ==, printed);
	cli_rig(&f, "plan", "numa02", SIDES, "--blocks", "6", NULL);
	expect_out(&f, "pairs of a block");
	cli_rig(&f, "plan", "numa02", SIDES, "--blocks", "6", "--method", "welch", NULL);
	expect_out(&f, "Welch");
	plans = g_build_filename(f.root, "state", "plans", NULL);
	g_assert_false(g_file_test(plans, G_FILE_TEST_EXISTS));
	cli_teardown(&f);
}

static void test_json(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	RigJson *plan, *steps;

	setup(&f);
	cli_rig(&f, "plan", "anon-w-seq", SIDES, "-b", "2", "--tasks", "1,100%", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	plan = rig_json_object(root, "plan", RIG_JSON_REQUIRED);
	steps = rig_json_array(plan, "steps", RIG_JSON_REQUIRED);
	g_assert_cmpuint(rig_json_length(steps), ==, 8);
	g_assert_cmpstr(rig_json_string(rig_json_at(steps, 2), "value", RIG_JSON_REQUIRED), ==,
			"100%");
	g_assert_cmpuint(rig_json_length(rig_json_array(root, "outlook", RIG_JSON_REQUIRED)), ==,
			 2);
	g_assert_cmpfloat(rig_json_double(root, "expected_s", RIG_JSON_REQUIRED, 0), >, 0);
	cli_teardown(&f);
}

/* What is known of the noise of anon-w-seq as SPEC's parameters have it. */
static void write_noise(CliFixture *f, const char *params)
{
	g_autofree char *state = g_build_filename(f->root, "state", NULL);
	g_autofree char *path = rig_noise_path(state, "anon-w-seq", params, "2sp-icl", 'C');
	g_autofree char *dir = g_path_get_dirname(path);
	static const char text[] =
		"{\"format\": \"rig-noise\", \"version\": 1, \"workload\": \"anon-w-seq\",\n"
		" \"topology\": \"2sp-icl\", \"class\": \"C\", \"when\": 1, \"blocks\": 6,\n"
		" \"runs\": 12, \"method\": \"paired\", \"metrics\": [\n"
		" {\"name\": \"vm-scalability.throughput\", \"scale\": \"log\", \"own\": true,\n"
		"  \"primary\": true, \"n\": 12, \"pairs\": 6, \"mean\": 1000, \"sd\": 0.02,\n"
		"  \"pair_sd\": 0.02, \"slot\": 0, \"slot_p\": 1, \"false_alarms\": 0.05,\n"
		"  \"splits\": 32}]}\n";

	g_assert_true(rig_file_make_dirs(dir, 0755, NULL));
	g_assert_true(rig_file_write(path, text, -1, 0644, NULL));
}

static void test_effect(void)
{
	CliFixture f;
	g_autoptr(RigJson) first = NULL;
	g_autoptr(RigJson) root = NULL;
	RigJson *outlook, *metric;
	g_autofree char *params = NULL;

	setup(&f);
	cli_rig(&f, "plan", "anon-w-seq", SIDES, "--json", NULL);
	first = cli_json(&f);
	outlook = rig_json_at(rig_json_array(first, "outlook", RIG_JSON_REQUIRED), 0);
	params = g_strdup(rig_json_string(outlook, "params", RIG_JSON_REQUIRED));
	write_noise(&f, params);
	cli_rig(&f, "plan", "anon-w-seq", SIDES, "-b", "5", "--effect", "2%", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	outlook = rig_json_at(rig_json_array(root, "outlook", RIG_JSON_REQUIRED), 0);
	g_assert_cmpint(rig_json_int(outlook, "noise_blocks", RIG_JSON_REQUIRED, 0, 99, 0), ==, 6);
	metric = rig_json_at(rig_json_array(outlook, "metrics", RIG_JSON_REQUIRED), 0);
	/* Five a side see 2.02 standard deviations, of 2 % each. */
	g_assert_cmpfloat_with_epsilon(rig_json_double(metric, "detectable", RIG_JSON_REQUIRED, 0),
				       4.12, 0.03);
	/* 0.99 standard deviations of the differences: 10.1 pairs by R's power.t.test. */
	g_assert_cmpint(rig_json_int(metric, "blocks_needed", RIG_JSON_REQUIRED, 0, 999, 0), ==,
			11);
	cli_rig(&f, "plan", "anon-w-seq", SIDES, "-b", "5", "--effect", "2", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "to see 2% takes 11 blocks");
	cli_teardown(&f);
}

static char *write_plan(CliFixture *f)
{
	char *path = g_build_filename(f->root, "plan.json", NULL);

	cli_rig(f, "plan", "numa02", SIDES, "--blocks", "2", "--set", "passes=1", "--output", path,
		NULL);
	cli_expect(f, 0, path);
	return path;
}

static void test_file(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(RigPlanFile) file = NULL;
	g_autofree char *from_file = NULL;

	setup(&f);
	path = write_plan(&f);
	from_file = g_strdup(f.last.out);
	file = rig_planfile_load(path, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(file->plan->n_steps, ==, 4);
	g_assert_cmpstr(file->settings[0], ==, "passes=1");
	cli_rig(&f, "run", "--plan", path, "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpstr(f.last.out, ==, from_file);
	cli_teardown(&f);
}

static void test_refused_when_things_changed(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autofree char *bad = NULL;

	setup(&f);
	path = write_plan(&f);
	add_kernel(&f, "head", "three");
	cli_rig(&f, "run", "--plan", path, "--dry-run", NULL);
	cli_expect(&f, 2, "kernel head is not what it was");
	add_kernel(&f, "head", "two");
	cli_rig(&f, "run", "--plan", path, "--dry-run", NULL);
	cli_expect(&f, 0, NULL);

	bad = cli_write(&f, "bad.json", "{\"format\": \"rig-plan\", \"version\": 1}");
	cli_rig(&f, "run", "--plan", bad, NULL);
	cli_expect(&f, 2, "bad.json");
	cli_rig(&f, "run", "--plan", "/nowhere.json", NULL);
	g_assert_cmpint(f.last.status, !=, 0);
	cli_teardown(&f);
}

static void test_fixed_n(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autofree char *looks = NULL;

	setup(&f);
	path = write_plan(&f);
	cli_rig(&f, "run", "--plan", path, "--blocks", "4", "--dry-run", NULL);
	cli_expect(&f, 2, "no looks");
	cli_rig(&f, "run", "--plan", path, "--kernel", "base", NULL);
	cli_expect(&f, 2, "--kernel cannot be given");
	cli_rig(&f, "run", "numa02", "--plan", path, NULL);
	cli_expect(&f, 2, NULL);
	looks = g_build_filename(f.root, "looks.json", NULL);
	cli_rig(&f, "plan", "numa02", SIDES, "-b", "2", "--looks", "1", "-o", looks, NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "p < 0.001");
	cli_rig(&f, "run", "--plan", looks, "--blocks", "4", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "8 runs");
	cli_teardown(&f);
}

/* As an interruption leaves it: the plan is filed, one record is there. */
static void test_resume(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autofree char *state = NULL;
	g_autofree char *results = NULL;
	g_autoptr(RigPlanFile) file = NULL;
	g_autoptr(RigRecord) record = rig_record_new();
	g_autoptr(GError) error = NULL;

	setup(&f);
	cli_rig(&f, "run", "--resume", NULL);
	cli_expect(&f, 2, "no plan that was interrupted");
	path = write_plan(&f);
	file = rig_planfile_load(path, &error);
	state = g_build_filename(f.root, "state", NULL);
	results = g_build_filename(state, "results", NULL);
	g_assert_true(rig_planstore_begin(state, file, &error));
	record->workload = g_strdup("numa02");
	record->topology = g_strdup("2sp-icl");
	record->kernel = g_strdup("base");
	record->started = file->created;
	rig_record_manifest(record, "plan.id", file->id);
	rig_record_manifest(record, "plan.step", "0");
	g_assert_true(rig_store_write(results, record, NULL, &error));
	g_assert_no_error(error);

	cli_rig(&f, "run", "--resume", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "  done\n  run 2");
	cli_rig(&f, "run", "--resume", file->id, "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	cli_rig(&f, "run", "--resume", "0123456789abcdef", NULL);
	cli_expect(&f, 2, file->id);
	cli_rig(&f, "calibrate", "--resume", file->id, NULL);
	cli_expect(&f, 2, "no A/A plan");
	add_kernel(&f, "base", "other");
	cli_rig(&f, "run", "--resume", NULL);
	cli_expect(&f, 2, "kernel base is not what it was");
	cli_teardown(&f);
}

static void test_calibrate(void)
{
	CliFixture f;

	setup(&f);
	cli_rig(&f, "calibrate", "numa02", "-k", "base", "--accel", "tcg", "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	expect_out(&f, "12 runs");
	expect_out(&f, "base:a");
	expect_out(&f, "base:b");
	cli_rig(&f, "calibrate", "numa02", "-k", "base", "-b", "1", NULL);
	cli_expect(&f, 2, "2 or more");
	cli_rig(&f, "calibrate", NULL);
	cli_expect(&f, 2, "WORKLOAD is missing");
	cli_teardown(&f);
}

/* A plan that is there is not written over by a slip. */
static void test_output_is_there(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autofree char *text = NULL;

	setup(&f);
	path = cli_write(&f, "plan.json", "mine");
	cli_rig(&f, "plan", "numa02", SIDES, "--output", path, NULL);
	cli_expect(&f, 2, "plan.json: is there already");
	g_assert_cmpstr(f.last.out, ==, "");
	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "mine");
	cli_rig(&f, "plan", "numa02", SIDES, "--output", path, "--replace", NULL);
	cli_expect(&f, 0, NULL);
	cli_rig(&f, "run", "--plan", path, "--dry-run", NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

/* Two measurements would disturb each other; the second is told how to queue. */
static void test_busy(void)
{
	CliFixture f;
	g_autofree char *path = NULL;
	g_autoptr(GError) error = NULL;
	RigLock *lock;

	setup(&f);
	path = g_build_filename(f.root, "state", "measure.lock", NULL);
	lock = rig_lock_take(path, "the test", 0, NULL, &error);
	g_assert_no_error(error);
	cli_rig(&f, "run", "numa02", SIDES, NULL);
	cli_expect(&f, 3, "another measurement is under way");
	cli_expect(&f, 3, "or give --wait");
	rig_lock_release(lock);
	cli_teardown(&f);
}

/* A program that no guest could start is refused by the host. */
static void test_bad_program(void)
{
	static const char format[] =
		"{\"version\": 1, \"name\": \"own\", \"suite\": \"own\", \"text\": \"t\","
		" \"program\": {\"file\": \"%s\"}, \"metrics\": [{\"name\": \"own.x\","
		" \"from\": \"stdout\", \"pattern\": \"([0-9]+)\", \"unit\": \"s\","
		" \"direction\": \"lower\", \"kind\": \"ratio\", \"primary\": true}]}";
	g_autofree char *dynamic = NULL;
	g_autofree char *gone = g_strdup_printf(format, "no-such-bench");
	g_autofree char *linked = NULL;
	g_autofree char *path = NULL;
	g_autofree char *other = NULL;
	CliFixture f;

	setup(&f);
	dynamic = g_canonicalize_filename(g_getenv("RIG"), NULL);
	linked = g_strdup_printf(format, dynamic);
	path = cli_write(&f, "gone.json", gone);
	other = cli_write(&f, "linked.json", linked);
	cli_rig(&f, "run", path, SIDES, NULL);
	cli_expect(&f, 2, "no-such-bench");
	cli_rig(&f, "run", other, SIDES, NULL);
	cli_expect(&f, 2, "is dynamic: it needs ");
	cli_teardown(&f);
}

static void test_bad_words(void)
{
	static const char *const bad[][3] = {
		{"--blocks", "-1", "--blocks"},
		{"--blocks", "1001", "--blocks"},
		{"--method", "best", "welch"},
		{"--effect", "0%", "--effect"},
		{"--effect", "much", "--effect"},
		{"--looks", "-1", "--looks"},
		{"--tasks", "1,,2", "empty"},
		{"--tasks", "1,1", "twice"},
		{"--sweep", "tasks", "NAME=V1"},
		{"--sweep", "no-such=1,2", "no-such"},
		{"--seed", "x", "--seed"},
		{"--blocks", "0", "--blocks: 0"},
		{"--repeat", "0", "--repeat: 0"},
		{"--cell-cpus", "0", "--cell-cpus: 0"},
		{"--set", "size=banana", "size: 'banana'"},
		{"--set", "runtime=-1", "runtime: '-1'"},
		{"--tasks", "1,0", "tasks: '0'"},
	};
	CliFixture f;

	setup(&f);
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		cli_rig(&f, "plan", "anon-w-seq", SIDES, bad[i][0], bad[i][1], NULL);
		cli_expect(&f, 2, bad[i][2]);
	}
	cli_rig(&f, "plan", "anon-w-seq", SIDES, "--blocks", "2", "--repeat", "3", NULL);
	cli_expect(&f, 2, "the same thing");
	cli_rig(&f, "run", "anon-w-seq", SIDES, "--effect", "2%", NULL);
	cli_expect(&f, 2, "--dry-run");
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plan/dry-run", test_dry_run);
	g_test_add_func("/plan/json", test_json);
	g_test_add_func("/plan/effect", test_effect);
	g_test_add_func("/plan/file", test_file);
	g_test_add_func("/plan/changed", test_refused_when_things_changed);
	g_test_add_func("/plan/fixed-n", test_fixed_n);
	g_test_add_func("/plan/resume", test_resume);
	g_test_add_func("/plan/calibrate", test_calibrate);
	g_test_add_func("/plan/bad-program", test_bad_program);
	g_test_add_func("/plan/output-is-there", test_output_is_there);
	g_test_add_func("/plan/busy", test_busy);
	g_test_add_func("/plan/bad-words", test_bad_words);
	return g_test_run();
}
