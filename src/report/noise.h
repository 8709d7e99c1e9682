/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * noise.h - what a side measured against itself tells of each metric (statistics.md, "A/A").
 *
 * <state>/noise/WORKLOAD/PARAMS/TOPOLOGY/CLASS.json, written by rig calibrate: how far boots of one
 * kernel lie apart, whether the second run of a block differs from the first, and how often the
 * test would have cried wolf.
 */
#pragma once

#include "report/sides.h"
#include "report/stat-basic.h"

typedef struct {
	char *name;
	RigScale scale;
	gboolean own, primary; /* as in RigMetricInfo */
	guint n;	       /* runs that have a value on the scale */
	guint pairs;	       /* blocks of which both runs have one */
	double mean;	       /* of the plain values */
	double sd;	       /* of one run, on SCALE: the spread between boots */
	double pair_sd;	       /* of the difference within a block, on SCALE; NaN below two pairs */
	double slot;	       /* second minus first of a block, on SCALE: the slot effect */
	double slot_p;	       /* that there is none, paired t; NaN where it cannot be told */
	double false_alarms;   /* share of the splits in which the plan's test says p < 0.05 */
	guint splits;	       /* ways to call one run of each block base and the other head */
} RigNoiseMetric;

typedef struct {
	char *workload, *params, *topology, *kernel, *accel, *plan; /* accel NULL where unknown */
	char class;
	gint64 when;	    /* seconds since the epoch, of the last run */
	guint blocks;	    /* of the plan */
	guint runs;	    /* whole ones that it was made of */
	gboolean paired;    /* the test behind false_alarms */
	GPtrArray *metrics; /* RigNoiseMetric*, by name */
} RigNoise;

/* One metric. FIRST and SECOND are the plain values of the two runs of each of N blocks, NaN where
 * there is none. Fill in name, own and primary yourself. */
RigNoiseMetric rig_noise_measure(RigScale scale, const double *first, const double *second, guint n,
				 gboolean paired);

/* From the records of an A/A plan (const RigRecord*, all of one workload, parameters and topology):
 * whole runs only. RIG_ERROR_FAILED if fewer than two blocks have two whole runs, or the classes
 * differ. */
RigNoise *rig_noise_new(const GPtrArray *records, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_noise_free(RigNoise *noise);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigNoise, rig_noise_free)

/* NULL where the metric was not seen. */
const RigNoiseMetric *rig_noise_find(const RigNoise *noise, const char *metric);
/* The spread between boots (one standard deviation) as a change in percent, or in points for
 * percentages; NaN where unknown. NOISE may be NULL. */
double rig_noise_spread(const RigNoise *noise, const char *metric);
/* The smallest change, in percent or points, that N blocks see with 80 % power; NaN where unknown.
 */
double rig_noise_detectable(const RigNoiseMetric *metric, guint n, gboolean paired);

/* noise-file.c: */
/* <state>/noise/...; g_free. */
char *rig_noise_path(const char *state, const char *workload, const char *params,
		     const char *topology, char class);
char *rig_noise_to_json(const RigNoise *noise);
RigNoise *rig_noise_parse(const char *name, const char *text,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Replaces an older one of the same key. */
gboolean rig_noise_save(const char *state, const RigNoise *noise,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* NULL without an error if nothing was calibrated for these. */
RigNoise *rig_noise_load(const char *state, const char *workload, const char *params,
			 const char *topology, char class, GError **error);

/* noise-view.c: a table for people, the workload's own metrics, or ALL that moved. g_free. */
char *rig_noise_render(const RigNoise *noise, gboolean all, guint width);
