/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * axis.h - values to places on a figure, and where its ticks stand.
 */
#pragma once

#include <glib.h>

typedef struct {
	double lo, hi;	 /* what the axis spans: the data, widened to whole steps */
	double from, to; /* places of LO and HI */
	double step;	 /* between ticks: 1, 2, 2.5 or 5 times a power of ten */
	guint n_ticks;	 /* the first at LO, the last at HI */
} RigAxis;

/* An axis for data from LO to HI with about TICKS ticks. A span of nothing is widened around the
 * value; bounds that are not finite are taken as 0 and 1. */
RigAxis rig_axis_new(double lo, double hi, double from, double to, guint ticks);
/* The same without widening to whole steps, for time: ticks stand at multiples of the step. */
RigAxis rig_axis_exact(double lo, double hi, double from, double to, guint ticks);

/* Keep ticks to whole numbers: of runs, of tasks. */
void rig_axis_whole(RigAxis *axis);

double rig_axis_place(const RigAxis *axis, double value);
/* The value of tick I. */
double rig_axis_tick(const RigAxis *axis, guint i);
/* The tick as text, as many digits as tell the ticks apart, "25.5k" for 25500. g_free. */
char *rig_axis_label(const RigAxis *axis, guint i);
