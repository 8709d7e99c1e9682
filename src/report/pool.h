/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pool.h - the store's entries of several kernels, and what these have in common (private to
 * select.c).
 */
#pragma once

#include "report/select.h"

/* Records that may stand in one comparison. */
typedef struct {
	char *key;
	const RigStoreEntry *sample;
	char class;    /* 0: any */
	guint *counts; /* entries of each side */
	gint64 newest; /* of all sides */
} RigPoolGroup;

typedef struct {
	const char *const *names;
	guint n;
	GPtrArray **entries; /* one list of RigStoreEntry* a side, oldest first */
} RigPool;

/* Find the entries of all names. POOL holds names and n; free it with rig_pool_clear(). */
gboolean rig_pool_fill(RigPool *pool, const char *root, const RigSelection *selection,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_pool_clear(RigPool *pool);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigPool, rig_pool_clear)

/* Are both of one workload, parameters, topology and variant, whatever their class? */
gboolean rig_pool_same_group(const RigStoreEntry *a, const RigStoreEntry *b);

/* RigPoolGroup*: the groups that every side has. WITH_CLASS: of whole runs only, apart by class.
 * Owned; valid as long as the pool. */
GPtrArray *rig_pool_groups(const RigPool *pool, gboolean with_class);
/* The one with the most recent entry; NULL when there are none. */
const RigPoolGroup *rig_pool_newest(const GPtrArray *groups);

/* One group, for people. g_free. */
char *rig_pool_chosen(const RigPoolGroup *chosen);
/* All groups but CHOSEN, for people; NULL when there are none. g_free. */
char *rig_pool_others(const GPtrArray *groups, const RigPoolGroup *chosen);
/* What a side has, each group once, for the error that finds nothing in common. g_free. */
char *rig_pool_inventory(const RigPool *pool, guint side);

gboolean rig_pool_entry_ok(const RigStoreEntry *entry);
/* FALSE for a run that did not boot: it has a class by accident only. */
gboolean rig_pool_entry_has_class(const RigStoreEntry *entry);
