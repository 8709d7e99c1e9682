/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * judgement.c - a comparison with what the statistics say of it: what every report is made of.
 */
#include "report/judgement.h"

#include <math.h>

#include "report/phrase.h"

static void doubt(RigJudgement *j, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void doubt(RigJudgement *j, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(j->doubts, g_strdup_vprintf(format, args));
	va_end(args);
}

static void doubt_control(RigJudgement *j, const char *head, const RigStatMetric *m)
{
	g_autofree char *change = NULL;

	if (!m->info->control || m->verdict.kind != RIG_VERDICT_CHANGED || m->verdict.small)
		return;
	change = rig_phrase_change(m->scale, m->change);
	doubt(j,
	      "%s: the control %s moved by %s: something else than the kernel changed, so doubt "
	      "the rest",
	      head, m->info->name, change);
}

/* Less than one boot of a kernel differs from the next may be real, but it will hardly be seen
 * again. */
static void doubt_size(RigJudgement *j, const char *head, const RigStatMetric *m,
		       const RigNoise *noise)
{
	double spread = rig_noise_spread(noise, m->info->name);
	g_autofree char *change = NULL;
	g_autofree char *noise_text = NULL;

	if (m->verdict.kind != RIG_VERDICT_CHANGED || isnan(spread) || fabs(m->change) >= spread)
		return;
	change = rig_phrase_change(m->scale, m->change);
	noise_text = rig_phrase_size(m->scale, spread);
	doubt(j,
	      "%s: the change of %s, %s, is smaller than the spread between boots of one kernel "
	      "(%s; rig calibrate, %u blocks)",
	      head, m->info->name, change, noise_text, noise->blocks);
}

/* Once for all heads: the same plans are behind them, mostly. */
static void doubt_plans(RigJudgement *j, const RigStatPlan *plan)
{
	if (plan->pooled &&
	    !g_ptr_array_find_with_equal_func(j->doubts, plan->pooled, g_str_equal, NULL))
		doubt(j, "%s", plan->pooled);
}

static void find_doubts(RigJudgement *j, guint head, const RigNoise *noise)
{
	const RigStatCompare *stats = rig_judgement_stats(j, head);
	const char *name = rig_sides_at(j->compare->sides, head)->name;

	doubt_plans(j, stats->plan);
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		doubt_control(j, name, m);
		if (noise)
			doubt_size(j, name, m, noise);
	}
}

RigJudgement *rig_judgement_new(const RigCompare *compare, const RigNoise *noise)
{
	RigJudgement *j = g_new0(RigJudgement, 1);

	j->compare = compare;
	j->stats = g_ptr_array_new_with_free_func((GDestroyNotify)rig_statcompare_free);
	j->doubts = g_ptr_array_new_with_free_func(g_free);
	j->expected = g_ptr_array_new_with_free_func((GDestroyNotify)rig_expected_free);
	for (guint head = 1; head < compare->sides->sides->len; head++) {
		g_ptr_array_add(j->stats, rig_statcompare_new(compare->sides, head, NULL));
		g_ptr_array_add(j->expected, NULL);
		find_doubts(j, head, noise);
	}
	return j;
}

void rig_judgement_free(RigJudgement *j)
{
	if (!j)
		return;
	g_ptr_array_unref(j->stats);
	g_ptr_array_unref(j->doubts);
	g_ptr_array_unref(j->expected);
	g_free(j);
}

void rig_judgement_expect(RigJudgement *j, guint head, const RigKernelRecipe *recipe)
{
	gpointer *place = &g_ptr_array_index(j->expected, head - 1);

	rig_expected_free(*place);
	*place = rig_expected_new(recipe, rig_judgement_stats(j, head));
}

const RigExpected *rig_judgement_expected(const RigJudgement *j, guint head)
{
	return g_ptr_array_index(j->expected, head - 1);
}

const RigStatCompare *rig_judgement_stats(const RigJudgement *j, guint head)
{
	return g_ptr_array_index(j->stats, head - 1);
}
