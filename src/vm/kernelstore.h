/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelstore.h - bring a kernel into rig's store, from a package, a build tree, files or the host.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "model/kernel.h"

typedef struct {
	const char *kernels_dir; /* <state>/kernels */
	const char *cache_dir;	 /* for downloaded packages */
	RigLog *log;
	GCancellable *cancellable;
} RigKernelStore;

typedef struct {
	const char *name;    /* in the store; NULL: the release */
	const char *source;  /* a .deb or .rpm file, a package name (through the distribution's own
			      * client), a bzImage or vmlinux  file, a build directory, or "host" */
	const char *modules; /* for image files: a folder lib/modules/RELEASE, or NULL */
	const char *config;  /* for image files: a .config, or NULL (then IKCONFIG is tried) */
	const char *text;    /* what kernel.json says as "source"; NULL: what SOURCE is */
	const char *debug;   /* a vmlinux with debug information, kept beside boot; or NULL */
	const RigKernelBuild *build; /* how rig built it, or NULL */
	gboolean replace;    /* an existing NAME is replaced, else RIG_ERROR_USAGE unless it is the
				same kernel */
} RigKernelSource;

/* Add; a same-named kernel with the same digests is returned as it is ("already there"). Built in a
 * temporary folder and renamed. */
RigKernel *rig_kernelstore_add(const RigKernelStore *store, const RigKernelSource *source,
			       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_kernelstore_remove(const RigKernelStore *store, const char *name,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
