/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem-fail.c - rig-mem when it goes wrong: a task, the pool, the agent or the program itself
 * is lost, or it is called wrongly. And by hand, without an agent.
 */
#include "mem-agent.h"
#include "guest/mem-hugetlb.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

static gboolean is_gone(gint64 tid)
{
	g_autofree char *path = g_strdup_printf("/proc/%" G_GINT64_FORMAT "/stat", tid);

	for (int i = 0; i < 200; i++) {
		g_autofree char *text = NULL;

		/* A child whose new parent does not reap stays as a zombie: dead all the same. */
		if (!g_file_get_contents(path, &text, NULL, NULL) || strstr(text, ") Z "))
			return TRUE;
		g_usleep(10000);
	}
	return FALSE;
}

static void check_all_gone(const MemAgent *agent)
{
	g_assert_cmpuint(agent->tasks->len, >, 0);
	for (guint i = 0; i < agent->tasks->len; i++)
		g_assert_true(is_gone(g_array_index(agent->tasks, gint64, i)));
}

/* A run that is not whole: says why, exits with 1, gives no result, leaves nobody behind. */
static void check_failed(MemAgent *agent, const char *why)
{
	g_assert_cmpint(mem_agent_exit_status(agent), ==, 1);
	g_assert_cmpstr(agent->fail, ==, why);
	g_assert_cmpuint(agent->results->len, ==, 0);
	check_all_gone(agent);
}

static void check_dead_child(const char *arguments, const char *phase, guint child, const char *why)
{
	g_autoptr(MemAgent) agent = mem_agent_start(arguments);

	mem_agent_run_to(agent, phase);
	kill((pid_t)g_array_index(agent->tasks, gint64, child), SIGKILL);
	mem_agent_answer(agent);
	mem_agent_run_to(agent, NULL);
	check_failed(agent, why);
}

static void test_dead_child(void)
{
	/* Siblings that wait at the next gate for the dead one must not wait for ever. */
	check_dead_child("anon-cow-rand --size=4M --runtime=1 --tasks=4", "copy", 2,
			 "child 2 was killed by signal 9 (out of memory?)");
	check_dead_child("anon-w-seq --size=4M --runtime=1 --tasks=2", "access", 1,
			 "child 1 was killed by signal 9 (out of memory?)");
	check_dead_child("anon-cow-seq-mt --size=4M --runtime=1 --tasks=2", "access", 0,
			 "child 0 was killed by signal 9 (out of memory?)");
	check_dead_child("numa01 --size=8M --passes=100", "access", 0,
			 "child 0 was killed by signal 9 (out of memory?)");
	check_dead_child("anon-cow-seq --size=4M --runtime=1 --tasks=2", "teardown", 0,
			 "child 0 was killed by signal 9 (out of memory?)");
}

static void test_short_pool(void)
{
	g_autofree char *before = mem_agent_pool();
	g_autofree char *after = NULL;

	if (mem_agent_skip_pool(TRUE))
		return;
	{
		/* Enough for the parent's 8 pages, not for the copies of the children. */
		g_autoptr(MemAgent) agent = mem_agent_start(
			"anon-cow-rand-hugetlb --size=16M --runtime=1 --tasks=3 --pool=10");

		mem_agent_run_to(agent, NULL);
		g_assert_nonnull(agent->fail);
		g_assert_true(g_str_has_suffix(agent->fail,
					       "was killed by signal 7 (short hugetlb pool?)"));
		check_failed(agent, agent->fail);
	}
	{
		g_autoptr(MemAgent) agent = mem_agent_start(
			"anon-cow-rand-hugetlb --size=16M --runtime=1 --tasks=3 --pool=3");

		mem_agent_run_to(agent, NULL);
		g_assert_cmpint(mem_agent_exit_status(agent), ==, 1);
		g_assert_nonnull(strstr(agent->fail, "the parent cannot map"));
		g_assert_nonnull(strstr(agent->fail, "short hugetlb pool?"));
	}
	after = mem_agent_pool();
	g_assert_cmpstr(after, ==, before);
}

static void test_terminated(void)
{
	const char *name = access(RIG_HUGETLB_DIR "/nr_overcommit_hugepages", W_OK) == 0
				   ? "anon-cow-rand-hugetlb --size=4M --runtime=30 --tasks=2"
				   : "anon-cow-rand --size=4M --runtime=30 --tasks=2";
	g_autoptr(MemAgent) agent = mem_agent_start(name);
	g_autofree char *before = NULL;
	g_autofree char *during = NULL;
	g_autofree char *after = NULL;

	mem_agent_run_to(agent, "setup");
	before = mem_agent_pool();
	mem_agent_answer(agent);
	mem_agent_run_to(agent, "access");
	during = mem_agent_pool();
	if (strstr(name, "hugetlb"))
		g_assert_cmpstr(during, !=, before);
	mem_agent_answer(agent);
	g_subprocess_send_signal(agent->program, SIGTERM);
	mem_agent_run_to(agent, NULL);
	check_failed(agent, "told to stop by signal 15");
	after = mem_agent_pool();
	g_assert_cmpstr(after, ==, before);
}

static void test_parent_killed(void)
{
	g_autoptr(MemAgent) agent =
		mem_agent_start("anon-cow-rand --size=4M --runtime=30 --tasks=3");

	mem_agent_run_to(agent, "access");
	mem_agent_answer(agent);
	g_subprocess_force_exit(agent->program);
	g_assert_true(g_subprocess_wait(agent->program, NULL, NULL));
	check_all_gone(agent);
}

static void test_agent_gone(void)
{
	g_autoptr(MemAgent) agent =
		mem_agent_start("anon-cow-rand --size=4M --runtime=30 --tasks=3");

	mem_agent_run_to(agent, "copy");
	close(agent->ack);
	agent->ack = -1;
	mem_agent_run_to(agent, NULL);
	check_failed(agent, "the control channel is gone at mark copy");
}

/* Runs by hand: no agent, no descriptors. */
static int run_plain(const char *arguments, char **out, char **err)
{
	g_autofree char *command = g_strconcat(g_getenv("RIG_MEM"), " ", arguments, NULL);
	g_autoptr(GError) error = NULL;
	int status;

	g_spawn_command_line_sync(command, out, err, &status, &error);
	g_assert_no_error(error);
	g_assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_by_hand(void)
{
	g_autofree char *out = NULL;

	g_assert_cmpint(run_plain("anon-w-rand --size=1M --runtime=1 --tasks=1", &out, NULL), ==,
			0);
	g_assert_true(g_str_has_prefix(out, "{\"resolved\": "));
	g_assert_nonnull(strstr(out, "{\"mark\": \"teardown\"}"));
	g_assert_nonnull(strstr(out, "{\"result\": "));
}

static void test_help(void)
{
	g_autofree char *help = NULL;
	g_autofree char *list = NULL;

	g_assert_cmpint(run_plain("--help", &help, NULL), ==, 0);
	g_assert_cmpint(run_plain("--list", &list, NULL), ==, 0);
	g_assert_true(g_str_has_suffix(help, list));
	g_assert_true(g_str_has_prefix(list, "anon-cow-seq "));
	g_assert_nonnull(strstr(list, "\nanon-w-rand-hugetlb-mt "));
	g_assert_nonnull(strstr(list, "\nnuma02-smt "));
}

static void test_usage(void)
{
	static const char *const bad[][2] = {
		{"", "no case named"},
		{"anon-cow", "unknown case 'anon-cow'"},
		{"anon-cow-rand --tasks=none", "--tasks"},
		{"anon-cow-rand --bind=hard", "--bind"},
		{"anon-cow-rand --unit=9000T", "memory"},
		{"--bench-loop --size=1x", "--size"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *out = NULL;
		g_autofree char *err = NULL;

		g_assert_cmpint(run_plain(bad[i][0], &out, &err), ==, 2);
		g_assert_cmpstr(out, ==, "");
		g_assert_nonnull(strstr(err, bad[i][1]));
		g_assert_nonnull(strstr(err, "hint: "));
	}
}

static void test_bench(void)
{
	g_autofree char *out = NULL;
	g_autoptr(JsonParser) parser = json_parser_new();
	JsonObject *object;

	g_assert_cmpint(run_plain("--bench-loop --size=1M", &out, NULL), ==, 0);
	g_assert_true(json_parser_load_from_data(parser, out, -1, NULL));
	object = json_node_get_object(json_parser_get_root(parser));
	g_assert_cmpfloat(mem_agent_real(object, "plain_ns"), >, 0);
	g_assert_cmpfloat(mem_agent_real(object, "ratio"), >, 0);
	/* How fast is the benchmark's to judge; here only that both loops did something. */
	g_assert_cmpfloat(mem_agent_real(object, "access_ns"), >, 0);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	signal(SIGPIPE, SIG_IGN);
	g_test_add_func("/mem-fail/dead-child", test_dead_child);
	g_test_add_func("/mem-fail/short-pool", test_short_pool);
	g_test_add_func("/mem-fail/terminated", test_terminated);
	g_test_add_func("/mem-fail/parent-killed", test_parent_killed);
	g_test_add_func("/mem-fail/agent-gone", test_agent_gone);
	g_test_add_func("/mem-fail/by-hand", test_by_hand);
	g_test_add_func("/mem-fail/help", test_help);
	g_test_add_func("/mem-fail/usage", test_usage);
	g_test_add_func("/mem-fail/bench", test_bench);
	return g_test_run();
}
