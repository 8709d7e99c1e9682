/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.c - a comparison as checks that pass or fail, for scripts and CI.
 */
#include "report/gate.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "report/phrase.h"
#include "report/stat-metric.h"

#define FAILURES "failures"

const char *rig_gate_result_name(RigGateResult result)
{
	static const char *const names[] = {"pass", "fail", "inconclusive", "not judged"};

	return names[result];
}

void rig_gate_limit_free(gpointer data)
{
	RigGateLimit *limit = data;

	if (!limit)
		return;
	g_free(limit->metric);
	g_free(limit);
}

RigGateLimit *rig_gate_limit_parse(const char *text, GError **error)
{
	const char *colon = strrchr(text, ':');
	char *end = NULL;
	double value = colon && g_ascii_isdigit(colon[1]) ? g_ascii_strtod(colon + 1, &end) : -1;
	gboolean points = end && g_str_equal(end, "pt");
	RigGateLimit *limit;

	if (!end || colon == text || !(points || g_str_equal(end, "%")) ||
	    !(value >= 0 && value < 1000)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "write METRIC:5%, METRIC:2pt for a percentage, or failures:0%",
				   "'%s' is no limit", text);
		return NULL;
	}
	limit = g_new0(RigGateLimit, 1);
	limit->metric = g_strndup(text, (gsize)(colon - text));
	limit->limit = value;
	limit->points = points;
	return limit;
}

static RigGateCheck *check_new(guint head, const char *name, RigGateResult result, char *reason)
{
	RigGateCheck *check = g_new0(RigGateCheck, 1);

	check->head = head;
	check->name = name;
	check->result = result;
	check->reason = reason;
	return check;
}

static void check_free(gpointer data)
{
	RigGateCheck *check = data;

	g_free(check->reason);
	g_free(check);
}

static double share(guint fails, guint runs)
{
	return runs ? 100.0 * fails / runs : 0;
}

/* LIMIT in points of the share, or NaN: what Fisher's test tells decides. */
static RigGateResult judge_failures(const RigStatFailures *f, double limit)
{
	double more = share(f->head_fails, f->head_runs) - share(f->base_fails, f->base_runs);

	if (f->base_runs == f->base_fails)
		return RIG_GATE_INCONCLUSIVE;
	if (f->head_runs == f->head_fails)
		return RIG_GATE_FAIL;
	if (!isnan(limit))
		return more > limit ? RIG_GATE_FAIL : RIG_GATE_PASS;
	if (more <= 0)
		return RIG_GATE_PASS;
	/* Few runs cannot prove it, but a crash that the base does not have lets nothing pass. */
	return f->p < RIG_VERDICT_ALPHA ? RIG_GATE_FAIL : RIG_GATE_INCONCLUSIVE;
}

static void check_failures(GPtrArray *checks, const RigStatCompare *stats, double limit)
{
	g_ptr_array_add(checks,
			check_new(stats->head, FAILURES, judge_failures(&stats->failures, limit),
				  rig_phrase_failures(stats)));
}

static RigGateResult judge_primary(const RigStatMetric *m)
{
	switch (m->verdict.kind) {
	case RIG_VERDICT_CHANGED:
		return rig_statcompare_is_worse(m) ? RIG_GATE_FAIL : RIG_GATE_PASS;
	case RIG_VERDICT_EQUIVALENT:
		return RIG_GATE_PASS;
	case RIG_VERDICT_NOT_JUDGED:
		return RIG_GATE_NOT_JUDGED;
	default:
		return RIG_GATE_INCONCLUSIVE;
	}
}

static char *primary_reason(const RigStatMetric *m)
{
	g_autofree char *change = rig_phrase_change(m->scale, m->change);
	const char *reason = m->verdict.reason ? m->verdict.reason : "no values";

	if (m->verdict.kind == RIG_VERDICT_CHANGED)
		return g_strdup_printf("%s (%s): %s", m->verdict.word, change, reason);
	return g_strdup_printf("%s: %s", rig_verdict_name(m->verdict.kind), reason);
}

static void check_primaries(GPtrArray *checks, const RigStatCompare *stats)
{
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		if (m->primary)
			g_ptr_array_add(checks, check_new(stats->head, m->info->name,
							  judge_primary(m), primary_reason(m)));
	}
}

/* How far, at least and at most, it went to the worse: percent or points, as positive numbers.
 * Without a direction both ways are worse. */
typedef struct {
	double estimate, most;
} Worse;

static Worse worse_of(const RigStatMetric *m)
{
	Worse up = {m->change, m->i95.hi}, down = {-m->change, -m->i95.lo};

	if (m->info->direction == RIG_LOWER)
		return up;
	if (m->info->direction == RIG_HIGHER)
		return down;
	return (Worse){fabs(m->change), MAX(up.most, down.most)};
}

/* Fails: a change is proven and its estimate is beyond the limit. Passes: more than the limit is
 * ruled out. Else nobody knows. */
static RigGateResult judge_limit(const RigStatMetric *m, double limit)
{
	Worse worse = worse_of(m);

	/* Whoever names a metric wants to know of it: no verdict must not be a green light. */
	if (m->verdict.kind == RIG_VERDICT_NOT_JUDGED || !isfinite(m->change))
		return RIG_GATE_INCONCLUSIVE;
	if (worse.estimate > limit && m->verdict.kind == RIG_VERDICT_CHANGED)
		return RIG_GATE_FAIL;
	if (worse.most <= limit)
		return RIG_GATE_PASS;
	return RIG_GATE_INCONCLUSIVE;
}

static char *limit_reason(const RigStatMetric *m, const RigGateLimit *limit, RigGateResult result)
{
	static const char *const words[] = {
		[RIG_GATE_PASS] = "more than the limit is ruled out",
		[RIG_GATE_FAIL] = "proven, and beyond the limit",
		[RIG_GATE_INCONCLUSIVE] = "neither proven nor ruled out",
	};
	g_autofree char *change = rig_phrase_change(m->scale, m->change);
	g_autofree char *interval = rig_phrase_interval(m);
	g_autofree char *size = rig_phrase_size(m->scale, limit->limit);

	if (m->verdict.kind == RIG_VERDICT_NOT_JUDGED || !isfinite(m->change))
		return g_strdup_printf("limit %s: %s", size,
				       m->verdict.reason ? m->verdict.reason : "no values");
	return g_strdup_printf("change %s, interval %s, limit %s: %s", change, interval, size,
			       words[result]);
}

static void check_limit(GPtrArray *checks, const RigJudgement *judgement,
			const RigStatCompare *stats, const RigGateLimit *limit)
{
	const RigSides *sides = judgement->compare->sides;
	const RigMetricInfo *info = rig_sides_info(sides, limit->metric);
	g_autoptr(GPtrArray) alone = g_ptr_array_new_with_free_func(rig_stat_metric_free);
	RigStatMetric *m =
		rig_stat_metric_new(stats->plan, rig_sides_at(sides, 0),
				    rig_sides_at(sides, stats->head), info, RIG_VERDICT_MARGIN);
	RigGateResult result;

	/* Named beforehand, so nothing is adjusted for what else was looked at. */
	g_ptr_array_add(alone, m);
	rig_stat_metrics_judge(alone, m->primary, stats->plan, stats->class);
	result = judge_limit(m, limit->limit);
	g_ptr_array_add(checks,
			check_new(stats->head, info->name, result, limit_reason(m, limit, result)));
}

static gboolean unknown_metric(const RigSides *sides, const char *metric, GError **error)
{
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);
	g_autofree const char **words = g_new0(const char *, n + 1);
	const char *nearest;

	if (n)
		memcpy(words, names, n * sizeof(*words));
	nearest = rig_text_nearest(metric, words);
	if (nearest)
		rig_error_set(error, RIG_ERROR_USAGE,
			      "--fail-on %s: there is no such metric; did you mean %s?", metric,
			      nearest);
	else
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "rig compare --all and --format csv list them",
				   "--fail-on %s: there is no such metric", metric);
	return FALSE;
}

static gboolean verify_limit(const RigSides *sides, const RigGateLimit *limit, GError **error)
{
	const RigMetricInfo *info;
	gboolean points;

	if (g_str_equal(limit->metric, FAILURES))
		return TRUE;
	info = rig_sides_info(sides, limit->metric);
	if (!info)
		return unknown_metric(sides, limit->metric, error);
	points = info->kind == RIG_KIND_PERCENTAGE;
	if (points == limit->points)
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "--fail-on %s: its limit is in %s", limit->metric,
		      points ? "points: it is a percentage itself (2pt)" : "percent (5%)");
	return FALSE;
}

static double failures_limit(const GPtrArray *limits)
{
	for (guint i = 0; limits && i < limits->len; i++) {
		const RigGateLimit *limit = g_ptr_array_index(limits, i);

		if (g_str_equal(limit->metric, FAILURES))
			return limit->limit;
	}
	return NAN;
}

GPtrArray *rig_gate_checks(const RigJudgement *judgement, const GPtrArray *limits, GError **error)
{
	g_autoptr(GPtrArray) checks = g_ptr_array_new_with_free_func(check_free);
	const RigSides *sides = judgement->compare->sides;
	guint n_limits = limits ? limits->len : 0;

	for (guint i = 0; i < n_limits; i++)
		if (!verify_limit(sides, g_ptr_array_index(limits, i), error))
			return NULL;
	for (guint head = 1; head < sides->sides->len; head++) {
		const RigStatCompare *stats = rig_judgement_stats(judgement, head);

		check_failures(checks, stats, failures_limit(limits));
		for (guint i = 0; i < n_limits; i++) {
			const RigGateLimit *limit = g_ptr_array_index(limits, i);

			if (!g_str_equal(limit->metric, FAILURES))
				check_limit(checks, judgement, stats, limit);
		}
		if (n_limits == 0)
			check_primaries(checks, stats);
	}
	return g_steal_pointer(&checks);
}

int rig_gate_exit_code(const GPtrArray *checks)
{
	int code = 0;

	for (guint i = 0; i < checks->len; i++) {
		const RigGateCheck *check = g_ptr_array_index(checks, i);

		if (check->result == RIG_GATE_FAIL)
			return RIG_ERROR_FAILED;
		if (check->result == RIG_GATE_INCONCLUSIVE)
			code = RIG_ERROR_INCONCLUSIVE;
	}
	return code;
}
