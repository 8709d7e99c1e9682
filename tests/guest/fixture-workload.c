/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fixture-workload.c - a workload program for test-agent.c that behaves, or misbehaves in one way:
 * fixture-workload MODE [FILE]. Whatever it starts ends by itself after a while.
 */
#include "proto.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* No test waits that long; nothing stays for good if the agent does not do its part. */
#define LIFETIME_S 30

#define FORKS 300

static int descriptor(const char *name)
{
	const char *value = getenv(name);

	if (!value)
		exit(3);
	return atoi(value);
}

__attribute__((format(printf, 1, 2))) static void say(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vdprintf(descriptor(RIG_ENV_CONTROL_FD), format, args);
	va_end(args);
}

static void await_ack(void)
{
	char byte;

	if (read(descriptor(RIG_ENV_ACK_FD), &byte, 1) != 1)
		exit(4);
}

static void mark(const char *phase)
{
	say("{\"mark\": \"%s\"}\n", phase);
	await_ack();
}

static void mark_self(const char *phase)
{
	say("{\"mark\": \"%s\", \"tasks\": [%d]}\n", phase, getpid());
	await_ack();
}

static int good(void)
{
	say("{\"resolved\": {\"tasks\": 1}}\n");
	mark_self("copy");
	usleep(350000);
	mark("access");
	printf("said on stdout\n");
	fprintf(stderr, "said on stderr\n");
	say("{\"result\": {\"task\": 0, \"kbps\": 1.5}}\n");
	return 0;
}

static int crash(void)
{
	mark("copy");
	raise(SIGABRT);
	return 0;
}

static int fail(void)
{
	say("{\"fail\": \"a task was lost\"}\n");
	return 1;
}

static void terminated(int signo)
{
	static const char text[] = "terminated\n";

	_exit(write(STDOUT_FILENO, text, sizeof(text) - 1) < 0);
}

static int linger(void)
{
	mark("access");
	sleep(LIFETIME_S);
	return 0;
}

/* Ends at once when it is asked to, and says so. */
static int hang(void)
{
	signal(SIGTERM, terminated);
	return linger();
}

static int stubborn(void)
{
	signal(SIGTERM, SIG_IGN);
	return linger();
}

static int babble(void)
{
	char text[1000];

	memset(text, 'x', sizeof(text));
	for (int i = 0; i < 100; i++)
		if (write(descriptor(RIG_ENV_CONTROL_FD), text, sizeof(text)) < 0)
			return 0;
	sleep(LIFETIME_S);
	return 0;
}

static int garbage(void)
{
	say("%s\n%s\n%s\n", "not json", "{\"mark\": 7}", "[\"mark\"]");
	mark("real");
	return 0;
}

/* Each in a session of its own, so that the process group alone does not reach them. */
static void multiply(int depth)
{
	for (int i = 0; i < FORKS; i++) {
		if (fork() == 0) {
			setsid();
			if (depth && fork() == 0)
				_exit(0);
			sleep(LIFETIME_S);
			_exit(0);
		}
	}
}

static int breed(void)
{
	multiply(1);
	return 0;
}

static int leave(void)
{
	mark("leave");
	if (fork() == 0) {
		setsid();
		if (fork() == 0)
			sleep(LIFETIME_S);
		_exit(0);
	}
	return 0;
}

static int flood(void)
{
	char block[4096];

	memset(block, 'o', sizeof(block));
	for (int i = 0; i < 768; i++)
		if (write(1, block, sizeof(block)) < 0)
			return 1;
	return 0;
}

/* The phase tells whether the setting was there while the program ran. */
static int show(const char *path)
{
	char text[33] = "";
	FILE *file = fopen(path, "r");

	if (!file || !fgets(text, sizeof(text), file))
		return 1;
	mark(text);
	return 0;
}

/* Small pages by the ten thousands: a numa_maps that takes its time. */
static int large(void)
{
	size_t size = 128 << 20;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED || madvise(memory, size, MADV_NOHUGEPAGE))
		return 1;
	memset(memory, 1, size);
	mark_self("large");
	usleep(1500000);
	return 0;
}

static int family(void)
{
	pid_t child = fork();

	if (child == 0) {
		usleep(600000);
		_exit(0);
	}
	usleep(600000);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {
		{"good", good},		{"crash", crash},   {"fail", fail},	  {"hang", hang},
		{"stubborn", stubborn}, {"babble", babble}, {"garbage", garbage}, {"breed", breed},
		{"leave", leave},	{"flood", flood},   {"family", family},	  {"large", large},
	};

	if (argc == 3 && !strcmp(argv[1], "show"))
		return show(argv[2]);
	for (size_t i = 0; argc == 2 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (!strcmp(argv[1], modes[i].name))
			return modes[i].run();
	return 5;
}
