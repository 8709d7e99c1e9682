/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pin.c - bind cells to host nodes and pin vCPUs to host CPUs.
 */
#include "model/pin.h"

#include "model/fit.h"

static void note(RigPlacement *placement, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(RigPlacement *placement, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_ptr_array_add(placement->notes, g_strdup_vprintf(format, args));
	va_end(args);
}

static guint cell_vcpus(const RigPlacement *placement, guint i)
{
	return rig_cpulist_count(placement->topology->cells[i].cpus);
}

static void unbind(RigPlacement *placement)
{
	for (guint i = 0; i < placement->topology->n_cells; i++)
		placement->host_node[i] = -1;
}

static gboolean is_taken(const RigPlacement *placement, guint id)
{
	for (guint i = 0; i < placement->topology->n_cells; i++)
		if (placement->host_node[i] == (gint)id)
			return TRUE;
	return FALSE;
}

static gboolean socket_taken(const RigPlacement *placement, const RigHost *host, gint socket)
{
	for (guint i = 0; i < host->n_nodes; i++)
		if (host->nodes[i].socket == socket && is_taken(placement, host->nodes[i].id))
			return TRUE;
	return FALSE;
}

/* The first free node with at least VCPUS CPUs; on a socket of its own where there is one, so that
 * two cells are as far apart as the topology says. */
static const RigHostNode *find_node(const RigPlacement *placement, const RigHost *host, guint vcpus)
{
	const RigHostNode *second = NULL;

	for (guint i = 0; i < host->n_nodes; i++) {
		const RigHostNode *node = &host->nodes[i];

		if (rig_cpulist_count(node->cpus) < vcpus || is_taken(placement, node->id))
			continue;
		if (!socket_taken(placement, host, node->socket))
			return node;
		if (!second)
			second = node;
	}
	return second;
}

/* A memory tier goes to a node without CPUs; else to the roomiest one, and then it is as fast as
 * that. */
static const RigHostNode *find_tier_node(const RigPlacement *placement, const RigHost *host)
{
	const RigHostNode *best = NULL;

	for (guint i = 0; i < host->n_nodes; i++) {
		const RigHostNode *node = &host->nodes[i];

		if (!rig_cpulist_count(node->cpus) && node->memory &&
		    !is_taken(placement, node->id))
			return node;
		if (is_taken(placement, node->id) &&
		    (!best || node->free_memory > best->free_memory))
			best = node;
	}
	return best;
}

static guint count_nodes(const RigHost *host)
{
	guint n = 0;

	for (guint i = 0; i < host->n_nodes; i++)
		n += rig_cpulist_count(host->nodes[i].cpus) > 0;
	return n;
}

static guint count_cells(const RigPlacement *placement)
{
	guint n = 0;

	for (guint i = 0; i < placement->topology->n_cells; i++)
		n += cell_vcpus(placement, i) > 0;
	return n;
}

static gboolean choose_cpu_nodes(RigPlacement *placement, const RigHost *host,
				 const RigPlacementRequest *request)
{
	for (guint i = 0; i < placement->topology->n_cells; i++) {
		guint min = rig_fit_min_vcpus(placement->topology, i, request);
		const RigHostNode *node;

		if (!min)
			continue;
		node = find_node(placement, host, min);
		if (!node) {
			note(placement, "not bound: no host node with %u CPUs is left for cell %u",
			     min, i);
			unbind(placement);
			return FALSE;
		}
		placement->host_node[i] = node->id;
	}
	return TRUE;
}

static void choose_tier_nodes(RigPlacement *placement, const RigHost *host)
{
	for (guint i = 0; i < placement->topology->n_cells; i++) {
		const RigHostNode *node;

		if (cell_vcpus(placement, i))
			continue;
		node = find_tier_node(placement, host);
		placement->host_node[i] = node->id;
		if (rig_cpulist_count(node->cpus))
			note(placement,
			     "cell %u has no host node of its own: its memory is as fast as that "
			     "of host node %u",
			     i, node->id);
	}
}

gboolean rig_pin_choose_nodes(RigPlacement *placement, const RigHost *host,
			      const RigPlacementRequest *request)
{
	guint nodes = count_nodes(host), cells = count_cells(placement);

	unbind(placement);
	if (nodes < cells) {
		note(placement,
		     "not bound: %u cells with CPUs need as many host nodes, the host has %u",
		     cells, nodes);
		return FALSE;
	}
	if (!choose_cpu_nodes(placement, host, request))
		return FALSE;
	choose_tier_nodes(placement, host);
	return TRUE;
}

gboolean rig_pin_nodes_are_own(const RigPlacement *placement)
{
	const RigTopology *topology = placement->topology;

	for (guint i = 0; i < topology->n_cells; i++)
		for (guint j = 0; j < i; j++)
			if (placement->host_node[i] == placement->host_node[j])
				return FALSE;
	return TRUE;
}

static gboolean nodes_have_room(RigPlacement *placement, const RigHost *host)
{
	for (guint i = 0; i < placement->topology->n_cells; i++) {
		const RigHostNode *node = rig_host_node(host, placement->host_node[i]);
		guint vcpus = cell_vcpus(placement, i);

		if (vcpus <= rig_cpulist_count(node->cpus))
			continue;
		note(placement, "not bound: cell %u has %u vCPUs, host node %u has %u CPUs", i,
		     vcpus, node->id, rig_cpulist_count(node->cpus));
		return FALSE;
	}
	return TRUE;
}

static guint next_unused(const RigCpuList *core, const RigCpuList *used, gboolean *found)
{
	for (guint i = 0; i < rig_cpulist_count(core); i++)
		if (!rig_cpulist_contains(used, rig_cpulist_at(core, i))) {
			*found = TRUE;
			return rig_cpulist_at(core, i);
		}
	*found = FALSE;
	return 0;
}

static guint count_unused(const RigCpuList *core, const RigCpuList *used)
{
	guint n = 0;

	for (guint i = 0; i < rig_cpulist_count(core); i++)
		n += !rig_cpulist_contains(used, rig_cpulist_at(core, i));
	return n;
}

/* The host core to take next for guest cores of THREADS threads: one that has as many threads
 * unused, with the most unused ones, so that guest cores share a host core only when there is no
 * other. */
static const RigCpuList *find_core(const RigHostNode *node, const RigCpuList *used, guint threads)
{
	const RigCpuList *best = NULL;
	guint most = 0;

	for (guint i = 0; i < node->cores->len; i++) {
		guint unused = count_unused(node->cores->pdata[i], used);

		if (unused >= threads && unused > most) {
			best = node->cores->pdata[i];
			most = unused;
		}
	}
	return best;
}

static void pin_one(RigPlacement *placement, RigCpuList *used, const RigCpuList *core, guint vcpu)
{
	gboolean found;
	guint cpu = next_unused(core, used, &found);

	g_return_if_fail(found);
	placement->vcpu_pin[vcpu] = rig_cpulist_new();
	rig_cpulist_add(placement->vcpu_pin[vcpu], cpu);
	rig_cpulist_add(used, cpu);
}

/* Pin the guest core that begins with vCPU FIRST: its threads on the threads of one host core where
 * one has enough of them, else each where there is room. */
static void pin_core(RigPlacement *placement, RigCpuList *used, const RigHostNode *node,
		     guint first)
{
	guint threads = placement->topology->threads;
	const RigCpuList *core = find_core(node, used, threads);

	for (guint t = 0; t < threads; t++)
		pin_one(placement, used, core ? core : find_core(node, used, 1), first + t);
}

static void add_all(RigCpuList *list, const RigCpuList *more, const RigCpuList *without)
{
	for (guint i = 0; i < rig_cpulist_count(more); i++)
		if (!without || !rig_cpulist_contains(without, rig_cpulist_at(more, i)))
			rig_cpulist_add(list, rig_cpulist_at(more, i));
}

static void pin_emulator(RigPlacement *placement, const RigHost *host, const RigCpuList *used)
{
	g_autoptr(RigCpuList) left = rig_cpulist_new();
	g_autoptr(RigCpuList) all = rig_cpulist_new();

	for (guint i = 0; i < placement->topology->n_cells; i++) {
		const RigHostNode *node = rig_host_node(host, placement->host_node[i]);

		add_all(all, node->cpus, NULL);
		add_all(left, node->cpus, used);
	}
	placement->emulator_pin =
		rig_cpulist_count(left) ? g_steal_pointer(&left) : g_steal_pointer(&all);
}

gboolean rig_pin_vcpus(RigPlacement *placement, const RigHost *host)
{
	const RigTopology *topology = placement->topology;
	g_autoptr(RigCpuList) used = rig_cpulist_new();

	if (!nodes_have_room(placement, host)) {
		unbind(placement);
		return FALSE;
	}
	placement->vcpu_pin = g_new0(RigCpuList *, rig_topology_vcpus(topology));
	for (guint v = 0; v < rig_topology_vcpus(topology); v += topology->threads) {
		gint id = placement->host_node[rig_topology_cell_of(topology, v)];

		pin_core(placement, used, rig_host_node(host, id), v);
	}
	pin_emulator(placement, host, used);
	return TRUE;
}
