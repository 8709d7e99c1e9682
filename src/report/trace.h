/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * trace.h - what one run did over time and task by task, for figures.
 *
 * From the raw snapshots where they are still there: they have times, and each node's files. Else
 * from the record's samples, whose place in time is not known, only their order.
 */
#pragma once

#include "model/record.h"
#include "report/sides.h"

typedef struct {
	char *name;
	double start, end; /* seconds since the first phase began */
} RigTracePhase;

/* One value: of the interval from T0 to T1, or of a moment (both the same). */
typedef struct {
	double t0, t1, v;
} RigTracePoint;

typedef struct {
	gboolean timed;	   /* T0 and T1 are seconds; else numbers of samples */
	GPtrArray *phases; /* RigTracePhase*; empty unless timed */
	/* char* -> GArray of RigTracePoint, in order. Names are those of metrics; events are per
	 * second where timed, per sample where not. Of each node, timed only: "nodeN.used",
	 * "nodeN.anon", "nodeN.hugetlb" in MiB and "nodeN.tasks", watched tasks on its CPUs. */
	GHashTable *series;
	GHashTable
		*tasks; /* char* -> GArray of double: of the workload's own metrics, one a task */
	guint n_nodes;
} RigTrace;

void rig_trace_free(RigTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigTrace, rig_trace_free)

/* RAW may be NULL. Never NULL. */
RigTrace *rig_trace_new(const RigRecord *record, const RigRawRun *raw);

/* The traces of all whole runs of SIDES: id -> RigTrace*. A run that is not in the store ROOT any
 * more, or cannot be read, has none. Owned (g_hash_table_unref). */
GHashTable *rig_trace_load_all(const char *root, const RigSides *sides);
