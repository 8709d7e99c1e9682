/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-dist.h - the distributions that the tests need, on top of GSL.
 *
 * GSL aborts the process on a domain error by default; everything here turns that off first and
 * answers NaN instead.
 */
#pragma once

#include <glib.h>

/* Turn GSL's aborting error handler off, once a process. Call before any GSL function that can
 * fail; cheap. */
void rig_dist_quiet(void);

/* P(|T| >= |t|) of Student's t with DF degrees (may be fractional; INFINITY is the normal).
 * By the incomplete beta function (Abramowitz & Stegun 26.7.1), since GSL's own function goes over
 * to an approximation above 30 degrees. */
double rig_dist_t_two_sided(double t, double df);
/* The t that |T| exceeds with probability ALPHA. */
double rig_dist_t_critical(double alpha, double df);
/* P(|Z| >= |z|) of the normal. */
double rig_dist_normal_two_sided(double z);
