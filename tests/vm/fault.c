/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault.c - a user's program that does the guest harm, one way for each detector of rig.
 *
 * Injected by a workload file like any user's binary: it knows nothing of the control protocol.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(9);
	close(fd);
}

static int good(void)
{
	printf("score: 41.5\nscore: 0.5\n");
	return 0;
}

static int panic(void)
{
	put("/proc/sys/kernel/sysrq", "1");
	put("/proc/sysrq-trigger", "c");
	return 0;
}

/* Every CPU spins above everything else, so the agent's heartbeat stops. */
static int hang(void)
{
	struct sched_param top = {.sched_priority = 99};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	put("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	for (long i = 0; i < cpus; i++) {
		if (fork() == 0) {
			cpu_set_t one;
			CPU_ZERO(&one);
			CPU_SET(i, &one);
			sched_setaffinity(0, sizeof(one), &one);
			sched_setscheduler(0, SCHED_FIFO, &top);
			for (;;)
				;
		}
	}
	pause();
	return 0;
}

/* Far more than the guest has: its OOM killer has to act. */
static int oom(void)
{
	for (;;) {
		char *p = mmap(NULL, 1 << 26, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (p == MAP_FAILED)
			return 8;
		memset(p, 1, 1 << 26);
	}
}

static int escape(void)
{
	printf("\033]0;owned\007\033[2Jscore: 1\n");
	fprintf(stderr, "\033[31mred\n");
	return 5;
}

static int killed(void)
{
	raise(SIGSEGV);
	return 0;
}

static int sleeper(void)
{
	signal(SIGTERM, SIG_IGN);
	while (1)
		pause();
	return 0;
}

static int silent(void)
{
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int (*run)(void);
	} modes[] = {{"good", good},	 {"panic", panic},   {"hang", hang},
		     {"oom", oom},	 {"escape", escape}, {"killed", killed},
		     {"sleep", sleeper}, {"silent", silent}};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc == 2 && strncmp(argv[1], "--mode=", 7) == 0 &&
		    strcmp(argv[1] + 7, modes[i].name) == 0)
			return modes[i].run();
	fprintf(stderr, "fault: unknown mode\n");
	return 2;
}
