/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * snapshot.c - reads the files of marks and samples into one stretch of memory.
 */
#include "snapshot.h"

#include "file.h"
#include "loop.h"
#include "source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* Address space, not memory: a page is there once something was noted in it. The reserves are
 * larger than the one file or line that may begin just before a limit. */
#define MEMORY_SIZE RIG_RUN_BYTES_MAX

const char *rig_snapshots_init(struct rig_snapshots *snapshots, const json_t *job)
{
	const char *wrong = NULL;

	*snapshots = (struct rig_snapshots){.follow = json_is_true(json_object_get(job, "follow"))};
	snapshots->memory = mmap(NULL, MEMORY_SIZE, PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (snapshots->memory == MAP_FAILED) {
		snapshots->memory = NULL;
		return "no memory for snapshots";
	}
	/* Huge pages of ours would be work for the kernel that is measured. */
	madvise(snapshots->memory, MEMORY_SIZE, MADV_NOHUGEPAGE);
	rig_family_children(getpid(), &snapshots->except);

	wrong = rig_sources_add_paths(&snapshots->files, json_object_get(job, "mark_files"), true);
	if (!wrong)
		wrong = rig_sources_add_paths(&snapshots->files,
					      json_object_get(job, "sample_files"), false);
	if (!wrong)
		wrong = rig_sources_add_names(&snapshots->task_files,
					      json_object_get(job, "task_mark_files"), true);
	if (!wrong)
		wrong = rig_sources_add_names(&snapshots->task_files,
					      json_object_get(job, "task_sample_files"), false);
	if (!wrong)
		rig_sources_open(&snapshots->files);
	return wrong;
}

static void close_tasks(struct rig_snapshots *snapshots)
{
	size_t count = snapshots->tasks.count * snapshots->task_files.count;

	for (size_t i = 0; snapshots->task_fds && i < count; i++)
		if (snapshots->task_fds[i] >= 0)
			close(snapshots->task_fds[i]);
	free(snapshots->task_fds);
	snapshots->task_fds = NULL;
}

void rig_snapshots_free(struct rig_snapshots *snapshots)
{
	close_tasks(snapshots);
	rig_pids_free(&snapshots->tasks);
	rig_pids_free(&snapshots->except);
	rig_sources_free(&snapshots->files);
	rig_sources_free(&snapshots->task_files);
	if (snapshots->memory)
		munmap(snapshots->memory, MEMORY_SIZE);
	snapshots->memory = NULL;
}

/* Half of the descriptors are left for everything else. */
static bool may_stay_open(size_t count)
{
	struct rlimit files;

	return getrlimit(RLIMIT_NOFILE, &files) == 0 && count <= files.rlim_cur / 2;
}

void rig_snapshots_watch(struct rig_snapshots *snapshots, const pid_t *tasks, size_t count)
{
	size_t fds = count * snapshots->task_files.count;
	pid_t *list = malloc((count + 1) * sizeof(*list));

	if (!list)
		return;
	close_tasks(snapshots);
	memcpy(list, tasks, count * sizeof(*list));
	rig_pids_free(&snapshots->tasks);
	snapshots->tasks = (struct rig_pids){.list = list, .count = count, .size = count + 1};
	/* A program that is followed may still exec, and an open numa_maps stays with the old
	 * address space. */
	if (!snapshots->follow && may_stay_open(fds))
		snapshots->task_fds = malloc((fds + 1) * sizeof(int));
	for (size_t i = 0; snapshots->task_fds && i < fds; i++)
		snapshots->task_fds[i] = -1;
}

static struct rig_entry *begin(struct rig_snapshots *snapshots, enum rig_entry_kind kind)
{
	struct rig_entry *entry = (struct rig_entry *)(snapshots->memory + snapshots->used);

	*entry = (struct rig_entry){.kind = kind};
	return entry;
}

static void end(struct rig_snapshots *snapshots, struct rig_entry *entry, size_t size)
{
	entry->size = size;
	snapshots->used += (sizeof(*entry) + size + 7) & ~(size_t)7;
}

/* Reads an open file into its place. False when it cannot be read (its task has ended). */
static bool keep_file(struct rig_snapshots *snapshots, int fd, const char *name, pid_t task)
{
	struct rig_entry *entry = begin(snapshots, RIG_ENTRY_FILE);
	ssize_t size = rig_file_read(fd, entry->data, RIG_FILE_MAX, &entry->cut);

	if (size < 0)
		return false;
	entry->name = name;
	entry->task = task;
	end(snapshots, entry, size);
	return true;
}

static bool wanted(const struct rig_source *source, bool is_mark)
{
	return is_mark ? source->at_mark : source->at_sample;
}

static void keep_global_files(struct rig_snapshots *snapshots, bool is_mark, size_t limit)
{
	for (size_t i = 0; i < snapshots->files.count && snapshots->used < limit; i++) {
		struct rig_source *source = &snapshots->files.list[i];

		if (!wanted(source, is_mark))
			continue;
		if (source->fd < 0)
			source->fd = rig_file_open(source->name);
		if (source->fd >= 0)
			keep_file(snapshots, source->fd, source->name, 0);
	}
}

/* /proc/<tid>/stat tells the times of the whole process, the file below task/ those of the
 * thread, which is what is asked for. */
static int open_task_file(pid_t tid, const char *name)
{
	char path[128];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", tid, tid, name);
	return rig_file_open(path);
}

static void keep_task_file(struct rig_snapshots *snapshots, size_t task, size_t file)
{
	int *kept = snapshots->task_fds
			    ? &snapshots->task_fds[task * snapshots->task_files.count + file]
			    : NULL;
	const char *name = snapshots->task_files.list[file].name;
	pid_t tid = snapshots->tasks.list[task];
	int fd = kept && *kept >= 0 ? *kept : open_task_file(tid, name);

	if (fd < 0)
		return;
	keep_file(snapshots, fd, name, tid);
	if (kept)
		*kept = fd;
	else
		close(fd);
}

static void keep_file_of_tasks(struct rig_snapshots *snapshots, size_t file, size_t limit)
{
	for (size_t task = 0; task < snapshots->tasks.count && snapshots->used < limit; task++)
		keep_task_file(snapshots, task, file);
}

static void sample_file_of_tasks(struct rig_snapshots *snapshots, size_t file, size_t limit)
{
	struct rig_source *source = &snapshots->task_files.list[file];
	uint64_t age = rig_clock_ns() - snapshots->start_ns, before = rig_cpu_ns();

	if (source->cost_ns > age / RIG_SAMPLE_SHARE)
		return;
	keep_file_of_tasks(snapshots, file, limit);
	source->cost_ns += rig_cpu_ns() - before;
}

static void keep_task_files(struct rig_snapshots *snapshots, bool is_mark, size_t limit)
{
	if (snapshots->follow)
		rig_family_threads(&snapshots->except, &snapshots->tasks, RIG_TASKS_MAX);
	for (size_t file = 0; file < snapshots->task_files.count; file++) {
		if (!wanted(&snapshots->task_files.list[file], is_mark))
			continue;
		if (is_mark)
			keep_file_of_tasks(snapshots, file, limit);
		else
			sample_file_of_tasks(snapshots, file, limit);
	}
}

/* False when the limit was reached before the end. */
static bool take(struct rig_snapshots *snapshots, enum rig_entry_kind kind, size_t limit)
{
	struct rig_entry *entry = begin(snapshots, kind);
	size_t len = strlen(snapshots->phase);

	entry->t_ns = rig_clock_ns();
	if (!snapshots->start_ns)
		snapshots->start_ns = entry->t_ns;
	memcpy(entry->data, snapshots->phase, len);
	end(snapshots, entry, len);
	keep_global_files(snapshots, kind == RIG_ENTRY_MARK, limit);
	keep_task_files(snapshots, kind == RIG_ENTRY_MARK, limit);
	return snapshots->used < limit;
}

void rig_snapshots_mark(struct rig_snapshots *snapshots, const char *phase)
{
	snprintf(snapshots->phase, sizeof(snapshots->phase), "%s", phase);
	if (snapshots->used < RIG_RUN_BYTES_MAX - RIG_MARK_RESERVE / 2) {
		snapshots->full |=
			!take(snapshots, RIG_ENTRY_MARK, RIG_RUN_BYTES_MAX - RIG_MARK_RESERVE);
		snapshots->snaps++;
	}
}

void rig_snapshots_sample(struct rig_snapshots *snapshots)
{
	size_t before = snapshots->used;

	if (snapshots->full)
		return;
	if (take(snapshots, RIG_ENTRY_SAMPLE, RIG_RUN_BYTES_MAX - RIG_SAMPLE_RESERVE)) {
		snapshots->snaps++;
		return;
	}
	/* Half a sample is none. */
	snapshots->used = before;
	snapshots->full = true;
}

void rig_snapshots_event(struct rig_snapshots *snapshots, const char *line, size_t len)
{
	struct rig_entry *entry = begin(snapshots, RIG_ENTRY_EVENT);

	if (snapshots->used >= RIG_RUN_BYTES_MAX - RIG_MARK_RESERVE / 2) {
		snapshots->full = true;
		return;
	}
	entry->t_ns = rig_clock_ns();
	memcpy(entry->data, line, len);
	end(snapshots, entry, len);
	snapshots->events++;
}

const struct rig_entry *rig_snapshots_entry(const struct rig_snapshots *snapshots, size_t *offset)
{
	const struct rig_entry *entry = (const struct rig_entry *)(snapshots->memory + *offset);

	if (*offset >= snapshots->used)
		return NULL;
	*offset += (sizeof(*entry) + entry->size + 7) & ~(size_t)7;
	return entry;
}
