/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-moderated.h - t tests of thousands of counters that lend each other their variances.
 *
 * Five runs tell little of one counter's variance, but a thousand counters tell how variances are
 * spread. Each is pulled towards the common one as far as that warrants. All formulas: Smyth
 * (2004), "Linear models and empirical Bayes methods for assessing differential expression in
 * microarray experiments", Statistical Applications in Genetics and Molecular Biology 3(1),
 * article 3.
 */
#pragma once

#include <glib.h>

/* Below so many variances the prior would itself be noise: none is fitted. */
#define RIG_MODERATED_MIN 10

/* What the counters have in common: variances scatter around VARIANCE like VARIANCE over a
 * chi-square of DF degrees divided by DF. DF 0: nothing in common; INFINITY: all the same. */
typedef struct {
	double df, variance;
	double df_limit; /* sum of the counters' own degrees: no t has more */
} RigPrior;

/* The y > 0 with trigamma(y) = X, by Newton's method on its reciprocal (appendix of the paper). NaN
 * for X <= 0. */
double rig_moderated_trigamma_inverse(double x);

/* Section 6.2 of the paper: the moments of log variance. VARIANCES are those of the counters
 * (sample variances on DFS degrees each, which may differ); entries with DF below 1 or NaN are
 * passed over. Zeros are raised to 1e-5 of the median first, since their log would be no number. */
RigPrior rig_moderated_fit(const double *variances, const double *dfs, guint n);

typedef struct {
	double se, df, t, p; /* p two-sided; NaN where there is no variance at all */
} RigModerated;

/* Section 3 of the paper: DIFFERENCE tested with the variance moved towards PRIOR. FACTOR: the
 * variance of DIFFERENCE over that of one value (1/n + 1/m for two sides, 1/n for pairs). */
RigModerated rig_moderated_t(const RigPrior *prior, double difference, double factor,
			     double variance, double df);
