/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-session.h - everything that `rig run` has to hold between reading its words and printing its
 * result.
 */
#pragma once

#include "cli/run-options.h"
#include "run/engine.h"
#include "run/guestops.h"

typedef struct {
	RigCli *cli;
	GPtrArray *workloads;	/* RigWorkload*: one for each value of the sweep, one without */
	RigWorkload *workload;	/* the first of them */
	RigPlanFile *file;	/* what is carried out */
	const RigPlan *plan;	/* of it */
	gboolean *done;		/* steps that have a record already, or NULL */
	guint n_done;
	guint64 seed;
	char **side_names; /* plan->n_sides, NULL terminated */
	char *store;	   /* root of the records */
	RigGuestContext context;
	/* fresh guests */
	RigTopology *topology;
	RigImage *image;
	GPtrArray *kernels;  /* RigKernel*, one a side */
	GPtrArray *bootsets; /* RigBootset*, one a side */
	RigGuestSide *sides;
	RigFreshGuests fresh;
	char *accel_reason;
	/* or one that is up */
	RigGuest *guest;
	double time_scale;
} RigRunSession;

/* Read files, check what can be checked before anything boots, make the plan. No guest yet. */
RigRunSession *rig_run_session_new(RigCli *cli, const char *workload, const RigRunOptions *options,
				   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for a plan that is there (taken; also on failure): its kernels, workload, topology and
 * image are looked up again and must be what they were. OPTIONS gets what the plan says, besides
 * what it holds of waiting, and is cleared with rig_options_clear() of a table of run's. */
RigRunSession *rig_run_session_resume(RigCli *cli, RigPlanFile *file, RigRunOptions *options,
				      GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_run_session_free(RigRunSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRunSession, rig_run_session_free)

/* How the records of its fresh guests are filed: topology; g_free. NULL for a guest that is up. */
char *rig_run_session_filed_as(const RigRunSession *session);
/* TRUE if it can be resumed: fresh guests, and more than one run. */
gboolean rig_run_session_is_resumable(const RigRunSession *session);

/* Boot sets or the running guest, then the engine. Records as of rig_engine_run(). */
GPtrArray *rig_run_session_execute(RigRunSession *session, const RigRunOptions *options,
				   GError **error);
