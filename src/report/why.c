/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * why.c - what the changes together mean, in the field's terms.
 */
#include "report/why.h"

#include <string.h>

#include "report/phrase.h"

#define PARTS_MAX 3

typedef enum { DOWN = -1, ANY = 0, UP = 1 } Way;

typedef struct {
	const char *name; /* of a counter, without a phase; NULL: no more parts */
	Way way;
} Part;

/* Of rules about one TOPIC the first that holds speaks. */
typedef struct {
	const char *topic;
	Part parts[PARTS_MAX];
	Way effect; /* on how well the workload does: UP is better; ANY: cannot be told */
	const char *text;
} Rule;

static const Rule rules[] = {
	{"hugetlb",
	 {{"locality.hugetlb_remote%", UP}, {"sched.cross_node_migrations", UP}},
	 DOWN,
	 "tasks ran more away from their hugetlb pages, and were moved between nodes more"},
	{"hugetlb",
	 {{"locality.hugetlb_remote%", UP}},
	 DOWN,
	 "tasks ran more away from their hugetlb pages"},
	{"hugetlb",
	 {{"locality.hugetlb_remote%", DOWN}, {"sched.cross_node_migrations", DOWN}},
	 UP,
	 "tasks stayed closer to their hugetlb pages, and were moved between nodes less"},
	{"hugetlb",
	 {{"locality.hugetlb_remote%", DOWN}},
	 UP,
	 "tasks stayed closer to their hugetlb pages"},
	{"anon",
	 {{"locality.anon_remote%", UP}, {"proc-vmstat.numa_pages_migrated", DOWN}},
	 DOWN,
	 "more anonymous pages stayed on another node than their task: NUMA balancing moved fewer"},
	{"anon",
	 {{"locality.anon_remote%", UP}, {"sched.cross_node_migrations", UP}},
	 DOWN,
	 "tasks ran more away from their anonymous pages, and were moved between nodes more"},
	{"anon",
	 {{"locality.anon_remote%", UP}},
	 DOWN,
	 "tasks ran more away from their anonymous pages"},
	{"anon",
	 {{"locality.anon_remote%", DOWN}, {"proc-vmstat.numa_pages_migrated", UP}},
	 UP,
	 "NUMA balancing brought more anonymous pages to their tasks"},
	{"anon",
	 {{"locality.anon_remote%", DOWN}},
	 UP,
	 "tasks stayed closer to their anonymous pages"},
	{"hint faults",
	 {{"locality.hint_faults_local%", DOWN}},
	 DOWN,
	 "a smaller share of the hint faults found its page on the own node"},
	{"hint faults",
	 {{"locality.hint_faults_local%", UP}},
	 UP,
	 "a larger share of the hint faults found its page on the own node"},
	{"scanning",
	 {{"proc-vmstat.numa_pte_updates", UP}, {"proc-vmstat.numa_hint_faults", UP}},
	 DOWN,
	 "NUMA balancing scanned more, and tasks took more hint faults"},
	{"scanning",
	 {{"proc-vmstat.numa_pte_updates", DOWN}, {"proc-vmstat.numa_hint_faults", DOWN}},
	 UP,
	 "NUMA balancing scanned less, and tasks took fewer hint faults"},
	{"scanning",
	 {{"proc-vmstat.numa_hint_faults", UP}, {"proc-vmstat.numa_pages_migrated", DOWN}},
	 DOWN,
	 "tasks took more hint faults, of which fewer led to a migrated page"},
	{"moves",
	 {{"sched.nr_migrations", UP}, {"sched.cross_node_migrations", UP}},
	 DOWN,
	 "the scheduler moved tasks more, and more often to another node"},
	{"moves",
	 {{"sched.nr_migrations", DOWN}, {"sched.cross_node_migrations", DOWN}},
	 UP,
	 "the scheduler moved tasks less, and less often to another node"},
	{"placement",
	 {{"proc-vmstat.numa_miss", UP}, {"proc-vmstat.numa_foreign", UP}},
	 DOWN,
	 "more pages were placed on another node than asked for: the node was full"},
	{"thp",
	 {{"proc-vmstat.thp_fault_alloc", DOWN}, {"proc-vmstat.thp_fault_fallback", UP}},
	 DOWN,
	 "fewer huge pages at the fault: the kernel fell back to small ones more"},
	{"thp",
	 {{"proc-vmstat.thp_fault_alloc", UP}, {"proc-vmstat.thp_fault_fallback", DOWN}},
	 UP,
	 "more huge pages at the fault: the kernel fell back to small ones less"},
	{"thp",
	 {{"proc-vmstat.thp_fault_alloc", DOWN}, {"proc-vmstat.pgfault", UP}},
	 DOWN,
	 "fewer huge pages at the fault, and so more faults"},
	{"thp",
	 {{"proc-vmstat.thp_fault_alloc", UP}, {"proc-vmstat.pgfault", DOWN}},
	 UP,
	 "more huge pages at the fault, and so fewer faults"},
	{"thp splits",
	 {{"proc-vmstat.thp_split_pmd", UP}, {"proc-vmstat.thp_split_page", UP}},
	 DOWN,
	 "huge pages were split more"},
	{"surplus",
	 {{"proc-vmstat.htlb_buddy_alloc_fail", UP}},
	 DOWN,
	 "more surplus hugetlb pages could not be had from the buddy allocator"},
	{"compaction",
	 {{"proc-vmstat.compact_stall", UP}},
	 DOWN,
	 "tasks waited for memory compaction more"},
	{"compaction",
	 {{"proc-vmstat.compact_stall", DOWN}},
	 UP,
	 "tasks waited for memory compaction less"},
	{"reclaim",
	 {{"proc-vmstat.pgscan_direct", UP}, {"proc-vmstat.pgsteal_direct", UP}},
	 DOWN,
	 "tasks had to reclaim memory themselves more"},
	{"tiering",
	 {{"proc-vmstat.pgpromote_success", UP}, {"proc-vmstat.pgdemote_kswapd", UP}},
	 ANY,
	 "more pages went up and down between the memory tiers"},
};

/* The counters that moved, by name. */
static GHashTable *moved(const RigStatCompare *stats)
{
	GHashTable *table = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *const lists[] = {stats->found, stats->appeared, stats->vanished};

	for (guint l = 0; l < G_N_ELEMENTS(lists); l++) {
		for (guint i = 0; i < lists[l]->len; i++) {
			RigStatCounter *counter = g_ptr_array_index(lists[l], i);

			g_hash_table_insert(table, (gpointer)counter->info->name, counter);
		}
	}
	return table;
}

static Way way_of(const RigStatCounter *counter)
{
	if (counter->row->appears)
		return UP;
	if (counter->row->vanishes)
		return DOWN;
	return counter->row->difference > 0 ? UP : DOWN;
}

/* The counters of RULE in the phase whose name and dot are PREFIX; FALSE if one did not move so. */
static gboolean holds(const Rule *rule, GHashTable *table, const char *prefix,
		      const RigStatCounter **counters)
{
	for (guint i = 0; i < PARTS_MAX && rule->parts[i].name; i++) {
		g_autofree char *name = g_strconcat(prefix, rule->parts[i].name, NULL);

		counters[i] = g_hash_table_lookup(table, name);
		if (!counters[i] || way_of(counters[i]) != rule->parts[i].way)
			return FALSE;
	}
	return TRUE;
}

/* "hugetlb_remote% +13.0 pt" without the monitor's name before it. */
static void add_figure(GString *text, const RigStatCounter *counter, gsize prefix)
{
	const char *name = counter->info->name + prefix;
	const char *dot = strchr(name, '.');
	g_autofree char *change = rig_phrase_counter(counter);

	g_string_append_printf(text, "%s %s", dot ? dot + 1 : name, change);
}

static void add_figures(GString *text, const Rule *rule, const RigStatCounter **counters,
			const char *phase)
{
	if (phase)
		g_string_append_printf(text, " (phase %s: ", phase);
	else
		g_string_append(text, " (");
	for (guint i = 0; i < PARTS_MAX && rule->parts[i].name; i++) {
		g_string_append(text, i ? ", " : "");
		add_figure(text, counters[i], phase ? strlen(phase) + 1 : 0);
	}
	g_string_append_c(text, ')');
}

/* The primaries that changed in the way that EFFECT would have them change: "a and b". */
static char *explained(const RigStatCompare *stats, Way effect)
{
	GString *names = g_string_new(NULL);
	const char *word = effect == UP ? "better" : "worse";

	for (guint i = 0; effect != ANY && i < stats->metrics->len; i++) {
		const RigStatMetric *m = g_ptr_array_index(stats->metrics, i);

		if (m->primary && g_strcmp0(m->verdict.word, word) == 0)
			g_string_append_printf(names, "%s%s", names->len ? " and " : "",
					       m->info->name);
	}
	return g_string_free(names, names->len == 0);
}

static RigWhy *why_new(const RigStatCompare *stats, const Rule *rule,
		       const RigStatCounter **counters, const char *phase)
{
	RigWhy *why = g_new0(RigWhy, 1);
	g_autofree char *names = explained(stats, rule->effect);
	GString *text = g_string_new(NULL);

	if (names)
		g_string_append_printf(text, "%s %s: ", names,
				       rule->effect == UP ? "better" : "worse");
	g_string_append(text, rule->text);
	add_figures(text, rule, counters, phase);
	why->explains = names != NULL;
	why->text = g_string_free(text, FALSE);
	return why;
}

/* Where it holds: the phase says more than the whole run. NULL if nowhere. */
static RigWhy *try_rule(const Rule *rule, const RigStatCompare *stats, const RigSides *sides,
			GHashTable *table)
{
	const RigStatCounter *counters[PARTS_MAX];

	/* From the last: what was measured comes after what was set up for it. */
	for (guint i = sides->phases->len; i > 0; i--) {
		const char *phase = g_ptr_array_index(sides->phases, i - 1);
		g_autofree char *prefix = g_strconcat(phase, ".", NULL);

		if (holds(rule, table, prefix, counters))
			return why_new(stats, rule, counters, phase);
	}
	return holds(rule, table, "", counters) ? why_new(stats, rule, counters, NULL) : NULL;
}

static void why_free(gpointer data)
{
	RigWhy *why = data;

	g_free(why->text);
	g_free(why);
}

GPtrArray *rig_why_find(const RigStatCompare *stats, const RigSides *sides)
{
	g_autoptr(GHashTable) table = moved(stats);
	GPtrArray *found = g_ptr_array_new_with_free_func(why_free);
	const char *spoken = NULL;
	guint n_explaining = 0;

	for (guint i = 0; i < G_N_ELEMENTS(rules); i++) {
		RigWhy *why;

		if (g_strcmp0(spoken, rules[i].topic) == 0)
			continue;
		why = try_rule(&rules[i], stats, sides, table);
		if (!why)
			continue;
		spoken = rules[i].topic;
		g_ptr_array_insert(found, why->explains ? (gint)n_explaining++ : -1, why);
	}
	return found;
}
