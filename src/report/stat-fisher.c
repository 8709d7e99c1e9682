/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-fisher.c - did one side fail more often than the other?
 */
#include "report/stat-fisher.h"

#include <gsl/gsl_sf_gamma.h>
#include <math.h>

#include "report/stat-dist.h"

/* Tables that are equally likely must count as such whatever rounding says. */
#define EQUALLY_LIKELY (1 + 1e-7)

/* Of K of the FAILS being the base's. */
static double chance(guint k, guint fails, guint base_runs, guint head_runs)
{
	return exp(gsl_sf_lnchoose(base_runs, k) + gsl_sf_lnchoose(head_runs, fails - k) -
		   gsl_sf_lnchoose(base_runs + head_runs, fails));
}

double rig_fisher_p(guint base_fails, guint base_runs, guint head_fails, guint head_runs)
{
	guint fails = base_fails + head_fails;
	guint first = fails > head_runs ? fails - head_runs : 0, last = MIN(fails, base_runs);
	double seen, sum = 0;

	if (!base_runs || !head_runs || base_fails > base_runs || head_fails > head_runs)
		return NAN;
	rig_dist_quiet();
	seen = chance(base_fails, fails, base_runs, head_runs);
	for (guint k = first; k <= last; k++) {
		double p = chance(k, fails, base_runs, head_runs);

		if (p <= seen * EQUALLY_LIKELY)
			sum += p;
	}
	return MIN(1, sum);
}
