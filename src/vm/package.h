/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * package.h - kernels out of distribution packages.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"

/* TRUE for a name that ends in .deb or .rpm. */
gboolean rig_package_is_file(const char *path);

/* Put the kernel files of a .deb or .rpm below DIR: boot/vmlinuz-*, boot/config-*, lib/modules/
 * (also what the package has in usr/lib/modules/). Only regular files, never outside DIR.
 * RIG_ERROR_USAGE if it has none of them. */
gboolean rig_package_extract(const char *path, const char *dir, GCancellable *cancellable,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Put the tarball of a package with a kernel's source into the folder DIR and return its path.
 * RIG_ERROR_USAGE if the package has none. */
char *rig_package_extract_source(const char *path, const char *dir, GCancellable *cancellable,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What a package name stands for after meta packages were followed. */
typedef struct {
	char *text;	/* "linux-image-6.1.0-57-cloud-amd64 6.1.192-3", for kernel.json */
	GPtrArray *ids; /* char*, for the distribution's client: "NAME=VERSION" */
	gboolean dnf;
} RigPackageName;

void rig_package_name_clear(RigPackageName *name);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigPackageName, rig_package_name_clear)

/* Ask the distribution's client (apt-cache; dnf) what SPEC is: "linux-image-cloud-amd64",
 * "NAME=VERSION", "NAME/SUITE". RIG_ERROR_USAGE for a name that it does not know, RIG_ERROR_HOST
 * without a client. */
gboolean rig_package_resolve(const char *spec, GCancellable *cancellable, RigPackageName *name,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Download the packages of NAME (apt-get download, dnf download) to the existing folder DIR.
 * Returns the files' paths. */
GPtrArray *rig_package_download(const RigPackageName *name, const char *dir, RigLog *log,
				GCancellable *cancellable,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* "Package: x\nDepends: linux-image-1 (= 2), y\n" -> the dependencies that start with PREFIX as
 * client ids
 * ("linux-image-1=2"), alternatives left out. Pure, for tests. g_ptr_array_unref. */
GPtrArray *rig_package_depends(const char *show, const char *prefix);
