/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines that a workload program writes to its control descriptor. */
#pragma once

#include "../proto.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#define RIG_PHASE_MAX 64

/* What a `mark` line says. */
struct rig_mark {
	char phase[RIG_PHASE_MAX];
	bool has_tasks; /* the tasks to watch from now on were named */
	size_t count;
	pid_t tasks[RIG_TASKS_MAX];
};

struct rig_control {
	int fd;
	size_t len;
	char data[RIG_CONTROL_LINE_MAX];
};

/* Reads once what the program has written. Returns false when there was nothing: everybody has
 * closed it if `ended`. The buffer must not be full (rig_control_is_broken). */
bool rig_control_fill(struct rig_control *control, bool *ended);

/* Takes the next whole line that was read, without its newline; it is valid until the next call.
 * NULL when there is none. */
const char *rig_control_next(struct rig_control *control, size_t *len);

/* Whether the program writes a line longer than RIG_CONTROL_LINE_MAX. Ask after all lines were
 * taken. */
bool rig_control_is_broken(const struct rig_control *control);

/* Whether the line is a mark, and what it says. Anything else is the host's to judge. */
bool rig_control_parse_mark(const char *line, size_t len, struct rig_mark *mark);
