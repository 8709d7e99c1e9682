/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * topology.h - one machine shape: sockets, cores, threads, NUMA cells, distances.
 *
 * Plain data read from topologies/NAME.json (docs/topology.md). Numbers of vCPUs run cell by cell,
 * within a cell core by core, threads of a core next to each other, as libvirt and QEMU number them.
 */
#pragma once

#include "base/cpulist.h"
#include "base/json.h"

#define RIG_TOPOLOGY_CELLS_MAX 64

typedef struct {
	guint64 memory;	  /* bytes; 0: a memoryless cell */
	RigCpuList *cpus; /* vCPUs; empty: a CPU-less cell (a memory tier) */
} RigCell;

typedef struct {
	char *name;
	char *text;    /* one line for people: which machine, which reports */
	char *robot;   /* the test robot's name of such a machine, "lkp-icl-2sp2", or NULL */
	char *cpu;     /* CPU model, for people, or NULL */
	gboolean nested; /* the guest is a host itself: its CPUs have hardware virtualization */
	guint sockets, cores, threads; /* cores a socket, threads a core */
	RigCell *cells;
	guint n_cells;
	guint *distances; /* n_cells x n_cells, row = from */
} RigTopology;

/* Parse and check (docs/topology.md lists the rules): symmetric distances, diagonal 10, others above 10 and at most
 * 254, every vCPU in exactly one cell, cells with CPUs in step with sockets (each socket's CPUs within one
 * cell: else the guest kernel sees an llc-sibling on another node), sizes with units. */
RigTopology *rig_topology_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
RigTopology *rig_topology_parse(const char *name, const char *text, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
RigTopology *rig_topology_copy(const RigTopology *topology);
void rig_topology_free(RigTopology *topology);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigTopology, rig_topology_free)

guint rig_topology_vcpus(const RigTopology *topology);
guint64 rig_topology_memory(const RigTopology *topology);
guint rig_topology_distance(const RigTopology *topology, guint from, guint to);
/* The cell that holds a vCPU. */
guint rig_topology_cell_of(const RigTopology *topology, guint vcpu);
/* "2 sockets x 32 cores x 2 threads, 2 cells, 256G". g_free. */
char *rig_topology_describe(const RigTopology *topology);
void rig_topology_to_json(const RigTopology *topology, RigJsonWriter *writer, const char *key);
/* SHA-256 over the canonical JSON (name and text left out): equal shapes have equal digests. */
char *rig_topology_digest(const RigTopology *topology);
