/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * progress.h - where a plan stands: which run, which phase, how long yet.
 */
#pragma once

#include "base/log.h"

typedef struct RigProgress RigProgress;

/* N_RUNS runs are to come, each expected to take EXPECT_S seconds (0: unknown) until the first has ended. */
RigProgress *rig_progress_new(RigLog *log, guint n_runs, double expect_s);
void rig_progress_free(RigProgress *progress);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigProgress, rig_progress_free)

/* A run of SIDE in BLOCK begins. */
void rig_progress_start(RigProgress *progress, const char *side, guint block);
/* It is in PHASE now ("boot", "copy", ...): renews the status line. */
void rig_progress_phase(RigProgress *progress, const char *phase);
/* It has ended after SECONDS: one line that stays, with SUMMARY ("ok, 931500 KB/s"). */
void rig_progress_end(RigProgress *progress, double seconds, const char *summary);

/* Seconds that are left: the mean of what runs took, less what this one has had; -1 while unknown. */
double rig_progress_left(const RigProgress *progress);
