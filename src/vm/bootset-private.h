/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bootset-private.h - what bootset.c (which boot sets, cached or not) and bootset-build.c (making
 * them) share.
 */
#pragma once

#include "vm/bootset.h"
#include "vm/cache.h"

#define RIG_IMAGE_FILE "image.qcow2"
#define RIG_DISK_FILE "disk.qcow2"
#define RIG_INITRD_FILE "initrd"

/* An image, as far as the cache goes. */
typedef struct {
	const RigImage *image;
	char *busybox;
	char *base; /* the cache's folder of the Debian root, NULL: none */
	char *inputs, *key, *dir;
} RigImageEntry;

/* A boot set, as far as the cache goes. */
typedef struct {
	const RigBootsetSpec *spec;
	const RigImageEntry *image;
	char *inputs, *key, *dir;
	gboolean hit;
} RigBootsetEntry;

/* Find the image, or make and publish it. HIT: it was there. */
gboolean rig_bootset_ensure_image(const RigBootsetContext *context, const RigImageEntry *image,
				  gboolean *hit, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make and publish ENTRIES (RigBootsetEntry*, their locks are held) and the images that they need.
 * What can be refused is refused before anything is launched; all disks are written by one launch.
 */
gboolean rig_bootset_build(const RigBootsetContext *context, const GPtrArray *entries,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
