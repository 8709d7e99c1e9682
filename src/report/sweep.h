/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep.h - one table of a comparison that was made for several values of a parameter.
 */
#pragma once

#include "report/select.h"
#include "report/statcompare.h"

typedef struct {
	char *value;
	RigSides *sides;	/* as rig_select_sides() gives them */
	RigStatCompare **stats; /* one a head, in the order of the sides from 1 */
} RigSweepPoint;

typedef struct {
	char *name;	   /* of the parameter */
	GPtrArray *points; /* RigSweepPoint*: numbers in order, then percentages, then words */
} RigSweep;

/* What SIDES, which were chosen for NAMES from the store ROOT, are one point of. NAME is the
 * parameter; NULL: that of the plan which the sides' runs are of, where it is a sweep. Points are
 * the records of the same workload and topology with the same other parameters; of the same plan,
 * if the sides are of one that sweeps NAME. Returns NULL without an error if NAME is NULL and the
 * plan is no sweep; RIG_ERROR_USAGE if NAME is no parameter, or has one value only. */
RigSweep *rig_sweep_find(const char *root, const char *const *names, guint n_names,
			 const RigSides *sides, const char *name, GError **error);
void rig_sweep_free(RigSweep *sweep);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigSweep, rig_sweep_free)
/* For made sides: takes SIDES. */
RigSweep *rig_sweep_new(const char *name);
void rig_sweep_add(RigSweep *sweep, const char *value, RigSides *sides);

/* The table: for each head, value by value, the primary metrics with their change and verdict.
 * g_free. */
char *rig_sweep_render(const RigSweep *sweep, guint width);
/* The caller frees the writer. */
RigJsonWriter *rig_sweep_json(const RigSweep *sweep);
/* The gravest verdict of all points: as rig_statcompare_overall(). */
RigVerdictKind rig_sweep_overall(const RigSweep *sweep, gboolean *regression);
