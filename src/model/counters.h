/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * counters.h - the kernel's own figures: text of /proc and /sys files into numbers.
 *
 * Names are the robot's (docs/records.md): proc-vmstat.X, numa-vmstat.nodeN.X,
 * numa-numastat.nodeN.X, numa-meminfo.nodeN.X, meminfo.X; and cpu-time.all.X, the jiffies that
 * mpstat's percentages come from.
 */
#pragma once

#include "model/metrics.h"

typedef enum {
	RIG_COUNTER_EVENTS, /* only grows: last minus first */
	RIG_COUNTER_GAUGE,  /* a level: averaged */
} RigCounterKind;

/* By the project's table. FALSE in KNOWN (may be NULL) for an nr_ name that the table does not
 * have: it is then taken for a gauge, as most of them are. */
RigCounterKind rig_counter_kind(const char *name, gboolean *known);

/* All figures in the files of one snapshot that rig has a parser for, as the kernel gave them. Text
 * that is cut or broken loses the lines that are; nothing fails. */
RigMetrics *rig_counters_parse(const GPtrArray *files); /* RigRawFile* */

/* What FIRST to LAST (two results of the above) changed: events as differences into OUT, gauges
 * left out. A counter that went backwards is left out and its name appended to BACKWARDS (GPtrArray
 * of char*, may be NULL); one that is in only one of them is left out. */
void rig_counters_delta(const RigMetrics *first, const RigMetrics *last, RigMetrics *out,
			GPtrArray *backwards);

/* mpstat.cpu.all.usr% and so on from the differences cpu-time.all.X in DELTA. No ticks, no values.
 */
void rig_counters_mpstat(const RigMetrics *delta, RigMetrics *out);

/* TRUE for the names that rig_counters_mpstat() reads: they are no metrics of their own. */
gboolean rig_counter_is_cpu_time(const char *name);
