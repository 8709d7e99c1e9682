/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * placement.c - fit a topology to a host, bind and pin it, and say which class of result that
 * gives.
 */
#include "model/placement.h"

#include <string.h>

#include "base/error.h"
#include "base/size.h"
#include "model/fit.h"
#include "model/pin.h"

#define PAGE_2M (G_GUINT64_CONSTANT(2) << 20)
#define PAGE_1G (G_GUINT64_CONSTANT(1) << 30)

const char *rig_accel_name(RigAccel accel)
{
	return accel == RIG_ACCEL_KVM ? "kvm" : "tcg";
}

void rig_placement_free(RigPlacement *placement)
{
	if (!placement)
		return;
	for (guint v = 0; placement->vcpu_pin && v < rig_topology_vcpus(placement->topology); v++)
		rig_cpulist_free(placement->vcpu_pin[v]);
	g_free(placement->vcpu_pin);
	rig_cpulist_free(placement->emulator_pin);
	rig_topology_free(placement->topology);
	g_ptr_array_unref(placement->notes);
	g_free(placement->host_node);
	g_free(placement);
}

static RigPlacement *placement_new(const RigTopology *topology, const RigPlacementRequest *request)
{
	RigPlacement *placement = g_new0(RigPlacement, 1);

	placement->topology = rig_topology_copy(topology);
	placement->accel = request->accel;
	placement->class = request->accel == RIG_ACCEL_KVM ? 'B' : 'C';
	placement->hugepage = request->hugepage;
	placement->notes = g_ptr_array_new_with_free_func(g_free);
	placement->host_node = g_new(gint, topology->n_cells);
	for (guint i = 0; i < topology->n_cells; i++)
		placement->host_node[i] = -1;
	return placement;
}

static gboolean check_hugepage_size(guint64 page, GError **error)
{
	g_autofree char *text = rig_size_format(page);

	if (!page || page == PAGE_2M || page == PAGE_1G)
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "hugepage size %s is neither 2M nor 1G", text);
	return FALSE;
}

/* Where the cells keep their size, whole pages have to fill them. */
static gboolean check_hugepages_fill(const RigTopology *topology, guint64 page, GError **error)
{
	g_autofree char *text = rig_size_format(page);

	for (guint i = 0; page && i < topology->n_cells; i++)
		if (topology->cells[i].memory % page) {
			g_autofree char *memory = rig_size_format(topology->cells[i].memory);

			rig_error_set(error, RIG_ERROR_USAGE,
				      "topology %s: cell %u has %s, not a multiple of the hugepage "
				      "size %s",
				      topology->name, i, memory, text);
			return FALSE;
		}
	return TRUE;
}

/* QEMU refuses the backend of size 0 that libvirt (9.0) gives a cell without memory. */
static gboolean check_memoryless(const RigTopology *topology, GError **error)
{
	for (guint i = 0; i < topology->n_cells; i++) {
		if (topology->cells[i].memory)
			continue;
		rig_error_set_hint(
			error, RIG_ERROR_HOST,
			"give the cell some memory; such a shape can be described, not booted",
			"topology %s: cell %u has no memory, which libvirt cannot give to QEMU",
			topology->name, i);
		return FALSE;
	}
	return TRUE;
}

static gboolean check_request(const RigTopology *topology, const RigPlacementRequest *request,
			      GError **error)
{
	if (request->exact_size && (request->cell_cpus || request->cell_memory)) {
		rig_error_set(
			error, RIG_ERROR_USAGE,
			"the exact size of topology %s and another size a cell exclude each other",
			topology->name);
		return FALSE;
	}
	return check_memoryless(topology, error) && check_hugepage_size(request->hugepage, error) &&
	       (request->cell_memory || check_hugepages_fill(topology, request->hugepage, error));
}

static gboolean same_size(const RigTopology *a, const RigTopology *b)
{
	if (a->cores != b->cores || a->threads != b->threads)
		return FALSE;
	for (guint i = 0; i < a->n_cells; i++)
		if (a->cells[i].memory != b->cells[i].memory)
			return FALSE;
	return TRUE;
}

static void classify(RigPlacement *placement, const RigHost *host,
		     const RigPlacementRequest *request, gboolean bound)
{
	if (request->accel == RIG_ACCEL_TCG)
		g_ptr_array_add(
			placement->notes,
			g_strdup("class C: emulated, event counts compare, timings do not"));
	else if (request->no_pin)
		g_ptr_array_add(placement->notes, g_strdup("class B: binding was switched off"));
	else if (bound && rig_pin_vcpus(placement, host))
		placement->class = rig_pin_nodes_are_own(placement) ? 'A' : 'B';
}

static gboolean check_exact(const RigPlacement *placement, const RigPlacementRequest *request,
			    GError **error)
{
	guint n = placement->notes->len;
	const char *why = n ? placement->notes->pdata[n - 1] : ""; /* fitting is what came last */

	if (!request->exact_size || !placement->fitted)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST, "leave --exact-size out to have it fitted",
			   "topology %s does not fit as it is: %s", placement->topology->name, why);
	return FALSE;
}

RigPlacement *rig_placement_compute(const RigTopology *topology, const RigHost *host,
				    const RigPlacementRequest *request, GError **error)
{
	g_autoptr(RigPlacement) placement = NULL;
	gboolean bound = FALSE;

	if (!check_request(topology, request, error))
		return NULL;
	placement = placement_new(topology, request);
	if (request->accel == RIG_ACCEL_KVM && !request->no_pin)
		bound = rig_pin_choose_nodes(placement, host, request);
	if (!rig_fit_cpus(placement, host, request, error))
		return NULL;
	placement->fitted = !same_size(topology, placement->topology);
	if (!check_exact(placement, request, error) ||
	    !rig_fit_memory(placement, host, request, error))
		return NULL;
	placement->fitted = !same_size(topology, placement->topology);
	placement->topoext = request->accel == RIG_ACCEL_KVM && host->topoext &&
			     placement->topology->threads > 1;
	classify(placement, host, request, bound);
	return g_steal_pointer(&placement);
}

static gboolean cells_are_equal(const RigTopology *topology)
{
	for (guint i = 1; i < topology->n_cells; i++)
		if (topology->cells[i].memory != topology->cells[0].memory)
			return FALSE;
	return TRUE;
}

static char *describe_cells(const RigTopology *topology)
{
	g_autoptr(GPtrArray) sizes = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *joined = NULL;
	guint shown = cells_are_equal(topology) ? 1 : topology->n_cells;

	for (guint i = 0; i < shown; i++)
		g_ptr_array_add(sizes, rig_size_format(topology->cells[i].memory));
	g_ptr_array_add(sizes, NULL);
	joined = g_strjoinv(", ", (char **)sizes->pdata);
	return g_strdup_printf("%u cell%s of %s", topology->n_cells,
			       topology->n_cells == 1 ? "" : "s", joined);
}

char *rig_placement_describe(const RigPlacement *placement, const RigTopology *asked)
{
	const RigTopology *topology = placement->topology;
	g_autofree char *cells = describe_cells(topology);
	g_autofree char *was = rig_topology_describe(asked);

	if (!placement->fitted)
		return NULL;
	return g_strdup_printf("fitted to %u socket%s x %u core%s x %u thread%s, %s (asked: %s)",
			       topology->sockets, topology->sockets == 1 ? "" : "s",
			       topology->cores, topology->cores == 1 ? "" : "s", topology->threads,
			       topology->threads == 1 ? "" : "s", cells, was);
}

static void write_pins(const RigPlacement *placement, RigJsonWriter *writer)
{
	rig_json_open_array(writer, "vcpu_pin");
	for (guint v = 0; placement->vcpu_pin && v < rig_topology_vcpus(placement->topology); v++) {
		g_autofree char *cpus = rig_cpulist_format(placement->vcpu_pin[v]);

		rig_json_add_string(writer, NULL, cpus);
	}
	rig_json_close_array(writer);
	if (placement->emulator_pin) {
		g_autofree char *cpus = rig_cpulist_format(placement->emulator_pin);

		rig_json_add_string(writer, "emulator_pin", cpus);
	}
}

void rig_placement_to_json(const RigPlacement *placement, RigJsonWriter *writer, const char *key)
{
	char class[2] = {placement->class, '\0'};

	rig_json_open_object(writer, key);
	rig_json_add_string(writer, "class", class);
	rig_json_add_string(writer, "accel", rig_accel_name(placement->accel));
	rig_json_add_bool(writer, "fitted", placement->fitted);
	rig_json_add_int(writer, "hugepage", placement->hugepage);
	rig_json_open_array(writer, "host_nodes");
	for (guint i = 0; i < placement->topology->n_cells; i++)
		rig_json_add_int(writer, NULL, placement->host_node[i]);
	rig_json_close_array(writer);
	write_pins(placement, writer);
	rig_json_open_array(writer, "notes");
	for (guint i = 0; i < placement->notes->len; i++)
		rig_json_add_string(writer, NULL, placement->notes->pdata[i]);
	rig_json_close_array(writer);
	rig_topology_to_json(placement->topology, writer, "topology");
	rig_json_close_object(writer);
}

char *rig_placement_filed_as(const RigTopology *topology, const RigPlacementRequest *request)
{
	GString *name = g_string_new(topology->name);

	if (request->cell_cpus)
		g_string_append_printf(name, ":%uc", request->cell_cpus);
	if (request->cell_memory) {
		g_autofree char *size = rig_size_format(request->cell_memory);
		g_string_append_printf(name, ":%s", size);
	}
	return g_string_free(name, FALSE);
}
