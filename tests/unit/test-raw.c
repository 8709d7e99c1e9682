/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-raw.c - the messages of a run: taken in order, bounded, written and read back. */
#include "rawfix.h"

#include "proto.h"

static RigRawRun *small_run(void)
{
	RigRawRun *run = rig_raw_run_new();

	rawfix_feed(run, "{\"type\":\"phase\",\"id\":5,\"phase\":\"copy\"}");
	rawfix_snap(run, "mark", "start", 100);
	rawfix_file(run, "/proc/vmstat", -1, "pgfault 1\n");
	rawfix_snap(run, "mark", "copy", 200);
	rawfix_file(run, "/proc/vmstat", -1, "pgfault 2\n");
	rawfix_file(run, "numa_maps", 117, "00400000 default\n");
	rawfix_file(run, "/proc/../../etc/passwd", -1, "x");
	rawfix_file(run, "/proc/a b", -1, "first");
	rawfix_file(run, "/proc/a/b", -1, "second");
	rawfix_snap(run, "sample", "copy", 300);
	rawfix_snap(run, "mark", "end", 400);
	rawfix_event(run, "{\"mark\": \"copy\"}\n");
	rawfix_stream(run, "out", "hello ");
	rawfix_stream(run, "out", "world\n");
	rawfix_stream(run, "err", "oh\n");
	rawfix_stream(run, "kmsg", "6,1,2,-;Linux version\n");
	rawfix_done(run, "\"code\":0");
	return run;
}

static void check_small_run(const RigRawRun *run)
{
	const RigRawFile *file;

	g_assert_cmpuint(run->snaps->len, ==, 4);
	g_assert_true(rawfix_at(run, 1)->mark);
	g_assert_false(rawfix_at(run, 2)->mark);
	g_assert_cmpstr(rawfix_at(run, 1)->phase, ==, "copy");
	g_assert_cmpint(rawfix_at(run, 3)->t_ns, ==, 400);
	file = rig_raw_find(rawfix_at(run, 1)->files, "/proc/vmstat", -1);
	g_assert_cmpstr(file->text, ==, "pgfault 2\n");
	file = rig_raw_find(rawfix_at(run, 1)->files, "numa_maps", 117);
	g_assert_cmpstr(file->text, ==, "00400000 default\n");
	g_assert_null(rig_raw_find(rawfix_at(run, 1)->files, "numa_maps", 118));
	file = rig_raw_find(rawfix_at(run, 1)->files, "/proc/a b", -1);
	g_assert_cmpstr(file->text, ==, "first");
	file = rig_raw_find(rawfix_at(run, 1)->files, "/proc/a/b", -1);
	g_assert_cmpstr(file->text, ==, "second");
	g_assert_cmpstr(((RigRawEvent *)g_ptr_array_index(run->events, 0))->line, ==,
			"{\"mark\": \"copy\"}");
	g_assert_cmpstr(run->out->str, ==, "hello world\n");
	g_assert_cmpstr(run->err->str, ==, "oh\n");
	g_assert_cmpstr(run->kmsg->str, ==, "6,1,2,-;Linux version\n");
	g_assert_true(run->done);
	g_assert_cmpint(run->code, ==, 0);
	g_assert_cmpint(run->end_ns, ==, 20);
	g_assert_cmpint(run->agent_cpu_ns, ==, 7);
}

static void test_whole(void)
{
	g_autoptr(RigRawRun) run = small_run();

	check_small_run(run);
	g_assert_cmpstr(run->phase, ==, "copy");
}

static void test_saved(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRawRun) run = small_run();
	g_autoptr(RigRawRun) again = NULL;
	char *dir = expect_temp_dir();
	g_autofree char *raw = g_build_filename(dir, "raw", NULL);
	g_autofree char *numa_maps =
		g_build_filename(raw, "snaps/001-mark-copy/task-117/numa_maps", NULL);
	g_autofree char *outside = g_build_filename(dir, "etc", NULL);

	g_assert_true(rig_raw_run_save(run, raw, &error));
	g_assert_no_error(error);
	g_assert_true(g_file_test(numa_maps, G_FILE_TEST_IS_REGULAR));
	g_assert_false(g_file_test(outside, G_FILE_TEST_EXISTS));
	again = rig_raw_run_load(raw, &error);
	g_assert_no_error(error);
	check_small_run(again);
	expect_remove(dir);
}

static void test_saved_leads_nowhere(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRawRun) run = small_run();
	char *dir = expect_temp_dir();
	g_autofree char *index = g_build_filename(dir, "index.json", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GString) changed = NULL;

	g_assert_true(rig_raw_run_save(run, dir, &error));
	g_assert_true(g_file_get_contents(index, &text, NULL, NULL));
	changed = g_string_new(text);
	g_assert_cmpuint(g_string_replace(changed, "snaps/000-mark-start/proc_vmstat",
					  "../../../etc/passwd", 0),
			 ==, 1);
	g_assert_true(g_file_set_contents(index, changed->str, -1, NULL));
	g_assert_null(rig_raw_run_load(dir, &error));
	expect_error(&error, RIG_ERROR_USAGE, "lies elsewhere");
	expect_remove(dir);
}

static void test_nul_and_escape(void)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();

	rawfix_snap(run, "mark", "start", 1);
	/* "a\0b" */
	rawfix_feed(run,
		    "{\"type\":\"data\",\"id\":5,\"snap\":0,\"path\":\"/x\",\"data\":\"YQBi\"}");
	g_assert_cmpstr(rig_raw_find(rawfix_at(run, 0)->files, "/x", -1)->text, ==, "a?b");
	rawfix_event(run, "\033[31mred");
	g_assert_null(strchr(((RigRawEvent *)g_ptr_array_index(run->events, 0))->line, '\033'));
	rawfix_feed(run, "{\"type\":\"phase\",\"id\":5,\"phase\":\"a\\u001b[2J\\nb\"}");
	g_assert_null(strchr(run->phase, '\033'));
	g_assert_null(strchr(run->phase, '\n'));
}

static void test_foreign_types_are_ignored(void)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();

	rawfix_feed(run, "{\"type\":\"heartbeat\",\"uptime_ms\":1,\"busy\":5}");
	rawfix_feed(run, "{\"type\":\"hello\",\"id\":1,\"session\":\"a\"}");
	g_assert_cmpuint(run->snaps->len, ==, 0);
}

/* Each is a first message that breaks the protocol. */
static void test_broken(void)
{
	static const char *const lines[] = {
		"{\"id\":5}",
		"{\"type\":7}",
		"{\"type\":\"snap\",\"snap\":1,\"kind\":\"mark\",\"phase\":\"a\",\"t_ns\":1}",
		"{\"type\":\"snap\",\"snap\":0,\"kind\":\"blink\",\"phase\":\"a\",\"t_ns\":1}",
		"{\"type\":\"snap\",\"snap\":0,\"kind\":\"mark\",\"phase\":\"a\",\"t_ns\":-1}",
		"{\"type\":\"snap\",\"snap\":0,\"kind\":\"mark\",\"phase\":\"a\"}",
		"{\"type\":\"data\",\"snap\":0,\"path\":\"/x\",\"data\":\"\"}",
		"{\"type\":\"data\",\"path\":\"\",\"data\":\"\"}",
		"{\"type\":\"data\",\"path\":\"/x\"}",
		"{\"type\":\"data\",\"path\":\"/x\",\"data\":5}",
		"{\"type\":\"data\",\"stream\":\"in\",\"data\":\"\"}",
		"{\"type\":\"data\",\"data\":\"\"}",
		"{\"type\":\"done\",\"code\":0,\"start_ns\":1,\"end_ns\":2,\"snaps\":1,\"events\":"
		"0}",
		"{\"type\":\"done\",\"code\":0,\"start_ns\":1,\"end_ns\":2,\"snaps\":0,\"events\":"
		"1}",
		"{\"type\":\"done\",\"start_ns\":1,\"end_ns\":2,\"snaps\":0,\"events\":0}",
		"{\"type\":\"done\",\"code\":0,\"start_ns\":2,\"end_ns\":1,\"snaps\":0,\"events\":"
		"0}",
		"{\"type\":\"done\",\"code\":\"0\",\"start_ns\":1,\"end_ns\":2,\"snaps\":0,"
		"\"events\":0}",
	};

	for (guint i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autoptr(RigRawRun) run = rig_raw_run_new();
		g_autoptr(GError) error = NULL;

		if (rawfix_try(run, lines[i], &error))
			g_error("taken: %s", lines[i]);
		expect_error(&error, RIG_ERROR_LOST, "broke the protocol");
		g_assert_false(run->done);
	}
}

static void test_out_of_order(void)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(GError) error = NULL;

	rawfix_snap(run, "mark", "start", 100);
	g_assert_false(rawfix_try(run,
				  "{\"type\":\"snap\",\"snap\":1,\"kind\":\"mark\",\"phase\":\"a\","
				  "\"t_ns\":99}",
				  &error));
	expect_error(&error, RIG_ERROR_LOST, "out of order");
	rawfix_feed(run,
		    "{\"type\":\"data\",\"snap\":0,\"path\":\"/x\",\"data\":\"\",\"more\":true}");
	g_assert_false(rawfix_try(
		run, "{\"type\":\"data\",\"snap\":0,\"path\":\"/y\",\"data\":\"\"}", &error));
	expect_error(&error, RIG_ERROR_LOST, "before another ended");
	g_assert_false(
		rawfix_try(run, "{\"type\":\"data\",\"stream\":\"out\",\"data\":\"\"}", &error));
	expect_error(&error, RIG_ERROR_LOST, "before a file ended");
	g_assert_false(rawfix_try(run,
				  "{\"type\":\"done\",\"code\":0,\"start_ns\":1,\"end_ns\":2,"
				  "\"snaps\":1,\"events\":0}",
				  &error));
	expect_error(&error, RIG_ERROR_LOST, "did not end");
}

static void test_after_the_end(void)
{
	g_autoptr(RigRawRun) run = small_run();
	g_autoptr(GError) error = NULL;

	g_assert_false(
		rawfix_try(run, "{\"type\":\"data\",\"stream\":\"out\",\"data\":\"\"}", &error));
	expect_error(&error, RIG_ERROR_LOST, "after its end");
}

/* Send chunks of LENGTH bytes of LINE's kind until they are refused; what was taken by then. */
static gsize babble(const char *head, gsize length, guint chunks)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autofree guchar *bytes = g_malloc0(length + 1);
	g_autofree char *data = g_base64_encode(bytes, length);
	g_autofree char *line = g_strdup_printf("{%s,\"data\":\"%s\"}", head, data);
	g_autoptr(RigJson) message = rig_json_parse("agent", line, -1, NULL);
	g_autoptr(GError) error = NULL;

	while (chunks-- && rig_raw_run_feed(run, message, &error))
		;
	g_assert_nonnull(error);
	g_assert_cmpint(error->code, ==, RIG_ERROR_LOST);
	return run->bytes;
}

static void test_bounds(void)
{
	g_assert_cmpuint(babble("\"type\":\"data\",\"stream\":\"out\"", 32768, 100), <=,
			 RIG_OUTPUT_MAX + 32768);
	g_assert_cmpuint(babble("\"type\":\"data\",\"path\":\"/x\",\"more\":true", 32768, 100), <=,
			 RIG_FILE_MAX + 32768);
	g_assert_cmpuint(babble("\"type\":\"data\",\"stream\":\"kmsg\"", 32768, 5000), <=,
			 RIG_RUN_BYTES_MAX + 17 * 1024 * 1024);
	/* A chunk, and a control line, that are too long at once. */
	g_assert_cmpuint(babble("\"type\":\"data\",\"stream\":\"out\"", RIG_CHUNK_MAX + 1, 1), ==,
			 0);
	g_assert_cmpuint(babble("\"type\":\"event\",\"t_ns\":1", RIG_CONTROL_LINE_MAX + 1, 1), <=,
			 RIG_CONTROL_LINE_MAX + 1);
	/* Objects without payload are bounded too. */
	g_assert_cmpuint(babble("\"type\":\"event\",\"t_ns\":1", 0, 2000000), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/raw/whole", test_whole);
	g_test_add_func("/raw/saved", test_saved);
	g_test_add_func("/raw/saved-leads-nowhere", test_saved_leads_nowhere);
	g_test_add_func("/raw/nul-and-escape", test_nul_and_escape);
	g_test_add_func("/raw/foreign-types", test_foreign_types_are_ignored);
	g_test_add_func("/raw/broken", test_broken);
	g_test_add_func("/raw/out-of-order", test_out_of_order);
	g_test_add_func("/raw/after-the-end", test_after_the_end);
	g_test_add_func("/raw/bounds", test_bounds);
	return g_test_run();
}
