/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep.c - one table of a comparison that was made for several values of a parameter.
 */
#include "report/sweep.h"

#include <math.h>

#include "report/compare.h"
#include "report/grid.h"
#include "report/number.h"

#define WIDTH_DEFAULT 80

static const RigSweepPoint *point_at(const RigSweep *sweep, guint i)
{
	return g_ptr_array_index(sweep->points, i);
}

static const RigStatMetric *metric_of(const RigStatCompare *stats, const char *name)
{
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *metric = g_ptr_array_index(stats->metrics, i);

		if (g_str_equal(metric->info->name, name))
			return metric;
	}
	return NULL;
}

/* The primaries of all points, each once, in the order of the first. char* borrowed. */
static GPtrArray *primaries(const RigSweep *sweep, guint head)
{
	GPtrArray *names = g_ptr_array_new();

	for (guint i = 0; i < sweep->points->len; i++) {
		const GPtrArray *metrics = point_at(sweep, i)->stats[head]->metrics;

		for (guint m = 0; m < metrics->len; m++) {
			const RigStatMetric *metric = g_ptr_array_index(metrics, m);

			if (metric->primary &&
			    !g_ptr_array_find_with_equal_func(names, metric->info->name,
							      g_str_equal, NULL))
				g_ptr_array_add(names, metric->info->name);
		}
	}
	return names;
}

static double mean_of(const RigSide *side, const char *metric)
{
	const double *values = rig_side_values(side, metric);

	return values ? rig_summary_compute(values, side->runs->len).mean : NAN;
}

static const char *unit_of(const RigStatMetric *m)
{
	return m->scale == RIG_SCALE_POINTS ? " pt" : "%";
}

static char *change_text(const RigStatMetric *m)
{
	g_autofree char *number = rig_number_printf("%+.1f", m->change);

	return isfinite(m->change) ? g_strconcat(number, unit_of(m), NULL) : g_strdup("-");
}

static char *interval_text(const RigStatMetric *m)
{
	g_autofree char *lo = rig_number_printf("%+.1f", m->i95.lo);
	g_autofree char *hi = rig_number_printf("%+.1f", m->i95.hi);

	return isfinite(m->i95.lo) && isfinite(m->i95.hi) ? g_strconcat(lo, "..", hi, NULL)
							  : g_strdup("-");
}

static char *verdict_text(const RigStatMetric *m)
{
	const char *name = rig_verdict_name(m->verdict.kind);

	return m->verdict.kind == RIG_VERDICT_CHANGED && m->verdict.word ? g_strdup(m->verdict.word)
									 : g_strdup(name);
}

static void add_row(RigGrid *grid, const RigSweepPoint *point, guint head,
		    const RigStatMetric *metric)
{
	const char *name = metric->info->name;
	const RigSide *base = rig_sides_at(point->sides, 0);
	const RigSide *other = rig_sides_at(point->sides, head + 1);
	g_autofree char *from = rig_number_people(mean_of(base, name));
	g_autofree char *to = rig_number_people(mean_of(other, name));
	g_autofree char *n = g_strdup_printf("%u", MIN(metric->test.n_base, metric->test.n_head));
	g_autofree char *change = change_text(metric);
	g_autofree char *interval = interval_text(metric);
	g_autofree char *verdict = verdict_text(metric);

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, point->value);
	rig_grid_cell(grid, from);
	rig_grid_cell(grid, to);
	rig_grid_cell(grid, n);
	rig_grid_cell(grid, change);
	rig_grid_cell(grid, interval);
	rig_grid_cell(grid, verdict);
}

static void add_metric(GString *out, const RigSweep *sweep, guint head, const char *name,
		       guint width)
{
	const RigSides *sides = point_at(sweep, 0)->sides;
	g_autoptr(RigGrid) grid = rig_grid_new(width);
	g_autofree char *table = NULL;
	const char *unit = NULL;

	rig_grid_column(grid, sweep->name, RIG_GRID_LEFT);
	rig_grid_column(grid, rig_sides_at(sides, 0)->name, RIG_GRID_RIGHT);
	rig_grid_column(grid, rig_sides_at(sides, head + 1)->name, RIG_GRID_RIGHT);
	rig_grid_column(grid, "n", RIG_GRID_RIGHT);
	rig_grid_column(grid, "change", RIG_GRID_RIGHT);
	rig_grid_column(grid, "95%", RIG_GRID_RIGHT);
	rig_grid_column(grid, "verdict", RIG_GRID_LEFT);
	for (guint i = 0; i < sweep->points->len; i++) {
		const RigSweepPoint *point = point_at(sweep, i);
		const RigStatMetric *metric = metric_of(point->stats[head], name);

		if (!metric)
			continue;
		add_row(grid, point, head, metric);
		unit = metric->info->unit;
	}
	table = rig_grid_text(grid);
	g_string_append_printf(out, "\n%s%s%s%s\n%s", name, unit ? " (" : "", unit ? unit : "",
			       unit ? ")" : "", table);
}

static void add_failures(GString *out, const RigSweep *sweep, guint head)
{
	for (guint i = 0; i < sweep->points->len; i++) {
		const RigSweepPoint *point = point_at(sweep, i);
		const RigStatFailures *f = &point->stats[head]->failures;

		if (f->base_fails || f->head_fails)
			g_string_append_printf(out, "failed at %s=%s: %u:%u and %u:%u\n",
					       sweep->name, point->value, f->base_fails,
					       f->base_runs, f->head_fails, f->head_runs);
	}
}

char *rig_sweep_render(const RigSweep *sweep, guint width)
{
	GString *out = g_string_new(NULL);
	const RigSides *sides = point_at(sweep, 0)->sides;

	if (width == 0)
		width = WIDTH_DEFAULT;
	for (guint head = 0; head + 1 < sides->sides->len; head++) {
		g_autoptr(GPtrArray) names = primaries(sweep, head);
		char class = point_at(sweep, 0)->stats[head]->class;

		g_string_append_printf(out, "%s%s on %s, class %c: %s against %s, by %s\n",
				       head ? "\n" : "", sides->workload, sides->topology,
				       class ? class : '?', rig_sides_at(sides, head + 1)->name,
				       rig_sides_at(sides, 0)->name, sweep->name);
		add_failures(out, sweep, head);
		for (guint i = 0; i < names->len; i++)
			add_metric(out, sweep, head, g_ptr_array_index(names, i), width);
	}
	g_string_append(
		out,
		"\nEach value is judged by itself; of many some change by chance. One in full:\n"
		"rig compare ... --params PARAMS.\n");
	return g_string_free(out, FALSE);
}

/* For machines. */

static void metric_json(RigJsonWriter *writer, const RigSweepPoint *point, guint head,
			const RigStatMetric *m)
{
	const char *name = m->info->name;

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "head", rig_sides_at(point->sides, head + 1)->name);
	rig_json_add_string(writer, "name", name);
	rig_json_add_string(writer, "unit", m->info->unit);
	rig_json_add_int(writer, "n_base", m->test.n_base);
	rig_json_add_int(writer, "n_head", m->test.n_head);
	rig_json_add_double(writer, "mean_base", mean_of(rig_sides_at(point->sides, 0), name));
	rig_json_add_double(writer, "mean_head",
			    mean_of(rig_sides_at(point->sides, head + 1), name));
	rig_json_add_string(writer, "change_unit",
			    m->scale == RIG_SCALE_POINTS ? "points" : "percent");
	rig_json_add_double(writer, "change", m->change);
	rig_json_add_double(writer, "low", m->i95.lo);
	rig_json_add_double(writer, "high", m->i95.hi);
	rig_json_add_double(writer, "p", m->test.p);
	rig_json_add_string(writer, "verdict", rig_verdict_name(m->verdict.kind));
	rig_json_add_string(writer, "word", m->verdict.word);
	rig_json_add_string(writer, "reason", m->verdict.reason);
	rig_json_close_object(writer);
}

static void point_json(RigJsonWriter *writer, const RigSweepPoint *point)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "value", point->value);
	rig_json_add_string(writer, "params", point->sides->params);
	rig_json_open_array(writer, "metrics");
	for (guint head = 0; head + 1 < point->sides->sides->len; head++)
		for (guint m = 0; m < point->stats[head]->metrics->len; m++) {
			const RigStatMetric *metric =
				g_ptr_array_index(point->stats[head]->metrics, m);

			if (metric->primary)
				metric_json(writer, point, head, metric);
		}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

RigJsonWriter *rig_sweep_json(const RigSweep *sweep)
{
	RigJsonWriter *writer = rig_json_writer_new();
	const RigSides *sides = point_at(sweep, 0)->sides;

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "format", "rig-sweep");
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "workload", sides->workload);
	rig_json_add_string(writer, "topology", sides->topology);
	rig_json_add_string(writer, "sweep", sweep->name);
	rig_json_add_string(writer, "base", rig_sides_at(sides, 0)->name);
	rig_json_open_array(writer, "points");
	for (guint i = 0; i < sweep->points->len; i++)
		point_json(writer, point_at(sweep, i));
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	return writer;
}

/* A regression outweighs what is open, and that what only changed: as for one comparison. */
static int gravity(RigVerdictKind kind, gboolean regression)
{
	if (regression)
		return 5;
	switch (kind) {
	case RIG_VERDICT_INCONCLUSIVE:
		return 4;
	case RIG_VERDICT_CHANGED:
		return 3;
	case RIG_VERDICT_EQUIVALENT:
		return 2;
	case RIG_VERDICT_NOT_JUDGED:
		return 1;
	default:
		return 0;
	}
}

RigVerdictKind rig_sweep_overall(const RigSweep *sweep, gboolean *regression)
{
	RigVerdictKind gravest = RIG_VERDICT_NONE;

	*regression = FALSE;
	for (guint i = 0; i < sweep->points->len; i++) {
		const RigSweepPoint *point = point_at(sweep, i);

		for (guint head = 0; head + 1 < point->sides->sides->len; head++) {
			gboolean worse = FALSE;
			RigVerdictKind kind = rig_statcompare_overall(point->stats[head], &worse);

			if (gravity(kind, worse) <= gravity(gravest, *regression))
				continue;
			gravest = kind;
			*regression = worse;
		}
	}
	return gravest;
}
