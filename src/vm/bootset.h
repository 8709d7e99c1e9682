/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bootset.h - what a guest boots from: kernel, initramfs, disk overlay; cached by content.
 *
 * A boot set is keyed by the SHA-256 of everything that goes into its initramfs and disk; the
 * kernel file stays in the store and is no part of it, so a kernel that was built again with the
 * same modules needs nothing new. It is built in a temporary folder, renamed into place under a
 * lock, and never changed afterwards.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "base/paths.h"
#include "model/image.h"
#include "model/kernel.h"

typedef struct {
	const RigPaths *paths;
	RigLog *log;
	GCancellable *cancellable;
} RigBootsetContext;

typedef struct {
	const RigKernel *kernel;
	const RigImage *image;
	const char *const
		*programs; /* host files to be put into RIG_GUEST_BIN besides rig's own, or NULL */
	gboolean diskless; /* the whole root as an initramfs */
} RigBootsetSpec;

typedef struct {
	char *key;
	char *boot;    /* kernel file */
	char *initrd;  /* NULL: the kernel has all drivers built in */
	char *disk;    /* qcow2 to be used as a backing file, never written; NULL when diskless */
	char *cmdline; /* words that this boot set needs: root=, rig.root=... */
	gboolean hit;  /* it was in the cache */
} RigBootset;

/* The boot sets for N specs, in their order: what is cached is taken, all disks that are missing
 * are written by one launch of the libguestfs appliance. An image that is missing costs one launch
 * more, once. A kernel without the drivers or a program that cannot run in the guest is refused
 * before any launch. */
GPtrArray *rig_bootset_get(const RigBootsetContext *context, const RigBootsetSpec *specs, guint n,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT; /* RigBootset* */
void rig_bootset_free(RigBootset *bootset);

/* One more initramfs for a diskless boot set with JOB (JSON) at RIG_GUEST_JOB, written to PATH:
 * concatenated behind the cached one, as the kernel takes several archives in a row. */
gboolean rig_bootset_write_job(const RigBootset *bootset, const char *job, const char *path,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Only build or find the image (for rig image build). HIT may be NULL. Returns the qcow2's path. */
char *rig_bootset_image(const RigBootsetContext *context, const RigImage *image, gboolean *hit,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the cache holds, for rig gc. KIND: "image", "bootset", "package", "temporary"... IN_USE: a
 * running guest's overlay needs it. */
typedef struct {
	char *kind, *key, *path, *text;
	guint64 bytes;
	gint64 last_used; /* seconds since the epoch */
	gboolean in_use;
} RigCacheEntry;
/* RigCacheEntry*; boot sets before the images that they lie on. */
GPtrArray *rig_bootset_cache_list(const RigPaths *paths, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_cache_entry_free(RigCacheEntry *entry);
gboolean rig_bootset_cache_remove(const RigPaths *paths, const RigCacheEntry *entry,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Compare the digests of all files of an entry with those that were written. RIG_ERROR_FAILED. */
gboolean rig_bootset_cache_verify(const RigCacheEntry *entry,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
