/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lkp-rule.c - which metrics the robot calls failures, and which rows its rule shows.
 *
 * The rule is no test: a row is shown when each side's upper median lies outside the other side's
 * whole range. tests/data/lkp/ holds what the original decides on a set of cases.
 */
#include "report/lkp-rule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* At least one side needs so many runs before the robot shows a performance row. */
#define RUNS_NEEDED 3
/* Ratios of the medians: beyond the noise of the robot's own rounding, and for what it watches
 * less. */
#define RATIO_WATCHED 1.01
#define RATIO_OTHER 1.05
/* What stands for the ratio to a zero or negative median. */
#define RATIO_FROM_ZERO 5.0
/* From 32 runs on the robot drops the outermost values of each end. */
#define MARGIN_SHIFT 5
#define MARGIN_MAX 3

gboolean rig_lkp_is_failure(const char *metric)
{
	static const char *const prefixes[] = {"dmesg.", "kmsg.", "stderr.", "last_state."};

	if (strstr(metric, ".time.") || strstr(metric, ".timestamp:") ||
	    strstr(metric, ".bootstage:"))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(metric, prefixes[i]))
			return TRUE;
	return g_str_has_suffix(metric, ".fail");
}

/* Monitors that the robot collects but does not report unless it is asked for more. */
static gboolean is_unreported(const char *metric)
{
	static const char *const prefixes[] = {
		"interrupts.",	 "softirqs.", "iostat.",    "diskstats.",    "buddyinfo.",
		"pagetypeinfo.", "zoneinfo.", "lock_stat.", "boot-meminfo.", "boot-slabinfo.",
	};

	for (guint i = 0; i < G_N_ELEMENTS(prefixes); i++)
		if (g_str_has_prefix(metric, prefixes[i]))
			return TRUE;
	return FALSE;
}

static gboolean is_incomplete(const RigSide *side, guint run)
{
	const double *flags = rig_side_values(side, RIG_LKP_INCOMPLETE);

	return flags && flags[run] == 1;
}

GArray *rig_lkp_values(const RigSide *side, const char *metric, guint *runs)
{
	GArray *found = g_array_new(FALSE, FALSE, sizeof(double));
	const double *values = rig_side_values(side, metric);
	gboolean failure = rig_lkp_is_failure(metric);

	*runs = 0;
	for (guint i = 0; i < side->runs->len; i++) {
		if (!failure && is_incomplete(side, i))
			continue;
		++*runs;
		if (values && !isnan(values[i]))
			g_array_append_val(found, values[i]);
	}
	return found;
}

typedef struct {
	double min, median, max; /* the upper median */
} Range;

static int compare_doubles(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static Range range_of(GArray *values)
{
	guint margin = MIN(values->len >> MARGIN_SHIFT, MARGIN_MAX);
	const double *sorted = (const double *)values->data + margin;
	guint n = values->len - 2 * margin;
	Range range = {0, 0, 0};

	if (values->len == 0)
		return range;
	qsort(values->data, values->len, sizeof(double), compare_doubles);
	range.min = sorted[0];
	range.median = sorted[n / 2];
	range.max = sorted[n - 1];
	return range;
}

static gboolean is_above(const Range *low, const Range *high)
{
	return high->min > low->median && high->median > low->max;
}

/* Changes below these are never worth a row, whatever their ratio. */
static gboolean is_large_enough(const char *metric, double difference, double max)
{
	if (g_str_has_prefix(metric, "slabinfo"))
		return difference > 100;
	if (g_str_has_prefix(metric, "proc-vmstat") || strstr(metric, "meminfo"))
		return max > 1000;
	return TRUE;
}

static gboolean is_small_change(const char *metric, gboolean own, const Range *a, const Range *b)
{
	double low = MIN(a->median, b->median), high = MAX(a->median, b->median);
	double ratio = low > 0 ? high / low : RATIO_FROM_ZERO;
	gboolean watched = own || g_str_has_prefix(metric, "proc-vmstat.");

	if (g_str_has_prefix(metric, "perf-profile."))
		return FALSE;
	return !(ratio > (watched ? RATIO_WATCHED : RATIO_OTHER)) ||
	       !is_large_enough(metric, high - low, MAX(a->max, b->max));
}

static gboolean failure_changed(GArray *base, GArray *head)
{
	Range b = range_of(base), h = range_of(head);

	/* Failures that both sides know are no news. */
	return b.max != h.max;
}

gboolean rig_lkp_changed(const RigSide *base, const RigSide *head, const char *metric, gboolean own)
{
	guint base_runs, head_runs;
	g_autoptr(GArray) b = rig_lkp_values(base, metric, &base_runs);
	g_autoptr(GArray) h = rig_lkp_values(head, metric, &head_runs);
	Range base_range, head_range;

	if (rig_lkp_is_failure(metric))
		return failure_changed(b, h);
	/* The robot takes a metric that the base lacks for a monitor that was added since; one that
	 * the head lacks counts as zero. */
	if (is_unreported(metric) || (b->len == 0 && !g_str_has_prefix(metric, "perf-profile.")))
		return FALSE;
	if (MAX(base_runs, head_runs) < RUNS_NEEDED)
		return FALSE;
	base_range = range_of(b);
	head_range = range_of(h);
	return (is_above(&base_range, &head_range) || is_above(&head_range, &base_range)) &&
	       !is_small_change(metric, own, &base_range, &head_range);
}
