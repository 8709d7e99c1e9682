/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-engine.c - the engine against fake guests that work, panic, hang, lie, babble or never boot.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "model/planstore.h"
#include "run/engine.h"

typedef enum { GOOD, NO_BOOT, PANIC, HANG, SILENT, SHORT, BABBLE, HOST, INTERRUPT } Behaviour;

typedef struct {
	const Behaviour *script; /* one for each run, in order */
	guint ups, downs, runs;
	GCancellable *cancellable;
	GPtrArray *jobs;
	char *console, *dump;
} Fake;

static const char workload_text[] =
	"{\"version\": 1, \"name\": \"fake\", \"suite\": \"test\", \"text\": \"a fake\","
	" \"program\": {\"builtin\": \"rig-mem\", \"args\": [\"x\"]},"
	" \"parameters\": {\"seed\": {\"default\": \"\", \"text\": \"seed\"}},"
	" \"phases\": {\"order\": [\"access\"], \"measured\": [\"access\"]},"
	" \"timeout_s\": 10, \"sample_ms\": 0, \"results\": {\"count\": \"tasks\"},"
	" \"metrics\": [{\"name\": \"test.throughput\", \"from\": \"result\", \"field\": \"kbps\","
	"   \"reduce\": \"sum\", \"unit\": \"KB/s\", \"direction\": \"higher\", \"kind\": "
	"\"ratio\","
	"   \"primary\": true, \"text\": \"t\"}]}";

static gpointer fake_up(gpointer data, const RigOpsRequest *request, GError **error)
{
	Fake *fake = data;
	Behaviour now = fake->script[fake->runs];

	fake->runs++;
	g_ptr_array_add(fake->jobs, g_strdup(request->job));
	if (now == NO_BOOT)
		rig_error_set(error, RIG_ERROR_BOOT, "the agent did not answer within 20 s");
	else if (now == HOST)
		rig_error_set(error, RIG_ERROR_HOST, "node 1 has 100M free");
	else
		fake->ups++;
	return now == NO_BOOT || now == HOST ? NULL : fake;
}

static void feed(RigRawRun *run, const char *line)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) message = rig_json_parse("fake", line, -1, &error);

	g_assert_no_error(error);
	g_assert_true(rig_raw_run_feed(run, message, &error));
	g_assert_no_error(error);
}

static void feed_event(RigRawRun *run, const char *control)
{
	g_autofree char *base64 = g_base64_encode((const guchar *)control, strlen(control));
	g_autofree char *line =
		g_strdup_printf("{\"type\":\"event\",\"id\":1,\"t_ns\":5,\"data\":\"%s\"}", base64);

	feed(run, line);
}

static RigRawRun *whole_run(guint results)
{
	RigRawRun *run = rig_raw_run_new();
	static const char *const snaps[] = {"start", "access", "end"};

	for (guint i = 0; i < G_N_ELEMENTS(snaps); i++) {
		g_autofree char *line =
			g_strdup_printf("{\"type\":\"snap\",\"id\":1,\"snap\":%u,\"kind\":\"mark\","
					"\"phase\":\"%s\",\"t_ns\":%u}",
					i, snaps[i], 1000 * (i + 1));
		feed(run, line);
	}
	feed_event(run, "{\"resolved\": {\"tasks\": 2}}");
	for (guint i = 0; i < results; i++) {
		g_autofree char *control =
			g_strdup_printf("{\"result\": {\"task\": %u, \"kbps\": 100.5}}", i);
		feed_event(run, control);
	}
	{
		g_autofree char *done = g_strdup_printf(
			"{\"type\":\"done\",\"id\":1,\"code\":0,\"start_ns\":1000,\"end_ns\":3000,"
			"\"snaps\":3,\"events\":%u,\"agent_cpu_ns\":10,\"full\":false}",
			results + 1);
		feed(run, done);
	}
	return run;
}

static RigRawRun *fake_run(gpointer data, gpointer handle, const RigOpsRequest *request,
			   RigPhaseFn phase, gpointer phase_data, GError **error)
{
	Fake *fake = data;

	phase("access", phase_data);
	switch (fake->script[fake->runs - 1]) {
	case PANIC:
		rig_error_set(error, RIG_ERROR_PANIC, "Kernel panic - not syncing: \x1b[2Jboo");
		return NULL;
	case HANG:
		rig_error_set(error, RIG_ERROR_HANG, "no heartbeat for 30 s");
		return NULL;
	case BABBLE:
		rig_error_set(error, RIG_ERROR_LOST, "a line of more than 65536 bytes");
		return NULL;
	case INTERRUPT:
		g_cancellable_cancel(fake->cancellable);
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
		return NULL;
	case SHORT:
		return whole_run(1);
	case SILENT:
		return rig_raw_run_new(); /* done never came */
	default:
		return whole_run(2);
	}
}

static GHashTable *fake_manifest(gpointer data, gpointer handle)
{
	GHashTable *facts = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);

	g_hash_table_insert(facts, g_strdup("accel"), g_strdup("tcg"));
	return facts;
}

static char *fake_console(gpointer data, gpointer handle)
{
	return g_strdup(((Fake *)data)->console);
}

static char *fake_failed_console(gpointer data, const RigOpsRequest *request)
{
	return g_strdup(((Fake *)data)->console);
}

static char *fake_dump(gpointer data, gpointer handle, const RigOpsRequest *request)
{
	return g_strdup(((Fake *)data)->dump);
}

static char *fake_xml(gpointer data, gpointer handle)
{
	return g_strdup("<domain/>");
}

static char fake_class(gpointer data, gpointer handle)
{
	return 'B';
}

static void fake_down(gpointer data, gpointer handle)
{
	((Fake *)data)->downs++;
}

static const RigGuestOps fake_ops = {
	.up = fake_up,
	.run = fake_run,
	.manifest = fake_manifest,
	.console = fake_console,
	.domain_xml = fake_xml,
	.failed_console = fake_failed_console,
	.dump = fake_dump,
	.class = fake_class,
	.down = fake_down,
};

static void describe(RigRecord *record, const RigPlanStep *step, gpointer data)
{
	record->kernel = g_strdup(step->side ? "head" : "base");
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("config-1");
	record->compiler = g_strdup("gcc-12");
}

typedef struct {
	Fake fake;
	char *store;
	RigWorkload *workload;
	RigPlan *plan;
	RigEngine engine;
} Fixture;

static const char *const sides[] = {"base", "head"};

static void setup(Fixture *f, const Behaviour *script, guint blocks)
{
	g_autoptr(GError) error = NULL;

	memset(f, 0, sizeof(*f));
	f->store = g_dir_make_tmp("rig-engine-XXXXXX", &error);
	f->workload = rig_workload_parse("fake", workload_text, &error);
	g_assert_no_error(error);
	f->plan = rig_plan_make(2, blocks, 7);
	f->fake.script = script;
	f->fake.cancellable = g_cancellable_new();
	f->fake.jobs = g_ptr_array_new_with_free_func(g_free);
	f->fake.console = g_build_filename(f->store, "console", NULL);
	g_assert_true(g_file_set_contents(f->fake.console, "Linux version 6.12\n", -1, NULL));
	f->engine = (RigEngine){
		.plan = f->plan,
		.workload = f->workload,
		.sides = sides,
		.seed = 100,
		.time_scale = 1,
		.sample_ms = -1,
		.store = f->store,
		.ops = &fake_ops,
		.ops_data = &f->fake,
		.describe = describe,
		.cancellable = f->fake.cancellable,
	};
}

static void teardown(Fixture *f)
{
	g_assert_true(rig_file_remove_tree(f->store, NULL));
	g_free(f->store);
	g_free(f->fake.console);
	rig_workload_free(f->workload);
	rig_plan_free(f->plan);
	g_object_unref(f->fake.cancellable);
	g_ptr_array_unref(f->fake.jobs);
	g_assert_cmpuint(f->fake.ups, ==, f->fake.downs); /* nothing stays up, whatever happened */
}

static guint stored(const Fixture *f)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) entries = rig_store_list(f->store, NULL, &error);

	g_assert_no_error(error);
	return entries->len;
}

/* The means above a record are there, whether or not the plan could be finished. */
static void expect_means(const RigRecord *record)
{
	g_autofree char *parent = g_path_get_dirname(record->dir);
	g_autofree char *means = g_build_filename(parent, "avg.json", NULL);

	g_assert_true(g_file_test(means, G_FILE_TEST_IS_REGULAR));
}

/* It is in the record and nowhere else, whether the guest came up or not. */
static void test_dump(void)
{
	static const Behaviour scripts[][2] = {{PANIC, PANIC}, {NO_BOOT, GOOD}};

	for (gsize i = 0; i < G_N_ELEMENTS(scripts); i++) {
		Fixture f;
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) records = NULL;
		g_autofree char *kept = NULL, *text = NULL;

		setup(&f, scripts[i], 1);
		f.fake.dump = g_build_filename(f.store, "dump", NULL);
		g_assert_true(g_file_set_contents(f.fake.dump, "KDUMP   ", -1, NULL));
		records = rig_engine_run(&f.engine, &error);
		g_assert_no_error(error);
		kept = g_build_filename(((RigRecord *)records->pdata[0])->dir, RIG_STORE_DUMP,
					NULL);
		g_assert_true(g_file_get_contents(kept, &text, NULL, NULL));
		g_assert_cmpstr(text, ==, "KDUMP   ");
		g_assert_false(g_file_test(f.fake.dump, G_FILE_TEST_EXISTS));
		g_free(f.fake.dump);
		teardown(&f);
	}
}

static void test_good(void)
{
	static const Behaviour script[] = {GOOD, GOOD, GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	double value;

	setup(&f, script, 2);
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(records->len, ==, 4);
	g_assert_cmpint(rig_engine_exit_code(records), ==, 0);
	for (guint i = 0; i < 4; i++) {
		const RigRecord *record = records->pdata[i];
		g_assert_cmpint(record->outcome, ==, RIG_OUTCOME_OK);
		g_assert_cmpstr(record->side, ==, sides[f.plan->steps[i].side]);
		g_assert_true(rig_metrics_get(record->metrics, "test.throughput", &value));
		g_assert_cmpfloat(value, ==, 201.0);
		g_assert_cmpint(record->class, ==, 'B');
		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "accel"), ==, "tcg");
		expect_means(record);
	}
	g_assert_cmpuint(stored(&f), ==, 4);
	/* Sides of one block share their seed, blocks do not. */
	g_assert_cmpstr(f.fake.jobs->pdata[0], ==, f.fake.jobs->pdata[1]);
	g_assert_cmpstr(f.fake.jobs->pdata[0], !=, f.fake.jobs->pdata[2]);
	teardown(&f);
}

static void test_failures_are_recorded(void)
{
	static const Behaviour script[] = {PANIC, HANG, SHORT, SILENT, BABBLE, GOOD};
	static const RigOutcome expected[] = {RIG_OUTCOME_PANIC,   RIG_OUTCOME_HANG,
					      RIG_OUTCOME_PARTIAL, RIG_OUTCOME_LOST,
					      RIG_OUTCOME_LOST,	   RIG_OUTCOME_OK};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	const RigRecord *panicked;

	setup(&f, script, 3);
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(records->len, ==, 6);
	for (guint i = 0; i < 6; i++)
		g_assert_cmpint(((RigRecord *)records->pdata[i])->outcome, ==, expected[i]);
	g_assert_cmpint(rig_engine_exit_code(records), ==, RIG_ERROR_PANIC);
	panicked = records->pdata[0];
	g_assert_nonnull(strstr(panicked->outcome_text, "boo"));
	g_assert_null(strchr(panicked->outcome_text, '\x1b'));
	g_assert_cmpuint(stored(&f), ==, 6);
	teardown(&f);
}

static void test_one_boot_failure_goes_on(void)
{
	static const Behaviour script[] = {NO_BOOT, GOOD, GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	g_autofree char *console = NULL;

	setup(&f, script, 2);
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(records->len, ==, 4);
	g_assert_cmpint(((RigRecord *)records->pdata[0])->outcome, ==, RIG_OUTCOME_BOOT);
	console = g_build_filename(((RigRecord *)records->pdata[0])->dir, "console.log", NULL);
	g_assert_true(g_file_test(console, G_FILE_TEST_EXISTS));
	teardown(&f);
}

static void test_side_that_never_boots_ends_plan(void)
{
	static const Behaviour script[] = {NO_BOOT, NO_BOOT, NO_BOOT, NO_BOOT, NO_BOOT, NO_BOOT};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;

	setup(&f, script, 3);
	records = rig_engine_run(&f.engine, &error);
	g_assert_error(error, RIG_ERROR, RIG_ERROR_BOOT);
	g_assert_nonnull(strstr(error->message, "did not boot 2 times in a row"));
	g_assert_cmpuint(records->len, <, 6);
	g_assert_cmpuint(stored(&f), ==, records->len);
	teardown(&f);
}

static void test_host_error_is_no_run(void)
{
	static const Behaviour script[] = {GOOD, HOST};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;

	setup(&f, script, 1);
	records = rig_engine_run(&f.engine, &error);
	g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
	g_assert_cmpuint(records->len, ==, 1);
	g_assert_cmpuint(stored(&f), ==, 1);
	teardown(&f);
}

static void test_interrupt_keeps_finished_runs(void)
{
	static const Behaviour script[] = {GOOD, INTERRUPT, GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;

	setup(&f, script, 2);
	records = rig_engine_run(&f.engine, &error);
	g_assert_error(error, RIG_ERROR, RIG_ERROR_INTERRUPTED);
	g_assert_cmpuint(f.fake.runs, ==, 2);
	g_assert_cmpuint(records->len, ==, 1);
	g_assert_cmpuint(stored(&f), ==, 1);
	expect_means(records->pdata[0]);
	teardown(&f);
}

/* A plan of two kernels that is interrupted after one run, and carried on by what the store holds.
 */
static void test_resume(void)
{
	static const Behaviour script[] = {GOOD, INTERRUPT, PANIC, GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) first = NULL;
	g_autoptr(GPtrArray) rest = NULL;
	g_autoptr(RigPlanFile) file = rig_planfile_new();
	g_autoptr(GPtrArray) all = NULL;
	g_autofree gboolean *done = NULL;
	guint n;

	setup(&f, script, 2);
	file->plan = rig_plan_make(2, 2, 7);
	file->workload.name = g_strdup("fake");
	f.engine.file = file;
	first = rig_engine_run(&f.engine, &error);
	g_assert_error(error, RIG_ERROR, RIG_ERROR_INTERRUPTED);
	g_clear_error(&error);
	g_assert_cmpuint(stored(&f), ==, 1);

	done = rig_planstore_done(f.store, file, &n, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(n, ==, 1);
	f.engine.done = done;
	g_cancellable_reset(f.fake.cancellable);
	rest = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(rest->len, ==, 3);
	g_assert_cmpuint(f.fake.runs, ==, 5); /* the interrupted one was tried again */
	g_assert_cmpuint(stored(&f), ==, 4);

	/* Nothing is left: the one that panicked is done, too. */
	g_free(done);
	done = rig_planstore_done(f.store, file, &n, &error);
	g_assert_cmpuint(n, ==, 4);
	f.engine.done = done;
	g_ptr_array_unref(rest);
	rest = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(rest->len, ==, 0);
	g_assert_cmpuint(f.fake.runs, ==, 5);

	all = rig_planstore_records(f.store, file, &error);
	for (guint i = 0; i < 4; i++) {
		const RigRecord *record = all->pdata[i];
		g_autofree char *step = g_strdup_printf("%u", i);

		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "plan.id"), ==, file->id);
		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "plan.step"), ==, step);
		g_assert_cmpstr(record->side, ==, sides[file->plan->steps[i].side]);
		g_assert_null(g_hash_table_lookup(record->manifest, "aa"));
		g_assert_null(g_hash_table_lookup(record->manifest, "plan.looks"));
	}
	teardown(&f);
}

static void test_sweep_and_aa(void)
{
	static const Behaviour script[] = {GOOD, GOOD, GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	g_autoptr(RigPlanFile) file = rig_planfile_new();
	const RigWorkload *values[2];

	setup(&f, script, 1);
	file->plan = rig_plan_make_sweep(2, 1, 2, 7);
	file->sweep = g_strdup("seed");
	file->values = g_strsplit("5,6", ",", -1);
	file->aa = TRUE;
	file->looks = 3;
	for (guint i = 0; i < 2; i++) {
		RigWorkload *workload = rig_workload_parse("fake", workload_text, &error);

		g_assert_true(rig_workload_set(workload, i ? "seed=6" : "seed=5", &error));
		values[i] = workload;
	}
	f.engine.plan = file->plan;
	f.engine.file = file;
	f.engine.by_value = values;
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(records->len, ==, 4);
	for (guint i = 0; i < 4; i++) {
		const RigRecord *record = records->pdata[i];

		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "plan.sweep"), ==, "seed");
		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "plan.value"), ==,
				i < 2 ? "5" : "6");
		g_assert_cmpstr(record->params, ==, i < 2 ? "5" : "6");
		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "aa"), ==, "yes");
		g_assert_cmpstr(g_hash_table_lookup(record->manifest, "plan.looks"), ==, "3");
	}
	for (guint i = 0; i < 2; i++)
		rig_workload_free((RigWorkload *)values[i]);
	teardown(&f);
}

static void test_warning_on_console_spoils_run(void)
{
	static const Behaviour script[] = {GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;

	setup(&f, script, 1);
	g_assert_true(g_file_set_contents(
		f.fake.console,
		"[ 1.0] WARNING: CPU: 0 PID: 1 at mm/mprotect.c:80 change_pte_range+0x1/0x2\n", -1,
		NULL));
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	g_assert_cmpint(((RigRecord *)records->pdata[0])->outcome, ==, RIG_OUTCOME_WARNING);
	g_assert_cmpint(rig_engine_exit_code(records), !=, 0);
	teardown(&f);
}

/* A run that ends as END while the console says LINE: the outcome and what is said of it. */
static void expect_with_console(Behaviour end, const char *line, RigOutcome outcome,
				const char *text)
{
	const Behaviour script[] = {end, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	const RigRecord *record;

	setup(&f, script, 1);
	g_assert_true(g_file_set_contents(f.fake.console, line, -1, NULL));
	records = rig_engine_run(&f.engine, &error);
	g_assert_no_error(error);
	record = records->pdata[0];
	g_assert_cmpint(record->outcome, ==, outcome);
	g_assert_cmpstr(record->outcome_text, ==, text);
	teardown(&f);
}

/* The kernel's fault is why the run failed, or at least stands beside it. */
static void test_console_explains_failure(void)
{
	expect_with_console(HANG, "[ 1.0] Oops: 0002 [#1] SMP\n", RIG_OUTCOME_OOPS,
			    "kernel: Oops: 0002 [#1] SMP; no heartbeat for 30 s");
	expect_with_console(SHORT, "[ 1.0] watchdog: BUG: soft lockup - CPU#1 stuck for 5s!\r\n",
			    RIG_OUTCOME_PARTIAL,
			    "1 results of 2 tasks; kernel: watchdog: BUG: soft lockup - CPU#1 "
			    "stuck for 5s!");
	expect_with_console(PANIC, "[ 1.0] Oops: 0002 [#1] SMP\n", RIG_OUTCOME_PANIC,
			    "Kernel panic - not syncing: \\x1b[2Jboo; kernel: Oops: 0002 [#1] SMP");
	expect_with_console(HANG, "[ 1.0] nothing of note\n", RIG_OUTCOME_HANG,
			    "no heartbeat for 30 s");
}

static void test_store_that_fails_ends_plan(void)
{
	static const Behaviour script[] = {GOOD, GOOD};
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) records = NULL;
	g_autofree char *blocker = NULL;

	setup(&f, script, 1);
	/* A file where the workload's folder would be: also root cannot write below it. */
	blocker = g_build_filename(f.store, "fake", NULL);
	g_assert_true(g_file_set_contents(blocker, "", -1, NULL));
	records = rig_engine_run(&f.engine, &error);
	g_assert_nonnull(error);
	g_assert_cmpuint(records->len, ==, 0);
	g_assert_cmpuint(f.fake.runs, ==, 1);
	teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/engine/good", test_good);
	g_test_add_func("/engine/dump", test_dump);
	g_test_add_func("/engine/failures-are-recorded", test_failures_are_recorded);
	g_test_add_func("/engine/one-boot-failure-goes-on", test_one_boot_failure_goes_on);
	g_test_add_func("/engine/never-boots", test_side_that_never_boots_ends_plan);
	g_test_add_func("/engine/host-error", test_host_error_is_no_run);
	g_test_add_func("/engine/interrupt", test_interrupt_keeps_finished_runs);
	g_test_add_func("/engine/resume", test_resume);
	g_test_add_func("/engine/sweep-and-aa", test_sweep_and_aa);
	g_test_add_func("/engine/warning-on-console", test_warning_on_console_spoils_run);
	g_test_add_func("/engine/console-explains-failure", test_console_explains_failure);
	g_test_add_func("/engine/store-fails", test_store_that_fails_ends_plan);
	return g_test_run();
}
