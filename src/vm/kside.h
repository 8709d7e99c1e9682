/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kside.h - a patched copy of a source tree with a build directory of its own.
 *
 * <cache>/kside/KEY/tree is made of hard links to the base's sources and a copy of its build, so
 * only what a patch touches is compiled, and building one side never dates the other. A side stays
 * and takes on the next patch: only what differs between the two patches is written.
 */
#pragma once

#include "vm/cache.h"
#include "vm/kernelstore.h"

typedef struct {
	const RigKernelStore *store;
	const char *key;
	const char *base;     /* tree of the unpatched source */
	const char *build;    /* name of the build directory in it */
	char *dir, *tree;     /* filled by rig_kside_open() */
	gboolean reconfigure; /* out: a patch touches Kconfig files, now or the last time */
	gboolean fresh;	      /* out: it was just made from the base */
} RigKside;

/* Find the side, or make it from the base, whose build must be whole. Its lock and the base's must
 * be held. */
gboolean rig_kside_open(RigKside *side, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make its sources the base's with PATCHES (RigKpatch*) on top. If one does not apply, the sources
 * are the base's and the error tells the hunk. */
gboolean rig_kside_patch(RigKside *side, const GPtrArray *patches,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_kside_clear(RigKside *side);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKside, rig_kside_clear)
