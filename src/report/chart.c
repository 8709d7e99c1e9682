/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * chart.c - figures as SVG: axes, dots, intervals, lines, bands.
 */
#include "report/chart.h"

#include <math.h>
#include <string.h>

#include "report/markup.h"

#define MARGIN_LEFT 58
#define MARGIN_RIGHT 14
#define MARGIN_TOP 24
#define MARGIN_BOTTOM 46
#define RADIUS 4.2
#define APART (2 * RADIUS + 0.6) /* centres of dots that do not touch */
#define LETTER 7.2		 /* width of a letter, about */
#define Y_TICKS 5
#define X_TICKS 6

struct RigChart {
	char *title, *x_label, *y_label;
	guint width, height, n_categories, n_bands;
	char **categories;
	RigAxis x, y;
	GString *back, *marks; /* bands lie below the grid, marks above */
};

RigChart *rig_chart_new(const RigChartFrame *frame)
{
	RigChart *chart = g_new0(RigChart, 1);
	double right = (double)frame->width - MARGIN_RIGHT;

	chart->title = g_strdup(frame->title);
	chart->x_label = g_strdup(frame->x_label);
	chart->y_label = g_strdup(frame->y_label);
	chart->width = frame->width;
	chart->height = frame->height;
	chart->n_categories = frame->n_categories;
	chart->categories = g_new0(char *, frame->n_categories + 1);
	for (guint i = 0; i < frame->n_categories; i++)
		chart->categories[i] = g_strdup(frame->categories[i]);
	if (frame->n_categories)
		chart->x = rig_axis_exact(-0.5, frame->n_categories - 0.5, MARGIN_LEFT, right, 1);
	else
		chart->x = rig_axis_exact(frame->x_lo, frame->x_hi, MARGIN_LEFT, right, X_TICKS);
	chart->y = rig_axis_new(frame->y_lo, frame->y_hi, (double)frame->height - MARGIN_BOTTOM,
				MARGIN_TOP, Y_TICKS);
	if (frame->whole_x)
		rig_axis_whole(&chart->x);
	if (frame->whole_y)
		rig_axis_whole(&chart->y);
	chart->back = g_string_new(NULL);
	chart->marks = g_string_new(NULL);
	return chart;
}

void rig_chart_free(RigChart *chart)
{
	if (!chart)
		return;
	g_free(chart->title);
	g_free(chart->x_label);
	g_free(chart->y_label);
	g_strfreev(chart->categories);
	g_string_free(chart->back, TRUE);
	g_string_free(chart->marks, TRUE);
	g_free(chart);
}

static void attribute(GString *out, const char *name, double value)
{
	g_string_append_printf(out, " %s=\"", name);
	rig_markup_number(out, value);
	g_string_append_c(out, '"');
}

static void segment(GString *out, const char *kind, double x1, double y1, double x2, double y2)
{
	rig_markup_add(out, "<line class=\"%s\"", kind);
	attribute(out, "x1", x1);
	attribute(out, "y1", y1);
	attribute(out, "x2", x2);
	attribute(out, "y2", y2);
	g_string_append(out, "/>\n");
}

static void words(GString *out, const char *kind, double x, double y, const char *text)
{
	rig_markup_add(out, "<text class=\"%s\"", kind);
	attribute(out, "x", x);
	attribute(out, "y", y);
	rig_markup_add(out, ">%s</text>\n", text);
}

/* End an element that the pointer finds TEXT on. */
static void end_mark(GString *out, const char *element, const char *text)
{
	if (text)
		rig_markup_add(out, "><title>%s</title></%s>\n", text, element);
	else
		g_string_append(out, "/>\n");
}

/* A corner of a path, relative to where it starts. */
static void corners(GString *out, double x, double y, const double (*at)[2], guint n)
{
	g_string_append(out, " d=\"");
	for (guint i = 0; i < n; i++) {
		g_string_append_c(out, i ? 'L' : 'M');
		rig_markup_number(out, x + at[i][0] * RADIUS);
		g_string_append_c(out, ' ');
		rig_markup_number(out, y + at[i][1] * RADIUS);
	}
	g_string_append(out, "Z\"");
}

static void shape(RigChart *chart, double x, double y, const char *kind, const char *text)
{
	static const double diamond[][2] = {{0, -1.3}, {1.3, 0}, {0, 1.3}, {-1.3, 0}};
	static const double square[][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
	static const double triangle[][2] = {{0, -1.2}, {1.2, 1}, {-1.2, 1}};
	int which = kind[0] && g_ascii_isdigit(kind[1]) ? (kind[1] - '0') % 4 : 0;
	const char *element = which ? "path" : "circle";

	rig_markup_add(chart->marks, "<%s class=\"dot %s\"", element, kind);
	if (which == 0) {
		attribute(chart->marks, "cx", x);
		attribute(chart->marks, "cy", y);
		attribute(chart->marks, "r", RADIUS);
	} else if (which == 1) {
		corners(chart->marks, x, y, diamond, 4);
	} else if (which == 2) {
		corners(chart->marks, x, y, square, 4);
	} else {
		corners(chart->marks, x, y, triangle, 3);
	}
	end_mark(chart->marks, element, text);
}

void rig_chart_dot_aside(RigChart *chart, double x, double y, double offset, const char *kind,
			 const char *text)
{
	if (isfinite(x) && isfinite(y))
		shape(chart, rig_axis_place(&chart->x, x) + offset, rig_axis_place(&chart->y, y),
		      kind, text);
}

void rig_chart_dot(RigChart *chart, double x, double y, const char *kind, const char *text)
{
	rig_chart_dot_aside(chart, x, y, 0, kind, text);
}

void rig_chart_interval(RigChart *chart, double x, double offset, double mean, double lo, double hi,
			const char *kind, const char *text)
{
	double at = rig_axis_place(&chart->x, x) + offset, y = rig_axis_place(&chart->y, mean);

	if (!isfinite(x) || !isfinite(mean))
		return;
	rig_markup_add(chart->marks, "<g class=\"interval %s\">", kind);
	if (text)
		rig_markup_add(chart->marks, "<title>%s</title>", text);
	g_string_append_c(chart->marks, '\n');
	segment(chart->marks, "mean", at - 9, y, at + 9, y);
	if (isfinite(lo) && isfinite(hi)) {
		double top = rig_axis_place(&chart->y, hi), low = rig_axis_place(&chart->y, lo);

		segment(chart->marks, "range", at, top, at, low);
		segment(chart->marks, "cap", at - 5, top, at + 5, top);
		segment(chart->marks, "cap", at - 5, low, at + 5, low);
	}
	g_string_append(chart->marks, "</g>\n");
}

static void point(GString *out, char verb, double x, double y)
{
	g_string_append_c(out, verb);
	rig_markup_number(out, x);
	g_string_append_c(out, ' ');
	rig_markup_number(out, y);
}

void rig_chart_line(RigChart *chart, const double *x, const double *y, guint n, gboolean step,
		    const char *kind)
{
	g_autoptr(GString) path = g_string_new(NULL);
	gboolean pen = FALSE;
	double last = 0;

	for (guint i = 0; i < n; i++) {
		double px = rig_axis_place(&chart->x, x[i]), py = rig_axis_place(&chart->y, y[i]);

		if (!isfinite(x[i]) || !isfinite(y[i])) {
			/* A step's value holds up to the point that ends it. */
			if (pen && step && isfinite(x[i]))
				point(path, 'L', px, last);
			pen = FALSE;
			continue;
		}
		if (pen && step)
			point(path, 'L', px, last);
		point(path, pen ? 'L' : 'M', px, py);
		pen = TRUE;
		last = py;
	}
	if (path->len)
		rig_markup_add(chart->marks, "<path class=\"line %s\" d=\"%s\"/>\n", kind,
			       path->str);
}

/* TEXT cut to what WIDTH units hold. g_free. */
static char *fit_text(const char *text, double width)
{
	glong letters = g_utf8_strlen(text, -1), room = (glong)MAX(width / LETTER, 1);
	g_autofree char *part = NULL;

	if (letters <= room)
		return g_strdup(text);
	if (room < 3)
		return g_strdup("");
	part = g_utf8_substring(text, 0, room - 1);
	return g_strconcat(part, "…", NULL);
}

void rig_chart_band(RigChart *chart, double from, double to, const char *name)
{
	double left = rig_axis_place(&chart->x, MAX(from, chart->x.lo));
	double right = rig_axis_place(&chart->x, MIN(to, chart->x.hi));
	g_autofree char *text = NULL;

	if (!isfinite(from) || !isfinite(to) || right <= left)
		return;
	text = fit_text(name, right - left);
	rig_markup_add(chart->back, "<rect class=\"band b%u\"", chart->n_bands++ % 2);
	attribute(chart->back, "x", left);
	attribute(chart->back, "y", MARGIN_TOP);
	attribute(chart->back, "width", right - left);
	attribute(chart->back, "height", (double)chart->height - MARGIN_TOP - MARGIN_BOTTOM);
	end_mark(chart->back, "rect", name);
	if (*text)
		words(chart->back, "phase", (left + right) / 2, MARGIN_TOP - 7, text);
}

void rig_chart_missing(RigChart *chart, double x, const char *kind, const char *text)
{
	double at = rig_axis_place(&chart->x, x), y = chart->y.from;

	rig_markup_add(chart->marks, "<g class=\"missing %s\">", kind);
	if (text)
		rig_markup_add(chart->marks, "<title>%s</title>", text);
	g_string_append_c(chart->marks, '\n');
	segment(chart->marks, "cross", at - 4, y - 10, at + 4, y - 2);
	segment(chart->marks, "cross", at - 4, y - 2, at + 4, y - 10);
	g_string_append(chart->marks, "</g>\n");
}

/* TRUE if a dot at (X, Y) would touch one of the first N. */
static gboolean touches(const double *xs, const double *ys, guint n, double x, double y)
{
	for (guint i = 0; i < n; i++)
		if (isfinite(ys[i]) && hypot(xs[i] - x, ys[i] - y) < APART - 1e-6)
			return TRUE;
	return FALSE;
}

double rig_chart_category_width(const RigChart *chart)
{
	return (chart->x.to - chart->x.from) / MAX(chart->n_categories, 1);
}

void rig_chart_spread(const RigChart *chart, const double *values, guint n, double *out)
{
	g_autofree double *ys = g_new0(double, n + 1);
	double room = chart->n_categories ? rig_chart_category_width(chart) / 4 : 12;

	for (guint i = 0; i < n; i++) {
		ys[i] = rig_axis_place(&chart->y, values[i]);
		out[i] = 0;
		/* Outward, right and left in turn, until it stands free or there is no room. */
		for (guint k = 0; isfinite(ys[i]) && touches(out, ys, i, out[i], ys[i]); k++) {
			double side = (k / 2 + 1) * APART / 4;

			if (side > room - RADIUS)
				break;
			out[i] = k % 2 ? -side : side;
		}
	}
}

static void draw_y(const RigChart *chart, GString *out)
{
	for (guint i = 0; i < chart->y.n_ticks; i++) {
		g_autofree char *label = rig_axis_label(&chart->y, i);
		double y = rig_axis_place(&chart->y, rig_axis_tick(&chart->y, i));

		segment(out, "grid", chart->x.from, y, chart->x.to, y);
		words(out, "tick y", chart->x.from - 6, y + 4, label);
	}
	if (chart->y_label)
		words(out, "axis y", 4, 13, chart->y_label);
}

static void draw_x(const RigChart *chart, GString *out)
{
	double bottom = chart->y.from;
	double width = rig_chart_category_width(chart);

	segment(out, "base", chart->x.from, bottom, chart->x.to, bottom);
	for (guint i = 0; i < chart->n_categories; i++) {
		g_autofree char *text = fit_text(chart->categories[i], width);

		if (*text)
			words(out, "tick x", rig_axis_place(&chart->x, i), bottom + 18, text);
	}
	for (guint i = 0; !chart->n_categories && i < chart->x.n_ticks; i++) {
		g_autofree char *label = rig_axis_label(&chart->x, i);
		double x = rig_axis_place(&chart->x, rig_axis_tick(&chart->x, i));

		segment(out, "base", x, bottom, x, bottom + 4);
		words(out, "tick x", x, bottom + 18, label);
	}
	if (chart->x_label)
		words(out, "axis x", (chart->x.from + chart->x.to) / 2, chart->height - 8.0,
		      chart->x_label);
}

char *rig_chart_svg(const RigChart *chart)
{
	GString *out = g_string_new(NULL);

	rig_markup_add(out,
		       "<svg class=\"chart\" viewBox=\"0 0 %u %u\" width=\"%u\" height=\"%u\" "
		       "role=\"img\" aria-label=\"%s\">\n",
		       chart->width, chart->height, chart->width, chart->height,
		       chart->title ? chart->title : "");
	g_string_append(out, chart->back->str);
	draw_y(chart, out);
	draw_x(chart, out);
	g_string_append(out, chart->marks->str);
	g_string_append(out, "</svg>\n");
	return g_string_free(out, FALSE);
}
