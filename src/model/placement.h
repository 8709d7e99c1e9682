/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * placement.h - which part of a topology fits this host, and where each piece of the guest goes.
 *
 * Pure: topology and host in, placement out.
 */
#pragma once

#include "model/host.h"
#include "model/topology.h"

typedef enum { RIG_ACCEL_KVM, RIG_ACCEL_TCG } RigAccel;
const char *rig_accel_name(RigAccel accel); /* "kvm", "tcg" */

typedef struct {
	RigAccel accel;
	gboolean exact_size;   /* refuse to shrink */
	gboolean no_pin;       /* do not bind or pin (class B) */
	gboolean overcommit;   /* under KVM: more vCPUs than host CPUs are wanted */
	guint64 cell_memory;   /* bytes a cell that the user asked for; 0: by the rules */
	guint cell_cpus;       /* vCPUs a cell that the user asked for; 0: by the rules */
	guint64 hugepage;      /* back memory by pages of this size; 0: ordinary */
	gboolean remote;       /* host memory figures are unknown */
} RigPlacementRequest;

typedef struct {
	RigTopology *topology; /* what the guest gets: the fitted shape */
	gboolean fitted;       /* it differs from what the file says */
	RigAccel accel;
	char class;	       /* 'A' KVM bound and pinned, 'B' KVM not bound, 'C' emulated */
	gint *host_node;       /* for each cell: the host node it is bound to, or -1 */
	RigCpuList **vcpu_pin; /* for each vCPU: host CPUs, or NULL */
	RigCpuList *emulator_pin; /* or NULL */
	guint64 hugepage;
	gboolean topoext;      /* the guest has to be given this CPU feature to see its threads */
	GPtrArray *notes;      /* char*: what was shrunk, why it is not class A */
} RigPlacement;

/* The name under which runs of TOPOLOGY with REQUEST are filed: "2sp-icl", or "2sp-icl:4c:2G" where the user asked
 * for the size of a cell, so that runs of different sizes are never averaged. g_free. */
char *rig_placement_filed_as(const RigTopology *topology, const RigPlacementRequest *request);

/* The rules (docs/topology.md): sockets, cells and distances stay. Under KVM never more vCPUs than host CPUs unless
 * overcommit; at least two vCPUs a cell that has CPUs; threads a core kept where they fit. Under TCG at most
 * 2 vCPUs and 1 GiB a cell unless asked. Memory is kept within 3/4 of what is free on the host (node). Cells are bound to host nodes only when the
 * host has as many nodes with CPUs as the topology has cells with CPUs, each with room. Errors
 * RIG_ERROR_HOST with what is missing and on which node. */
RigPlacement *rig_placement_compute(const RigTopology *topology, const RigHost *host,
				    const RigPlacementRequest *request, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
void rig_placement_free(RigPlacement *placement);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigPlacement, rig_placement_free)

/* "fitted to 2 sockets x 1 core x 2 threads, 2 cells of 1G (asked: ...)", or NULL when nothing was changed. */
char *rig_placement_describe(const RigPlacement *placement, const RigTopology *asked);
void rig_placement_to_json(const RigPlacement *placement, RigJsonWriter *writer, const char *key);
