/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-moderated.c - t tests of thousands of counters that lend each other their variances.
 */
#include "report/stat-moderated.h"

#include <gsl/gsl_sf_psi.h>
#include <math.h>

#include "report/stat-basic.h"
#include "report/stat-dist.h"

#define STEPS_MAX 50
#define FLOOR_OF_MEDIAN 1e-5

double rig_moderated_trigamma_inverse(double x)
{
	double y, step;

	if (!(x > 0))
		return NAN;
	/* Where two terms of the series at 0 and at infinity are all that a double shows. */
	if (x > 1e7)
		return 1 / sqrt(x - M_PI * M_PI / 6);
	if (x < 1e-6)
		return 1 / x + 0.5;
	rig_dist_quiet();
	y = 0.5 + 1 / x;
	for (guint i = 0; i < STEPS_MAX; i++) {
		double trigamma = gsl_sf_psi_1(y);

		step = trigamma * (1 - trigamma / x) / gsl_sf_psi_n(2, y);
		y += step;
		if (-step / y < 1e-13)
			break;
	}
	return y;
}

typedef struct {
	guint count;
	double mean_e, var_e, trigamma, mean;
} Moments;

static gboolean usable(double variance, double df)
{
	return df >= 1 && !isnan(variance);
}

/* Of e = log variance - digamma(df / 2) + log(df / 2), whose mean is the prior's log variance. */
static Moments moments_of(const double *variances, const double *dfs, guint n, double least)
{
	Moments m = {0};
	g_autofree double *e = g_new(double, MAX(n, 1));
	double last_df = NAN, psi = NAN, psi_1 = NAN;

	for (guint i = 0; i < n; i++) {
		double half = dfs[i] / 2, v = MAX(variances[i], least);

		e[i] = NAN;
		if (!usable(variances[i], dfs[i]))
			continue;
		/* Nearly all counters have the same degrees: ask GSL once. */
		if (dfs[i] != last_df) {
			last_df = dfs[i];
			psi = gsl_sf_psi(half) - log(half);
			psi_1 = gsl_sf_psi_1(half);
		}
		e[i] = log(v) - psi;
		m.trigamma += psi_1;
		m.mean += v;
		m.count++;
	}
	m.mean_e = rig_stat_mean(e, n);
	m.var_e = rig_stat_sd(e, n);
	m.var_e *= m.var_e;
	m.trigamma /= MAX(m.count, 1);
	m.mean /= MAX(m.count, 1);
	return m;
}

static double median_usable(const double *variances, const double *dfs, guint n)
{
	g_autofree double *kept = g_new(double, MAX(n, 1));
	guint count = 0;

	for (guint i = 0; i < n; i++)
		if (usable(variances[i], dfs[i]))
			kept[count++] = variances[i];
	return rig_stat_median(kept, count);
}

/* Half of the variances are zero: the median of the others is the yardstick. */
static double median_positive(const double *variances, guint n)
{
	g_autofree double *kept = g_new(double, MAX(n, 1));
	guint count = 0;

	for (guint i = 0; i < n; i++)
		if (variances[i] > 0)
			kept[count++] = variances[i];
	return rig_stat_median(kept, count);
}

RigPrior rig_moderated_fit(const double *variances, const double *dfs, guint n)
{
	RigPrior prior = {.df = 0, .variance = NAN};
	double median, extra;
	Moments m;

	rig_dist_quiet();
	for (guint i = 0; i < n; i++)
		if (usable(variances[i], dfs[i]))
			prior.df_limit += dfs[i];
	median = median_usable(variances, dfs, n);
	if (!(median > 0))
		median = median_positive(variances, n);
	if (!(median > 0))
		return prior;
	m = moments_of(variances, dfs, n, FLOOR_OF_MEDIAN * median);
	if (m.count < RIG_MODERATED_MIN)
		return prior;
	extra = m.var_e - m.trigamma;
	if (extra <= 0) {
		prior.df = INFINITY;
		prior.variance = m.mean;
		return prior;
	}
	prior.df = 2 * rig_moderated_trigamma_inverse(extra);
	prior.variance = exp(m.mean_e + gsl_sf_psi(prior.df / 2) - log(prior.df / 2));
	return prior;
}

RigModerated rig_moderated_t(const RigPrior *prior, double difference, double factor,
			     double variance, double df)
{
	RigModerated result = {.df = df};

	if (isinf(prior->df)) {
		variance = prior->variance;
		result.df = prior->df_limit;
	} else if (prior->df > 0) {
		variance = (prior->df * prior->variance + df * variance) / (prior->df + df);
		result.df = MIN(prior->df + df, prior->df_limit);
	}
	result.se = sqrt(variance * factor);
	result.t = result.se > 0 ? difference / result.se : NAN;
	result.p = rig_dist_t_two_sided(result.t, result.df);
	return result;
}
