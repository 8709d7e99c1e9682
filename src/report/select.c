/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * select.c - which records of the store are compared with which.
 *
 * Works on the store's index and loads only the records that it has chosen.
 */
#include "report/select.h"

#include <string.h>

#include "base/error.h"
#include "report/pool.h"

static gboolean check_filled(const RigPool *pool, const RigSelection *selection, GError **error)
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

static void nothing_in_common(const RigPool *pool, GError **error)
{
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < pool->n; i++) {
		g_autofree char *has = rig_pool_inventory(pool, i);

		g_string_append_printf(text, "\n  %s: %s", pool->names[i], has);
	}
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"run both kernels in one go: rig run WORKLOAD --kernel BASE --kernel HEAD",
		"the sides have no workload, parameters, topology and way to boot in common:%s",
		text->str);
}

static gboolean same_place(const RigStoreEntry *a, const RigStoreEntry *b)
{
	return g_strcmp0(a->workload, b->workload) == 0 && g_strcmp0(a->params, b->params) == 0 &&
	       g_strcmp0(a->topology, b->topology) == 0 && g_strcmp0(a->variant, b->variant) == 0;
}

/* The class that a side is compared in: the group's, else that of its latest whole run; 0: any. */
static char side_class(const GPtrArray *entries, const RigPoolGroup *group)
{
	for (guint e = entries->len; group->class == 0 && e > 0; e--) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e - 1);

		if (same_place(entry, group->sample) && rig_pool_entry_ok(entry))
			return entry->class;
	}
	return group->class;
}

static GPtrArray *choose_entries(const GPtrArray *entries, const RigPoolGroup *group, guint last)
{
	GPtrArray *chosen = g_ptr_array_new();
	char class = side_class(entries, group);

	for (guint e = 0; e < entries->len; e++) {
		RigStoreEntry *entry = g_ptr_array_index(entries, e);

		if (same_place(entry, group->sample) &&
		    (class == 0 || entry->class == class || !rig_pool_entry_has_class(entry)))
			g_ptr_array_add(chosen, entry);
	}
	if (last && chosen->len > last)
		g_ptr_array_remove_range(chosen, 0, chosen->len - last);
	return chosen;
}

static gboolean add_side(RigSides *sides, const char *name, const GPtrArray *entries,
			 GPtrArray **metrics, GError **error)
{
	g_autoptr(GPtrArray) records =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);

	for (guint e = 0; e < entries->len; e++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e);
		RigRecord *record = rig_store_load_brief(entry->dir, metrics, error);

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

static RigSides *load_sides(const RigPool *pool, const RigPoolGroup *group, guint last,
			    GError **error)
{
	g_autoptr(RigSides) sides = rig_sides_new();
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) metrics = NULL;

	for (guint i = 0; i < pool->n; i++) {
		g_autoptr(GPtrArray) entries = choose_entries(pool->entries[i], group, last);

		if (!check_distinct(seen, pool->names[i], entries, error) ||
		    !add_side(sides, pool->names[i], entries, &metrics, error))
			return NULL;
	}
	add_keys(sides);
	return g_steal_pointer(&sides);
}

/* Plain runs are not the same as those in a guest that was up: what was chosen is said, too. */
static char *others_text(const GPtrArray *groups, const RigPoolGroup *chosen)
{
	g_autofree char *this = rig_pool_chosen(chosen);
	g_autofree char *others = rig_pool_others(groups, chosen);

	if (!others)
		return NULL;
	return g_strdup_printf("compared is the latest, %s; both have also (--workload, --params, "
			       "--topology, --plan): %s",
			       this, others);
}

/* The latest that all names ran, if that is something else than what is compared: then its whole
 * runs do not reach. A comparison of older ones must not look like the answer to it. */
static char *passed_over_text(const RigPool *pool, const RigPoolGroup *chosen)
{
	g_autoptr(GPtrArray) all = rig_pool_groups(pool, FALSE);
	const RigPoolGroup *latest = rig_pool_newest(all);
	g_autofree char *name = NULL;

	if (!latest || latest->newest <= chosen->newest ||
	    rig_pool_same_group(latest->sample, chosen->sample))
		return NULL;
	name = rig_pool_chosen(latest);
	return g_strdup_printf("passed over is the latest, %s: not every side has a whole run of "
			       "it (rig results list --failed)",
			       name);
}

static char *notes_text(const RigPool *pool, const GPtrArray *groups, const RigPoolGroup *chosen)
{
	g_autofree char *passed_over = passed_over_text(pool, chosen);
	g_autofree char *others = others_text(groups, chosen);

	if (passed_over && others)
		return g_strdup_printf("%s; %s", passed_over, others);
	return g_strdup(passed_over ? passed_over : others);
}

RigSides *rig_select_sides(const char *root, const char *const *names, guint n_names,
			   const RigSelection *selection, char **others, GError **error)
{
	g_auto(RigPool) pool = {.names = names, .n = n_names};
	g_autoptr(GPtrArray) groups = NULL;
	const RigPoolGroup *chosen;

	if (!rig_pool_fill(&pool, root, selection, error) || !check_filled(&pool, selection, error))
		return NULL;
	groups = rig_pool_groups(&pool, TRUE);
	if (groups->len == 0) {
		g_ptr_array_unref(groups);
		groups = rig_pool_groups(&pool, FALSE);
	}
	chosen = rig_pool_newest(groups);
	if (!chosen) {
		nothing_in_common(&pool, error);
		return NULL;
	}
	if (others)
		*others = notes_text(&pool, groups, chosen);
	return load_sides(&pool, chosen, selection->last, error);
}
