/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-counters.c - the kernel's counters through the screen.
 */
#include "report/stat-counters.h"

#include <math.h>

#include "report/compare.h"
#include "report/lkp-rule.h"
#include "report/stat-metric.h"

/* All names are sorted once; failures have Fisher's test instead. */
static GPtrArray *list_counters(const RigSides *sides)
{
	GPtrArray *counters = g_ptr_array_new_with_free_func(g_free);
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);

	for (guint i = 0; i < n; i++) {
		const RigMetricInfo *info = rig_sides_info(sides, names[i]);
		RigStatCounter *counter;

		if (info->own || rig_lkp_is_failure(names[i]))
			continue;
		counter = g_new0(RigStatCounter, 1);
		counter->info = info;
		/* A count has no unit of its own that a ratio could do without: all that is not in
		 * percent may be zero. */
		counter->scale =
			info->kind == RIG_KIND_PERCENTAGE ? RIG_SCALE_POINTS : RIG_SCALE_LOG_COUNT;
		g_ptr_array_add(counters, counter);
	}
	return counters;
}

/* The values of a counter in RUNS, in ROOM; NULL if the side does not know it. */
static const double *values_of(const RigSide *side, const char *name, const GArray *runs,
			       double *room)
{
	const double *values = rig_side_values(side, name);

	for (guint i = 0; values && i < runs->len; i++)
		room[i] = values[g_array_index(runs, guint, i)];
	return values ? room : NULL;
}

static void screen_counters(RigStatCompare *stats, const RigSide *base, const RigSide *head,
			    double q)
{
	const RigStatPlan *plan = stats->plan;
	guint n = stats->counters->len, nb = plan->base_runs->len, nh = plan->head_runs->len;
	g_autofree RigScreenInput *inputs = g_new0(RigScreenInput, MAX(n, 1));
	g_autofree double *room = g_new(double, (gsize)n *(nb + nh) + 1);
	double *next = room;

	for (guint i = 0; i < n; i++, next += nb + nh) {
		const RigStatCounter *counter = g_ptr_array_index(stats->counters, i);
		const char *name = counter->info->name;

		inputs[i].scale = counter->scale;
		inputs[i].base = values_of(base, name, plan->base_runs, next);
		inputs[i].head = values_of(head, name, plan->head_runs, next + nb);
	}
	stats->screen = rig_screen_new(inputs, n, nb, nh, plan->method == RIG_STAT_PAIRED, q);
}

static int by_p(gconstpointer a, gconstpointer b)
{
	const RigScreenRow *x = (*(RigStatCounter *const *)a)->row;
	const RigScreenRow *y = (*(RigStatCounter *const *)b)->row;

	return x->p < y->p ? -1 : x->p > y->p;
}

static const char *word_of(const RigStatCounter *counter)
{
	const RigScreenRow *row = counter->row;

	if (!row->appears && !row->vanishes && rig_change_is_tiny(counter->change))
		return "changed";
	return rig_stat_word(counter->info, row->appears || row->difference > 0);
}

static void sort_out(RigStatCompare *stats)
{
	for (guint i = 0; i < stats->counters->len; i++) {
		RigStatCounter *counter = g_ptr_array_index(stats->counters, i);
		const RigScreenRow *row = &stats->screen->rows[i];

		counter->row = row;
		counter->log_ratio = counter->scale == RIG_SCALE_POINTS ? NAN : row->difference;
		counter->change = rig_scale_change(counter->scale, row->difference);
		if (row->found)
			g_ptr_array_add(stats->found, counter);
		if (row->appears)
			g_ptr_array_add(stats->appeared, counter);
		if (row->vanishes)
			g_ptr_array_add(stats->vanished, counter);
		if (row->found || row->appears || row->vanishes)
			counter->word = word_of(counter);
	}
	g_ptr_array_sort(stats->found, by_p);
}

void rig_stat_counters_fill(RigStatCompare *stats, const RigSides *sides, double q)
{
	stats->counters = list_counters(sides);
	stats->found = g_ptr_array_new();
	stats->appeared = g_ptr_array_new();
	stats->vanished = g_ptr_array_new();
	screen_counters(stats, rig_sides_at(sides, 0), rig_sides_at(sides, stats->head), q);
	sort_out(stats);
}
