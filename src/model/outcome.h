/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * outcome.h - how a run ended. A run that is not whole is a failed run and is never averaged.
 */
#pragma once

#include <glib.h>

typedef enum {
	RIG_OUTCOME_OK,
	RIG_OUTCOME_WORKLOAD, /* the program failed, a task died */
	RIG_OUTCOME_PARTIAL,  /* result lines are missing or more than they should be */
	RIG_OUTCOME_OOM,      /* the guest's OOM killer acted */
	RIG_OUTCOME_WARNING,  /* kernel WARNING, BUG, lockup, or a wrong sched topology */
	RIG_OUTCOME_OOPS,
	RIG_OUTCOME_TIMEOUT,  /* the workload ran out of its time */
	RIG_OUTCOME_BOOT,
	RIG_OUTCOME_PANIC,
	RIG_OUTCOME_HANG,
	RIG_OUTCOME_LOST,     /* QEMU gone, channel broken, protocol violated */
	RIG_OUTCOME_INTERRUPTED,
} RigOutcome;

const char *rig_outcome_name(RigOutcome outcome);			/* "ok", "workload", "partial", ... */
gboolean rig_outcome_from_name(const char *name, RigOutcome *outcome);
int rig_outcome_exit_code(RigOutcome outcome);
/* The outcome for an error of our domain. */
RigOutcome rig_outcome_from_error(const GError *error);

/* Look through kernel log text (console or kmsg) for what spoils a run: panic, oops, WARNING, BUG, lockups,
 * OOM kill, "llc-sibling ... not on the same node". Returns the worst, RIG_OUTCOME_OK if none; LINE (g_free, may be
 * NULL) is the first line that says it, made safe. */
RigOutcome rig_outcome_scan_log(const char *text, char **line);
