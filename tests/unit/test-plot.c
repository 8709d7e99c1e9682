/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-plot.c - a series of samples as characters.
 */
#include "report/plot.h"

#include <math.h>

#include "base/json.h"
#include "expect.h"

static void expect_plot(const double *values, guint n, RigPlotOptions options, const char *wanted)
{
	g_autofree char *text = rig_plot_render(values, n, &options);

	g_assert_cmpstr(text, ==, wanted);
}

static void test_blocks(void)
{
	static const double values[] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

	expect_plot(values, 9, (RigPlotOptions){.height = 1},
		    "8 │ ▁▂▃▄▅▆▇█\n"
		    "  └─────────\n"
		    "   9 samples\n");
	expect_plot(values, 9, (RigPlotOptions){.height = 2, .title = "x"},
		    "x\n"
		    "8 │     ▂▄▆█\n"
		    "0 │ ▂▄▆█████\n"
		    "  └─────────\n"
		    "   9 samples\n");
	expect_plot(values, 9, (RigPlotOptions){.height = 2, .ascii = TRUE},
		    "8 |     ..##\n"
		    "0 | ..######\n"
		    "  +---------\n"
		    "   9 samples\n");
}

static void test_small_is_seen(void)
{
	static const double values[] = {1e6, 1, 0};

	expect_plot(values, 3, (RigPlotOptions){.height = 1},
		    "1000000 │█▁\n"
		    "        └───\n"
		    "         3 samples\n");
}

static void test_gaps_and_signs(void)
{
	static const double gap[] = {2, NAN, 1, INFINITY}, signs[] = {-4, 0, 4}, zeros[] = {0, 0};

	expect_plot(gap, 4, (RigPlotOptions){.height = 1},
		    "2 │█ ▄\n"
		    "  └────\n"
		    "   4 samples\n");
	expect_plot(signs, 3, (RigPlotOptions){.height = 2},
		    " 4 │  █\n"
		    "-4 │ ██\n"
		    "   └───\n"
		    "    3 samples\n");
	expect_plot(zeros, 2, (RigPlotOptions){.height = 2},
		    "0 │\n"
		    "0 │\n"
		    "  └──\n"
		    "   2 samples\n");
	expect_plot(gap, 0, (RigPlotOptions){0}, "");
	expect_plot(gap, 1, (RigPlotOptions){.height = 1}, "2 │█\n  └─\n   1 sample\n");
}

/* More samples than columns: means, and the plot keeps to its width. */
static void test_wide(void)
{
	g_autofree double *values = g_new0(double, 1000);
	g_autofree char *text = NULL;
	g_auto(GStrv) lines = NULL;

	for (guint i = 0; i < 1000; i++)
		values[i] = i < 500 ? 0 : (i % 2 ? 2 : 4);
	text = rig_plot_render(values, 1000, &(RigPlotOptions){.width = 64, .height = 1});
	lines = g_strsplit(text, "\n", -1);
	/* 50 columns of 20 samples: half of them nothing, half of them the mean, 3. */
	g_assert_cmpstr(lines[0], ==, "3 │                         █████████████████████████");
	g_assert_cmpstr(lines[2], ==, "   1000 samples, about 20 in each column (their mean)");
	for (char **line = lines; *line; line++)
		g_assert_cmpint(g_utf8_strlen(*line, -1), <=, 64);
}

static void test_record(void)
{
	g_autoptr(RigRecord) record = rig_record_new();
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));
	double samples[] = {1, 3};
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	g_autofree char *json = NULL;
	g_autoptr(RigJson) root = NULL;

	record->id = g_strdup("20261130-134305-7f3a");
	g_assert_null(rig_plot_record(record, "proc-vmstat.pgfault", &(RigPlotOptions){0}, &error));
	expect_error(&error, RIG_ERROR_USAGE, "run 20261130-134305-7f3a has no samples (ok)");
	g_array_append_vals(values, samples, 2);
	g_hash_table_insert(record->samples, g_strdup("proc-vmstat.pgfault"), values);
	g_assert_null(rig_plot_record(record, "proc-vmstat.pgfaul", &(RigPlotOptions){0}, &error));
	expect_error(&error, RIG_ERROR_USAGE, "is \"proc-vmstat.pgfault\" meant?");
	text = rig_plot_record(record, "proc-vmstat.pgfault", &(RigPlotOptions){.height = 1},
			       &error);
	g_assert_cmpstr(text, ==,
			"proc-vmstat.pgfault of run 20261130-134305-7f3a\n"
			"3 │▃█\n  └──\n   2 samples\n");
	json = rig_plot_record_json(record, "proc-vmstat.pgfault", &error);
	root = rig_json_parse("plot", json, -1, &error);
	g_assert_no_error(error);
	g_assert_cmpfloat(
		rig_json_double(rig_json_at(rig_json_array(root, "values", RIG_JSON_REQUIRED), 1),
				NULL, RIG_JSON_REQUIRED, 0),
		==, 3);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/plot/blocks", test_blocks);
	g_test_add_func("/plot/small-is-seen", test_small_is_seen);
	g_test_add_func("/plot/gaps-and-signs", test_gaps_and_signs);
	g_test_add_func("/plot/wide", test_wide);
	g_test_add_func("/plot/record", test_record);
	return g_test_run();
}
