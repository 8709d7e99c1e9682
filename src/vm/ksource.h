/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksource.h - where a kernel's source comes from, and a tree of it in rig's cache.
 *
 * <cache>/ktree/KEY/ holds tree/ (the source, never changed) and source.json. Builds of it without
 * patches lie in tree/rig-build-CONFIG/.
 */
#pragma once

#include "vm/cache.h"
#include "vm/kernelstore.h"
#include "vm/kpatch.h"

#define RIG_KBUILD_PREFIX "rig-build-"

typedef enum {
	RIG_KSOURCE_GIT,
	RIG_KSOURCE_DIR,
	RIG_KSOURCE_TARBALL,
	RIG_KSOURCE_PACKAGE
} RigKsourceKind;

typedef struct {
	RigKsourceKind kind;
	char *path;	  /* of the repository, folder or tarball; NULL for a package */
	char *spec;	  /* as the user named it */
	char *revision;	  /* full hash, for git */
	char *text;	  /* "git /home/u/linux v6.12", "package linux-source-6.12 6.12.95-1" */
	char *key;	  /* of the tree in the cache */
	char *tree;	  /* <cache>/ktree/KEY/tree */
	RigKpatch *dirty; /* what a git checkout has uncommitted, or NULL */
} RigKsource;

void rig_ksource_clear(RigKsource *source);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKsource, rig_ksource_clear)

/* Find out what SPEC is: a git tree (with REV, or with what is checked out and its uncommitted
 * changes), a folder, a tarball, or the name of a source package. Unpacks nothing. RIG_ERROR_USAGE
 * for what is none of them, RIG_ERROR_HOST where git or the package's client is missing. */
gboolean rig_ksource_find(const RigKernelStore *store, const char *spec, const char *rev,
			  RigKsource *source, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make source->tree if it is not there. To be called with the tree's lock held. */
gboolean rig_ksource_unpack(const RigKernelStore *store, const RigKsource *source,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The patch that undoes COMMIT of a git source. */
RigKpatch *rig_ksource_revert(const RigKernelStore *store, const RigKsource *source,
			      const char *commit, GError **error) G_GNUC_WARN_UNUSED_RESULT;
