/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-session.h - everything that `rig run` has to hold between reading its words and printing its
 * result.
 */
#pragma once

#include "cli/cmd.h"
#include "cli/shape.h"
#include "run/engine.h"
#include "run/guestops.h"

typedef struct {
	char *on, *topology, *image, *seed, *cmdline;
	char **kernels, **settings;
	int repeat, sample_ms;
	gboolean diskless, wait, no_samples;
	RigShapeOptions shape;
} RigRunOptions;

typedef struct {
	RigCli *cli;
	RigWorkload *workload;
	RigPlan *plan;
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
void rig_run_session_free(RigRunSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRunSession, rig_run_session_free)

/* Boot sets or the running guest, then the engine. Records as of rig_engine_run(). */
GPtrArray *rig_run_session_execute(RigRunSession *session, const RigRunOptions *options,
				   GError **error);
