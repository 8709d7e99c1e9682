/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-manifest.c - what a record must say of the guest that it was made in.
 */
#include "vm/guest-manifest.h"

#include "base/file.h"

static void note_kernel(RigGuestState *state, const RigKernel *kernel)
{
	g_autofree char *kconfig = rig_kernel_kconfig_name(kernel);

	rig_guest_state_note(state, "kernel.name", kernel->name);
	rig_guest_state_note(state, "kernel.release", kernel->release);
	rig_guest_state_note(state, "kernel.banner", kernel->banner);
	rig_guest_state_note(state, "kernel.compiler", kernel->compiler);
	rig_guest_state_note(state, "kernel.source", kernel->source);
	rig_guest_state_note(state, "kernel.recipe", kernel->build ? kernel->build->recipe : NULL);
	rig_guest_state_note(state, "kernel.sha256", kernel->boot_sha256);
	rig_guest_state_note(state, "kernel.config_sha256", kernel->config_sha256);
	rig_guest_state_note(state, "kernel.modules_sha256", kernel->modules_sha256);
	rig_guest_state_note(state, "kernel.kconfig", kconfig);
}

static void note_hygiene(RigGuestState *state)
{
	g_autoptr(GPtrArray) items = rig_host_hygiene("");

	for (guint i = 0; items && i < items->len; i++) {
		const RigHygiene *item = items->pdata[i];

		rig_guest_state_note(state, item->key, item->value);
	}
}

/* For people who look for what differs between two hosts: the nodes of the cells and the CPUs of
 * the vCPUs, in order. */
static void note_pins(RigGuestState *state, const RigPlacement *placement)
{
	g_autoptr(GString) nodes = g_string_new(NULL);
	g_autoptr(GString) cpus = g_string_new(NULL);

	if (!placement->vcpu_pin)
		return;
	for (guint i = 0; i < placement->topology->n_cells; i++)
		g_string_append_printf(nodes, "%s%d", i ? " " : "", placement->host_node[i]);
	for (guint v = 0; v < rig_topology_vcpus(placement->topology); v++) {
		g_autofree char *list = rig_cpulist_format(placement->vcpu_pin[v]);

		g_string_append_printf(cpus, "%s%s", v ? " " : "", list);
	}
	rig_guest_state_note(state, "placement.nodes", nodes->str);
	rig_guest_state_note(state, "placement.cpus", cpus->str);
}

void rig_guest_note_placement(RigGuestState *state, const RigGuestSpec *spec,
			      const RigPlacement *placement)
{
	const RigTopology *topology = spec->topology;
	g_autofree char *digest = rig_topology_digest(placement->topology);
	g_autofree char *asked = rig_topology_digest(topology);
	g_autofree char *filed_as = rig_placement_filed_as(topology, &spec->placement);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *json = NULL;
	char class[] = {placement->class, '\0'};

	rig_placement_to_json(placement, writer, NULL);
	json = rig_json_writer_text(writer, FALSE);
	state->class = placement->class;
	state->fit = rig_placement_describe(placement, topology);
	rig_guest_state_note(state, "guest.class", class);
	rig_guest_state_note(state, "topology.name", topology->name);
	rig_guest_state_note(state, "topology.filed_as", filed_as);
	rig_guest_state_note(state, "topology.digest", digest);
	rig_guest_state_note(state, "topology.asked_digest", asked);
	rig_guest_state_note(state, "topology.fit", state->fit ? state->fit : "as asked");
	rig_guest_state_note(state, "placement", json);
	note_pins(state, placement);
}

void rig_guest_note_spec(RigGuestState *state, const RigGuestSpec *spec, const char *cmdline)
{
	g_autofree char *host_kernel = rig_file_read("/proc/sys/kernel/osrelease", 256, NULL, NULL);

	note_kernel(state, spec->kernel);
	note_hygiene(state);
	rig_guest_state_note(state, "guest.name", spec->name);
	rig_guest_state_note(state, "image.name", spec->image->name);
	rig_guest_state_note(state, "bootset.key", spec->bootset->key);
	rig_guest_state_note(state, "accel", state->accel);
	rig_guest_state_note(state, "accel.reason", spec->accel_reason);
	rig_guest_state_note(state, "rig.version", RIG_VERSION);
	rig_guest_state_note(state, "host.kernel", host_kernel ? g_strchomp(host_kernel) : NULL);
	rig_guest_state_note(state, "guest.cmdline", cmdline);
	/* What was asked for beyond what every guest gets: such runs are not averaged with others.
	 */
	if (spec->cmdline && *spec->cmdline)
		rig_guest_state_note(state, "boot.cmdline", spec->cmdline);
	rig_guest_state_note(state, "boot.diskless", spec->bootset->disk ? "no" : "yes");
}
