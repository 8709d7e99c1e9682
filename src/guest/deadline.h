/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The end of a program that takes too long: SIGTERM to its group, then SIGKILL. */
#pragma once

#include "loop.h"

#include <stdbool.h>
#include <sys/types.h>

struct rig_deadline {
	struct rig_loop *loop;
	struct rig_watch timer;
	pid_t group;
	bool passed; /* the time was over and signals were sent */
};

/* Gives the process group `timeout_ms` from now; 0: for ever. */
void rig_deadline_start(struct rig_deadline *deadline, struct rig_loop *loop, pid_t group,
			uint64_t timeout_ms);

/* The program is over: no more signals. Harmless when it was never started. */
void rig_deadline_stop(struct rig_deadline *deadline);
