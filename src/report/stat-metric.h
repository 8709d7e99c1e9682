/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-metric.h - the workload's own metrics through the tests (private to statcompare.c).
 */
#pragma once

#include "report/statcompare.h"

/* Test and rank test, interval, what could have been seen; no adjustment and no verdict yet.
 * Owned. */
RigStatMetric *rig_stat_metric_new(const RigStatPlan *plan, const RigSide *base,
				   const RigSide *head, const RigMetricInfo *info, double margin);
void rig_stat_metric_free(gpointer metric);
/* Holm over METRICS (RigStatMetric*) with PRIMARY as asked, then their verdicts. */
void rig_stat_metrics_judge(GPtrArray *metrics, gboolean primary, const RigStatPlan *plan,
			    char class);

/* The scale for values of KIND. */
RigScale rig_stat_scale(RigKind kind);
/* For a difference up or down. Static. */
const char *rig_stat_word(const RigMetricInfo *info, gboolean up);
/* The values of METRIC in the runs whose places are RUNS; NaN where there is none. g_free. */
double *rig_stat_pick(const RigSide *side, const char *metric, const GArray *runs);
