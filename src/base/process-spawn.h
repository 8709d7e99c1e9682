/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process-spawn.h - start a program that must not outlive us; for process.c.
 */
#pragma once

#include "base/process.h"

#include <sys/types.h>

/* Start PROCESS with FDS as stdin, stdout and stderr and no other descriptor, with default signals,
 * in a process group of its own: a terminal's Ctrl-C is for rig, which then ends it. Gets SIGTERM
 * when the calling thread ends without having waited for it, as by SIGKILL. Returns an errno, 0 if
 * it runs as PID. */
int rig_process_spawn(const RigProcess *process, const int fds[3],
		      pid_t *pid) G_GNUC_WARN_UNUSED_RESULT;
