/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault-agent.c - an agent that cannot be trusted, in a real guest.
 *
 * The agent is stopped as a debugger stops it, and its port is borrowed: what rig hears comes over
 * the real channel. With the end of this program the agent goes on, if rig still wants it.
 */
#include "fault.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STUCK_MS 3000
/* rig counts its requests from 1 in each session. */
#define IDS_MAX 12

static void stop_agent(void)
{
	if (ptrace(PTRACE_ATTACH, 1, NULL, NULL) < 0 || waitpid(1, NULL, __WALL) != 1) {
		perror("fault: cannot stop the agent");
		exit(9);
	}
}

/* A second descriptor of the port that the agent has open; opening it again is refused. */
static int borrow_port(void)
{
	int agent = syscall(SYS_pidfd_open, 1, 0);

	for (int fd = 3; fd < 64; fd++) {
		char path[64], target[64] = "";

		snprintf(path, sizeof(path), "/proc/1/fd/%d", fd);
		if (readlink(path, target, sizeof(target) - 1) > 0 && strstr(target, "vport"))
			return syscall(SYS_pidfd_getfd, agent, fd, 0);
	}
	fprintf(stderr, "fault: the agent has no port\n");
	exit(9);
}

/* FALSE once nobody has taken anything for a while. */
static int say_bytes(int port, const char *text, size_t length)
{
	while (length > 0) {
		struct pollfd wait = {.fd = port, .events = POLLOUT};
		ssize_t n = write(port, text, length);

		if (n > 0) {
			text += n;
			length -= n;
		} else if (poll(&wait, 1, STUCK_MS) <= 0) {
			return 0;
		}
	}
	return 1;
}

static void say(int port, const char *text)
{
	say_bytes(port, text, strlen(text));
}

/* Every request that there may be is answered by a message of REST. */
static void answer(int port, const char *rest)
{
	char line[512];

	for (int id = 1; id <= IDS_MAX; id++) {
		snprintf(line, sizeof(line), "{\"id\": %d, %s}\n", id, rest);
		say(port, line);
	}
}

static int lie(void)
{
	stop_agent();
	return borrow_port();
}

/* rig has time to hear it before the agent speaks again. */
static int leave_it(void)
{
	sleep(1);
	return 0;
}

int agent_mute(void)
{
	stop_agent();
	for (;;)
		pause();
}

int agent_killed(void)
{
	static const char illegal[4096] = {0};
	FILE *maps = fopen("/proc/1/maps", "r");
	int memory = open("/proc/1/mem", O_RDWR);
	unsigned long from, to;
	char line[512];

	while (maps && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, "r-xp") || !strstr(line, "rig-agent") ||
		    sscanf(line, "%lx-%lx", &from, &to) != 2)
			continue;
		for (; from < to; from += sizeof(illegal))
			if (pwrite(memory, illegal, sizeof(illegal), from) < 0)
				return 9;
	}
	pause();
	return 9;
}

int agent_broken(void)
{
	say(lie(), "{\"type\": \"exit\", \"id\": \n");
	return leave_it();
}

int agent_bytes(void)
{
	answer(lie(), "\"type\": \"exit\", \"code\": 0, \"x\": \"\xc3\xff\xfe\"");
	return leave_it();
}

int agent_long(void)
{
	char *line = malloc(100000);
	int port = lie();

	memset(line, 'x', 100000);
	say_bytes(port, line, 100000);
	return leave_it();
}

int agent_escapes(void)
{
	answer(lie(), "\"type\": \"error\", \"code\": \"io\", \"message\": "
		      "\"\\u001b]0;owned\\u0007\\u001b[2J\"");
	return leave_it();
}

int agent_order(void)
{
	int port = lie();

	say(port, "{\"type\": \"exit\", \"id\": 4711, \"code\": 0}\n"
		  "{\"type\": \"done\", \"id\": 0, \"code\": 0}\n"
		  "{\"type\": \"phase\", \"id\": 4712, \"phase\": \"copy\"}\n");
	answer(port, "\"type\": \"hello\", \"session\": \"\", \"protocol\": 1");
	return leave_it();
}

int agent_count(void)
{
	answer(lie(), "\"type\": \"done\", \"code\": 0, \"start_ns\": 1, "
		      "\"end_ns\": 2, \"snaps\": 7, \"events\": 0, \"agent_cpu_ns\": 1, "
		      "\"full\": false");
	return leave_it();
}

/* Files of a run; nobody checks what is in them before all of it has come. */
int agent_flood(void)
{
	static const long total = 2L << 30;
	static char line[65536];
	int port = lie();

	for (long sent = 0; sent < total; sent += 32768) {
		int id = 2 + sent / 32768 % (IDS_MAX - 1);
		char *end = line + sprintf(line,
					   "{\"type\": \"data\", \"id\": %d, \"stream\": "
					   "\"out\", \"data\": \"",
					   id);

		memset(end, 'A', 43688);
		strcpy(end + 43688, "\"}\n");
		if (!say_bytes(port, line, strlen(line)))
			break;
	}
	return leave_it();
}

/* The line that rig begins a session with, of whichever rig comes next. */
static void await_hello(int port, char *session)
{
	char text[65536];
	size_t length = 0;

	for (;;) {
		struct pollfd wait = {.fd = port, .events = POLLIN};
		char *at;
		ssize_t n;

		poll(&wait, 1, 100);
		n = read(port, text + length, sizeof(text) - 1 - length);
		if (n <= 0) {
			/* Without a host a port is always ready. */
			usleep(20000);
			continue;
		}
		length += n;
		text[length] = '\0';
		at = strstr(text, "\"session\":");
		if (at && strchr(at, '}') && sscanf(at, "\"session\": \"%32[0-9a-f]", session) == 1)
			return;
		if (length > sizeof(text) / 2)
			length = 0;
	}
}

/* In the background: the request that started it has to be answered first. */
int agent_version(void)
{
	char session[33], line[256];
	int port;

	if (fork() > 0)
		return 0;
	setsid();
	sleep(1);
	port = lie();

	await_hello(port, session);
	snprintf(line, sizeof(line),
		 "{\"type\": \"hello\", \"id\": 1, \"session\": \"%s\", \"protocol\": 99}\n",
		 session);
	say(port, line);
	return leave_it();
}
