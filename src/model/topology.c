/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * topology.c - a machine shape as plain data: copy, look up, describe, write.
 *
 * What is written is again a topology file, so that a record's shape can be booted later. Reading
 * and checking is in topology-parse.c.
 */
#include "model/topology.h"

#include "base/size.h"
#include "base/text.h"

RigTopology *rig_topology_copy(const RigTopology *topology)
{
	RigTopology *copy = g_new0(RigTopology, 1);
	guint n = topology->n_cells;

	*copy = *topology;
	copy->name = g_strdup(topology->name);
	copy->text = g_strdup(topology->text);
	copy->robot = g_strdup(topology->robot);
	copy->cpu = g_strdup(topology->cpu);
	copy->cells = g_new0(RigCell, n);
	for (guint i = 0; i < n; i++) {
		copy->cells[i].memory = topology->cells[i].memory;
		copy->cells[i].cpus = rig_cpulist_copy(topology->cells[i].cpus);
	}
	copy->distances = g_memdup2(topology->distances, (gsize)n * n * sizeof(guint));
	return copy;
}

void rig_topology_free(RigTopology *topology)
{
	if (!topology)
		return;
	for (guint i = 0; i < topology->n_cells; i++)
		rig_cpulist_free(topology->cells[i].cpus);
	g_free(topology->cells);
	g_free(topology->distances);
	g_free(topology->name);
	g_free(topology->text);
	g_free(topology->robot);
	g_free(topology->cpu);
	g_free(topology);
}

guint rig_topology_vcpus(const RigTopology *topology)
{
	return topology->sockets * topology->cores * topology->threads;
}

guint64 rig_topology_memory(const RigTopology *topology)
{
	guint64 sum = 0;

	for (guint i = 0; i < topology->n_cells; i++)
		sum += topology->cells[i].memory;
	return sum;
}

guint rig_topology_distance(const RigTopology *topology, guint from, guint to)
{
	return topology->distances[from * topology->n_cells + to];
}

guint rig_topology_cell_of(const RigTopology *topology, guint vcpu)
{
	for (guint i = 0; i < topology->n_cells; i++)
		if (rig_cpulist_contains(topology->cells[i].cpus, vcpu))
			return i;
	g_return_val_if_reached(0);
}

static void add_count(GString *text, guint count, const char *what)
{
	g_string_append_printf(text, "%u %s%s", count, what, count == 1 ? "" : "s");
}

char *rig_topology_describe(const RigTopology *topology)
{
	GString *text = g_string_new(NULL);
	g_autofree char *memory = rig_size_format(rig_topology_memory(topology));
	guint tiers = 0;

	for (guint i = 0; i < topology->n_cells; i++)
		tiers += rig_cpulist_count(topology->cells[i].cpus) == 0;
	add_count(text, topology->sockets, "socket");
	g_string_append(text, " x ");
	add_count(text, topology->cores, "core");
	g_string_append(text, " x ");
	add_count(text, topology->threads, "thread");
	g_string_append(text, ", ");
	add_count(text, topology->n_cells, "cell");
	if (tiers)
		g_string_append_printf(text, " (%u without CPUs)", tiers);
	g_string_append_printf(text, ", %s", memory);
	return g_string_free(text, FALSE);
}

static void write_cells(const RigTopology *topology, RigJsonWriter *writer)
{
	rig_json_open_array(writer, "cells");
	for (guint i = 0; i < topology->n_cells; i++) {
		const RigCell *cell = &topology->cells[i];
		g_autofree char *memory = rig_size_format(cell->memory);

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "memory", memory);
		if (rig_cpulist_count(cell->cpus)) {
			g_autofree char *cpus = rig_cpulist_format(cell->cpus);

			rig_json_add_string(writer, "cpus", cpus);
		}
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

static void write_distances(const RigTopology *topology, RigJsonWriter *writer)
{
	rig_json_open_array(writer, "distances");
	for (guint i = 0; i < topology->n_cells; i++) {
		rig_json_open_array(writer, NULL);
		for (guint j = 0; j < topology->n_cells; j++)
			rig_json_add_int(writer, NULL, rig_topology_distance(topology, i, j));
		rig_json_close_array(writer);
	}
	rig_json_close_array(writer);
}

static void write_shape(const RigTopology *topology, RigJsonWriter *writer)
{
	/* Left out where it is not so: what was filed before there was such a key keeps its digest. */
	if (topology->nested)
		rig_json_add_bool(writer, "nested", TRUE);
	rig_json_add_int(writer, "sockets", topology->sockets);
	rig_json_add_int(writer, "cores", topology->cores);
	rig_json_add_int(writer, "threads", topology->threads);
	write_cells(topology, writer);
	write_distances(topology, writer);
}

static void write_machine(const RigTopology *topology, RigJsonWriter *writer)
{
	if (!topology->robot && !topology->cpu)
		return;
	rig_json_open_object(writer, "machine");
	if (topology->robot)
		rig_json_add_string(writer, "robot", topology->robot);
	if (topology->cpu)
		rig_json_add_string(writer, "cpu", topology->cpu);
	rig_json_close_object(writer);
}

void rig_topology_to_json(const RigTopology *topology, RigJsonWriter *writer, const char *key)
{
	rig_json_open_object(writer, key);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "name", topology->name);
	rig_json_add_string(writer, "text", topology->text);
	write_machine(topology, writer);
	write_shape(topology, writer);
	rig_json_close_object(writer);
}

char *rig_topology_digest(const RigTopology *topology)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;

	rig_json_open_object(writer, NULL);
	write_shape(topology, writer);
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, FALSE);
	return rig_text_sha256(text);
}
