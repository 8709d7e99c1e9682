/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-topology.c - any bytes as a topology file.
 *
 * What is taken is written, read again and is the same shape; and it is fitted to a host either way
 * or refused with a reason, never into a shape that breaks the rules.
 */
#include "base/error.h"
#include "model/placement.h"

#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CPU(id, socket)                                                                         \
	"<cpu id='" #id "' socket_id='" #socket "' die_id='0' core_id='" #id "' siblings='" #id \
	"'/>"
#define CELL(id, cpus) \
	"<cell id='" #id "'><memory unit='KiB'>8388608</memory><cpus>" cpus "</cpus></cell>"

static const char capabilities[] =
	"<capabilities><host><topology><cells>" CELL(0, CPU(0, 0) CPU(1, 0) CPU(2, 0))
		CELL(1, CPU(3, 1) CPU(4, 1) CPU(5, 1)) "</cells></topology></host></capabilities>";

static void check_again(const RigTopology *topology)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(RigTopology) again = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL, *one = rig_topology_digest(topology), *two = NULL;

	rig_topology_to_json(topology, writer, NULL);
	text = rig_json_writer_text(writer, TRUE);
	again = rig_topology_parse("y", text, &error);
	g_assert_no_error(error);
	two = rig_topology_digest(again);
	g_assert_cmpstr(one, ==, two);
}

static void check_fit(const RigTopology *topology, const RigHost *host, RigAccel accel)
{
	const RigPlacementRequest request = {.accel = accel};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigPlacement) p = rig_placement_compute(topology, host, &request, &error);

	if (!p) {
		g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
		return;
	}
	check_again(p->topology);
	g_assert_cmpuint(p->topology->sockets, ==, topology->sockets);
	g_assert_cmpuint(p->topology->n_cells, ==, topology->n_cells);
	g_assert_cmpuint(rig_topology_vcpus(p->topology), <=, rig_topology_vcpus(topology));
	g_assert_cmpuint(rig_topology_memory(p->topology), <=, G_GUINT64_CONSTANT(12) << 30);
	if (accel == RIG_ACCEL_KVM)
		g_assert_cmpuint(rig_topology_vcpus(p->topology), <=, host->cpus);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autofree char *text = g_strndup((const char *)data, size);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigTopology) topology = rig_topology_parse("x", text, &error);
	g_autoptr(RigHost) host = NULL;

	if (!topology) {
		g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
		return 0;
	}
	check_again(topology);
	host = rig_host_parse(capabilities, NULL, &error);
	g_assert_no_error(error);
	check_fit(topology, host, RIG_ACCEL_TCG);
	check_fit(topology, host, RIG_ACCEL_KVM);
	return 0;
}
