/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-json-stats.c - the statistics in the JSON of a comparison.
 */
#include "report/report-json-stats.h"

#include <math.h>

#include "report/phrase.h"
#include "report/why.h"

static void add_interval(RigJsonWriter *writer, const char *key, RigInterval interval)
{
	rig_json_open_array(writer, key);
	rig_json_add_double(writer, NULL, interval.lo);
	rig_json_add_double(writer, NULL, interval.hi);
	rig_json_close_array(writer);
}

static void add_failures(RigJsonWriter *writer, const RigStatFailures *f)
{
	rig_json_open_object(writer, "failures");
	rig_json_add_int(writer, "base_fails", f->base_fails);
	rig_json_add_int(writer, "base_runs", f->base_runs);
	rig_json_add_int(writer, "head_fails", f->head_fails);
	rig_json_add_int(writer, "head_runs", f->head_runs);
	rig_json_add_double(writer, "p", f->p);
	rig_json_close_object(writer);
}

static const char *unit_of(RigScale scale)
{
	return scale == RIG_SCALE_POINTS ? "points" : "percent";
}

static void add_tests(RigJsonWriter *writer, const RigStatMetric *m)
{
	rig_json_add_double(writer, "change", m->change);
	add_interval(writer, "interval95", m->i95);
	add_interval(writer, "interval90", m->i90);
	rig_json_add_double(writer, "ratio", m->ratio);
	add_interval(writer, "ratio95", m->ratio95);
	rig_json_add_double(writer, "t", m->test.t);
	rig_json_add_double(writer, "df", m->test.df);
	rig_json_add_double(writer, "p", m->test.p);
	rig_json_add_double(writer, "p_adjusted", m->p_holm);
	rig_json_add_int(writer, "family", m->family);
	rig_json_add_double(writer, "rank_p", m->rank.p);
	rig_json_add_string(writer, "rank_how", rig_p_how_name(m->rank.how));
	rig_json_add_double(writer, "shift", m->shift);
	add_interval(writer, "shift95", m->shift95);
}

static void add_metric(RigJsonWriter *writer, const RigStatMetric *m)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", m->info->name);
	rig_json_add_bool(writer, "primary", m->primary);
	rig_json_add_bool(writer, "control", m->info->control);
	rig_json_add_bool(writer, "timing", m->timing);
	rig_json_add_string(writer, "change_unit", unit_of(m->scale));
	rig_json_add_int(writer, "n_base", m->test.n_base);
	rig_json_add_int(writer, "n_head", m->test.n_head);
	add_tests(writer, m);
	rig_json_add_double(writer, "margin", m->margin);
	rig_json_add_double(writer, "detectable", m->detectable);
	if (m->n_needed)
		rig_json_add_int(writer, "n_needed", m->n_needed);
	else
		rig_json_add_double(writer, "n_needed", NAN);
	rig_json_add_string(writer, "verdict", rig_verdict_name(m->verdict.kind));
	rig_json_add_bool(writer, "small", m->verdict.small);
	rig_json_add_string(writer, "word", m->verdict.word);
	rig_json_add_string(writer, "reason", m->verdict.reason);
	rig_json_close_object(writer);
}

static void add_counter(RigJsonWriter *writer, const RigStatCounter *counter)
{
	const RigScreenRow *row = counter->row;

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", counter->info->name);
	rig_json_add_string(writer, "status", rig_screen_status_name(row->status));
	rig_json_add_string(writer, "change_unit", unit_of(counter->scale));
	rig_json_add_double(writer, "change", counter->change);
	rig_json_add_double(writer, "p", row->p);
	rig_json_add_double(writer, "q", row->q);
	rig_json_add_bool(writer, "found", row->found);
	rig_json_add_bool(writer, "appears", row->appears);
	rig_json_add_bool(writer, "vanishes", row->vanishes);
	rig_json_add_string(writer, "word", counter->word);
	rig_json_close_object(writer);
}

static void add_screen(RigJsonWriter *writer, const RigScreen *screen)
{
	const struct {
		const char *key;
		guint n;
	} counts[] = {
		{"n", screen->n},
		{"n_tested", screen->n_tested},
		{"n_constant", screen->n_constant},
		{"n_zero", screen->n_zero},
		{"n_few", screen->n_few},
		{"n_short", screen->n_short},
		{"n_no_spread", screen->n_no_spread},
		{"n_found", screen->n_found},
		{"n_appear", screen->n_appear},
		{"n_vanish", screen->n_vanish},
	};

	rig_json_open_object(writer, "screen");
	rig_json_add_double(writer, "q", screen->q);
	for (guint i = 0; i < G_N_ELEMENTS(counts); i++)
		rig_json_add_int(writer, counts[i].key, counts[i].n);
	rig_json_close_object(writer);
}

static void add_whys(RigJsonWriter *writer, const RigStatCompare *stats, const RigSides *sides)
{
	g_autoptr(GPtrArray) whys = rig_why_find(stats, sides);

	rig_json_open_array(writer, "why");
	for (guint i = 0; i < whys->len; i++) {
		const RigWhy *why = g_ptr_array_index(whys, i);

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "text", why->text);
		rig_json_add_bool(writer, "explains", why->explains);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

static void add_expected(RigJsonWriter *writer, const RigExpected *expected)
{
	if (!expected)
		return;
	rig_json_open_object(writer, "expected");
	rig_json_add_string(writer, "recipe", expected->recipe);
	rig_json_open_array(writer, "counters");
	for (guint i = 0; i < expected->counters->len; i++) {
		const RigExpectedCounter *counter = g_ptr_array_index(expected->counters, i);

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", counter->name);
		rig_json_add_string(writer, "direction", rig_direction_name(counter->direction));
		rig_json_add_string(writer, "state", rig_expected_state_name(counter->state));
		rig_json_add_string(writer, "reason", counter->reason);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}

static void add_plan(RigJsonWriter *writer, const RigStatPlan *plan)
{
	rig_json_add_string(writer, "method", rig_stat_method_name(plan->method));
	rig_json_add_string(writer, "method_why", plan->why);
	rig_json_add_bool(writer, "early", plan->early);
	rig_json_open_array(writer, "notes");
	for (guint i = 0; i < plan->notes->len; i++)
		rig_json_add_string(writer, NULL, g_ptr_array_index(plan->notes, i));
	rig_json_close_array(writer);
}

static void add_head(RigJsonWriter *writer, const RigSides *sides, const RigStatCompare *stats,
		     const RigExpected *expected)
{
	gboolean regression;
	RigVerdictKind kind = rig_statcompare_overall(stats, &regression);
	char class[2] = {stats->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "side", rig_sides_at(sides, stats->head)->name);
	rig_json_add_string(writer, "class", stats->class ? class : NULL);
	rig_json_add_string(writer, "verdict", rig_verdict_name(kind));
	rig_json_add_bool(writer, "regression", regression);
	rig_json_add_string(writer, "headline", rig_phrase_headline(stats));
	add_plan(writer, stats->plan);
	add_failures(writer, &stats->failures);
	rig_json_open_array(writer, "metrics");
	for (guint i = 0; i < stats->metrics->len; i++)
		add_metric(writer, g_ptr_array_index(stats->metrics, i));
	rig_json_close_array(writer);
	add_screen(writer, stats->screen);
	rig_json_open_array(writer, "counters");
	for (guint i = 0; i < stats->counters->len; i++)
		add_counter(writer, g_ptr_array_index(stats->counters, i));
	rig_json_close_array(writer);
	add_whys(writer, stats, sides);
	add_expected(writer, expected);
	rig_json_close_object(writer);
}

void rig_report_json_stats(RigJsonWriter *writer, const RigJudgement *judgement)
{
	rig_json_open_array(writer, "statistics");
	for (guint i = 0; i < judgement->stats->len; i++)
		add_head(writer, judgement->compare->sides, g_ptr_array_index(judgement->stats, i),
			 rig_judgement_expected(judgement, i + 1));
	rig_json_close_array(writer);
}
