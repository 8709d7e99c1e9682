/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * locality.c - rig's own figures of locality, from the per-task files in the snapshots of a phase.
 *
 * Pages on a node are weighed with the CPU time that the task spent away from it: a task that does
 * not run reads nothing, wherever its pages lie.
 */
#include "model/locality.h"

#include "base/cpulist.h"

#include <stdlib.h>
#include <string.h>

#define NODES_MAX G_N_ELEMENTS(((RigNumaMaps *)NULL)->anon)
#define NODE_PREFIX "/sys/devices/system/node/node"

/* CPU time weighed by the share of remote pages, over all CPU time of tasks with such pages. */
typedef struct {
	double remote, total;
} Share;

struct RigLocality {
	GHashTable *node_of; /* CPU + 1 -> node + 1 */
	Share hugetlb, anon;
	gboolean tasks_seen, sched_seen;
	double crossings;
	double migrations, pages_migrated;
};

void rig_locality_from_counters(RigMetrics *counters)
{
	double faults, local, updates, huge;

	if (rig_metrics_get(counters, "proc-vmstat.numa_hint_faults", &faults) &&
	    rig_metrics_get(counters, "proc-vmstat.numa_hint_faults_local", &local) &&
	    faults >= RIG_HINT_FAULTS_MIN && local <= faults)
		rig_metrics_set(counters, "locality.hint_faults_local%", 100 * local / faults);
	if (rig_metrics_get(counters, "proc-vmstat.numa_pte_updates", &updates) &&
	    rig_metrics_get(counters, "proc-vmstat.numa_huge_pte_updates", &huge) &&
	    updates >= huge * RIG_PAGES_PER_PMD)
		rig_metrics_set(counters, "numa.pte_updates_net",
				updates - huge * RIG_PAGES_PER_PMD);
}

RigLocality *rig_locality_new(void)
{
	RigLocality *locality = g_new0(RigLocality, 1);

	locality->node_of = g_hash_table_new(NULL, NULL);
	return locality;
}

void rig_locality_free(RigLocality *locality)
{
	if (!locality)
		return;
	g_hash_table_unref(locality->node_of);
	g_free(locality);
}

static gboolean learn_node(RigLocality *locality, const RigRawFile *file)
{
	const char *number = file->path + strlen(NODE_PREFIX);
	gsize digits = strspn(number, "0123456789");
	guint node = (guint)atoi(number);
	g_autoptr(RigCpuList) cpus = NULL;

	if (!digits || digits > 4 || node >= NODES_MAX || !g_str_equal(number + digits, "/cpulist"))
		return FALSE;
	cpus = rig_cpulist_parse(file->text, NULL);
	if (!cpus)
		return FALSE;
	for (guint i = 0; i < rig_cpulist_count(cpus); i++)
		g_hash_table_insert(locality->node_of,
				    GUINT_TO_POINTER(rig_cpulist_at(cpus, i) + 1),
				    GUINT_TO_POINTER(node + 1));
	return TRUE;
}

gboolean rig_locality_learn_nodes(RigLocality *locality, const GPtrArray *files)
{
	gboolean any = FALSE;

	for (guint i = 0; i < files->len; i++) {
		const RigRawFile *file = g_ptr_array_index(files, i);

		if (file->task < 0 && g_str_has_prefix(file->path, NODE_PREFIX) &&
		    learn_node(locality, file))
			any = TRUE;
	}
	return any;
}

/* Where and how much a task had run, as told by its stat in a snapshot. */
typedef struct {
	guint node;
	double ticks;
} Place;

static gboolean place_of(const RigLocality *locality, const RigRawFile *stat, Place *place)
{
	guint cpu;
	gpointer node;

	if (!stat || !rig_task_stat_parse(stat->text, &cpu, &place->ticks))
		return FALSE;
	node = g_hash_table_lookup(locality->node_of, GUINT_TO_POINTER(cpu + 1));
	place->node = GPOINTER_TO_UINT(node) - 1;
	return node != NULL;
}

/* Take PAGES of a task that spent TICKS, half of them on each of the nodes where it was seen at the
 * two ends. */
static void weigh(Share *share, const double *pages, guint from, guint to, double ticks)
{
	double all = 0;

	for (guint i = 0; i < NODES_MAX; i++)
		all += pages[i];
	if (all <= 0 || ticks <= 0)
		return;
	share->total += ticks;
	share->remote += ticks * (1 - (pages[from] + pages[to]) / (2 * all));
}

/* Task id -> RigRawFile of the task's file NAME; empty without SNAP. */
static GHashTable *task_files(const RigRawSnap *snap, const char *name)
{
	GHashTable *table = g_hash_table_new(NULL, NULL);

	for (guint i = 0; snap && i < snap->files->len; i++) {
		RigRawFile *file = g_ptr_array_index(snap->files, i);

		if (file->task >= 0 && g_str_equal(file->path, name))
			g_hash_table_insert(table, GINT_TO_POINTER((gint)file->task), file);
	}
	return table;
}

gboolean rig_locality_has_pages(const RigRawSnap *snap)
{
	for (guint i = 0; i < snap->files->len; i++) {
		const RigRawFile *file = g_ptr_array_index(snap->files, i);

		if (file->task >= 0 && g_str_equal(file->path, "numa_maps"))
			return TRUE;
	}
	return FALSE;
}

/* One interval, and where pages are known of: tables by task. */
typedef struct {
	RigLocality *locality;
	GHashTable *from_stat, *maps_before, *maps_after;
	double after_share; /* of MAPS_AFTER in the middle of the interval; the rest is
			       MAPS_BEFORE's */
} Interval;

static void add_pages(RigNumaMaps *sum, const RigRawFile *numa_maps, double share)
{
	RigNumaMaps maps;

	if (!numa_maps)
		return;
	rig_numa_maps_parse(numa_maps->text, &maps);
	for (guint i = 0; i < NODES_MAX; i++) {
		sum->hugetlb[i] += share * maps.hugetlb[i];
		sum->anon[i] += share * maps.anon[i];
	}
}

static void take_task(const Interval *interval, gpointer task, const RigRawFile *to_stat)
{
	RigLocality *locality = interval->locality;
	RigNumaMaps maps = {0};
	Place from, to;

	if (!place_of(locality, g_hash_table_lookup(interval->from_stat, task), &from) ||
	    !place_of(locality, to_stat, &to))
		return;
	locality->tasks_seen = TRUE;
	if (from.node != to.node)
		locality->crossings++;
	add_pages(&maps, g_hash_table_lookup(interval->maps_before, task),
		  1 - interval->after_share);
	add_pages(&maps, g_hash_table_lookup(interval->maps_after, task), interval->after_share);
	weigh(&locality->hugetlb, maps.hugetlb, from.node, to.node, to.ticks - from.ticks);
	weigh(&locality->anon, maps.anon, from.node, to.node, to.ticks - from.ticks);
}

/* How much of the way from BEFORE to AFTER the middle between FROM and TO is. */
static double share_of_after(const RigRawSnap *from, const RigRawSnap *to, const RigRawSnap *before,
			     const RigRawSnap *after)
{
	double middle = ((double)from->t_ns + (double)to->t_ns) / 2;

	if (!before || !after)
		return before ? 0 : 1;
	if (after->t_ns <= before->t_ns)
		return 0.5;
	return (middle - (double)before->t_ns) / (double)(after->t_ns - before->t_ns);
}

void rig_locality_interval(RigLocality *locality, const RigRawSnap *from, const RigRawSnap *to,
			   const RigRawSnap *before, const RigRawSnap *after)
{
	g_autoptr(GHashTable) from_stat = task_files(from, "stat");
	g_autoptr(GHashTable) to_stat = task_files(to, "stat");
	g_autoptr(GHashTable) maps_before = task_files(before, "numa_maps");
	g_autoptr(GHashTable) maps_after = task_files(after, "numa_maps");
	Interval interval = {.locality = locality,
			     .from_stat = from_stat,
			     .maps_before = maps_before,
			     .maps_after = maps_after,
			     .after_share = share_of_after(from, to, before, after)};
	GHashTableIter iter;
	gpointer task, stat;

	g_hash_table_iter_init(&iter, to_stat);
	while (g_hash_table_iter_next(&iter, &task, &stat))
		take_task(&interval, task, stat);
}

/* The value in the line "NAME   :   value" of /proc/TID/sched. */
static gboolean sched_value(const RigRawFile *file, const char *name, double *value)
{
	const char *at = file ? file->text : NULL;
	gsize length = strlen(name);

	while (at && *at) {
		const char *rest = at + length;

		if (g_str_has_prefix(at, name) && (*rest == ' ' || *rest == ':')) {
			rest += strspn(rest, " :");
			*value = g_ascii_strtod(rest, NULL);
			return g_ascii_isdigit(*rest) && *value < 1e15;
		}
		at = strchr(at, '\n');
		at = at ? at + 1 : NULL;
	}
	return FALSE;
}

/* What the task added to NAME. A task that was born within the phase began at 0. */
static void take_sched(const RigRawFile *before, const RigRawFile *after, const char *name,
		       double *sum, gboolean *seen)
{
	double first = 0, last;

	if (!sched_value(after, name, &last) || (before && !sched_value(before, name, &first)))
		return;
	*seen = TRUE;
	if (last >= first)
		*sum += last - first;
}

void rig_locality_marks(RigLocality *locality, const RigRawSnap *from, const RigRawSnap *to)
{
	g_autoptr(GHashTable) before = task_files(from, "sched");
	g_autoptr(GHashTable) after = task_files(to, "sched");
	GHashTableIter iter;
	gpointer task, file;

	g_hash_table_iter_init(&iter, after);
	while (g_hash_table_iter_next(&iter, &task, &file)) {
		const RigRawFile *first = g_hash_table_lookup(before, task);

		take_sched(first, file, "se.nr_migrations", &locality->migrations,
			   &locality->sched_seen);
		take_sched(first, file, "numa_pages_migrated", &locality->pages_migrated,
			   &locality->sched_seen);
	}
}

void rig_locality_merge(RigLocality *locality, const RigLocality *other)
{
	locality->hugetlb.remote += other->hugetlb.remote;
	locality->hugetlb.total += other->hugetlb.total;
	locality->anon.remote += other->anon.remote;
	locality->anon.total += other->anon.total;
	locality->tasks_seen |= other->tasks_seen;
	locality->sched_seen |= other->sched_seen;
	locality->crossings += other->crossings;
	locality->migrations += other->migrations;
	locality->pages_migrated += other->pages_migrated;
}

static void report_share(const Share *share, const char *name, RigMetrics *out)
{
	if (share->total > 0)
		rig_metrics_set(out, name, 100 * share->remote / share->total);
}

void rig_locality_report(const RigLocality *locality, RigMetrics *out)
{
	report_share(&locality->hugetlb, "locality.hugetlb_remote%", out);
	report_share(&locality->anon, "locality.anon_remote%", out);
	if (locality->tasks_seen)
		rig_metrics_set(out, "sched.cross_node_migrations", locality->crossings);
	if (locality->sched_seen) {
		rig_metrics_set(out, "sched.nr_migrations", locality->migrations);
		rig_metrics_set(out, "sched.numa_pages_migrated", locality->pages_migrated);
	}
}
