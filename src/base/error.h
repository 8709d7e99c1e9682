/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * error.h - the one error domain of rig; a code is the exit code it leads to.
 */
#pragma once

#include <glib.h>

typedef enum {
	RIG_ERROR_FAILED = 1, /* a workload failed, or compare found a regression */
	RIG_ERROR_USAGE = 2,  /* wrong words on the command line, or a bad file */
	RIG_ERROR_HOST = 3,   /* the host lacks something; the hint says what */
	RIG_ERROR_BOOT = 10,  /* the guest did not boot, or is not what was asked */
	RIG_ERROR_PANIC = 11, /* the guest's kernel panicked */
	RIG_ERROR_HANG = 12,  /* the guest stopped answering */
	RIG_ERROR_LOST = 13,  /* the guest or its result was lost */
	RIG_ERROR_INCONCLUSIVE = 20,
	RIG_ERROR_TIMEOUT = 124,
	RIG_ERROR_NOT_EXECUTABLE = 126, /* a command in the guest, as a shell has it */
	RIG_ERROR_NO_PROGRAM = 127,	/* there is no such command in the guest */
	RIG_ERROR_INTERRUPTED = 130,
	RIG_ERROR_TERMINATED = 143,
} RigErrorCode;

#define RIG_ERROR (rig_error_quark())
GQuark rig_error_quark(void);

/* Set an error without a hint. The message is lower case and names the object and the value. */
void rig_error_set(GError **error, RigErrorCode code, const char *format, ...) G_GNUC_PRINTF(3, 4);

/* Set an error with a hint: the message gets a second line "hint: HINT" that says what to run or
 * to change next. g_prefix_error() on it keeps the hint last. */
void rig_error_set_hint(GError **error, RigErrorCode code, const char *hint, const char *format,
			...) G_GNUC_PRINTF(4, 5);

/* Set an error from errno: "PATH: WHAT: strerror"; ENOSPC, EACCES and the like get RIG_ERROR_HOST
 * and a fitting hint, everything else CODE. */
void rig_error_set_errno(GError **error, RigErrorCode code, int errnum, const char *what,
			 const char *path);

/* The exit code for ERROR: its code where it is of our domain, G_IO_ERROR_CANCELLED is 130,
 * anything else 1. */
int rig_error_exit_code(const GError *error);
