/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-metrics.c - the workload's own figures: a table, and for each primary one every run as a
 * dot, the runs in the order of time, and the tasks of each run.
 */
#include "report/html-private.h"

#include <math.h>
#include <stdlib.h>

#include "report/number.h"
#include "report/stat-dist.h"

#define WIDTH 440
#define HEIGHT 280
#define TASKS_DRAWN 48 /* of a run; more are picked evenly from the sorted ones */
#define PRIMARY_MAX 8  /* figures of; a workload names one to three */

static const RigStatMetric *stat_of(const RigHtmlPage *page, guint head, const char *name)
{
	const RigStatCompare *stats = g_ptr_array_index(page->stats, head - 1);

	for (guint m = 0; m < stats->metrics->len; m++) {
		const RigStatMetric *metric = g_ptr_array_index(stats->metrics, m);

		if (g_str_equal(metric->info->name, name))
			return metric;
	}
	return NULL;
}

/* "0.900", "-10.0%": a ratio, or points where a ratio means nothing. */
static char *effect_text(const RigStatMetric *m, double ratio, double points)
{
	if (m->scale == RIG_SCALE_POINTS)
		return isfinite(points) ? rig_number_printf("%+.2f", points) : g_strdup("-");
	return isfinite(ratio) ? rig_number_printf("%.3f", ratio) : g_strdup("-");
}

static char *p_text(double p)
{
	if (!isfinite(p))
		return g_strdup("-");
	return p < 0.0001 ? g_strdup("<0.0001") : rig_number_printf("%.2g", p);
}

static void add_effect(GString *out, const RigStatMetric *m)
{
	gboolean points = m->scale == RIG_SCALE_POINTS;
	g_autofree char *effect = effect_text(m, m->ratio, m->change);
	g_autofree char *lo = effect_text(m, m->ratio95.lo, m->i95.lo);
	g_autofree char *hi = effect_text(m, m->ratio95.hi, m->i95.hi);
	g_autofree char *shown = g_strdup_printf("%s%s", effect, points ? " pt" : "");
	g_autofree char *range = g_strdup_printf("%s to %s", lo, hi);
	g_autofree char *seen = rig_number_printf("%.1f", m->detectable);
	g_autofree char *p = p_text(m->p_holm);
	g_autofree char *see = g_strdup_printf("%s%s", seen, points ? " pt" : "%");

	rig_html_cell_text(out, points ? m->change : m->ratio, shown, "n ratio");
	rig_html_cell_text(out, NAN, isfinite(m->i95.lo) ? range : "-", "n");
	rig_html_cell_text(out, m->p_holm, p, "n p");
	rig_html_cell_text(out, m->detectable, isfinite(m->detectable) ? see : "-", "n");
}

static void add_row(RigHtmlPage *page, const RigRow *row, guint head)
{
	const RigSides *sides = page->compare->sides;
	const RigStatMetric *m = stat_of(page, head, row->info->name);
	const char *word = m && !rig_change_is_tiny(m->change) ? m->verdict.word : NULL;

	rig_markup_add(page->out, "<tr data-metric=\"%s\"><th scope=\"row\">%s%s%s%s%s</th>",
		       row->info->name, row->info->name, row->info->unit ? ", " : "",
		       row->info->unit ? row->info->unit : "", sides->sides->len > 2 ? " | " : "",
		       sides->sides->len > 2 ? rig_sides_at(sides, head)->name : "");
	rig_html_cell_number(page->out, row->sides[0].mean, "n mean");
	rig_html_cell_spread(page->out, row->info, &row->sides[0]);
	rig_html_cell_number(page->out, row->sides[head].mean, "n mean");
	rig_html_cell_spread(page->out, row->info, &row->sides[head]);
	rig_html_cell_change(page->out, &row->changes[head]);
	if (m)
		add_effect(page->out, m);
	else
		g_string_append(page->out, "<td>-</td><td>-</td><td>-</td><td>-</td>");
	rig_markup_add(page->out, "<td>%u, %u</td><td>%s%s%s</td></tr>\n", row->sides[0].n,
		       row->sides[head].n, m ? rig_verdict_name(m->verdict.kind) : "",
		       word ? ", " : "", word ? word : "");
}

static void add_table(RigHtmlPage *page)
{
	g_string_append(
		page->out,
		"<div class=\"wide\"><table id=\"own\"><thead><tr><th>metric</th>"
		"<th class=\"n\">base</th><th></th><th class=\"n\">head</th><th></th>"
		"<th class=\"n\">change</th><th class=\"n\">head / base</th>"
		"<th class=\"n\">95 % interval</th><th class=\"n\">p</th>"
		"<th class=\"n\">could be seen</th><th>runs</th><th>verdict</th></tr></thead>"
		"<tbody>\n");
	for (int primary = 1; primary >= 0; primary--)
		for (guint i = 0; i < page->compare->rows->len; i++) {
			const RigRow *row = g_ptr_array_index(page->compare->rows, i);

			for (guint h = 1; h < page->compare->sides->sides->len; h++)
				if (row->info->own && row->info->primary == primary)
					add_row(page, row, h);
		}
	g_string_append(page->out,
			"</tbody></table></div>\n<p class=\"small\">±: standard deviation "
			"between runs. p: after Holm, within the primary metrics or within the "
			"others. Could be seen: the smallest change that this many runs show "
			"with 80 % power.</p>\n");
}

/* The 95 % interval of one side's mean, by its own spread. */
static void side_interval(const RigSummary *s, double *lo, double *hi)
{
	double half = s->n > 1 ? rig_dist_t_critical(0.05, s->n - 1) * s->sd / sqrt(s->n) : NAN;

	*lo = s->mean - half;
	*hi = s->mean + half;
}

static void widen(double value, double *lo, double *hi)
{
	if (!isfinite(value))
		return;
	*lo = MIN(*lo, value);
	*hi = MAX(*hi, value);
}

static void find_range(const RigHtmlPage *page, const RigRow *row, double *lo, double *hi)
{
	*lo = INFINITY;
	*hi = -INFINITY;
	for (guint s = 0; s < page->compare->sides->sides->len; s++) {
		double a, b;

		side_interval(&row->sides[s], &a, &b);
		widen(a, lo, hi);
		widen(b, lo, hi);
		widen(row->sides[s].min, lo, hi);
		widen(row->sides[s].max, lo, hi);
	}
}

static char *run_text(const RigSideRun *run, double value, const char *unit)
{
	g_autofree char *number = rig_number_people(value);

	return g_strdup_printf("%s: %s%s%s", run->id ? run->id : "run", number, unit ? " " : "",
			       unit ? unit : "");
}

static void draw_side(const RigHtmlPage *page, RigChart *chart, const RigRow *row, guint s)
{
	const RigSide *side = rig_sides_at(page->compare->sides, s);
	const double *values = rig_side_values(side, row->info->name);
	g_autofree double *aside = g_new0(double, side->runs->len + 1);
	g_autofree char *kind = g_strdup_printf("s%u", s % 4);
	g_autofree char *mean = rig_number_people(row->sides[s].mean);
	g_autofree char *text = NULL;
	double lo, hi, place = rig_chart_category_width(chart);

	if (!values)
		return;
	side_interval(&row->sides[s], &lo, &hi);
	text = g_strdup_printf("%s: mean %s of %u runs", side->name, mean, row->sides[s].n);
	rig_chart_spread(chart, values, side->runs->len, aside);
	for (guint r = 0; r < side->runs->len; r++) {
		g_autofree char *label =
			run_text(g_ptr_array_index(side->runs, r), values[r], row->info->unit);

		rig_chart_dot_aside(chart, s, values[r], aside[r] - 0.12 * place, kind, label);
	}
	rig_chart_interval(chart, s, 0.3 * place, row->sides[s].mean, lo, hi, kind, text);
}

static void add_dots(RigHtmlPage *page, const RigRow *row)
{
	const RigSides *sides = page->compare->sides;
	g_autofree const char **names = g_new0(const char *, sides->sides->len);
	g_autofree char *title = g_strdup_printf("%s, every run, side by side", row->info->name);
	g_autoptr(RigChart) chart = NULL;
	RigChartFrame frame = {
		.title = title, .y_label = row->info->unit, .width = WIDTH, .height = HEIGHT};

	for (guint s = 0; s < sides->sides->len; s++)
		names[s] = rig_sides_at(sides, s)->name;
	frame.categories = names;
	frame.n_categories = sides->sides->len;
	find_range(page, row, &frame.y_lo, &frame.y_hi);
	chart = rig_chart_new(&frame);
	for (guint s = 0; s < sides->sides->len; s++)
		draw_side(page, chart, row, s);
	rig_html_add_figure(page, chart, "Every run, with mean and 95 % interval");
}

static double value_of(const RigHtmlRun *run, const char *metric)
{
	const double *values = rig_side_values(run->side, metric);

	return values ? values[run->run_index] : NAN;
}

/* The line that joins the runs of side S. */
static void join_runs(RigChart *chart, const GArray *runs, const RigRow *row, guint s)
{
	g_autofree double *x = g_new0(double, runs->len + 1);
	g_autofree double *y = g_new0(double, runs->len + 1);
	g_autofree char *kind = g_strdup_printf("s%u thin", s % 4);
	guint n = 0;

	for (guint i = 0; i < runs->len; i++) {
		const RigHtmlRun *run = &g_array_index(runs, RigHtmlRun, i);

		if (run->side_index != s || !isfinite(value_of(run, row->info->name)))
			continue;
		x[n] = i + 1;
		y[n++] = value_of(run, row->info->name);
	}
	rig_chart_line(chart, x, y, n, FALSE, kind);
}

static void draw_run(RigChart *chart, const RigHtmlRun *run, double x, const RigRow *row)
{
	double value = value_of(run, row->info->name);
	g_autofree char *kind = g_strdup_printf("s%u", run->side_index % 4);
	g_autofree char *text = NULL;

	if (isfinite(value)) {
		text = run_text(run->run, value, row->info->unit);
		rig_chart_dot(chart, x, value, kind, text);
	} else {
		text = g_strdup_printf("%s: %s", run->run->id ? run->run->id : "run",
				       rig_outcome_name(run->run->outcome));
		rig_chart_missing(chart, x, kind, text);
	}
}

static void add_order(RigHtmlPage *page, const RigRow *row)
{
	g_autoptr(GArray) runs = rig_html_runs(page);
	g_autofree char *title = g_strdup_printf("%s, runs in the order of time", row->info->name);
	g_autoptr(RigChart) chart = NULL;
	RigChartFrame frame = {.title = title,
			       .x_label = "run, in the order of time",
			       .y_label = row->info->unit,
			       .width = WIDTH,
			       .height = HEIGHT,
			       .x_lo = 0.5,
			       .x_hi = runs->len + 0.5,
			       .whole_x = TRUE};

	find_range(page, row, &frame.y_lo, &frame.y_hi);
	chart = rig_chart_new(&frame);
	for (guint s = 0; s < page->compare->sides->sides->len; s++)
		join_runs(chart, runs, row, s);
	for (guint i = 0; i < runs->len; i++)
		draw_run(chart, &g_array_index(runs, RigHtmlRun, i), i + 1, row);
	rig_html_add_figure(page, chart, "In the order of time: a slope is drift");
}

static int by_value(gconstpointer a, gconstpointer b)
{
	double left = *(const double *)a, right = *(const double *)b;

	return (left > right) - (left < right);
}

static const GArray *tasks_of(const RigHtmlPage *page, const RigHtmlRun *run, const char *metric)
{
	const RigTrace *trace = rig_html_trace(page, run->run);
	const GArray *tasks = trace ? g_hash_table_lookup(trace->tasks, metric) : NULL;

	return tasks && tasks->len > 1 ? tasks : NULL;
}

static void draw_tasks(RigChart *chart, const RigHtmlRun *run, double x, const GArray *tasks)
{
	g_autofree double *values = g_memdup2(tasks->data, tasks->len * sizeof(double));
	guint n = MIN(tasks->len, TASKS_DRAWN);
	g_autofree char *kind = g_strdup_printf("s%u small", run->side_index % 4);
	g_autofree char *thin = g_strdup_printf("s%u thin", run->side_index % 4);
	double ends_x[2] = {x, x}, ends_y[2];

	qsort(values, tasks->len, sizeof(*values), by_value);
	ends_y[0] = values[0];
	ends_y[1] = values[tasks->len - 1];
	rig_chart_line(chart, ends_x, ends_y, 2, FALSE, thin);
	for (guint i = 0; i < n; i++) {
		guint at = n > 1 ? (guint)((guint64)i * (tasks->len - 1) / (n - 1)) : 0;
		g_autofree char *number = rig_number_people(values[at]);

		rig_chart_dot(chart, x, values[at], kind, number);
	}
}

static void add_tasks(RigHtmlPage *page, const RigRow *row)
{
	g_autoptr(GArray) runs = rig_html_runs(page);
	g_autofree char *title = g_strdup_printf("%s, task by task", row->info->name);
	g_autoptr(RigChart) chart = NULL;
	RigChartFrame frame = {.title = title,
			       .x_label = "run, in the order of time",
			       .y_label = row->info->unit,
			       .width = WIDTH,
			       .height = HEIGHT,
			       .x_lo = 0.5,
			       .x_hi = runs->len + 0.5,
			       .whole_x = TRUE,
			       .y_lo = INFINITY,
			       .y_hi = -INFINITY};

	for (guint i = 0; i < runs->len; i++) {
		const GArray *tasks =
			tasks_of(page, &g_array_index(runs, RigHtmlRun, i), row->info->name);

		for (guint t = 0; tasks && t < tasks->len; t++)
			widen(g_array_index(tasks, double, t), &frame.y_lo, &frame.y_hi);
	}
	if (!isfinite(frame.y_lo))
		return;
	chart = rig_chart_new(&frame);
	for (guint i = 0; i < runs->len; i++) {
		const RigHtmlRun *run = &g_array_index(runs, RigHtmlRun, i);
		const GArray *tasks = tasks_of(page, run, row->info->name);

		if (tasks)
			draw_tasks(chart, run, i + 1, tasks);
	}
	rig_html_add_figure(page, chart, "Each task of each run");
}

static void add_card(RigHtmlPage *page, const RigRow *row)
{
	const RigMetricInfo *info = row->info;
	static const char *const ways[] = {"higher is better", "lower is better", ""};

	rig_markup_add(page->out, "<article>\n<h3>%s%s%s <small>%s</small></h3>\n", info->name,
		       info->unit ? ", " : "", info->unit ? info->unit : "", ways[info->direction]);
	if (info->text)
		rig_markup_add(page->out, "<p class=\"small\">%s</p>\n", info->text);
	if (rig_metric_is_timing(info) && rig_sides_at(page->compare->sides, 0)->class == 'C')
		g_string_append(page->out, "<p class=\"small\">Made of time on an emulated "
					   "machine: shown, and proves nothing.</p>\n");
	rig_html_add_legend(page);
	g_string_append(page->out, "<div class=\"figures\">\n");
	add_dots(page, row);
	add_order(page, row);
	add_tasks(page, row);
	g_string_append(page->out, "</div>\n</article>\n");
}

void rig_html_add_metrics(RigHtmlPage *page)
{
	guint drawn = 0;

	g_string_append(page->out, "<section id=\"metrics\">\n<h2>What the workload measured</h2>"
				   "\n");
	add_table(page);
	for (guint i = 0; i < page->compare->rows->len && drawn < PRIMARY_MAX; i++) {
		const RigRow *row = g_ptr_array_index(page->compare->rows, i);

		if (!row->info->own || !row->info->primary)
			continue;
		add_card(page, row);
		drawn++;
	}
	g_string_append(page->out, "</section>\n");
}
