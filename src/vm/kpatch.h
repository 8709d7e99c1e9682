/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kpatch.h - patches on a kernel's source: files, mails, series, undone commits.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"

typedef struct {
	char *name; /* "fix.patch", "revert of 0123456789ab" */
	char *text;
	char *sha256; /* of the text */
} RigKpatch;

RigKpatch *rig_kpatch_new(const char *name, const char *text);
/* A diff, a mail of git format-patch, or an mbox of such mails. RIG_ERROR_USAGE for a file in which
 * no diff is, or that leaves the tree. */
RigKpatch *rig_kpatch_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_kpatch_free(RigKpatch *patch);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigKpatch, rig_kpatch_free)

/* The files that it changes, adds or takes away, relative to the tree, each once. char*; NULL with
 * RIG_ERROR_USAGE for a path that leads out of the tree, or for no file at all. */
GPtrArray *rig_kpatch_files(const RigKpatch *patch, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Apply to TREE. On failure (RIG_ERROR_USAGE, with the hunk) the tree may be half patched: the
 * caller has kept what rig_kpatch_files() named. SCRATCH is a folder for rejected hunks. */
gboolean rig_kpatch_apply(const RigKpatch *patch, const char *tree, const char *scratch,
			  RigLog *log, GCancellable *cancellable,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;
