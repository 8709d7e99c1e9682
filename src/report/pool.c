/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool.c - the store's entries of several kernels, and what these have in common.
 */
#include "report/pool.h"

#include <string.h>

#define OTHERS_SHOWN 8

static void group_free(gpointer data)
{
	RigPoolGroup *group = data;

	g_free(group->key);
	g_free(group->counts);
	g_free(group);
}

void rig_pool_clear(RigPool *pool)
{
	for (guint i = 0; pool->entries && i < pool->n; i++)
		g_clear_pointer(&pool->entries[i], g_ptr_array_unref);
	g_free(pool->entries);
}

gboolean rig_pool_entry_ok(const RigStoreEntry *entry)
{
	return g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_OK)) == 0;
}

gboolean rig_pool_entry_has_class(const RigStoreEntry *entry)
{
	return g_strcmp0(entry->outcome, rig_outcome_name(RIG_OUTCOME_BOOT)) != 0;
}

static gboolean of_plan(const char *dir, const char *plan, GPtrArray **metrics, gboolean *matches,
			GError **error)
{
	g_autoptr(RigRecord) record = rig_store_load_brief(dir, metrics, error);

	if (!record)
		return FALSE;
	*matches = g_strcmp0(g_hash_table_lookup(record->manifest, "plan.id"), plan) == 0 ||
		   g_strcmp0(g_hash_table_lookup(record->manifest, "plan.seed"), plan) == 0;
	return TRUE;
}

static gboolean keep_plan(RigPool *pool, const char *plan, GError **error)
{
	g_autoptr(GPtrArray) metrics = NULL;

	for (guint i = 0; i < pool->n; i++) {
		for (guint e = pool->entries[i]->len; e > 0; e--) {
			const RigStoreEntry *entry = g_ptr_array_index(pool->entries[i], e - 1);
			gboolean matches;

			if (!of_plan(entry->dir, plan, &metrics, &matches, error))
				return FALSE;
			if (!matches)
				g_ptr_array_remove_index(pool->entries[i], e - 1);
		}
	}
	return TRUE;
}

static void keep_variant(GPtrArray *entries, const char *variant)
{
	for (guint e = entries->len; variant && e > 0; e--) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, e - 1);

		if (g_strcmp0(entry->variant, variant) != 0)
			g_ptr_array_remove_index(entries, e - 1);
	}
}

gboolean rig_pool_fill(RigPool *pool, const char *root, const RigSelection *selection,
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
		keep_variant(pool->entries[i], selection->variant);
	}
	return !selection->plan || keep_plan(pool, selection->plan, error);
}

static char *group_key(const RigStoreEntry *entry, gboolean with_class)
{
	return g_strdup_printf("%s\n%s\n%s\n%c\n%s", entry->workload, entry->params,
			       entry->topology, with_class ? entry->class : '*', entry->variant);
}

static RigPoolGroup *group_ensure(GPtrArray *groups, const RigStoreEntry *entry,
				  gboolean with_class, guint sides)
{
	g_autofree char *key = group_key(entry, with_class);
	RigPoolGroup *group;

	for (guint i = 0; i < groups->len; i++) {
		group = g_ptr_array_index(groups, i);
		if (g_str_equal(group->key, key))
			return group;
	}
	group = g_new0(RigPoolGroup, 1);
	group->key = g_steal_pointer(&key);
	group->sample = entry;
	group->class = with_class ? entry->class : 0;
	group->counts = g_new0(guint, sides);
	g_ptr_array_add(groups, group);
	return group;
}

gboolean rig_pool_same_group(const RigStoreEntry *a, const RigStoreEntry *b)
{
	g_autofree char *one = group_key(a, FALSE);
	g_autofree char *two = group_key(b, FALSE);

	return g_str_equal(one, two);
}

static gboolean is_complete(const RigPoolGroup *group, guint sides)
{
	for (guint i = 0; i < sides; i++)
		if (group->counts[i] == 0)
			return FALSE;
	return TRUE;
}

/* Groups that every side has, the most recent first. WITH_CLASS: whole runs only, apart by class.
 */
GPtrArray *rig_pool_groups(const RigPool *pool, gboolean with_class)
{
	GPtrArray *groups = g_ptr_array_new_with_free_func(group_free);

	for (guint i = 0; i < pool->n; i++) {
		for (guint e = 0; e < pool->entries[i]->len; e++) {
			const RigStoreEntry *entry = g_ptr_array_index(pool->entries[i], e);
			RigPoolGroup *group;

			if (with_class && !rig_pool_entry_ok(entry))
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

const RigPoolGroup *rig_pool_newest(const GPtrArray *groups)
{
	const RigPoolGroup *best = NULL;

	for (guint i = 0; i < groups->len; i++) {
		const RigPoolGroup *group = g_ptr_array_index(groups, i);

		if (!best || group->newest > best->newest)
			best = group;
	}
	return best;
}

static char *group_text(const RigStoreEntry *sample, char class)
{
	char text[] = {' ', 'c', 'l', 'a', 's', 's', ' ', class, '\0'};

	return g_strdup_printf("%s (%s) on %s%s%s%s", sample->workload, sample->params,
			       sample->topology, class ? text : "", *sample->variant ? ", " : "",
			       sample->variant);
}

char *rig_pool_chosen(const RigPoolGroup *chosen)
{
	return group_text(chosen->sample, chosen->class);
}

char *rig_pool_others(const GPtrArray *groups, const RigPoolGroup *chosen)
{
	g_autoptr(GString) text = g_string_new(NULL);
	guint shown = 0;

	for (guint i = 0; i < groups->len && shown < OTHERS_SHOWN; i++) {
		const RigPoolGroup *group = g_ptr_array_index(groups, i);
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

char *rig_pool_inventory(const RigPool *pool, guint side)
{
	g_autoptr(GPtrArray) groups = g_ptr_array_new_with_free_func(group_free);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint e = 0; e < pool->entries[side]->len; e++)
		group_ensure(groups, g_ptr_array_index(pool->entries[side], e), FALSE, pool->n);
	for (guint i = 0; i < groups->len && i < OTHERS_SHOWN; i++) {
		g_autofree char *one =
			group_text(((RigPoolGroup *)g_ptr_array_index(groups, i))->sample, 0);

		g_string_append_printf(text, "%s%s", i ? "; " : "", one);
	}
	if (groups->len > OTHERS_SHOWN)
		g_string_append_printf(text, "; and %u more", groups->len - OTHERS_SHOWN);
	return g_strdup(text->str);
}
