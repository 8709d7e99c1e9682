/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelsource.h - find the parts of a kernel wherever they come from.
 */
#pragma once

#include "vm/kernelstore.h"

typedef struct {
	char *boot;    /* bzImage or vmlinux file */
	char *config;  /* or NULL */
	char *modules; /* lib/modules/RELEASE folder, or NULL */
	char *text;    /* for kernel.json: "package ...", "file ...", "build ...", "host" */
	gboolean own;  /* the files lie in our scratch folder and may be moved */
	gboolean same; /* EXISTING is this very package: nothing was fetched, nothing is to be done
			*/
} RigKernelParts;

void rig_kernelparts_clear(RigKernelParts *parts);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKernelParts, rig_kernelparts_clear)

/* Find the parts of SOURCE; what has to be unpacked or downloaded goes below the existing folder
 * SCRATCH. EXISTING: the kernel of that name in the store, or NULL. */
gboolean rig_kernelsource_find(const RigKernelStore *store, const RigKernelSource *source,
			       const RigKernel *existing, const char *scratch,
			       RigKernelParts *parts, GError **error) G_GNUC_WARN_UNUSED_RESULT;
