/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doctor-host.c - the host as a place to measure on: CPUs, nodes, memory, what makes timings noisy.
 */
#include "cli/doctor.h"

#include <stdio.h>
#include <string.h>
#include <sys/sysinfo.h>

#include "base/cpulist.h"
#include "base/file.h"
#include "base/size.h"
#include "base/text.h"
#include "model/host.h"

#define GROUP "host"
/* Two cells of 256 MiB, QEMU and libguestfs' appliance beside each other. */
#define MEMORY_MIN (1024ULL * 1024 * 1024)
#define MEMORY_GOOD (3ULL * 1024 * 1024 * 1024)

void rig_finding_free(RigFinding *finding)
{
	if (!finding)
		return;
	g_free(finding->group);
	g_free(finding->name);
	g_free(finding->text);
	g_free(finding->advice);
	g_free(finding);
}

void rig_finding_add(GPtrArray *findings, RigFindingLevel level, const char *group,
		     const char *name, char *text, const char *advice)
{
	RigFinding *finding = g_new0(RigFinding, 1);

	finding->level = level;
	finding->group = g_strdup(group);
	finding->name = g_strdup(name);
	finding->text = text ? text : g_strdup("");
	finding->advice = g_strdup(advice);
	g_ptr_array_add(findings, finding);
}

static char *read_word(const char *path)
{
	char *text = rig_file_read(path, 65536, NULL, NULL);

	return text ? g_strstrip(text) : NULL;
}

static char *cpu_model(void)
{
	g_autofree char *text = rig_file_read("/proc/cpuinfo", 16 * 1024 * 1024, NULL, NULL);
	const char *at = text ? strstr(text, "model name") : NULL;
	const char *colon = at ? strchr(at, ':') : NULL;

	return colon ? g_strstrip(g_strndup(colon + 1, strcspn(colon + 1, "\n"))) : g_strdup("CPU");
}

static void check_cpus(GPtrArray *findings)
{
	g_autofree char *model = cpu_model();

	rig_finding_add(findings, RIG_FINDING_OK, GROUP, "CPUs",
			g_strdup_printf("%d x %s", get_nprocs(), model), NULL);
}

/* "free" or "nr" hugepages of a node and size, -1 where there are none of that size. */
static gint64 hugepages(guint node, const char *size, const char *what)
{
	g_autofree char *path = g_strdup_printf(
		"/sys/devices/system/node/node%u/hugepages/hugepages-%skB/%s_hugepages", node, size,
		what);
	g_autofree char *text = read_word(path);

	return text ? g_ascii_strtoll(text, NULL, 10) : -1;
}

static void add_hugepages(GString *text, guint node)
{
	static const struct {
		const char *kb, *name;
	} sizes[] = {{"2048", "2M"}, {"1048576", "1G"}};

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		gint64 total = hugepages(node, sizes[i].kb, "nr");

		if (total > 0)
			g_string_append_printf(
				text,
				", %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " %s hugepages free",
				hugepages(node, sizes[i].kb, "free"), total, sizes[i].name);
	}
}

static guint64 node_free(guint node)
{
	g_autofree char *path = g_strdup_printf("/sys/devices/system/node/node%u/meminfo", node);
	g_autofree char *text = rig_file_read(path, 65536, NULL, NULL);
	const char *at = text ? strstr(text, "MemFree:") : NULL;

	return at ? g_ascii_strtoull(at + strlen("MemFree:"), NULL, 10) * 1024 : 0;
}

static void check_node(GPtrArray *findings, guint node)
{
	g_autofree char *name = g_strdup_printf("node %u", node);
	g_autofree char *path = g_strdup_printf("/sys/devices/system/node/node%u/cpulist", node);
	g_autofree char *cpus = read_word(path);
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "CPUs %s, %.1f GiB free", cpus && *cpus ? cpus : "none",
			       (double)node_free(node) / (1 << 30));
	add_hugepages(text, node);
	rig_finding_add(findings, RIG_FINDING_OK, GROUP, name, g_string_free(text, FALSE), NULL);
}

static void check_nodes(GPtrArray *findings)
{
	g_autofree char *text = read_word("/sys/devices/system/node/online");
	g_autoptr(RigCpuList) nodes = text ? rig_cpulist_parse(text, NULL) : NULL;

	for (guint i = 0; nodes && i < rig_cpulist_count(nodes); i++)
		check_node(findings, rig_cpulist_at(nodes, i));
	if (!nodes || rig_cpulist_count(nodes) < 2)
		rig_finding_add(
			findings, RIG_FINDING_WARN, GROUP, "NUMA",
			g_strdup("one node: cells cannot be bound to nodes of their own"),
			"timings of class A need a host with as many nodes as the topology has "
			"cells; event counts do not");
}

static guint64 available_memory(void)
{
	g_autofree char *text = rig_file_read("/proc/meminfo", 65536, NULL, NULL);
	const char *at = text ? strstr(text, "MemAvailable:") : NULL;

	return at ? g_ascii_strtoull(at + strlen("MemAvailable:"), NULL, 10) * 1024 : 0;
}

static void check_memory(GPtrArray *findings)
{
	guint64 bytes = available_memory();
	RigFindingLevel level = bytes >= MEMORY_GOOD  ? RIG_FINDING_OK
				: bytes >= MEMORY_MIN ? RIG_FINDING_WARN
						      : RIG_FINDING_FAIL;

	rig_finding_add(findings, level, GROUP, "memory",
			g_strdup_printf("%.1f GiB available", (double)bytes / (1 << 30)),
			level == RIG_FINDING_OK
				? NULL
				: "two cells of 1 GiB and QEMU want 3 GiB; with less use "
				  "--cell-memory 256M");
}

static void check_hygiene(GPtrArray *findings)
{
	g_autoptr(GPtrArray) items = rig_host_hygiene("");

	for (guint i = 0; items && i < items->len; i++) {
		const RigHygiene *item = items->pdata[i];
		const char *name = g_str_has_prefix(item->key, "host.") ? item->key + 5 : item->key;

		rig_finding_add(findings, item->advice ? RIG_FINDING_WARN : RIG_FINDING_OK,
				"hygiene", name, g_strdup(item->value), item->advice);
	}
}

void rig_doctor_host(RigCli *cli, GPtrArray *findings)
{
	check_cpus(findings);
	check_nodes(findings);
	check_memory(findings);
	check_hygiene(findings);
}
