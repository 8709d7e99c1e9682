/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-dist.c - the distributions that the tests need, on top of GSL.
 */
#include "report/stat-dist.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_sf_gamma.h>
#include <math.h>

/* Beyond this many degrees t is the normal to the last digit that is compared. */
#define DF_NORMAL 1e10

void rig_dist_quiet(void)
{
	static gsize done;

	if (g_once_init_enter(&done)) {
		gsl_set_error_handler_off();
		g_once_init_leave(&done, 1);
	}
}

double rig_dist_normal_two_sided(double z)
{
	return erfc(fabs(z) / G_SQRT2);
}

double rig_dist_t_two_sided(double t, double df)
{
	double square = t * t;
	gsl_sf_result result;

	if (isnan(t) || !(df > 0))
		return NAN;
	if (isinf(t))
		return 0;
	if (df > DF_NORMAL)
		return rig_dist_normal_two_sided(t);
	rig_dist_quiet();
	/* Of the two forms, the one whose argument is not rounded to 1. */
	if (square < df) {
		if (gsl_sf_beta_inc_e(0.5, df / 2, square / (df + square), &result))
			return NAN;
		return 1 - result.val;
	}
	if (gsl_sf_beta_inc_e(df / 2, 0.5, df / (df + square), &result))
		return result.val == 0 ? 0 : NAN; /* an underflow */
	return result.val;
}

double rig_dist_t_critical(double alpha, double df)
{
	double t;

	if (!(alpha > 0 && alpha < 1) || !(df > 0))
		return NAN;
	rig_dist_quiet();
	if (df > DF_NORMAL)
		return gsl_cdf_ugaussian_Qinv(alpha / 2);
	t = gsl_cdf_tdist_Qinv(alpha / 2, df);
	/* GSL's inverse rests on its approximation; two steps of Newton's method repair it. */
	for (guint i = 0; i < 2; i++)
		t += (rig_dist_t_two_sided(t, df) - alpha) / (2 * gsl_ran_tdist_pdf(t, df));
	return t;
}
