/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * html-run.h - a small run with all that the HTML report draws, for its tests and for the store
 * that tests/html looks at. Made up, and so regular that every figure can be told beforehand.
 */
#pragma once

#include "model/record.h"
#include "rawfix.h"

/* Text that would be markup, were it let. */
#define HTML_HOSTILE \
	"</style></script><script>window.hacked=1</script><img src=x onerror=\"h()\">'&"

typedef struct {
	double throughput;
	guint faults; /* hint faults a second */
	guint used;   /* MiB on node 0 */
	gint64 started;
	const char *kernel, *side, *hostile; /* hostile: in names and values, or NULL */
	guint block, order;
	gboolean failed;
} HtmlRun;

static inline void html_samples(RigRecord *record, const char *name, guint n, double first)
{
	GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

	for (guint i = 0; i < n; i++) {
		double value = first + i;

		g_array_append_val(values, value);
	}
	g_hash_table_insert(record->samples, g_strdup(name), values);
}

static inline void html_phase(RigRecord *record, const char *name, gint64 start_s, gint64 end_s)
{
	RigPhase *phase = g_new0(RigPhase, 1);

	phase->name = g_strdup(name);
	phase->start_ns = start_s * 1000000000;
	phase->end_ns = end_s * 1000000000;
	phase->counters = rig_metrics_new();
	g_ptr_array_add(record->phases, phase);
}

static inline void html_def(RigRecord *record, const char *name, const char *unit,
			    RigDirection direction, gboolean primary)
{
	RigMetricDef def = {.name = (char *)name,
			    .field = (char *)"kbps",
			    .unit = (char *)unit,
			    .text = (char *)"a figure of the test",
			    .direction = direction,
			    .kind = RIG_KIND_RATIO,
			    .primary = primary};

	g_ptr_array_add(record->defs, rig_metric_def_copy(&def));
}

static inline void html_manifest(RigRecord *record, const HtmlRun *spec)
{
	g_autofree char *block = g_strdup_printf("%u", spec->block);
	g_autofree char *order = g_strdup_printf("%u", spec->order);

	rig_record_manifest(record, "kernel.release", spec->kernel ? spec->kernel : "6.1");
	rig_record_manifest(record, "plan.seed", "42");
	rig_record_manifest(record, "plan.blocks", "6");
	rig_record_manifest(record, "plan.block", block);
	rig_record_manifest(record, "plan.order", order);
	rig_record_manifest(record, "qemu.version", "10.0.2");
	if (spec->hostile) {
		rig_record_manifest(record, "host.note", spec->hostile);
		rig_record_manifest(record, spec->hostile, spec->side);
	}
}

static inline void html_counters(RigRecord *record, const HtmlRun *spec)
{
	rig_metrics_set(record->metrics, "w.throughput", spec->throughput);
	rig_metrics_set(record->metrics, "w.time", 1e9 / spec->throughput);
	rig_metrics_set(record->metrics, "proc-vmstat.numa_hint_faults", 4 * spec->faults);
	rig_metrics_set(record->metrics, "proc-vmstat.numa_pages_migrated", spec->faults / 2.0);
	rig_metrics_set(record->metrics, "proc-vmstat.pgfault", 1e6 + spec->order % 3);
	rig_metrics_set(record->metrics, "proc-vmstat.oom_kill", 0);
	rig_metrics_set(record->metrics, "locality.anon_remote%", 100.0 / 3 + spec->order / 7.0);
	rig_metrics_set(record->metrics, "meminfo.MemFree", 123456.789);
	if (spec->hostile)
		rig_metrics_set(record->metrics, spec->hostile, 17);
}

static inline RigRecord *html_record(const HtmlRun *spec)
{
	RigRecord *record = rig_record_new();

	record->workload = g_strdup("anon-cow-rand-hugetlb");
	record->suite = g_strdup("vm-scalability");
	record->params = g_strdup("20-50%");
	record->topology = g_strdup("2sp-icl");
	record->image = g_strdup("tiny");
	record->kconfig = g_strdup("cloud");
	record->compiler = g_strdup("gcc-12");
	record->kernel = g_strdup(spec->kernel ? spec->kernel : "6.1");
	record->side = g_strdup(spec->side ? spec->side : "base");
	record->class = 'A';
	record->started = spec->started ? spec->started : 1795959785;
	record->duration_s = 31.25;
	html_manifest(record, spec);
	html_def(record, "w.throughput", "KB/s", RIG_HIGHER, TRUE);
	html_def(record, "w.time", "us", RIG_LOWER, FALSE);
	if (spec->failed) {
		record->outcome = RIG_OUTCOME_PANIC;
		record->outcome_text = g_strdup_printf("Kernel panic - not syncing: %s",
						       spec->hostile ? spec->hostile : "fatal");
		return record;
	}
	html_counters(record, spec);
	html_samples(record, "w.throughput", 4, spec->throughput / 4);
	html_samples(record, "proc-vmstat.numa_hint_faults", 2, spec->faults);
	html_phase(record, "copy", 100, 102);
	html_phase(record, "access", 102, 106);
	return record;
}

static inline void html_task(RigRawRun *raw, int task, guint cpu, guint second, gboolean pages)
{
	/* The fields of /proc/PID/stat: 14 and 15 are the time in ticks, 39 the CPU. */
	g_autofree char *stat = g_strdup_printf(
		"%d (mem) R 1 1 1 0 -1 0 0 0 0 0 %u 0 0 0 20 0 1 0 1 1 1 1 1 1 1 1 1 0 0 0 0 0 0 0 "
		"17 %u 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
		task, 100 * second, cpu);

	rawfix_file(raw, "stat", task, stat);
	if (pages)
		rawfix_file(
			raw, "numa_maps", task,
			"7f0000000000 default anon=1024 dirty=1024 N0=1024 kernelpagesize_kB=4\n");
}

static inline void html_node(RigRawRun *raw, guint node, guint used_mib)
{
	g_autofree char *meminfo = g_strdup_printf("/sys/devices/system/node/node%u/meminfo", node);
	g_autofree char *cpulist = g_strdup_printf("/sys/devices/system/node/node%u/cpulist", node);
	g_autofree char *text = g_strdup_printf(
		"Node %u MemTotal: 1048576 kB\nNode %u MemFree: %u kB\nNode %u MemUsed: %u kB\n"
		"Node %u AnonPages: 4096 kB\nNode %u HugePages_Total: 15\n"
		"Node %u HugePages_Free: 5\n",
		node, node, 1048576 - 1024 * used_mib, node, 1024 * used_mib, node, node, node);

	rawfix_file(raw, meminfo, -1, text);
	rawfix_file(raw, cpulist, -1, node ? "2-3\n" : "0-1\n");
}

/* Seven snapshots a second apart; marks at the seconds 0, 2 and 6. */
static inline RigRawRun *html_raw(const HtmlRun *spec)
{
	RigRawRun *raw = rig_raw_run_new();

	for (guint s = 0; s <= 6; s++) {
		gboolean mark = s == 0 || s == 2 || s == 6;
		g_autofree char *vmstat =
			g_strdup_printf("numa_hint_faults %u\nnuma_pages_migrated %u\n",
					spec->faults * s, spec->faults * s / 2);
		g_autofree char *cpu =
			g_strdup_printf("cpu %u 0 %u 0 0 0 0 0 0 0\n", 300 * s, 100 * s);

		rawfix_snap(raw, mark ? "mark" : "sample",
			    s < 2 ? "copy" : (s < 6 ? "access" : "end"),
			    (100 + s) * G_GINT64_CONSTANT(1000000000));
		rawfix_file(raw, "/proc/vmstat", -1, vmstat);
		rawfix_file(raw, "/proc/stat", -1, cpu);
		if (mark) {
			rawfix_file(raw, "/proc/meminfo", -1, "Hugepagesize: 2048 kB\n");
			html_node(raw, 0, spec->used);
			html_node(raw, 1, 128);
		}
		html_task(raw, 11, 0, s, mark);
		html_task(raw, 12, s < 3 ? 1 : 2, s, mark);
	}
	rawfix_done(raw, "\"code\":0");
	return raw;
}
