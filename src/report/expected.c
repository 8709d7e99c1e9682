/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expected.c - what a kernel's recipe says will move, held against what did.
 *
 * Nothing is tested here again: a counter moved if the screen found it, one of the workload's own
 * metrics if its verdict says so. "Not seen" is no proof of the contrary.
 */
#include "report/expected.h"

#include <string.h>

#include "report/phrase.h"

const char *rig_expected_state_name(RigExpectedState state)
{
	static const char *const names[] = {"seen", "not seen", "not judged"};

	return names[state];
}

static void counter_free(gpointer data)
{
	RigExpectedCounter *counter = data;

	g_free(counter->name);
	g_free(counter->reason);
	g_free(counter);
}

void rig_expected_free(RigExpected *expected)
{
	if (!expected)
		return;
	g_free(expected->recipe);
	g_ptr_array_unref(expected->counters);
	g_free(expected);
}

static const RigStatCounter *find_counter(const RigStatCompare *stats, const char *name)
{
	for (guint i = 0; i < stats->counters->len; i++) {
		const RigStatCounter *counter = g_ptr_array_index(stats->counters, i);

		if (g_str_equal(counter->info->name, name))
			return counter;
	}
	return NULL;
}

static const RigStatMetric *find_metric(const RigStatCompare *stats, const char *name)
{
	for (guint i = 0; i < stats->metrics->len; i++) {
		const RigStatMetric *metric = g_ptr_array_index(stats->metrics, i);

		if (g_str_equal(metric->info->name, name))
			return metric;
	}
	return NULL;
}

static void decide(RigExpectedCounter *expected, RigExpectedState state, char *reason)
{
	expected->state = state;
	g_free(expected->reason);
	expected->reason = reason;
}

/* It moved, UP or down; REASON says by how much. */
static void decide_moved(RigExpectedCounter *expected, gboolean up, char *reason)
{
	gboolean as_expected = expected->direction == (up ? RIG_HIGHER : RIG_LOWER);

	decide(expected, as_expected ? RIG_EXPECTED_SEEN : RIG_EXPECTED_NOT_SEEN, reason);
}

static void decide_still(RigExpectedCounter *expected, char *reason)
{
	gboolean as_expected = expected->direction == RIG_NEITHER;

	decide(expected, as_expected ? RIG_EXPECTED_SEEN : RIG_EXPECTED_NOT_SEEN, reason);
}

static void judge_counter(RigExpectedCounter *expected, const RigStatCounter *counter)
{
	const RigScreenRow *row = counter->row;
	g_autofree char *q = NULL;

	if (row->found || row->appears || row->vanishes) {
		decide_moved(expected, row->appears || (!row->vanishes && row->difference > 0),
			     rig_phrase_counter(counter));
	} else if (row->status == RIG_SCREEN_TESTED) {
		q = rig_phrase_p(row->q);
		decide_still(expected, g_strdup_printf("no change found (q = %s)", q));
	} else {
		decide(expected, RIG_EXPECTED_NOT_JUDGED,
		       g_strdup(rig_screen_status_name(row->status)));
	}
}

static void judge_metric(RigExpectedCounter *expected, const RigStatMetric *metric)
{
	switch (metric->verdict.kind) {
	case RIG_VERDICT_CHANGED:
		decide_moved(expected, metric->change > 0,
			     rig_phrase_change(metric->scale, metric->change));
		break;
	case RIG_VERDICT_EQUIVALENT:
	case RIG_VERDICT_INCONCLUSIVE:
		decide_still(expected, g_strdup(rig_verdict_name(metric->verdict.kind)));
		break;
	default:
		decide(expected, RIG_EXPECTED_NOT_JUDGED, g_strdup(metric->verdict.reason));
	}
}

static void judge(RigExpectedCounter *expected, const RigKernelRecipe *recipe,
		  const RigStatCompare *stats)
{
	const RigStatCounter *counter = find_counter(stats, expected->name);
	const RigStatMetric *metric = find_metric(stats, expected->name);

	if (!rig_kernelrecipe_fits(recipe, stats->class))
		decide(expected, RIG_EXPECTED_NOT_JUDGED,
		       g_strdup_printf("wants runs of class %s", recipe->classes));
	else if (counter)
		judge_counter(expected, counter);
	else if (metric)
		judge_metric(expected, metric);
	else
		decide(expected, RIG_EXPECTED_NOT_JUDGED, g_strdup("no run has it"));
}

RigExpected *rig_expected_new(const RigKernelRecipe *recipe, const RigStatCompare *stats)
{
	RigExpected *expected;

	if (recipe->expects->len == 0)
		return NULL;
	expected = g_new0(RigExpected, 1);
	expected->recipe = g_strdup(recipe->name);
	expected->counters = g_ptr_array_new_with_free_func(counter_free);
	for (guint i = 0; i < recipe->expects->len; i++) {
		const RigKernelExpect *expect = g_ptr_array_index(recipe->expects, i);
		RigExpectedCounter *counter = g_new0(RigExpectedCounter, 1);

		counter->name = g_strdup(expect->name);
		counter->direction = expect->direction;
		judge(counter, recipe, stats);
		expected->n_seen += counter->state == RIG_EXPECTED_SEEN ? 1 : 0;
		expected->n_not_judged += counter->state == RIG_EXPECTED_NOT_JUDGED ? 1 : 0;
		g_ptr_array_add(expected->counters, counter);
	}
	return expected;
}

char *rig_expected_summary(const RigExpected *expected)
{
	GString *text = g_string_new(expected->recipe);

	g_string_append_printf(text, ": %u of %u as expected", expected->n_seen,
			       expected->counters->len);
	if (expected->n_not_judged)
		g_string_append_printf(text, ", %u not judged", expected->n_not_judged);
	return g_string_free(text, FALSE);
}

char *rig_expected_text(const RigExpectedCounter *counter)
{
	return g_strdup_printf("%s %s: %s%s%s", counter->name,
			       counter->direction == RIG_NEITHER
				       ? "unmoved"
				       : rig_direction_name(counter->direction),
			       rig_expected_state_name(counter->state), counter->reason ? ", " : "",
			       counter->reason ? counter->reason : "");
}
