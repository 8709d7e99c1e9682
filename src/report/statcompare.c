/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * statcompare.c - the sides' values through the statistics.
 */
#include "report/statcompare.h"

#include "report/lkp-rule.h"
#include "report/stat-counters.h"
#include "report/stat-fisher.h"
#include "report/stat-metric.h"

/* The one that permits less; two accelerators, or sides mixed in themselves, permit nothing. */
static char common_class(const RigSide *base, const RigSide *head)
{
	if (base->class == head->class)
		return base->class;
	if ((base->class == 'A' && head->class == 'B') ||
	    (base->class == 'B' && head->class == 'A'))
		return 'B';
	return '?';
}

static RigStatFailures failures_of(const RigSide *base, const RigSide *head)
{
	RigStatFailures f = {
		.base_fails = base->n_failed,
		.base_runs = base->runs->len,
		.head_fails = head->n_failed,
		.head_runs = head->runs->len,
	};

	f.p = rig_fisher_p(f.base_fails, f.base_runs, f.head_fails, f.head_runs);
	return f;
}

static double margin_of(const RigStatOptions *options, const RigMetricInfo *info)
{
	const double *own =
		options->margins ? g_hash_table_lookup(options->margins, info->name) : NULL;

	if (own && *own > 0)
		return *own;
	if (info->margin > 0)
		return info->margin;
	return options->margin > 0 ? options->margin : RIG_VERDICT_MARGIN;
}

/* Own metrics that are PRIMARY, or those that are not. */
static void add_metrics(RigStatCompare *stats, const RigSides *sides, gboolean primary,
			const RigStatOptions *options)
{
	const RigSide *base = rig_sides_at(sides, 0), *head = rig_sides_at(sides, stats->head);
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);

	for (guint i = 0; i < n; i++) {
		const RigMetricInfo *info = rig_sides_info(sides, names[i]);

		if (!info->own || info->primary != primary || rig_lkp_is_failure(names[i]))
			continue;
		g_ptr_array_add(stats->metrics, rig_stat_metric_new(stats->plan, base, head, info,
								    margin_of(options, info)));
	}
	rig_stat_metrics_judge(stats->metrics, primary, stats->plan, stats->class);
}

RigStatCompare *rig_statcompare_new(const RigSides *sides, guint head,
				    const RigStatOptions *options)
{
	static const RigStatOptions defaults;
	RigStatCompare *stats = g_new0(RigStatCompare, 1);
	const RigSide *base_side = rig_sides_at(sides, 0), *head_side = rig_sides_at(sides, head);

	options = options ? options : &defaults;
	stats->head = head;
	stats->class = common_class(base_side, head_side);
	stats->plan = rig_stat_plan_read(base_side, head_side);
	stats->failures = failures_of(base_side, head_side);
	stats->metrics = g_ptr_array_new_with_free_func(rig_stat_metric_free);
	add_metrics(stats, sides, TRUE, options);
	add_metrics(stats, sides, FALSE, options);
	rig_stat_counters_fill(stats, sides, options->q > 0 ? options->q : RIG_SCREEN_Q);
	return stats;
}

void rig_statcompare_free(RigStatCompare *stats)
{
	if (!stats)
		return;
	rig_stat_plan_free(stats->plan);
	g_ptr_array_unref(stats->metrics);
	g_ptr_array_unref(stats->found);
	g_ptr_array_unref(stats->appeared);
	g_ptr_array_unref(stats->vanished);
	g_ptr_array_unref(stats->counters);
	rig_screen_free(stats->screen);
	g_free(stats);
}

gboolean rig_statcompare_is_worse(const RigStatMetric *m)
{
	gboolean up = m->test.difference > 0;

	if (m->verdict.kind != RIG_VERDICT_CHANGED)
		return FALSE;
	return m->info->direction == RIG_NEITHER || (m->info->direction == RIG_LOWER) == up;
}

RigVerdictKind rig_statcompare_overall(const RigStatCompare *stats, gboolean *regression)
{
	guint counts[RIG_VERDICT_NOT_JUDGED + 1] = {0};
	static const RigVerdictKind order[] = {RIG_VERDICT_INCONCLUSIVE, RIG_VERDICT_CHANGED,
					       RIG_VERDICT_EQUIVALENT, RIG_VERDICT_NOT_JUDGED};

	*regression = FALSE;
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		if (!m->primary)
			continue;
		counts[m->verdict.kind]++;
		*regression |= rig_statcompare_is_worse(m);
	}
	if (*regression)
		return RIG_VERDICT_CHANGED;
	for (guint i = 0; i < G_N_ELEMENTS(order); i++)
		if (counts[order[i]])
			return order[i];
	return RIG_VERDICT_NONE;
}
