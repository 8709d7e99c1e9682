/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-exec.c - rig exec NAME -- CMD...: a command in a guest, with its streams and its exit code.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/guests.h"
#include "cli/safe-output.h"

typedef struct {
	gboolean raw, input;
	RigLimitOptions limits;
} ExecOptions;

static const RigOption exec_options[] = {
	{"raw", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(ExecOptions, raw), NULL,
	 "let the command's control characters through to a terminal"},
	{"interactive", 'i', RIG_OPTION_FLAG, G_STRUCT_OFFSET(ExecOptions, input), NULL,
	 "also pass on what is typed (without it only a redirected stdin is)"},
	RIG_HANG_OPTION(ExecOptions, limits),
	{NULL},
};

/* Files and pipes get the command's bytes as they are; a terminal does not obey a guest. */
static gboolean exec_safely(RigGuest *guest, const ExecOptions *options, char **argv, int *code,
			    GError **error)
{
	int in_fd = options->input || !isatty(STDIN_FILENO) ? STDIN_FILENO : -1;
	RigSafePipe *out = NULL, *err = NULL;
	gboolean ok;

	if (!options->raw && isatty(STDOUT_FILENO))
		out = rig_safe_pipe_new(STDOUT_FILENO);
	if (!options->raw && isatty(STDERR_FILENO))
		err = rig_safe_pipe_new(STDERR_FILENO);
	ok = rig_guest_exec(guest, (const char *const *)argv, in_fd,
			    out ? rig_safe_pipe_fd(out) : STDOUT_FILENO,
			    err ? rig_safe_pipe_fd(err) : STDERR_FILENO, code, error);
	rig_safe_pipe_free(out);
	rig_safe_pipe_free(err);
	return ok;
}

static int run(RigCli *cli, void *data, int argc, char **argv, GError **error)
{
	const ExecOptions *options = data;
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(RigGuest) guest = NULL;
	int skip = argc > 1 && strcmp(argv[1], "--") == 0 ? 2 : 1;
	int code = 0;

	if (argc == 0)
		return rig_cli_usage(&rig_cmd_exec, error, "NAME is missing");
	if (argc <= skip)
		return rig_cli_usage(&rig_cmd_exec, error, "the command is missing");
	if (cli->dry_run) {
		printf("would run %s in guest %s\n", argv[skip], argv[0]);
		return 0;
	}
	if (!rig_cli_limit_guest(&context, &options->limits, error))
		return -1;
	guest = rig_guest_open(&context, argv[0], error);
	if (!guest || !exec_safely(guest, options, argv + skip, &code, error))
		return -1;
	return code;
}

const RigCommand rig_cmd_exec = {
	.name = "exec",
	.args = "NAME -- COMMAND [ARGUMENT...]",
	.summary = "run a command in a guest",
	.description = "The command's output comes as it is written, its exit code is rig's. A "
		       "redirected\n"
		       "stdin goes to the command. Options stand before NAME.\n\n"
		       "  rig exec 2sp-icl -- cat /proc/vmstat\n"
		       "  rig exec 2sp-icl -- sh -c 'echo 0 > /proc/sys/kernel/numa_balancing'",
	.completes = "guest",
	.rest_is_command = TRUE,
	.no_json = TRUE,
	.state_size = sizeof(ExecOptions),
	.options = exec_options,
	.run = run,
};
