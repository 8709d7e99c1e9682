/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.h - which records of the store are compared with which.
 */
#pragma once

#include "model/store.h"
#include "report/sides.h"

typedef struct {
	const char *workload, *params, *topology; /* NULL: any */
	const char
		*plan; /* only runs of this plan (plan.id or plan.seed of the manifest), or NULL */
	const char *variant; /* only runs of this variant (rig_store_variant()), or NULL */
	guint last;	     /* only the last so many runs a side; 0: all */
} RigSelection;

/* Sides from the records of the kernels (or side names) NAMES in the store ROOT: all of one
 * workload, parameters, topology, variant and placement class, by default of the group with the
 * most recent record that all names have. Runs that failed before they had a class count to the
 * group that is compared. Where the names share no class, each side gets its latest one, and
 * rig_compare_new() warns. OTHERS (may be NULL; g_free) gets one line that names what was chosen
 * and what else could be compared, or NULL where there is nothing else. Errors are RIG_ERROR_USAGE
 * and list what there is. */
RigSides *rig_select_sides(const char *root, const char *const *names, guint n_names,
			   const RigSelection *selection, char **others,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
