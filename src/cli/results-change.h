/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results-change.h - copy runs out of the store, and take them out of it.
 */
#pragma once

#include "cli/cmd.h"
#include "model/store.h"

/* Copy the folders of RUNS (const RigStoreEntry*) to the new folder OUTPUT, which gets the same
 * layout as the store; whole or not at all. Returns the exit code, or -1. */
int rig_results_export(RigCli *cli, const GPtrArray *runs, const char *output, GError **error);

/* Remove RUNS after --yes or a "y" on the terminal; else RIG_ERROR_USAGE. Returns the exit code, or
 * -1. */
int rig_results_remove(RigCli *cli, const GPtrArray *runs, gboolean yes, GError **error);
