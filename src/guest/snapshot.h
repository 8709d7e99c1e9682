/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.h - takes sets of files at marks and samples, and keeps them in memory until the run
 * is over.
 *
 * This is the only part of the agent that works while a program is measured. Everything that can
 * be done before is: names are found, files are opened, address space is there. A sample is one
 * pread(2) a file, straight into the place where the text stays.
 */
#pragma once

#include "../proto.h"
#include "family.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Of RIG_RUN_BYTES_MAX: samples stop short of it by the first, marks and control lines by the
 * second, so that the end of the story, output and kernel log always fit. */
#define RIG_SAMPLE_RESERVE (8 * 1024 * 1024)
#define RIG_MARK_RESERVE (4 * 1024 * 1024)

/* Of the time since the start, in samples a task's file may take 1/RIG_SAMPLE_SHARE of a CPU. One
 * that takes more (numa_maps walks every page of the task, with its mmap lock held) is left out of
 * some samples: what is measured is the program. */
#define RIG_SAMPLE_SHARE 500

enum rig_entry_kind {
	RIG_ENTRY_MARK,	  /* data: the phase's name */
	RIG_ENTRY_SAMPLE, /* data: the phase's name */
	RIG_ENTRY_FILE,	  /* data: the text of `name` at the mark or sample before it */
	RIG_ENTRY_EVENT,  /* data: one control line */
};

/* One thing that was noted, in the order of time. */
struct rig_entry {
	uint64_t t_ns;
	const char *name; /* of a file; belongs to the snapshots */
	uint32_t size;
	int32_t task; /* of a task's file, else 0 */
	uint8_t kind;
	bool cut;
	char data[];
};

/* A file that is read again and again. */
struct rig_source {
	char *name; /* path, or the name below /proc/<tid>/ */
	int fd;	    /* -1: not open */
	bool at_mark, at_sample;
	uint64_t cost_ns; /* CPU time that samples of it have taken, for all tasks */
};

struct rig_sources {
	struct rig_source *list;
	size_t count;
};

struct rig_snapshots {
	struct rig_sources files;
	struct rig_sources task_files; /* for each task */
	struct rig_pids tasks;
	int *task_fds; /* tasks x task_files, -1: not open; NULL: opened anew each time */
	bool follow;   /* the tasks are all descendants, found anew each time */
	struct rig_pids except;
	char phase[64];
	uint64_t start_ns; /* of the first snapshot */
	bool full;
	char *memory;
	size_t used;
	uint32_t snaps, events;
};

/* Prepares the snapshots of `job` (mark_files, sample_files, task_mark_files, task_sample_files,
 * follow): finds and opens the files. NULL, or what is wrong with the job; rig_snapshots_free()
 * is needed either way. */
const char *rig_snapshots_init(struct rig_snapshots *snapshots, const json_t *job);
void rig_snapshots_free(struct rig_snapshots *snapshots);

/* The tasks to watch from now on. */
void rig_snapshots_watch(struct rig_snapshots *snapshots, const pid_t *tasks, size_t count);

/* Takes a snapshot; a mark begins the phase `phase`. */
void rig_snapshots_mark(struct rig_snapshots *snapshots, const char *phase);
void rig_snapshots_sample(struct rig_snapshots *snapshots);

/* Notes a control line. */
void rig_snapshots_event(struct rig_snapshots *snapshots, const char *line, size_t len);

/* The entry at `*offset`, which is moved on to the next; NULL at the end. */
const struct rig_entry *rig_snapshots_entry(const struct rig_snapshots *snapshots, size_t *offset);
