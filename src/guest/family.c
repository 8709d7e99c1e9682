/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * family.c - finds processes by descent in /proc.
 *
 * The agent is process 1 or a subreaper: a process whose parent ends becomes the agent's child, so
 * nothing that a program starts gets out of reach.
 */
#include "family.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static bool contains(const struct rig_pids *pids, pid_t pid)
{
	for (size_t i = 0; i < pids->count; i++)
		if (pids->list[i] == pid)
			return true;
	return false;
}

static void add(struct rig_pids *pids, pid_t pid)
{
	if (pids->count == pids->size) {
		size_t size = pids->size ? 2 * pids->size : 64;
		pid_t *list = realloc(pids->list, size * sizeof(*list));

		if (!list)
			return;
		pids->list = list;
		pids->size = size;
	}
	pids->list[pids->count++] = pid;
}

static void add_numbers(struct rig_pids *pids, char *text)
{
	for (char *end; *text; text = end) {
		long pid = strtol(text, &end, 10);

		if (end == text)
			return;
		if (pid > 0)
			add(pids, pid);
	}
}

/* Lists of children are short; what a fork bomb has beyond the buffer is found the next time. */
static bool add_children_of_thread(pid_t pid, pid_t thread, struct rig_pids *pids)
{
	char path[64], text[16384];
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", pid, thread);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	if (n == sizeof(text) - 1) /* the last number may be half a number */
		text[strrchr(text, ' ') ? strrchr(text, ' ') - text : 0] = '\0';
	add_numbers(pids, text);
	return true;
}

static void add_numbered_entries(const char *path, struct rig_pids *pids)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	while (dir && (entry = readdir(dir)))
		if (isdigit((unsigned char)entry->d_name[0]))
			add(pids, atoi(entry->d_name));
	if (dir)
		closedir(dir);
}

static void add_threads(pid_t pid, struct rig_pids *pids)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	add_numbered_entries(path, pids);
}

/* The name in /proc/<pid>/stat may hold anything; the last parenthesis ends it. */
static pid_t parent_of(pid_t pid)
{
	char path[64], text[512], state;
	const char *end;
	int fd, parent = -1;
	ssize_t n;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	text[n > 0 ? n : 0] = '\0';
	end = strrchr(text, ')');
	if (!end || sscanf(end + 1, " %c %d", &state, &parent) != 2)
		return -1;
	return parent;
}

/* For kernels without /proc/<pid>/task/<tid>/children. */
static void add_children_by_scan(pid_t parent, struct rig_pids *pids)
{
	struct rig_pids all = {0};

	add_numbered_entries("/proc", &all);
	for (size_t i = 0; i < all.count; i++)
		if (parent_of(all.list[i]) == parent)
			add(pids, all.list[i]);
	rig_pids_free(&all);
}

void rig_family_children(pid_t parent, struct rig_pids *pids)
{
	struct rig_pids threads = {0};
	bool known = false;

	add_threads(parent, &threads);
	for (size_t i = 0; i < threads.count; i++)
		known |= add_children_of_thread(parent, threads.list[i], pids);
	if (threads.count && !known)
		add_children_by_scan(parent, pids);
	rig_pids_free(&threads);
}

void rig_family_threads(const struct rig_pids *except, struct rig_pids *pids, size_t max)
{
	struct rig_pids found = {0};
	size_t own;

	rig_pids_clear(pids);
	rig_family_children(getpid(), &found);
	own = found.count;
	for (size_t i = 0; i < found.count && pids->count < max; i++) {
		if (i < own && contains(except, found.list[i]))
			continue;
		add_threads(found.list[i], pids);
		rig_family_children(found.list[i], &found);
	}
	if (pids->count > max)
		pids->count = max;
	rig_pids_free(&found);
}

size_t rig_family_kill(pid_t group, const struct rig_pids *except)
{
	struct rig_pids children = {0};
	size_t left = 0;

	if (group > 1)
		kill(-group, SIGKILL);
	rig_family_children(getpid(), &children);
	for (size_t i = 0; i < children.count; i++) {
		pid_t pid = children.list[i], its_group = getpgid(pid);

		if (contains(except, pid))
			continue;
		left++;
		/* Whole groups die at one stroke, even while they fork. */
		if (its_group > 1 && its_group != getpgrp() && !contains(except, its_group))
			kill(-its_group, SIGKILL);
		kill(pid, SIGKILL);
	}
	rig_pids_free(&children);
	return left;
}

void rig_family_end(pid_t group, const struct rig_pids *except, unsigned int max_ms)
{
	for (unsigned int ms = 0; rig_family_kill(group, except) && ms < max_ms; ms += 2) {
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		usleep(2000);
	}
}

void rig_pids_clear(struct rig_pids *pids)
{
	pids->count = 0;
}

void rig_pids_free(struct rig_pids *pids)
{
	free(pids->list);
	*pids = (struct rig_pids){0};
}
