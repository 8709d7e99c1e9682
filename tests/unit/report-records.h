/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-records.h - records as runs leave them, for the tests of reports.
 */
#pragma once

#include "model/record.h"

typedef struct {
	const char *kernel, *side, *release;
	char class;
	RigOutcome outcome;
	double throughput;  /* vm-scalability.throughput; the other figures follow from it */
	double hint_faults; /* proc-vmstat.numa_hint_faults of the whole run */
	gint64 started;
} RecordSpec;

static inline void record_add_def(RigRecord *record, const char *name, const char *unit,
				  RigDirection direction, RigKind kind, gboolean primary)
{
	RigMetricDef def = {
		.name = (char *)name,
		.field = (char *)"kbps",
		.unit = (char *)unit,
		.text = (char *)"a figure",
		.direction = direction,
		.kind = kind,
		.primary = primary,
	};

	g_ptr_array_add(record->defs, rig_metric_def_copy(&def));
}

static inline RigPhase *record_add_phase(RigRecord *record, const char *name, double seconds,
					 double faults)
{
	RigPhase *phase = g_new0(RigPhase, 1);

	phase->name = g_strdup(name);
	phase->end_ns = (gint64)(seconds * 1e9);
	phase->counters = rig_metrics_new();
	rig_metrics_set(phase->counters, "proc-vmstat.numa_hint_faults", faults);
	g_ptr_array_add(record->phases, phase);
	return phase;
}

static inline void record_fill_metrics(RigRecord *record, const RecordSpec *spec)
{
	const struct {
		const char *name;
		double value;
	} metrics[] = {
		{"vm-scalability.throughput", spec->throughput},
		{"rig.copy_time", 1e9 / spec->throughput},
		{"proc-vmstat.numa_hint_faults", spec->hint_faults},
		{"proc-vmstat.numa_hint_faults_local", spec->hint_faults * 0.75},
		{"proc-vmstat.numa_interleave", 0},
		{"proc-vmstat.pgfault", 1e6 + spec->throughput},
		{"locality.hint_faults_local%", 75 + spec->throughput / 1e5},
		{"sched.cross_node_migrations", 7},
		{"copy.proc-vmstat.numa_hint_faults", spec->hint_faults / 4},
		{"access.proc-vmstat.numa_hint_faults", spec->hint_faults * 3 / 4},
		{"meminfo.MemFree", 123456},
	};

	for (guint i = 0; i < G_N_ELEMENTS(metrics); i++)
		rig_metrics_set(record->metrics, metrics[i].name, metrics[i].value);
	record_add_phase(record, "copy", 1.5, spec->hint_faults / 4);
	record_add_phase(record, "access", 18.25, spec->hint_faults * 3 / 4);
}

static inline void record_fill_manifest(RigRecord *record, const RecordSpec *spec)
{
	g_autofree char *order = g_strdup_printf("%d", (int)(spec->started % 100));

	rig_record_manifest(record, "kernel.release", spec->release);
	rig_record_manifest(record, "kernel.sha256", spec->kernel);
	rig_record_manifest(record, "param.runtime", "20");
	rig_record_manifest(record, "param.unit", "50%");
	rig_record_manifest(record, "param.size", "");
	rig_record_manifest(record, "plan.seed", "42");
	rig_record_manifest(record, "plan.order", order);
	rig_record_manifest(record, "qemu.version", "10.0.2");
	rig_record_manifest(record, "host.governor", "powersave");
	rig_record_manifest(record, "topology.fit",
			    "fitted to 2 sockets x 1 core x 2 threads, 2 cells of 1G");
}

/* A run of anon-cow-rand-hugetlb on 2sp-icl. A failed one has no metrics. */
static inline RigRecord *record_make(const RecordSpec *spec)
{
	RigRecord *record = rig_record_new();

	record->workload = g_strdup("anon-cow-rand-hugetlb");
	record->suite = g_strdup("vm-scalability");
	record->params = g_strdup("20-50%");
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("cloud");
	record->compiler = g_strdup("gcc-12");
	record->kernel = g_strdup(spec->kernel);
	record->side = g_strdup(spec->side);
	record->class = spec->class;
	record->started = spec->started;
	record->duration_s = 31.5;
	record->outcome = spec->outcome;
	record_fill_manifest(record, spec);
	record_add_def(record, "vm-scalability.throughput", "KB/s", RIG_HIGHER, RIG_KIND_RATIO,
		       TRUE);
	record_add_def(record, "rig.copy_time", "us", RIG_LOWER, RIG_KIND_RATIO, FALSE);
	if (spec->outcome == RIG_OUTCOME_OK)
		record_fill_metrics(record, spec);
	else
		record->outcome_text = g_strdup("Kernel panic - not syncing: \033[31mfatal");
	return record;
}

/* N whole runs, a little apart from each other. */
static inline GPtrArray *records_make(const RecordSpec *spec, guint n)
{
	GPtrArray *records = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint i = 0; i < n; i++) {
		RecordSpec one = *spec;

		one.throughput += 1000 * i;
		one.started += i;
		g_ptr_array_add(records, record_make(&one));
	}
	return records;
}
