/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sides.h - the values of what is compared, side by side, one value a run.
 *
 * Built from records, or from plain lists of numbers (a robot's matrix.json). A run that failed has
 * no values: it is counted, never averaged.
 */
#pragma once

#include "base/json.h"
#include "model/record.h"

typedef struct {
	char *name, *unit, *text; /* unit and text: NULL where nobody told */
	RigDirection direction;
	RigKind kind;
	gboolean own;	  /* the workload's own metric, not a counter of the kernel */
	gboolean primary; /* one that the workload's file names first */
	gboolean control; /* one that must not move */
	double margin;	  /* the workload's, percent or points; 0: none of its own */
} RigMetricInfo;

typedef struct {
	char *id, *outcome_text; /* NULL where there is none */
	RigOutcome outcome;
	char class;	      /* 'A', 'B', 'C'; 0 where unknown */
	gint64 started;	      /* seconds since the epoch, 0 where unknown */
	GHashTable *manifest; /* char* -> char*, or NULL */
} RigSideRun;

typedef struct {
	char *name;	 /* as the user calls it */
	char *kernel;	 /* the store's name of the kernel, or NULL */
	char class;	 /* of its runs; '?' where they differ, 0 where unknown */
	GPtrArray *runs; /* RigSideRun* */
	guint n_failed;
	GHashTable *values; /* name -> GArray of double, one a run; NaN where the run has none */
} RigSide;

typedef struct {
	char *workload, *suite, *params, *topology, *image, *kconfig,
		*compiler; /* NULL where unknown or
			    * where the sides differ */
	char *variant;	   /* rig_store_variant(); NULL where the runs differ */
	GPtrArray *sides;  /* RigSide*, the first is the base */
	GPtrArray *phases; /* char*: phases of the runs, in the order of the first record that has
			      any */
	GHashTable *info;  /* name -> RigMetricInfo* */
	GHashTable *keys;  /* char* -> char*: more keys of the robot's header, see lkp.h */
} RigSides;

RigSides *rig_sides_new(void);
void rig_sides_free(RigSides *sides);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigSides, rig_sides_free)

/* Add a side NAME made of RECORDS (const RigRecord*, oldest first, brief ones will do). Of them the
 * manifests are kept, which are not to be changed any more. */
void rig_sides_add_records(RigSides *sides, const char *name, const GPtrArray *records);

/* Add a side from an object {metric: [value of run 1, ...]}. What is wrong with it (lists of
 * different length, a value that is no number) is reported by the caller's rig_json_finish(). */
void rig_sides_add_json(RigSides *sides, const char *name, RigJson *object);

/* Turn the outcomes of failed runs into metrics as the robot names such things:
 * last_state.is_incomplete_run and last_state.OUTCOME, 1 where a run failed and 0 where not.
 * Nothing is added when no run failed. */
void rig_sides_add_outcomes(RigSides *sides);

RigSide *rig_sides_at(const RigSides *sides, guint i);
/* The values of a metric, one for each run of the side; NULL when no run has it. */
const double *rig_side_values(const RigSide *side, const char *metric);
/* What is known of a metric; never NULL for a name of rig_sides_names(). */
const RigMetricInfo *rig_sides_info(const RigSides *sides, const char *metric);
/* The names of all metrics of all sides, sorted. g_free the list, not the names. */
const char **rig_sides_names(const RigSides *sides, guint *n);
/* The value of manifest KEY where every run of the side has the same one, else NULL. */
const char *rig_side_manifest(const RigSide *side, const char *key);
