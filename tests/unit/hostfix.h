/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hostfix.h - hosts that this machine is not: capabilities text and a /sys to go with it.
 */
#pragma once

#include "model/host.h"
#include "expect.h"

typedef struct {
	guint nodes;	       /* nodes with CPUs, each a socket */
	guint cores, threads;  /* cores a node, threads a core */
	guint tiers;	       /* nodes without CPUs behind them */
	guint64 memory, free;  /* MiB a node */
	guint huge, free_huge; /* 2M pages a node */
	guint short_node;      /* this node has SHORT_FREE MiB free instead, if that is not 0 */
	guint64 short_free;
	const char *amd; /* flags of an AMD CPU, or NULL */
} HostFix;

/* CPUs are numbered as Intel firmware does: all first threads, node by node, then all second ones.
 */
static inline guint fix_cpu(const HostFix *fix, guint node, guint core, guint thread)
{
	return thread * fix->nodes * fix->cores + node * fix->cores + core;
}

static inline void fix_add_cpus(const HostFix *fix, GString *xml, guint node)
{
	g_string_append_printf(xml, "<cpus num='%u'>", fix->cores * fix->threads);
	for (guint t = 0; t < fix->threads; t++)
		for (guint c = 0; c < fix->cores; c++) {
			g_autoptr(RigCpuList) siblings = rig_cpulist_new();
			g_autofree char *text = NULL;

			for (guint s = 0; s < fix->threads; s++)
				rig_cpulist_add(siblings, fix_cpu(fix, node, c, s));
			text = rig_cpulist_format(siblings);
			g_string_append_printf(xml,
					       "<cpu id='%u' socket_id='%u' die_id='0' "
					       "core_id='%u' siblings='%s'/>",
					       fix_cpu(fix, node, c, t), node, c, text);
		}
	g_string_append(xml, "</cpus>");
}

static inline char *fix_capabilities(const HostFix *fix)
{
	GString *xml = g_string_new("<capabilities><host><cpu><arch>x86_64</arch>"
				    "<model>Icelake-Server</model></cpu><topology><cells>");

	for (guint n = 0; n < fix->nodes + fix->tiers; n++) {
		g_string_append_printf(xml,
				       "<cell id='%u'><memory unit='KiB'>%" G_GUINT64_FORMAT
				       "</memory><pages unit='KiB' size='2048'>%u</pages>",
				       n, fix->memory * 1024, fix->huge);
		if (n < fix->nodes)
			fix_add_cpus(fix, xml, n);
		else
			g_string_append(xml, "<cpus num='0'></cpus>");
		g_string_append(xml, "</cell>");
	}
	g_string_append(xml, "</cells></topology>"
			     "<secmodel><model>apparmor</model><doi>0</doi></secmodel>"
			     "<secmodel><model>dac</model><doi>0</doi>"
			     "<baselabel type='kvm'>+64055:+64055</baselabel></secmodel>"
			     "</host></capabilities>");
	return g_string_free(xml, FALSE);
}

static inline void fix_write(const char *root, const char *path, const char *text)
{
	g_autofree char *full = g_strconcat(root, path, NULL);
	g_autofree char *dir = g_path_get_dirname(full);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(g_mkdir_with_parents(dir, 0755), ==, 0);
	g_file_set_contents(full, text, -1, &error);
	g_assert_no_error(error);
}

static inline void fix_write_node(const HostFix *fix, const char *root, guint n)
{
	guint64 free = fix->short_free && fix->short_node == n ? fix->short_free : fix->free;
	g_autofree char *dir = g_strdup_printf("/sys/devices/system/node/node%u", n);
	g_autofree char *meminfo = g_strconcat(dir, "/meminfo", NULL);
	g_autofree char *huge =
		g_strconcat(dir, "/hugepages/hugepages-2048kB/free_hugepages", NULL);
	g_autofree char *count = g_strdup_printf("%u\n", fix->free_huge);
	g_autofree char *text = g_strdup_printf("Node %u MemTotal:       %" G_GUINT64_FORMAT " kB\n"
						"Node %u MemFree:        %" G_GUINT64_FORMAT " kB\n"
						"Node %u Inactive(file): 1024 kB\n",
						n, fix->memory * 1024, n, free * 1024 - 1024, n);

	fix_write(root, meminfo, text);
	fix_write(root, huge, count);
}

static inline RigHost *fix_host(const HostFix *fix)
{
	g_autofree char *xml = fix_capabilities(fix);
	g_autoptr(GError) error = NULL;
	char *root = expect_temp_dir();
	RigHost *host;

	for (guint n = 0; n < fix->nodes + fix->tiers; n++)
		fix_write_node(fix, root, n);
	if (fix->amd) {
		g_autofree char *text = g_strdup_printf(
			"processor\t: 0\nvendor_id\t: AuthenticAMD\nflags\t\t: fpu %s sse\n",
			fix->amd);

		fix_write(root, "/proc/cpuinfo", text);
	}
	host = rig_host_parse(xml, root, &error);
	g_assert_no_error(error);
	expect_remove(root);
	return host;
}
