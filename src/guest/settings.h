/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The settings of a job: files of /proc/sys and /sys that are written before and put back after. */
#pragma once

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct rig_setting {
	char *path;
	char *old; /* what to write back, or NULL: the file could not be read */
};

struct rig_settings {
	struct rig_setting *list;
	size_t count;
};

/* Writes each value of `object` (path -> string; NULL: none) in the order of the object. On a
 * failure nothing is left changed, and `message` says which file and why. */
bool rig_settings_apply(struct rig_settings *settings, const json_t *object, char *message,
			size_t message_size);

/* Puts the old values back, the last one first, and frees. Harmless when nothing was applied. */
void rig_settings_restore(struct rig_settings *settings);
