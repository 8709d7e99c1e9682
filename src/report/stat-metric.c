/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-metric.c - the workload's own metrics through the tests.
 */
#include "report/stat-metric.h"

#include <math.h>

#include "report/compare.h"
#include "report/stat-multiple.h"
#include "report/stat-power.h"

RigScale rig_stat_scale(RigKind kind)
{
	switch (kind) {
	case RIG_KIND_PERCENTAGE:
		return RIG_SCALE_POINTS;
	case RIG_KIND_COUNT:
		return RIG_SCALE_LOG_COUNT;
	default:
		return RIG_SCALE_LOG;
	}
}

const char *rig_stat_word(const RigMetricInfo *info, gboolean up)
{
	switch (info->direction) {
	case RIG_HIGHER:
		return up ? "better" : "worse";
	case RIG_LOWER:
		return up ? "worse" : "better";
	default:
		return up ? "more" : "less";
	}
}

double *rig_stat_pick(const RigSide *side, const char *metric, const GArray *runs)
{
	const double *values = rig_side_values(side, metric);
	double *picked = g_new(double, MAX(runs->len, 1));

	for (guint i = 0; i < runs->len; i++)
		picked[i] = values ? values[g_array_index(runs, guint, i)] : NAN;
	return picked;
}

static RigInterval interval_change(RigScale scale, RigInterval interval)
{
	return (RigInterval){rig_scale_change(scale, interval.lo),
			     rig_scale_change(scale, interval.hi)};
}

/* The chosen test with its rank test and its Hodges-Lehmann shift. BASE and HEAD are plain values,
 * LOG_BASE and LOG_HEAD the same on the metric's scale. */
static void run_tests(RigStatMetric *m, const RigStatPlan *plan, const double *base,
		      const double *head, const double *log_base, const double *log_head)
{
	guint nb = plan->base_runs->len, nh = plan->head_runs->len;
	RigShift shift;

	if (plan->method == RIG_STAT_PAIRED) {
		g_autofree double *differences = g_new(double, MAX(nb, 1));

		for (guint i = 0; i < nb; i++)
			differences[i] = log_head[i] - log_base[i];
		m->test = rig_t_paired(log_base, log_head, nb);
		m->rank = rig_rank_sign_flip(differences, nb);
		shift = rig_rank_shift_pairs(differences, nb);
	} else {
		m->test = rig_t_welch(log_base, nb, log_head, nh);
		m->rank = rig_rank_mann_whitney(base, nb, head, nh);
		shift = rig_rank_shift(log_base, nb, log_head, nh);
	}
	m->shift = rig_scale_change(m->scale, shift.estimate);
	m->shift95 = interval_change(m->scale, shift.i95);
	m->shift_how = shift.how;
}

/* As readers see it: percent and ratios instead of logarithms. */
static void present(RigStatMetric *m)
{
	const RigTTest *t = &m->test;
	gboolean ratio = m->scale != RIG_SCALE_POINTS;

	m->change = rig_scale_change(m->scale, t->difference);
	m->i95 = interval_change(m->scale, t->i95);
	m->i90 = interval_change(m->scale, t->i90);
	m->ratio = ratio ? exp(t->difference) : NAN;
	m->ratio95 =
		ratio ? (RigInterval){exp(t->i95.lo), exp(t->i95.hi)} : (RigInterval){NAN, NAN};
	m->detectable = NAN;
	if (t->se > 0)
		m->detectable = rig_scale_change(
			m->scale, t->se * rig_power_ncp(t->df, RIG_POWER_ALPHA, RIG_POWER_WANTED));
}

RigStatMetric *rig_stat_metric_new(const RigStatPlan *plan, const RigSide *base,
				   const RigSide *head, const RigMetricInfo *info, double margin)
{
	guint nb = plan->base_runs->len, nh = plan->head_runs->len, lost;
	g_autofree double *b = rig_stat_pick(base, info->name, plan->base_runs);
	g_autofree double *h = rig_stat_pick(head, info->name, plan->head_runs);
	g_autofree double *log_b = g_new(double, MAX(nb, 1));
	g_autofree double *log_h = g_new(double, MAX(nh, 1));
	RigStatMetric *m = g_new0(RigStatMetric, 1);

	m->info = info;
	m->primary = info->primary;
	m->scale = rig_stat_scale(info->kind);
	m->margin = margin;
	m->timing = rig_metric_is_timing(info);
	m->p_holm = NAN;
	lost = rig_scale_apply(m->scale, b, nb, log_b) + rig_scale_apply(m->scale, h, nh, log_h);
	/* Leaving out just the zeros would move the mean: then there is no ratio at all. */
	for (guint i = 0; lost && i < nb; i++)
		log_b[i] = NAN;
	run_tests(m, plan, b, h, log_b, log_h);
	present(m);
	if (lost)
		m->verdict.reason = g_strdup("a value is zero or below, so that there is no "
					     "ratio; only ranks can be compared");
	return m;
}

void rig_stat_metric_free(gpointer data)
{
	RigStatMetric *m = data;

	rig_verdict_clear(&m->verdict);
	g_free(m);
}

/* Runs a side (or blocks) that would see a change of the margin, given the spread that was met. */
static guint runs_needed(const RigStatMetric *m, gboolean paired)
{
	const RigTTest *t = &m->test;
	double margin = fabs(rig_scale_difference(m->scale, m->margin));
	double sd;

	if (!(t->se > 0))
		return 0;
	sd = t->se / (paired ? sqrt(1.0 / t->n_base) : sqrt(1.0 / t->n_base + 1.0 / t->n_head));
	if (paired)
		return rig_power_needed_pairs(margin / sd, RIG_POWER_ALPHA, RIG_POWER_WANTED);
	return rig_power_needed(margin / sd, RIG_POWER_ALPHA, RIG_POWER_WANTED);
}

static void judge(RigStatMetric *m, const RigStatPlan *plan, char class)
{
	gboolean paired = plan->method == RIG_STAT_PAIRED;
	RigVerdictInput input = {
		.scale = m->scale,
		.test = &m->test,
		.p_adjusted = m->p_holm,
		.family = m->family,
		.rank = &m->rank,
		.margin = m->margin,
		.detectable = m->detectable,
		.paired = paired,
		.timing = m->timing,
		.class = class,
		.early = plan->early,
		.up = rig_stat_word(m->info, TRUE),
		.down = rig_stat_word(m->info, FALSE),
	};

	m->verdict = rig_verdict_decide(&input);
	if (m->verdict.kind != RIG_VERDICT_INCONCLUSIVE)
		return;
	/* Only now: the search for n is what costs. */
	rig_verdict_clear(&m->verdict);
	input.n_needed = m->n_needed = runs_needed(m, paired);
	m->verdict = rig_verdict_decide(&input);
}

static gboolean may_be_judged(const RigStatMetric *m, char class)
{
	return !m->timing || (class != 'C' && class != '?');
}

void rig_stat_metrics_judge(GPtrArray *metrics, gboolean primary, const RigStatPlan *plan,
			    char class)
{
	g_autofree double *p = g_new(double, MAX(metrics->len, 1));
	guint family;

	for (guint i = 0; i < metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(metrics, i);

		p[i] = m->primary == primary && may_be_judged(m, class) ? m->test.p : NAN;
	}
	family = rig_multiple_holm(p, metrics->len, p);
	for (guint i = 0; i < metrics->len; i++) {
		RigStatMetric *m = g_ptr_array_index(metrics, i);

		if (m->primary != primary)
			continue;
		m->p_holm = p[i];
		m->family = isnan(p[i]) ? 0 : family;
		/* A reason that is there already says why nothing could be tested. */
		if (!m->verdict.reason)
			judge(m, plan, class);
	}
}
