/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-multiple.c - p values of several tests at once.
 */
#include "report/stat-multiple.h"

#include <gsl/gsl_sort.h>
#include <math.h>

/* The places of the values that are not NaN, smallest value first. */
static guint sort_present(const double *p, guint n, guint *places)
{
	g_autofree double *present = g_new(double, MAX(n, 1));
	g_autofree guint *where = g_new(guint, MAX(n, 1));
	g_autofree size_t *order = NULL;
	guint count = 0;

	for (guint i = 0; i < n; i++)
		if (!isnan(p[i])) {
			present[count] = p[i];
			where[count++] = i;
		}
	order = g_new(size_t, MAX(count, 1));
	gsl_sort_index(order, present, 1, count);
	for (guint i = 0; i < count; i++)
		places[i] = where[order[i]];
	return count;
}

static void copy(const double *p, guint n, double *adjusted)
{
	for (guint i = 0; i < n; i++)
		adjusted[i] = p[i];
}

guint rig_multiple_holm(const double *p, guint n, double *adjusted)
{
	g_autofree guint *places = g_new(guint, MAX(n, 1));
	guint count = sort_present(p, n, places);
	double largest = 0;

	copy(p, n, adjusted);
	for (guint i = 0; i < count; i++) {
		largest = MAX(largest, MIN(1, (count - i) * adjusted[places[i]]));
		adjusted[places[i]] = largest;
	}
	return count;
}

guint rig_multiple_bh(const double *p, guint n, double *adjusted)
{
	g_autofree guint *places = g_new(guint, MAX(n, 1));
	guint count = sort_present(p, n, places);
	double smallest = 1;

	copy(p, n, adjusted);
	for (guint i = count; i-- > 0;) {
		smallest = MIN(smallest, adjusted[places[i]] * count / (i + 1));
		adjusted[places[i]] = smallest;
	}
	return count;
}
