/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules-index.h - the index files of kernel modules that a distribution's modprobe reads.
 */
#pragma once

#include "vm/rootfs.h"

/* Add to ROOTFS what depmod makes for FILES (paths relative to MODULES_DIR), at
 * /lib/modules/RELEASE. kmod's modprobe reads nothing else; busybox's is content with a
 * modules.dep. STAGE is a folder to be made, and to be kept until ROOTFS is written.
 * RIG_ERROR_HOST without depmod. */
gboolean rig_modules_index(RigRootfs *rootfs, const char *modules_dir, const char *release,
			   const GPtrArray *files, const char *stage,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
