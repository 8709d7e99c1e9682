/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host.h - the host as placement sees it, from libvirt's capabilities; and its hygiene from /proc
 * and /sys.
 */
#pragma once

#include "base/cpulist.h"
#include "base/json.h"

typedef struct {
	guint id;
	guint64 memory;	     /* bytes in all */
	guint64 free_memory; /* bytes that are free or given back at once; 0 where unknown */
	RigCpuList *cpus;
	GPtrArray *cores; /* RigCpuList*: the threads of each core, by their first CPU; all together
			     are cpus */
	gint socket;	  /* package of its first CPU, -1 for a node without CPUs */
	guint64 free_hugepages_2m, hugepages_2m; /* pages */
	guint64 free_hugepages_1g, hugepages_1g;
} RigHostNode;

typedef struct {
	RigHostNode *nodes;
	guint n_nodes;
	guint cpus;
	char *model; /* CPU model name, or NULL */
	/* AMD's CPUs tell a guest of threads by the feature topoext; one that is itself emulated or
	 * virtual may lack it. FALSE, FALSE for others and where /proc/cpuinfo is not known. */
	gboolean topoext, lacks_topoext;
	char *dac_label; /* base label of the DAC security model, "+64055:+64055", or NULL */
} RigHost;

/* From virConnectGetCapabilities() text. Free memory, free hugepages and topoext come from
 * SYSFS_ROOT ("" for the real one, a fixture's path, or NULL for a remote host: they stay unknown).
 */
RigHost *rig_host_parse(const char *capabilities_xml, const char *sysfs_root,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_host_free(RigHost *host);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigHost, rig_host_free)

/* What makes a host's timings noisy: numa_balancing, KSM, THP, governor, load, swap... A flat list
 * of pairs, "host.numa_balancing" -> "1"; what cannot be read is left out. ROOT is "" or a fixture.
 */
typedef struct {
	char *key, *value;
	char *advice; /* NULL when fine */
} RigHygiene;
GPtrArray *rig_host_hygiene(const char *root); /* of RigHygiene*, owned */
void rig_hygiene_free(RigHygiene *item);
