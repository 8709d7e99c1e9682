/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lists of files that a job wants to have read. */
#pragma once

#include "snapshot.h"

/* Adds the files that the patterns of `array` name (NULL: none). NULL, or what is wrong. */
const char *rig_sources_add_paths(struct rig_sources *sources, const json_t *array, bool at_mark);

/* Adds names below /proc/<tid>/. NULL, or what is wrong. */
const char *rig_sources_add_names(struct rig_sources *sources, const json_t *array, bool at_mark);

/* Opens those that are not open; one that cannot be opened is tried again when it is read. */
void rig_sources_open(struct rig_sources *sources);

void rig_sources_free(struct rig_sources *sources);
