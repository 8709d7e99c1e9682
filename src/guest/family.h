/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes by descent: whom a program started, and ending all of them. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct rig_pids {
	pid_t *list;
	size_t count, size;
};

/* Adds the children of `parent`. Those of a task that ends meanwhile may be missing. */
void rig_family_children(pid_t parent, struct rig_pids *pids);

/* Fills `pids` with the threads of all descendants of this process, without those children (and
 * theirs) that are in `except`; at most `max`. */
void rig_family_threads(const struct rig_pids *except, struct rig_pids *pids, size_t max);

/* Kills the group (0: none), and all children of this process that are not in `except`; whom they
 * leave behind becomes our child, so repeat until it returns 0: no child is left. */
size_t rig_family_kill(pid_t group, const struct rig_pids *except);

/* Repeats rig_family_kill() and reaps, until nobody is left or for `max_ms`. For ends that are not
 * reported; blocks. */
void rig_family_end(pid_t group, const struct rig_pids *except, unsigned int max_ms);

void rig_pids_clear(struct rig_pids *pids);
void rig_pids_free(struct rig_pids *pids);
