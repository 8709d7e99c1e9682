/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp-rule.h - which metrics the robot calls failures, and which rows its rule shows.
 */
#pragma once

#include "report/sides.h"

#define RIG_LKP_INCOMPLETE "last_state.is_incomplete_run"

/* TRUE for metrics that count failures (dmesg.*, last_state.*, *.fail ...), not performance. */
gboolean rig_lkp_is_failure(const char *metric);

/* The values of METRIC that count, NaN left out: for a failure all of the side's, else those of its
 * complete runs only. RUNS gets the number of runs that they are out of. Empty when the side lacks
 * the metric. */
GArray *rig_lkp_values(const RigSide *side, const char *metric, guint *runs);

/* TRUE if the robot's rule shows METRIC for BASE against HEAD. OWN: one of the workload's own
 * metrics. */
gboolean rig_lkp_changed(const RigSide *base, const RigSide *head, const char *metric,
			 gboolean own);
