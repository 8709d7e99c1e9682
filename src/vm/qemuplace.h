/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qemuplace.h - where a running QEMU really has its memory and threads.
 */
#pragma once

#include <sys/types.h>

#include "model/hostplace.h"

/* Read the process's numa_maps and threads and hold them against PLACE (rig_hostplace_check: its
 * errors and SUMMARY). PROC is "/proc". *READ is FALSE when the process's files may not be read, as
 * for another user's; then there is no verdict, and an error that says which file. */
gboolean rig_qemuplace_check(const char *proc, pid_t pid, const RigHostPlace *place, gboolean *read,
			     char **summary, GError **error) G_GNUC_WARN_UNUSED_RESULT;
