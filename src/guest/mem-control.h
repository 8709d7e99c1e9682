/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-control.h - the control lines of a workload program (docs/protocol.md).
 */
#pragma once

#include "../proto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Where lines go, and the line that is being made. */
struct rig_control {
	int out;
	int ack; /* -1: marks are not answered */
	size_t used;
	char line[RIG_CONTROL_LINE_MAX];
};

/*
 * Takes the descriptors from the environment; without them lines go to stdout and nothing is waited
 * for. False if the environment names something that is no open descriptor.
 */
bool rig_control_open(struct rig_control *control);

/*
 * Says that @phase begins, with the @count threads in @tasks to watch from now on (0: as before),
 * and waits for the answer. The tasks must stand still. Where more tasks are given than one line
 * holds, an even choice of them is named. False if the other side is gone.
 */
bool rig_control_mark(struct rig_control *control, const char *phase, const pid_t *tasks,
		      size_t count);

/* A line {"@kind": {...}}: begin, add numbers, send. */
void rig_control_begin(struct rig_control *control, const char *kind);
void rig_control_add(struct rig_control *control, const char *name, uint64_t value);
void rig_control_add_real(struct rig_control *control, const char *name, double value);
bool rig_control_send(struct rig_control *control);

/* Says why the run is not whole. */
bool rig_control_fail(struct rig_control *control, const char *why);
