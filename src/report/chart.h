/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.h - figures as SVG: axes, dots, intervals, lines, bands.
 *
 * Drawn here and not by a script in the page, so that they print, need nothing from a network, and
 * a test can look at them. Pure: numbers in, text out. Colours are the page's: every mark has a
 * class, "s0" "s1" ... for the sides.
 */
#pragma once

#include <glib.h>

#include "report/axis.h"

typedef struct {
	const char *title;	       /* what it shows, read out where it cannot be seen */
	const char *x_label, *y_label; /* or NULL */
	guint width, height;	       /* in units that are pixels at full size */
	double x_lo, x_hi, y_lo, y_hi; /* of the data */
	/* With categories x is the category's number, and X_LO, X_HI are not used. */
	const char *const *categories;
	guint n_categories;
	gboolean whole_x, whole_y; /* ticks at whole numbers only */
} RigChartFrame;

typedef struct RigChart RigChart;

RigChart *rig_chart_new(const RigChartFrame *frame);
void rig_chart_free(RigChart *chart);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigChart, rig_chart_free)

/* In all of these a mark with a coordinate that is not finite is left out. KIND is the class of
 * the mark, a name of ours ("s0", "n1 thin"), never text from a guest; the first two letters also
 * choose the shape of dots, so that a print without colours can be read. TEXT (may be NULL) is
 * shown by the pointer. */
void rig_chart_dot(RigChart *chart, double x, double y, const char *kind, const char *text);
/* The same moved aside by OFFSET units. */
void rig_chart_dot_aside(RigChart *chart, double x, double y, double offset, const char *kind,
			 const char *text);
/* A mean with its interval; LO and HI may be NaN (no interval). */
void rig_chart_interval(RigChart *chart, double x, double offset, double mean, double lo, double hi,
			const char *kind, const char *text);
/* A line through N points; a point that is not finite breaks it. STEP: each value holds until the
 * next point. */
void rig_chart_line(RigChart *chart, const double *x, const double *y, guint n, gboolean step,
		    const char *kind);
/* A span of x with a name above it; every second one is shaded. */
void rig_chart_band(RigChart *chart, double from, double to, const char *name);
/* A cross below the figure's values: something is missing here. */
void rig_chart_missing(RigChart *chart, double x, const char *kind, const char *text);

/* The place of one category, in units. */
double rig_chart_category_width(const RigChart *chart);

/* How far to move each of N values aside, so that dots of equal or near values do not hide each
 * other: by at most a quarter of a category's place. The same for the same values. OUT has room for
 * N. */
void rig_chart_spread(const RigChart *chart, const double *values, guint n, double *out);

/* The figure. g_free. */
char *rig_chart_svg(const RigChart *chart);
