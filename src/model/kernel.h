/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel.h - a kernel in rig's store: what is known of it.
 *
 * <state>/kernels/NAME/ holds kernel.json, boot (the file that QEMU loads: ELF with PVH note where
 * there is one, else bzImage), config (where known), modules/lib/modules/RELEASE/... (uncompressed
 * .ko) where it has any.
 */
#pragma once

#include "base/json.h"
#include "model/kernelbuild.h"

typedef struct {
	char *name;
	char *dir;
	char *release;	/* "6.12.117+deb12-cloud-amd64" */
	char *banner;	/* "Linux version ..." where found: compiler and date */
	char *compiler; /* "gcc-12", "unknown" */
	char *source;	/* "package linux-image-... 6.12.117-1", "file /path", "host" */
	char *format;	/* "elf-pvh" or "bzimage" */
	char *boot_sha256, *config_sha256, *modules_sha256; /* NULL where there is none */
	gint64 added;
	RigKernelBuild *build; /* how rig built it; NULL for kernels from elsewhere */
} RigKernel;

void rig_kernel_free(RigKernel *kernel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigKernel, rig_kernel_free)
RigKernel *rig_kernel_load(const char *kernels_dir, const char *name, GError **error)
	G_GNUC_WARN_UNUSED_RESULT; /* unknown: RIG_ERROR_USAGE with the hint "rig kernel add ..." */
GPtrArray *rig_kernel_list(const char *kernels_dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
char *rig_kernel_to_json(const RigKernel *kernel);
char *rig_kernel_boot_path(const RigKernel *kernel);
char *
rig_kernel_modules_dir(const RigKernel *kernel); /* ".../modules/lib/modules/RELEASE" or NULL */
/* Text of its config, NULL where unknown. g_free. */
char *rig_kernel_config(const RigKernel *kernel);
/* "config-" + 12 digits of the config's digest, for the record's path. g_free. */
char *rig_kernel_kconfig_name(const RigKernel *kernel);

/* The default kernel's name, NULL where none is set; and set it. */
char *rig_kernel_default(const char *kernels_dir);
gboolean rig_kernel_set_default(const char *kernels_dir, const char *name,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* No default any more, as the last kernel is gone. */
gboolean rig_kernel_clear_default(const char *kernels_dir,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The value of OPTION in .config text: "y", "m", "\"text\"", "n" (not set or absent). g_free. */
char *rig_kconfig_value(const char *config_text, const char *option);
