/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-console.c - rig console [NAME]: what a guest's kernel said.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/commands.h"
#include "cli/guests.h"
#include "cli/safe-output.h"

#define FOLLOW_US 200000

typedef struct {
	gboolean follow;
	int lines;
} ConsoleOptions;

static const RigOption console_options[] = {
	{"follow", 'f', RIG_OPTION_FLAG, G_STRUCT_OFFSET(ConsoleOptions, follow), NULL,
	 "go on as it grows, until the guest is gone"},
	{"lines", 'n', RIG_OPTION_INT, G_STRUCT_OFFSET(ConsoleOptions, lines), "N",
	 "only the last N lines"},
	{NULL},
};

/* Where the last N lines begin. */
static off_t last_lines(int fd, guint n)
{
	char piece[4096];
	off_t end = lseek(fd, 0, SEEK_END), at = end;

	while (at > 0) {
		off_t from = MAX(0, at - (off_t)sizeof(piece));
		ssize_t got = pread(fd, piece, (size_t)(at - from), from);

		for (ssize_t i = got; i > 0; i--)
			if (piece[i - 1] == '\n' && from + i < end && n-- == 1)
				return from + i;
		at = from;
	}
	return 0;
}

static gboolean copy_rest(int fd, RigSafeOutput *output)
{
	char piece[16384];
	ssize_t n;

	while ((n = read(fd, piece, sizeof(piece))) > 0)
		if (!rig_safe_output_write(output, piece, (gsize)n))
			return FALSE;
	return TRUE;
}

static gboolean is_there(RigCli *cli, const char *name)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(GPtrArray) guests = rig_guest_list(&context, NULL);
	const RigGuestInfo *info = guests ? rig_cli_find_guest(guests, name) : NULL;

	return info && (info->pid > 0 || info->owner);
}

/* The guest's log, or that of its last boot that failed. */
static int open_log(RigCli *cli, const char *name, GError **error)
{
	g_autofree char *path =
		g_build_filename(cli->paths->state, "guests", name, "console.log", NULL);
	g_autofree char *failed = rig_guest_failure_path(cli->paths, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd >= 0)
		return fd;
	if (errno != ENOENT) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "open", path);
		return -1;
	}
	fd = open(failed, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0)
		rig_log_info(cli->log,
			     "guest %s is not there; this is the console of its last boot that "
			     "failed",
			     name);
	else
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig ps", "there is no guest \"%s\"",
				   name);
	return fd;
}

static int show(RigCli *cli, const ConsoleOptions *options, const char *name, int fd)
{
	g_autoptr(RigSafeOutput) output = rig_safe_output_new(STDOUT_FILENO);
	gboolean more = TRUE;

	(void)lseek(fd, options->lines > 0 ? last_lines(fd, (guint)options->lines) : 0, SEEK_SET);
	while (copy_rest(fd, output) && options->follow && more) {
		more = is_there(cli, name) && !g_cancellable_is_cancelled(cli->cancellable);
		g_usleep(FOLLOW_US);
	}
	return 0;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	const ConsoleOptions *opts = options;
	g_autofree char *name = NULL;
	int fd, code;

	if (argc > 1)
		return rig_cli_usage(&rig_cmd_console, error, "one NAME at a time");
	if (opts->lines < 0)
		return rig_cli_usage(&rig_cmd_console, error, "--lines: %d is below 0",
				     opts->lines);
	name = rig_cli_guest_name(cli, argc ? argv[0] : NULL, error);
	if (!name || !rig_file_check_name("guest name", name, error))
		return -1;
	fd = open_log(cli, name, error);
	if (fd < 0)
		return -1;
	code = show(cli, opts, name, fd);
	close(fd);
	return code;
}

const RigCommand rig_cmd_console = {
	.name = "console",
	.args = "[NAME]",
	.summary = "show what a guest's kernel said",
	.description = "Control characters are shown as \\xNN. Without a name: the only guest that "
		       "there is.\n"
		       "For a guest that did not boot: the console of its last attempt.",
	.completes = "guest",
	.no_json = TRUE,
	.state_size = sizeof(ConsoleOptions),
	.options = console_options,
	.run = run,
};
