/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * debian.h - a Debian root as a tar archive, made by mmdebstrap and kept in the cache.
 *
 * The entry <cache>/debian/KEY is keyed by suite and packages. apt finds other versions for them
 * next month, and the entry is not made again for that: "rig gc" takes it away, and the next use
 * makes it anew. What was found is in the entry.
 */
#pragma once

#include "vm/bootset.h"

#define RIG_DEBIAN_TAR "root.tar"

/* The entry's folder, made if it is not there. RIG_ERROR_HOST without mmdebstrap, a source of the
 * suite, or the network. g_free. */
char *rig_debian_get(const RigBootsetContext *context, const RigImageDebian *debian,
		     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the entry holds, a line "NAME VERSION" for each package; NULL while it is not there.
 * g_free. */
char *rig_debian_packages(const RigPaths *paths, const RigImageDebian *debian);
