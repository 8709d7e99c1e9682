/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phrase.c - verdicts and figures in words, the same in every report for people.
 */
#include "report/phrase.h"

#include <math.h>
#include <string.h>

#include "report/compare.h"
#include "report/number.h"

#define CHANGE_LONG 1e4 /* from here on with an exponent */

static const char *unit_of(RigScale scale)
{
	return scale == RIG_SCALE_POINTS ? "pt" : "%";
}

static char *with_unit(RigScale scale, double value, const char *format, const char *long_format)
{
	g_autofree char *number = NULL;

	if (!isfinite(value))
		return g_strdup("-");
	if (fabs(value) < CHANGE_LONG)
		number = rig_number_printf(format, value);
	else
		number = rig_number_printf(long_format, value);
	return g_strdup_printf("%s %s", number, unit_of(scale));
}

char *rig_phrase_change(RigScale scale, double change)
{
	/* Two digits where one would say nothing. */
	if (fabs(change) < 0.1 && change != 0)
		return with_unit(scale, change, "%+.2g", "%+.3g");
	return with_unit(scale, change, "%+.1f", "%+.3g");
}

char *rig_phrase_size(RigScale scale, double size)
{
	return with_unit(scale, size, "%.3g", "%.3g");
}

char *rig_phrase_p(double p)
{
	if (isnan(p))
		return g_strdup("-");
	if (p < 0.0001)
		return g_strdup("<0.0001");
	return rig_number_printf("%.2g", p);
}

char *rig_phrase_interval(const RigStatMetric *m)
{
	gboolean points = m->scale == RIG_SCALE_POINTS;
	RigInterval interval = points ? m->i95 : m->ratio95;
	g_autofree char *lo = NULL;
	g_autofree char *hi = NULL;

	if (!isfinite(interval.lo) || !isfinite(interval.hi))
		return g_strdup("-");
	lo = rig_number_printf(points ? "%+.1f" : interval.hi < 100 ? "%.3f" : "%.3g", interval.lo);
	hi = rig_number_printf(points ? "%+.1f" : interval.hi < 100 ? "%.3f" : "%.3g", interval.hi);
	return g_strdup_printf("%s to %s%s", lo, hi, points ? " pt" : "");
}

char *rig_phrase_ratio(const RigStatMetric *m)
{
	if (m->scale == RIG_SCALE_POINTS)
		return rig_phrase_change(m->scale, m->change);
	if (!isfinite(m->ratio))
		return g_strdup("-");
	return m->ratio < 100 ? rig_number_printf("%.3f", m->ratio)
			      : rig_number_printf("%.3g", m->ratio);
}

char *rig_phrase_n(const RigStatMetric *m)
{
	if (m->test.n_base == m->test.n_head)
		return g_strdup_printf("%u", m->test.n_base);
	return g_strdup_printf("%u+%u", m->test.n_base, m->test.n_head);
}

char *rig_phrase_counter(const RigStatCounter *counter)
{
	if (counter->row->appears)
		return g_strdup("new");
	if (counter->row->vanishes)
		return g_strdup("gone");
	return rig_phrase_change(counter->scale, counter->change);
}

const char *rig_phrase_verdict(const RigStatMetric *m)
{
	switch (m->verdict.kind) {
	case RIG_VERDICT_CHANGED:
		return rig_change_is_tiny(m->change) ? "changed" : m->verdict.word;
	case RIG_VERDICT_EQUIVALENT:
		return "same";
	case RIG_VERDICT_INCONCLUSIVE:
		return "unclear";
	case RIG_VERDICT_NOT_JUDGED:
		return "not judged";
	default:
		return "none";
	}
}

const char *rig_phrase_headline(const RigStatCompare *stats)
{
	gboolean regression;
	RigVerdictKind kind = rig_statcompare_overall(stats, &regression);

	switch (kind) {
	case RIG_VERDICT_CHANGED:
		for (guint i = 0; regression && i < stats->metrics->len; i++) {
			const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

			if (m->primary && g_strcmp0(m->verdict.word, "worse") == 0)
				return "WORSE";
		}
		return regression ? "CHANGED" : "BETTER";
	case RIG_VERDICT_EQUIVALENT:
		return "EQUIVALENT";
	case RIG_VERDICT_INCONCLUSIVE:
		return "INCONCLUSIVE";
	case RIG_VERDICT_NOT_JUDGED:
		return "NOT JUDGED";
	default:
		return "NO VERDICT";
	}
}

static char *changed_clause(const RigStatMetric *m)
{
	g_autofree char *change = rig_phrase_change(m->scale, m->change);
	g_autofree char *margin = rig_phrase_size(m->scale, m->margin);

	if (m->verdict.small)
		return g_strdup_printf("%s is %s (%s), but within the margin of %s", m->info->name,
				       m->verdict.word, change, margin);
	return g_strdup_printf("%s is %s (%s)", m->info->name, m->verdict.word, change);
}

static char *equivalent_clause(const RigStatMetric *m)
{
	g_autofree char *margin = rig_phrase_size(m->scale, m->margin);

	return g_strdup_printf("%s is the same within %s", m->info->name, margin);
}

/* What of it was seen, and what it would have taken: that n is what the next plan needs. */
static char *inconclusive_clause(const RigStatMetric *m, gboolean paired)
{
	g_autofree char *seen = rig_phrase_size(m->scale, m->detectable);
	g_autofree char *margin = rig_phrase_size(m->scale, m->margin);
	GString *text = g_string_new(m->info->name);

	g_string_append(text, " is unclear");
	if (isfinite(m->detectable))
		g_string_append_printf(text, ": %u %s see %s", MIN(m->test.n_base, m->test.n_head),
				       paired ? "blocks" : "runs a side", seen);
	if (m->n_needed)
		g_string_append_printf(text, ", %u would see %s", m->n_needed, margin);
	return g_string_free(text, FALSE);
}

static char *clause_of(const RigStatMetric *m, gboolean paired)
{
	switch (m->verdict.kind) {
	case RIG_VERDICT_CHANGED:
		return changed_clause(m);
	case RIG_VERDICT_EQUIVALENT:
		return equivalent_clause(m);
	case RIG_VERDICT_INCONCLUSIVE:
		return inconclusive_clause(m, paired);
	default:
		return g_strdup_printf("%s: %s", m->info->name,
				       m->verdict.reason ? m->verdict.reason : "no values");
	}
}

/* Several that are not judged for one reason: the reason once. */
static char *not_judged_clause(const RigStatCompare *stats)
{
	GString *text = g_string_new(NULL);
	const char *reason = NULL;

	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		if (!m->primary || m->verdict.kind != RIG_VERDICT_NOT_JUDGED)
			continue;
		g_string_append_printf(text, "%s%s", text->len ? ", " : "", m->info->name);
		reason = m->verdict.reason;
	}
	if (reason)
		g_string_append_printf(text, ": %s", reason);
	return g_string_free(text, FALSE);
}

char *rig_phrase_primaries(const RigStatCompare *stats)
{
	g_autofree char *not_judged = not_judged_clause(stats);
	gboolean paired = stats->plan->method == RIG_STAT_PAIRED;
	GString *text = g_string_new(NULL);
	guint n = 0;

	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);
		g_autofree char *clause = NULL;

		n += m->primary;
		if (!m->primary || m->verdict.kind == RIG_VERDICT_NOT_JUDGED)
			continue;
		clause = clause_of(m, paired);
		g_string_append_printf(text, "%s%s", text->len ? "; " : "", clause);
	}
	if (*not_judged)
		g_string_append_printf(text, "%s%s", text->len ? "; " : "", not_judged);
	if (n == 0)
		g_string_append(text, "the workload names no primary metric");
	return g_string_free(text, FALSE);
}

char *rig_phrase_counters(const RigStatCompare *stats)
{
	const RigScreen *s = stats->screen;
	g_autofree char *limit = rig_number_printf("%g", s->q);
	GString *text = g_string_new(NULL);

	if (s->n_tested == 0)
		g_string_append_printf(text, "none of %u counters could be tested", s->n);
	else
		g_string_append_printf(text, "%u of %u tested counters changed (q at most %s)",
				       s->n_found, s->n_tested, limit);
	if (s->n_appear)
		g_string_append_printf(text, ", %u appeared", s->n_appear);
	if (s->n_vanish)
		g_string_append_printf(text, ", %u vanished", s->n_vanish);
	return g_string_free(text, FALSE);
}

char *rig_phrase_filtered(const RigStatCompare *stats)
{
	const RigScreen *s = stats->screen;
	const struct {
		guint n;
		RigScreenStatus status;
	} groups[] = {
		{s->n_constant, RIG_SCREEN_CONSTANT},
		{s->n_zero, RIG_SCREEN_ZERO},
		{s->n_few, RIG_SCREEN_FEW},
		{s->n_short, RIG_SCREEN_SHORT},
		{s->n_no_spread, RIG_SCREEN_NO_SPREAD},
	};
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < G_N_ELEMENTS(groups); i++)
		if (groups[i].n)
			g_string_append_printf(text, "%s%u %s", text->len ? ", " : "", groups[i].n,
					       rig_screen_status_name(groups[i].status));
	return g_string_free(text, text->len == 0);
}

char *rig_phrase_failures(const RigStatCompare *stats)
{
	const RigStatFailures *f = &stats->failures;
	g_autofree char *p = rig_phrase_p(f->p);

	return g_strdup_printf("base %u of %u runs failed, head %u of %u (p %s%s)", f->base_fails,
			       f->base_runs, f->head_fails, f->head_runs,
			       g_ascii_isdigit(*p) ? "= " : "", p);
}

char *rig_phrase_side(const RigSide *side)
{
	const char *release = rig_side_manifest(side, "kernel.release");
	GString *text = g_string_new(side->name);

	if (side->kernel && !g_str_equal(side->kernel, side->name))
		g_string_append_printf(text, " = %s", side->kernel);
	if (release && !strstr(text->str, release))
		g_string_append_printf(text, " (Linux %s)", release);
	return g_string_free(text, FALSE);
}

char *rig_phrase_spread(const RigMetricInfo *info, const RigSummary *summary)
{
	gboolean points = info->kind == RIG_KIND_PERCENTAGE;
	double spread = points ? summary->sd : summary->cv;
	g_autofree char *number = rig_number_printf(spread < 10 ? "%.1f" : "%.0f", spread);

	return isfinite(spread) ? g_strconcat(number, points ? "" : "%", NULL) : g_strdup("");
}
