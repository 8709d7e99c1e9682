/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelcheck.h - is a kernel in the store still what was put there?
 */
#pragma once

#include "model/kernel.h"
#include "vm/cache.h"

/* Compare boot file and config with the digests in kernel.json, before a guest boots. DIGESTS
 * remembers, so files that have not changed cost nothing. RIG_ERROR_HOST with the command that puts
 * the kernel right. */
gboolean rig_kernel_check(RigDigests *digests, const RigKernel *kernel,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for the modules, every byte of which is read: before they go into a boot set. */
gboolean rig_kernel_check_modules(const RigKernel *kernel,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;
