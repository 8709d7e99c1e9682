/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-tasks.c - starts and stops the tasks of a run. Tasks wait on a futex in shared memory; the
 * parent sleeps in poll(2) on an eventfd (all have arrived) and a signalfd (a child ended, or we
 * were told to stop), so that nothing wakes up during a measured phase and nobody waits for the
 * dead.
 */
#include "mem-tasks.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CACHE_LINE 64

struct task_slot {
	_Atomic pid_t pid;
	_Atomic pid_t tid;
};

/* Start of a shared mapping that the slots and the reports follow. */
struct rig_crew_shared {
	_Alignas(CACHE_LINE) _Atomic uint32_t stage; /* the futex: goes up at each release */
	_Alignas(CACHE_LINE) _Atomic uint32_t arrived;
	_Atomic uint32_t failed; /* the text below is taken */
	char failure[RIG_MEM_WHY_MAX];
	size_t bytes;
	struct task_slot slots[];
};

struct thread_start {
	struct rig_crew *crew;
	unsigned index;
};

static size_t round_to_line(size_t bytes)
{
	return (bytes + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

static bool map_shared(struct rig_crew *crew)
{
	size_t head =
		round_to_line(sizeof(*crew->shared) + crew->tasks * sizeof(crew->shared->slots[0]));
	size_t bytes = head + crew->tasks * crew->report_size;
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return false;
	crew->shared = memory;
	crew->shared->bytes = bytes;
	crew->reports = (char *)memory + head;
	return true;
}

static bool open_signals(struct rig_crew *crew)
{
	sigset_t mask;

	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigaddset(&mask, SIGINT);
	sigprocmask(SIG_BLOCK, &mask, &crew->old_mask);
	crew->signal_fd = signalfd(-1, &mask, SFD_CLOEXEC | SFD_NONBLOCK);
	crew->arrived_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return crew->signal_fd >= 0 && crew->arrived_fd >= 0;
}

bool rig_crew_init(struct rig_crew *crew, unsigned processes, unsigned threads, size_t report_size,
		   char *why)
{
	*crew = (struct rig_crew){
		.processes = processes,
		.threads = threads,
		.tasks = processes * threads,
		.report_size = round_to_line(report_size),
		.pids = calloc(processes, sizeof(pid_t)),
		.parent = getpid(),
	};
	if (open_signals(crew) && crew->pids && map_shared(crew))
		return true;
	snprintf(why, RIG_MEM_WHY_MAX, "cannot prepare %u tasks: %s", crew->tasks, strerror(errno));
	rig_crew_clear(crew);
	return false;
}

void *rig_crew_report(const struct rig_crew *crew, unsigned index)
{
	return crew->reports + index * crew->report_size;
}

pid_t rig_crew_pid(const struct rig_crew *crew, unsigned index)
{
	return atomic_load(&crew->shared->slots[index].pid);
}

pid_t rig_crew_tid(const struct rig_crew *crew, unsigned index)
{
	return atomic_load(&crew->shared->slots[index].tid);
}

void rig_crew_fail(struct rig_crew *crew, unsigned index, const char *format, ...)
{
	char text[RIG_MEM_WHY_MAX - 32];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	if (atomic_exchange(&crew->shared->failed, 1) == 0)
		snprintf(crew->shared->failure, RIG_MEM_WHY_MAX, "task %u: %s", index, text);
	_exit(1);
}

void rig_crew_gate(struct rig_crew *crew)
{
	struct rig_crew_shared *shared = crew->shared;
	uint32_t stage = atomic_load(&shared->stage);

	if (atomic_fetch_add(&shared->arrived, 1) + 1 == crew->tasks)
		eventfd_write(crew->arrived_fd, 1);
	while (atomic_load(&shared->stage) == stage)
		syscall(SYS_futex, &shared->stage, FUTEX_WAIT, stage, NULL, NULL, 0);
}

void rig_crew_release(struct rig_crew *crew)
{
	struct rig_crew_shared *shared = crew->shared;

	atomic_store(&shared->arrived, 0);
	atomic_fetch_add(&shared->stage, 1);
	syscall(SYS_futex, &shared->stage, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

static void run_task(struct rig_crew *crew, unsigned index)
{
	atomic_store(&crew->shared->slots[index].pid, getpid());
	atomic_store(&crew->shared->slots[index].tid, (pid_t)syscall(SYS_gettid));
	crew->work->task(crew, index, crew->work->data);
}

static void *thread_main(void *data)
{
	struct thread_start *start = data;

	run_task(start->crew, start->index);
	return NULL;
}

static void run_threads(struct rig_crew *crew, unsigned first)
{
	struct thread_start *starts = calloc(crew->threads, sizeof(*starts));
	pthread_t *threads = calloc(crew->threads, sizeof(*threads));

	if (!starts || !threads)
		rig_crew_fail(crew, first, "no memory for %u threads", crew->threads);
	for (unsigned i = 0; i < crew->threads; i++) {
		int error;

		starts[i] = (struct thread_start){.crew = crew, .index = first + i};
		error = pthread_create(&threads[i], NULL, thread_main, &starts[i]);
		if (error)
			rig_crew_fail(crew, first + i, "cannot start its thread: %s",
				      strerror(error));
	}
	for (unsigned i = 0; i < crew->threads; i++)
		pthread_join(threads[i], NULL);
	free(threads);
	free(starts);
}

__attribute__((noreturn)) static void child_main(struct rig_crew *crew, unsigned process)
{
	const struct rlimit no_core = {0, 0};
	unsigned first = process * crew->threads;

	/* A parent that is gone already sends no death signal any more. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != crew->parent)
		_exit(1);
	close(crew->signal_fd);
	sigprocmask(SIG_SETMASK, &crew->old_mask, NULL);
	setrlimit(RLIMIT_CORE, &no_core);
	if (crew->work->prepare)
		crew->work->prepare(crew, process, crew->work->data);
	if (crew->threads == 1)
		run_task(crew, first);
	else
		run_threads(crew, first);
	_exit(0);
}

static void kill_all(struct rig_crew *crew)
{
	for (unsigned i = 0; i < crew->processes; i++)
		if (crew->pids[i] > 0)
			kill(crew->pids[i], SIGKILL);
	for (unsigned i = 0; i < crew->processes; i++) {
		if (crew->pids[i] > 0)
			while (waitpid(crew->pids[i], NULL, 0) < 0 && errno == EINTR)
				continue;
		crew->pids[i] = 0;
	}
}

bool rig_crew_start(struct rig_crew *crew, const struct rig_crew_work *work, char *why)
{
	crew->work = work;
	fflush(NULL);
	for (unsigned i = 0; i < crew->processes; i++) {
		pid_t pid = fork();

		if (pid == 0)
			child_main(crew, i);
		if (pid < 0) {
			snprintf(why, RIG_MEM_WHY_MAX, "cannot fork child %u: %s", i,
				 strerror(errno));
			kill_all(crew);
			return false;
		}
		crew->pids[i] = pid;
	}
	return true;
}

static const char *usual_cause(int signal_number)
{
	if (signal_number == SIGBUS)
		return " (short hugetlb pool?)";
	return signal_number == SIGKILL ? " (out of memory?)" : "";
}

/* What the end of child @process means; false if it ended well. */
static bool describe_end(const struct rig_crew *crew, unsigned process, int status, char *why)
{
	if (WIFSIGNALED(status))
		snprintf(why, RIG_MEM_WHY_MAX, "child %u was killed by signal %d%s", process,
			 WTERMSIG(status), usual_cause(WTERMSIG(status)));
	else if (atomic_load(&crew->shared->failed))
		memcpy(why, crew->shared->failure, RIG_MEM_WHY_MAX);
	else if (WEXITSTATUS(status) != 0)
		snprintf(why, RIG_MEM_WHY_MAX, "child %u ended with status %d", process,
			 WEXITSTATUS(status));
	else
		return false;
	why[RIG_MEM_WHY_MAX - 1] = '\0';
	return true;
}

/* Reaps every child that has ended. False if one ended badly, or at all where none @may_end. */
static bool reap_ended(struct rig_crew *crew, bool may_end, unsigned *running, char *why)
{
	*running = 0;
	for (unsigned i = 0; i < crew->processes; i++) {
		int status = 0;

		if (crew->pids[i] == 0)
			continue;
		if (waitpid(crew->pids[i], &status, WNOHANG) != crew->pids[i]) {
			++*running;
			continue;
		}
		crew->pids[i] = 0;
		if (describe_end(crew, i, status, why))
			return false;
		if (!may_end) {
			snprintf(why, RIG_MEM_WHY_MAX, "child %u ended before its work", i);
			return false;
		}
	}
	return true;
}

/* Empties the signalfd. False if a signal asks us to stop. */
static bool drain_signals(struct rig_crew *crew, char *why)
{
	struct signalfd_siginfo info;

	while (read(crew->signal_fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD) {
			snprintf(why, RIG_MEM_WHY_MAX, "told to stop by signal %u", info.ssi_signo);
			return false;
		}
	return true;
}

bool rig_crew_gather(struct rig_crew *crew, char *why)
{
	unsigned running;

	for (;;) {
		struct pollfd fds[] = {{.fd = crew->arrived_fd, .events = POLLIN},
				       {.fd = crew->signal_fd, .events = POLLIN}};
		eventfd_t value;

		if (poll(fds, 2, -1) < 0 && errno != EINTR) {
			snprintf(why, RIG_MEM_WHY_MAX, "cannot wait: %s", strerror(errno));
			break;
		}
		if (!drain_signals(crew, why) || !reap_ended(crew, false, &running, why))
			break;
		if (eventfd_read(crew->arrived_fd, &value) == 0)
			return true;
	}
	kill_all(crew);
	return false;
}

bool rig_crew_finish(struct rig_crew *crew, char *why)
{
	for (;;) {
		struct pollfd fd = {.fd = crew->signal_fd, .events = POLLIN};
		unsigned running;

		if (!drain_signals(crew, why) || !reap_ended(crew, true, &running, why))
			break;
		if (running == 0)
			return true;
		poll(&fd, 1, -1);
	}
	kill_all(crew);
	return false;
}

void rig_crew_clear(struct rig_crew *crew)
{
	if (crew->pids)
		kill_all(crew);
	free(crew->pids);
	if (crew->shared)
		munmap(crew->shared, crew->shared->bytes);
	if (crew->signal_fd > 0)
		close(crew->signal_fd);
	if (crew->arrived_fd > 0)
		close(crew->arrived_fd);
	sigprocmask(SIG_SETMASK, &crew->old_mask, NULL);
	*crew = (struct rig_crew){0};
}
