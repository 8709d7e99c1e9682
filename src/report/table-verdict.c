/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table-verdict.c - what is to be known first, and the workload's own metrics.
 */
#include <math.h>
#include <string.h>

#include "report/paragraph.h"
#include "report/phrase.h"
#include "report/subject.h"
#include "report/table-private.h"
#include "report/why.h"

#define WHYS_MAX 4

static const char *color_of(const char *headline)
{
	if (g_str_equal(headline, "WORSE"))
		return "red";
	return g_str_equal(headline, "BETTER") ? "green" : "bold";
}

static void add_title(RigTable *t)
{
	const RigSides *sides = t->judgement->compare->sides;
	g_autofree char *text = g_strdup_printf(
		"%s on %s: %s against %s", sides->workload ? sides->workload : "several workloads",
		sides->topology ? sides->topology : "several topologies", rig_table_head(t)->name,
		rig_table_base(t)->name);

	rig_paragraph_add(t->out, "", text, 0, t->width);
}

static void add_whys(RigTable *t)
{
	g_autoptr(GPtrArray) whys = rig_why_find(t->stats, t->judgement->compare->sides);

	for (guint i = 0; i < whys->len && i < WHYS_MAX; i++) {
		const RigWhy *why = g_ptr_array_index(whys, i);

		rig_table_fact(t, why->explains ? "why" : "seen", why->text, NULL);
	}
}

/* "about NUMA (3), locality (1)": where to look. */
static void add_counters(RigTable *t)
{
	const RigSides *sides = t->judgement->compare->sides;
	g_autofree char *counts = rig_phrase_counters(t->stats);
	g_autoptr(GString) text = g_string_new(counts);
	guint n[RIG_SUBJECTS] = {0};
	const char *before = "; about ";

	for (guint i = 0; i < t->stats->found->len; i++)
		n[rig_subject_of_counter(sides, g_ptr_array_index(t->stats->found, i))]++;
	for (guint s = 0; s < RIG_SUBJECTS; s++) {
		if (n[s] == 0)
			continue;
		g_string_append_printf(text, "%s%s (%u)", before, rig_subject_title((RigSubject)s),
				       n[s]);
		before = ", ";
	}
	rig_table_fact(t, "counters", text->str, NULL);
}

static void add_expected(RigTable *t)
{
	const RigExpected *expected = rig_judgement_expected(t->judgement, t->head);
	g_autofree char *summary = expected ? rig_expected_summary(expected) : NULL;

	rig_table_fact(t, "recipe", summary, NULL);
	for (guint i = 0; expected && i < expected->counters->len; i++) {
		g_autofree char *text = rig_expected_text(g_ptr_array_index(expected->counters, i));

		rig_table_fact(t, "", text, NULL);
	}
}

/* Of one head they belong beside its verdict; of several, table.c lists them below. */
static void add_doubts(RigTable *t)
{
	const RigJudgement *j = t->judgement;

	for (guint i = 0; j->stats->len == 1 && i < j->doubts->len; i++)
		rig_table_fact(t, "but", g_ptr_array_index(j->doubts, i), "bold");
}

void rig_table_verdict(RigTable *t)
{
	const char *headline = rig_phrase_headline(t->stats);
	const RigStatFailures *f = &t->stats->failures;
	g_autofree char *primaries = rig_phrase_primaries(t->stats);
	g_autofree char *failures = rig_phrase_failures(t->stats);

	add_title(t);
	/* The word is longer than a label may be: a line of its own is also easier to find. */
	rig_table_fact(t, "verdict", headline, color_of(headline));
	rig_table_fact(t, "", primaries, NULL);
	add_doubts(t);
	add_whys(t);
	add_counters(t);
	add_expected(t);
	rig_table_fact(t, "failures", failures, f->head_fails ? "red" : NULL);
}

static const char *color_of_metric(const RigStatMetric *m)
{
	const char *word = rig_phrase_verdict(m);

	if (g_str_equal(word, "worse"))
		return "red";
	return g_str_equal(word, "better") ? "green" : NULL;
}

static void add_primary(RigGrid *grid, const RigStatMetric *m)
{
	g_autofree char *ratio = rig_phrase_ratio(m);
	g_autofree char *interval = rig_phrase_interval(m);
	/* A p of what is not judged would be taken for a judgement. */
	g_autofree char *p =
		rig_phrase_p(m->verdict.kind == RIG_VERDICT_NOT_JUDGED ? NAN : m->p_holm);
	g_autofree char *n = rig_phrase_n(m);
	g_autofree char *sees = rig_phrase_size(m->scale, m->detectable);

	rig_grid_row(grid, color_of_metric(m));
	rig_grid_cell(grid, m->info->name);
	rig_grid_cell(grid, ratio);
	rig_grid_cell(grid, interval);
	rig_grid_cell(grid, p);
	rig_grid_cell(grid, n);
	rig_grid_cell(grid, sees);
	rig_grid_cell(grid, rig_phrase_verdict(m));
}

static RigGrid *primaries_grid(const RigTable *t)
{
	RigGrid *grid = rig_grid_new(t->width);

	rig_grid_colors(grid, t->options->color);
	rig_grid_column(grid, "primary metric", RIG_GRID_WRAP);
	rig_grid_column(grid, "B/A", RIG_GRID_RIGHT);
	rig_grid_column(grid, "95 % interval", RIG_GRID_RIGHT);
	rig_grid_column(grid, "p", RIG_GRID_RIGHT);
	rig_grid_column(grid, "n", RIG_GRID_RIGHT);
	rig_grid_column(grid, "sees", RIG_GRID_RIGHT);
	rig_grid_column(grid, "verdict", RIG_GRID_LEFT);
	return grid;
}

void rig_table_primaries(RigTable *t)
{
	g_autoptr(RigGrid) grid = primaries_grid(t);
	guint n = 0;

	for (guint i = 0; i < t->stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(t->stats->metrics, i);

		if (!m->primary)
			continue;
		add_primary(grid, m);
		n++;
	}
	if (!n)
		return;
	g_string_append_c(t->out, '\n');
	rig_table_add_grid(t, grid);
}

/* Where there is no ratio, the means still say what became of it. */
static char *change_of(const RigTable *t, const RigStatMetric *m, const RigRow *row)
{
	const RigChange *change = &row->changes[t->head];

	if (change->kind == RIG_CHANGE_NONE)
		return g_strdup("-");
	if (change->kind == RIG_CHANGE_NEW || change->kind == RIG_CHANGE_GONE)
		return g_strdup(rig_change_name(change->kind));
	if (isnan(m->change) && change->kind == RIG_CHANGE_PERCENT)
		return rig_phrase_change(m->scale, change->value);
	return rig_phrase_change(m->scale, m->change);
}

static void add_metric(const RigTable *t, RigGrid *grid, const RigStatMetric *m, const RigRow *row)
{
	const RigMetricInfo *info = m->info;
	gboolean unit = info->unit && *info->unit && !g_str_equal(info->unit, "%");
	g_autofree char *name =
		g_strdup_printf("  %s%s%s", info->name, unit ? ", " : "", unit ? info->unit : "");
	g_autofree char *change = change_of(t, m, row);
	gboolean silent =
		m->verdict.kind == RIG_VERDICT_NOT_JUDGED || m->verdict.kind == RIG_VERDICT_NONE;

	rig_grid_row(grid, color_of_metric(m));
	rig_grid_cell(grid, name);
	rig_table_cells(t, grid, row);
	rig_grid_cell(grid, change);
	rig_grid_cell(grid, silent ? "" : rig_phrase_verdict(m));
}

void rig_table_metrics(RigTable *t)
{
	g_autoptr(RigGrid) grid = rig_table_grid(t);
	guint n = 0;

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "all metrics of the workload");
	for (guint i = 0; i < t->stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(t->stats->metrics, i);
		const RigRow *row = rig_table_row(t, m->info->name);

		if (!row)
			continue;
		add_metric(t, grid, m, row);
		n++;
	}
	if (!n)
		return;
	g_string_append_c(t->out, '\n');
	rig_table_add_grid(t, grid);
}
