/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-basic.c - means, spreads, medians, ranks, and the scale that values are compared on.
 */
#include "report/stat-basic.h"

#include <gsl/gsl_sort.h>
#include <math.h>

static double scale_value(RigScale scale, double x)
{
	switch (scale) {
	case RIG_SCALE_LOG:
		return x > 0 ? log(x) : NAN;
	case RIG_SCALE_LOG_COUNT:
		return x >= 0 ? log(x + 0.5) : NAN;
	default:
		return x;
	}
}

guint rig_scale_apply(RigScale scale, const double *values, guint n, double *out)
{
	guint lost = 0;

	for (guint i = 0; i < n; i++) {
		out[i] = scale_value(scale, values[i]);
		lost += isnan(out[i]) && !isnan(values[i]);
	}
	return lost;
}

double rig_scale_change(RigScale scale, double difference)
{
	return scale == RIG_SCALE_POINTS ? difference : 100 * expm1(difference);
}

double rig_scale_difference(RigScale scale, double change)
{
	return scale == RIG_SCALE_POINTS ? change : log1p(change / 100);
}

guint rig_stat_pack(const double *values, guint n, double *out)
{
	guint kept = 0;

	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			out[kept++] = values[i];
	return kept;
}

guint rig_stat_count(const double *values, guint n)
{
	guint count = 0;

	for (guint i = 0; i < n; i++)
		count += !isnan(values[i]);
	return count;
}

/* Of VALUES - ORIGIN. */
static double mean_from(const double *values, guint n, guint count, double origin)
{
	double sum = 0;

	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			sum += values[i] - origin;
	return sum / count;
}

double rig_stat_mean(const double *values, guint n)
{
	guint count = rig_stat_count(values, n);
	double mean;

	if (count == 0)
		return NAN;
	/* The second pass adds what rounding lost: with values near 1e9 it shows in p. */
	mean = mean_from(values, n, count, 0);
	return isfinite(mean) ? mean + mean_from(values, n, count, mean) : mean;
}

double rig_stat_log_mean(const double *values, guint n)
{
	guint count = rig_stat_count(values, n);
	double sum = 0;

	for (guint i = 0; i < n; i++) {
		if (isnan(values[i]))
			continue;
		if (values[i] <= 0)
			return NAN;
		sum += log(values[i]);
	}
	return count ? sum / count : NAN;
}

/* A second pass, so that large values which differ in the last digits do not cancel out. */
static double squares(const double *values, guint n)
{
	double mean = rig_stat_mean(values, n), sum = 0;

	for (guint i = 0; i < n; i++)
		if (!isnan(values[i]))
			sum += (values[i] - mean) * (values[i] - mean);
	return sum;
}

double rig_stat_sd(const double *values, guint n)
{
	guint count = rig_stat_count(values, n);

	return count < 2 ? NAN : sqrt(squares(values, n) / (count - 1));
}

double rig_stat_population_sd(const double *values, guint n)
{
	guint count = rig_stat_count(values, n);

	return count < 2 ? NAN : sqrt(squares(values, n) / count);
}

double rig_stat_median(const double *values, guint n)
{
	g_autofree double *sorted = g_new(double, MAX(n, 1));
	guint count = rig_stat_pack(values, n, sorted);

	if (count == 0)
		return NAN;
	gsl_sort(sorted, 1, count);
	return (sorted[(count - 1) / 2] + sorted[count / 2]) / 2;
}

double rig_stat_ranks(const double *values, guint n, double *ranks)
{
	g_autofree size_t *order = g_new(size_t, MAX(n, 1));
	double ties = 0;

	gsl_sort_index(order, values, 1, n);
	for (guint i = 0, end; i < n; i = end) {
		double t;

		for (end = i + 1; end < n && values[order[end]] == values[order[i]];)
			end++;
		for (guint k = i; k < end; k++)
			ranks[order[k]] = (i + 1 + end) / 2.0;
		t = end - i;
		ties += t * t * t - t;
	}
	return ties;
}
