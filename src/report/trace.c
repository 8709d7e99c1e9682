/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.c - what one run did over time and task by task, for figures.
 */
#include "report/trace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "model/counters.h"
#include "model/locality.h"
#include "model/store.h"

#define NODES_MAX 64
#define KIB_A_MIB 1024.0

static void phase_free(gpointer data)
{
	RigTracePhase *phase = data;

	g_free(phase->name);
	g_free(phase);
}

static RigTrace *trace_empty(void)
{
	RigTrace *trace = g_new0(RigTrace, 1);

	trace->phases = g_ptr_array_new_with_free_func(phase_free);
	trace->series = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					      (GDestroyNotify)g_array_unref);
	trace->tasks = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
					     (GDestroyNotify)g_array_unref);
	return trace;
}

void rig_trace_free(RigTrace *trace)
{
	if (!trace)
		return;
	g_ptr_array_unref(trace->phases);
	g_hash_table_unref(trace->series);
	g_hash_table_unref(trace->tasks);
	g_free(trace);
}

static void add_point(RigTrace *trace, const char *name, double t0, double t1, double v)
{
	GArray *points = g_hash_table_lookup(trace->series, name);
	RigTracePoint point = {t0, t1, v};

	if (!points) {
		points = g_array_new(FALSE, FALSE, sizeof(RigTracePoint));
		g_hash_table_insert(trace->series, g_strdup(name), points);
	}
	g_array_append_val(points, point);
}

static void add_node_point(RigTrace *trace, guint node, const char *what, double t, double v)
{
	g_autofree char *name = g_strdup_printf("node%u.%s", node, what);

	add_point(trace, name, t, t, v);
	trace->n_nodes = MAX(trace->n_nodes, node + 1);
}

static gboolean is_own(const RigRecord *record, const char *name)
{
	for (guint i = 0; record->defs && i < record->defs->len; i++)
		if (g_strcmp0(((RigMetricDef *)g_ptr_array_index(record->defs, i))->name, name) ==
		    0)
			return TRUE;
	return FALSE;
}

static void take_samples(RigTrace *trace, const char *name, const GArray *values)
{
	for (guint i = 0; i < values->len; i++)
		add_point(trace, name, i, i + 1, g_array_index(values, double, i));
}

/* The program's own samples are one a task, all others one an interval. */
static void take_record(RigTrace *trace, const RigRecord *record, gboolean series)
{
	GHashTableIter iter;
	gpointer name, values;

	if (!record->samples)
		return;
	g_hash_table_iter_init(&iter, record->samples);
	while (g_hash_table_iter_next(&iter, &name, &values)) {
		if (is_own(record, name))
			g_hash_table_insert(trace->tasks, g_strdup(name), g_array_ref(values));
		else if (series)
			take_samples(trace, name, values);
	}
}

/* The snapshots of one run and where each stands in time. */
typedef struct {
	RigTrace *trace;
	const RigRawRun *raw;
	gint64 zero_ns;
	guint first; /* the first mark of a phase: before it the guest prepares */
	int node_of[1024];
} Walk;

static const RigRawSnap *snap_at(const Walk *walk, guint i)
{
	return g_ptr_array_index(walk->raw->snaps, i);
}

static double time_of(const Walk *walk, guint i)
{
	return (double)(snap_at(walk, i)->t_ns - walk->zero_ns) / 1e9;
}

static void take_phases(Walk *walk, const RigRecord *record)
{
	for (guint i = 0; record->phases && i < record->phases->len; i++) {
		const RigPhase *from = g_ptr_array_index(record->phases, i);
		RigTracePhase *phase = g_new0(RigTracePhase, 1);

		phase->name = g_strdup(from->name);
		phase->start = (double)(from->start_ns - walk->zero_ns) / 1e9;
		phase->end = (double)(from->end_ns - walk->zero_ns) / 1e9;
		g_ptr_array_add(walk->trace->phases, phase);
	}
}

/* What happened between two snapshots, per second; CPU time in percent. */
static void take_interval(Walk *walk, guint i, const RigMetrics *from, const RigMetrics *to)
{
	g_autoptr(RigMetrics) delta = rig_metrics_new();
	g_autoptr(RigMetrics) cpu = rig_metrics_new();
	double t0 = time_of(walk, i), t1 = time_of(walk, i + 1);

	if (t1 <= t0)
		return;
	rig_counters_delta(from, to, delta, NULL);
	rig_counters_mpstat(delta, cpu);
	for (guint j = 0; j < rig_metrics_count(delta); j++)
		if (g_str_has_prefix(rig_metrics_name(delta, j), "proc-vmstat."))
			add_point(walk->trace, rig_metrics_name(delta, j), t0, t1,
				  rig_metrics_value(delta, j) / (t1 - t0));
	for (guint j = 0; j < rig_metrics_count(cpu); j++)
		add_point(walk->trace, rig_metrics_name(cpu, j), t0, t1, rig_metrics_value(cpu, j));
}

static gboolean node_value(const RigMetrics *parsed, guint node, const char *what, double *value)
{
	g_autofree char *name = g_strdup_printf("numa-meminfo.node%u.%s", node, what);

	return rig_metrics_get(parsed, name, value);
}

/* KIB_A_PAGE: of the machine's default huge page. */
static void take_node(Walk *walk, guint i, const RigMetrics *parsed, guint node, double kib_a_page)
{
	double t = time_of(walk, i), value, free_pages;

	if (node_value(parsed, node, "MemUsed", &value))
		add_node_point(walk->trace, node, "used", t, value / KIB_A_MIB);
	if (node_value(parsed, node, "AnonPages", &value))
		add_node_point(walk->trace, node, "anon", t, value / KIB_A_MIB);
	if (kib_a_page > 0 && node_value(parsed, node, "HugePages_Total", &value) &&
	    node_value(parsed, node, "HugePages_Free", &free_pages))
		add_node_point(walk->trace, node, "hugetlb", t,
			       (value - free_pages) * kib_a_page / KIB_A_MIB);
}

static void take_nodes(Walk *walk, guint i, const RigMetrics *parsed)
{
	double kib_a_page = 0, value;

	rig_metrics_get(parsed, "meminfo.Hugepagesize", &kib_a_page);
	for (guint node = 0; node < NODES_MAX; node++)
		if (node_value(parsed, node, "MemTotal", &value))
			take_node(walk, i, parsed, node, kib_a_page);
}

static void learn_node(Walk *walk, const RigRawSnap *snap, guint node)
{
	g_autofree char *path = g_strdup_printf("/sys/devices/system/node/node%u/cpulist", node);
	const RigRawFile *file = rig_raw_find(snap->files, path, -1);
	g_autoptr(RigCpuList) cpus = file ? rig_cpulist_parse(file->text, NULL) : NULL;

	for (guint c = 0; cpus && c < rig_cpulist_count(cpus); c++)
		if (rig_cpulist_at(cpus, c) < G_N_ELEMENTS(walk->node_of))
			walk->node_of[rig_cpulist_at(cpus, c)] = (int)node;
}

static void learn_cpus(Walk *walk)
{
	for (guint n = 0; n < G_N_ELEMENTS(walk->node_of); n++)
		walk->node_of[n] = -1;
	for (guint i = 0; i < walk->raw->snaps->len; i++)
		for (guint node = 0; snap_at(walk, i)->mark && node < NODES_MAX; node++)
			learn_node(walk, snap_at(walk, i), node);
}

/* How many of the watched tasks last ran on each node. */
static void take_tasks(Walk *walk, guint i)
{
	guint counts[NODES_MAX] = {0}, found = 0;
	const GPtrArray *files = snap_at(walk, i)->files;

	for (guint f = 0; f < files->len; f++) {
		const RigRawFile *file = g_ptr_array_index(files, f);
		double ticks;
		guint cpu;

		if (file->task < 0 || !g_str_equal(file->path, "stat") ||
		    !rig_task_stat_parse(file->text, &cpu, &ticks) ||
		    cpu >= G_N_ELEMENTS(walk->node_of) || walk->node_of[cpu] < 0)
			continue;
		counts[walk->node_of[cpu]]++;
		found++;
	}
	for (guint node = 0; found && node < walk->trace->n_nodes && node < NODES_MAX; node++)
		add_node_point(walk->trace, node, "tasks", time_of(walk, i), counts[node]);
}

/* The nearest snapshot at I or beyond, going by STEP within the phase, that tells where pages lie.
 */
static const RigRawSnap *with_pages(const Walk *walk, guint i, int step)
{
	for (gint64 at = i; at >= walk->first && at < (gint64)walk->raw->snaps->len; at += step) {
		if (rig_locality_has_pages(snap_at(walk, (guint)at)))
			return snap_at(walk, (guint)at);
		if (snap_at(walk, (guint)at)->mark)
			break;
	}
	return NULL;
}

static void take_locality(Walk *walk, guint i)
{
	g_autoptr(RigLocality) locality = rig_locality_new();
	g_autoptr(RigMetrics) out = rig_metrics_new();

	rig_locality_learn_nodes(locality, walk->raw->files);
	for (guint s = 0; s < walk->raw->snaps->len; s++)
		if (rig_locality_learn_nodes(locality, snap_at(walk, s)->files))
			break;
	rig_locality_interval(locality, snap_at(walk, i), snap_at(walk, i + 1),
			      with_pages(walk, i, -1), with_pages(walk, i + 1, 1));
	rig_locality_report(locality, out);
	for (guint j = 0; j < rig_metrics_count(out); j++)
		if (g_str_has_prefix(rig_metrics_name(out, j), "locality."))
			add_point(walk->trace, rig_metrics_name(out, j), time_of(walk, i),
				  time_of(walk, i + 1), rig_metrics_value(out, j));
}

static void take_raw(RigTrace *trace, const RigRecord *record, const RigRawRun *raw)
{
	const RigPhase *start = g_ptr_array_index(record->phases, 0);
	const RigPhase *end = g_ptr_array_index(record->phases, record->phases->len - 1);
	Walk walk = {.trace = trace, .raw = raw, .zero_ns = start->start_ns};
	g_autoptr(RigMetrics) last = NULL;

	take_phases(&walk, record);
	learn_cpus(&walk);
	while (walk.first < raw->snaps->len && snap_at(&walk, walk.first)->t_ns < start->start_ns)
		walk.first++;
	for (guint i = walk.first; i < raw->snaps->len; i++) {
		RigMetrics *parsed;

		if (snap_at(&walk, i)->t_ns > end->end_ns)
			break;
		parsed = rig_counters_parse(snap_at(&walk, i)->files);
		take_nodes(&walk, i, parsed);
		take_tasks(&walk, i);
		if (last) {
			take_interval(&walk, i - 1, last, parsed);
			take_locality(&walk, i - 1);
			rig_metrics_free(last);
		}
		last = parsed;
	}
}

RigTrace *rig_trace_new(const RigRecord *record, const RigRawRun *raw)
{
	RigTrace *trace = trace_empty();

	trace->timed = raw && raw->snaps->len > 1 && record->phases && record->phases->len > 0;
	take_record(trace, record, !trace->timed);
	if (trace->timed)
		take_raw(trace, record, raw);
	return trace;
}

static RigTrace *load(const char *dir)
{
	g_autoptr(RigRecord) record = rig_store_load(dir, NULL);
	g_autofree char *path = g_build_filename(dir, "raw", NULL);
	g_autoptr(RigRawRun) raw = NULL;

	if (!record || record->outcome != RIG_OUTCOME_OK)
		return NULL;
	raw = rig_raw_run_load(path, NULL);
	return rig_trace_new(record, raw);
}

static gboolean is_wanted(const RigSides *sides, const char *id)
{
	for (guint s = 0; s < sides->sides->len; s++) {
		const RigSide *side = rig_sides_at(sides, s);

		for (guint r = 0; r < side->runs->len; r++) {
			const RigSideRun *run = g_ptr_array_index(side->runs, r);

			if (run->outcome == RIG_OUTCOME_OK && g_strcmp0(run->id, id) == 0)
				return TRUE;
		}
	}
	return FALSE;
}

GHashTable *rig_trace_load_all(const char *root, const RigSides *sides)
{
	RigStoreQuery query = {.workload = sides->workload, .topology = sides->topology};
	g_autoptr(GPtrArray) entries = rig_store_list(root, &query, NULL);
	GHashTable *traces = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						   (GDestroyNotify)rig_trace_free);

	for (guint i = 0; entries && i < entries->len; i++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, i);
		RigTrace *trace = is_wanted(sides, entry->id) ? load(entry->dir) : NULL;

		if (trace)
			g_hash_table_insert(traces, g_strdup(entry->id), trace);
	}
	return traces;
}
