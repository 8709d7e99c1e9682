/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * initramfs.h - the archives that a kernel unpacks before its first program.
 */
#pragma once

#include "vm/modules.h"
#include "vm/rootfs.h"

/* Add /init, the module FILES (relative to MODULES_DIR, in load order) with the list that rig-init
 * reads, and /dev/console. FILES may be empty. */
void rig_initramfs_add_boot(RigRootfs *rootfs, const char *init, const char *modules_dir,
			    const GPtrArray *files);

/* Add module FILES as above with a list of their own at LIST_PATH. */
void rig_initramfs_add_modules(RigRootfs *rootfs, const char *modules_dir, const GPtrArray *files,
			       const char *list_path);

/* Write ROOTFS as an uncompressed newc archive: a guest under TCG unpacks slower than it copies. */
gboolean rig_initramfs_write(const RigRootfs *rootfs, const char *path,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* BASE, padded as the kernel wants it, with one more archive behind it that holds TEXT at
 * GUEST_PATH; to PATH. */
gboolean rig_initramfs_append_text(const char *base, const char *guest_path, const char *text,
				   const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
