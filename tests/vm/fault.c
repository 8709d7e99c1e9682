/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault.c - a user's program that does the guest harm, one way for each detector of rig.
 *
 * Injected by a workload file like any user's binary: it knows nothing of the control protocol.
 */
#include "fault.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

void put(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		exit(9);
	close(fd);
}

static void stay_on(int cpu)
{
	cpu_set_t one;

	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	sched_setaffinity(0, sizeof(one), &one);
}

pid_t start_on(int cpu, void (*work)(int cpu))
{
	pid_t pid = fork();

	if (pid == 0) {
		stay_on(cpu);
		work(cpu);
		exit(9);
	}
	return pid;
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

static void spin_on_top(int cpu)
{
	struct sched_param top = {.sched_priority = 99};

	sched_setscheduler(0, SCHED_FIFO, &top);
	for (;;)
		;
}

/* Every CPU spins above everything else, so the agent's heartbeat stops. */
static int hang(void)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);

	put("/proc/sys/kernel/sched_rt_runtime_us", "-1");
	for (int i = 0; i < cpus; i++)
		start_on(i, spin_on_top);
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

/* With itself exempt there is nobody left whom the OOM killer may kill: the agent is exempt, too.
 */
static int oom_all(void)
{
	put("/proc/self/oom_score_adj", "-1000");
	return oom();
}

/* Every child forks as well. Those that cannot try again. */
static int bomb(void)
{
	while (1)
		fork();
	return 0;
}

/* Till nothing more fits onto the root, and stays there. */
static int fill(void)
{
	static char zeros[1 << 20];
	int fd = open("/fill", O_WRONLY | O_CREAT | O_EXCL, 0600);

	memset(zeros, 'x', sizeof(zeros));
	while (write(fd, zeros, sizeof(zeros)) > 0)
		;
	if (errno != ENOSPC)
		return 9;
	fprintf(stderr, "fault: the disk is full\n");
	return 7;
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
	} modes[] = {
		{"good", good},
		{"panic", panic},
		{"hang", hang},
		{"oom", oom},
		{"oom-all", oom_all},
		{"bomb", bomb},
		{"fill", fill},
		{"escape", escape},
		{"killed", killed},
		{"sleep", sleeper},
		{"silent", silent},
		{"null-pointer", null_pointer},
		{"null-pointer-panic", null_pointer_panic},
		{"soft-lockup", soft_lockup},
		{"interrupts-off", interrupts_off},
		{"agent-mute", agent_mute},
		{"agent-killed", agent_killed},
		{"agent-broken", agent_broken},
		{"agent-bytes", agent_bytes},
		{"agent-long", agent_long},
		{"agent-escapes", agent_escapes},
		{"agent-order", agent_order},
		{"agent-count", agent_count},
		{"agent-flood", agent_flood},
		{"agent-version", agent_version},
	};

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (argc == 2 && strncmp(argv[1], "--mode=", 7) == 0 &&
		    strcmp(argv[1] + 7, modes[i].name) == 0)
			return modes[i].run();
	fprintf(stderr, "fault: unknown mode\n");
	return 2;
}
