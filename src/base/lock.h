/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock.h - locks between rig processes, each naming its holder.
 *
 * flock(2) on a file that holds "PID COMMAND"; the kernel drops it with the process, so a rig that
 * was killed leaves no lock.
 */
#pragma once

#include <gio/gio.h>

typedef struct RigLock RigLock;

/* Take the lock at PATH (made if missing), saying WHAT we do ("rig run anon-cow-rand"). WAIT_MS: 0
 * try once, -1 without end. On failure RIG_ERROR_HOST: "PATH is held by process 123 (rig run
 * numa02)". */
RigLock *rig_lock_take(const char *path, const char *what, int wait_ms, GCancellable *cancellable,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_lock_release(RigLock *lock); /* NULL is fine */
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigLock, rig_lock_release)

/* "process 123 (rig run numa02)" while somebody holds PATH, else NULL. g_free. */
char *rig_lock_holder(const char *path);
