/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phases.c - the kernel's figures, phase by phase.
 *
 * A phase lasts from its mark to the next one. Its events are last minus first, its gauges the mean
 * over all snapshots in it; a run's figures are the sums (gauges: means weighed by time) over the
 * phases that the workload calls measured, so what is compared belongs to what is compared.
 */
#include "model/counters.h"
#include "model/locality.h"
#include "model/result-private.h"

#include <string.h>

/* Everything while one run is looked through. */
typedef struct {
	RigRunResult *result;
	const RigRawRun *raw;
	const RigWorkload *workload;
	RigMetrics **parsed;   /* one a snapshot */
	RigMetrics *events;    /* sums over the measured phases, ticks included */
	RigMetrics *gauges;    /* sums of mean x seconds */
	RigMetrics *seconds;   /* of each gauge */
	RigLocality *locality; /* of the measured phases */
	GHashTable *spoiled;   /* names that went backwards somewhere */
} Walk;

static const RigRawSnap *snap_at(const Walk *walk, guint i)
{
	return g_ptr_array_index(walk->raw->snaps, i);
}

void rig_phase_free(RigPhase *phase)
{
	if (!phase)
		return;
	g_free(phase->name);
	rig_metrics_free(phase->counters);
	g_free(phase);
}

static void learn_nodes(Walk *walk, RigLocality *locality)
{
	rig_locality_learn_nodes(locality, walk->raw->files);
	for (guint i = 0; i < walk->raw->snaps->len; i++)
		if (rig_locality_learn_nodes(locality, snap_at(walk, i)->files))
			return;
}

/* Means of the gauges over the snapshots FIRST to LAST. */
static void average_gauges(const Walk *walk, guint first, guint last, RigMetrics *out)
{
	g_autoptr(RigMetrics) counts = rig_metrics_new();
	g_autoptr(RigMetrics) sums = rig_metrics_new();

	for (guint i = first; i <= last; i++)
		for (guint j = 0; j < rig_metrics_count(walk->parsed[i]); j++) {
			const char *name = rig_metrics_name(walk->parsed[i], j);

			if (rig_counter_kind(name, NULL) != RIG_COUNTER_GAUGE)
				continue;
			rig_metrics_add(sums, name, rig_metrics_value(walk->parsed[i], j));
			rig_metrics_add(counts, name, 1);
		}
	for (guint j = 0; j < rig_metrics_count(sums); j++)
		rig_metrics_set(out, rig_metrics_name(sums, j),
				rig_metrics_value(sums, j) / rig_metrics_value(counts, j));
}

/* Copy all but the ticks, which are no metrics of their own. */
static void copy_figures(const RigMetrics *from, RigMetrics *to)
{
	for (guint i = 0; i < rig_metrics_count(from); i++)
		if (!rig_counter_is_cpu_time(rig_metrics_name(from, i)))
			rig_metrics_set(to, rig_metrics_name(from, i), rig_metrics_value(from, i));
}

static void spoil(Walk *walk, const GPtrArray *backwards, const char *phase)
{
	for (guint i = 0; i < backwards->len; i++) {
		const char *name = g_ptr_array_index(backwards, i);

		rig_run_result_note(walk->result, "%s went backwards in phase %s: left out", name,
				    phase);
		g_hash_table_add(walk->spoiled, g_strdup(name));
	}
}

static void take_measured(Walk *walk, const RigPhase *phase, const RigMetrics *delta,
			  const RigLocality *locality)
{
	double seconds = MAX((double)(phase->end_ns - phase->start_ns) / 1e9, 1e-9);

	for (guint i = 0; i < rig_metrics_count(delta); i++)
		rig_metrics_add(walk->events, rig_metrics_name(delta, i),
				rig_metrics_value(delta, i));
	for (guint i = 0; i < rig_metrics_count(phase->counters); i++) {
		const char *name = rig_metrics_name(phase->counters, i);

		if (rig_counter_kind(name, NULL) != RIG_COUNTER_GAUGE)
			continue;
		rig_metrics_add(walk->gauges, name,
				rig_metrics_value(phase->counters, i) * seconds);
		rig_metrics_add(walk->seconds, name, seconds);
	}
	rig_locality_merge(walk->locality, locality);
}

/* matrix.json: what each interval between two snapshots of a measured phase showed. */
static void sample_interval(Walk *walk, guint i)
{
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();
	const RigMetrics *last = walk->parsed[i + 1];

	rig_counters_delta(walk->parsed[i], last, delta, NULL);
	rig_counters_mpstat(delta, out);
	copy_figures(delta, out);
	for (guint j = 0; j < rig_metrics_count(last); j++)
		if (rig_counter_kind(rig_metrics_name(last, j), NULL) == RIG_COUNTER_GAUGE)
			rig_metrics_set(out, rig_metrics_name(last, j), rig_metrics_value(last, j));
	for (guint j = 0; j < rig_metrics_count(out); j++) {
		const char *name = rig_metrics_name(out, j);

		/* What is read at marks only has no samples. */
		if (g_str_has_prefix(name, "proc-vmstat.") || g_str_has_prefix(name, "mpstat."))
			rig_run_result_sample(walk->result, name, rig_metrics_value(out, j));
	}
}

static gboolean is_measured(const Walk *walk, const char *phase)
{
	return g_strv_contains((const char *const *)walk->workload->measured, phase);
}

/* The snapshot nearest to FROM, going by STEP up to LAST, that tells where pages lie; NULL if none
 * does. */
static const RigRawSnap *with_pages(const Walk *walk, guint from, guint last, int step)
{
	for (guint i = from;; i = (guint)((int)i + step)) {
		if (rig_locality_has_pages(snap_at(walk, i)))
			return snap_at(walk, i);
		if (i == last)
			return NULL;
	}
}

static RigLocality *phase_locality(Walk *walk, guint first, guint last)
{
	RigLocality *locality = rig_locality_new();

	learn_nodes(walk, locality);
	for (guint i = first; i < last; i++)
		rig_locality_interval(locality, snap_at(walk, i), snap_at(walk, i + 1),
				      with_pages(walk, i, first, -1),
				      with_pages(walk, i + 1, last, 1));
	rig_locality_marks(locality, snap_at(walk, first), snap_at(walk, last));
	return locality;
}

/* The phase NAME between the marks FIRST and LAST (indexes of snapshots). */
static void take_phase(Walk *walk, const char *name, guint first, guint last)
{
	RigPhase *phase = g_new0(RigPhase, 1);
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(GPtrArray) backwards = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(RigLocality) locality = phase_locality(walk, first, last);

	phase->name = g_strdup(name);
	phase->start_ns = snap_at(walk, first)->t_ns;
	phase->end_ns = snap_at(walk, last)->t_ns;
	phase->counters = rig_metrics_new();
	g_ptr_array_add(walk->result->phases, phase);
	rig_counters_delta(walk->parsed[first], walk->parsed[last], delta, backwards);
	copy_figures(delta, phase->counters);
	rig_counters_mpstat(delta, phase->counters);
	average_gauges(walk, first, last, phase->counters);
	rig_locality_from_counters(phase->counters);
	rig_locality_report(locality, phase->counters);
	if (!is_measured(walk, name))
		return;
	spoil(walk, backwards, name);
	take_measured(walk, phase, delta, locality);
	for (guint i = first; i < last; i++)
		sample_interval(walk, i);
}

/* Sums over the measured phases into the run's flat figures. */
static void report_totals(Walk *walk)
{
	RigMetrics *all = walk->result->all;
	g_autoptr(RigMetrics) events = rig_metrics_new();

	for (guint i = 0; i < rig_metrics_count(walk->events); i++)
		if (!g_hash_table_contains(walk->spoiled, rig_metrics_name(walk->events, i)))
			rig_metrics_set(events, rig_metrics_name(walk->events, i),
					rig_metrics_value(walk->events, i));
	copy_figures(events, all);
	rig_counters_mpstat(walk->events, all);
	for (guint i = 0; i < rig_metrics_count(walk->gauges); i++)
		rig_metrics_set(all, rig_metrics_name(walk->gauges, i),
				rig_metrics_value(walk->gauges, i) /
					rig_metrics_value(walk->seconds, i));
	rig_locality_from_counters(all);
	rig_locality_report(walk->locality, all);
}

static gboolean is_shown_by_phase(const char *name)
{
	return g_str_has_prefix(name, "proc-vmstat.numa_") || g_str_has_prefix(name, "numa.") ||
	       g_str_has_prefix(name, "locality.") || g_str_has_prefix(name, "sched.");
}

/* "copy.proc-vmstat.numa_hint_faults" beside the sum. A phase that came twice has its last figures
 * there. */
static void report_phases(Walk *walk)
{
	for (guint i = 0; i < walk->result->phases->len; i++) {
		const RigPhase *phase = g_ptr_array_index(walk->result->phases, i);

		for (guint j = 0; j < rig_metrics_count(phase->counters); j++) {
			const char *name = rig_metrics_name(phase->counters, j);
			g_autofree char *full = g_strdup_printf("%s.%s", phase->name, name);

			if (is_measured(walk, phase->name) && is_shown_by_phase(name))
				rig_metrics_set(walk->result->all, full,
						rig_metrics_value(phase->counters, j));
		}
	}
}

static void note_unknown(Walk *walk, const RigMetrics *figures)
{
	for (guint i = 0; i < rig_metrics_count(figures); i++) {
		gboolean known;

		rig_counter_kind(rig_metrics_name(figures, i), &known);
		if (!known)
			rig_run_result_note(walk->result,
					    "%s is not in the table of counters: taken for a gauge",
					    rig_metrics_name(figures, i));
	}
}

static void walk_marks(Walk *walk)
{
	gboolean foreign = rig_workload_is_foreign(walk->workload);
	guint previous = G_MAXUINT;

	for (guint i = 0; i < walk->raw->snaps->len; i++) {
		const char *name;

		if (!snap_at(walk, i)->mark)
			continue;
		if (previous != G_MAXUINT) {
			name = snap_at(walk, previous)->phase;
			if (foreign && g_str_equal(name, "start"))
				name = "run";
			if (!g_str_equal(name, "start"))
				take_phase(walk, name, previous, i);
		}
		previous = i;
	}
	if (previous != G_MAXUINT)
		note_unknown(walk, walk->parsed[previous]);
}

void rig_phases_compute(RigRunResult *result, const RigRawRun *raw, const RigWorkload *workload)
{
	g_autoptr(RigMetrics) events = rig_metrics_new();
	g_autoptr(RigMetrics) gauges = rig_metrics_new();
	g_autoptr(RigMetrics) seconds = rig_metrics_new();
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(GHashTable) spoiled =
		g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autofree RigMetrics **parsed = g_new0(RigMetrics *, raw->snaps->len + 1);
	Walk walk = {.result = result,
		     .raw = raw,
		     .workload = workload,
		     .parsed = parsed,
		     .events = events,
		     .gauges = gauges,
		     .seconds = seconds,
		     .locality = locality,
		     .spoiled = spoiled};

	for (guint i = 0; i < raw->snaps->len; i++)
		parsed[i] = rig_counters_parse(snap_at(&walk, i)->files);
	walk_marks(&walk);
	report_totals(&walk);
	report_phases(&walk);
	for (guint i = 0; i < raw->snaps->len; i++)
		rig_metrics_free(parsed[i]);
}
