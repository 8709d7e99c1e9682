/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * locality.h - where pages lie and where tasks run: what vmstat cannot tell (docs/records.md).
 */
#pragma once

#include "model/metrics.h"

/* Below this many hint faults their local share is noise (a mean of two faults is 0, 50 or 100 %).
 */
#define RIG_HINT_FAULTS_MIN 20

/* 4 KiB pages in one PMD entry on x86-64. */
#define RIG_PAGES_PER_PMD 512

/* From numa_* differences in COUNTERS, into the same set: locality.hint_faults_local% and
 * numa.pte_updates_net; both only where they can be told. */
void rig_locality_from_counters(RigMetrics *counters);

typedef struct RigLocality RigLocality; /* sums over tasks and intervals */

RigLocality *rig_locality_new(void);
void rig_locality_free(RigLocality *locality);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigLocality, rig_locality_free)

/* Node of each CPU from each node's cpulist in FILES; TRUE if there was any. Later calls add to it.
 */
gboolean rig_locality_learn_nodes(RigLocality *locality, const GPtrArray *files);

/* TRUE if SNAP tells where pages lie. */
gboolean rig_locality_has_pages(const RigRawSnap *snap);

/* Take the interval between FROM and TO, two snapshots that follow each other within a phase. Pages
 * are taken from the snapshots BEFORE (not later than FROM) and AFTER (not earlier than TO) that
 * have them, in between in proportion to time; NULL: there is none. */
void rig_locality_interval(RigLocality *locality, const RigRawSnap *from, const RigRawSnap *to,
			   const RigRawSnap *before, const RigRawSnap *after);

/* Take the counts in /proc/TID/sched at the two marks that enclose a phase. */
void rig_locality_marks(RigLocality *locality, const RigRawSnap *from, const RigRawSnap *to);

/* Add the sums of OTHER (a phase) to LOCALITY (the measured phases). */
void rig_locality_merge(RigLocality *locality, const RigLocality *other);

/* locality.hugetlb_remote%, locality.anon_remote%, sched.*: those that there was something to tell
 * of. */
void rig_locality_report(const RigLocality *locality, RigMetrics *out);

/* Pages of one address space by node, from numa_maps. */
typedef struct {
	double hugetlb[64], anon[64]; /* KiB on each node */
} RigNumaMaps;
void rig_numa_maps_parse(const char *text, RigNumaMaps *maps);

/* From /proc/TID/stat: the CPU last run on and user plus system time in ticks. FALSE if TEXT is not
 * that. */
gboolean rig_task_stat_parse(const char *text, guint *cpu, double *cpu_ticks);
