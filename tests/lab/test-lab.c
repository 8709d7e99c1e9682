/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-lab.c - the real path: KVM and two host nodes, in a host that rig itself boots.
 *
 * The tests are in a child, so that the lab is taken down when one of them fails.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "lab.h"

static int run_tests(void)
{
	Lab lab = {0};
	int result;

	lab_start(&lab);
	lab_add_placement_tests(&lab);
	lab_add_run_tests(&lab);
	lab_add_refusal_tests(&lab);
	lab_add_connection_tests(&lab);
	result = g_test_run();
	lab_stop(&lab);
	return result;
}

int main(int argc, char **argv)
{
	Lab lab = {0};
	int status = 0;
	pid_t pid;

	g_test_init(&argc, &argv, NULL);
	pid = fork();
	if (pid == 0)
		return run_tests();
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (!g_getenv("RIG_LAB_KEEP")) {
		cli_setup_real(&lab.outer);
		cli_rig(&lab.outer, "down", LAB_NAME, NULL);
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
