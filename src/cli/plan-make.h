/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-make.h - between what a run was asked for and the file of its plan.
 */
#pragma once

#include "cli/run-session.h"

/* Fill in what the session's plan depends on, with digests. WORKLOAD as the user named it. */
gboolean rig_plan_describe(RigRunSession *session, const char *workload,
			   const RigRunOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The options that make a session of FILE. Strings are new (rig_options_clear()). */
void rig_plan_to_options(const RigPlanFile *file, RigRunOptions *options);
/* Refuse to go on with PLANNED if a thing that it depends on is NOW another one. */
gboolean rig_plan_check(const RigPlanFile *planned, const RigPlanFile *now,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
