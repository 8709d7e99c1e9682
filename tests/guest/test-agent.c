/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent.c - drives the agent on this host over its socket: sessions, and a peer that sends
 * what it should not. test-agent-exec.c, -files.c, -run.c and -broken.c test what it does.
 */
#include "client.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

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
