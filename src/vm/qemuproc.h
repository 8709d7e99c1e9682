/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qemuproc.h - the QEMU process of a domain, told from all others by the domain's UUID.
 *
 * A process number alone proves nothing: numbers are used again.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* The process that runs the domain UUID, 0 if there is none. PROC is "/proc". */
pid_t rig_qemuproc_find(const char *proc, const char *uuid);

/* The process of guest NAME that was started by the embedded driver with root ROOT, 0 if there is
 * none: for one whose start was cut off before anybody noted its UUID. UUID receives it (g_free).
 */
pid_t rig_qemuproc_find_named(const char *proc, const char *name, const char *root, char **uuid);

/* TRUE while process PID runs the domain UUID; a zombie does not. */
gboolean rig_qemuproc_alive(const char *proc, pid_t pid, const char *uuid);

/* Kill it and wait until it has let go of everything, at most WAIT_MS. TRUE if it is gone. */
gboolean rig_qemuproc_kill(const char *proc, pid_t pid, const char *uuid, int wait_ms);
