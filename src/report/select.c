/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.c - which records of the store are compared with which.
 *
 * Works on the store's index and loads only the records that it has chosen.
 */
#include "report/select.h"

#include <string.h>

#include "base/error.h"

#define OTHERS_SHOWN 8

/* Records that may stand in one comparison. */
typedef struct {
	char *key;
	const RigStoreEntry *sample;
	char class;    /* 0: any */
	guint *counts; /* entries of each side */
	gint64 newest; /* of all sides */
} Group;

typedef struct {
	const char *const *names;
	guint n;
	GPtrArray **entries; /* one list of RigStoreEntry* a side, oldest first */
} Pool;

static void group_free(gpointer data)
{
	Group *group = data;

	g_free(group->key);
	g_free(group->counts);
	g_free(group);
}

static void pool_clear(Pool *pool)
{
	for (guint i = 0; pool->entries && i < pool->n; i++)
		g_clear_pointer(&pool->entries[i], g_ptr_array_unref);
	g_free(pool->entries);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Pool, pool_clear)

static gboolean entry_ok(const RigStoreEntry *entry)
{
	return g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_OK)) == 0;
}

/* A run that did not boot has a class by accident only. */
static gboolean entry_has_class(const RigStoreEntry *entry)
{
	return g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_BOOT)) != 0;
}

static gboolean pool_fill(Pool *pool, const char *root, const RigSelection *selection,
			  GError **error)
{
	pool->entries = g_new0(GPtrArray *, pool->n);
	for (guint i = 0; i < pool->n; i++) {
		RigStoreQuery query = {
			.workload = selection->workload,
			.topology = selection->topology,
			.params = selection->params,
			.kernel = pool->names[i],
		};

		pool->entries[i] = rig_store_list(root, &query, error);
		if (!pool->entries[i])
			return FALSE;
		g_ptr_array_set_free_func(pool->entries[i], (GDestroyNotify)rig_store_entry_free);
	}
	return TRUE;
}

static gboolean of_plan(const char *dir, const char *plan, gboolean *matches, GError **error)
{
	g_autoptr(RigRecord) record = rig_store_load(dir, error);

	if (!record)
		return FALSE;
	*matches = g_strcmp0(g_hash_table_lookup(record->manifest, "plan.id"), plan) == 0 ||
		   g_strcmp0(g_hash_table_lookup(record->manifest, "plan.seed"), plan) == 0;
	return TRUE;
}

static gboolean keep_plan(Pool *pool, const char *plan, GError **error)
{
	for (guint i = 0; i < pool->n; i++) {
		for (guint e = pool->entries[i]->len; e > 0; e--) {
			const RigStoreEntry *entry = g_ptr_array_index(pool->entries[i], e - 1);
			gboolean matches;

			if (!of_plan(entry->dir, plan, &matches, error))
				return FALSE;
			if (!matches)
				g_ptr_array_remove_index(pool->entries[i], e - 1);
		}
	}
	return TRUE;
}

static char *group_key(const RigStoreEntry *entry, gboolean with_class)
{
	return g_strdup_printf("%s\n%s\n%s\n%c", entry->workload, entry->params, entry->topology,
			       with_class ? entry->class : '*');
}

static Group *group_ensure(GPtrArray *groups, const RigStoreEntry *entry, gboolean with_class,
			   guint sides)
{
	g_autofree char *key = group_key(entry, with_class);
	Group *group;

	for (guint i = 0; i < groups->len; i++) {
		group = g_ptr_array_index(groups, i);
		if (g_str_equal(group->key, key))
			return group;
	}
	group = g_new0(Group, 1);
	group->key = g_steal_pointer(&key);
	group->sample = entry;
	group->class = with_class ? entry->class : 0;
	group->counts = g_new0(guint, sides);
	g_ptr_array_add(groups, group);
	return group;
}

static gboolean is_complete(const Group *group, guint sides)
{
	for (guint i = 0; i < sides; i++)
		if (group->counts[i] == 0)
			return FALSE;
	return TRUE;
}

/* Groups that every side has, the most recent first. WITH_CLASS: whole runs only, apart by class.
 */
static GPtrArray *find_groups(const Pool *pool, gboolean with_class)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);

	for (guint i = 0; i < pool->n; i++) {
		for (guint e = 0; e < pool->entries[i]->len; e++) {
			const RigStoreEntry *entry = g_ptr_array_index(pool->entries[i], e);
			Group *group;

			if (with_class && !entry_ok(entry))
				continue;
			group = group_ensure(groups, entry, with_class, pool->n);
			group->counts[i]++;
			group->newest = MAX(group->newest, entry->started);
		}
	}
	for (guint i = groups->len; i > 0; i--)
		if (!is_complete(g_ptr_array_index(groups, i - 1), pool->n))
			g_ptr_array_remove_index(groups, i - 1);
	return groups;
}

static const Group *newest_group(const GPtrArray *groups)
{
	const Group *best = NULL;

	for (guint i = 0; i < groups->len; i++) {
		const Group *group = g_ptr_array_index(groups, i);

		if (!best || group->newest > best->newest)
			best = group;
	}
	return best;
}

static char *group_text(const RigStoreEntry *sample, char class)
{
	char text[] = {' ', 'c', 'l', 'a', 's', 's', ' ', class, '\0'};

	return g_strdup_printf("%s (%s) on %s%s", sample->workload, sample->params,
			       sample->topology, class ? text : "");
}

static char *others_text(const GPtrArray *groups, const Group *chosen)
{
	g_autoptr(GString) text = g_string_new(NULL);
	guint shown = 0;

	for (guint i = 0; i < groups->len && shown < OTHERS_SHOWN; i++) {
		const Group *group = g_ptr_array_index(groups, i);
		g_autofree char *one = group_text(group->sample, group->class);

		if (group == chosen)
			continue;
		g_string_append_printf(text, "%s%s", shown++ ? "; " : "", one);
	}
	if (shown == 0)
		return NULL;
	if (groups->len - 1 > shown)
		g_string_append_printf(text, "; and %u more", groups->len - 1 - shown);
	return g_strdup(text->str);
}

/* What a side has, each group once, for the error that finds nothing in common. */
static char *inventory(const Pool *pool, guint side)
{
	g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(group_free);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint e = 0; e < pool->entries[side]->len; e++)
		group_ensure(groups, g_ptr_array_index(pool->entries[side], e), FALSE, pool->n);
	for (guint i = 0; i < groups->len && i < OTHERS_SHOWN; i++) {
		g_autofree char *one =
			group_text(((Group *)g_ptr_array_index(groups, i))->sample, 0);

		g_string_append_printf(text, "%s%s", i ? "; " : "", one);
	}
	if (groups->len > OTHERS_SHOWN)
		g_string_append_printf(text, "; and %u more", groups->len - OTHERS_SHOWN);
	return g_strdup(text->str);
}

static gboolean check_filled(const Pool *pool, const RigSelection *selection, GError **error)
{
	gboolean narrowed =
		selection->workload || selection->params || selection->topology || selection->plan;

	for (guint i = 0; i < pool->n; i++) {
		if (pool->entries[i]->len > 0)
			continue;
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig results list",
				   "there are no results of kernel \"%s\"%s", pool->names[i],
				   narrowed ? " with that workload, topology, parameters or plan"
					    : "");
		return FALSE;
	}
	return TRUE;
}

static void nothing_in_common(const Pool *pool, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < pool->n; i++) {
		g_autofree char *has = inventory(pool, i);

		g_string_append_printf(text, "\n  %s: %s", pool->names[i], has);
	}
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"run both kernels in one go: rig run WORKLOAD --kernel BASE --kernel HEAD",
		"the sides have no workload, parameters and topology in common:%s", text->str);
}

static gboolean same_place(const RigStoreEntry *a, const RigStoreEntry *b)
{
	return g_strcmp0(a->workload, b->workload) == 0 && g_strcmp0(a->params, b->params) == 0 &&
	       g_strcmp0(a->topology, b->topology) == 0;
}

/* The class that a side is compared in: the group's, else that of its latest whole run; 0: any. */
static char side_class(const GPtrArray *entries, const Group *group)
{
	for (guint e = entries->len; group->class == 0 && e > 0; e--) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e - 1);

		if (same_place(entry, group->sample) && entry_ok(entry))
			return entry->class;
	}
	return group->class;
}

static GPtrArray *choose_entries(const GPtrArray *entries, const Group *group, guint last)
{
	GPtrArray *chosen = g_ptr_array_new();
	char class = side_class(entries, group);

	for (guint e = 0; e < entries->len; e++) {
		RigStoreEntry *entry = g_ptr_array_index(entries, e);

		if (same_place(entry, group->sample) &&
		    (class == 0 || entry->class == class || !entry_has_class(entry)))
			g_ptr_array_add(chosen, entry);
	}
	if (last && chosen->len > last)
		g_ptr_array_remove_range(chosen, 0, chosen->len - last);
	return chosen;
}

static gboolean add_side(RigSides *sides, const char *name, const GPtrArray *entries,
			 GError **error)
{
	g_autoptr(GPtrArray) records =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint e = 0; e < entries->len; e++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e);
		RigRecord *record = rig_store_load(entry->dir, error);

		if (!record) {
			g_prefix_error(error, "%s: ", entry->id);
			return FALSE;
		}
		g_ptr_array_add(records, record);
	}
	rig_sides_add_records(sides, name, records);
	return TRUE;
}

/* Two names for one kernel would compare records with themselves. */
static gboolean check_distinct(GHashTable *seen, const char *name, const GPtrArray *entries,
			       GError **error)
{
	for (guint e = 0; e < entries->len; e++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e);
		const char *other = g_hash_table_lookup(seen, entry->id);

		if (other) {
			rig_error_set_hint(error, RIG_ERROR_USAGE, "rig results list",
					   "\"%s\" and \"%s\" are the same results (%s is of both)",
					   other, name, entry->id);
			return FALSE;
		}
		g_hash_table_insert(seen, entry->id, (gpointer)name);
	}
	return TRUE;
}

/* The value of a manifest key where all sides agree. */
static const char *common_value(const RigSides *sides, const char *key)
{
	const char *value = rig_side_manifest(rig_sides_at(sides, 0), key);

	for (guint i = 1; value && i < sides->sides->len; i++)
		if (g_strcmp0(value, rig_side_manifest(rig_sides_at(sides, i), key)) != 0)
			return NULL;
	return value;
}

/* Parameters and governor stand in the robot's header under their own names. */
static void add_keys(RigSides *sides)
{
	const RigSideRun *run = g_ptr_array_index(rig_sides_at(sides, 0)->runs, 0);
	const char *governor = common_value(sides, "host.governor");
	GHashTableIter iter;
	gpointer key;

	if (governor)
		g_hash_table_insert(sides->keys, g_strdup("cpufreq_governor"), g_strdup(governor));
	if (!run->manifest)
		return;
	g_hash_table_iter_init(&iter, run->manifest);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const char *value = common_value(sides, key);

		if (g_str_has_prefix(key, "param.") && value && *value)
			g_hash_table_insert(sides->keys, g_strdup((char *)key + strlen("param.")),
					    g_strdup(value));
	}
}

static RigSides *load_sides(const Pool *pool, const Group *group, guint last, GError **error)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	for (guint i = 0; i < pool->n; i++) {
		g_autoptr(GPtrArray) entries = choose_entries(pool->entries[i], group, last);

		if (!check_distinct(seen, pool->names[i], entries, error) ||
		    !add_side(sides, pool->names[i], entries, error))
			return NULL;
	}
	add_keys(sides);
	return g_steal_pointer(&sides);
}

RigSides *rig_select_sides(const char *root, const char *const *names, guint n_names,
			   const RigSelection *selection, char **others, GError **error)
{
	g_auto(Pool) pool = {.names = names, .n = n_names};
	g_autoptr(GPtrArray) groups = NULL;
	const Group *chosen;

	if (!pool_fill(&pool, root, selection, error) ||
	    (selection->plan && !keep_plan(&pool, selection->plan, error)) ||
	    !check_filled(&pool, selection, error))
		return NULL;
	groups = find_groups(&pool, TRUE);
	if (groups->len == 0) {
		g_ptr_array_unref(groups);
		groups = find_groups(&pool, FALSE);
	}
	chosen = newest_group(groups);
	if (!chosen) {
		nothing_in_common(&pool, error);
		return NULL;
	}
	if (others)
		*others = others_text(groups, chosen);
	return load_sides(&pool, chosen, selection->last, error);
}
