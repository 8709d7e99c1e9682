/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sweep-find.c - the records that differ in one parameter only.
 */
#include "report/sweep.h"

#include <math.h>
#include <string.h>

#include "base/error.h"

static void point_free(gpointer data)
{
	RigSweepPoint *point = data;

	for (guint i = 0; i + 1 < point->sides->sides->len; i++)
		rig_statcompare_free(point->stats[i]);
	g_free(point->stats);
	rig_sides_free(point->sides);
	g_free(point->value);
	g_free(point);
}

RigSweep *rig_sweep_new(const char *name)
{
	RigSweep *sweep = g_new0(RigSweep, 1);

	sweep->name = g_strdup(name);
	sweep->points = g_ptr_array_new_with_free_func(point_free);
	return sweep;
}

void rig_sweep_free(RigSweep *sweep)
{
	if (!sweep)
		return;
	g_free(sweep->name);
	g_ptr_array_unref(sweep->points);
	g_free(sweep);
}

/* 0 a number, 1 a percentage, 2 a word. */
static int kind_of(const char *value, double *number)
{
	char *end;

	*number = g_ascii_strtod(value, &end);
	if (end == value)
		return 2;
	return !*end ? 0 : g_str_equal(end, "%") ? 1 : 2;
}

static gint by_value(gconstpointer a, gconstpointer b)
{
	const RigSweepPoint *left = *(const RigSweepPoint *const *)a;
	const RigSweepPoint *right = *(const RigSweepPoint *const *)b;
	double x, y;
	int k = kind_of(left->value, &x), l = kind_of(right->value, &y);

	if (k != l)
		return k - l;
	if (k < 2 && x != y)
		return x < y ? -1 : 1;
	return strcmp(left->value, right->value);
}

void rig_sweep_add(RigSweep *sweep, const char *value, RigSides *sides)
{
	RigSweepPoint *point = g_new0(RigSweepPoint, 1);

	point->value = g_strdup(value);
	point->sides = sides;
	point->stats = g_new0(RigStatCompare *, sides->sides->len);
	for (guint i = 1; i < sides->sides->len; i++)
		point->stats[i - 1] = rig_statcompare_new(sides, i, NULL);
	g_ptr_array_add(sweep->points, point);
	g_ptr_array_sort(sweep->points, by_value);
}

/* Finding. */

typedef struct {
	const char *root, *name;
	const char *const *names;
	guint n_names;
	const RigSides *sides;
	const char *plan; /* or NULL */
	const char *variant;
} Search;

static const char *manifest_of(const RigSides *sides, const char *key)
{
	return rig_side_manifest(rig_sides_at(sides, 0), key);
}

static char *param_key(const char *name)
{
	return g_strconcat(*name == '/' ? "setting." : "param.", name, NULL);
}

/* TRUE if every parameter and setting but NAME is the same. */
static gboolean same_but(const RigSides *sides, const RigRecord *record, const char *but)
{
	const RigSideRun *run = g_ptr_array_index(rig_sides_at(sides, 0)->runs, 0);
	GHashTableIter iter;
	gpointer key, value;

	g_hash_table_iter_init(&iter, record->manifest);
	while (g_hash_table_iter_next(&iter, &key, &value)) {
		if (!g_str_has_prefix(key, "param.") && !g_str_has_prefix(key, "setting."))
			continue;
		if (!g_str_equal(key, but) &&
		    g_strcmp0(value, g_hash_table_lookup(run->manifest, key)) != 0)
			return FALSE;
	}
	return TRUE;
}

/* The value of NAME that stands behind PARAMS, if its other parameters are those of the sides. */
static char *value_of(const Search *search, const RigStoreEntry *entry)
{
	g_autoptr(GPtrArray) metrics = NULL;
	g_autoptr(RigRecord) record = rig_store_load_brief(entry->dir, &metrics, NULL);
	g_autofree char *key = param_key(search->name);
	const char *value = record ? g_hash_table_lookup(record->manifest, key) : NULL;

	if (!value || !same_but(search->sides, record, key))
		return NULL;
	if (search->plan &&
	    g_strcmp0(g_hash_table_lookup(record->manifest, "plan.id"), search->plan) != 0)
		return NULL;
	return g_strdup(value);
}

static gboolean has_value(const RigSweep *sweep, const char *value)
{
	for (guint i = 0; i < sweep->points->len; i++)
		if (g_str_equal(((RigSweepPoint *)g_ptr_array_index(sweep->points, i))->value,
				value))
			return TRUE;
	return FALSE;
}

/* A value that not every side has yet (the plan was interrupted) is no point. */
static void try_value(RigSweep *sweep, const Search *search, const RigStoreEntry *entry)
{
	g_autofree char *value = value_of(search, entry);
	RigSelection selection = {
		.workload = search->sides->workload,
		.topology = entry->topology,
		.params = entry->params,
		.plan = search->plan,
		.variant = search->variant,
	};
	RigSides *sides;

	if (!value || has_value(sweep, value))
		return;
	sides = rig_select_sides(search->root, search->names, search->n_names, &selection, NULL,
				 NULL);
	if (sides)
		rig_sweep_add(sweep, value, sides);
}

static gboolean find_points(RigSweep *sweep, const Search *search, GError **error)
{
	RigStoreQuery query = {
		.workload = search->sides->workload,
		.topology = search->sides->topology,
		.kernel = search->names[0],
	};
	g_autoptr(GPtrArray) entries = rig_store_list(search->root, &query, error);
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	/* Latest first, and one look at each set of parameters; with a plan until one is of it. */
	for (guint i = entries ? entries->len : 0; i > 0; i--) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, i - 1);

		if (search->plan ? FALSE : !g_hash_table_add(seen, entry->params))
			continue;
		try_value(sweep, search, entry);
	}
	return entries != NULL;
}

static gboolean check_name(const RigSides *sides, const char *name, GError **error)
{
	g_autofree char *key = param_key(name);

	if (sides->workload && manifest_of(sides, key))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "--sweep %s: the runs of %s have no such parameter",
		      name, sides->workload ? sides->workload : "these kernels");
	return FALSE;
}

RigSweep *rig_sweep_find(const char *root, const char *const *names, guint n_names,
			 const RigSides *sides, const char *name, GError **error)
{
	const char *planned = manifest_of(sides, "plan.sweep");
	g_autoptr(RigSweep) sweep = rig_sweep_new(name ? name : planned);
	const RigSideRun *first = g_ptr_array_index(rig_sides_at(sides, 0)->runs, 0);
	g_autofree char *variant = rig_store_variant(first->manifest);
	Search search = {
		.root = root,
		.name = sweep->name,
		.names = names,
		.n_names = n_names,
		.sides = sides,
		.variant = variant,
	};

	if (!sweep->name || !check_name(sides, sweep->name, name ? error : NULL))
		return NULL;
	if (g_strcmp0(planned, sweep->name) == 0)
		search.plan = manifest_of(sides, "plan.id");
	if (!find_points(sweep, &search, error))
		return NULL;
	if (sweep->points->len > 1)
		return g_steal_pointer(&sweep);
	if (name)
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig run ... --sweep NAME=V1,V2,...",
				   "--sweep %s: there is one value of it only", name);
	return NULL;
}
