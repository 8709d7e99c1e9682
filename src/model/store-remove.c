/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-remove.c - takes records out of the store, and whatever a killed writer has left in it.
 *
 * Removing must work on a disk that is full, as it is how a user makes room: nothing is written
 * before the record is gone.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LOCK_WAIT_MS 60000

gboolean rig_store_check_links(const char *root, const char *path, GError **error)
{
	g_autofree char *at = g_strdup(path);
	struct stat st;

	while (strlen(at) > strlen(root)) {
		char *above;

		if (lstat(at, &st) == 0 && S_ISLNK(st.st_mode)) {
			rig_error_set_hint(error, RIG_ERROR_HOST,
					   "look where it leads; only the results folder itself "
					   "may be a link",
					   "%s is a symbolic link: nothing is written or removed "
					   "through it",
					   at);
			return FALSE;
		}
		above = g_path_get_dirname(at);
		g_free(at);
		at = above;
	}
	return TRUE;
}

void rig_store_prune(const char *root, const char *path)
{
	g_autofree char *at = g_strdup(path);

	/* What is not there does not keep what is above it. */
	while (strlen(at) > strlen(root) && (rmdir(at) == 0 || errno == ENOENT)) {
		char *above = g_path_get_dirname(at);

		g_free(at);
		at = above;
	}
}

/* What killed writers left. */

/* The folder that the record in SCRATCH was for, or came from, may be there and empty. */
static void sweep_one(const char *root, const char *scratch)
{
	g_autofree char *path = g_build_filename(scratch, "record.json", NULL);
	g_autofree char *text = rig_file_read(path, RIG_STORE_RECORD_MAX, NULL, NULL);
	g_autoptr(RigRecord) record = text ? rig_record_parse(path, text, NULL) : NULL;
	g_autofree char *parent = record ? rig_store_parent(root, record) : NULL;

	if (!rig_file_remove_tree(scratch, NULL))
		g_debug("%s stays behind", scratch);
	else if (parent && rig_store_check_links(root, parent, NULL))
		rig_store_prune(root, parent);
}

/* Under the lock nobody works in any of them. */
static void sweep(const char *root)
{
	g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(root, name, NULL);

		if (g_str_has_prefix(name, "." RIG_STORE_NEW "-") ||
		    g_str_has_prefix(name, "." RIG_STORE_GONE "-"))
			sweep_one(root, path);
		else if (!rig_file_remove_debris(path, NULL))
			g_debug("%s stays behind", path);
	}
}

RigLock *rig_store_lock(const char *root, GError **error)
{
	g_autofree char *path = g_build_filename(root, ".lock", NULL);
	RigLock *lock = rig_lock_take(path, "writing results", LOCK_WAIT_MS, NULL, error);

	if (lock)
		sweep(root);
	return lock;
}

/* What was being written beside a file of a record, or beside the means. */
static void sweep_below(const char *path, guint depth)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (*name == '.' && !rig_file_remove_debris(below, NULL))
			g_debug("%s stays behind", below);
		else if (*name != '.' && depth <= RIG_STORE_DEPTH &&
			 g_file_test(below, G_FILE_TEST_IS_DIR) &&
			 !g_file_test(below, G_FILE_TEST_IS_SYMLINK))
			sweep_below(below, depth + 1);
	}
}

gboolean rig_store_clean(const char *root, GError **error)
{
	g_autofree char *base = g_canonicalize_filename(root, NULL);
	g_autoptr(RigLock) lock = NULL;

	if (!g_file_test(base, G_FILE_TEST_IS_DIR))
		return TRUE;
	lock = rig_store_lock(base, error);
	if (lock)
		sweep_below(base, 1);
	return lock != NULL;
}

/* Removing. */

/* TRUE if DIR is where a record of ROOT can be. */
static gboolean check_dir(const char *root, const char *dir, GError **error)
{
	g_autofree char *record = g_build_filename(dir, "record.json", NULL);
	g_autofree char *parent = g_path_get_dirname(dir);
	gsize length = strlen(root);
	guint depth = 0;

	for (const char *c = dir + MIN(length, strlen(dir)); *c; c++)
		depth += *c == '/';
	if (strncmp(dir, root, length) == 0 && depth == RIG_STORE_DEPTH &&
	    access(record, F_OK) == 0)
		/* A link in a record's place goes, and what it leads to stays. */
		return rig_store_check_links(root, parent, error);
	rig_error_set_hint(error, RIG_ERROR_USAGE, "rig results list", "%s: no record of %s", dir,
			   root);
	return FALSE;
}

static gboolean is_other(const RigStoreEntry *entry, gconstpointer dir)
{
	return !g_str_equal(entry->dir, dir);
}

/* Rename DIR to a scratch name in ROOT, which takes no room. g_free. */
static char *move_aside(const char *root, const char *dir, GError **error)
{
	g_autofree char *aside =
		g_strdup_printf("%s/." RIG_STORE_GONE "-%08x", root, g_random_int());

	if (rename(dir, aside) == 0)
		return g_steal_pointer(&aside);
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", dir);
	return NULL;
}

static gboolean remove_locked(const char *root, const char *dir, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(dir);
	g_autofree char *aside = NULL;
	g_autoptr(GPtrArray) entries = NULL;
	gboolean fits;

	entries = rig_index_read(root, is_other, dir, &fits);
	if (!rig_aggregate_remove(parent, error))
		return FALSE;
	aside = move_aside(root, dir, error);
	if (!aside || !rig_file_remove_tree(aside, error))
		return FALSE;
	/* An index that did not fit before, or finds no room, is made again by the next list. */
	if (fits && !rig_index_write(root, entries, NULL))
		g_debug("%s: the index names a record that is gone", root);
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
