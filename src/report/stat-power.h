/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-power.h - what a number of runs can see, and how many runs it takes.
 *
 * Of the two-sided t test; effects in standard deviations of one run (two sides), or of the
 * difference within a block (pairs). Cohen, Statistical Power Analysis for the Behavioral Sciences,
 * 1988, chapter 2.
 */
#pragma once

#include <glib.h>

/* What is meant where nothing else is said. */
#define RIG_POWER_ALPHA 0.05
#define RIG_POWER_WANTED 0.80
#define RIG_POWER_RUNS_MAX 100000

/* P(T > t) of the noncentral t, by integration over the chi distribution of the spread (Johnson,
 * Kotz & Balakrishnan, Continuous Univariate Distributions 2, 1995, chapter 31). Good to 1e-9. */
double rig_power_noncentral_t(double t, double df, double ncp);
/* Chance that the test at ALPHA says "different", in either direction. */
double rig_power_t(double df, double ncp, double alpha);
/* The noncentrality (effect over its standard error) that is seen with chance POWER. */
double rig_power_ncp(double df, double alpha, double power);

/* Chance to see EFFECT with so many runs a side, or pairs; NaN below two. */
double rig_power_sides(guint n_base, guint n_head, double effect, double alpha);
double rig_power_pairs(guint n, double effect, double alpha);
/* The smallest effect that is seen with chance POWER. NaN below two runs a side or pairs. */
double rig_power_detectable(guint n_base, guint n_head, double alpha, double power);
double rig_power_detectable_pairs(guint n, double alpha, double power);
/* Runs a side (or pairs) that it takes to see EFFECT with chance POWER: at least 2, and 0 where
 * RIG_POWER_RUNS_MAX would not do (or EFFECT is no number above zero). */
guint rig_power_needed(double effect, double alpha, double power);
guint rig_power_needed_pairs(double effect, double alpha, double power);
