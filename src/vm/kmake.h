/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kmake.h - run a kernel's make, out of tree.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"

typedef struct {
	const char *tree;     /* the source */
	const char *build;    /* O=, a folder right in TREE */
	const char *name;     /* of the kernel, for messages */
	const char *log_path; /* the whole output is appended to it */
	const char *cc;	      /* "gcc", "ccache gcc" */
	RigLog *log;
	GCancellable *cancellable;
	guint expected; /* steps of the last build of this kind, 0 if unknown */
	guint steps;	/* out: how many there were */
} RigKmake;

/* What rig cannot build a kernel without, and does not find: RIG_ERROR_HOST with a hint that names
 * the packages. TREE may be NULL. */
gboolean rig_kmake_check_tools(const char *tree, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* "gcc" or "$CC", through ccache where it is installed. g_free. */
char *rig_kmake_cc(void);

/* First lines of what CC and the linker say of themselves; part of a kernel's key. g_free. */
char *rig_kmake_tool_versions(const char *cc, GCancellable *cancellable,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* make TARGETS (NULL terminated; also VARIABLE=VALUE), with ENV added to the environment (or NULL).
 * A failure is RIG_ERROR_HOST with the first compiler error and the log's path. */
gboolean rig_kmake_run(RigKmake *make, const char *const *targets, const char *const *env,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
