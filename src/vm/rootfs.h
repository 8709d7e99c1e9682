/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootfs.h - a list of what a guest's file system is to hold, written as tar (for libguestfs) or as
 * cpio (for an initramfs).
 *
 * The list knows sources, not contents: files are read when it is written.
 */
#pragma once

#include <glib.h>

#include "base/paths.h"
#include "model/image.h"

typedef struct RigRootfs RigRootfs;

RigRootfs *rig_rootfs_new(void);
void rig_rootfs_free(RigRootfs *rootfs);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigRootfs, rig_rootfs_free)

/* The list is to be unpacked over a root of a distribution with a merged /usr: /bin/X is added as
 * /usr/bin/X, as a folder would take the place of the link /bin, and folders that are there keep
 * their modes. Before the first entry. */
void rig_rootfs_lay_over(RigRootfs *rootfs);

/* Add one entry; PATH is absolute in the guest, parents are added as needed (0755). A second entry
 * of the same path takes the place of the first. */
void rig_rootfs_add_dir(RigRootfs *rootfs, const char *path, int mode);
void rig_rootfs_add_file(RigRootfs *rootfs, const char *path, const char *source, int mode);
void rig_rootfs_add_text(RigRootfs *rootfs, const char *path, const char *text, int mode);
void rig_rootfs_add_link(RigRootfs *rootfs, const char *path, const char *target);
void rig_rootfs_add_char_device(RigRootfs *rootfs, const char *path, guint major, guint minor,
				int mode);

guint rig_rootfs_count(const RigRootfs *rootfs);

typedef enum { RIG_ROOTFS_TAR, RIG_ROOTFS_CPIO } RigRootfsFormat;
/* Write to the open FD, all owned by root; time stamps are 0, so equal lists make equal archives.
 */
gboolean rig_rootfs_write(const RigRootfs *rootfs, RigRootfsFormat format, int fd,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef enum {
	RIG_ROOTFS_BASE, /* what the recipe has besides rig's own programs: changes seldom */
	RIG_ROOTFS_OWN,	 /* the recipe's "guest:" programs: change with rig */
} RigRootfsPart;

/* Add what the recipe IMAGE says. BUSYBOX: the host's static busybox. */
gboolean rig_rootfs_add_image(RigRootfs *rootfs, const RigImage *image, RigRootfsPart part,
			      const RigPaths *paths, const char *busybox,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The host's statically linked busybox, the first of the usual places; RIG_ERROR_HOST with the
 * package's name as a hint. g_free. */
char *rig_rootfs_find_busybox(GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Refuse a program that the guest could not start: missing, no ELF or script, or dynamic unless
 * IMAGE (may be NULL) brings the loader that it names, by a file or by its packages. */
gboolean rig_rootfs_check_program(const char *path, const RigImage *image,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
