/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-multiple.h - p values of several tests at once.
 *
 * NaN means that there was no test: it stays NaN and does not count to the family. P and ADJUSTED
 * may be the same array.
 */
#pragma once

#include <glib.h>

/* Holm (1979, Scandinavian Journal of Statistics 6): the chance of any false finding is kept. For
 * the few primary metrics. Returns the size of the family. */
guint rig_multiple_holm(const double *p, guint n, double *adjusted);
/* Benjamini and Hochberg (1995, Journal of the Royal Statistical Society B 57): the share of false
 * ones among the findings is kept. For thousands of counters. Returns the size of the family. */
guint rig_multiple_bh(const double *p, guint n, double *adjusted);
