/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * groups.h - the rows of a comparison sorted into what they are about.
 */
#pragma once

#include "report/compare.h"

typedef struct {
	char *title;  /* "throughput", "proc-vmstat, phase copy" */
	char *prefix; /* what the names of its rows have in common and the title says; "" for none
		       */
	GPtrArray *rows; /* const RigRow*, in the order to show */
} RigGroup;

typedef struct {
	GPtrArray *groups; /* RigGroup*, none empty */
	guint left_out;	   /* counters that are not shown */
	guint zeros;	   /* rows that would be shown but are 0 on both sides */
} RigGroups;

/* Sort the rows for base against side HEAD. ALL: a last group holds all other counters, largest
 * change first. */
RigGroups *rig_groups_new(const RigCompare *compare, guint head, gboolean all);
void rig_groups_free(RigGroups *groups);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigGroups, rig_groups_free)
