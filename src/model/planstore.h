/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planstore.h - the plans that were begun, and how far each has come.
 *
 * <state>/plans/ID.json. What is done of a plan is never written down: it is read from the records,
 * which carry plan.id and plan.step, so the two cannot differ.
 */
#pragma once

#include "model/planfile.h"

/* <state>/plans/ID.json; g_free. */
char *rig_planstore_path(const char *state, const char *id);
gboolean rig_planstore_save(const char *state, const RigPlanFile *file,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Unknown: RIG_ERROR_USAGE that lists the latest ones. */
RigPlanFile *rig_planstore_load(const char *state, const char *id,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Put FILE into the store before its first step, or agree that it is the one that is there. A plan
 * that was begun is not changed any more (RIG_ERROR_USAGE): its number of blocks was chosen before
 * the data. Only one with looks may get more blocks. */
gboolean rig_planstore_begin(const char *state, const RigPlanFile *file,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* rig_plan_extend() where the plan permits it; RIG_ERROR_USAGE with the reason where not. */
gboolean rig_planstore_extend(RigPlanFile *file, guint n_blocks,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Which steps have a record in the store of records RESULTS, whatever came of them: one flag a
 * step. g_free. */
gboolean *rig_planstore_done(const char *results, const RigPlanFile *file, guint *n_done,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The records of the plan themselves (RigRecord*), in the order of its steps. */
GPtrArray *rig_planstore_records(const char *results, const RigPlanFile *file,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The latest plan with steps to do, A/A or not as AA says. RIG_ERROR_USAGE when there is none. */
RigPlanFile *rig_planstore_unfinished(const char *state, const char *results, gboolean aa,
				      GError **error) G_GNUC_WARN_UNUSED_RESULT;
