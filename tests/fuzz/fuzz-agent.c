/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-agent.c - whatever a guest may send to rig's client of the agent, in a hello, a read, an
 * exec and a run.
 *
 * The first byte, a digit, says which; all the rest is what the guest says before it is gone. A
 * request of the client gets id 1, so an input that answers id 1 goes deep.
 */
#include <fcntl.h>
#include <stdint.h>
#include <sys/socket.h>
#include <unistd.h>

#include "vm/agent.h"

/* What a socket takes without a reader. */
#define SIZE_MAX_FED 100000

static void ask(RigAgent *agent, unsigned which, int null)
{
	static const char *const words[] = {"x", NULL};
	gint64 deadline = g_get_monotonic_time() + G_USEC_PER_SEC;
	g_autoptr(GPtrArray) files = NULL;
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	int number;

	switch ((which - '0') % 5) {
	case 0:
		(void)!rig_agent_hello(agent, deadline, NULL);
		break;
	case 1:
		files = rig_agent_read(agent, words, NULL);
		break;
	case 2:
		(void)!rig_agent_exec(agent, words, -1, null, null, &number, NULL);
		break;
	case 3:
		(void)!rig_agent_get(agent, "/x", null, &number, NULL);
		break;
	default:
		(void)!rig_agent_run(agent, "{}", run, deadline, NULL, NULL, NULL);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(RigAgent) agent = NULL;
	int fds[2], null;

	if (size < 1 || size > SIZE_MAX_FED || socketpair(AF_UNIX, SOCK_STREAM, 0, fds) < 0)
		return 0;
	null = open("/dev/null", O_WRONLY);
	if (send(fds[1], data + 1, size - 1, MSG_DONTWAIT) >= 0) {
		shutdown(fds[1], SHUT_WR);
		agent = rig_agent_new(rig_channel_new(fds[0]), 1000, NULL);
		ask(agent, data[0], null);
	} else {
		close(fds[0]);
	}
	close(fds[1]);
	close(null);
	return 0;
}
