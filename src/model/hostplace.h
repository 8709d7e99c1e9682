/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hostplace.h - where a guest's memory and vCPUs really are on the host, against where they were
 * put.
 *
 * Pure: text of the QEMU process's /proc files in, verdict out. What the domain XML says is no
 * proof: anybody may have moved pages or threads since.
 */
#pragma once

#include "base/cpulist.h"

/* Where the pieces of a guest of class A were put. */
typedef struct RigHostPlace RigHostPlace;

/* From the text of rig_placement_to_json(), which a guest's manifest keeps as "placement". An error
 * RIG_ERROR_USAGE when it is none. */
RigHostPlace *rig_hostplace_parse(const char *json, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_hostplace_free(RigHostPlace *place);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigHostPlace, rig_hostplace_free)

/* One thread of QEMU: its name ("CPU 0/KVM"; the main thread's does not matter) and the text of its
 * Cpus_allowed_list. */
typedef struct {
	char *name, *allowed;
	gboolean is_main;
} RigHostThread;
void rig_hostthread_free(RigHostThread *thread);

/* TRUE if the process is where PLACE says: every vCPU's thread may run on its CPUs and no others,
 * the main thread likewise, and all pages of the memory that is bound to a cell's node lie on that
 * node (numa_maps, as numa(7) describes it: policy "bind:N", pages "N0=12"). RIG_ERROR_HOST names
 * the first thing that is elsewhere. SUMMARY (g_free, may be NULL) is one line for the record:
 * "cell 0: 96 MiB on node 0; cell 1: 64 MiB on node 1; 4 vCPUs and the emulator on their CPUs". */
gboolean rig_hostplace_check(const RigHostPlace *place, const char *numa_maps,
			     const GPtrArray *threads, char **summary,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
