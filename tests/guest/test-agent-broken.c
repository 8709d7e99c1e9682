/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agent-broken.c - what becomes of a run whose program fails, hangs, babbles, or leaves
 * processes behind.
 */
#include "client.h"

#include <signal.h>
#include <string.h>

/* As /proc/<pid>/comm cuts it. */
#define FIXTURE "fixture-workloa"

static void test_crash(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "crash", "");

	g_assert_cmpint(json_object_get_int_member(answer->last, "signal"), ==, SIGABRT);
}

static void test_fail(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "fail", "");
	g_autoptr(GString) events = answer_data(answer, "type", "event");

	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 1);
	g_assert_nonnull(strstr(events->str, "a task was lost"));
}

static void test_missing(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) missing =
		client_ask(client, "'op': 'run', 'job': {'argv': ['/no/such/program']}");
	g_autoptr(Answer) after = client_run(client, "fail", "");

	answer_expect_error(missing, "no-file");
	g_assert_cmpint(json_object_get_int_member(after->last, "code"), ==, 1);
}

static guint send_timed(Client *client, const char *mode)
{
	return client_send(client, "'op': 'run', 'job': {'argv': ['%s', '%s'], 'timeout_ms': 300}",
			   g_getenv("RIG_FIXTURE"), mode);
}

/* What it still said when its time was over. */
static char *run_timed(const char *mode)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_collect(client, send_timed(client, mode));

	g_assert_cmpstr(member(answer->last, "type"), ==, "done");
	g_assert_true(json_object_get_boolean_member(answer->last, "timeout"));
	return g_string_free(answer_data(answer, "stream", "out"), FALSE);
}

static void test_hang(void)
{
	g_autofree char *out = run_timed("hang");

	g_assert_cmpstr(out, ==, "terminated\n");
}

static void test_stubborn(void)
{
	gint64 before = g_get_monotonic_time();
	g_autofree char *out = run_timed("stubborn");

	g_assert_cmpstr(out, ==, "");
	g_assert_cmpint(g_get_monotonic_time() - before, >=, 2300000);
}

static void test_kill(void)
{
	g_autoptr(Client) client = client_new();
	guint id = client_send_run(client, "hang", "");
	g_autoptr(JsonObject) phase = client_next(client);
	g_autoptr(Answer) answer = NULL;

	g_assert_cmpstr(member(phase, "phase"), ==, "access");
	client_send(client, "'op': 'kill', 'to': %u, 'signal': 9", id);
	answer = client_collect(client, id);
	g_assert_cmpint(json_object_get_int_member(answer->last, "signal"), ==, 9);
}

static void test_babble(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "babble", "");
	g_autoptr(Answer) after = client_run(client, "fail", "");

	answer_expect_error(answer, "io");
	g_assert_cmpint(json_object_get_int_member(after->last, "code"), ==, 1);
}

/* Lines that say nothing to the agent are passed on, for the host to judge. */
static void test_garbage(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "garbage", "");
	g_autoptr(GString) events = answer_data(answer, "type", "event");

	g_assert_cmpint(json_object_get_int_member(answer->last, "events"), ==, 4);
	g_assert_true(g_str_has_prefix(events->str, "not json{\"mark\": 7}[\"mark\"]{\"mark\""));
	g_assert_cmpuint(answer_count(answer, "type", "phase"), ==, 1);
	g_assert_cmpint(answer_snap(answer, "real", "mark"), ==, 1);
}

static void expect_nobody_left(const char *mode)
{
	g_autoptr(Client) client = client_new();
	gint64 before = g_get_monotonic_time();
	g_autoptr(Answer) answer = client_run(client, mode, "");

	g_assert_cmpstr(member(answer->last, "type"), ==, "done");
	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
	g_assert_cmpuint(count_processes(FIXTURE), ==, 0);
	g_assert_cmpint(g_get_monotonic_time() - before, <, 10000000);
}

static void test_leave(void)
{
	expect_nobody_left("leave");
}

static void test_breed(void)
{
	expect_nobody_left("breed");
}

static void test_flood(void)
{
	g_autoptr(Client) client = client_new();
	g_autoptr(Answer) answer = client_run(client, "flood", "");
	g_autoptr(GString) out = answer_data(answer, "stream", "out");

	g_assert_cmpint(json_object_get_int_member(answer->last, "code"), ==, 0);
	g_assert_cmpuint(out->len, ==, 1024 * 1024);
}

static void test_end(void)
{
	Client *client = client_new();
	g_autoptr(JsonObject) phase = NULL;

	client_send_run(client, "stubborn", "");
	phase = client_next(client);
	client_free(client);
	g_assert_cmpuint(count_processes(FIXTURE), ==, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/run/crash", test_crash);
	g_test_add_func("/run/fail", test_fail);
	g_test_add_func("/run/missing", test_missing);
	g_test_add_func("/run/hang", test_hang);
	g_test_add_func("/run/stubborn", test_stubborn);
	g_test_add_func("/run/kill", test_kill);
	g_test_add_func("/run/babble", test_babble);
	g_test_add_func("/run/garbage", test_garbage);
	g_test_add_func("/run/leave", test_leave);
	g_test_add_func("/run/breed", test_breed);
	g_test_add_func("/run/flood", test_flood);
	g_test_add_func("/run/end", test_end);
	return g_test_run();
}
