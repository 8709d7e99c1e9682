/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recordfix.h - a record as a run leaves it, for tests of records and of the store. */
#pragma once

#include "model/store.h"

static inline void recordfix_sample(RigRecord *record, const char *name, double a, double b)
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

	g_array_append_val(values, a);
	g_array_append_val(values, b);
	g_hash_table_insert(record->samples, g_strdup(name), values);
}

static inline RigMetricDef *recordfix_def(void)
{
	RigMetricDef *def = g_new0(RigMetricDef, 1);

	def->name = g_strdup("w.throughput");
	def->from = RIG_FROM_RESULT;
	def->field = g_strdup("kbps");
	def->reduce = RIG_REDUCE_SUM;
	def->unit = g_strdup("KB/s");
	def->primary = TRUE;
	return def;
}

/* A run of KERNEL with THROUGHPUT. */
static inline RigRecord *recordfix_new(const char *kernel, double throughput)
{
	RigRecord *record = rig_record_new();
	RigPhase *phase = g_new0(RigPhase, 1);

	record->workload = g_strdup("anon-cow-rand-hugetlb");
	record->suite = g_strdup("vm-scalability");
	record->params = g_strdup("20-1-50%-100%");
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("config-0123456789ab");
	record->compiler = g_strdup("gcc-12");
	record->kernel = g_strdup(kernel);
	record->side = g_strdup("base");
	record->started = 1795959785; /* 2026-11-29 13:43:05 UTC */
	record->duration_s = 31.25;
	rig_record_manifest(record, "kernel.sha256", "abc");
	rig_record_manifest(record, "plan.seed", "1");
	rig_metrics_set(record->metrics, "w.throughput", throughput);
	rig_metrics_set(record->metrics, "proc-vmstat.numa_hint_faults", 10);
	recordfix_sample(record, "w.throughput", throughput / 2, throughput / 2);
	phase->name = g_strdup("copy");
	phase->start_ns = 5;
	phase->end_ns = 9;
	phase->counters = rig_metrics_new();
	rig_metrics_set(phase->counters, "proc-vmstat.numa_hint_faults", 10);
	g_ptr_array_add(record->phases, phase);
	g_ptr_array_add(record->defs, recordfix_def());
	g_ptr_array_add(record->notes, g_strdup("a note"));
	return record;
}
