/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent.c - drives the agent on this host over its socket: files, programs, sessions, and a
 * peer that sends what it should not. test-agent-run.c tests the runs.
 */
#include "client.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void test_hello(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(client, "'op': 'hello', 'session': 'a1b2'");
	JsonObject *hello = answer->last;

	g_assert_cmpstr(member(hello, "type"), ==, "hello");
	g_assert_cmpstr(member(hello, "session"), ==, "a1b2");
	g_assert_cmpint(json_object_get_int_member(hello, "protocol"), ==, 1);
	g_assert_cmpuint(strlen(member(hello, "agent")), >, 2);
	g_assert_cmpuint(strlen(member(hello, "release")), >, 2);
	g_assert_cmpuint(strlen(member(hello, "boot_id")), ==, 36);
}

static void test_ping(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) ping = client_ask(client, "'op': 'ping'");
	g_autoptr(Answer) sync = client_ask(client, "'op': 'sync'");

	g_assert_cmpstr(member(ping->last, "type"), ==, "ok");
	g_assert_cmpstr(member(sync->last, "type"), ==, "ok");
}

static void write_file(const char *path, const char *data, gssize size)
{
	g_autoptr(GError) error = NULL;

	g_file_set_contents(path, data, size, &error);
	g_assert_no_error(error);
}

static void test_read_patterns(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *a = client_path(client, "a.txt"), *b = client_path(client, "b.txt");
	g_autofree char *pattern = client_path(client, "*.txt");
	g_autoptr(Answer) answer = NULL;
	g_autoptr(GString) data = NULL;

	write_file(a, "one", -1);
	write_file(b, "", 0);
	answer = client_ask(client, "'op': 'read', 'paths': ['%s', '/no/such/*', '/no/file', '%s']",
			    pattern, client->folder);
	g_assert_cmpstr(member(answer->last, "type"), ==, "ok");
	g_assert_cmpint(json_object_get_int_member(answer->last, "files"), ==, 2);
	g_assert_cmpuint(answer->messages->len, ==, 3);
	data = answer_data(answer, "path", a);
	g_assert_cmpstr(data->str, ==, "one");
	g_assert_cmpuint(answer_count(answer, "path", b), ==, 1);
}

/* /proc files tell no size; a file that is cut says so in its last message only. */
static void test_read_large(void)
{
	gsize size = 1024 * 1024 + 1;
	g_autofree char *text = g_malloc(size);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "large");
	g_autoptr(Answer) answer = NULL;
	g_autoptr(GString) data = NULL;

	for (gsize i = 0; i < size; i++)
		text[i] = i * 7 + i / 4096;
	write_file(path, text, size);
	answer = client_ask(client, "'op': 'read', 'paths': ['%s', '/proc/self/stat']", path);
	data = answer_data(answer, "path", path);
	g_assert_cmpmem(data->str, data->len, text, size - 1);
	for (guint i = 0; i < 32; i++) {
		JsonObject *chunk = answer->messages->pdata[i];

		g_assert_cmpint(json_object_get_boolean_member(chunk, "more"), ==, i < 31);
		g_assert_cmpint(json_object_has_member(chunk, "cut"), ==, i == 31);
	}
	g_string_free(g_steal_pointer(&data), TRUE);
	data = answer_data(answer, "path", "/proc/self/stat");
	g_assert_nonnull(strstr(data->str, "(rig-agent)"));
}

static void test_exec_streams(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(
		client,
		"'op': 'exec', 'argv': ['sh', '-c', 'echo to out; echo to err >&2; exit 7']");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");
	g_autoptr(GString) err = answer_data(answer, "stream", "err");

	g_assert_cmpstr(member(answer->last, "type"), ==, "exit");
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 7);
	g_assert_cmpstr(out->str, ==, "to out\n");
	g_assert_cmpstr(err->str, ==, "to err\n");
}

static void test_exec_signal(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer =
		client_ask(client, "'op': 'exec', 'argv': ['sh', '-c', 'kill -9 $$']");

	g_assert_cmpint(json_object_get_int_member(answer->last, "signal"), ==, 9);
	g_assert_false(json_object_has_member(answer->last, "code"));
}

static void test_exec_environment(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(
		client, "'op': 'exec', 'argv': ['sh', '-c', 'pwd; echo $COLOUR $HOME $TERM'],"
			"'env': {'COLOUR': 'blue', 'TERM': 'none'}, 'cwd': '/proc'");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");

	g_assert_cmpstr(out->str, ==, "/proc\nblue /root none\n");
}

/* A program must find the signals as usual, whatever the agent does with them. */
static void test_exec_signals_are_default(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(
		client,
		"'op': 'exec', 'argv': ['grep', '-E', 'Sig(Blk|Ign)', '/proc/self/status']");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");

	g_assert_cmpstr(out->str, ==, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
}

static void send_input(Client *client, guint to, const char *data, gsize size, gboolean eof)
{
	g_autofree char *text = g_base64_encode((const guchar *)data, size);

	client_send(client, "'op': 'input', 'to': %u, 'data': '%s', 'eof': %s", to, text,
		    eof ? "true" : "false");
}

#define STDIN_CHUNK 30000
#define STDIN_CHUNKS 100

static gpointer feed(gpointer data)
{
	Client *client = data;
	g_autofree char *chunk = g_malloc(STDIN_CHUNK);
	guint id = client->id;

	for (int i = 0; i < STDIN_CHUNKS; i++) {
		memset(chunk, 'a' + i % 26, STDIN_CHUNK);
		send_input(client, id, chunk, STDIN_CHUNK, i + 1 == STDIN_CHUNKS);
	}
	return NULL;
}

/* More than pipe and queues hold: the program is slow to read, and all arrives all the same. */
static void test_exec_stdin(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send(client, "'op': 'exec', 'stdin': true, 'argv': ['sh', '-c', "
				       "'sleep 0.3; exec cat']");
	GThread *feeder = g_thread_new("feed", feed, client);
	g_autoptr(Answer) answer = client_collect(client, id);
	g_autoptr(GString) out = answer_data(answer, "stream", "out");

	g_thread_join(feeder);
	g_assert_cmpuint(out->len, ==, STDIN_CHUNK * STDIN_CHUNKS);
	for (gsize i = 0; i < out->len; i++)
		g_assert_cmpint(out->str[i], ==, 'a' + i / STDIN_CHUNK % 26);
}

static void test_exec_stdin_is_empty(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(client, "'op': 'exec', 'argv': ['cat']");

	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
	g_assert_cmpuint(answer->messages->len, ==, 1);
}

static void test_exec_bad_input(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send(client, "'op': 'exec', 'stdin': true, 'argv': ['cat']");
	g_autoptr(Answer) answer = NULL;

	client_send(client, "'op': 'input', 'to': %u, 'data': 'a*b='", id);
	answer = client_collect(client, id);
	answer_expect_error(answer, "bad-request");
}

static void test_exec_large_output(void)
{
	g_autoptr(Client) client = client_new();
	guint id =
		client_send(client, "'op': 'exec', 'argv': ['head', '-c', '8000000', '/dev/zero']");
	g_autoptr(Answer) answer = NULL;
	g_autoptr(GString) out = NULL;

	g_usleep(300000); /* the agent must wait for us, not store it all */
	answer = client_collect(client, id);
	out = answer_data(answer, "stream", "out");
	g_assert_cmpuint(out->len, ==, 8000000);
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
}

static void test_exec_timeout(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer =
		client_ask(client, "'op': 'exec', 'timeout_ms': 100, 'argv': ['sleep', '20']");

	g_assert_true(json_object_get_boolean_member(answer->last, "timeout"));
}

static void test_exec_timeout_ignored(void)
{
	g_autoptr(Client) client = client_new();
	gint64 before = g_get_monotonic_time();
	g_autoptr(Answer) answer =
		client_ask(client, "'op': 'exec', 'timeout_ms': 100, 'argv': ['sh', '-c', "
				   "'trap : TERM; while :; do sleep 20; done']");
	gint64 took = g_get_monotonic_time() - before;

	g_assert_true(json_object_get_boolean_member(answer->last, "timeout"));
	g_assert_cmpint(took, >=, 2000000);
	g_assert_cmpint(took, <, 10000000);
}

static void test_exec_kill(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send(client, "'op': 'exec', 'argv': ['sleep', '20']");
	g_autoptr(Answer) kill_answer = NULL;
	g_autoptr(Answer) bad = client_ask(client, "'op': 'kill', 'to': %u, 'signal': 99", id);
	guint kill_id = client_send(client, "'op': 'kill', 'to': %u", id);
	g_autoptr(Answer) answer = NULL;

	answer_expect_error(bad, "bad-request");
	kill_answer = client_collect(client, kill_id);
	g_assert_cmpstr(member(kill_answer->last, "type"), ==, "ok");
	answer = client_collect(client, id);
	g_assert_cmpint(json_object_get_int_member(answer->last, "signal"), ==, 15);
}

static void test_exec_missing(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) missing = client_ask(client, "'op': 'exec', 'argv': ['/no/such']");
	g_autoptr(Answer) folder = client_ask(client, "'op': 'exec', 'argv': ['/tmp']");
	g_autoptr(Answer) after = client_ask(client, "'op': 'exec', 'argv': ['true']");

	answer_expect_error(missing, "no-file");
	answer_expect_error(folder, "io");
	g_assert_cmpint(json_object_get_int_member(after->last, "code"), ==, 0);
}

/* A program in the background keeps the pipe open, and nobody waits for it. */
static void test_exec_background(void)
{
	g_autoptr(Client) client = client_new();
	gint64 before = g_get_monotonic_time();
	g_autoptr(Answer) answer =
		client_ask(client, "'op': 'exec', 'argv': ['sh', '-c', 'sleep 20 & echo started']");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");

	g_assert_cmpstr(out->str, ==, "started\n");
	g_assert_cmpint(g_get_monotonic_time() - before, <, 10000000);
}

static void test_put_get(void)
{
	g_autofree char *data = g_malloc(100000);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file \"with\\quotes");
	g_autofree char *quoted = client_path(client, "file \\\"with\\\\quotes");
	g_autoptr(Answer) put = NULL, got = NULL;
	g_autoptr(GString) back = NULL;
	guint id;

	for (gsize i = 0; i < 100000; i++)
		data[i] = i * 31 + i / 256;
	id = client_send(client, "'op': 'put', 'path': '%s', 'mode': %d", quoted, 0751);
	for (gsize at = 0; at < 100000; at += 25000)
		send_input(client, id, data + at, 25000, FALSE);
	g_assert_false(g_file_test(path, G_FILE_TEST_EXISTS));
	client_send(client, "'op': 'input', 'to': %u, 'eof': true", id);
	put = client_collect(client, id);
	g_assert_cmpint(json_object_get_int_member(put->last, "size"), ==, 100000);

	got = client_ask(client, "'op': 'get', 'path': '%s'", quoted);
	back = answer_data(got, "path", path);
	g_assert_cmpmem(back->str, back->len, data, 100000);
	g_assert_cmpint(json_object_get_int_member(got->last, "size"), ==, 100000);
	g_assert_cmpint(json_object_get_int_member(got->last, "mode"), ==, 0751);
}

static void test_get_edges(void)
{
	static const gsize sizes[] = {0, 1, 32767, 32768, 32769, 65536};
	g_autofree char *zeros = g_malloc0(65536);
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file");

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autoptr(Answer) got = NULL;
		g_autoptr(GString) data = NULL;
		JsonObject *last_data;

		write_file(path, zeros, sizes[i]);
		got = client_ask(client, "'op': 'get', 'path': '%s'", path);
		data = answer_data(got, "path", path);
		g_assert_cmpuint(data->len, ==, sizes[i]);
		last_data = got->messages->pdata[got->messages->len - 2];
		g_assert_false(json_object_get_boolean_member(last_data, "more"));
	}
}

static void test_transfer_errors(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) missing = client_ask(client, "'op': 'get', 'path': '/no/such'");
	g_autoptr(Answer) device = client_ask(client, "'op': 'get', 'path': '/dev/zero'");
	g_autoptr(Answer) folder =
		client_ask(client, "'op': 'put', 'path': '/no/such', 'mode': 420");
	g_autoptr(Answer) mode = client_ask(client, "'op': 'put', 'path': '/tmp/x', 'mode': -1");
	g_autoptr(Answer) relative = client_ask(client, "'op': 'get', 'path': 'x'");

	answer_expect_error(missing, "no-file");
	answer_expect_error(device, "bad-request");
	answer_expect_error(folder, "no-file");
	answer_expect_error(mode, "bad-request");
	answer_expect_error(relative, "bad-request");
}

/* A put that is given up leaves neither the file nor its half. */
static void test_put_given_up(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *path = client_path(client, "file");
	guint id = client_send(client, "'op': 'put', 'path': '%s', 'mode': 420", path);
	g_autoptr(GDir) folder = NULL;
	const char *name;

	send_input(client, id, "half", 4, FALSE);
	client_hello(client, "next");
	folder = g_dir_open(client->folder, 0, NULL);
	while ((name = g_dir_read_name(folder)))
		g_assert_cmpstr(name, ==, "socket");
}

static void test_busy(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send(client, "'op': 'exec', 'argv': ['sleep', '20']");
	g_autoptr(Answer) exec = client_ask(client, "'op': 'exec', 'argv': ['true']");
	g_autoptr(Answer) run = client_ask(client, "'op': 'run', 'job': {'argv': ['true']}");
	g_autoptr(Answer) put = client_ask(client, "'op': 'put', 'path': '/tmp/x', 'mode': 420");
	g_autoptr(Answer) ping = client_ask(client, "'op': 'ping'");
	g_autoptr(Answer) killed = NULL, ended = NULL;

	answer_expect_error(exec, "busy");
	answer_expect_error(run, "busy");
	answer_expect_error(put, "busy");
	g_assert_cmpstr(member(ping->last, "type"), ==, "ok");
	client_send(client, "'op': 'kill', 'to': %u, 'signal': 9", id);
	ended = client_collect(client, id);
	g_assert_cmpint(json_object_get_int_member(ended->last, "signal"), ==, 9);
}

static void expect_error_0(Client *client, const char *code)
{
	JsonObject *message = client_next(client);

	g_assert_cmpstr(member(message, "type"), ==, "error");
	g_assert_cmpint(json_object_get_int_member(message, "id"), ==, 0);
	g_assert_cmpstr(member(message, "code"), ==, code);
	json_object_unref(message);
}

static void test_bad_lines(void)
{
	static const char *const lines[] = {
		"{",
		"nonsense",
		"[1, 2]",
		"42",
		"\"text\"",
		"{\"op\": \"ping\"}",
		"{\"id\": 0, \"op\": \"ping\"}",
		"{\"id\": -4, \"op\": \"ping\"}",
		"{\"id\": \"4\", \"op\": \"ping\"}",
		"{\"id\": 99999999999999999999999, \"op\": \"ping\"}",
		"{\"id\": 1, \"id\": 2, \"op\": \"ping\"}",
		"{\"id\": 1, \"op\": \"ping\"} trailing",
		"{\"id\": 1, \"op\": \"\xff\xfe\"}",
	};
	static const char with_nul[] = "{\"id\": 1,\0 \"op\": \"ping\"}\n";
	g_autoptr(Client) client = client_new();

	client_send_raw(client, "\n\n", 2); /* empty lines have no answer */
	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		client_send_raw(client, lines[i], strlen(lines[i]));
		client_send_raw(client, "\n", 1);
		expect_error_0(client, "bad-request");
	}
	client_send_raw(client, with_nul, sizeof(with_nul) - 1);
	expect_error_0(client, "bad-request");
	client_hello(client, "still-there");
}

static void test_deep_nesting(void)
{
	g_autofree char *deep = g_strnfill(60000, '[');
	g_autoptr(Client) client = client_new();

	client_send_raw(client, deep, 60000);
	client_send_raw(client, "\n", 1);
	expect_error_0(client, "bad-request");
	client_hello(client, "still-there");
}

static void test_bad_requests(void)
{
	static const char *const members[] = {
		"'no': 'op'",
		"'op': 5",
		"'op': 'no-such'",
		"'op': 'hello'",
		"'op': 'hello', 'session': ''",
		"'op': 'read'",
		"'op': 'read', 'paths': '/proc/stat'",
		"'op': 'read', 'paths': ['relative']",
		"'op': 'read', 'paths': [7]",
		"'op': 'exec'",
		"'op': 'exec', 'argv': []",
		"'op': 'exec', 'argv': ['true', 1]",
		"'op': 'exec', 'argv': ['true'], 'env': {'A': 1}",
		"'op': 'exec', 'argv': ['true'], 'env': {'A=B': 'c'}",
		"'op': 'exec', 'argv': ['true'], 'env': ['A']",
		"'op': 'run'",
		"'op': 'run', 'job': {'argv': 'true'}",
		"'op': 'run', 'job': {'argv': ['true'], 'sample_ms': -1}",
		"'op': 'run', 'job': {'argv': ['true'], 'mark_files': ['stat']}",
		"'op': 'run', 'job': {'argv': ['true'], 'mark_files': '/proc/stat'}",
		"'op': 'run', 'job': {'argv': ['true'], 'task_mark_files': ['../1/environ']}",
		"'op': 'run', 'job': {'argv': ['true'], 'task_sample_files': [{}]}",
	};
	g_autoptr(Client) client = client_new();

	for (gsize i = 0; i < G_N_ELEMENTS(members); i++) {
		g_autoptr(Answer) answer = client_ask(client, "%s", members[i]);

		answer_expect_error(answer, "bad-request");
	}
	client_hello(client, "still-there");
}

static void test_long_line(void)
{
	gsize sizes[] = {65537, 200000, 1000000};
	g_autoptr(Client) client = client_new();

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree char *line = g_strnfill(sizes[i], 'x');

		client_send_raw(client, line, sizes[i]);
		client_send_raw(client, "\n", 1);
		expect_error_0(client, "too-big");
		client_hello(client, "still-there");
	}
}

/* The longest line that is allowed is served. */
static void test_longest_line(void)
{
	static const char head[] = "{\"id\": 5, \"op\": \"ping\", \"x\": \"", tail[] = "\"}\n";
	g_autofree char *filler = g_strnfill(65536 - strlen(head) - strlen(tail), 'x');
	g_autofree char *line = g_strconcat(head, filler, tail, NULL);
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = NULL;

	g_assert_cmpuint(strlen(line), ==, 65536);
	client_send_raw(client, line, 65536);
	answer = client_collect(client, 5);
	g_assert_cmpstr(member(answer->last, "type"), ==, "ok");
}

static gboolean is_alive(const char *pid)
{
	return kill(atoi(pid), 0) == 0;
}

static void wait_until_gone(const char *pid)
{
	for (int i = 0; i < 2000 && is_alive(pid); i++)
		g_usleep(5000);
	g_assert_false(is_alive(pid));
}

/* Starts an exec that tells its process id and sleeps. */
static char *start_sleeper(Client *client)
{
	g_autoptr(JsonObject) first = NULL;
	gsize size;

	client_send(client, "'op': 'exec', 'argv': ['sh', '-c', 'echo $$; exec sleep 20']");
	first = client_next(client);
	return (char *)g_base64_decode(member(first, "data"), &size);
}

static void test_new_session(void)
{
	g_autoptr(Client) client = client_new();
	g_autofree char *pid = NULL;
	g_autoptr(Answer) answer = NULL;

	client_hello(client, "first");
	pid = start_sleeper(client);
	g_assert_true(is_alive(pid));
	client_hello(client, "second");
	wait_until_gone(pid);
	answer = client_ask(client, "'op': 'exec', 'argv': ['true']");
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
}

/* Whatever was under way for the first session does not reach the second. */
static void test_new_session_drops_answers(void)
{
	g_autoptr(Client) client = client_new();
	guint hello;
	g_autoptr(JsonObject) message = NULL;

	client_send(client, "'op': 'exec', 'argv': ['cat', '/dev/zero']");
	g_usleep(200000);
	hello = client_send(client, "'op': 'hello', 'session': 'second'");
	for (;;) {
		g_autofree char *line = g_data_input_stream_read_line(client->in, NULL, NULL, NULL);

		g_assert_nonnull(line);
		if (strstr(line, "\"session\":\"second\""))
			break;
	}
	client_send(client, "'op': 'ping'");
	message = client_next(client);
	g_assert_cmpstr(member(message, "type"), ==, "ok");
	g_assert_cmpint(json_object_get_int_member(message, "id"), ==, hello + 1);
}

static void test_end_kills(void)
{
	Client *client = client_new();
	g_autofree char *pid = start_sleeper(client);

	client_free(client);
	g_assert_false(is_alive(pid));
}

static void test_poweroff(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_ask(client, "'op': 'poweroff'");

	g_assert_cmpstr(member(answer->last, "type"), ==, "ok");
	g_assert_cmpint(client_wait(client), ==, 0);
}

static void test_usage(void)
{
	g_autoptr(GSubprocess) agent = g_subprocess_new(G_SUBPROCESS_FLAGS_STDERR_SILENCE, NULL,
							g_getenv("RIG_AGENT"), NULL);

	g_subprocess_wait(agent, NULL, NULL);
	g_assert_cmpint(g_subprocess_get_exit_status(agent), ==, 2);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/agent/hello", test_hello);
	g_test_add_func("/agent/ping", test_ping);
	g_test_add_func("/agent/read/patterns", test_read_patterns);
	g_test_add_func("/agent/read/large", test_read_large);
	g_test_add_func("/agent/exec/streams", test_exec_streams);
	g_test_add_func("/agent/exec/signal", test_exec_signal);
	g_test_add_func("/agent/exec/environment", test_exec_environment);
	g_test_add_func("/agent/exec/signals-are-default", test_exec_signals_are_default);
	g_test_add_func("/agent/exec/stdin", test_exec_stdin);
	g_test_add_func("/agent/exec/stdin-is-empty", test_exec_stdin_is_empty);
	g_test_add_func("/agent/exec/bad-input", test_exec_bad_input);
	g_test_add_func("/agent/exec/large-output", test_exec_large_output);
	g_test_add_func("/agent/exec/timeout", test_exec_timeout);
	g_test_add_func("/agent/exec/timeout-ignored", test_exec_timeout_ignored);
	g_test_add_func("/agent/exec/kill", test_exec_kill);
	g_test_add_func("/agent/exec/missing", test_exec_missing);
	g_test_add_func("/agent/exec/background", test_exec_background);
	g_test_add_func("/agent/transfer/put-get", test_put_get);
	g_test_add_func("/agent/transfer/get-edges", test_get_edges);
	g_test_add_func("/agent/transfer/errors", test_transfer_errors);
	g_test_add_func("/agent/transfer/given-up", test_put_given_up);
	g_test_add_func("/agent/busy", test_busy);
	g_test_add_func("/agent/bad/lines", test_bad_lines);
	g_test_add_func("/agent/bad/nesting", test_deep_nesting);
	g_test_add_func("/agent/bad/requests", test_bad_requests);
	g_test_add_func("/agent/bad/long-line", test_long_line);
	g_test_add_func("/agent/bad/longest-line", test_longest_line);
	g_test_add_func("/agent/session/new", test_new_session);
	g_test_add_func("/agent/session/drops-answers", test_new_session_drops_answers);
	g_test_add_func("/agent/session/end", test_end_kills);
	g_test_add_func("/agent/poweroff", test_poweroff);
	g_test_add_func("/agent/usage", test_usage);
	return g_test_run();
}
