/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.c - the figures of a comparison: mean, spread, change; no verdict.
 */
#include "report/compare.h"

#include <math.h>

#include "report/differences.h"

RigSummary rig_summary_compute(const double *values, guint n_values)
{
	RigSummary s = {
		.mean = NAN, .min = NAN, .max = NAN, .sd = NAN, .population_sd = NAN, .cv = NAN};
	double sum = 0, squares = 0;

	for (guint i = 0; values && i < n_values; i++) {
		if (isnan(values[i]))
			continue;
		s.n++;
		sum += values[i];
		s.min = s.n == 1 ? values[i] : MIN(s.min, values[i]);
		s.max = s.n == 1 ? values[i] : MAX(s.max, values[i]);
	}
	if (s.n == 0)
		return s;
	s.mean = sum / s.n;
	if (s.n < 2)
		return s;
	/* A second pass: values near 1e9 that differ in the last digits must not cancel out. */
	for (guint i = 0; i < n_values; i++)
		if (!isnan(values[i]))
			squares += (values[i] - s.mean) * (values[i] - s.mean);
	s.population_sd = sqrt(squares / s.n);
	s.sd = sqrt(squares / (s.n - 1));
	if (s.mean != 0)
		s.cv = 100 * s.sd / fabs(s.mean);
	return s;
}

const char *rig_change_name(RigChangeKind kind)
{
	static const char *const names[] = {"none", "percent", "points", "new", "gone"};

	return names[kind];
}

const char *rig_class_text(char class)
{
	switch (class) {
	case 'A':
		return "A (KVM, bound to host nodes): event counts and timings can be compared";
	case 'B':
		return "B (KVM, not bound): event counts can be compared, timings with caution";
	case 'C':
		return "C (emulated): event counts can be compared, timings are shown but prove "
		       "nothing";
	case '?':
		return "mixed: event counts can be compared, timings cannot";
	default:
		return "unknown";
	}
}

gboolean rig_metric_is_timing(const RigMetricInfo *info)
{
	/* A workload's own figures on a ratio scale are rates and times; its counts and shares, and
	 * all counters of the kernel, are made of events. */
	return info->own && info->kind == RIG_KIND_RATIO;
}

gboolean rig_compare_is_emulated(const RigSides *sides)
{
	for (guint i = 0; i < sides->sides->len; i++)
		if (rig_sides_at(sides, i)->class == 'C')
			return TRUE;
	return FALSE;
}

gboolean rig_change_is_tiny(double change)
{
	return fabs(change) < 0.05;
}

static const char *change_word(const RigMetricInfo *info, double difference, gboolean judged)
{
	gboolean up = difference > 0;

	if (difference == 0)
		return NULL;
	switch (judged ? info->direction : RIG_NEITHER) {
	case RIG_HIGHER:
		return up ? "better" : "worse";
	case RIG_LOWER:
		return up ? "worse" : "better";
	default:
		return up ? "more" : "less";
	}
}

/* The base has a value; so zero is one, and a change from it is no percentage. */
static RigChange change_of_values(const RigMetricInfo *info, double base, double head,
				  gboolean judged)
{
	RigChange change = {.value = NAN, .word = change_word(info, head - base, judged)};

	if (info->kind == RIG_KIND_PERCENTAGE) {
		change.kind = RIG_CHANGE_POINTS;
		change.value = head - base;
	} else if (base == 0 && head != 0) {
		change.kind = RIG_CHANGE_NEW;
	} else if (base != 0 && head == 0) {
		change.kind = RIG_CHANGE_GONE;
	} else {
		change.kind = RIG_CHANGE_PERCENT;
		change.value = base == 0 ? 0 : 100 * (head - base) / fabs(base);
	}
	if (rig_change_is_tiny(change.value))
		change.word = NULL;
	return change;
}

static gboolean has_good_run(const RigSide *side)
{
	return side->runs->len > side->n_failed;
}

static RigChange change_compute(const RigCompare *compare, const RigMetricInfo *info,
				const RigSummary *base, const RigSummary *head, guint i)
{
	RigChange none = {.kind = RIG_CHANGE_NONE, .value = NAN};

	/* A side of failed runs only lacks every metric: that is not a metric that vanished. */
	if (!has_good_run(rig_sides_at(compare->sides, 0)) ||
	    !has_good_run(rig_sides_at(compare->sides, i)))
		return none;
	if (!compare->timings && rig_metric_is_timing(info))
		return none;
	if (base->n > 0 && head->n > 0)
		return change_of_values(info, base->mean, head->mean,
					!rig_metric_is_timing(info) ||
						!rig_compare_is_emulated(compare->sides));
	if (base->n == 0 && head->n == 0)
		return none;
	none.kind = base->n == 0 ? RIG_CHANGE_NEW : RIG_CHANGE_GONE;
	return none;
}

static RigRow *row_new(const RigCompare *compare, const RigMetricInfo *info)
{
	guint n = compare->sides->sides->len;
	RigRow *row = g_new0(RigRow, 1);

	row->info = info;
	row->sides = g_new0(RigSummary, n);
	row->changes = g_new0(RigChange, n);
	for (guint i = 0; i < n; i++) {
		const RigSide *side = rig_sides_at(compare->sides, i);

		row->sides[i] =
			rig_summary_compute(rig_side_values(side, info->name), side->runs->len);
		row->changes[i].value = NAN;
		if (i > 0)
			row->changes[i] =
				change_compute(compare, info, &row->sides[0], &row->sides[i], i);
	}
	return row;
}

static void row_free(gpointer data)
{
	RigRow *row = data;

	g_free(row->sides);
	g_free(row->changes);
	g_free(row);
}

/* Two accelerators measure two machines: their timings are not set against each other. */
static gboolean timings_comparable(const RigSides *sides)
{
	gboolean emulated = rig_sides_at(sides, 0)->class == 'C';

	for (guint i = 0; i < sides->sides->len; i++) {
		char class = rig_sides_at(sides, i)->class;

		if (class == '?' || (class == 'C') != emulated)
			return FALSE;
	}
	return TRUE;
}

RigCompare *rig_compare_new(const RigSides *sides)
{
	RigCompare *compare = g_new0(RigCompare, 1);
	guint n;
	g_autofree const char **names = rig_sides_names(sides, &n);

	compare->sides = sides;
	compare->timings = timings_comparable(sides);
	compare->rows = g_ptr_array_new_with_free_func(row_free);
	for (guint i = 0; i < n; i++)
		g_ptr_array_add(compare->rows, row_new(compare, rig_sides_info(sides, names[i])));
	compare->differences = rig_differences_find(sides);
	compare->warnings = rig_differences_warnings(sides, compare->timings);
	return compare;
}

void rig_compare_free(RigCompare *compare)
{
	if (!compare)
		return;
	g_ptr_array_unref(compare->rows);
	g_ptr_array_unref(compare->differences);
	g_ptr_array_unref(compare->warnings);
	g_free(compare);
}
