/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * log.h - what people read while rig works: stderr only.
 */
#pragma once

#include <glib.h>
#include <stdio.h>

typedef enum { RIG_LOG_QUIET, RIG_LOG_NORMAL, RIG_LOG_VERBOSE } RigLogLevel;

typedef struct RigLog RigLog;

/* STREAM is usually stderr. On a terminal a status line is shown in place and taken away again. */
RigLog *rig_log_new(FILE *stream, RigLogLevel level);
void rig_log_free(RigLog *log);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigLog, rig_log_free)

/* LOG may be NULL in all of these: then nothing is said. Texts are made safe by rig_text_safe(). */
void rig_log_info(RigLog *log, const char *format, ...) G_GNUC_PRINTF(2, 3);
void rig_log_warn(RigLog *log, const char *format, ...) G_GNUC_PRINTF(2, 3); /* also when quiet */
void rig_log_verbose(RigLog *log, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* What is being done now: in place on a terminal, a line of its own with -v, else nothing. */
void rig_log_status(RigLog *log, const char *format, ...) G_GNUC_PRINTF(2, 3);
void rig_log_status_clear(RigLog *log);
gboolean rig_log_is_terminal(const RigLog *log);
