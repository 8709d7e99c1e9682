/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-list.c - finds records by what they are, and takes them out of the store.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static gboolean fits(const char *wanted, const char *value)
{
	return !wanted || g_strcmp0(wanted, value) == 0;
}

/* "2sp-icl" also means the runs whose cells were given another size, "2sp-icl:2c". */
static gboolean fits_topology(const char *wanted, const char *value)
{
	gsize length = wanted ? strlen(wanted) : 0;

	return fits(wanted, value) ||
	       (value && g_str_has_prefix(value, wanted) && value[length] == ':');
}

static gboolean entry_matches(const RigStoreEntry *entry, gconstpointer data)
{
	const RigStoreQuery *query = data;

	return !query || (fits(query->workload, entry->workload) &&
			  fits_topology(query->topology, entry->topology) &&
			  fits(query->params, entry->params) && fits(query->id, entry->id) &&
			  (fits(query->kernel, entry->kernel) || fits(query->kernel, entry->side)));
}

static gint by_time(gconstpointer a, gconstpointer b)
{
	const RigStoreEntry *left = *(const RigStoreEntry *const *)a;
	const RigStoreEntry *right = *(const RigStoreEntry *const *)b;

	if (left->started != right->started)
		return left->started < right->started ? -1 : 1;
	return strcmp(left->id, right->id);
}

/* Make the index again. A store that cannot be written is listed all the same. */
static void rebuild(const char *root)
{
	g_autoptr(RigLock) lock = rig_store_lock(root, NULL);
	g_autoptr(GPtrArray) entries = NULL;
	gboolean ok;

	if (!lock)
		return;
	entries = rig_index_read(root, NULL, NULL, &ok);
	if (ok)
		return; /* another rig was quicker */
	g_ptr_array_unref(entries);
	entries = rig_index_scan(root);
	g_ptr_array_sort(entries, by_time);
	if (!rig_index_write(root, entries, NULL))
		g_debug("%s: the index stays as it was", root);
}

static GPtrArray *scan_matching(const char *root, const RigStoreQuery *query)
{
	GPtrArray *entries = rig_index_scan(root);

	for (guint i = entries->len; i-- > 0;)
		if (!entry_matches(g_ptr_array_index(entries, i), query))
			g_ptr_array_remove_index(entries, i);
	return entries;
}

GPtrArray *rig_store_list(const char *root, const RigStoreQuery *query, GError **error)
{
	g_autofree char *base = g_canonicalize_filename(root, NULL);
	GPtrArray *entries;
	gboolean ok;

	if (!g_file_test(base, G_FILE_TEST_IS_DIR))
		return g_ptr_array_new_with_free_func((GDestroyNotify)rig_store_entry_free);
	if (access(base, R_OK | X_OK) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot read", base);
		return NULL;
	}
	entries = rig_index_read(base, entry_matches, query, &ok);
	if (!ok) {
		rebuild(base);
		g_ptr_array_unref(entries);
		entries = rig_index_read(base, entry_matches, query, &ok);
	}
	if (!ok) {
		g_ptr_array_unref(entries);
		entries = scan_matching(base, query);
	}
	g_ptr_array_sort(entries, by_time);
	return entries;
}

/* Removing. */

/* TRUE if DIR is where a record of ROOT can be. */
static gboolean check_dir(const char *root, const char *dir, GError **error)
{
	g_autofree char *record = g_build_filename(dir, "record.json", NULL);
	gsize length = strlen(root);
	guint depth = 0;

	for (const char *c = dir + MIN(length, strlen(dir)); *c; c++)
		depth += *c == '/';
	if (strncmp(dir, root, length) == 0 && depth == RIG_STORE_DEPTH &&
	    access(record, F_OK) == 0)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE, "rig results list", "%s: no record of %s", dir,
			   root);
	return FALSE;
}

static gboolean is_other(const RigStoreEntry *entry, gconstpointer dir)
{
	return !g_str_equal(entry->dir, dir);
}

static gboolean remove_locked(const char *root, const char *dir, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(dir);
	g_autofree char *gone = rig_file_temp_dir(parent, "gone", error);
	g_autofree char *target = gone ? g_build_filename(gone, "record", NULL) : NULL;
	g_autoptr(GPtrArray) entries = NULL;
	gboolean ok;

	if (!gone)
		return FALSE;
	entries = rig_index_read(root, is_other, dir, &ok);
	if (!rig_aggregate_remove(parent, error))
		return FALSE;
	if (rename(dir, target) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", dir);
		return FALSE;
	}
	/* An index that did not fit before is made again by the next list. */
	if (ok && !rig_index_write(root, entries, error))
		return FALSE;
	if (!rig_file_remove_tree(gone, error))
		return FALSE;
	rig_store_prune(root, parent);
	return TRUE;
}

gboolean rig_store_remove(const char *root, const char *dir, GError **error)
{
	g_autofree char *base = g_canonicalize_filename(root, NULL);
	g_autofree char *path = g_canonicalize_filename(dir, NULL);
	g_autoptr(RigLock) lock = NULL;

	if (!check_dir(base, path, error))
		return FALSE;
	lock = rig_store_lock(base, error);
	return lock && remove_locked(base, path, error);
}

/* The means of one folder, unless they are there or it has no record any more. */
static gboolean renew_one(const char *parent, GError **error)
{
	g_autoptr(GArray) numbers = NULL;

	if (rig_aggregate_exists(parent))
		return TRUE;
	numbers = rig_store_numbers(parent);
	return numbers->len == 0 || rig_aggregate_write(parent, error);
}

gboolean rig_store_renew(const char *root, const GPtrArray *dirs, GError **error)
{
	g_autofree char *base = g_canonicalize_filename(root, NULL);
	g_autoptr(RigLock) lock = dirs->len ? rig_store_lock(base, error) : NULL;

	if (dirs->len && !lock)
		return FALSE;
	for (guint i = 0; i < dirs->len; i++) {
		g_autofree char *parent = g_path_get_dirname(g_ptr_array_index(dirs, i));

		if (!renew_one(parent, error))
			return FALSE;
	}
	return TRUE;
}
