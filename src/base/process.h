/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process.h - run another program with a deadline and bounded output; it ends with us.
 */
#pragma once

#include <gio/gio.h>

typedef struct {
	const char *const *argv; /* found on PATH */
	const char *cwd;	 /* NULL: ours */
	const char *const *env;	 /* "KEY=VALUE" to add, NULL terminated; or NULL */
	const char *input;	 /* text for stdin; NULL: /dev/null */
	int timeout_ms;		 /* 0: none */
	int silence_ms;		 /* longest time without a byte on either stream; 0: any */
	gboolean own_group;	 /* kill the whole process group on timeout and cancel */
	/* Sees what either stream brings, as it comes; for programs that take long. NULL: nobody.
	 */
	void (*watch)(gpointer data, const char *text, gsize length);
	gpointer watch_data;
} RigProcess;

typedef struct {
	int status; /* exit code, or 128 + signal */
	char *out;  /* stdout, at most 16 MiB */
	char *err;  /* stderr, at most 1 MiB */
} RigProcessResult;

void rig_process_result_clear(RigProcessResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigProcessResult, rig_process_result_clear)

/* Run to the end. FALSE only if it could not be started (RIG_ERROR_HOST, "qemu-img: not found"),
 * ran out of time (RIG_ERROR_TIMEOUT) or was cancelled (RIG_ERROR_INTERRUPTED); the child is gone
 * then. */
gboolean rig_process_run(const RigProcess *process, RigProcessResult *result,
			 GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* As above, and an exit status other than 0 is an error CODE with the last lines of stderr. */
gboolean rig_process_check(const RigProcess *process, RigProcessResult *result, int code,
			   GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
