/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words of the kernel command line. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Reads the file at `path` (normally /proc/cmdline) into `text`, ended by NUL; an unreadable file
 * gives an empty text, which means that every setting has its default. */
void rig_cmdline_load(const char *path, char *text, size_t size);

/* Copies what follows `prefix` ("rig.root=") in the first word that starts with it. False, with
 * `value` empty, when there is no such word or the value does not fit. */
bool rig_cmdline_value(const char *text, const char *prefix, char *value, size_t size);

/* Whether `word` stands in the command line as a word of its own. */
bool rig_cmdline_has(const char *text, const char *word);
