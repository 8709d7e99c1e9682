/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * help.h - help texts made from the table of commands.
 */
#pragma once

#include "cli/cmd.h"

/* "rig" alone: what it is and one line a command. g_free. */
char *rig_help_overview(void);
/* One command: synopsis, description, options. g_free. */
char *rig_help_command(const RigCommand *command);
/* NULL when there is no such command. */
const RigCommand *rig_help_find(const char *name);
/* The command with the name most like NAME, for "did you mean"; NULL when none is near. */
const RigCommand *rig_help_nearest(const char *name);
/* All commands with their options, for completion and tests. */
void rig_help_json(RigJsonWriter *writer);
