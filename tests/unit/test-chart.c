/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-chart.c - axes, places, escaping, and one small figure to the character.
 */
#include "report/chart.h"

#include <math.h>

#include "base/json.h"
#include "expect.h"
#include "report/markup.h"

static char *labels_of(const RigAxis *axis)
{
	g_autoptr(GPtrArray) labels = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < axis->n_ticks; i++)
		g_ptr_array_add(labels, rig_axis_label(axis, i));
	g_ptr_array_add(labels, NULL);
	return g_strjoinv(" ", (char **)labels->pdata);
}

static void test_ticks(void)
{
	static const struct {
		double lo, hi;
		const char *labels;
	} cases[] = {
		{0, 100, "0 20 40 60 80 100"},
		{0, 11, "0.0 2.5 5.0 7.5 10.0 12.5"},
		{18123, 25506, "18k 20k 22k 24k 26k"},
		{9.2e6, 1.2e7, "9M 10M 11M 12M"},
		{-3, 3, "-4 -2 0 2 4"},
		{0.98, 1.02, "0.98 0.99 1.00 1.01 1.02"},
		{5, 5, "4.7 4.8 4.9 5.0 5.1 5.2 5.3"},
		{0, 0, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{NAN, 3, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{INFINITY, -INFINITY, "0.0 0.2 0.4 0.6 0.8 1.0"},
		{0, 3e20, "0 1e+20 2e+20 3e+20"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		RigAxis axis = rig_axis_new(cases[i].lo, cases[i].hi, 0, 100, 5);
		g_autofree char *labels = labels_of(&axis);

		g_assert_cmpstr(labels, ==, cases[i].labels);
	}
}

/* Every axis holds its data, has a few ticks, and its ticks lie on it. */
static void test_axis_holds_data(void)
{
	static const double values[] = {-1.7e308, -1e9, -0.1, 0,       1e-300,
					0.3,	  7,	1e9,  1e9 + 1, 1.7e308};

	for (guint a = 0; a < G_N_ELEMENTS(values); a++)
		for (guint b = a; b < G_N_ELEMENTS(values); b++) {
			RigAxis axis = rig_axis_new(values[a], values[b], 200, 10, 5);
			double lo = CLAMP(values[a], -1e300, 1e300);
			double hi = CLAMP(values[b], -1e300, 1e300);

			/* A data point may overhang by a millionth of a step. */
			g_assert_cmpfloat(axis.lo, <=, lo + axis.step * 1e-5);
			g_assert_cmpfloat(axis.hi, >=, hi - axis.step * 1e-5);
			g_assert_cmpuint(axis.n_ticks, >=, 2);
			g_assert_cmpuint(axis.n_ticks, <=, 9);
			g_assert_cmpfloat(rig_axis_place(&axis, lo), <=, 200.001);
			g_assert_cmpfloat(rig_axis_place(&axis, hi), >=, 9.999);
			for (guint i = 0; i < axis.n_ticks; i++) {
				double at = rig_axis_place(&axis, rig_axis_tick(&axis, i));

				g_assert_cmpfloat(at, >=, 9.9);
				g_assert_cmpfloat(at, <=, 200.1);
			}
		}
}

static void test_exact(void)
{
	RigAxis axis = rig_axis_exact(0.4, 20.3, 0, 199, 5);
	g_autofree char *labels = labels_of(&axis);

	g_assert_cmpstr(labels, ==, "5 10 15 20");
	g_assert_cmpfloat_with_epsilon(rig_axis_place(&axis, 0.4), 0, 1e-9);
	g_assert_cmpfloat_with_epsilon(rig_axis_place(&axis, 20.3), 199, 1e-9);
}

static void test_whole(void)
{
	static const struct {
		double hi;
		const char *labels;
	} cases[] = {{2.5, "1 2"}, {13.5, "5 10"}, {40.5, "10 20 30 40"}};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		RigAxis axis = rig_axis_exact(0.5, cases[i].hi, 0, 100, 6);
		g_autofree char *labels = NULL;

		rig_axis_whole(&axis);
		labels = labels_of(&axis);
		g_assert_cmpstr(labels, ==, cases[i].labels);
	}
}

static const char *const sides[] = {"base", "head"};

static RigChart *small_chart(void)
{
	RigChartFrame frame = {
		.title = "figure <of> \"two\"",
		.y_label = "KB/s",
		.width = 240,
		.height = 160,
		.y_lo = 10,
		.y_hi = 20,
		.categories = sides,
		.n_categories = 2,
	};

	return rig_chart_new(&frame);
}

static void test_golden(void)
{
	static const double base[] = {10, 10, 12, NAN, 20}, head[] = {15, 15.1};
	g_autoptr(RigChart) chart = small_chart();
	g_autofree char *path =
		g_test_build_filename(G_TEST_DIST, "golden", "chart", "dots.svg", NULL);
	g_autofree char *wanted = NULL;
	g_autofree char *svg = NULL;
	double aside[5];

	rig_chart_spread(chart, base, 5, aside);
	for (guint i = 0; i < 5; i++)
		rig_chart_dot_aside(chart, 0, base[i], aside[i], "s0", "a run");
	rig_chart_interval(chart, 0, 20, 13, 11.5, 14.5, "s0", "mean & all");
	rig_chart_spread(chart, head, 2, aside);
	for (guint i = 0; i < 2; i++)
		rig_chart_dot_aside(chart, 1, head[i], aside[i], "s1", NULL);
	rig_chart_interval(chart, 1, 20, 15.05, NAN, NAN, "s1", NULL);
	rig_chart_missing(chart, 1, "s1", "panic");
	svg = rig_chart_svg(chart);
	g_assert_true(g_file_get_contents(path, &wanted, NULL, NULL));
	g_assert_cmpstr(svg, ==, wanted);
}

static guint count(const char *text, const char *part)
{
	guint n = 0;

	for (; (text = strstr(text, part)); text += strlen(part))
		n++;
	return n;
}

static void test_spread(void)
{
	double same[7] = {15, 15, 15, 15, 15, 15, 15}, far[3] = {10, 15, 20}, out[7];
	g_autoptr(RigChart) chart = small_chart();

	rig_chart_spread(chart, same, 3, out);
	for (guint i = 0; i < 3; i++)
		for (guint j = 0; j < i; j++)
			g_assert_cmpfloat(fabs(out[i] - out[j]), >, 8);
	/* Dots that do not touch stay in the middle. */
	rig_chart_spread(chart, far, 3, out);
	for (guint i = 0; i < 3; i++)
		g_assert_cmpfloat(out[i], ==, 0);
	/* However many: none leaves its side's place, 84 units wide, of which it has half. */
	{
		g_autofree double *many = g_new0(double, 1000);
		g_autofree double *places = g_new0(double, 1000);

		for (guint i = 0; i < 1000; i++)
			many[i] = 15;
		rig_chart_spread(chart, many, 1000, places);
		for (guint i = 0; i < 1000; i++)
			g_assert_cmpfloat(fabs(places[i]), <=, 21);
	}
}

static void test_lines(void)
{
	static const double x[] = {0, 1, 2, 3, 4}, y[] = {10, 12, NAN, 14, 20};
	RigChartFrame frame = {.title = "t",
			       .width = 272,
			       .height = 170,
			       .x_lo = 0,
			       .x_hi = 4,
			       .y_lo = 10,
			       .y_hi = 20};
	g_autoptr(RigChart) chart = rig_chart_new(&frame);
	g_autofree char *svg = NULL;

	/* The plot is 58 to 258 wide and 124 to 24 high: 50 a unit of x, 10 a unit of y. */
	rig_chart_line(chart, x, y, 5, FALSE, "s0");
	rig_chart_line(chart, x, y, 5, TRUE, "s1 thin");
	rig_chart_line(chart, x, y + 2, 1, FALSE, "s2"); /* a gap only: no line */
	svg = rig_chart_svg(chart);
	g_assert_nonnull(strstr(svg, "<path class=\"line s0\" "
				     "d=\"M58 124L108 104M208 84L258 24\"/>"));
	g_assert_nonnull(strstr(svg,
				"<path class=\"line s1 thin\" "
				"d=\"M58 124L108 124L108 104L158 104M208 84L258 84L258 24\"/>"));
	g_assert_null(strstr(svg, "s2"));
}

static void test_bands(void)
{
	RigChartFrame frame = {.title = "t",
			       .width = 272,
			       .height = 170,
			       .x_lo = 0,
			       .x_hi = 4,
			       .y_lo = 0,
			       .y_hi = 1};
	g_autoptr(RigChart) chart = rig_chart_new(&frame);
	g_autofree char *svg = NULL;

	rig_chart_band(chart, -5, 1, "po<pu>late & more");
	rig_chart_band(chart, 1, 99, "access");
	rig_chart_band(chart, 2, 2, "empty");
	rig_chart_band(chart, NAN, 2, "none");
	svg = rig_chart_svg(chart);
	g_assert_cmpuint(count(svg, "<rect"), ==, 2);
	g_assert_nonnull(strstr(svg, "x=\"58\" y=\"24\" width=\"50\""));
	g_assert_nonnull(strstr(svg, "x=\"108\" y=\"24\" width=\"150\""));
	g_assert_nonnull(strstr(svg, "po&lt;pu&gt;late &amp; more"));
	g_assert_null(strstr(svg, "<pu>"));
}

static void test_not_finite(void)
{
	g_autoptr(RigChart) chart = small_chart();
	g_autofree char *empty = rig_chart_svg(chart);
	g_autofree char *svg = NULL;

	rig_chart_dot(chart, NAN, 15, "s0", NULL);
	rig_chart_dot(chart, 0, INFINITY, "s0", NULL);
	rig_chart_interval(chart, 0, 0, NAN, 1, 2, "s0", NULL);
	svg = rig_chart_svg(chart);
	g_assert_cmpstr(svg, ==, empty);
	g_assert_null(strstr(svg, "nan"));
	g_assert_null(strstr(svg, "inf"));
}

static void test_json_in_script(void)
{
	g_autoptr(GString) out = g_string_new(NULL);
	g_autoptr(RigJson) root = NULL;
	g_autoptr(GError) error = NULL;

	rig_markup_json(out, "{\"a\": \"</script><script>&\"}");
	g_assert_null(strpbrk(out->str, "<>&"));
	root = rig_json_parse("page", out->str, -1, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(rig_json_string(root, "a", RIG_JSON_REQUIRED), ==, "</script><script>&");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/chart/ticks", test_ticks);
	g_test_add_func("/chart/axis-holds-data", test_axis_holds_data);
	g_test_add_func("/chart/exact", test_exact);
	g_test_add_func("/chart/whole", test_whole);
	g_test_add_func("/chart/golden", test_golden);
	g_test_add_func("/chart/spread", test_spread);
	g_test_add_func("/chart/lines", test_lines);
	g_test_add_func("/chart/bands", test_bands);
	g_test_add_func("/chart/not-finite", test_not_finite);
	g_test_add_func("/chart/json-in-script", test_json_in_script);
	return g_test_run();
}
