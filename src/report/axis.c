/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * axis.c - values to places on a figure, and where its ticks stand.
 */
#include "report/axis.h"

#include <math.h>

#include "report/number.h"

#define SIZE_MAX_SHOWN 1e300 /* spans stay finite */
#define SPAN_MIN 1e-9	     /* of the size: below this doubles are no scale any more */

static double nice_step(double span, guint ticks)
{
	static const double steps[] = {1, 2, 2.5, 5, 10};
	double raw = span / MAX(ticks, 1);
	double power = pow(10, floor(log10(raw)));

	for (guint i = 0; i < G_N_ELEMENTS(steps); i++)
		if (raw <= steps[i] * power * (1 + 1e-9))
			return steps[i] * power;
	return 10 * power;
}

static void make_sane(double *lo, double *hi)
{
	double size;

	if (!isfinite(*lo) || !isfinite(*hi) || *lo > *hi) {
		*lo = 0;
		*hi = 1;
	}
	*lo = CLAMP(*lo, -SIZE_MAX_SHOWN, SIZE_MAX_SHOWN);
	*hi = CLAMP(*hi, -SIZE_MAX_SHOWN, SIZE_MAX_SHOWN);
	size = MAX(fabs(*lo), fabs(*hi));
	if (*hi - *lo > size * SPAN_MIN)
		return;
	*lo -= size > 0 ? size * 0.05 : 0;
	*hi += size > 0 ? size * 0.05 : 1;
}

static RigAxis make(double lo, double hi, double from, double to, double step)
{
	RigAxis axis = {.lo = lo, .hi = hi, .from = from, .to = to, .step = step};

	axis.n_ticks = (guint)(floor(hi / step + 1e-6) - ceil(lo / step - 1e-6)) + 1;
	return axis;
}

RigAxis rig_axis_exact(double lo, double hi, double from, double to, guint ticks)
{
	make_sane(&lo, &hi);
	return make(lo, hi, from, to, nice_step(hi - lo, ticks));
}

RigAxis rig_axis_new(double lo, double hi, double from, double to, guint ticks)
{
	double step;

	make_sane(&lo, &hi);
	step = nice_step(hi - lo, ticks);
	return make(floor(lo / step + 1e-6) * step, ceil(hi / step - 1e-6) * step, from, to, step);
}

void rig_axis_whole(RigAxis *axis)
{
	/* Of the nice steps only 2.5 and those below 1 are no whole numbers. */
	if (axis->step < 1)
		*axis = make(axis->lo, axis->hi, axis->from, axis->to, 1);
	else if (axis->step != floor(axis->step))
		*axis = make(axis->lo, axis->hi, axis->from, axis->to, 5);
}

double rig_axis_place(const RigAxis *axis, double value)
{
	return axis->from + (value - axis->lo) / (axis->hi - axis->lo) * (axis->to - axis->from);
}

double rig_axis_tick(const RigAxis *axis, guint i)
{
	double tick = (ceil(axis->lo / axis->step - 1e-6) + i) * axis->step;

	return fabs(tick) < axis->step * 1e-6 ? 0 : tick;
}

/* The largest unit that SIZE has a whole one of; thousands only from 10k on. */
static double unit_of(double size, const char **suffix)
{
	static const struct {
		double from, unit;
		const char *suffix;
	} units[] = {{1e12, 1e12, "T"}, {1e9, 1e9, "G"}, {1e6, 1e6, "M"}, {1e4, 1e3, "k"}};

	for (guint u = 0; u < G_N_ELEMENTS(units); u++) {
		if (size < units[u].from)
			continue;
		*suffix = units[u].suffix;
		return units[u].unit;
	}
	*suffix = "";
	return 1;
}

/* The digits behind the point that STEP has, a nice one. */
static int digits_of(double step)
{
	int digits = (int)CLAMP(-floor(log10(step) + 1e-9), 0, 12);
	double whole = step * pow(10, digits);

	/* 2.5 has one more than its power of ten says. */
	return fabs(whole - round(whole)) > 1e-6 ? digits + 1 : digits;
}

char *rig_axis_label(const RigAxis *axis, guint i)
{
	double size = MAX(fabs(axis->lo), fabs(axis->hi)), tick = rig_axis_tick(axis, i);
	const char *suffix;
	double unit = unit_of(size, &suffix);
	char text[G_ASCII_DTOSTR_BUF_SIZE], format[16];

	if (size >= 1e16 || size < 1e-4)
		return rig_number_printf("%.3g", tick);
	g_snprintf(format, sizeof(format), "%%.%df", digits_of(axis->step / unit));
	g_ascii_formatd(text, sizeof(text), format, tick / unit);
	return g_strconcat(text, tick != 0 ? suffix : "", NULL);
}
