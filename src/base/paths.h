/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths.h - where rig's data, state and cache lie.
 *
 * data:  topologies/ workloads/ images/ kernels/ that a user reads and copies. Searched in order:
 *        the folders of RIG_DATA_PATH, $XDG_CONFIG_HOME/rig, the installed share/rig, the source
 * tree that this binary was built from (only when run from its build directory). state:
 * RIG_STATE_DIR, else /var/lib/rig for root, $XDG_STATE_HOME/rig (~/.local/state/rig) for others:
 *        guests/ kernels/ results/ libvirt/ (the embedded driver's root).
 * cache: RIG_CACHE_DIR, else /var/cache/rig for root, $XDG_CACHE_HOME/rig (~/.cache/rig).
 * libexec: the guest executables: RIG_GUEST_DIR, else the installed libexec/rig, else the build
 * directory.
 */
#pragma once

#include <glib.h>

typedef struct {
	char **data; /* NULL terminated, existing or not */
	char *state;
	char *cache;
	char *libexec; /* holds rig-init, rig-agent, rig-mem */
} RigPaths;

RigPaths *rig_paths_new(void); /* from the environment of the process */
void rig_paths_free(RigPaths *paths);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigPaths, rig_paths_free)

/* The file DIR/NAME.json of the first data folder that has it, NAME itself if it contains a '/' or
 * ends in
 * ".json"; NULL with RIG_ERROR_USAGE and a hint "rig topology list" style (WHAT: "topology").
 * g_free. */
char *rig_paths_find(const RigPaths *paths, const char *dir, const char *what, const char *name,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The names (without .json) of all files in DIR of all data folders, sorted, each once. g_strfreev.
 */
char **rig_paths_list(const RigPaths *paths, const char *dir);
