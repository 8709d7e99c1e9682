/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statcompare.h - what the statistics say of one head against the base (docs/statistics.md).
 */
#pragma once

#include "report/screen.h"
#include "report/sides.h"
#include "report/stat-plan.h"
#include "report/verdict.h"

typedef struct {
	double margin;	     /* percent or points; 0: RIG_VERDICT_MARGIN */
	GHashTable *margins; /* char* metric -> double*, for metrics with a margin of their own; or
				NULL */
	double q;	     /* limit for counters; 0: RIG_SCREEN_Q */
} RigStatOptions;

/* One of the workload's own metrics. */
typedef struct {
	const RigMetricInfo *info; /* borrowed from the sides */
	gboolean primary;
	RigScale scale;
	RigTTest test; /* by the plan's method, on SCALE; test.n_base are the values used */
	double change; /* percent of the base, or points; head's geometric mean against base's */
	RigInterval i95, i90; /* the same for the ends of the intervals */
	double ratio;	      /* head / base; NaN for points */
	RigInterval ratio95;
	RigRankTest rank; /* Mann-Whitney, or sign flips of the blocks */
	double shift;	  /* Hodges-Lehmann: percent or points */
	RigInterval shift95;
	RigPHow shift_how;
	double p_holm; /* adjusted within the primaries, or within the other own metrics; NaN where
			  not judged */
	guint family;  /* how many that were */
	double detectable; /* the smallest change, in percent or points, that was seen with 80 %
			      power */
	double margin;
	guint n_needed; /* runs a side or blocks to see a change of MARGIN; 0 unless inconclusive,
			   or where RIG_POWER_RUNS_MAX would not do */
	gboolean timing;
	RigVerdict verdict;
} RigStatMetric;

/* One counter of the kernel. */
typedef struct {
	const RigMetricInfo *info;
	RigScale scale;
	const RigScreenRow *row; /* in the screen */
	double log_ratio;	 /* of x + 0.5; NaN for points */
	double change;		 /* percent or points */
	const char *word; /* "more", "less", "better", "worse"; NULL unless found, appeared or
			     vanished */
} RigStatCounter;

typedef struct {
	guint base_fails, base_runs, head_fails, head_runs;
	double p; /* Fisher; NaN where a side has no runs */
} RigStatFailures;

typedef struct {
	guint head; /* which side */
	RigStatPlan *plan;
	char class; /* of both sides; '?' where they differ */
	RigStatFailures failures;
	GPtrArray *metrics;			/* RigStatMetric*: primaries first, then by name */
	GPtrArray *counters;			/* RigStatCounter*, by name: all, tested or not */
	GPtrArray *found, *appeared, *vanished; /* RigStatCounter* borrowed from counters; found by
						   p, the others by name */
	RigScreen *screen; /* how many were tested and why the others were not */
} RigStatCompare;

/* Compare side HEAD (from 1) with the base. SIDES outlives the result; OPTIONS may be NULL. */
RigStatCompare *rig_statcompare_new(const RigSides *sides, guint head,
				    const RigStatOptions *options);
void rig_statcompare_free(RigStatCompare *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigStatCompare, rig_statcompare_free)

/* TRUE if a change for the worse is proven; of a metric without a direction: any change. */
gboolean rig_statcompare_is_worse(const RigStatMetric *metric);

/* The verdict on the whole, over the primaries that are judged: changed if one is worse (or moved,
 * where neither way is better), then inconclusive, then changed for the better, then equivalent;
 * not judged if none can be; none without primaries. */
RigVerdictKind rig_statcompare_overall(const RigStatCompare *stats, gboolean *regression);
