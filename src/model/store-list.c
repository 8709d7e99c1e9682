/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-list.c - finds records by what they are.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
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
