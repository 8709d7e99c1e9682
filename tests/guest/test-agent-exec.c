/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent-exec.c - programs that the agent starts for rig: their streams and their ends.
 */
#include "client.h"

#include <string.h>

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

#define STDIN_CHUNK 30000
#define STDIN_CHUNKS 100

static gpointer feed(gpointer data)
{
	Client *client = data;
	g_autofree char *chunk = g_malloc(STDIN_CHUNK);
	guint id = client->id;

	for (int i = 0; i < STDIN_CHUNKS; i++) {
		memset(chunk, 'a' + i % 26, STDIN_CHUNK);
		client_input(client, id, chunk, STDIN_CHUNK, i + 1 == STDIN_CHUNKS);
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

	answer_expect_error(missing, "no-program");
	answer_expect_error(folder, "not-executable");
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

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
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
	return g_test_run();
}
