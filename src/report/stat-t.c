/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-t.c - differences of means with intervals.
 */
#include "report/stat-t.h"

#include <math.h>

#include "report/stat-dist.h"

/* Rounding alone gives equal values a spread of this size, relative to their mean (R draws the
 * line at 10 units in the last place). */
#define ROUNDING (10 * 2.220446049250313e-16)

static RigTTest nothing(guint n_base, guint n_head)
{
	return (RigTTest){
		.n_base = n_base,
		.n_head = n_head,
		.difference = NAN,
		.se = NAN,
		.df = NAN,
		.t = NAN,
		.p = NAN,
		.i95 = {NAN, NAN},
		.i90 = {NAN, NAN},
	};
}

static RigInterval interval(const RigTTest *test, double level)
{
	double half = test->se * rig_dist_t_critical(1 - level, test->df);

	return (RigInterval){test->difference - half, test->difference + half};
}

/* Difference, standard error and degrees are there; SIZE is that of the means. */
static void finish(RigTTest *test, double size)
{
	if (test->se <= ROUNDING * size) {
		test->no_spread = TRUE;
		test->se = 0;
		if (fabs(test->difference) <= ROUNDING * size)
			test->difference = 0;
		test->i95 = test->i90 = (RigInterval){test->difference, test->difference};
		return;
	}
	test->t = test->difference / test->se;
	test->p = rig_dist_t_two_sided(test->t, test->df);
	test->i95 = interval(test, 0.95);
	test->i90 = interval(test, 0.90);
}

static RigTTest two_sided(const double *base, guint n_base, const double *head, guint n_head,
			  gboolean pooled)
{
	guint nb = rig_stat_count(base, n_base), nh = rig_stat_count(head, n_head);
	RigTTest test = nothing(nb, nh);
	double sb, sh, vb, vh, mb = rig_stat_mean(base, n_base), mh = rig_stat_mean(head, n_head);

	test.difference = mh - mb;
	if (nb < 2 || nh < 2)
		return test;
	sb = rig_stat_sd(base, n_base);
	sh = rig_stat_sd(head, n_head);
	vb = sb * sb / nb;
	vh = sh * sh / nh;
	if (pooled) {
		test.df = nb + nh - 2;
		test.se = sqrt(((nb - 1) * sb * sb + (nh - 1) * sh * sh) / test.df *
			       (1.0 / nb + 1.0 / nh));
	} else {
		test.df = (vb + vh) * (vb + vh) / (vb * vb / (nb - 1) + vh * vh / (nh - 1));
		test.se = sqrt(vb + vh);
	}
	finish(&test, MAX(fabs(mb), fabs(mh)));
	return test;
}

RigTTest rig_t_welch(const double *base, guint n_base, const double *head, guint n_head)
{
	return two_sided(base, n_base, head, n_head, FALSE);
}

RigTTest rig_t_pooled(const double *base, guint n_base, const double *head, guint n_head)
{
	return two_sided(base, n_base, head, n_head, TRUE);
}

RigTTest rig_t_paired(const double *base, const double *head, guint n)
{
	g_autofree double *differences = g_new(double, MAX(n, 1));
	double size = 0;
	RigTTest test;
	guint pairs;

	for (guint i = 0; i < n; i++) {
		differences[i] = head[i] - base[i];
		if (!isnan(differences[i]))
			size = MAX(size, MAX(fabs(base[i]), fabs(head[i])));
	}
	pairs = rig_stat_count(differences, n);
	test = nothing(pairs, pairs);
	test.difference = rig_stat_mean(differences, n);
	if (pairs < 2)
		return test;
	test.df = pairs - 1;
	test.se = rig_stat_sd(differences, n) / sqrt(pairs);
	finish(&test, size);
	return test;
}
