/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-mem-control.c - the control lines and the overcommit pool of rig-mem.
 */
#include "guest/mem-args.h"
#include "guest/mem-control.h"
#include "guest/mem-hugetlb.h"

#include <glib.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static void test_pool(void)
{
	g_autofree char *dir = g_dir_make_tmp("rig-mem-XXXXXX", NULL);
	g_autofree char *limit = g_build_filename(dir, "nr_overcommit_hugepages", NULL);
	g_autofree char *text = NULL;
	struct rig_hugetlb_pool pool;
	char why[RIG_MEM_WHY_MAX];

	g_assert_false(rig_hugetlb_pool_set(&pool, dir, 5, why));
	g_assert_nonnull(strstr(why, dir));
	rig_hugetlb_pool_restore(&pool);
	g_assert_false(g_file_test(limit, G_FILE_TEST_EXISTS));

	g_assert_true(g_file_set_contents(limit, "3\n", -1, NULL));
	g_assert_true(rig_hugetlb_pool_set(&pool, dir, 105, why));
	g_assert_true(g_file_get_contents(limit, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "105\n");
	rig_hugetlb_pool_restore(&pool);
	g_clear_pointer(&text, g_free);
	g_assert_true(g_file_get_contents(limit, &text, NULL, NULL));
	g_assert_cmpstr(text, ==, "3\n");
	g_unlink(limit);
	g_rmdir(dir);
}

/* What @control has written to the pipe whose other end is @fd. */
static char *written(int fd)
{
	char buffer[2 * RIG_CONTROL_LINE_MAX];
	ssize_t count = read(fd, buffer, sizeof(buffer));

	g_assert_cmpint(count, >, 0);
	return g_strndup(buffer, (gsize)count);
}

static void test_control_lines(void)
{
	struct rig_control control = {.ack = -1};
	int fds[2];

	g_assert_cmpint(pipe(fds), ==, 0);
	control.out = fds[1];
	{
		const pid_t tasks[] = {117, 118};
		g_autofree char *line = NULL;

		g_assert_true(rig_control_mark(&control, "copy", tasks, 2));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"mark\": \"copy\", \"tasks\": [117,118]}\n");
	}
	{
		g_autofree char *line = NULL;

		rig_control_begin(&control, "result");
		rig_control_add(&control, "task", 0);
		rig_control_add_real(&control, "kbps", 1.5);
		g_assert_true(rig_control_send(&control));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"result\": {\"task\": 0, \"kbps\": 1.500000}}\n");
	}
	{
		g_autofree char *line = NULL;

		g_assert_true(rig_control_fail(&control, "a \"b\" \\ \x1b[1m\xc3"));
		line = written(fds[0]);
		g_assert_cmpstr(line, ==, "{\"fail\": \"a \\\"b\\\" \\\\ ?[1m?\"}\n");
	}
	close(fds[0]);
	close(fds[1]);
}

static void test_control_many_tasks(void)
{
	struct rig_control control = {.ack = -1};
	pid_t tasks[RIG_TASKS_MAX];
	g_autofree char *line = NULL;
	int fds[2];

	for (int i = 0; i < RIG_TASKS_MAX; i++)
		tasks[i] = 4194303 - i;
	g_assert_cmpint(pipe(fds), ==, 0);
	control.out = fds[1];
	g_assert_true(rig_control_mark(&control, "access", tasks, RIG_TASKS_MAX));
	line = written(fds[0]);
	g_assert_cmpuint(strlen(line), <=, RIG_CONTROL_LINE_MAX);
	g_assert_true(g_str_has_suffix(line, "]}\n"));
	g_assert_nonnull(strstr(line, "4194303"));
	close(fds[0]);
	close(fds[1]);
}

static void test_control_answer(void)
{
	struct rig_control control = {0};
	int lines[2];
	int acks[2];

	g_assert_cmpint(pipe(lines), ==, 0);
	g_assert_cmpint(pipe(acks), ==, 0);
	control.out = lines[1];
	control.ack = acks[0];
	g_assert_cmpint(write(acks[1], "!", 1), ==, 1);
	g_assert_true(rig_control_mark(&control, "setup", NULL, 0));
	close(acks[1]);
	g_assert_false(rig_control_mark(&control, "populate", NULL, 0));
	close(acks[0]);
	close(lines[0]);
	close(lines[1]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/mem/pool", test_pool);
	g_test_add_func("/mem/control/lines", test_control_lines);
	g_test_add_func("/mem/control/many-tasks", test_control_many_tasks);
	g_test_add_func("/mem/control/answer", test_control_answer);
	return g_test_run();
}
