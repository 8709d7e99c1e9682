/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.h - a command's words parsed by its own table.
 */
#pragma once

#include "cli/cmd.h"

/* The options that every command takes, into a RigGlobalOptions. */
typedef struct {
	gboolean json, quiet, verbose, dry_run, help;
	char *connect;
} RigGlobalOptions;
extern const RigOption rig_global_options[];

/* Find the command's name among ARGV: the first word that is no option, wherever a global option stands
 * before it. 0 when there is none. */
int rig_options_command_index(int argc, char **argv);

/* Parse *ARGV (without the program's and the command's name) into GLOBAL and STATE (of command->state_size, zeroed).
 * What is left over stays in ARGV, *ARGC is lowered. RIG_ERROR_USAGE names the option. */
gboolean rig_options_parse(const RigCommand *command, RigGlobalOptions *global, void *state,
			   int *argc, char ***argv, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Free the strings that parsing put into STATE. */
void rig_options_clear(const RigOption *options, void *state);
