/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * verdict.c - what the numbers of one metric permit to say.
 */
#include "report/verdict.h"

#include <math.h>

#include "report/number.h"

const char *rig_verdict_name(RigVerdictKind kind)
{
	static const char *const names[] = {"none", "changed", "equivalent", "inconclusive",
					    "not judged"};

	return names[kind];
}

static const char *unit_of(RigScale scale)
{
	return scale == RIG_SCALE_POINTS ? "points" : "%";
}

static char *p_text(double p)
{
	g_autofree char *number = rig_number_printf("%.2g", p);

	return p < 0.0001 ? g_strdup("p < 0.0001") : g_strconcat("p = ", number, NULL);
}

static char *interval_text(RigScale scale, const RigInterval *interval)
{
	g_autofree char *lo = rig_number_printf("%+.2f", rig_scale_change(scale, interval->lo));
	g_autofree char *hi = rig_number_printf("%+.2f", rig_scale_change(scale, interval->hi));

	return g_strdup_printf("%s to %s %s", lo, hi, unit_of(scale));
}

static gboolean within_margin(const RigVerdictInput *input)
{
	double margin = fabs(rig_scale_difference(input->scale, input->margin));
	const RigInterval *i90 = &input->test->i90;

	return i90->lo >= -margin && i90->hi <= margin;
}

static gboolean is_changed(const RigVerdictInput *input, double p)
{
	if (input->early)
		return p < RIG_VERDICT_ALPHA_EARLY;
	return p < RIG_VERDICT_ALPHA;
}

static char *adjusted_text(const RigVerdictInput *input, double p)
{
	g_autofree char *text = p_text(p);

	if (input->family > 1)
		return g_strdup_printf("%s adjusted for %u metrics", text, input->family);
	return g_steal_pointer(&text);
}

static char *changed_reason(const RigVerdictInput *input, double p, gboolean small)
{
	g_autofree char *interval = interval_text(input->scale, &input->test->i95);
	g_autofree char *chance = adjusted_text(input, p);
	g_autofree char *margin = rig_number_printf("%g", input->margin);

	if (small)
		return g_strdup_printf("the 95 %% interval %s excludes no change (%s), but lies "
				       "close to it: within the margin of %s %s",
				       interval, chance, margin, unit_of(input->scale));
	return g_strdup_printf("the 95 %% interval %s excludes no change (%s)", interval, chance);
}

static char *equivalent_reason(const RigVerdictInput *input)
{
	g_autofree char *interval = interval_text(input->scale, &input->test->i90);
	g_autofree char *margin = rig_number_printf("%g", input->margin);

	return g_strdup_printf("the 90 %% interval %s is within the margin of %s %s", interval,
			       margin, unit_of(input->scale));
}

static void add_what_it_takes(GString *text, const RigVerdictInput *input)
{
	g_autofree char *margin = rig_number_printf("%g", input->margin);
	const char *what = input->paired ? "blocks" : "runs a side";

	if (!isnan(input->detectable)) {
		g_autofree char *seen = rig_number_printf("%.3g", input->detectable);

		g_string_append_printf(text, "; a change of %s %s could have been seen", seen,
				       unit_of(input->scale));
	}
	if (input->n_needed)
		g_string_append_printf(text, "; %u %s would see %s %s", input->n_needed, what,
				       margin, unit_of(input->scale));
}

static char *inconclusive_reason(const RigVerdictInput *input, double p)
{
	const RigInterval *i95 = &input->test->i95;
	g_autofree char *interval = interval_text(input->scale, i95);
	g_autofree char *chance = adjusted_text(input, p);
	GString *text = g_string_new(NULL);

	if (input->early)
		g_string_append_printf(text, "the plan is not at its end and %s is not below 0.001",
				       chance);
	else if (i95->lo > 0 || i95->hi < 0)
		g_string_append_printf(text, "the 95 %% interval %s excludes no change, but %s",
				       interval, chance);
	else
		g_string_append_printf(text,
				       "the 95 %% interval %s holds no change and more than "
				       "the margin",
				       interval);
	add_what_it_takes(text, input);
	return g_string_free(text, FALSE);
}

/* Both sides repeat one value each: only their order can tell, and that takes four runs a side. */
static RigVerdict decide_no_spread(const RigVerdictInput *input)
{
	double p = input->rank ? input->rank->p : NAN;
	g_autofree char *chance = isnan(p) ? g_strdup("no p") : p_text(p);
	RigVerdict verdict = {.kind = RIG_VERDICT_EQUIVALENT};

	if (input->test->difference == 0) {
		verdict.reason = g_strdup("every run of both sides gave the same value");
		return verdict;
	}
	verdict.kind = is_changed(input, p) ? RIG_VERDICT_CHANGED : RIG_VERDICT_INCONCLUSIVE;
	verdict.small = verdict.kind == RIG_VERDICT_CHANGED && within_margin(input);
	verdict.reason =
		g_strdup_printf("the runs of a side do not differ at all, so that only the "
				"rank test can tell: %s",
				chance);
	return verdict;
}

static RigVerdict decide(const RigVerdictInput *input)
{
	double p = isnan(input->p_adjusted) ? input->test->p : input->p_adjusted;
	RigVerdict verdict = {.kind = RIG_VERDICT_INCONCLUSIVE};

	if (input->test->no_spread)
		return decide_no_spread(input);
	if (is_changed(input, p)) {
		verdict.kind = RIG_VERDICT_CHANGED;
		verdict.small = within_margin(input);
		verdict.reason = changed_reason(input, p, verdict.small);
	} else if (!input->early && within_margin(input)) {
		verdict.kind = RIG_VERDICT_EQUIVALENT;
		verdict.reason = equivalent_reason(input);
	} else {
		verdict.reason = inconclusive_reason(input, p);
	}
	return verdict;
}

static const char *class_forbids(const RigVerdictInput *input)
{
	if (!input->timing)
		return NULL;
	if (input->class == 'C')
		return "timings of an emulated machine (class C) say nothing about a real one";
	if (input->class == '?')
		return "timings of different placement classes cannot be compared";
	return NULL;
}

RigVerdict rig_verdict_decide(const RigVerdictInput *input)
{
	RigVerdict verdict = {.kind = RIG_VERDICT_NONE};
	const char *forbidden = class_forbids(input);

	if (forbidden) {
		verdict.kind = RIG_VERDICT_NOT_JUDGED;
		verdict.reason = g_strdup(forbidden);
	} else if (isnan(input->test->se)) {
		verdict.reason = g_strdup_printf("%u and %u usable values: it takes two a side",
						 input->test->n_base, input->test->n_head);
	} else {
		verdict = decide(input);
	}
	if (verdict.kind == RIG_VERDICT_CHANGED)
		verdict.word = input->test->difference > 0 ? input->up : input->down;
	if (verdict.kind != RIG_VERDICT_NOT_JUDGED && input->timing && input->class == 'B') {
		g_autofree char *plain = verdict.reason;

		verdict.reason =
			g_strconcat(plain, "; class B: the host moved the guest about", NULL);
	}
	return verdict;
}

void rig_verdict_clear(RigVerdict *verdict)
{
	g_clear_pointer(&verdict->reason, g_free);
}
