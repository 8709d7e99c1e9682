/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-workload.c - workload files: the shipped ones read, wrong ones are refused, and what becomes
 * of them. */
#include "model/workload.h"

#include "expect.h"

#define METRIC                                                                        \
	"{\"name\": \"m\", \"from\": \"metric\", \"field\": \"x\", \"unit\": \"s\", " \
	"\"direction\": \"lower\", \"kind\": \"ratio\", \"primary\": true}"

static const char whole[] =
	"{\"version\": 1, \"name\": \"w\", \"suite\": \"s\", \"text\": \"t\","
	" \"program\": {\"builtin\": \"rig-mem\", \"args\": [\"case\"]},"
	" \"parameters\": {\"runtime\": {\"default\": \"20\", \"unit\": \"s\"},"
	"                  \"tasks\": {\"default\": \"100%\"}, \"size\": {\"default\": \"\"},"
	"                  \"seed\": {\"default\": \"1\"}},"
	" \"settings\": {\"/proc/sys/kernel/numa_balancing\": \"1\"},"
	" \"needs\": {\"kernel\": [\"CONFIG_NUMA_BALANCING=y\", \"CONFIG_X=y|m\"], \"nodes\": 2},"
	" \"phases\": {\"order\": [\"copy\"], \"measured\": [\"copy\"]},"
	" \"timeout_s\": 10, \"sample_ms\": 500,"
	" \"metrics\": [" METRIC
	"], \"counters\": {\"primary\": [\"proc-vmstat.numa_hint_faults\"]}}";

static RigWorkload *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	RigWorkload *workload = rig_workload_parse("w.json", text, &error);

	g_assert_no_error(error);
	return workload;
}

static void set(RigWorkload *workload, const char *assignment)
{
	g_autoptr(GError) error = NULL;
	gboolean ok = rig_workload_set(workload, assignment, &error);

	g_assert_no_error(error);
	g_assert_true(ok);
}

static void test_read(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);

	g_assert_cmpstr(workload->name, ==, "w");
	g_assert_cmpstr(workload->builtin, ==, "rig-mem");
	g_assert_null(workload->file);
	g_assert_cmpuint(workload->parameters->len, ==, 4);
	g_assert_cmpuint(workload->needs_nodes, ==, 2);
	g_assert_cmpuint(workload->timeout_s, ==, 10);
	g_assert_cmpuint(workload->sample_ms, ==, 500);
	g_assert_cmpstr(workload->primary_counters[0], ==, "proc-vmstat.numa_hint_faults");
	g_assert_false(rig_workload_is_foreign(workload));
	g_assert_cmpint(((RigMetricDef *)g_ptr_array_index(workload->metrics, 0))->reduce, ==,
			RIG_REDUCE_VALUE);
}

static RigMetricDef *metric_of(const char *more, GError **error)
{
	g_autofree char *text =
		g_strdup_printf("{\"name\": \"m\", \"from\": \"metric\", \"field\": \"x\", "
				"\"unit\": \"s\", \"direction\": \"lower\", %s}",
				more);
	g_autoptr(RigJson) root = rig_json_parse("m", text, -1, NULL);
	RigMetricDef *def = rig_metric_def_from_json(root);

	(void)!rig_json_finish(root, error);
	return def;
}

static void expect_bad_metric(const char *more, const char *part)
{
	g_autoptr(GError) error = NULL;
	RigMetricDef *def = metric_of(more, &error);

	expect_error(&error, RIG_ERROR_USAGE, part);
	rig_metric_def_free(def);
}

/* A margin says its unit, so that points are not taken for percent; and it survives a record. */
static void test_margin(void)
{
	g_autoptr(GError) error = NULL;
	RigMetricDef *ratio = metric_of("\"kind\": \"ratio\", \"margin\": \"2.5%\"", &error);
	RigMetricDef *share = metric_of("\"kind\": \"percentage\", \"margin\": \"3 pt\", "
					"\"control\": true",
					&error);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;
	g_autoptr(RigJson) root = NULL;
	RigMetricDef *again;

	g_assert_no_error(error);
	g_assert_cmpfloat(ratio->margin, ==, 2.5);
	g_assert_false(ratio->control);
	g_assert_cmpfloat(share->margin, ==, 3);
	rig_metric_def_to_json(share, writer);
	text = rig_json_writer_text(writer, FALSE);
	root = rig_json_parse("again", text, -1, &error);
	again = rig_metric_def_from_json(root);
	g_assert_true(rig_json_finish(root, &error));
	g_assert_cmpfloat(again->margin, ==, 3);
	g_assert_true(again->control);
	rig_metric_def_free(ratio);
	rig_metric_def_free(share);
	rig_metric_def_free(again);
	expect_bad_metric("\"kind\": \"ratio\", \"margin\": \"1 pt\"", "is not like \"1%\"");
	expect_bad_metric("\"kind\": \"percentage\", \"margin\": \"1%\"", "is not like \"1 pt\"");
	expect_bad_metric("\"kind\": \"ratio\", \"margin\": \"0%\"", "above 0");
	expect_bad_metric("\"kind\": \"ratio\", \"margin\": \"-1%\"", "above 0");
	expect_bad_metric("\"kind\": \"ratio\", \"margin\": \"nan%\"", "above 0");
	expect_bad_metric("\"kind\": \"ratio\", \"primary\": true, \"control\": true", "a control");
}

static void test_shipped(void)
{
	g_autofree char *path = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "workloads", NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	guint count = 0;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(path, name, NULL);
		g_autoptr(GError) error = NULL;
		g_autoptr(RigWorkload) workload = NULL;
		g_autofree char *expected = NULL;

		if (!g_str_has_suffix(name, ".json"))
			continue;
		workload = rig_workload_load(file, &error);
		g_assert_no_error(error);
		expected = g_strdup_printf("%s.json", workload->name);
		g_assert_cmpstr(name, ==, expected);
		count++;
	}
	g_assert_cmpuint(count, >=, 1);
}

/* WHOLE with one piece replaced, and what the error says. */
static const struct {
	const char *from, *to, *says;
} wrong[] = {
	{"\"version\": 1", "\"version\": 2", "version"},
	{"\"name\": \"w\"", "\"name\": \"../w\"", "name"},
	{"\"suite\": \"s\"", "\"suit\": \"s\"", "suite"},
	{"\"text\": \"t\"", "\"text\": \"t\", \"txet\": 1", "txet"},
	{"\"builtin\": \"rig-mem\"", "\"builtin\": \"rig-mem\", \"file\": \"/x\"",
	 "one of builtin and file"},
	{"\"builtin\": \"rig-mem\",", "", "one of builtin and file"},
	{"\"builtin\": \"rig-mem\"", "\"builtin\": \"../sh\"", "program name"},
	{"\"args\": [\"case\"]", "\"parameter_style\": \"--{name}\"", "{value}"},
	{"\"runtime\":", "\"Run Time\":", "parameter name"},
	{"\"default\": \"20\"", "\"default\": 20", "must be a string"},
	{"\"default\": \"20\"", "\"default\": \"2\\n0\"", "control characters"},
	{"\"default\": \"20\", ", "", "default"},
	{"/proc/sys/kernel/numa_balancing", "/etc/passwd", "/proc/sys or /sys"},
	{"/proc/sys/kernel/numa_balancing", "/proc/sys/../../etc/passwd", "/proc/sys or /sys"},
	{"/proc/sys/kernel/numa_balancing", "/sys/..", "/proc/sys or /sys"},
	{"CONFIG_NUMA_BALANCING=y", "NUMA_BALANCING", "CONFIG_NAME=y"},
	{"\"nodes\": 2", "\"nodes\": 0", "nodes"},
	{"\"measured\": [\"copy\"]", "\"measured\": [\"access\"]", "not among the phases"},
	{"\"measured\": [\"copy\"]", "\"measured\": []", "is empty"},
	{"\"order\": [\"copy\"]", "\"order\": [\"copy\", \"end\"]", "cannot be a phase"},
	{"\"phases\": {\"order\": [\"copy\"], \"measured\": [\"copy\"]},", "", "phases"},
	{"\"timeout_s\": 10", "\"timeout_s\": 0", "timeout_s"},
	{"\"primary\": true", "\"primary\": false", "1 to 3"},
	{"\"direction\": \"lower\", ", "", "direction"},
	{"\"direction\": \"lower\"", "\"direction\": \"down\"", "direction"},
	{"\"kind\": \"ratio\", ", "", "kind"},
	{"\"unit\": \"s\", \"direction\"", "\"direction\"", "unit"},
	{"\"name\": \"m\"", "\"name\": \"a b\"", "metric name"},
	{"\"field\": \"x\", ", "", "field"},
	{"\"from\": \"metric\"", "\"from\": \"result\", \"reduce\": \"sum\"", "results.count"},
	{"\"from\": \"metric\", \"field\": \"x\"", "\"from\": \"stdout\"", "pattern"},
	{"\"from\": \"metric\", \"field\": \"x\"", "\"from\": \"stdout\", \"pattern\": \"x\"",
	 "one group"},
	{"\"from\": \"metric\", \"field\": \"x\"", "\"from\": \"stdout\", \"pattern\": \"(x\"",
	 "regular expression"},
	{"\"field\": \"x\"", "\"field\": \"x\", \"pattern\": \"(x)\"", "only a number from stdout"},
	{"[" METRIC "]", "[" METRIC ", " METRIC "]", "there twice"},
};

static void test_wrong(void)
{
	for (guint i = 0; i < G_N_ELEMENTS(wrong); i++) {
		g_autoptr(GString) text = g_string_new(whole);
		g_autoptr(GError) error = NULL;

		g_assert_cmpuint(g_string_replace(text, wrong[i].from, wrong[i].to, 1), ==, 1);
		if (rig_workload_parse("w.json", text->str, &error))
			g_error("taken: %s", wrong[i].to);
		expect_error(&error, RIG_ERROR_USAGE, wrong[i].says);
	}
}

static char *argv_text(const RigWorkload *workload, guint64 seed)
{
	g_auto(GStrv) argv = rig_workload_argv(workload, seed);

	return g_strjoinv("|", argv);
}

static void test_argv(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autofree char *before = argv_text(workload, 7);
	g_autofree char *after = NULL;

	/* An empty value is not passed; the plan's seed is. */
	g_assert_cmpstr(before, ==, "/rig/bin/rig-mem|case|--runtime=20|--tasks=100%|--seed=7");
	set(workload, "size=1G");
	set(workload, "tasks=");
	set(workload, "seed=9");
	after = argv_text(workload, 7);
	g_assert_cmpstr(after, ==, "/rig/bin/rig-mem|case|--runtime=20|--size=1G|--seed=9");
}

static void test_set_wrong(void)
{
	static const struct {
		const char *assignment, *says;
	} assignments[] = {
		{"speed=1", "there are: runtime, tasks, size, seed"},
		{"runtime", "KEY=VALUE"},
		{"=5", "KEY=VALUE"},
		{"runtime=1\n2", "control characters"},
		{"/etc/passwd=x", "no parameter '/etc/passwd'"},
		{"/proc/sys/../../etc/passwd=x", "no parameter"},
	};
	g_autoptr(RigWorkload) workload = parse(whole);

	for (guint i = 0; i < G_N_ELEMENTS(assignments); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_false(rig_workload_set(workload, assignments[i].assignment, &error));
		expect_error(&error, RIG_ERROR_USAGE, assignments[i].says);
	}
}

static void test_path_params(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autofree char *plain = rig_workload_path_params(workload);
	g_autofree char *long_value = NULL;
	g_autofree char *seeded = NULL;
	g_autofree char *thp = NULL;

	/* Sorted by name: runtime, size (empty), tasks; the seed is the plan's until it is set. */
	g_assert_cmpstr(plain, ==, "20-100%");
	set(workload, "size=a/b c!abcdefghijklmnopqrstuvwxyz");
	long_value = rig_workload_path_params(workload);
	g_assert_cmpstr(long_value, ==, "20-a_b_c_abcdefghijklmnopqrstuvwxy-100%");
	set(workload, "seed=9");
	seeded = rig_workload_path_params(workload);
	g_assert_cmpstr(seeded, ==, "20-9-a_b_c_abcdefghijklmnopqrstuvwxy-100%");
	set(workload, "/sys/kernel/mm/transparent_hugepage/enabled=never");
	thp = rig_workload_path_params(workload);
	g_assert_true(
		g_str_has_suffix(thp, "-100%-sys_kernel_mm_transparent_hugepage_enabled=never"));
}

static void test_path_params_bounded(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autofree char *a = NULL;
	g_autofree char *b = NULL;
	g_autofree char *filler = g_strnfill(400, 'x');
	g_autofree char *first = g_strdup_printf("/sys/a=%s", filler);

	set(workload, first);
	set(workload, "/sys/b=1");
	a = rig_workload_path_params(workload);
	set(workload, "/sys/b=2");
	b = rig_workload_path_params(workload);
	g_assert_cmpuint(strlen(a), <=, 255);
	g_assert_cmpstr(a, !=, b);
}

static void test_no_parameters(void)
{
	g_autoptr(GString) text = g_string_new(whole);
	g_autoptr(RigWorkload) workload = NULL;
	g_autofree char *params = NULL;

	g_string_replace(text, "\"runtime\": {\"default\": \"20\", \"unit\": \"s\"},", "", 1);
	g_string_replace(text, "\"tasks\": {\"default\": \"100%\"}, \"size\": {\"default\": \"\"},",
			 "", 1);
	g_string_replace(text, "\"seed\": {\"default\": \"1\"}", "", 1);
	workload = parse(text->str);
	params = rig_workload_path_params(workload);
	g_assert_cmpstr(params, ==, "default");
}

static void test_job(void)
{
	static const char *const readback[] = {"/proc/meminfo", NULL};
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	g_autoptr(RigJson) job = NULL;
	g_auto(GStrv) marks = NULL;

	set(workload, "/sys/kernel/mm/transparent_hugepage/enabled=never");
	text = rig_workload_job(workload, 3, 4.0, -1, readback);
	g_assert_null(strchr(text, '\n'));
	job = rig_json_parse("job", text, -1, &error);
	g_assert_no_error(error);
	g_assert_cmpint(rig_json_int(job, "timeout_ms", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0), ==,
			40000);
	g_assert_cmpint(rig_json_int(job, "sample_ms", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0), ==,
			500);
	g_assert_false(rig_json_bool(job, "follow", RIG_JSON_REQUIRED, TRUE));
	g_assert_cmpstr(rig_json_string(rig_json_object(job, "settings", RIG_JSON_REQUIRED),
					"/sys/kernel/mm/transparent_hugepage/enabled",
					RIG_JSON_REQUIRED),
			==, "never");
	marks = rig_json_strings(job, "mark_files", RIG_JSON_REQUIRED);
	g_assert_true(g_strv_contains((const char *const *)marks,
				      "/sys/devices/system/node/node*/cpulist"));
	g_assert_true(rig_json_has(job, "readback"));
}

static void test_job_sampling(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autofree char *off = rig_workload_job(workload, 3, 1.0, 0, NULL);
	g_autofree char *huge = rig_workload_job(workload, 3, 1e12, 250, NULL);
	g_autofree char *pages = NULL;

	g_assert_nonnull(strstr(off, "\"sample_ms\":0"));
	g_assert_nonnull(strstr(off, "\"task_sample_files\":[\"stat\"]"));
	workload->sample_pages = TRUE;
	pages = rig_workload_job(workload, 3, 1.0, -1, NULL);
	g_assert_nonnull(strstr(pages, "\"task_sample_files\":[\"stat\",\"numa_maps\"]"));
	g_assert_null(strstr(off, "readback"));
	g_assert_nonnull(strstr(huge, "\"sample_ms\":250"));
	g_assert_nonnull(strstr(huge, "\"timeout_ms\":2147483647"));
}

static void test_foreign(void)
{
	static const char text[] =
		"{\"version\": 1, \"name\": \"own\", \"suite\": \"own\", \"text\": \"t\","
		" \"program\": {\"file\": \"bin/bench\", \"parameter_style\": \"-{name} {value}\"},"
		" \"parameters\": {\"t\": {\"default\": \"4 5\"}},"
		" \"metrics\": [{\"name\": \"own.ops\", \"from\": \"stdout\", \"pattern\": "
		"\"ops=([0-9]+)\","
		"   \"unit\": \"1/s\", \"direction\": \"higher\", \"kind\": \"ratio\", "
		"\"primary\": true}]}";
	g_autoptr(GError) error = NULL;
	g_autoptr(RigWorkload) workload = rig_workload_parse("/home/me/own.json", text, &error);
	g_autofree char *argv = NULL;
	g_autofree char *job = NULL;

	g_assert_no_error(error);
	g_assert_cmpstr(workload->file, ==, "/home/me/bin/bench");
	g_assert_true(rig_workload_is_foreign(workload));
	argv = argv_text(workload, 1);
	g_assert_cmpstr(argv, ==, "/rig/bin/bench|-t|4 5");
	job = rig_workload_job(workload, 1, 1.0, -1, NULL);
	g_assert_nonnull(strstr(job, "\"follow\":true"));
}

/* "rig run ./own.json" */
static void test_relative_file(void)
{
	g_autoptr(GString) text = g_string_new(whole);
	g_autoptr(RigWorkload) workload = NULL;
	g_autofree char *here = g_get_current_dir();
	g_autofree char *expected = g_build_filename(here, "bench", NULL);

	g_string_replace(text, "\"builtin\": \"rig-mem\"", "\"file\": \"bench\"", 1);
	workload = parse(text->str);
	g_assert_cmpstr(workload->file, ==, expected);
	g_assert_false(rig_workload_is_foreign(workload));
}

static void test_needs(void)
{
	g_autoptr(RigWorkload) workload = parse(whole);
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_workload_check_kernel(workload, "k",
						"CONFIG_NUMA_BALANCING=y\nCONFIG_X=m\n", &error));
	g_assert_no_error(error);
	g_assert_true(rig_workload_check_kernel(workload, "k", NULL, &error));
	g_assert_false(rig_workload_check_kernel(
		workload, "k", "# CONFIG_NUMA_BALANCING is not set\nCONFIG_X=y\n", &error));
	expect_error(&error, RIG_ERROR_HOST, "kernel k: workload w needs CONFIG_NUMA_BALANCING=y");
	g_assert_false(
		rig_workload_check_kernel(workload, "k", "CONFIG_NUMA_BALANCING=m\n", &error));
	expect_error(&error, RIG_ERROR_HOST, "CONFIG_NUMA_BALANCING=y, CONFIG_X=y|m");
}

static RigWorkload *shipped(const char *name)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "workloads", name, NULL);
	g_autoptr(GError) error = NULL;
	RigWorkload *workload = rig_workload_load(path, &error);

	g_assert_no_error(error);
	return workload;
}

/* WHOLE with one piece replaced. */
static char *with(const char *from, const char *to)
{
	GString *text = g_string_new(whole);

	g_assert_cmpuint(g_string_replace(text, from, to, 1), ==, 1);
	return g_string_free(text, FALSE);
}

static void expect_set(RigWorkload *workload, const char *assignment, const char *why)
{
	g_autoptr(GError) error = NULL;
	gboolean ok = rig_workload_set(workload, assignment, &error);

	g_assert_true(ok == !why);
	if (why)
		expect_error(&error, RIG_ERROR_USAGE, why);
}

/* The shipped anon-cow-rand and numa01: what rig-mem takes, and nothing else. */
static void test_types(void)
{
	static const struct {
		const char *assignment, *why;
	} anon[] =
		{
			{"size=banana", "size: 'banana' is no size"},
			{"size=0M", "is no size"},
			{"size=50%", "is no size"},
			{"size=4M", NULL},
			{"size=", NULL},
			{"unit=50%", NULL},
			{"unit=1G", NULL},
			{"unit=0%", "unit: '0%'"},
			{"unit=101%", "unit: '101%'"},
			{"unit=%", "unit: '%'"},
			{"unit=-1%", "unit: '-1%'"},
			{"runtime=-1", "runtime: '-1' is no whole number above 0"},
			{"runtime=10%", "runtime: '10%'"},
			{"runtime=60", NULL},
			{"tasks=0", "tasks: '0' is no whole number above 0"},
			{"tasks=4x", "tasks: '4x'"},
			{"tasks=200%", NULL},
			{"seed=0", NULL},
			{"seed=-1", "seed: '-1'"},
		},
	  numa[] = {
		  {"bind=soft", "bind: 'soft' is none of none, hard, inverse"},
		  {"bind=hard", NULL},
		  {"passes=1.5", "passes: '1.5'"},
		  {"first-node=0", NULL},
	  };
	g_autoptr(RigWorkload) one = shipped("anon-cow-rand.json");
	g_autoptr(RigWorkload) two = shipped("numa01.json");

	for (guint i = 0; i < G_N_ELEMENTS(anon); i++)
		expect_set(one, anon[i].assignment, anon[i].why);
	for (guint i = 0; i < G_N_ELEMENTS(numa); i++)
		expect_set(two, numa[i].assignment, numa[i].why);
}

/* A default is held against its type, and a type has to be known. */
static void test_types_in_file(void)
{
	static const char *const bad[][2] = {
		{"\"default\": \"x\", \"type\": \"size\"", "default: 'x' is no size"},
		{"\"default\": \"0\", \"type\": \"seconds\"", "'0' is no number above 0"},
		{"\"default\": \"nan\", \"type\": \"number\"", "'nan' is no number"},
		{"\"default\": \"1\", \"type\": \"sise\"", "'sise' is none of"},
		{"\"default\": \"1\", \"type\": \"choice\"", "values"},
		{"\"default\": \"1\", \"type\": \"choice\", \"values\": []", "is empty"},
		{"\"default\": \"1\", \"type\": \"index\", \"percent\": true", "percent"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *entry = g_strdup_printf("\"runtime\": {%s", bad[i][0]);
		g_autofree char *text = with("\"runtime\": {\"default\": \"20\"", entry);
		g_autoptr(GError) error = NULL;
		g_autoptr(RigWorkload) none = rig_workload_parse("w.json", text, &error);

		g_assert_null(none);
		expect_error(&error, RIG_ERROR_USAGE, bad[i][1]);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/workload/read", test_read);
	g_test_add_func("/workload/margin", test_margin);
	g_test_add_func("/workload/shipped", test_shipped);
	g_test_add_func("/workload/types", test_types);
	g_test_add_func("/workload/types-in-file", test_types_in_file);
	g_test_add_func("/workload/wrong", test_wrong);
	g_test_add_func("/workload/argv", test_argv);
	g_test_add_func("/workload/set-wrong", test_set_wrong);
	g_test_add_func("/workload/path-params", test_path_params);
	g_test_add_func("/workload/path-params-bounded", test_path_params_bounded);
	g_test_add_func("/workload/no-parameters", test_no_parameters);
	g_test_add_func("/workload/job", test_job);
	g_test_add_func("/workload/job-sampling", test_job_sampling);
	g_test_add_func("/workload/foreign", test_foreign);
	g_test_add_func("/workload/relative-file", test_relative_file);
	g_test_add_func("/workload/needs", test_needs);
	return g_test_run();
}
