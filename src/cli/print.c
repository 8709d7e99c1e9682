/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * print.c - what several commands print in the same way.
 */
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/cmd.h"

guint rig_cli_width(void)
{
	struct winsize size;

	if (!isatty(STDOUT_FILENO))
		return RIG_CLI_WIDTH_NONE;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void rig_cli_print_json(RigJsonWriter *writer)
{
	g_autofree char *text = rig_json_writer_text(writer, TRUE);

	fputs(text, stdout);
	rig_json_writer_free(writer);
}

int rig_cli_usage(const RigCommand *command, GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	g_autofree char *hint = g_strdup_printf("rig help %s", command->name);
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "rig %s: %s", command->name, message);
	return -1;
}
