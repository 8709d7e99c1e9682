/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache.h - things that are made once and kept under the digest of what went into them.
 *
 * <cache>/KIND/KEY/ holds the files and complete.json, which lists them with sizes and digests and
 * says what went in. A folder is filled under another name and renamed, so what is there is whole;
 * it is never changed afterwards.
 */
#pragma once

#include <gio/gio.h>

#include "base/lock.h"
#include "base/log.h"

#define RIG_CACHE_IMAGE "image"
#define RIG_CACHE_DEBIAN "debian" /* see debian.h */
#define RIG_CACHE_BOOTSET "bootset"
#define RIG_CACHE_APPLIANCE "appliance"
#define RIG_CACHE_KTREE "ktree" /* see ksource.h */
#define RIG_CACHE_KSIDE "kside" /* see kside.h */

/* A folder to work in, locked while we live, so that "rig gc" can tell what a killed rig left. */
typedef struct {
	char *path;
	RigLock *lock;
} RigScratch;

/* "PARENT/.rig-PREFIX-XXXXXX"; PARENT is made if missing. */
RigScratch *rig_scratch_new(const char *parent, const char *prefix,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The folder and all in it goes. NULL is fine. */
void rig_scratch_free(RigScratch *scratch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigScratch, rig_scratch_free)
/* TRUE if PATH is a scratch folder whose process is gone. */
gboolean rig_scratch_is_debris(const char *path);

/* SHA-256 of files, remembered by path, inode, size and time in the file <cache>/digests, as
 * hashing the same programs at every start would cost more than all else. */
typedef struct RigDigests RigDigests;
RigDigests *rig_digests_open(const char *cache_dir);
/* Writes the file back if something was added; losing it costs only time. */
void rig_digests_close(RigDigests *digests);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigDigests, rig_digests_close)
/* 64 hex digits, owned by DIGESTS; NULL with RIG_ERROR_HOST if PATH cannot be read. */
const char *rig_digests_get(RigDigests *digests, const char *path,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The path "<cache>/KIND/KEY". g_free. */
char *rig_cache_path(const char *cache_dir, const char *kind, const char *key);
/* Wait for the entry's lock, saying for whom. A symbolic link in the entry's place is removed, so
 * that the holder writes nowhere else. */
RigLock *rig_cache_lock(const char *cache_dir, const char *kind, const char *key, RigLog *log,
			GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE if the entry DIR, <cache>/KIND/KEY, is there and its files have the digests that they were
 * written with; its time of use is set. A file whose size, inode and time of change are the same as
 * when its digest was last taken is not read again. An entry that is damaged, or is a symbolic
 * link, is warned of and is as good as none. */
gboolean rig_cache_hit(const char *dir, RigLog *log);

/* Compare all digests, reading every byte. RIG_ERROR_FAILED names the first file that differs. */
gboolean rig_cache_verify(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make the filled folder FROM the entry DIR: write complete.json (INPUTS: lines that say what went
 * in; USES: the entry "KIND/KEY" that this one needs, USES_SHA256: the digest of what it needs of
 * it, or NULL), open it for all readers, take the place of a damaged one. */
gboolean rig_cache_publish(const char *from, const char *dir, const char *inputs, const char *uses,
			   const char *uses_sha256, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The digest of the file NAME of the entry DIR when it was published; NULL. g_free. */
char *rig_cache_digest(const char *dir, const char *name);

/* What publish got as USES and USES_SHA256; NULL. g_free. */
char *rig_cache_uses(const char *dir);
char *rig_cache_uses_sha256(const char *dir);
/* When it was last used, seconds since the epoch; 0 if unknown. */
gint64 rig_cache_last_used(const char *dir);
