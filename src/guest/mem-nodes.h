/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-nodes.h - which node each task of the numa cases gets, and binding to it.
 */
#pragma once

#include "mem-args.h"

#define RIG_NODES_MAX 64

/* Nodes that have both CPUs and memory; others (memory tiers) can not be a home. */
struct rig_nodes {
	unsigned count;
	int ids[RIG_NODES_MAX];
};

/*
 * Reads the machine's nodes. False and @why (RIG_MEM_WHY_MAX bytes) when @plan cannot be bound on
 * them: inverse on one node, a first node that is not there, a kernel without NUMA.
 */
bool rig_nodes_read(struct rig_nodes *nodes, const struct rig_mem_plan *plan, char *why);

/* Node of the CPUs of part @part of @parts, and of its memory: bound runs only. */
int rig_nodes_cpu(const struct rig_nodes *nodes, unsigned part, unsigned parts);
int rig_nodes_memory(const struct rig_nodes *nodes, unsigned part, unsigned parts,
		     enum rig_mem_bind bind);

/* Runs the calling thread on CPUs of @node only; -1: on all. False and errno on failure. */
bool rig_nodes_run_on(int node);

/* Takes pages of [@base, @base + @size) from @node only. False and errno on failure. */
bool rig_nodes_bind_memory(void *base, size_t size, int node);
