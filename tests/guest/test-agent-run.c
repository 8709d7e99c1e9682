/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent-run.c - runs of the agent on this host, with fixture-workload as the program: what is
 * read at which mark, settings, samples, heartbeats.
 */
#include "client.h"

#include <string.h>

/* As /proc/<pid>/comm cuts it. */
#define FIXTURE "fixture-workloa"

static const char *type_at(Answer *answer, guint i)
{
	return member(answer->messages->pdata[i], "type");
}

/* The text of `path` (of any task, or of none) in a snapshot; NULL if it is not there. */
static char *text_in(Answer *answer, gint64 snap, const char *path, gboolean of_task)
{
	GString *text = g_string_new(NULL);
	gboolean found = FALSE;

	for (guint i = 0; i < answer->messages->len; i++) {
		JsonObject *message = answer->messages->pdata[i];
		g_autofree guchar *bytes = NULL;
		gsize size;

		if (json_object_get_int_member_with_default(message, "snap", -1) != snap ||
		    g_strcmp0(member(message, "path"), path) != 0 ||
		    json_object_has_member(message, "task") != of_task)
			continue;
		bytes = g_base64_decode(member(message, "data"), &size);
		g_string_append_len(text, (char *)bytes, size);
		found = TRUE;
	}
	return g_string_free(text, !found);
}

static void expect_order(Answer *answer)
{
	static const char *const order[] = {"phase", "snap", "event", "stream", "done"};
	gsize at = 0;

	for (guint i = 0; i < answer->messages->len; i++) {
		JsonObject *message = answer->messages->pdata[i];
		const char *type = type_at(answer, i);

		if (g_strcmp0(type, "heartbeat") == 0)
			continue;
		if (g_strcmp0(type, "data") == 0)
			type = member(message, "stream") ? "stream" : "snap";
		while (at < G_N_ELEMENTS(order) && strcmp(order[at], type))
			at++;
		g_assert_cmpuint(at, <, G_N_ELEMENTS(order));
	}
	g_assert_cmpuint(at, ==, G_N_ELEMENTS(order) - 1);
}

#define FILES                                                                       \
	", 'sample_ms': 20, 'mark_files': ['/proc/vmstat', '/proc/stat'], "         \
	"'sample_files': ['/proc/vmstat'], 'task_mark_files': ['stat', 'status'], " \
	"'task_sample_files': ['stat']"

static void test_good(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "good", FILES);
	g_autoptr(GString) events = answer_data(answer, "type", "event");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");
	g_autoptr(GString) err = answer_data(answer, "stream", "err");

	g_assert_cmpstr(member(answer->last, "type"), ==, "done");
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
	g_assert_false(json_object_get_boolean_member(answer->last, "full"));
	g_assert_cmpint(json_object_get_int_member(answer->last, "events"), ==, 4);
	g_assert_cmpuint(answer_count(answer, "type", "event"), ==, 4);
	g_assert_cmpint(json_object_get_int_member(answer->last, "snaps"), ==,
			answer_count(answer, "type", "snap"));
	g_assert_cmpuint(answer_count(answer, "type", "phase"), ==, 2);
	g_assert_true(g_str_has_prefix(events->str, "{\"resolved\": {\"tasks\": 1}}"));
	g_assert_nonnull(strstr(events->str, "\"kbps\": 1.5"));
	g_assert_cmpstr(out->str, ==, "said on stdout\n");
	g_assert_cmpstr(err->str, ==, "said on stderr\n");
	expect_order(answer);
}

static void test_snapshots(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "good", FILES);
	static const char *const marks[] = {"start", "copy", "access", "end"};
	gint64 before = -1, sample = answer_snap(answer, "copy", "sample");

	for (gsize i = 0; i < G_N_ELEMENTS(marks); i++) {
		gint64 snap = answer_snap(answer, marks[i], "mark");
		g_autofree char *vmstat = text_in(answer, snap, "/proc/vmstat", FALSE);
		g_autofree char *stat = text_in(answer, snap, "/proc/stat", FALSE);
		g_autofree char *task = text_in(answer, snap, "status", TRUE);

		g_assert_cmpint(snap, >, before);
		before = snap;
		g_assert_true(g_str_has_prefix(vmstat, "nr_free_pages "));
		g_assert_true(g_str_has_prefix(stat, "cpu "));
		/* The task is watched from its mark on, and is gone at the end. */
		g_assert_cmpint(task != NULL, ==, i == 1 || i == 2);
	}
	{
		g_autofree char *vmstat = text_in(answer, sample, "/proc/vmstat", FALSE);
		g_autofree char *stat = text_in(answer, sample, "/proc/stat", FALSE);
		g_autofree char *task = text_in(answer, sample, "stat", TRUE);

		g_assert_nonnull(vmstat);
		g_assert_null(stat);
		g_assert_nonnull(strstr(task, "(fixture-workloa)"));
	}
}

/* Samples of a file that is held open differ where the file has changed. */
static void test_samples_are_fresh(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer =
		client_run(client, "good", ", 'sample_ms': 20, 'sample_files': ['/proc/uptime']");
	gint64 first = answer_snap(answer, "copy", "sample");
	gint64 last = answer_snap(answer, "access", "mark") - 1;
	g_autofree char *a = text_in(answer, first, "/proc/uptime", FALSE);
	g_autofree char *b = text_in(answer, last, "/proc/uptime", FALSE);

	g_assert_cmpint(last, >, first);
	g_assert_cmpfloat(g_ascii_strtod(b, NULL), >, g_ascii_strtod(a, NULL));
}

static void test_no_samples(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "good", ", 'mark_files': ['/proc/loadavg']");

	g_assert_cmpuint(answer_count(answer, "kind", "sample"), ==, 0);
	g_assert_cmpuint(answer_count(answer, "kind", "mark"), ==, 4);
}

static void test_times(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "good", "");
	gint64 start = json_object_get_int_member(answer->last, "start_ns");
	gint64 end = json_object_get_int_member(answer->last, "end_ns");
	gint64 cpu = json_object_get_int_member(answer->last, "agent_cpu_ns");

	g_assert_cmpint(end - start, >=, 350000000);
	g_assert_cmpint(end - start, <, 100000000000);
	g_assert_cmpint(cpu, >, 0);
	g_assert_cmpint(cpu, <, (end - start) / 10);
}

static guint tasks_in(Answer *answer, gint64 snap)
{
	guint tasks = 0;

	for (guint i = 0; i < answer->messages->len; i++) {
		JsonObject *message = answer->messages->pdata[i];

		tasks += json_object_get_int_member_with_default(message, "snap", -1) == snap &&
			 json_object_has_member(message, "task");
	}
	return tasks;
}

static void test_follow(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer =
		client_run(client, "family",
			   ", 'sample_ms': 20, 'follow': true, 'task_sample_files': ['stat']");
	gint64 first = answer_snap(answer, "start", "sample");
	guint most = 0;

	/* The child need not be there at the first one. */
	for (gint64 snap = first; snap < answer_snap(answer, "end", "mark"); snap++)
		most = MAX(most, tasks_in(answer, snap));
	g_assert_cmpuint(most, ==, 2);
}

/* A costly file is left out of most samples, a cheap one of none, and marks have both. How many
 * samples there are is the machine's load. */
static void test_costly_file(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer =
		client_run(client, "large",
			   ", 'sample_ms': 10, 'task_mark_files': ['numa_maps'], "
			   "'task_sample_files': ['stat', 'numa_maps']");
	gint64 mark = answer_snap(answer, "large", "mark");
	g_autofree char *at_mark = text_in(answer, mark, "numa_maps", TRUE);
	guint cheap = 0, costly = 0;

	for (gint64 snap = mark + 1; snap < mark + 51; snap++) {
		g_autofree char *stat = text_in(answer, snap, "stat", TRUE);
		g_autofree char *maps = text_in(answer, snap, "numa_maps", TRUE);

		cheap += stat != NULL;
		costly += maps != NULL;
	}
	g_assert_nonnull(at_mark);
	g_assert_cmpuint(cheap, >=, 10);
	g_assert_cmpuint(costly, >, 0);
	g_assert_cmpuint(costly * 2, <, cheap);
}

static void expect_file(const char *path, const char *text)
{
	g_autofree char *now = NULL;

	g_assert_true(g_file_get_contents(path, &now, NULL, NULL));
	g_assert_cmpstr(now, ==, text);
}

static void put_file(const char *path, const char *text)
{
	g_assert_true(g_file_set_contents(path, text, -1, NULL));
}

static void test_settings(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *plain = client_path(client, "plain"),
			*choice = client_path(client, "choice");
	g_autoptr(Answer) answer = NULL;

	put_file(plain, "0\n");
	put_file(choice, "always [madvise] never\n");
	answer = client_ask(client,
			    "'op': 'run', 'job': {'argv': ['%s', 'show', '%s'], "
			    "'settings': {'%s': '1', '%s': 'never'}}",
			    g_getenv("RIG_FIXTURE"), choice, plain, choice);
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
	g_assert_cmpint(answer_snap(answer, "never", "mark"), ==, 1);
	expect_file(plain, "0\n");
	expect_file(choice, "madvise");
}

/* One that cannot be written: nothing runs, and those before it are put back. */
static void test_settings_refused(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *plain = client_path(client, "plain");
	g_autoptr(Answer) answer = NULL, number = NULL;

	put_file(plain, "0\n");
	answer = client_ask(client,
			    "'op': 'run', 'job': {'argv': ['true'], "
			    "'settings': {'%s': '1', '/no/such/setting': '1'}}",
			    plain);
	answer_expect_error(answer, "setting");
	g_assert_nonnull(strstr(member(answer->last, "message"), "/no/such/setting"));
	expect_file(plain, "0\n");
	number = client_ask(client, "'op': 'run', 'job': {'argv': ['true'], 'settings': {'%s': 1}}",
			    plain);
	answer_expect_error(number, "setting");
}

static void test_new_session(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *plain = client_path(client, "plain"), *more = NULL;
	g_autoptr(JsonObject) phase = NULL;
	g_autoptr(Answer) after = NULL;

	put_file(plain, "0\n");
	more = g_strdup_printf(", 'settings': {'%s': '1'}", plain);
	client_send_run(client, "hang", more);
	phase = client_next(client);
	expect_file(plain, "1");
	client_hello(client, "second");
	expect_file(plain, "0\n");
	g_assert_cmpuint(count_processes(FIXTURE), ==, 0);
	after = client_run(client, "fail", "");
	g_assert_cmpint(json_object_get_int_member(after->last, "code"), ==, 1);
}

/* A read is served during a run; it is the host that must not ask for it then. */
static void test_read_meanwhile(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send_run(client, "hang", "");
	g_autoptr(JsonObject) phase = client_next(client);
	g_autoptr(Answer) answer = client_ask(client, "'op': 'read', 'paths': ['/proc/loadavg']");
	g_autoptr(Answer) done = NULL;

	g_assert_cmpint(json_object_get_int_member(answer->last, "files"), ==, 1);
	client_send(client, "'op': 'kill', 'to': %u, 'signal': 9", id);
	done = client_collect(client, id);
	g_assert_cmpstr(member(done->last, "type"), ==, "done");
}

static void test_heartbeat(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(JsonObject) phase = NULL, beat = NULL;
	guint id;

	client_hello(client, "one");
	id = client_send_run(client, "hang", "");
	phase = client_next(client);
	beat = client_next(client);
	g_assert_cmpstr(member(beat, "type"), ==, "heartbeat");
	g_assert_cmpint(json_object_get_int_member(beat, "busy"), ==, id);
	g_assert_cmpstr(member(beat, "phase"), ==, "access");
	g_assert_cmpint(json_object_get_int_member(beat, "uptime_ms"), >, 0);
}

/* More than RIG_RUN_BYTES_MAX of samples: they stop, and the rest of the story is whole. */
static void test_full(void)
{
	g_autofree char *large = g_strnfill(1000000, 'z');
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "large");
	g_autoptr(Answer) answer = NULL;
	guint64 bytes = 0;

	/* Ten samples of eight files do, so a busy machine has time for them. */
	for (guint i = 0; i < 8; i++) {
		g_autofree char *one = g_strdup_printf("%s-%u", path, i);

		put_file(one, large);
	}
	answer = client_ask(client,
			    "'op': 'run', 'job': {'argv': ['sleep', '1.5'], 'sample_ms': 10, "
			    "'sample_files': ['%s-*'], 'mark_files': ['/proc/loadavg']}",
			    path);
	for (guint i = 0; i < answer->messages->len; i++) {
		const char *data = member(answer->messages->pdata[i], "data");

		bytes += data ? strlen(data) / 4 * 3 : 0;
	}
	g_assert_true(json_object_get_boolean_member(answer->last, "full"));
	g_assert_cmpuint(bytes, >, 50000000);
	g_assert_cmpuint(bytes, <=, 64 * 1024 * 1024);
	{
		g_autofree char *end =
			text_in(answer, answer_snap(answer, "end", "mark"), "/proc/loadavg", FALSE);

		g_assert_nonnull(end);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/run/good", test_good);
	g_test_add_func("/run/snapshots", test_snapshots);
	g_test_add_func("/run/samples-are-fresh", test_samples_are_fresh);
	g_test_add_func("/run/no-samples", test_no_samples);
	g_test_add_func("/run/times", test_times);
	g_test_add_func("/run/follow", test_follow);
	g_test_add_func("/run/costly-file", test_costly_file);
	g_test_add_func("/run/settings/restored", test_settings);
	g_test_add_func("/run/settings/refused", test_settings_refused);
	g_test_add_func("/run/new-session", test_new_session);
	g_test_add_func("/run/read-meanwhile", test_read_meanwhile);
	g_test_add_func("/run/heartbeat", test_heartbeat);
	g_test_add_func("/run/full", test_full);
	return g_test_run();
}
