/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.h - carry out the plan of a session, alone on this host.
 */
#pragma once

#include "cli/run-session.h"

/* Takes the measurement lock, files the plan where it can be resumed (and finds what is done of it
 * already), runs what is left. RECORDS gets what was run (free with g_ptr_array_unref()), also with
 * ERROR; after an interruption the error's hint names the plan. WHAT: "rig run numa02". */
gboolean rig_measure(RigCli *cli, RigRunSession *session, const RigRunOptions *options,
		     const char *what, GPtrArray **records,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The plan that --plan FILE or --resume [ID] mean; both NULL: the latest unfinished one. BLOCKS:
 * more of them, 0: as planned. A plan of the other kind than AA is refused. */
RigPlanFile *rig_measure_find_plan(RigCli *cli, const char *path, const char *id, guint blocks,
				   gboolean aa, GError **error) G_GNUC_WARN_UNUSED_RESULT;
