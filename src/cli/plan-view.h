/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-view.h - a plan before it is carried out: order, time, and what it can see.
 */
#pragma once

#include "cli/run-session.h"

/* For people on stdout, or as JSON; for rig plan and every --dry-run. */
gboolean rig_plan_view(RigCli *cli, const RigRunSession *session, const RigRunOptions *options,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The object "plan" of a run's result: seed, blocks, sides, steps. */
void rig_plan_view_json(const RigRunSession *session, RigJsonWriter *writer);
