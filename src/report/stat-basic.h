/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-basic.h - means, spreads, medians, ranks, and the scale that values are compared on.
 *
 * In all of the statistics a run without a value is NaN and is left out, never counted as zero.
 */
#pragma once

#include <glib.h>

/* The scale on which a difference means something. */
typedef enum {
	RIG_SCALE_LOG,	     /* ratio scale, x > 0: log(x), a difference is a ratio */
	RIG_SCALE_LOG_COUNT, /* counts, x >= 0: log(x + 0.5), so that zeros have a place (Anscombe
				1948, Biometrika 35, on small additions to counts) */
	RIG_SCALE_POINTS,    /* percentages and shares: as they are, a difference is in points */
} RigScale;

/* Copy VALUES to OUT (room for N) on SCALE; what has no place on it (a zero on RIG_SCALE_LOG)
 * becomes NaN. Returns how many values other than NaN were lost so. */
guint rig_scale_apply(RigScale scale, const double *values, guint n, double *out);
/* A difference on SCALE as a reader sees it: percent of the base, or points. NaN stays NaN. */
double rig_scale_change(RigScale scale, double difference);
/* The inverse: the difference that CHANGE percent or points make. */
double rig_scale_difference(RigScale scale, double change);

/* Copy the values that are not NaN to OUT (room for N), in order; returns how many. */
guint rig_stat_pack(const double *values, guint n, double *out);
guint rig_stat_count(const double *values, guint n);
/* NaN when there are no values. */
double rig_stat_mean(const double *values, guint n);
/* The geometric mean's logarithm; NaN when a value is not above zero. */
double rig_stat_log_mean(const double *values, guint n);
/* Of the sample (n - 1); NaN below two values. */
double rig_stat_sd(const double *values, guint n);
/* Of the population (n); NaN below two values, as in RigSummary. */
double rig_stat_population_sd(const double *values, guint n);
/* The mean of the middle two where their number is even. */
double rig_stat_median(const double *values, guint n);

/* Midranks from 1 of VALUES, none of them NaN. Returns the sum of t^3 - t over groups of t equal
 * values, which the normal approximations correct for (Lehmann, Nonparametrics, 1975, section 1.4);
 * 0 without ties. */
double rig_stat_ranks(const double *values, guint n, double *ranks);
