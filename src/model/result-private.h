/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * result-private.h - the two halves of a run's result: what the program said, and what the kernel
 * counted.
 */
#pragma once

#include "model/metrics.h"

typedef struct {
	GPtrArray *results;   /* RigMetrics*, one a result line */
	GPtrArray *metrics;   /* RigMetrics*, one a metric line */
	GHashTable *resolved; /* char* -> char* */
	GPtrArray *fails;     /* char*: reasons that the program gave */
	GPtrArray *broken;    /* char*: lines that are not as docs/protocol.md says */
} RigProgramSaid;

RigProgramSaid *rig_program_read(const RigRawRun *raw);
void rig_program_free(RigProgramSaid *said);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigProgramSaid, rig_program_free)

/* All values for DEF, in order, none where the program gave none. g_array_unref. */
GArray *rig_program_values(const RigProgramSaid *said, const RigRawRun *raw,
			   const RigMetricDef *def);
/* VALUES (at least one) reduced as DEF says. */
double rig_program_reduce(const RigMetricDef *def, const GArray *values);

/* Fill phases, counters, samples and notes of RESULT. */
void rig_phases_compute(RigRunResult *result, const RigRawRun *raw, const RigWorkload *workload);

/* Append to the samples of NAME. */
void rig_run_result_sample(RigRunResult *result, const char *name, double value);
void rig_run_result_note(RigRunResult *result, const char *format, ...) G_GNUC_PRINTF(2, 3);
