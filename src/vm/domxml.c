/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * domxml.c - a placement as libvirt's domain XML.
 *
 * As few devices as can be: each one costs boot time under emulation, and none may disturb a
 * measurement. Devices stand on the root bus, or libvirt would add PCIe ports that the guest scans.
 */
#include "vm/domxml.h"

#include <libxml/xmlwriter.h>
#include <string.h>

#include "proto.h"

/*
 * The CPU under TCG. Boot of Debian's 6.12 cloud kernel (ELF, 4 vCPUs, 2 cells) to an init that
 * powers off, best of three boots each on 2 host CPUs, QEMU 10.0: maximum 2.7 s, qemu64 2.7 s, EPYC
 * 2.6 s, this model 2.4 s, Nehalem 2.4 s; and under "maximum" the guest takes its TSC for unstable.
 * Of the quick ones this one has AVX2, which user space may be built for.
 *
 * Features taken out: TCG runs `rep stosb` byte by byte, and without erms the kernel clears and
 * copies pages two to four times as fast (boot, 600 MiB from /dev/zero and a tmpfs of 300 MiB: 5.2
 * s of CPU time at best, against 9.1 s under "maximum"). The others TCG does not have at all and
 * would warn about. Put in: 1 GiB pages.
 */
#define TCG_CPU "Haswell-noTSX"
static const char *const tcg_without[] = {"erms", "pcid", "invpcid", "tsc-deadline"};
static const char *const tcg_with[] = {"pdpe1gb"};

/* A guest that is a host itself. TCG has AMD's virtualization only, and the kernel's module for it
 * asks for AMD's name on the CPU. Under QEMU's "max" (10.0) a guest of the guest with Linux 6.1
 * hangs in its first page fault; under this model it boots. The features taken out TCG has not. */
#define TCG_NESTED_CPU "EPYC"
static const char *const tcg_nested_without[] = {"fxsr_opt", "misalignsse", "nrip-save",
						 "osvw",     "topoext",	    "xsavec"};
static const char *const tcg_nested_with[] = {"svm", "npt"};

#define KIB 1024
#define XMLNS "xmlns:" RIG_METADATA_PREFIX

#define STR(s) ((const xmlChar *)(s))

static void open_element(xmlTextWriter *w, const char *name)
{
	xmlTextWriterStartElement(w, STR(name));
}

static void close_element(xmlTextWriter *w)
{
	xmlTextWriterEndElement(w);
}

static void add_attribute(xmlTextWriter *w, const char *name, const char *value)
{
	xmlTextWriterWriteAttribute(w, STR(name), STR(value));
}

static void add_number(xmlTextWriter *w, const char *name, guint64 value)
{
	xmlTextWriterWriteFormatAttribute(w, STR(name), "%" G_GUINT64_FORMAT, value);
}

static void add_text(xmlTextWriter *w, const char *name, const char *text)
{
	xmlTextWriterWriteElement(w, STR(name), STR(text));
}

/* An element with up to two attributes; the second name may be NULL. */
static void add_empty(xmlTextWriter *w, const char *name, const char *key, const char *value,
		      const char *key2, const char *value2)
{
	open_element(w, name);
	if (key)
		add_attribute(w, key, value);
	if (key2)
		add_attribute(w, key2, value2);
	close_element(w);
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
	return strcmp(a, b);
}

static void write_metadata(xmlTextWriter *w, GHashTable *metadata)
{
	g_autoptr(GList) keys = NULL;

	if (!metadata)
		return;
	keys = g_list_sort(g_hash_table_get_keys(metadata), compare_keys);
	open_element(w, "metadata");
	open_element(w, RIG_METADATA_PREFIX ":guest");
	add_attribute(w, XMLNS, RIG_METADATA_URI);
	for (GList *k = keys; k; k = k->next) {
		g_autofree char *name = g_strconcat(RIG_METADATA_PREFIX ":", k->data, NULL);

		add_text(w, name, g_hash_table_lookup(metadata, k->data));
	}
	close_element(w);
	close_element(w);
}

static void write_kib(xmlTextWriter *w, const char *name, guint64 bytes)
{
	open_element(w, name);
	add_attribute(w, "unit", "KiB");
	xmlTextWriterWriteFormatString(w, "%" G_GUINT64_FORMAT, bytes / KIB);
	close_element(w);
}

/* Host pages under a cell: no merging, and hugepages where asked. */
static void write_memory_backing(xmlTextWriter *w, const RigPlacement *placement)
{
	open_element(w, "memoryBacking");
	if (placement->hugepage) {
		open_element(w, "hugepages");
		open_element(w, "page");
		add_number(w, "size", placement->hugepage / KIB);
		add_attribute(w, "unit", "KiB");
		close_element(w);
		close_element(w);
	}
	add_empty(w, "nosharepages", NULL, NULL, NULL, NULL);
	close_element(w);
}

static void write_pins(xmlTextWriter *w, const RigPlacement *placement)
{
	g_autofree char *emulator = NULL;

	if (!placement->vcpu_pin)
		return;
	open_element(w, "cputune");
	for (guint v = 0; v < rig_topology_vcpus(placement->topology); v++) {
		g_autofree char *cpus = rig_cpulist_format(placement->vcpu_pin[v]);

		open_element(w, "vcpupin");
		add_number(w, "vcpu", v);
		add_attribute(w, "cpuset", cpus);
		close_element(w);
	}
	emulator = rig_cpulist_format(placement->emulator_pin);
	add_empty(w, "emulatorpin", "cpuset", emulator, NULL, NULL);
	close_element(w);
}

static gboolean is_bound(const RigPlacement *placement, guint i)
{
	return placement->host_node[i] >= 0 && placement->topology->cells[i].memory > 0;
}

static void write_numatune(xmlTextWriter *w, const RigPlacement *placement)
{
	gboolean any = FALSE;

	for (guint i = 0; i < placement->topology->n_cells; i++)
		any |= is_bound(placement, i);
	if (!any)
		return;
	open_element(w, "numatune");
	for (guint i = 0; i < placement->topology->n_cells; i++) {
		if (!is_bound(placement, i))
			continue;
		open_element(w, "memnode");
		add_number(w, "cellid", i);
		add_attribute(w, "mode", "strict");
		add_number(w, "nodeset", placement->host_node[i]);
		close_element(w);
	}
	close_element(w);
}

static void write_os(xmlTextWriter *w, const RigDomainSpec *spec)
{
	open_element(w, "os");
	open_element(w, "type");
	add_attribute(w, "arch", "x86_64");
	add_attribute(w, "machine", "q35");
	xmlTextWriterWriteString(w, STR("hvm"));
	close_element(w);
	add_text(w, "kernel", spec->kernel);
	if (spec->initrd)
		add_text(w, "initrd", spec->initrd);
	add_text(w, "cmdline", spec->cmdline);
	close_element(w);
}

static void write_features(xmlTextWriter *w, const RigDomainSpec *spec)
{
	open_element(w, "features");
	add_empty(w, "acpi", NULL, NULL, NULL, NULL);
	add_empty(w, "apic", NULL, NULL, NULL, NULL);
	if (spec->dump)
		add_empty(w, "vmcoreinfo", "state", "on", NULL, NULL);
	close_element(w);
}

static void write_cell(xmlTextWriter *w, const RigTopology *topology, guint i)
{
	const RigCell *cell = &topology->cells[i];

	open_element(w, "cell");
	add_number(w, "id", i);
	if (rig_cpulist_count(cell->cpus)) {
		g_autofree char *cpus = rig_cpulist_format(cell->cpus);

		add_attribute(w, "cpus", cpus);
	}
	add_number(w, "memory", cell->memory / KIB);
	add_attribute(w, "unit", "KiB");
	open_element(w, "distances");
	for (guint j = 0; j < topology->n_cells; j++) {
		open_element(w, "sibling");
		add_number(w, "id", j);
		add_number(w, "value", rig_topology_distance(topology, i, j));
		close_element(w);
	}
	close_element(w);
	close_element(w);
}

static void write_cpu_model(xmlTextWriter *w, const RigPlacement *placement)
{
	if (placement->accel == RIG_ACCEL_KVM) {
		add_attribute(w, "mode", "host-passthrough");
		return;
	}
	add_attribute(w, "mode", "custom");
	add_attribute(w, "match", "exact");
	add_attribute(w, "check", "none");
	open_element(w, "model");
	add_attribute(w, "fallback", "forbid");
	xmlTextWriterWriteString(w, STR(placement->topology->nested ? TCG_NESTED_CPU : TCG_CPU));
	close_element(w);
}

static void write_cpu_features(xmlTextWriter *w, const char *policy, const char *const *names,
			       guint n)
{
	for (guint i = 0; i < n; i++)
		add_empty(w, "feature", "policy", policy, "name", names[i]);
}

static void write_tcg_features(xmlTextWriter *w, gboolean nested)
{
	if (nested) {
		write_cpu_features(w, "disable", tcg_nested_without,
				   G_N_ELEMENTS(tcg_nested_without));
		write_cpu_features(w, "require", tcg_nested_with, G_N_ELEMENTS(tcg_nested_with));
	} else {
		write_cpu_features(w, "disable", tcg_without, G_N_ELEMENTS(tcg_without));
		write_cpu_features(w, "require", tcg_with, G_N_ELEMENTS(tcg_with));
	}
}

static void write_cpu(xmlTextWriter *w, const RigPlacement *placement)
{
	const RigTopology *topology = placement->topology;

	open_element(w, "cpu");
	write_cpu_model(w, placement);
	open_element(w, "topology");
	add_number(w, "sockets", topology->sockets);
	add_number(w, "dies", 1);
	add_number(w, "cores", topology->cores);
	add_number(w, "threads", topology->threads);
	close_element(w);
	if (placement->accel == RIG_ACCEL_TCG)
		write_tcg_features(w, topology->nested);
	else if (placement->topoext)
		add_empty(w, "feature", "policy", "require", "name", "topoext");
	open_element(w, "numa");
	for (guint i = 0; i < topology->n_cells; i++)
		write_cell(w, topology, i);
	close_element(w);
	close_element(w);
}

/* A virtio device on the root bus; SLOT from 1 on. */
static void write_pci_address(xmlTextWriter *w, guint slot)
{
	open_element(w, "address");
	add_attribute(w, "type", "pci");
	add_attribute(w, "domain", "0x0000");
	add_attribute(w, "bus", "0x00");
	xmlTextWriterWriteFormatAttribute(w, STR("slot"), "0x%02x", slot);
	add_attribute(w, "function", "0x0");
	close_element(w);
}

/* The overlay is thrown away with the guest, so nothing has to reach the disk. */
static void write_disk(xmlTextWriter *w, const char *path)
{
	if (!path)
		return;
	open_element(w, "disk");
	add_attribute(w, "type", "file");
	add_attribute(w, "device", "disk");
	open_element(w, "driver");
	add_attribute(w, "name", "qemu");
	add_attribute(w, "type", "qcow2");
	add_attribute(w, "cache", "unsafe");
	add_attribute(w, "discard", "unmap");
	close_element(w);
	add_empty(w, "source", "file", path, NULL, NULL);
	add_empty(w, "target", "dev", "vda", "bus", "virtio");
	write_pci_address(w, 2);
	close_element(w);
}

static void write_serial(xmlTextWriter *w, const char *path, guint port, const char *type,
			 const char *model, guint iobase)
{
	open_element(w, "serial");
	add_attribute(w, "type", "file");
	add_empty(w, "source", "path", path, NULL, NULL);
	open_element(w, "target");
	add_attribute(w, "type", type);
	add_number(w, "port", port);
	add_empty(w, "model", "name", model, NULL, NULL);
	close_element(w);
	open_element(w, "address");
	add_attribute(w, "type", "isa");
	xmlTextWriterWriteFormatAttribute(w, STR("iobase"), "0x%x", iobase);
	close_element(w);
	close_element(w);
}

static void write_agent(xmlTextWriter *w, const char *socket)
{
	if (!socket)
		return;
	open_element(w, "controller");
	add_attribute(w, "type", "virtio-serial");
	add_attribute(w, "index", "0");
	add_attribute(w, "ports", "2");
	write_pci_address(w, 3);
	close_element(w);
	open_element(w, "channel");
	add_attribute(w, "type", "unix");
	add_empty(w, "source", "mode", "bind", "path", socket);
	add_empty(w, "target", "type", "virtio", "name", RIG_PORT_NAME);
	open_element(w, "address");
	add_attribute(w, "type", "virtio-serial");
	add_attribute(w, "controller", "0");
	add_attribute(w, "bus", "0");
	add_attribute(w, "port", "1");
	close_element(w);
	close_element(w);
}

static void write_devices(xmlTextWriter *w, const RigDomainSpec *spec)
{
	open_element(w, "devices");
	if (spec->emulator)
		add_text(w, "emulator", spec->emulator);
	write_disk(w, spec->disk);
	add_empty(w, "controller", "type", "usb", "model", "none");
	write_agent(w, spec->agent_socket);
	write_serial(w, spec->console, 0, "isa-serial", "isa-serial", 0x3f8);
	if (spec->debugcon)
		write_serial(w, spec->debugcon, 1, "isa-debug", "isa-debugcon", RIG_DEBUGCON_PORT);
	add_empty(w, "memballoon", "model", "none", NULL, NULL);
	add_empty(w, "panic", "model", "isa", NULL, NULL);
	close_element(w);
}

static void write_lifecycle(xmlTextWriter *w, const RigDomainSpec *spec)
{
	add_empty(w, "clock", "offset", "utc", NULL, NULL);
	add_text(w, "on_poweroff", "destroy");
	add_text(w, "on_reboot", "destroy");
	add_text(w, "on_crash", spec->dump ? "preserve" : "destroy");
}

static void write_action(xmlTextWriter *w, const char *action)
{
	add_empty(w, "qemu:arg", "value", "-action", NULL, NULL);
	add_empty(w, "qemu:arg", "value", action, NULL, NULL);
}

/* libvirt tells QEMU to stay when a guest panics or goes off, and ends it itself. With short
 * connections nobody is there to do that; so QEMU ends, and the end of its channels is seen at
 * once. Only a guest whose memory is wanted stays at a panic. */
static void write_actions(xmlTextWriter *w, const RigDomainSpec *spec)
{
	open_element(w, "qemu:commandline");
	write_action(w, "shutdown=poweroff");
	if (spec->dump)
		write_action(w, "panic=pause");
	close_element(w);
}

static void write_domain(xmlTextWriter *w, const RigDomainSpec *spec)
{
	const RigPlacement *placement = spec->placement;

	open_element(w, "domain");
	add_attribute(w, "type", placement->accel == RIG_ACCEL_KVM ? "kvm" : "qemu");
	add_attribute(w, "xmlns:qemu", "http://libvirt.org/schemas/domain/qemu/1.0");
	add_text(w, "name", spec->name);
	write_metadata(w, spec->metadata);
	write_kib(w, "memory", rig_topology_memory(placement->topology));
	write_memory_backing(w, placement);
	open_element(w, "vcpu");
	add_attribute(w, "placement", "static");
	xmlTextWriterWriteFormatString(w, "%u", rig_topology_vcpus(placement->topology));
	close_element(w);
	write_pins(w, placement);
	write_numatune(w, placement);
	write_os(w, spec);
	write_features(w, spec);
	write_cpu(w, placement);
	write_lifecycle(w, spec);
	write_devices(w, spec);
	if (spec->no_relabel)
		add_empty(w, "seclabel", "type", "none", "model", "dac");
	write_actions(w, spec);
	close_element(w);
}

char *rig_domxml_render(const RigDomainSpec *spec)
{
	xmlBuffer *buffer = xmlBufferCreate();
	xmlTextWriter *w = xmlNewTextWriterMemory(buffer, 0);
	char *text;

	/* libxml2 reports only a lack of memory here, on which GLib ends the process as well. */
	g_assert(w);
	xmlTextWriterSetIndent(w, 1);
	xmlTextWriterSetIndentString(w, STR("  "));
	write_domain(w, spec);
	xmlTextWriterEndDocument(w);
	xmlTextWriterFlush(w);
	xmlFreeTextWriter(w);
	text = g_strdup((const char *)xmlBufferContent(buffer));
	xmlBufferFree(buffer);
	return text;
}
