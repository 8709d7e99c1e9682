/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.h - text from elsewhere made safe to print, and time as text.
 */
#pragma once

#include <glib.h>

/* A copy that is valid UTF-8 without control characters (C0 but tab and newline, DEL, C1, those that
 * change the direction of text): each becomes
 * "\xNN", so no terminal escape gets through. LENGTH -1: strlen. NUL bytes count as control
 * characters. */
char *rig_text_safe(const char *text, gssize length);

/* The same for what stands inside a line of ours, a name or a value: tab and newline are escaped,
 * too. */
char *rig_text_safe_line(const char *text, gssize length);

/* The last N lines of TEXT (a pointer into it). */
const char *rig_text_last_lines(const char *text, guint n);

/* The one of WORDS (NULL terminated) that WORD is most likely a slip of, or NULL: for "did you
 * mean". */
const char *rig_text_nearest(const char *word, const char *const *words);

/* "2026-11-30T13:43:05Z" from seconds since the epoch. g_free. */
char *rig_text_time(gint64 seconds);

/* "1 m 20 s", "350 ms" for people. g_free. */
char *rig_text_duration(double seconds);

/* SHA-256 of a string, 64 hex digits. g_free. */
char *rig_text_sha256(const char *text);
