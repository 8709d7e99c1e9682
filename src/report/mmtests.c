/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmtests.c - the comparison as mmtests prints it.
 */
#include "report/mmtests.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/number.h"
#include "report/stat-basic.h"
#include "report/wrap.h"

#define CELL_WIDTH 29 /* of "%18.2f (%7.2f%%)" */
#define BEST 0.95

typedef enum { ROW_MIN, ROW_MEAN, ROW_STDDEV, ROW_COEFFVAR, ROW_MAX, ROW_BEST, ROWS } Row;

typedef struct {
	const RigJudgement *judgement;
	const GPtrArray
		*metrics; /* RigStatMetric* of the first head: which metrics, in which order */
	int label_width, name_width;
	GString *out;
} Table;

static const char *label_of(Row row, const RigMetricInfo *info)
{
	static const char *const labels[2][ROWS] = {
		{"Min", "Amean", "Stddev", "CoeffVar", "Max", "BAmean-95"},
		{"Min", "Hmean", "Stddev", "CoeffVar", "Max", "BHmean-95"},
	};

	return labels[info->direction == RIG_HIGHER][row];
}

static double harmonic_mean(const double *values, guint n)
{
	double sum = 0;

	for (guint i = 0; i < n; i++)
		sum += 1 / values[i];
	return n / sum;
}

static double mean_of(const double *values, guint n, gboolean harmonic)
{
	return harmonic ? harmonic_mean(values, n) : rig_stat_mean(values, n);
}

static int by_size(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

/* VALUES are sorted; the worst are cut off, at least one stays. */
static double best_mean(const double *values, guint n, gboolean harmonic)
{
	guint kept = MAX((guint)floor(n * BEST), 1);

	return mean_of(harmonic ? values + n - kept : values, kept, harmonic);
}

/* VALUES are sorted. */
static double figure_of(Row row, const double *values, guint n, gboolean harmonic)
{
	double sd = n > 1 ? rig_stat_sd(values, n) : 0;

	if (n == 0)
		return NAN;
	switch (row) {
	case ROW_MIN:
		return values[0];
	case ROW_MAX:
		return values[n - 1];
	case ROW_STDDEV:
		return sd;
	case ROW_COEFFVAR:
		return 100 * sd / rig_stat_mean(values, n);
	case ROW_BEST:
		return best_mean(values, n, harmonic);
	default:
		return mean_of(values, n, harmonic);
	}
}

static double side_figure(const Table *t, guint index, const RigMetricInfo *info, Row row)
{
	const RigSide *side = rig_sides_at(t->judgement->compare->sides, index);
	const double *values = rig_side_values(side, info->name);
	g_autofree double *sorted = g_new(double, MAX(side->runs->len, 1));
	guint n = values ? rig_stat_pack(values, side->runs->len, sorted) : 0;

	qsort(sorted, n, sizeof(*sorted), by_size);
	return figure_of(row, sorted, n, info->direction == RIG_HIGHER);
}

static double change_of(double base, double head, const RigMetricInfo *info, Row row)
{
	gboolean spread = row == ROW_STDDEV || row == ROW_COEFFVAR;
	gboolean less_is_better = spread || info->direction == RIG_LOWER;

	if (base == head)
		return 0;
	return 100 * (less_is_better ? base - head : head - base) / base;
}

static gboolean is_changed(const Table *t, guint head, guint metric)
{
	const RigStatCompare *stats = rig_judgement_stats(t->judgement, head);
	const RigStatMetric *m = g_ptr_array_index(stats->metrics, metric);

	return m->verdict.kind == RIG_VERDICT_CHANGED;
}

static void add_cell(Table *t, double value, double change, gboolean star)
{
	g_autofree char *figure = rig_number_printf("%18.2f", value);
	g_autofree char *percent = rig_number_printf("%7.2f", change);

	g_string_append_printf(t->out, "%s %c%s%%%c", figure, star ? '*' : '(', percent,
			       star ? '*' : ')');
}

static void add_row(Table *t, Row row, guint metric)
{
	const RigStatMetric *m = g_ptr_array_index(t->metrics, metric);
	double base = side_figure(t, 0, m->info, row);
	g_autofree char *name = rig_text_safe_line(m->info->name, -1);

	g_string_append_printf(t->out, "%-*s %-*s", t->label_width, label_of(row, m->info),
			       t->name_width, name);
	add_cell(t, base, 0, FALSE);
	for (guint head = 1; head < t->judgement->compare->sides->sides->len; head++) {
		double value = side_figure(t, head, m->info, row);

		add_cell(t, value, change_of(base, value, m->info, row),
			 row == ROW_MEAN && is_changed(t, head, metric));
	}
	g_string_append_c(t->out, '\n');
}

/* Names stand in two lines: "6.1-rc3-vanilla" is "6.1-rc3" and "vanilla". */
static const char *second_part(const char *name)
{
	const char *dash = strchr(name, '-');

	if (dash && g_str_has_prefix(dash, "-rc") && g_ascii_isdigit(dash[3]))
		dash = strchr(dash + 1, '-');
	return dash ? dash + 1 : name + strlen(name);
}

static void add_header(Table *t, gboolean second)
{
	const RigSides *sides = t->judgement->compare->sides;
	GString *line = g_string_new(NULL);

	for (guint i = 0; i < sides->sides->len; i++) {
		g_autofree char *name = rig_text_safe_line(rig_sides_at(sides, i)->name, -1);
		const char *rest = second_part(name);
		g_autofree char *part =
			second ? g_strdup(rest)
			       : g_strndup(name, (gsize)(rest - name) - (*rest ? 1 : 0));
		guint width = CELL_WIDTH + (i ? 0 : (guint)(t->label_width + 1 + t->name_width));

		/* Counted in columns: a name need not be ASCII. */
		for (guint pad = rig_wrap_width(part); pad < width; pad++)
			g_string_append_c(line, ' ');
		g_string_append(line, part);
	}
	g_strchomp(line->str);
	g_string_append_printf(t->out, "%s\n", line->str);
	g_string_free(line, TRUE);
}

static void measure(Table *t)
{
	t->label_width = (int)strlen("BAmean-95");
	for (guint i = 0; i < t->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(t->metrics, i);

		t->name_width = MAX(t->name_width, (int)strlen(m->info->name));
	}
}

char *rig_mmtests_render(const RigJudgement *judgement)
{
	Table t = {
		.judgement = judgement,
		.metrics = rig_judgement_stats(judgement, 1)->metrics,
		.out = g_string_new(NULL),
	};

	measure(&t);
	add_header(&t, FALSE);
	add_header(&t, TRUE);
	for (guint row = 0; row < ROWS; row++)
		for (guint i = 0; i < t.metrics->len; i++)
			add_row(&t, (Row)row, i);
	return g_string_free(t.out, FALSE);
}
