/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.h - the figures of a comparison: mean, spread, change; no verdict.
 */
#pragma once

#include "report/sides.h"

typedef struct {
	guint n;	       /* values that there are */
	double mean, min, max; /* NaN when n is 0 */
	double sd;	       /* of the sample (n - 1); NaN when n < 2 */
	double population_sd;  /* NaN when n < 2 */
	double cv;	       /* sd in percent of the mean's size; NaN where that has no meaning */
} RigSummary;

/* VALUES may be NULL (no values); NaN among them are left out. */
RigSummary rig_summary_compute(const double *values, guint n_values);

typedef enum {
	RIG_CHANGE_NONE,    /* cannot be told: a side without values, or timings of different
			       accelerators */
	RIG_CHANGE_PERCENT, /* of the base */
	RIG_CHANGE_POINTS,  /* head minus base, for percentages */
	RIG_CHANGE_NEW,	    /* the base is zero or missing */
	RIG_CHANGE_GONE,    /* the head is zero or missing */
} RigChangeKind;

typedef struct {
	RigChangeKind kind;
	double value;	  /* percent or points; NaN for the other kinds */
	const char *word; /* "better", "worse" (not of emulated timings), "more", "less", or NULL
			     when nothing moved; static */
} RigChange;

typedef struct {
	const RigMetricInfo *info;
	RigSummary *sides;  /* one a side */
	RigChange *changes; /* one a side; that of the base is RIG_CHANGE_NONE */
} RigRow;

/* A manifest key whose values differ between the sides. */
typedef struct {
	const char *key;
	char **values;	/* one a side: its distinct values joined by ", ", NULL where it has none */
	guint n_values; /* = number of sides */
} RigDifference;

typedef struct {
	const RigSides *sides;	/* borrowed; outlives this */
	GPtrArray *rows;	/* RigRow*, by name */
	GPtrArray *differences; /* RigDifference*, by key */
	GPtrArray *warnings; /* char*, for people: few runs, mixed classes, what is wrong with the
				host */
	gboolean timings;    /* the sides' timings may be set against each other at all */
} RigCompare;

/* Compute everything. SIDES has at least one side; the first is the base. */
RigCompare *rig_compare_new(const RigSides *sides);
void rig_compare_free(RigCompare *compare);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigCompare, rig_compare_free)

/* "percent", "points", "new", "gone", "none". */
const char *rig_change_name(RigChangeKind kind);
/* What a placement class permits, one phrase; static. */
const char *rig_class_text(char class);
#define RIG_EMULATED_TEXT                                                                   \
	"class C: the guests were emulated, so timings prove nothing; event counts can be " \
	"compared"
/* TRUE if any side's runs were emulated (class C). */
gboolean rig_compare_is_emulated(const RigSides *sides);
/* TRUE for a change (percent or points) that shows as 0.0: a direction would say more than the
 * figure does. */
gboolean rig_change_is_tiny(double change);
/* TRUE for a metric that is (or is made of) time: only these depend on the placement class. */
gboolean rig_metric_is_timing(const RigMetricInfo *info);
