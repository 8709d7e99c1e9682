/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * topology-parse.c - a topology file read and checked (docs/topology.md has the rules).
 *
 * Every check names file, path and value. What passes here is a shape that QEMU builds and that the
 * guest's kernel takes without a complaint about its own topology.
 */
#include "model/topology.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"
#include "base/size.h"

#define SOCKETS_MAX 64
#define CORES_MAX 512
#define THREADS_MAX 8
#define VCPUS_MAX 1024
#define TEXT_MAX 300
#define CELL_MEMORY_UNIT (G_GUINT64_CONSTANT(2) << 20) /* x86 maps a cell in large pages */
#define CELL_MEMORY_MAX (G_GUINT64_CONSTANT(16) << 40)
#define MEMORY_MIN (G_GUINT64_CONSTANT(256) << 20) /* below it no usual kernel boots */
#define DISTANCE_LOCAL 10			   /* ACPI: a node to itself */
#define DISTANCE_MAX 254			   /* 255 means unreachable */

/* A line for people: it goes to terminals and into reports. */
static char *parse_line(RigJson *object, const char *key, RigJsonFlags flags)
{
	const char *text = rig_json_string(object, key, flags);

	if (!text)
		return NULL;
	if (!*text || strlen(text) > TEXT_MAX)
		rig_json_fail(object, key, "must have 1 to %d bytes, has %zu", TEXT_MAX,
			      strlen(text));
	for (const char *c = text; *c; c++)
		if ((guchar)*c < 0x20 || *c == 0x7f) {
			rig_json_fail(object, key, "has a control character (0x%02x)", (guchar)*c);
			break;
		}
	return g_strdup(text);
}

static void parse_name(RigJson *root, RigTopology *topology)
{
	const char *name = rig_json_string(root, "name", RIG_JSON_REQUIRED);
	g_autoptr(GError) error = NULL;

	if (!name)
		return;
	if (!rig_file_check_name("topology name", name, &error))
		rig_json_fail(root, "name", "%s", error->message);
	topology->name = g_strdup(name);
}

static void parse_head(RigJson *root, RigTopology *topology)
{
	RigJson *machine;

	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	parse_name(root, topology);
	topology->text = parse_line(root, "text", RIG_JSON_REQUIRED);
	machine = rig_json_object(root, "machine", RIG_JSON_OPTIONAL);
	topology->robot = parse_line(machine, "robot", RIG_JSON_OPTIONAL);
	topology->cpu = parse_line(machine, "cpu", RIG_JSON_OPTIONAL);
	topology->nested = rig_json_bool(root, "nested", RIG_JSON_OPTIONAL, FALSE);
	topology->sockets = rig_json_int(root, "sockets", RIG_JSON_REQUIRED, 1, SOCKETS_MAX, 1);
	topology->cores = rig_json_int(root, "cores", RIG_JSON_REQUIRED, 1, CORES_MAX, 1);
	topology->threads = rig_json_int(root, "threads", RIG_JSON_REQUIRED, 1, THREADS_MAX, 1);
	if (rig_json_ok(root) && rig_topology_vcpus(topology) > VCPUS_MAX)
		rig_json_fail(root, "cores",
			      "%u sockets x %u cores x %u threads are %u vCPUs, at most %d",
			      topology->sockets, topology->cores, topology->threads,
			      rig_topology_vcpus(topology), VCPUS_MAX);
}

static void parse_cell_sockets(RigJson *object, const RigTopology *topology, RigCell *cell)
{
	RigJson *list = rig_json_array(object, "sockets", RIG_JSON_REQUIRED);
	guint per_socket = topology->cores * topology->threads;

	for (guint i = 0; i < rig_json_length(list); i++) {
		RigJson *item = rig_json_at(list, i);
		guint socket =
			rig_json_int(item, NULL, RIG_JSON_REQUIRED, 0, topology->sockets - 1, 0);

		if (!rig_json_ok(object))
			return;
		if (rig_cpulist_contains(cell->cpus, socket * per_socket))
			rig_json_fail(item, NULL, "socket %u is listed twice", socket);
		rig_cpulist_add_range(cell->cpus, socket * per_socket,
				      (socket + 1) * per_socket - 1);
	}
}

static void parse_cell_cpus(RigJson *object, const RigTopology *topology, RigCell *cell)
{
	const char *text = rig_json_string(object, "cpus", RIG_JSON_REQUIRED);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigCpuList) list = NULL;
	guint count, vcpus = rig_topology_vcpus(topology);

	if (!text)
		return;
	list = rig_cpulist_parse(text, &error);
	if (!list) {
		rig_json_fail(object, "cpus", "%s", error->message);
		return;
	}
	count = rig_cpulist_count(list);
	if (count && rig_cpulist_at(list, count - 1) >= vcpus) {
		rig_json_fail(object, "cpus", "vCPU %u of \"%s\" does not exist, there are %u",
			      rig_cpulist_at(list, count - 1), text, vcpus);
		return;
	}
	rig_cpulist_free(cell->cpus);
	cell->cpus = g_steal_pointer(&list);
}

static void check_cell_memory(RigJson *object, const RigCell *cell)
{
	g_autofree char *text = rig_size_format(cell->memory);

	if (cell->memory % CELL_MEMORY_UNIT)
		rig_json_fail(object, "memory", "%s is not a multiple of 2M", text);
	if (cell->memory > CELL_MEMORY_MAX)
		rig_json_fail(object, "memory", "%s is more than 16T", text);
}

static void parse_cell(RigJson *object, const RigTopology *topology, RigCell *cell)
{
	cell->memory = rig_json_size(object, "memory", RIG_JSON_REQUIRED, 0);
	check_cell_memory(object, cell);
	if (rig_json_has(object, "sockets") && rig_json_has(object, "cpus"))
		rig_json_fail(object, "cpus", "give either sockets or cpus");
	else if (rig_json_has(object, "sockets"))
		parse_cell_sockets(object, topology, cell);
	else if (rig_json_has(object, "cpus"))
		parse_cell_cpus(object, topology, cell);
	if (!rig_cpulist_count(cell->cpus) && !cell->memory)
		rig_json_fail(object, NULL, "has neither CPUs nor memory");
}

static void parse_cells(RigJson *cells, RigTopology *topology)
{
	guint n = rig_json_length(cells);

	if (!n || n > RIG_TOPOLOGY_CELLS_MAX) {
		rig_json_fail(cells, NULL, "has %u cells, must have 1 to %d", n,
			      RIG_TOPOLOGY_CELLS_MAX);
		return;
	}
	topology->cells = g_new0(RigCell, n);
	topology->n_cells = n;
	for (guint i = 0; i < n; i++)
		topology->cells[i].cpus = rig_cpulist_new();
	for (guint i = 0; i < n && rig_json_ok(cells); i++) {
		RigJson *object = rig_json_at(cells, i);

		if (!rig_json_is_object(object))
			rig_json_fail(object, NULL, "is not an object");
		else
			parse_cell(object, topology, &topology->cells[i]);
	}
}

/* OWNER[vcpu] = its cell. Each vCPU belongs to one cell. */
static gboolean map_owners(RigJson *cells, const RigTopology *topology, gint *owner)
{
	guint vcpus = rig_topology_vcpus(topology);

	for (guint v = 0; v < vcpus; v++)
		owner[v] = -1;
	for (guint i = 0; i < topology->n_cells; i++) {
		const RigCpuList *cpus = topology->cells[i].cpus;

		for (guint k = 0; k < rig_cpulist_count(cpus); k++) {
			guint v = rig_cpulist_at(cpus, k);

			if (owner[v] >= 0) {
				rig_json_fail(rig_json_at(cells, i), NULL,
					      "vCPU %u is already in cells[%d]", v, owner[v]);
				return FALSE;
			}
			owner[v] = i;
		}
	}
	for (guint v = 0; v < vcpus; v++)
		if (owner[v] < 0) {
			rig_json_fail(cells, NULL, "vCPU %u of %u is in no cell", v, vcpus);
			return FALSE;
		}
	return TRUE;
}

/* A socket that spans two cells makes the guest's kernel complain that an llc-sibling is on another
 * node, and cells out of order would break the numbering that everything else relies on. */
static void check_sockets(RigJson *cells, const RigTopology *topology, const gint *owner)
{
	guint per_socket = topology->cores * topology->threads;
	gint last = 0;

	for (guint v = 0; v < rig_topology_vcpus(topology); v++) {
		gint first = owner[v - v % per_socket];

		if (owner[v] != first) {
			rig_json_fail(rig_json_at(cells, owner[v]), NULL,
				      "takes vCPU %u, but socket %u begins in cells[%d]: a socket "
				      "lies in one cell",
				      v, v / per_socket, first);
			return;
		}
		if (owner[v] < last) {
			rig_json_fail(rig_json_at(cells, owner[v]), NULL,
				      "takes vCPU %u after cells[%d] took smaller ones: sockets go "
				      "to cells in rising order",
				      v, last);
			return;
		}
		last = owner[v];
	}
}

static void check_cells(RigJson *cells, const RigTopology *topology)
{
	g_autofree gint *owner = g_new(gint, rig_topology_vcpus(topology));
	guint64 memory = rig_topology_memory(topology);

	if (map_owners(cells, topology, owner))
		check_sockets(cells, topology, owner);
	if (memory < MEMORY_MIN) {
		g_autofree char *text = rig_size_format(memory);

		rig_json_fail(cells, NULL, "have %s of memory together, at least 256M are needed",
			      text);
	}
}

static void parse_row(RigJson *row, RigTopology *topology, guint i)
{
	guint n = topology->n_cells;

	if (!rig_json_is_array(row)) {
		rig_json_fail(row, NULL, "is not an array");
		return;
	}
	if (rig_json_length(row) != n) {
		rig_json_fail(row, NULL, "has %u distances for %u cells", rig_json_length(row), n);
		return;
	}
	for (guint j = 0; j < n; j++) {
		RigJson *item = rig_json_at(row, j);
		guint distance = rig_json_int(item, NULL, RIG_JSON_REQUIRED, DISTANCE_LOCAL,
					      DISTANCE_MAX, DISTANCE_LOCAL);

		topology->distances[i * n + j] = distance;
		if (i == j && distance != DISTANCE_LOCAL)
			rig_json_fail(item, NULL, "is %u, a cell's distance to itself is 10",
				      distance);
		if (i != j && distance == DISTANCE_LOCAL)
			rig_json_fail(item, NULL, "is 10, another cell is further than 10");
	}
}

static void check_symmetry(RigJson *rows, const RigTopology *topology)
{
	for (guint i = 0; i < topology->n_cells; i++)
		for (guint j = 0; j < i; j++) {
			guint there = rig_topology_distance(topology, i, j);
			guint back = rig_topology_distance(topology, j, i);

			if (there != back)
				rig_json_fail(rig_json_at(rig_json_at(rows, i), j), NULL,
					      "is %u, but distances[%u][%u] is %u", there, j, i,
					      back);
		}
}

static void parse_distances(RigJson *root, RigTopology *topology)
{
	guint n = topology->n_cells;
	RigJson *rows;

	topology->distances = g_new0(guint, (gsize)n * n);
	if (n == 1 && !rig_json_has(root, "distances")) {
		topology->distances[0] = DISTANCE_LOCAL;
		return;
	}
	rows = rig_json_array(root, "distances", RIG_JSON_REQUIRED);
	if (!rows)
		return;
	if (rig_json_length(rows) != n) {
		rig_json_fail(rows, NULL, "has %u rows for %u cells", rig_json_length(rows), n);
		return;
	}
	for (guint i = 0; i < n && rig_json_ok(root); i++)
		parse_row(rig_json_at(rows, i), topology, i);
	if (rig_json_ok(root))
		check_symmetry(rows, topology);
}

static RigTopology *parse_root(RigJson *root, GError **error)
{
	g_autoptr(RigTopology) topology = g_new0(RigTopology, 1);
	RigJson *cells;

	if (!rig_json_is_object(root))
		rig_json_fail(root, NULL, "is not an object");
	else
		parse_head(root, topology);
	cells = rig_json_ok(root) ? rig_json_array(root, "cells", RIG_JSON_REQUIRED) : NULL;
	if (rig_json_ok(root))
		parse_cells(cells, topology);
	if (rig_json_ok(root))
		check_cells(cells, topology);
	if (rig_json_ok(root))
		parse_distances(root, topology);
	if (!rig_json_finish(root, error))
		return NULL;
	return g_steal_pointer(&topology);
}

RigTopology *rig_topology_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(name, text, -1, error);

	return root ? parse_root(root, error) : NULL;
}

/* A copy that kept its old name would put its records beside the original's. */
static gboolean check_file_name(const char *path, const RigTopology *topology, GError **error)
{
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *expected = g_strconcat(topology->name, ".json", NULL);

	if (!strcmp(base, expected) || !g_str_has_suffix(base, ".json"))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "%s: name: is \"%s\", a file of that name is %s",
		      path, topology->name, expected);
	return FALSE;
}

RigTopology *rig_topology_load(const char *path, GError **error)
{
	g_autoptr(RigJson) root = rig_json_load(path, 0, error);
	g_autoptr(RigTopology) topology = root ? parse_root(root, error) : NULL;

	if (!topology || !check_file_name(path, topology, error))
		return NULL;
	return g_steal_pointer(&topology);
}
