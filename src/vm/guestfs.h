/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guestfs.h - make disks and fill them, all with one launch of libguestfs' appliance.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "base/paths.h"

typedef struct {
	const char *path;    /* the qcow2 file to be made */
	const char *backing; /* qcow2 to be laid over, relative to PATH or absolute; NULL: a new
				file system */
	guint64 size;	     /* of a new one */
	const char *base;    /* a tar archive that is unpacked first, or NULL */
	const char *tar;     /* what to unpack into it */
} RigGuestfsDisk;

typedef struct {
	const RigPaths *paths;
	const char *scratch; /* existing folder for libguestfs' own files; also tells its QEMU from
				others */
	gboolean kvm;	     /* KVM is proven to work; else libguestfs must not even try it */
	RigLog *log;
	GCancellable *cancellable;
} RigGuestfs;

/* Make and fill N disks. A new file system is ext4 without journal, checksums and lazy
 * initialisation, so that a guest has no background work. RIG_ERROR_HOST if libguestfs fails,
 * TIMEOUT, INTERRUPTED. */
gboolean rig_guestfs_write(const RigGuestfs *guestfs, const RigGuestfsDisk *disks, guint n,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* libguestfs' version, "1.48.6". g_free. */
char *rig_guestfs_version(void);
