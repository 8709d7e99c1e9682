/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hostplace.c - a QEMU process's numa_maps and threads held against a placement.
 */
#include "model/hostplace.h"

#include <string.h>

#include "base/error.h"
#include "base/json.h"

#define NODES_MAX 64
#define VCPU_PREFIX "CPU "
#define HINT_THREADS "something on this host moves threads (a daemon, a cpuset, taskset)"
#define HINT_PAGES "something on this host moves pages (migratepages, a cpuset)"

struct RigHostPlace {
	GArray *nodes;	 /* gint: the host node of each cell */
	GPtrArray *pins; /* RigCpuList*: the CPUs of each vCPU */
	RigCpuList *emulator;
};

void rig_hostplace_free(RigHostPlace *place)
{
	if (!place)
		return;
	g_array_unref(place->nodes);
	g_ptr_array_unref(place->pins);
	rig_cpulist_free(place->emulator);
	g_free(place);
}

void rig_hostthread_free(RigHostThread *thread)
{
	if (!thread)
		return;
	g_free(thread->name);
	g_free(thread->allowed);
	g_free(thread);
}

/* Reading what was asked. */

static RigCpuList *read_list(RigJson *value, const char *key)
{
	const char *text = rig_json_string(value, key, RIG_JSON_REQUIRED);
	g_autoptr(GError) error = NULL;
	RigCpuList *list = text ? rig_cpulist_parse(text, &error) : NULL;

	if (error)
		rig_json_fail(value, key, "%s", error->message);
	return list ? list : rig_cpulist_new();
}

static void read_place(RigJson *root, RigHostPlace *place)
{
	static const char *const others[] = {"class",	 "accel", "fitted",
					     "hugepage", "notes", "topology"};
	RigJson *nodes = rig_json_array(root, "host_nodes", RIG_JSON_REQUIRED);
	RigJson *pins = rig_json_array(root, "vcpu_pin", RIG_JSON_REQUIRED);

	for (guint i = 0; nodes && i < rig_json_length(nodes); i++) {
		gint node = (gint)rig_json_int(rig_json_at(nodes, i), NULL, RIG_JSON_REQUIRED, -1,
					       NODES_MAX - 1, -1);

		g_array_append_val(place->nodes, node);
	}
	for (guint v = 0; pins && v < rig_json_length(pins); v++)
		g_ptr_array_add(place->pins, read_list(rig_json_at(pins, v), NULL));
	if (rig_json_has(root, "emulator_pin"))
		place->emulator = read_list(root, "emulator_pin");
	for (guint i = 0; i < G_N_ELEMENTS(others); i++)
		rig_json_ignore(root, others[i]);
}

RigHostPlace *rig_hostplace_parse(const char *json, GError **error)
{
	g_autoptr(RigHostPlace) place = g_new0(RigHostPlace, 1);
	g_autoptr(RigJson) root = NULL;

	place->nodes = g_array_new(FALSE, FALSE, sizeof(gint));
	place->pins = g_ptr_array_new_with_free_func((GDestroyNotify)rig_cpulist_free);
	root = rig_json_parse("placement", json, -1, error);
	if (!root)
		return NULL;
	read_place(root, place);
	return rig_json_finish(root, error) ? g_steal_pointer(&place) : NULL;
}

/* Threads. */

static gboolean check_allowed(const RigCpuList *wanted, const char *allowed, const char *who,
			      GError **error)
{
	g_autoptr(RigCpuList) list = allowed ? rig_cpulist_parse(allowed, NULL) : NULL;
	g_autofree char *is = NULL, *should = NULL;

	if (list && rig_cpulist_equal(list, wanted))
		return TRUE;
	is = list ? rig_cpulist_format(list) : g_strdup("none that can be read");
	should = rig_cpulist_format(wanted);
	rig_error_set_hint(error, RIG_ERROR_HOST, HINT_THREADS,
			   "%s may run on host CPUs %s, it was put on %s", who, is, should);
	return FALSE;
}

/* The number in "CPU 3/KVM"; FALSE for another thread. */
static gboolean vcpu_of(const char *name, guint64 *vcpu)
{
	char *end;

	if (!g_str_has_prefix(name, VCPU_PREFIX))
		return FALSE;
	*vcpu = g_ascii_strtoull(name + strlen(VCPU_PREFIX), &end, 10);
	return *end == '/';
}

static const RigHostThread *find_vcpu(const GPtrArray *threads, guint64 wanted)
{
	guint64 vcpu;

	for (guint i = 0; i < threads->len; i++) {
		const RigHostThread *thread = threads->pdata[i];

		if (vcpu_of(thread->name, &vcpu) && vcpu == wanted)
			return thread;
	}
	return NULL;
}

static gboolean check_threads(const RigHostPlace *place, const GPtrArray *threads, GError **error)
{
	for (guint v = 0; v < place->pins->len; v++) {
		const RigHostThread *thread = find_vcpu(threads, v);
		g_autofree char *who = g_strdup_printf("vCPU %u", v);

		if (!thread) {
			rig_error_set_hint(error, RIG_ERROR_HOST, "rig doctor tells its version",
					   "QEMU has no thread of vCPU %u", v);
			return FALSE;
		}
		if (!check_allowed(place->pins->pdata[v], thread->allowed, who, error))
			return FALSE;
	}
	for (guint i = 0; place->emulator && i < threads->len; i++) {
		const RigHostThread *thread = threads->pdata[i];

		if (thread->is_main &&
		    !check_allowed(place->emulator, thread->allowed, "the emulator", error))
			return FALSE;
	}
	return TRUE;
}

/* Memory. */

/* What is bound to one host node: is there any, and its bytes by the node that they are on. */
typedef struct {
	gboolean there;
	guint64 bytes[NODES_MAX];
} Bound;

/* The number after KEY in a word such as "N1=12" (KEY "N"), -1 if it is another word. */
static gint64 number_after(const char *word, const char *key, char **end)
{
	if (!g_str_has_prefix(word, key) || !g_ascii_isdigit(word[strlen(key)]))
		return -1;
	return (gint64)g_ascii_strtoull(word + strlen(key), end, 10);
}

static void add_line(const char *line, Bound *bound)
{
	g_auto(GStrv) words = g_strsplit(line, " ", -1);
	guint64 pages[NODES_MAX] = {0}, kib = 4;
	gint64 node = -1;
	char *end;

	for (guint i = 1; words[0] && words[i]; i++) {
		gint64 number;

		if (i == 1) {
			node = number_after(words[i], "bind:", &end);
			if (node < 0 || node >= NODES_MAX || *end)
				return;
		} else if ((number = number_after(words[i], "kernelpagesize_kB=", &end)) > 0) {
			kib = (guint64)number;
		} else if ((number = number_after(words[i], "N", &end)) >= 0 &&
			   number < NODES_MAX && *end == '=') {
			pages[number] = g_ascii_strtoull(end + 1, NULL, 10);
		}
	}
	if (node < 0)
		return;
	bound[node].there = TRUE;
	for (guint n = 0; n < NODES_MAX; n++)
		bound[node].bytes[n] += pages[n] * kib * 1024;
}

static gboolean check_cell(guint cell, gint node, const Bound *bound, GError **error)
{
	if (!bound[node].there) {
		rig_error_set_hint(error, RIG_ERROR_HOST, HINT_PAGES,
				   "memory of cell %u is not bound to host node %d any more", cell,
				   node);
		return FALSE;
	}
	for (gint n = 0; n < NODES_MAX; n++) {
		if (n == node || !bound[node].bytes[n])
			continue;
		rig_error_set_hint(error, RIG_ERROR_HOST, HINT_PAGES,
				   "%.1f MiB of cell %u lie on host node %d, all was put on node "
				   "%d",
				   (double)bound[node].bytes[n] / (1 << 20), cell, n, node);
		return FALSE;
	}
	return TRUE;
}

static gboolean check_memory(const RigHostPlace *place, const char *numa_maps, GString *summary,
			     GError **error)
{
	g_auto(GStrv) lines = g_strsplit(numa_maps, "\n", -1);
	g_autofree Bound *bound = g_new0(Bound, NODES_MAX);

	for (guint i = 0; lines[i]; i++)
		add_line(lines[i], bound);
	for (guint cell = 0; cell < place->nodes->len; cell++) {
		gint node = g_array_index(place->nodes, gint, cell);

		if (node < 0)
			continue;
		if (!check_cell(cell, node, bound, error))
			return FALSE;
		g_string_append_printf(summary, "cell %u: %" G_GUINT64_FORMAT " MiB on node %d; ",
				       cell, bound[node].bytes[node] >> 20, node);
	}
	return TRUE;
}

gboolean rig_hostplace_check(const RigHostPlace *place, const char *numa_maps,
			     const GPtrArray *threads, char **summary, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	if (!check_threads(place, threads, error) || !check_memory(place, numa_maps, text, error))
		return FALSE;
	g_string_append_printf(text, "%u vCPUs and the emulator on their CPUs", place->pins->len);
	if (summary)
		*summary = g_strdup(text->str);
	return TRUE;
}
