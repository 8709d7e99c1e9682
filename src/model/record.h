/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.h - all that one run left (docs/records.md).
 */
#pragma once

#include "model/metrics.h"

typedef struct {
	char *id;	    /* "20261130-134305-7f3a": unique in the store */
	char *dir;	    /* where it lies; NULL before it is written */
	char *workload, *suite, *params; /* params: rig_workload_path_params() */
	char *topology, *image, *kconfig, *compiler, *kernel; /* path parts */
	char *side;	    /* how the user called the kernel */
	char class;	    /* 'A', 'B', 'C' */
	gint64 started;	    /* seconds since the epoch */
	double duration_s;  /* of the whole run, boot included; */
	GHashTable *manifest; /* char* -> char*: flat, "kernel.sha256", "host.qemu", "plan.seed", "plan.block"... */
	RigOutcome outcome;
	char *outcome_text;
	GPtrArray *phases;  /* RigPhase* */
	RigMetrics *metrics;/* stats.json */
	GHashTable *samples;/* matrix.json: name -> GArray of double */
	GPtrArray *defs;    /* RigMetricDef*: unit, direction, kind of the workload's own metrics */
	GPtrArray *notes;   /* char*: RigRunResult.notes */
} RigRecord;

RigRecord *rig_record_new(void);
void rig_record_free(RigRecord *record);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRecord, rig_record_free)
void rig_record_manifest(RigRecord *record, const char *key, const char *value); /* copies */
/* Take over all that RESULT has (it is empty afterwards): phases, metrics, samples, notes, outcome; what the program
 * resolved goes into the manifest as "resolved.NAME". And copy the definitions of WORKLOAD's metrics. */
void rig_record_take_result(RigRecord *record, RigRunResult *result, const RigWorkload *workload);

/* record.json: everything but the samples, which are in matrix.json beside it. g_free. */
char *rig_record_to_json(const RigRecord *record);
/* NAME stands for the file in messages. */
RigRecord *rig_record_parse(const char *name, const char *text, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
