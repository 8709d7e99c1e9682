/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-help.c - rig help [COMMAND].
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/help.h"

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	g_autofree char *text = NULL;

	if (cli->json) {
		RigJsonWriter *writer = rig_json_writer_new();
		rig_help_json(writer);
		rig_cli_print_json(writer);
		return 0;
	}
	if (argc > 1)
		return rig_cli_usage(&rig_cmd_help, error, "one COMMAND at a time");
	if (argc == 1 && !rig_help_find(argv[0]))
		return rig_cli_usage(&rig_cmd_help, error, "there is no command \"%s\"", argv[0]);
	text = argc == 1 ? rig_help_command(rig_help_find(argv[0])) : rig_help_overview();
	fputs(text, stdout);
	return 0;
}

const RigCommand rig_cmd_help = {
	.name = "help",
	.args = "[COMMAND]",
	.summary = "show what a command does and its options",
	.description =
		"Without COMMAND: all commands, one line each. With --json: the whole table of\n"
		"commands and options.",
	.completes = "command",
	.run = run,
};
