/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-private.h - the parts of the store: its index, and the means above the records.
 */
#pragma once

#include "base/lock.h"
#include "model/store.h"

/* Folders from the root to a record. */
#define RIG_STORE_DEPTH 8
#define RIG_STORE_RECORD_MAX (64 * 1024 * 1024) /* bytes of record.json */

/* Prefixes of scratch folders, which lie in the root and begin with a dot: a record being written,
 * a record being removed. */
#define RIG_STORE_NEW "rig-new"
#define RIG_STORE_GONE "rig-gone"

/* Writers of the store at ROOT exclude each other. What a killed one has left is taken away. NULL
 * with ERROR. */
RigLock *rig_store_lock(const char *root, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The folder for the numbered folders of such records. g_free. */
char *rig_store_parent(const char *root, const RigRecord *record);
/* FALSE if PATH or a folder above it, up to ROOT, is a symbolic link: neither written nor removed
 * through, as the user's files may be behind it. */
gboolean rig_store_check_links(const char *root, const char *path,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Remove PATH and the folders above it as far as they are empty, up to ROOT. */
void rig_store_prune(const char *root, const char *path);

/* index.jsonl: one line a record, oldest first. All of these want the store's lock held, but for
 * read. */

/* Entries whose folder is there; *FITS is FALSE if the file is missing or broken, or if a folder is
 * gone. Only entries that MATCHES takes (NULL: all). */
GPtrArray *rig_index_read(const char *root,
			  gboolean (*matches)(const RigStoreEntry *, gconstpointer),
			  gconstpointer data, gboolean *fits);
/* Append an entry for RECORD in DIR (below ROOT). *SIZE_BEFORE is the size to cut to if the record
 * does not come to be after all. */
gboolean rig_index_append(const char *root, const RigRecord *record, const char *dir,
			  gint64 *size_before, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_index_cut(const char *root, gint64 size);
/* Replace the index by ENTRIES. */
gboolean rig_index_write(const char *root, GPtrArray *entries,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Entries for all records that lie below ROOT, found by looking. Slow: every record.json is read.
 */
GPtrArray *rig_index_scan(const char *root);

/* Means: matrix.json, avg.json and stddev.json over the whole runs in the folder PARENT. They are
 * there and true, or not there. The lock is held for all of these. */
gboolean rig_aggregate_write(const char *parent, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_aggregate_exists(const char *parent);
gboolean rig_aggregate_remove(const char *parent, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The numbers of the records in PARENT (guint), ascending. */
GArray *rig_store_numbers(const char *parent);
/* name -> GArray of double as JSON text. g_free. */
char *rig_samples_to_json(GHashTable *samples);
