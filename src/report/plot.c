/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plot.c - a series of samples as characters, for a terminal.
 */
#include "report/plot.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/number.h"

#define WIDTH_DEFAULT 80
#define HEIGHT_DEFAULT 8
#define EIGHTHS 8

typedef struct {
	double *columns;
	guint n, height;
	double lo, hi;
	gboolean ascii;
} Plot;

/* The mean of the values that column I of COLUMNS stands for; NaN when all are gaps. */
static double column_mean(const double *values, guint n, guint i, guint columns)
{
	guint first = (guint)((guint64)i * n / columns);
	guint last = (guint)((guint64)(i + 1) * n / columns), count = 0;
	double mean = 0;

	for (guint v = first; v < last; v++)
		if (isfinite(values[v]))
			mean += (values[v] - mean) / ++count;
	return count ? mean : NAN;
}

static void fill(Plot *plot, const double *values, guint n)
{
	plot->columns = g_new0(double, plot->n);
	for (guint i = 0; i < plot->n; i++) {
		plot->columns[i] = column_mean(values, n, i, plot->n);
		if (!isfinite(plot->columns[i]))
			continue;
		plot->lo = MIN(plot->lo, plot->columns[i]);
		plot->hi = MAX(plot->hi, plot->columns[i]);
	}
}

/* How many eighths of the whole height column I fills. What is above the bottom at all is seen. */
static guint eighths(const Plot *plot, guint i)
{
	double span = plot->hi - plot->lo;
	double share = span > 0 ? (plot->columns[i] - plot->lo) / span : 0;
	guint full = plot->height * EIGHTHS;

	if (!isfinite(plot->columns[i]) || !(share > 0))
		return 0;
	return MAX(1, (guint)lround(share * full));
}

static void add_cell(GString *out, const Plot *plot, guint i, guint below)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	guint level = eighths(plot, i);
	guint part = level > below ? MIN(level - below, EIGHTHS) : 0;

	if (plot->ascii)
		g_string_append_c(out, part == 0 ? ' ' : (part > EIGHTHS / 2 ? '#' : '.'));
	else
		g_string_append(out, blocks[part]);
}

static void trim(GString *out)
{
	while (out->len && out->str[out->len - 1] == ' ')
		g_string_truncate(out, out->len - 1);
}

/* Row 0 is the top; LABEL stands at its left, WIDTH columns wide. */
static void add_row(GString *out, const Plot *plot, guint row, const char *label, guint width)
{
	g_string_append_printf(out, "%*s %s", (int)width, label, plot->ascii ? "|" : "│");
	for (guint i = 0; i < plot->n; i++)
		add_cell(out, plot, i, (plot->height - 1 - row) * EIGHTHS);
	trim(out);
	g_string_append_c(out, '\n');
}

static void add_rows(GString *out, const Plot *plot, const char *high, const char *low, guint width)
{
	for (guint row = 0; row < plot->height; row++)
		add_row(out, plot, row, row == 0 ? high : (row == plot->height - 1 ? low : ""),
			width);
}

static void add_foot(GString *out, const Plot *plot, guint n, guint width)
{
	g_string_append_printf(out, "%*s %s", (int)width, "", plot->ascii ? "+" : "└");
	for (guint i = 0; i < plot->n; i++)
		g_string_append(out, plot->ascii ? "-" : "─");
	g_string_append_printf(out, "\n%*s  %u sample%s", (int)width, "", n, n == 1 ? "" : "s");
	if (n > plot->n)
		g_string_append_printf(out, ", about %u in each column (their mean)",
				       (n + plot->n - 1) / plot->n);
	g_string_append_c(out, '\n');
}

char *rig_plot_render(const double *values, guint n, const RigPlotOptions *options)
{
	GString *out = g_string_new(NULL);
	Plot plot = {.ascii = options->ascii};
	guint columns = options->width ? options->width : WIDTH_DEFAULT, width;
	g_autofree char *high = NULL;
	g_autofree char *low = NULL;

	if (n == 0)
		return g_string_free(out, FALSE);
	/* The scale's labels are known only after the columns are; 12 hold any of them. */
	plot.n = MIN(n, MAX(columns, 24) - 14);
	plot.height = options->height ? options->height : HEIGHT_DEFAULT;
	fill(&plot, values, n);
	high = rig_number_people(plot.hi);
	low = plot.height > 1 ? rig_number_people(plot.lo) : g_strdup("");
	width = (guint)MAX(strlen(high), strlen(low));
	if (options->title)
		g_string_append_printf(out, "%s\n", options->title);
	add_rows(out, &plot, high, low, width);
	add_foot(out, &plot, n, width);
	g_free(plot.columns);
	return g_string_free(out, FALSE);
}

static GArray *samples_of(const RigRecord *record, const char *metric, GError **error)
{
	GArray *values = record->samples ? g_hash_table_lookup(record->samples, metric) : NULL;
	g_autofree const char **names = NULL;
	const char *like;
	guint n;

	if (values && values->len)
		return values;
	if (!record->samples || g_hash_table_size(record->samples) == 0) {
		rig_error_set(error, RIG_ERROR_USAGE, "run %s has no samples (%s)",
			      record->id ? record->id : "?", rig_outcome_name(record->outcome));
		return NULL;
	}
	names = (const char **)g_hash_table_get_keys_as_array(record->samples, &n);
	like = rig_text_nearest(metric, names);
	rig_error_set_hint(
		error, RIG_ERROR_USAGE, "matrix.json in the run's folder has all that were sampled",
		"run %s has no samples of \"%s\"%s%s%s", record->id ? record->id : "?", metric,
		like ? "; is \"" : "", like ? like : "", like ? "\" meant?" : "");
	return NULL;
}

char *rig_plot_record(const RigRecord *record, const char *metric, const RigPlotOptions *options,
		      GError **error)
{
	const GArray *values = samples_of(record, metric, error);
	g_autofree char *name = rig_text_safe_line(metric, -1);
	RigPlotOptions titled = *options;
	g_autofree char *title = NULL;

	if (!values)
		return NULL;
	title = g_strdup_printf("%s of run %s", name, record->id ? record->id : "?");
	titled.title = title;
	return rig_plot_render((const double *)(const void *)values->data, values->len, &titled);
}

char *rig_plot_record_json(const RigRecord *record, const char *metric, GError **error)
{
	const GArray *values = samples_of(record, metric, error);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	if (!values)
		return NULL;
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "format", "rig-samples");
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "run", record->id);
	rig_json_add_string(writer, "metric", metric);
	rig_json_open_array(writer, "values");
	for (guint i = 0; i < values->len; i++)
		rig_json_add_double(writer, NULL, g_array_index(values, double, i));
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}
