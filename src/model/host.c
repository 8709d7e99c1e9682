/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * host.c - the host's nodes, cores and memory from libvirt's capabilities and from /sys.
 *
 * libvirt tells what is there, for a remote host too; what is free at the moment it does not tell,
 * so that comes from /sys of the local host.
 */
#include "model/host.h"

#include <libxml/parser.h>
#include <libxml/tree.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define CPUINFO_MAX (16 * 1024 * 1024)
#define CAPABILITIES_MAX (16 << 20)
#define NODE_FILE_MAX (64 << 10)
#define KIB 1024

static void node_clear(gpointer data)
{
	RigHostNode *node = data;

	rig_cpulist_free(node->cpus);
	g_ptr_array_unref(node->cores);
}

void rig_host_free(RigHost *host)
{
	if (!host)
		return;
	for (guint i = 0; i < host->n_nodes; i++)
		node_clear(&host->nodes[i]);
	g_free(host->nodes);
	g_free(host->model);
	g_free(host->dac_label);
	g_free(host);
}

static xmlNode *child(xmlNode *parent, const char *name)
{
	for (xmlNode *n = parent ? parent->children : NULL; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE && !strcmp((const char *)n->name, name))
			return n;
	return NULL;
}

static xmlNode *next_of(xmlNode *node)
{
	for (xmlNode *n = node->next; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE && !xmlStrcmp(n->name, node->name))
			return n;
	return NULL;
}

static char *text_of(xmlNode *node)
{
	xmlChar *text = node ? xmlNodeGetContent(node) : NULL;
	char *copy = g_strdup((const char *)text);

	xmlFree(text);
	return copy ? g_strstrip(copy) : NULL;
}

static char *attribute(xmlNode *node, const char *name)
{
	xmlChar *text = xmlGetProp(node, (const xmlChar *)name);
	char *copy = g_strdup((const char *)text);

	xmlFree(text);
	return copy;
}

static gboolean attribute_number(xmlNode *node, const char *name, guint64 max, guint64 *value,
				 GError **error)
{
	g_autofree char *text = attribute(node, name);

	if (text && g_ascii_string_to_unsigned(text, 10, 0, max, value, NULL))
		return TRUE;
	rig_error_set(error, RIG_ERROR_HOST,
		      "capabilities: <%s>: %s is \"%s\", not a number up to %" G_GUINT64_FORMAT,
		      (const char *)node->name, name, text ? text : "", max);
	return FALSE;
}

static void add_core(RigHostNode *node, RigCpuList *siblings)
{
	for (guint i = 0; i < node->cores->len; i++)
		if (rig_cpulist_intersects(node->cores->pdata[i], siblings)) {
			rig_cpulist_free(siblings);
			return;
		}
	g_ptr_array_add(node->cores, siblings);
}

static gboolean parse_cpu(xmlNode *element, RigHostNode *node, GError **error)
{
	g_autofree char *text = attribute(element, "siblings");
	g_autoptr(RigCpuList) siblings = NULL;
	guint64 id, socket = 0;

	if (!attribute_number(element, "id", RIG_CPULIST_MAX - 1, &id, error))
		return FALSE;
	/* An offline CPU is listed by its id alone; nothing can be pinned to it. */
	if (!text)
		return TRUE;
	siblings = rig_cpulist_parse(text, NULL);
	if (!siblings) {
		rig_error_set(error, RIG_ERROR_HOST,
			      "capabilities: <cpu id='%" G_GUINT64_FORMAT
			      "'>: siblings: \"%s\" is not a list",
			      id, text);
		return FALSE;
	}
	if (!attribute_number(element, "socket_id", G_MAXINT, &socket, error))
		return FALSE;
	if (!rig_cpulist_count(node->cpus))
		node->socket = socket;
	rig_cpulist_add(node->cpus, id);
	rig_cpulist_add(siblings, id);
	add_core(node, g_steal_pointer(&siblings));
	return TRUE;
}

static gboolean parse_pages(xmlNode *element, RigHostNode *node, GError **error)
{
	g_autofree char *text = text_of(element);
	guint64 size, count;

	if (!attribute_number(element, "size", G_MAXUINT32, &size, error))
		return FALSE;
	if (!g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64, &count, NULL)) {
		rig_error_set(error, RIG_ERROR_HOST,
			      "capabilities: <pages>: \"%s\" is not a number", text);
		return FALSE;
	}
	if (size == 2 * KIB)
		node->hugepages_2m = count;
	if (size == KIB * KIB)
		node->hugepages_1g = count;
	return TRUE;
}

static gboolean parse_memory(xmlNode *element, RigHostNode *node, GError **error)
{
	g_autofree char *text = text_of(element);
	g_autofree char *unit = attribute(element, "unit");
	guint64 kib;

	if (!g_strcmp0(unit, "KiB") &&
	    g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT64 / KIB, &kib, NULL)) {
		node->memory = kib * KIB;
		return TRUE;
	}
	rig_error_set(error, RIG_ERROR_HOST, "capabilities: node %u: memory is \"%s\" %s, not KiB",
		      node->id, text, unit ? unit : "without a unit");
	return FALSE;
}

static gboolean parse_node(xmlNode *cell, RigHostNode *node, GError **error)
{
	xmlNode *memory = child(cell, "memory");
	guint64 id;

	if (!attribute_number(cell, "id", RIG_CPULIST_MAX - 1, &id, error))
		return FALSE;
	node->id = id;
	if (memory && !parse_memory(memory, node, error))
		return FALSE;
	for (xmlNode *n = child(cell, "pages"); n; n = next_of(n))
		if (!parse_pages(n, node, error))
			return FALSE;
	for (xmlNode *n = child(child(cell, "cpus"), "cpu"); n; n = next_of(n))
		if (!parse_cpu(n, node, error))
			return FALSE;
	return TRUE;
}

static gboolean parse_nodes(xmlNode *cells, GArray *nodes, GError **error)
{
	for (xmlNode *n = child(cells, "cell"); n; n = next_of(n)) {
		RigHostNode node = {
			.cpus = rig_cpulist_new(),
			.cores = g_ptr_array_new_with_free_func((GDestroyNotify)rig_cpulist_free),
			.socket = -1};

		g_array_append_val(nodes, node);
		if (!parse_node(n, &g_array_index(nodes, RigHostNode, nodes->len - 1), error))
			return FALSE;
	}
	if (nodes->len)
		return TRUE;
	rig_error_set(error, RIG_ERROR_HOST, "capabilities: no <cell> below <topology>");
	return FALSE;
}

static char *parse_dac_label(xmlNode *host)
{
	for (xmlNode *n = child(host, "secmodel"); n; n = next_of(n)) {
		g_autofree char *model = text_of(child(n, "model"));

		if (!g_strcmp0(model, "dac"))
			return text_of(child(n, "baselabel"));
	}
	return NULL;
}

static gboolean line_value(const char *text, const char *key, guint64 *value)
{
	const char *at = text ? strstr(text, key) : NULL;

	if (!at)
		return FALSE;
	at += strlen(key);
	*value = g_ascii_strtoull(at + strspn(at, " :\t"), NULL, 10);
	return TRUE;
}

static char *read_node_file(const char *root, guint id, const char *name)
{
	g_autofree char *path =
		g_strdup_printf("%s/sys/devices/system/node/node%u/%s", root, id, name);

	return rig_file_read(path, NODE_FILE_MAX, NULL, NULL);
}

/* Free, and what the kernel gives back at once: clean page cache and slab. A bound guest's first
 * touch reclaims them on its node. */
static guint64 read_free_memory(const char *root, guint id)
{
	static const char *const parts[] = {
		" MemFree:", " Active(file):", " Inactive(file):", " SReclaimable:"};
	g_autofree char *text = read_node_file(root, id, "meminfo");
	guint64 sum = 0, value;

	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		if (line_value(text, parts[i], &value))
			sum += value * KIB;
	return sum;
}

static guint64 read_free_hugepages(const char *root, guint id, guint size_kib)
{
	g_autofree char *name =
		g_strdup_printf("hugepages/hugepages-%ukB/free_hugepages", size_kib);
	g_autofree char *text = read_node_file(root, id, name);

	return text ? g_ascii_strtoull(text, NULL, 10) : 0;
}

/* The kernel's own estimate for the whole machine; better than ours, but not told by node. Some
 * virtual machines also grow without their node's counters. */
static guint64 read_available(const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/meminfo", NULL);
	g_autofree char *text = rig_file_read(path, NODE_FILE_MAX, NULL, NULL);
	guint64 kib;

	return line_value(text, "\nMemAvailable:", &kib) ? kib * KIB : 0;
}

static void read_free(RigHost *host, const char *root)
{
	guint64 available = host->n_nodes == 1 ? read_available(root) : 0;

	for (guint i = 0; i < host->n_nodes; i++) {
		RigHostNode *node = &host->nodes[i];

		node->free_memory = available ? available : read_free_memory(root, node->id);
		node->free_hugepages_2m = read_free_hugepages(root, node->id, 2 * KIB);
		node->free_hugepages_1g = read_free_hugepages(root, node->id, KIB * KIB);
	}
}

static gboolean parse_host(xmlNode *root, RigHost *host, GError **error)
{
	xmlNode *element = child(root, "host");
	g_autoptr(GArray) nodes = g_array_new(FALSE, TRUE, sizeof(RigHostNode));

	g_array_set_clear_func(nodes, node_clear);
	if (!parse_nodes(child(child(element, "topology"), "cells"), nodes, error))
		return FALSE;
	host->n_nodes = nodes->len;
	host->nodes = g_memdup2(nodes->data, nodes->len * sizeof(RigHostNode));
	g_array_set_clear_func(nodes, NULL);
	host->model = text_of(child(child(element, "cpu"), "model"));
	host->dac_label = parse_dac_label(element);
	for (guint i = 0; i < host->n_nodes; i++)
		host->cpus += rig_cpulist_count(host->nodes[i].cpus);
	if (host->cpus)
		return TRUE;
	rig_error_set(error, RIG_ERROR_HOST, "capabilities: no CPU in any node");
	return FALSE;
}

/* The first CPU's flags; libvirt's models imply them or not. */
static void read_topoext(RigHost *host, const char *root)
{
	g_autofree char *path = g_strconcat(root, "/proc/cpuinfo", NULL);
	g_autofree char *text = rig_file_read(path, CPUINFO_MAX, NULL, NULL);
	const char *flags = text ? strstr(text, "\nflags") : NULL;
	g_autofree char *line = flags ? g_strndup(flags + 1, strcspn(flags + 1, "\n")) : NULL;
	g_auto(GStrv) words = line ? g_strsplit(line, " ", -1) : NULL;

	if (!words || !(strstr(text, "AuthenticAMD") || strstr(text, "HygonGenuine")))
		return;
	host->topoext = g_strv_contains((const char *const *)words, "topoext");
	host->lacks_topoext = !host->topoext;
}

RigHost *rig_host_parse(const char *capabilities_xml, const char *sysfs_root, GError **error)
{
	g_autoptr(RigHost) host = g_new0(RigHost, 1);
	gsize length = strlen(capabilities_xml);
	xmlDoc *doc = NULL;
	gboolean ok;

	if (length <= CAPABILITIES_MAX)
		doc = xmlReadMemory(capabilities_xml, length, "capabilities", NULL,
				    XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
	if (!doc) {
		rig_error_set(error, RIG_ERROR_HOST, "capabilities: not well-formed XML");
		return NULL;
	}
	ok = parse_host(xmlDocGetRootElement(doc), host, error);
	xmlFreeDoc(doc);
	if (!ok)
		return NULL;
	if (sysfs_root) {
		read_free(host, sysfs_root);
		read_topoext(host, sysfs_root);
	}
	return g_steal_pointer(&host);
}
