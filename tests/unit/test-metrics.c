/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-metrics.c - the set of numbers, and what is made of one run: metrics, phases, the verdict.
 */
#include "rawfix.h"

#include "model/metrics.h"

#include <math.h>

static double value_of(const RigMetrics *metrics, const char *name)
{
	double value = 0;

	if (!rig_metrics_get(metrics, name, &value))
		g_error("%s is missing", name);
	return value;
}

static gboolean has(const RigMetrics *metrics, const char *name)
{
	double value;

	return rig_metrics_get(metrics, name, &value);
}

static void test_set(void)
{
	g_autoptr(RigMetrics) metrics = rig_metrics_new();

	rig_metrics_set(metrics, "b", 2);
	rig_metrics_set(metrics, "c", 3);
	rig_metrics_set(metrics, "a", 1);
	rig_metrics_set(metrics, "b", 5);
	rig_metrics_add(metrics, "b", 0.5);
	rig_metrics_add(metrics, "d", 4);
	rig_metrics_set(metrics, "nan", NAN);
	rig_metrics_set(metrics, "infinite", INFINITY);
	g_assert_cmpuint(rig_metrics_count(metrics), ==, 4);
	g_assert_cmpstr(rig_metrics_name(metrics, 0), ==, "a");
	g_assert_cmpstr(rig_metrics_name(metrics, 3), ==, "d");
	g_assert_cmpfloat(value_of(metrics, "b"), ==, 5.5);
	g_assert_false(has(metrics, "nan"));
}

static void test_json(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigMetrics) metrics = rig_metrics_new();
	g_autoptr(RigMetrics) again = rig_metrics_new();
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;
	g_autoptr(RigJson) root = NULL;
	g_autoptr(RigJson) bad = NULL;

	rig_metrics_set(metrics, "x", 0.1);
	rig_metrics_set(metrics, "mpstat.cpu.all.sys%", 1e300);
	rig_metrics_to_json(metrics, writer, NULL);
	text = rig_json_writer_text(writer, FALSE);
	root = rig_json_parse("t", text, -1, &error);
	g_assert_no_error(error);
	g_assert_true(rig_metrics_from_json(again, root));
	g_assert_cmpfloat(value_of(again, "x"), ==, 0.1);
	g_assert_cmpfloat(value_of(again, "mpstat.cpu.all.sys%"), ==, 1e300);
	bad = rig_json_parse("t", "{\"x\": \"1\"}", -1, &error);
	g_assert_false(rig_metrics_from_json(again, bad));
}

/* A workload with two tasks. */
static RigWorkload *workload(void)
{
	static const char text[] =
		"{\"version\": 1, \"name\": \"w\", \"suite\": \"s\", \"text\": \"t\","
		" \"program\": {\"builtin\": \"rig-mem\"},"
		" \"phases\": {\"order\": [\"setup\", \"copy\", \"access\"],"
		"              \"measured\": [\"copy\", \"access\"]},"
		" \"results\": {\"count\": \"tasks\"},"
		" \"metrics\": ["
		"  {\"name\": \"w.sum\", \"from\": \"result\", \"field\": \"kbps\", \"reduce\": "
		"\"sum\","
		"   \"unit\": \"KB/s\", \"direction\": \"higher\", \"kind\": \"ratio\", "
		"\"primary\": true},"
		"  {\"name\": \"w.median\", \"from\": \"result\", \"field\": \"kbps\","
		"   \"reduce\": \"median\", \"unit\": \"KB/s\", \"direction\": \"higher\","
		"   \"kind\": \"ratio\"},"
		"  {\"name\": \"w.spread\", \"from\": \"result\", \"field\": \"kbps\","
		"   \"reduce\": \"spread\", \"unit\": \"KB/s\", \"direction\": \"lower\","
		"   \"kind\": \"ratio\"},"
		"  {\"name\": \"w.seconds\", \"from\": \"metric\", \"field\": \"seconds\","
		"   \"unit\": \"s\", \"direction\": \"lower\", \"kind\": \"ratio\"},"
		"  {\"name\": \"w.extra\", \"from\": \"metric\", \"field\": \"extra\", \"unit\": "
		"\"s\","
		"   \"direction\": \"lower\", \"kind\": \"ratio\", \"optional\": true},"
		"  {\"name\": \"w.printed\", \"from\": \"stdout\", \"pattern\": \"^speed: "
		"([0-9.]+)\","
		"   \"reduce\": \"mean\", \"unit\": \"s\", \"direction\": \"lower\", \"kind\": "
		"\"ratio\"}"
		" ]}";
	g_autoptr(GError) error = NULL;
	RigWorkload *result = rig_workload_parse("w", text, &error);

	g_assert_no_error(error);
	return result;
}

static void add_mark(RigRawRun *run, const char *kind, const char *phase, gint64 t_ns, int faults,
		     int free_pages)
{
	g_autofree char *vmstat = g_strdup_printf("nr_free_pages %d\nnuma_hint_faults %d\n"
						  "numa_hint_faults_local %d\npgfault %d\n",
						  free_pages, faults, faults / 2,
						  strcmp(phase, "access") == 0 ? 5 : 9);
	g_autofree char *stat = g_strdup_printf("cpu  %d 0 10 %d 0 0 0 0 0 0\n", faults, faults);

	rawfix_snap(run, kind, phase, t_ns);
	rawfix_file(run, "/proc/vmstat", -1, vmstat);
	rawfix_file(run, "/proc/stat", -1, stat);
}

/* How a test makes its run differ from a whole one. */
typedef struct {
	const char *events[8];
	const char *kmsg, *out, *err, *end;
	gboolean no_access, no_done;
} Case;

static const char resolved[] = "{\"resolved\": {\"tasks\": 2, \"seed\": 1.5, \"mode\": \"x\"}}";
static const char first[] = "{\"result\": {\"task\": 0, \"kbps\": 100}}";
static const char second[] = "{\"result\": {\"task\": 1, \"kbps\": 300}}";
static const char seconds[] = "{\"metric\": {\"seconds\": 12.5}}";

static RigRawRun *run_of(const Case *c)
{
	RigRawRun *run = rig_raw_run_new();

	add_mark(run, "mark", "start", 0, 0, 1000);
	add_mark(run, "mark", "setup", 1000000000, 7, 1000);
	add_mark(run, "mark", "copy", 2000000000, 10, 900);
	add_mark(run, "sample", "copy", 3000000000, 30, 600);
	if (!c->no_access)
		add_mark(run, "mark", "access", 4000000000, 50, 300);
	add_mark(run, "mark", "end", 7000000000, 150, 100);
	for (guint i = 0; c->events[i]; i++)
		rawfix_event(run, c->events[i]);
	rawfix_stream(run, "out", c->out ? c->out : "x\nspeed: 2\nspeed: 4\nnospeed: 9\n");
	if (c->err)
		rawfix_stream(run, "err", c->err);
	rawfix_stream(run, "kmsg", c->kmsg ? c->kmsg : "6,1,2,-;Linux version 6.12\n");
	if (!c->no_done)
		rawfix_done(run, c->end ? c->end : "\"code\":0");
	return run;
}

static void test_whole(void)
{
	static const Case whole = {
		{resolved, "{\"mark\": \"copy\", \"tasks\": [1, 2]}", first, second, seconds}};
	g_autoptr(RigRawRun) run = run_of(&whole);
	g_autoptr(RigWorkload) what = workload();
	g_autoptr(RigRunResult) result = rig_run_result_compute(run, what);
	const RigPhase *copy;

	g_assert_cmpstr(result->outcome_text, ==, NULL);
	g_assert_cmpint(result->outcome, ==, RIG_OUTCOME_OK);
	g_assert_cmpfloat(value_of(result->all, "w.sum"), ==, 400);
	g_assert_cmpfloat(value_of(result->all, "w.median"), ==, 300);
	g_assert_cmpfloat(value_of(result->all, "w.spread"), ==, 200);
	g_assert_cmpfloat(value_of(result->all, "w.seconds"), ==, 12.5);
	g_assert_cmpfloat(value_of(result->all, "w.printed"), ==, 3);
	g_assert_false(has(result->all, "w.extra"));
	g_assert_cmpstr(g_hash_table_lookup(result->resolved, "tasks"), ==, "2");
	g_assert_cmpstr(g_hash_table_lookup(result->resolved, "seed"), ==, "1.5");
	g_assert_cmpstr(g_hash_table_lookup(result->resolved, "mode"), ==, "x");
	g_assert_cmpuint(result->phases->len, ==, 3);
	copy = g_ptr_array_index(result->phases, 1);
	g_assert_cmpstr(copy->name, ==, "copy");
	g_assert_cmpint(copy->end_ns - copy->start_ns, ==, 2000000000);
	g_assert_cmpfloat(value_of(copy->counters, "proc-vmstat.numa_hint_faults"), ==, 40);
	/* The mean over the mark, the sample and the next mark. */
	g_assert_cmpfloat(value_of(copy->counters, "proc-vmstat.nr_free_pages"), ==, 600);
	g_assert_cmpfloat(value_of(copy->counters, "locality.hint_faults_local%"), ==, 50);
}

static void test_totals(void)
{
	static const Case whole = {{resolved, first, second, seconds}};
	g_autoptr(RigRawRun) run = run_of(&whole);
	g_autoptr(RigWorkload) what = workload();
	g_autoptr(RigRunResult) result = rig_run_result_compute(run, what);
	const GArray *samples;

	g_assert_cmpfloat(value_of(result->all, "proc-vmstat.numa_hint_faults"), ==, 140);
	g_assert_cmpfloat(value_of(result->all, "copy.proc-vmstat.numa_hint_faults"), ==, 40);
	g_assert_cmpfloat(value_of(result->all, "access.proc-vmstat.numa_hint_faults"), ==, 100);
	g_assert_false(has(result->all, "setup.proc-vmstat.numa_hint_faults"));
	g_assert_false(has(result->all, "copy.proc-vmstat.nr_free_pages"));
	/* Two seconds of a mean of 600 and three of 200. */
	g_assert_cmpfloat_with_epsilon(value_of(result->all, "proc-vmstat.nr_free_pages"), 360,
				       1e-9);
	/* 140 ticks in user and 140 idle. */
	g_assert_cmpfloat(value_of(result->all, "mpstat.cpu.all.usr%"), ==, 50);
	g_assert_false(has(result->all, "cpu-time.all.user"));
	/* pgfault went from 9 to 5: no figure, but a note. */
	g_assert_false(has(result->all, "proc-vmstat.pgfault"));
	g_assert_cmpuint(result->notes->len, ==, 1);
	g_assert_nonnull(
		strstr(g_ptr_array_index(result->notes, 0), "proc-vmstat.pgfault went backwards"));
	samples = g_hash_table_lookup(result->samples, "proc-vmstat.numa_hint_faults");
	g_assert_cmpuint(samples->len, ==, 3);
	g_assert_cmpfloat(g_array_index(samples, double, 0), ==, 20);
	g_assert_cmpfloat(g_array_index(samples, double, 2), ==, 100);
	samples = g_hash_table_lookup(result->samples, "w.sum");
	g_assert_cmpuint(samples->len, ==, 2);
}

static const struct {
	Case run;
	RigOutcome outcome;
	const char *says;
} failures[] = {
	{{{resolved, first, seconds}}, RIG_OUTCOME_PARTIAL, "1 results of 2 tasks"},
	{{{resolved, first, second, second, seconds}}, RIG_OUTCOME_PARTIAL, "3 results of 2 tasks"},
	{{{resolved, first, first, seconds}}, RIG_OUTCOME_PARTIAL, "two results of task 0"},
	{{{first, second, seconds}}, RIG_OUTCOME_PARTIAL, "never said its tasks"},
	{{{resolved, first, second}}, RIG_OUTCOME_PARTIAL, "w.seconds has no value"},
	{{{resolved, first, second, seconds}, .out = "speed: fast\n"},
	 RIG_OUTCOME_PARTIAL,
	 "w.printed has no value: its pattern matches nothing in raw/stdout"},
	{{{resolved, first, second, seconds}, .no_access = TRUE},
	 RIG_OUTCOME_PARTIAL,
	 "phase access is missing"},
	{{{resolved, first, second, seconds, "{\"result\": {\"kbps\": \"many\"}}"}},
	 RIG_OUTCOME_PARTIAL,
	 "must be a number"},
	{{{resolved, first, second, seconds, "{\"result\": {\"kbps\": NaN}}"}},
	 RIG_OUTCOME_PARTIAL,
	 "control line"},
	{{{resolved, first, second, seconds, "{\"resulk\": {}}"}}, RIG_OUTCOME_PARTIAL, "resulk"},
	{{{resolved, first, second, seconds, "half a li"}}, RIG_OUTCOME_PARTIAL, "control line"},
	{{{resolved, first, second, seconds, "[1]"}}, RIG_OUTCOME_PARTIAL, "control line"},
	{{{resolved, first, second, seconds}, .end = "\"code\":3"},
	 RIG_OUTCOME_WORKLOAD,
	 "exited with 3"},
	{{{resolved, first, second, seconds},
	  .err = "usage: b\nb: -t must be 1 to 64\n\n",
	  .end = "\"code\":2"},
	 RIG_OUTCOME_WORKLOAD,
	 "exited with 2: b: -t must be 1 to 64"},
	{{{resolved, first, second, seconds},
	  .err = "b: 4 regions are too many\nhint: b --help\n",
	  .end = "\"code\":2"},
	 RIG_OUTCOME_WORKLOAD,
	 "exited with 2: b: 4 regions are too many"},
	{{{resolved, first, second, seconds}, .err = "\033[2Jx\r\n", .end = "\"signal\":11"},
	 RIG_OUTCOME_WORKLOAD,
	 "signal 11: \\x1b[2Jx"},
	{{{resolved, first, second, seconds}, .end = "\"signal\":7"},
	 RIG_OUTCOME_WORKLOAD,
	 "signal 7"},
	{{{resolved, first, seconds, "{\"fail\": \"child 1 was killed by signal 7\"}"},
	  .end = "\"code\":1"},
	 RIG_OUTCOME_WORKLOAD,
	 "child 1 was killed"},
	/* A program that fails and exits 0 all the same. */
	{{{resolved, first, second, seconds, "{\"fail\": \"no memory\\n\\u001b[2J\"}"}},
	 RIG_OUTCOME_WORKLOAD,
	 "no memory"},
	{{{resolved}, .end = "\"timeout\":true"}, RIG_OUTCOME_TIMEOUT, "out of its time"},
	{{{resolved, first, second, seconds}, .no_done = TRUE}, RIG_OUTCOME_LOST, "never came"},
	{{{resolved, first, second, seconds},
	  .kmsg = "4,1,2,-;Out of memory: Killed process 9 (x)\n",
	  .end = "\"signal\":9"},
	 RIG_OUTCOME_OOM,
	 "Killed process 9"},
	{{{resolved, first, second, seconds}, .kmsg = "4,1,2,-;WARNING: CPU: 1 PID: 1 at x\n"},
	 RIG_OUTCOME_WARNING,
	 "WARNING: CPU: 1"},
	{{{resolved, first, second, seconds}, .kmsg = "4,1,2,-;Oops: 0002 [#1] SMP\n"},
	 RIG_OUTCOME_OOPS,
	 "Oops"},
};

static void test_not_whole(void)
{
	g_autoptr(RigWorkload) what = workload();

	for (guint i = 0; i < G_N_ELEMENTS(failures); i++) {
		g_autoptr(RigRawRun) run = run_of(&failures[i].run);
		g_autoptr(RigRunResult) result = rig_run_result_compute(run, what);

		if (result->outcome != failures[i].outcome ||
		    !strstr(result->outcome_text, failures[i].says))
			g_error("%u (%s): %s: %s", i, failures[i].says,
				rig_outcome_name(result->outcome), result->outcome_text);
		g_assert_null(strpbrk(result->outcome_text, "\033\n"));
	}
}

/* A run of which nothing came. */
static void test_empty(void)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigWorkload) what = workload();
	g_autoptr(RigRunResult) result = rig_run_result_compute(run, what);

	g_assert_cmpint(result->outcome, ==, RIG_OUTCOME_LOST);
	g_assert_cmpuint(result->phases->len, ==, 0);
	g_assert_cmpuint(rig_metrics_count(result->all), ==, 0);
}

/* A program that knows nothing of rig: one phase from start to end. */
static void test_foreign(void)
{
	static const char text[] =
		"{\"version\": 1, \"name\": \"f\", \"suite\": \"own\", \"text\": \"t\","
		" \"program\": {\"file\": \"/opt/bench\"},"
		" \"metrics\": [{\"name\": \"f.ops\", \"from\": \"stdout\", \"pattern\": "
		"\"ops=([0-9]+)\","
		"   \"unit\": \"1/s\", \"direction\": \"higher\", \"kind\": \"ratio\", "
		"\"primary\": true}]}";
	g_autoptr(GError) error = NULL;
	g_autoptr(RigWorkload) what = rig_workload_parse("f", text, &error);
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigRunResult) result = NULL;

	g_assert_no_error(error);
	add_mark(run, "mark", "start", 0, 10, 1);
	add_mark(run, "mark", "end", 5, 40, 1);
	rawfix_stream(run, "out", "ops=5 then ops=77\n");
	rawfix_done(run, "\"code\":0");
	result = rig_run_result_compute(run, what);
	g_assert_cmpstr(result->outcome_text, ==, NULL);
	g_assert_cmpfloat(value_of(result->all, "f.ops"), ==, 77);
	g_assert_cmpfloat(value_of(result->all, "run.proc-vmstat.numa_hint_faults"), ==, 30);
}

/* The example of docs/workload.md does what is said there. */
static void test_documented(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "docs/workload.md", NULL);
	g_autofree char *page = NULL;
	g_autofree char *example = NULL;
	g_autofree char *output = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(RigWorkload) what = NULL;
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(RigRunResult) result = NULL;
	const char *begin, *end;

	g_assert_true(g_file_get_contents(path, &page, NULL, NULL));
	begin = strstr(page, "```json\n") + strlen("```json\n");
	end = strstr(begin, "```");
	example = g_strndup(begin, (gsize)(end - begin));
	what = rig_workload_parse("docs/my-bench.json", example, &error);
	g_assert_no_error(error);
	begin = strstr(end, "    thread  0:");
	end = strstr(begin, "\n\n");
	output = g_strndup(begin, (gsize)(end - begin));
	/* The page's indent is not the program's. */
	g_strchomp(output);
	add_mark(run, "mark", "start", 0, 10, 1);
	add_mark(run, "mark", "end", 5, 40, 1);
	for (const char *at = output; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) {
		g_autofree char *line = g_strndup(at + 4, strcspn(at + 4, "\n") + 1);

		rawfix_stream(run, "out", line);
	}
	rawfix_done(run, "\"code\":0");
	result = rig_run_result_compute(run, what);
	g_assert_cmpstr(result->outcome_text, ==, NULL);
	g_assert_cmpfloat(value_of(result->all, "my-bench.ops"), ==, 81234.5);
	g_assert_cmpfloat(value_of(result->all, "my-bench.latency"), ==, 14);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/metrics/set", test_set);
	g_test_add_func("/metrics/json", test_json);
	g_test_add_func("/result/whole", test_whole);
	g_test_add_func("/result/totals", test_totals);
	g_test_add_func("/result/not-whole", test_not_whole);
	g_test_add_func("/result/empty", test_empty);
	g_test_add_func("/result/foreign", test_foreign);
	g_test_add_func("/result/documented", test_documented);
	return g_test_run();
}
