/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The descriptors between a run and its program. */
#pragma once

#include <stdbool.h>

/* [0] is read from and [1] written to; -1: not open. */
struct rig_pipes {
	int null; /* stdin of the program */
	int out[2], err[2], control[2], ack[2];
};

/* Opens all; the agent's own ends do not block. False when one failed, with the rest open. */
bool rig_pipes_open(struct rig_pipes *pipes);

/* Closes the ends that only the program is to have. */
void rig_pipes_close_program(const struct rig_pipes *pipes);
