/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * console.h - the file into which QEMU writes a guest's console: what is said there, and its end.
 */
#pragma once

#include <glib.h>

/* A console that grows beyond this has lost its mind, and would fill the host's disk. */
#define RIG_CONSOLE_MAX (64 * 1024 * 1024)

typedef enum {
	RIG_CONSOLE_QUIET,
	RIG_CONSOLE_OFF, /* the guest powered off, halted or rebooted */
	RIG_CONSOLE_PANIC,
	RIG_CONSOLE_BABBLES, /* beyond the limit */
} RigConsoleState;

typedef struct RigConsole RigConsole;

/* Follow the file at PATH from its present end (FROM_END) or its start; it need not exist yet.
 * LIMIT 0: RIG_CONSOLE_MAX. */
RigConsole *rig_console_new(const char *path, gboolean from_end, guint64 limit);
void rig_console_free(RigConsole *console);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigConsole, rig_console_free)

/* Read what is new and say the worst that was ever seen. Cheap when nothing is new. */
RigConsoleState rig_console_check(RigConsole *console);
/* The line that said it, made safe; NULL while quiet. */
const char *rig_console_line(const RigConsole *console);

/* The last N lines of the file, at most 64 KiB of it, made safe; "" when there are none. g_free. */
char *rig_console_tail(const char *path, guint n);
