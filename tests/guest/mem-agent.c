/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-agent.c - the agent's side of the control protocol, for tests.
 */
#include "mem-agent.h"
#include "guest/mem-hugetlb.h"
#include "proto.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

MemAgent *mem_agent_start(const char *arguments)
{
	g_autofree char *command = g_strconcat(g_getenv("RIG_MEM"), " ", arguments, NULL);
	g_autoptr(GSubprocessLauncher) launcher =
		g_subprocess_launcher_new(G_SUBPROCESS_FLAGS_STDERR_SILENCE);
	g_auto(GStrv) argv = g_strsplit(command, " ", -1);
	g_autoptr(GError) error = NULL;
	MemAgent *agent = g_new0(MemAgent, 1);
	int lines[2];
	int acks[2];

	g_assert_nonnull(g_getenv("RIG_MEM"));
	g_assert_cmpint(pipe2(lines, O_CLOEXEC), ==, 0);
	g_assert_cmpint(pipe2(acks, O_CLOEXEC), ==, 0);
	g_subprocess_launcher_take_fd(launcher, lines[1], 11);
	g_subprocess_launcher_take_fd(launcher, acks[0], 12);
	g_subprocess_launcher_setenv(launcher, RIG_ENV_CONTROL_FD, "11", TRUE);
	g_subprocess_launcher_setenv(launcher, RIG_ENV_ACK_FD, "12", TRUE);
	agent->program = g_subprocess_launcher_spawnv(launcher, (const char *const *)argv, &error);
	g_assert_no_error(error);
	agent->lines = fdopen(lines[0], "r");
	agent->ack = acks[1];
	agent->phases = g_string_new(NULL);
	agent->tasks = g_array_new(FALSE, FALSE, sizeof(gint64));
	agent->results = g_ptr_array_new_with_free_func((GDestroyNotify)json_object_unref);
	agent->metrics = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	return agent;
}

void mem_agent_free(MemAgent *agent)
{
	if (!g_subprocess_get_if_exited(agent->program))
		g_subprocess_force_exit(agent->program);
	g_object_unref(agent->program);
	fclose(agent->lines);
	if (agent->ack >= 0)
		close(agent->ack);
	g_string_free(agent->phases, TRUE);
	g_array_unref(agent->tasks);
	g_ptr_array_unref(agent->results);
	g_hash_table_unref(agent->metrics);
	g_clear_pointer(&agent->resolved, json_object_unref);
	g_free(agent->fail);
	g_free(agent);
}

static void take_mark(MemAgent *agent, JsonObject *line)
{
	JsonArray *tasks;

	g_string_append_printf(agent->phases, "%s%s", agent->phases->len ? " " : "",
			       json_object_get_string_member(line, "mark"));
	if (!json_object_has_member(line, "tasks"))
		return;
	g_array_set_size(agent->tasks, 0);
	tasks = json_object_get_array_member(line, "tasks");
	for (guint i = 0; i < json_array_get_length(tasks); i++) {
		gint64 tid = json_array_get_int_element(tasks, i);

		g_array_append_val(agent->tasks, tid);
	}
}

static void take_metrics(MemAgent *agent, JsonObject *line)
{
	JsonObject *metric = json_object_get_object_member(line, "metric");
	g_autoptr(GList) names = json_object_get_members(metric);

	for (GList *name = names; name; name = name->next) {
		double value = json_object_get_double_member(metric, name->data);

		g_hash_table_insert(agent->metrics, g_strdup(name->data),
				    g_memdup2(&value, sizeof(value)));
	}
}

static void take_line(MemAgent *agent, JsonObject *line)
{
	g_assert_cmpuint(json_object_get_size(line), <=, 2);
	if (json_object_has_member(line, "mark"))
		take_mark(agent, line);
	else if (json_object_has_member(line, "resolved"))
		agent->resolved = json_object_ref(json_object_get_object_member(line, "resolved"));
	else if (json_object_has_member(line, "result"))
		g_ptr_array_add(agent->results,
				json_object_ref(json_object_get_object_member(line, "result")));
	else if (json_object_has_member(line, "metric"))
		take_metrics(agent, line);
	else
		agent->fail = g_strdup(json_object_get_string_member(line, "fail"));
}

/* Takes lines up to the next mark, whose phase it returns (not answered yet), or NULL at the end.
 */
const char *mem_agent_next(MemAgent *agent)
{
	char text[2 * RIG_CONTROL_LINE_MAX];

	while (fgets(text, sizeof(text), agent->lines)) {
		g_autoptr(JsonParser) parser = json_parser_new();
		g_autoptr(GError) error = NULL;
		const char *blank;
		JsonObject *line;

		g_assert_cmpuint(strlen(text), <=, RIG_CONTROL_LINE_MAX);
		json_parser_load_from_data(parser, text, -1, &error);
		g_assert_no_error(error);
		line = json_node_get_object(json_parser_get_root(parser));
		take_line(agent, line);
		if (!json_object_has_member(line, "mark"))
			continue;
		blank = strrchr(agent->phases->str, ' ');
		return blank ? blank + 1 : agent->phases->str;
	}
	return NULL;
}

void mem_agent_answer(MemAgent *agent)
{
	g_assert_cmpint(write(agent->ack, "!", 1), ==, 1);
}

void mem_agent_run_to(MemAgent *agent, const char *phase)
{
	const char *now;

	while ((now = mem_agent_next(agent)) && g_strcmp0(now, phase) != 0)
		mem_agent_answer(agent);
	g_assert_cmpstr(now, ==, phase);
}

int mem_agent_exit_status(MemAgent *agent)
{
	g_assert_true(g_subprocess_wait(agent->program, NULL, NULL));
	g_assert_true(g_subprocess_get_if_exited(agent->program));
	return g_subprocess_get_exit_status(agent->program);
}

MemAgent *mem_agent_whole_run(const char *arguments)
{
	MemAgent *agent = mem_agent_start(arguments);

	mem_agent_run_to(agent, NULL);
	g_assert_cmpstr(agent->fail, ==, NULL);
	g_assert_cmpint(mem_agent_exit_status(agent), ==, 0);
	g_assert_nonnull(agent->resolved);
	return agent;
}

char *mem_agent_pool(void)
{
	char *text = NULL;

	g_file_get_contents(RIG_HUGETLB_DIR "/nr_overcommit_hugepages", &text, NULL, NULL);
	return text;
}

gboolean mem_agent_skip_pool(gboolean wanted)
{
	if (!wanted || access(RIG_HUGETLB_DIR "/nr_overcommit_hugepages", W_OK) == 0)
		return FALSE;
	g_test_skip("the pool of 2 MiB surplus pages cannot be set here (needs root)");
	return TRUE;
}

gint64 mem_agent_int(JsonObject *object, const char *name)
{
	g_assert_true(json_object_has_member(object, name));
	return json_object_get_int_member(object, name);
}

double mem_agent_real(JsonObject *object, const char *name)
{
	g_assert_true(json_object_has_member(object, name));
	return json_object_get_double_member(object, name);
}
