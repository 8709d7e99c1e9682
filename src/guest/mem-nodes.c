/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-nodes.c - libnuma, wrapped: parts of the work are spread over the nodes in order.
 */
#include "mem-nodes.h"

#include <errno.h>
#include <numa.h>
#include <numaif.h>
#include <stdio.h>

static bool has_cpus(int node)
{
	struct bitmask *cpus = numa_allocate_cpumask();
	bool some = numa_node_to_cpus(node, cpus) == 0 && numa_bitmask_weight(cpus) > 0;

	numa_free_cpumask(cpus);
	return some;
}

static void collect(struct rig_nodes *nodes)
{
	for (int node = 0; node <= numa_max_node() && nodes->count < RIG_NODES_MAX; node++)
		if (numa_bitmask_isbitset(numa_all_nodes_ptr, (unsigned)node) && has_cpus(node))
			nodes->ids[nodes->count++] = node;
}

static bool is_home(const struct rig_nodes *nodes, unsigned id)
{
	for (unsigned i = 0; i < nodes->count; i++)
		if (nodes->ids[i] == (int)id)
			return true;
	return false;
}

bool rig_nodes_read(struct rig_nodes *nodes, const struct rig_mem_plan *plan, char *why)
{
	*nodes = (struct rig_nodes){0};
	if (numa_available() < 0) {
		snprintf(why, RIG_MEM_WHY_MAX, "this kernel has no NUMA (CONFIG_NUMA)");
		return false;
	}
	collect(nodes);
	if (plan->bind == RIG_MEM_BIND_NONE && !is_home(nodes, plan->first_node)) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "option --first-node: there is no node %u with CPUs and memory",
			 plan->first_node);
		return false;
	}
	if (plan->bind == RIG_MEM_BIND_INVERSE && nodes->count < 2) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "option --bind=inverse needs two nodes with CPUs and memory; there is %u",
			 nodes->count);
		return false;
	}
	return nodes->count > 0;
}

int rig_nodes_cpu(const struct rig_nodes *nodes, unsigned part, unsigned parts)
{
	/* Neighbours share a node; fewer parts than nodes take the first ones. */
	unsigned used = parts < nodes->count ? parts : nodes->count;

	return nodes->ids[(unsigned long)part * used / parts];
}

int rig_nodes_memory(const struct rig_nodes *nodes, unsigned part, unsigned parts,
		     enum rig_mem_bind bind)
{
	int node = rig_nodes_cpu(nodes, part, parts);
	unsigned at = 0;

	if (bind != RIG_MEM_BIND_INVERSE)
		return node;
	while (nodes->ids[at] != node)
		at++;
	return nodes->ids[(at + 1) % nodes->count];
}

bool rig_nodes_run_on(int node)
{
	return numa_run_on_node(node) == 0;
}

bool rig_nodes_bind_memory(void *base, size_t size, int node)
{
	struct bitmask *mask = numa_allocate_nodemask();
	int saved;
	long result;

	numa_bitmask_setbit(mask, (unsigned)node);
	result = mbind(base, size, MPOL_BIND, mask->maskp, mask->size + 1, 0);
	saved = errno;
	numa_bitmask_free(mask);
	errno = saved;
	return result == 0;
}
