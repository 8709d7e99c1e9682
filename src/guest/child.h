/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Starting programs. */
#pragma once

#include "agent.h"

/* Where a program finds the two descriptors that it gets besides 0, 1 and 2. */
#define RIG_CHILD_KEEP 3

/* How a program is to be started. The caller keeps everything. */
struct rig_child {
	char **argv;
	char **env;
	const char *cwd;  /* NULL: the agent's own */
	int in, out, err; /* become descriptors 0, 1 and 2; each above 2 */
	int keep[2];	  /* become RIG_CHILD_KEEP and the next; -1: none */
};

/* Starts a program in a process group of its own, with default signals, limits, memory policy
 * and OOM score, whatever the agent has for itself. Returns the process id, or -errno of the
 * step that failed (-ENOENT: no such program). */
pid_t rig_child_start(const struct rig_agent *agent, const struct rig_child *child);

/* Turns the "argv" array of a request into a list ended by NULL; at least one string. NULL if it
 * is something else. rig_child_free_list() frees it. */
char **rig_child_argv(const json_t *array);

/* The environment of programs: PATH, HOME, TERM, what `object` (may be NULL) says, and `extra`
 * "KEY=value" strings, ended by NULL (may be NULL). NULL if `object` is no object of strings. */
char **rig_child_env(const json_t *object, const char *const *extra);

void rig_child_free_list(char **list);
