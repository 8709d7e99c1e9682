/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-view.h - runs as people and machines list and read them.
 */
#pragma once

#include "model/store.h"

typedef struct {
	gboolean color;
	gboolean verbose; /* the manifest and every metric too */
	guint width;	  /* 0: 80 */
} RigRunViewOptions;

/* One line a run (const RigStoreEntry*), in the order given. "" when there are none. g_free. */
char *rig_run_list_render(const GPtrArray *entries, guint width, gboolean color);
/* {"format": "rig-results", "version": 1, "runs": [...]}. The caller frees the writer. */
RigJsonWriter *rig_run_list_json(const GPtrArray *entries);

/* One run: how it ended, its phases, the workload's metrics, the counters of each phase side by
 * side. g_free. */
char *rig_run_view_render(const RigRecord *record, const RigRunViewOptions *options);
