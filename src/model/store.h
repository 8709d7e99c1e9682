/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.h - records on disk, laid out as the robot's users know it (formats.md).
 *
 * <root>/<workload>/<params>/<topology>/<image>/<kconfig>/<compiler>/<kernel>/<n>/
 */
#pragma once

#include "model/record.h"

typedef struct {
	const RigRawRun *raw;	  /* or NULL */
	const char *console_path; /* copied (at most 16 MiB, its end), or NULL */
	const char *domain_xml;	  /* or NULL */
	const char *dump_path;	  /* a memory dump, or NULL; moved. Where that fails it stays there, and the record is
				   * written without it */
} RigRecordFiles;

/* The memory dump in a record's folder. */
#define RIG_STORE_DUMP "vmcore"

/* Write a record with all of its files into a scratch folder and rename it to the next free <n>. What it costs does not
 * depend on how many there are: the means above it (matrix.json, avg.json, stddev.json) are only taken away, for
 * rig_store_renew(). Sets record->dir and record->id. On any error nothing that looks like a record is left. */
gboolean rig_store_write(const char *root, RigRecord *record, const RigRecordFiles *files,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	const char *workload, *topology, *kernel, *params; /* NULL: any; kernel also matches the side's name */
	const char *id; /* full id, or NULL */
} RigStoreQuery;

/* One line a record without reading its metrics: fast enough for 10,000 (an index.jsonl that is appended to by
 * rig_store_write and rebuilt when it does not fit the folders). */
typedef struct {
	char *id, *dir, *workload, *params, *topology, *image, *kernel, *side, *outcome, *outcome_text;
	char *variant; /* rig_store_variant() */
	char *plan;    /* its plan's id, "" if it is of none */
	char class;
	gint64 started;
	double duration_s;
} RigStoreEntry;
GPtrArray *rig_store_list(const char *root, const RigStoreQuery *query, GError **error)
	G_GNUC_WARN_UNUSED_RESULT; /* RigStoreEntry*, oldest first */
void rig_store_entry_free(RigStoreEntry *entry);
/* What a manifest tells of a run that is not to be averaged with plain ones (a fresh boot from its disk, nothing
 * added to the command line): "in a guest that was up, diskless, command line \"numa=off\"", for people and to be
 * compared; "" for a plain run. MANIFEST may be NULL. g_free. */
char *rig_store_variant(GHashTable *manifest);
RigRecord *rig_store_load(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A form of the record beside it that loads fast; may be taken away at any time. */
#define RIG_STORE_CACHE "record.cache"
/* The record without samples and without the counters of its phases, much faster where the cache beside it fits; where not
 * the cache is made again, if the folder can be written. NAMES is shared between the calls for many records, as in
 * rig_record_unpack(). */
RigRecord *rig_store_load_brief(const char *dir, GPtrArray **names, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Take away what writers that were killed have left in the store; a store that is not there is fine. What lies in the
 * root goes with the next write as well. */
gboolean rig_store_clean(const char *root, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Take a record out, and the means above it; works on a full disk too. */
gboolean rig_store_remove(const char *root, const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Write the means above the records' folders DIRS (char*; some may be gone) where there are none. To be called when the
 * last of several records is written or removed. */
gboolean rig_store_renew(const char *root, const GPtrArray *dirs, GError **error) G_GNUC_WARN_UNUSED_RESULT;
