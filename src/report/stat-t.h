/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-t.h - differences of means with intervals, on whatever scale the values are given.
 *
 * On log values (rig_scale_apply()) the difference is the log of head / base.
 */
#pragma once

#include "report/stat-basic.h"

typedef struct {
	double lo, hi; /* NaN where there is none */
} RigInterval;

typedef struct {
	guint n_base, n_head; /* values used; for pairs both are the number of pairs */
	double difference;    /* mean of head minus mean of base */
	double se, df, t, p;  /* p two-sided */
	RigInterval i95, i90;
	gboolean no_spread; /* every value (or difference) is the same: no t, no p; the intervals
			       are the one point */
} RigTTest;

/* Welch's test of unequal variances, degrees of freedom by Welch (1947, Biometrika 34) and
 * Satterthwaite (1946, Biometrics 2). Below two values a side all but n is NaN. */
RigTTest rig_t_welch(const double *base, guint n_base, const double *head, guint n_head);
/* Student's test with one pooled variance: what planning and the screen of counters assume. */
RigTTest rig_t_pooled(const double *base, guint n_base, const double *head, guint n_head);
/* Paired test (Student 1908, Biometrika 6): base[i] and head[i] are of one block; pairs with a NaN
 * are left out. */
RigTTest rig_t_paired(const double *base, const double *head, guint n);
