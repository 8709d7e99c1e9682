/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kmakelog.h - what a kernel's make says while it runs: how far it is, and what went wrong.
 */
#pragma once

#include <glib.h>

typedef struct {
	GString *line;	   /* what came of the line that is not whole yet */
	const char *phase; /* "preparing", "compiling", "linking", "modules" */
	char *file;	   /* the object that was announced last */
	guint steps;	   /* lines that announced work */
	guint expected;	   /* of the last such build, 0 if there was none */
	char *error;	   /* the first compiler error, "mm/mprotect.c:136: ..." */
} RigKmakeLog;

void rig_kmakelog_init(RigKmakeLog *log, guint expected);
void rig_kmakelog_clear(RigKmakeLog *log);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKmakeLog, rig_kmakelog_clear)

/* Take in LENGTH bytes of output. TRUE if phase, file or percent changed. */
gboolean rig_kmakelog_feed(RigKmakeLog *log, const char *text, gsize length);

/* 0 to 99 of what the last build of the same kind took; the end is for the caller to say. */
guint rig_kmakelog_percent(const RigKmakeLog *log);
