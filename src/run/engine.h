/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.h - carries out a plan: boot, run, judge, record, take down; again and again.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "model/planfile.h"
#include "model/store.h"
#include "run/ops.h"

/* Put into a record what only the caller knows: side, kernel, image, topology, config, manifest. */
typedef void (*RigDescribeFn)(RigRecord *record, const RigPlanStep *step, gpointer data);

typedef struct {
	const RigPlan *plan;
	const RigPlanFile *file; /* what the records say of the plan besides; or NULL */
	const gboolean *done;	 /* steps that are passed over, one flag a step; NULL: none */
	const RigWorkload *workload;
	const RigWorkload *const *by_value; /* of a sweep: one for each value; NULL: WORKLOAD */
	const char *const *sides;	    /* names, plan->n_sides of them */
	guint64 seed;			    /* of the workload; a block adds its number to it, so sides share it */
	double time_scale;		    /* deadlines times this */
	int sample_ms;			    /* < 0: the workload's own */
	const char *const *readback;	    /* diskless guests: what the agent reads of itself, or NULL */
	const char *store;		    /* root of the store */
	const RigGuestOps *ops;
	gpointer ops_data;
	RigDescribeFn describe;
	gpointer describe_data;
	RigLog *log;
	GCancellable *cancellable;
} RigEngine;

/* Carry out the plan, or what is not done of it. Returns the records (RigRecord*, written, also those of failed runs); with ERROR set
 * too if the plan could not be finished: interrupted, disk full, the host lacks something, or a side that did not boot
 * twice in a row. Finished runs are kept in any case. Whatever happens each guest that came up is taken down. */
GPtrArray *rig_engine_run(const RigEngine *engine, GError **error);

/* The exit code for RECORDS: 0 if all are whole, else that of the first which is not. */
int rig_engine_exit_code(const GPtrArray *records);

/* "ok, vm-scalability.throughput 931500 KB/s" or "panic: Kernel panic - ..."; g_free. */
char *rig_engine_summary(const RigRecord *record);
