/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metrics.h - a named set of numbers, and how one run's raw text becomes one.
 */
#pragma once

#include "model/outcome.h"
#include "model/raw.h"
#include "model/workload.h"

typedef struct RigMetrics RigMetrics; /* name -> double, kept in order of names */

/* Values that are not finite are not taken: a set holds numbers only. */
RigMetrics *rig_metrics_new(void);
/* A set of VALUES over NAMES (char*, strictly ascending by strcmp(), of which a reference is kept), one value a name and
 * all of them finite. Many records have the same names: sharing them saves most of what a set takes. */
RigMetrics *rig_metrics_new_over(GPtrArray *names, const double *values);
void rig_metrics_free(RigMetrics *metrics);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigMetrics, rig_metrics_free)
void rig_metrics_set(RigMetrics *metrics, const char *name, double value);
void rig_metrics_add(RigMetrics *metrics, const char *name, double value);
gboolean rig_metrics_get(const RigMetrics *metrics, const char *name, double *value);
guint rig_metrics_count(const RigMetrics *metrics);
const char *rig_metrics_name(const RigMetrics *metrics, guint i);
double rig_metrics_value(const RigMetrics *metrics, guint i);
/* All names. Two sets that give the same pointer have the same names at the same places. */
const GPtrArray *rig_metrics_names(const RigMetrics *metrics);
/* {"name": number, ...} */
void rig_metrics_to_json(const RigMetrics *metrics, RigJsonWriter *writer, const char *key);
gboolean rig_metrics_from_json(RigMetrics *metrics, RigJson *object);

typedef struct {
	char *name;
	gint64 start_ns, end_ns;
	RigMetrics *counters; /* last minus first; gauges averaged */
} RigPhase;

void rig_phase_free(RigPhase *phase);

typedef struct {
	GPtrArray *phases;	/* RigPhase*, every phase of the run */
	RigMetrics *all;	/* the flat stats.json: workload metrics, counters over the measured phases, and
				 * "PHASE.NAME" for numa_*, locality.* and sched.* of each measured phase */
	GHashTable *samples;	/* name -> GArray of double: one value a sample, counters as differences; of the
				 * program's own metrics one value a result line */
	GHashTable *resolved;	/* name -> char*: what the program said it used */
	GPtrArray *notes;	/* char*: what people should know of a whole run, e.g. a counter that went backwards */
	RigOutcome outcome;
	char *outcome_text;	/* why it is not ok, for people; else NULL */
} RigRunResult;

/* Everything that the host makes of one run: metrics of the program, counters by phase, locality,
 * and the verdict whether the run is whole. Never fails: what is wrong is in outcome. */
RigRunResult *rig_run_result_compute(const RigRawRun *raw, const RigWorkload *workload);
void rig_run_result_free(RigRunResult *result);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRunResult, rig_run_result_free)
