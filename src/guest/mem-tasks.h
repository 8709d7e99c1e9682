/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-tasks.h - a crew: the processes and threads of one run, which all stop at gates until the
 * parent lets them on, and of which none may get lost unseen.
 */
#pragma once

#include "mem-args.h"

#include <signal.h>
#include <sys/types.h>

struct rig_crew;

/* What the processes and threads of a crew do. Both run in a child of the caller. */
struct rig_crew_work {
	/* Once in each process before its threads start; may be NULL. */
	void (*prepare)(struct rig_crew *crew, unsigned process, void *data);
	/* The body of task @index; every task must pass the same gates. */
	void (*task)(struct rig_crew *crew, unsigned index, void *data);
	void *data;
};

struct rig_crew_shared;

struct rig_crew {
	unsigned processes;
	unsigned threads; /* of one process */
	unsigned tasks;
	size_t report_size;
	const struct rig_crew_work *work;
	struct rig_crew_shared *shared; /* with the children */
	char *reports;			/* with the children: report_size bytes a task */
	pid_t *pids;			/* 0: reaped */
	pid_t parent;
	int arrived_fd;
	int signal_fd;
	sigset_t old_mask;
};

/*
 * Makes the shared memory of a crew; nothing runs yet. SIGCHLD, SIGTERM and SIGINT are blocked in
 * the caller from here to rig_crew_clear(). @report_size bytes a task (zeroed) are for its results.
 * All functions below that return bool give a message in @why (RIG_MEM_WHY_MAX bytes); when they
 * fail, every child is dead and reaped.
 */
bool rig_crew_init(struct rig_crew *crew, unsigned processes, unsigned threads, size_t report_size,
		   char *why);

/* Forks the processes. @work must live until rig_crew_finish(). */
bool rig_crew_start(struct rig_crew *crew, const struct rig_crew_work *work, char *why);

/* Parent: waits until all tasks stand at their next gate. A child that ends meanwhile is a failure.
 */
bool rig_crew_gather(struct rig_crew *crew, char *why);

/* Parent: lets all tasks go on from the gate where they were gathered. */
void rig_crew_release(struct rig_crew *crew);

/* Parent: waits for the clean end of all children. */
bool rig_crew_finish(struct rig_crew *crew, char *why);

/* Kills and reaps what still runs, frees the memory, restores the signal mask. */
void rig_crew_clear(struct rig_crew *crew);

/* Task: stops until the parent releases. */
void rig_crew_gate(struct rig_crew *crew);

/* Task: ends its whole process; the parent's failure message will be @format. */
__attribute__((noreturn, format(printf, 3, 4))) void
rig_crew_fail(struct rig_crew *crew, unsigned index, const char *format, ...);

/* The results of task @index, valid in parent and child. */
void *rig_crew_report(const struct rig_crew *crew, unsigned index);

/* Ids of task @index, known to the parent from its first gate on. */
pid_t rig_crew_pid(const struct rig_crew *crew, unsigned index);
pid_t rig_crew_tid(const struct rig_crew *crew, unsigned index);
