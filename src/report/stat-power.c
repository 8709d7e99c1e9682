/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-power.c - what a number of runs can see, and how many runs it takes.
 */
#include "report/stat-power.h"

#include <gsl/gsl_integration.h>
#include <math.h>

#include "report/stat-dist.h"

#define INTERVALS 200
#define PRECISION 1e-11

typedef struct {
	double t, df, ncp, log_scale;
} Noncentral;

static double normal_upper(double z)
{
	return erfc(z / G_SQRT2) / 2;
}

/* P(T > t | spread = s) times the density of s, where s^2 df is chi-square with df degrees. */
static double integrand(double s, void *data)
{
	const Noncentral *at = data;
	double log_density;

	if (s <= 0)
		return at->df == 1 ? exp(at->log_scale) * normal_upper(-at->ncp) : 0;
	log_density = at->log_scale + (at->df - 1) * log(s) - at->df * s * s / 2;
	return exp(log_density) * normal_upper(at->t * s - at->ncp);
}

double rig_power_noncentral_t(double t, double df, double ncp)
{
	Noncentral at = {.t = t, .df = df, .ncp = ncp};
	gsl_function function = {.function = integrand, .params = &at};
	gsl_integration_workspace *space;
	double width, result = NAN, error;

	if (isnan(t) || isnan(ncp) || !(df >= 1))
		return NAN;
	if (df > 1e8)
		return normal_upper(t - ncp);
	rig_dist_quiet();
	at.log_scale = M_LN2 + df / 2 * log(df / 2) - lgamma(df / 2);
	/* The spread is within some deviations of 1; what lies outside is below 1e-20. */
	width = 14 / sqrt(2 * df);
	space = gsl_integration_workspace_alloc(INTERVALS);
	gsl_integration_qag(&function, MAX(0, 1 - width), 1 + width, PRECISION, 0, INTERVALS,
			    GSL_INTEG_GAUSS31, space, &result, &error);
	gsl_integration_workspace_free(space);
	return CLAMP(result, 0, 1);
}

double rig_power_t(double df, double ncp, double alpha)
{
	double critical = rig_dist_t_critical(alpha, df);

	return rig_power_noncentral_t(critical, df, ncp) +
	       rig_power_noncentral_t(critical, df, -ncp);
}

double rig_power_ncp(double df, double alpha, double power)
{
	double lo = 0, hi = 1;

	if (!(df >= 1) || !(power > alpha) || !(power < 1))
		return NAN;
	while (rig_power_t(df, hi, alpha) < power)
		hi *= 2;
	while (hi - lo > 1e-10 * hi) {
		double middle = (lo + hi) / 2;

		if (rig_power_t(df, middle, alpha) < power)
			lo = middle;
		else
			hi = middle;
	}
	return (lo + hi) / 2;
}

static double side_factor(guint n_base, guint n_head)
{
	return sqrt(1.0 / n_base + 1.0 / n_head);
}

double rig_power_sides(guint n_base, guint n_head, double effect, double alpha)
{
	if (n_base < 2 || n_head < 2)
		return NAN;
	return rig_power_t(n_base + n_head - 2, fabs(effect) / side_factor(n_base, n_head), alpha);
}

double rig_power_pairs(guint n, double effect, double alpha)
{
	return n < 2 ? NAN : rig_power_t(n - 1, fabs(effect) * sqrt(n), alpha);
}

double rig_power_detectable(guint n_base, guint n_head, double alpha, double power)
{
	if (n_base < 2 || n_head < 2)
		return NAN;
	return rig_power_ncp(n_base + n_head - 2, alpha, power) * side_factor(n_base, n_head);
}

double rig_power_detectable_pairs(guint n, double alpha, double power)
{
	return n < 2 ? NAN : rig_power_ncp(n - 1, alpha, power) / sqrt(n);
}

static double power_of(guint n, gboolean pairs, double effect, double alpha)
{
	return pairs ? rig_power_pairs(n, effect, alpha) : rig_power_sides(n, n, effect, alpha);
}

static guint needed(double effect, double alpha, double power, gboolean pairs)
{
	guint lo = 1, hi = 2;

	if (!(effect > 0) || !(power > alpha) || !(power < 1))
		return 0;
	while (power_of(hi, pairs, effect, alpha) < power) {
		if (hi >= RIG_POWER_RUNS_MAX)
			return 0;
		lo = hi;
		hi = MIN(2 * hi, RIG_POWER_RUNS_MAX);
	}
	while (hi - lo > 1) {
		guint middle = (lo + hi) / 2;

		if (power_of(middle, pairs, effect, alpha) < power)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

guint rig_power_needed(double effect, double alpha, double power)
{
	return needed(effect, alpha, power, FALSE);
}

guint rig_power_needed_pairs(double effect, double alpha, double power)
{
	return needed(effect, alpha, power, TRUE);
}
