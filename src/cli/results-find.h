/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results-find.h - which runs of the store a user means.
 */
#pragma once

#include "cli/cmd.h"
#include "model/store.h"

/* <state>/results; g_free. */
char *rig_results_root(const RigCli *cli);

/* All runs that QUERY matches, oldest first; the entries are owned by the list. */
GPtrArray *rig_results_list(const RigCli *cli, const RigStoreQuery *query,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The run that WORD means: an id, the beginning of just one id, or "last". Borrowed from RUNS. NULL
 * with RIG_ERROR_USAGE, which lists the ids when there are several. */
const RigStoreEntry *rig_results_find(const GPtrArray *runs, const char *word,
				      GError **error) G_GNUC_WARN_UNUSED_RESULT;
