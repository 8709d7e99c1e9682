/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * safe-output.h - a guest's bytes on their way to a terminal.
 *
 * rig_text_safe() for a stream: a character that is cut between two pieces is put together again.
 */
#pragma once

#include <glib.h>

typedef struct RigSafeOutput RigSafeOutput;

/* Write to FD (stays the caller's). */
RigSafeOutput *rig_safe_output_new(int fd);
/* FALSE when FD takes no more. Carriage returns are left out. */
gboolean rig_safe_output_write(RigSafeOutput *output, const char *data, gsize length);
/* Write what is left and free. */
void rig_safe_output_free(RigSafeOutput *output);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigSafeOutput, rig_safe_output_free)

/* A pipe whose other end a thread carries to FD in this way, for code that writes to descriptors.
 */
typedef struct RigSafePipe RigSafePipe;
RigSafePipe *rig_safe_pipe_new(int fd);
int rig_safe_pipe_fd(const RigSafePipe *pipe);
/* Wait until all is written. */
void rig_safe_pipe_free(RigSafePipe *pipe);
