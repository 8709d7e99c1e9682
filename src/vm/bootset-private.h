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
	char *inputs, *key, *dir;
} RigImageEntry;

/* A boot set, as far as the cache goes. */
typedef struct {
	const RigBootsetSpec *spec;
	const RigImageEntry *image;
	char *inputs, *key, *dir;
	gboolean hit;
} RigBootsetEntry;

/* Make and publish the image (its lock is held). */
gboolean rig_bootset_build_image(const RigBootsetContext *context, const RigImageEntry *image,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make and publish ENTRIES (RigBootsetEntry*, their locks are held, their images there) with one
 * launch. */
gboolean rig_bootset_build(const RigBootsetContext *context, const GPtrArray *entries,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
