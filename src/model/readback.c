/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readback.c - the guest's own view of its topology, held against what was asked.
 *
 * A machine that came up otherwise (a kernel that merged nodes, a firmware table that did not
 * arrive) would be measured under a wrong name. All text is the guest's and is not trusted.
 */
#include "model/readback.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

#define NODE_DIR "/sys/devices/system/node/"
#define CPU_DIR "/sys/devices/system/cpu/"
#define MEMORY_SHARE                                                                            \
	70 /* percent of a cell that its node shows: the kernel, initramfs and page structs are \
	      off */
#define LINE_MAX_SHOWN 200

const char *const *rig_readback_paths(void)
{
	static const char *const paths[] = {NODE_DIR "online",
					    NODE_DIR "possible",
					    NODE_DIR "node*/cpulist",
					    NODE_DIR "node*/meminfo",
					    NODE_DIR "node*/distance",
					    CPU_DIR "online",
					    CPU_DIR "cpu*/topology/physical_package_id",
					    CPU_DIR "cpu*/topology/core_id",
					    "/proc/meminfo",
					    "/proc/cmdline",
					    "/proc/version",
					    "/proc/sys/kernel/osrelease",
					    "/proc/sys/kernel/numa_balancing",
					    NULL};

	return paths;
}

void rig_readback_clear(RigReadback *readback)
{
	g_free(readback->release);
	g_free(readback->cmdline);
	g_free(readback->numa_balancing);
	memset(readback, 0, sizeof(*readback));
}

/* The first line of a file, safe to show; NULL if the guest did not send it. */
static char *line_of(const GPtrArray *files, const char *path)
{
	const RigRawFile *file = rig_raw_find(files, path, -1);
	g_autofree char *line = NULL;

	if (!file)
		return NULL;
	line = g_strndup(file->text, strcspn(file->text, "\n"));
	return rig_text_safe(line, -1);
}

static char *shown(const char *line)
{
	if (!line)
		return g_strdup("not told");
	return g_strdup_printf("\"%.*s\"", LINE_MAX_SHOWN, line);
}

static RigCpuList *list_of(const GPtrArray *files, const char *path, const char *what,
			   GError **error)
{
	g_autofree char *line = line_of(files, path);
	RigCpuList *list;

	if (!line) {
		rig_error_set(error, RIG_ERROR_BOOT, "guest: %s is not told (%s is missing)", what,
			      path);
		return NULL;
	}
	list = rig_cpulist_parse(line, NULL);
	if (!list) {
		g_autofree char *text = shown(line);

		rig_error_set(error, RIG_ERROR_BOOT, "guest: %s is %s, not a list", what, text);
	}
	return list;
}

static gboolean check_list(const GPtrArray *files, const char *path, const char *what,
			   const RigCpuList *expected, GError **error)
{
	g_autoptr(RigCpuList) list = list_of(files, path, what, error);
	g_autofree char *is = NULL, *should = NULL;

	if (!list)
		return FALSE;
	if (rig_cpulist_equal(list, expected))
		return TRUE;
	is = rig_cpulist_format(list);
	should = rig_cpulist_format(expected);
	rig_error_set(error, RIG_ERROR_BOOT, "guest: %s %s, not %s", what, *is ? is : "none",
		      *should ? should : "none");
	return FALSE;
}

static gboolean check_online(const GPtrArray *files, const RigTopology *shape, GError **error)
{
	g_autoptr(RigCpuList) nodes = rig_cpulist_new();
	g_autoptr(RigCpuList) cpus = rig_cpulist_new();

	rig_cpulist_add_range(nodes, 0, shape->n_cells - 1);
	rig_cpulist_add_range(cpus, 0, rig_topology_vcpus(shape) - 1);
	if (!rig_raw_find(files, NODE_DIR "online", -1)) {
		rig_error_set_hint(error, RIG_ERROR_BOOT, "boot a kernel with CONFIG_NUMA=y",
				   "guest: it tells no nodes (" NODE_DIR "online is missing)");
		return FALSE;
	}
	return check_list(files, CPU_DIR "online", "it has cpus", cpus, error) &&
	       check_list(files, NODE_DIR "online", "it has nodes", nodes, error);
}

/* The number before "kB" in the line that has KEY; FALSE if there is none. */
static gboolean kib_of(const char *text, const char *key, guint64 *bytes)
{
	const char *at = text ? strstr(text, key) : NULL;
	char *end;
	guint64 kib;

	if (!at)
		return FALSE;
	at += strlen(key);
	at += strspn(at, " \t");
	kib = g_ascii_strtoull(at, &end, 10);
	if (end == at || kib > G_MAXUINT64 / 1024 || strncmp(end, " kB", 3))
		return FALSE;
	*bytes = kib * 1024;
	return TRUE;
}

static gboolean check_node_memory(const GPtrArray *files, guint node, guint64 asked, GError **error)
{
	g_autofree char *path = g_strdup_printf(NODE_DIR "node%u/meminfo", node);
	g_autofree char *key = g_strdup_printf("Node %u MemTotal:", node);
	const RigRawFile *file = rig_raw_find(files, path, -1);
	guint64 total;

	if (!file || !kib_of(file->text, key, &total)) {
		rig_error_set(error, RIG_ERROR_BOOT, "guest: node %u tells no memory (%s)", node,
			      path);
		return FALSE;
	}
	if (total <= asked && total >= asked / 100 * MEMORY_SHARE)
		return TRUE;
	rig_error_set(error, RIG_ERROR_BOOT,
		      "guest: node %u has %" G_GUINT64_FORMAT
		      " MiB of memory, not %" G_GUINT64_FORMAT " MiB",
		      node, total >> 20, asked >> 20);
	return FALSE;
}

static gboolean distances_match(const char *line, const RigTopology *shape, guint node)
{
	for (guint i = 0; i < shape->n_cells; i++) {
		char *end;
		guint64 distance = g_ascii_strtoull(line, &end, 10);

		if (end == line || distance != rig_topology_distance(shape, node, i))
			return FALSE;
		line = end;
	}
	return line[strspn(line, " \n")] == '\0';
}

static char *expected_distances(const RigTopology *shape, guint node)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < shape->n_cells; i++)
		g_string_append_printf(text, "%s%u", i ? " " : "",
				       rig_topology_distance(shape, node, i));
	return g_string_free(text, FALSE);
}

static gboolean check_distances(const GPtrArray *files, const RigTopology *shape, guint node,
				GError **error)
{
	g_autofree char *path = g_strdup_printf(NODE_DIR "node%u/distance", node);
	g_autofree char *line = line_of(files, path);
	g_autofree char *is = NULL, *should = NULL;

	if (line && distances_match(line, shape, node))
		return TRUE;
	is = shown(line);
	should = expected_distances(shape, node);
	rig_error_set(error, RIG_ERROR_BOOT, "guest: node %u has distances %s, not \"%s\"", node,
		      is, should);
	return FALSE;
}

static gboolean check_node(const GPtrArray *files, const RigTopology *shape, guint node,
			   GError **error)
{
	g_autofree char *path = g_strdup_printf(NODE_DIR "node%u/cpulist", node);
	g_autofree char *what = g_strdup_printf("node %u has cpus", node);

	return check_list(files, path, what, shape->cells[node].cpus, error) &&
	       check_node_memory(files, node, shape->cells[node].memory, error) &&
	       check_distances(files, shape, node, error);
}

/* A package or core number; the numbers themselves are the kernel's affair, which CPUs share one is
 * ours. */
static gboolean cpu_number(const GPtrArray *files, guint cpu, const char *name, gint64 *value,
			   GError **error)
{
	g_autofree char *path = g_strdup_printf(CPU_DIR "cpu%u/topology/%s", cpu, name);
	g_autofree char *line = line_of(files, path);
	g_autofree char *text = NULL;

	if (line && g_ascii_string_to_signed(line, 10, 0, G_MAXINT32, value, NULL))
		return TRUE;
	text = shown(line);
	rig_error_set(error, RIG_ERROR_BOOT, "guest: %s of cpu %u is %s", name, cpu, text);
	return FALSE;
}

typedef struct {
	gint64 package, core;
} CpuPlace;

static gboolean read_places(const GPtrArray *files, CpuPlace *places, guint n, GError **error)
{
	for (guint v = 0; v < n; v++)
		if (!cpu_number(files, v, "physical_package_id", &places[v].package, error) ||
		    !cpu_number(files, v, "core_id", &places[v].core, error))
			return FALSE;
	return TRUE;
}

static gboolean set_sharing_error(guint a, guint b, gboolean share, const char *what,
				  GError **error)
{
	rig_error_set(error, RIG_ERROR_BOOT, "guest: cpus %u and %u %s one %s", a, b,
		      share ? "share" : "do not share", what);
	return FALSE;
}

static gboolean check_packages(const GPtrArray *files, const RigTopology *shape, GError **error)
{
	guint n = rig_topology_vcpus(shape), per_socket = shape->cores * shape->threads;
	g_autofree CpuPlace *places = g_new0(CpuPlace, n);

	if (!read_places(files, places, n, error))
		return FALSE;
	for (guint a = 0; a < n; a++)
		for (guint b = 0; b < a; b++) {
			gboolean package = places[a].package == places[b].package;
			gboolean core = package && places[a].core == places[b].core;

			if (package != (a / per_socket == b / per_socket))
				return set_sharing_error(b, a, package, "package", error);
			if (core != (a / shape->threads == b / shape->threads))
				return set_sharing_error(b, a, core, "core", error);
		}
	return TRUE;
}

static void fill(const GPtrArray *files, const RigTopology *shape, RigReadback *out)
{
	const RigRawFile *meminfo = rig_raw_find(files, "/proc/meminfo", -1);

	memset(out, 0, sizeof(*out));
	kib_of(meminfo ? meminfo->text : NULL, "MemTotal:", &out->mem_total);
	out->cpus = rig_topology_vcpus(shape);
	out->nodes = shape->n_cells;
	out->release = line_of(files, "/proc/sys/kernel/osrelease");
	out->cmdline = line_of(files, "/proc/cmdline");
	out->numa_balancing = line_of(files, "/proc/sys/kernel/numa_balancing");
}

gboolean rig_readback_check(const GPtrArray *files, const RigTopology *shape, RigReadback *out,
			    GError **error)
{
	if (out)
		memset(out, 0, sizeof(*out));
	if (!check_online(files, shape, error))
		return FALSE;
	for (guint node = 0; node < shape->n_cells; node++)
		if (!check_node(files, shape, node, error))
			return FALSE;
	if (!check_packages(files, shape, error))
		return FALSE;
	if (out)
		fill(files, shape, out);
	return TRUE;
}
