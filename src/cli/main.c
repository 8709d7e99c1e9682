/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * main.c - finds the command, parses its options, runs it, prints its error once.
 */
#include <errno.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/options.h"
#include "vm/virt.h"

static RigCli *cli_new(const RigGlobalOptions *global, GCancellable *cancellable)
{
	RigCli *cli = g_new0(RigCli, 1);
	const char *uri = global->connect;
	const char *no_color = g_getenv("NO_COLOR");

	/* Empty is as good as unset. */
	if (!uri || !*uri)
		uri = g_getenv("RIG_URI");
	if (!uri || !*uri)
		uri = g_getenv("LIBVIRT_DEFAULT_URI");
	cli->paths = rig_paths_new();
	cli->level = global->quiet     ? RIG_LOG_QUIET
		     : global->verbose ? RIG_LOG_VERBOSE
				       : RIG_LOG_NORMAL;
	cli->log = rig_log_new(stderr, cli->level);
	cli->cancellable = g_object_ref(cancellable);
	cli->uri = uri && *uri ? g_strdup(uri) : NULL;
	cli->json = global->json;
	cli->dry_run = global->dry_run;
	cli->color = isatty(STDOUT_FILENO) && !(no_color && *no_color);
	return cli;
}

static void cli_free(RigCli *cli)
{
	rig_log_free(cli->log);
	rig_paths_free(cli->paths);
	g_object_unref(cli->cancellable);
	g_free(cli->uri);
	g_free(cli);
}

/* A signal that came before the failure is its cause, whatever it was that failed first: a program
 * of a library's, in our process group, gets a terminal's Ctrl-C as well and may die of it before
 * we know. */
static int exit_code(const GError *error)
{
	int signo = rig_interrupt_signal();

	if (signo)
		return signo == SIGTERM ? RIG_ERROR_TERMINATED : RIG_ERROR_INTERRUPTED;
	return rig_error_exit_code(error);
}

static int report(const GError *error)
{
	g_autofree char *safe = rig_text_safe(error->message, -1);

	fprintf(stderr, "rig: %s\n", safe);
	return exit_code(error);
}

/* Data that did not reach its reader is a failure, but a closed pipe is the reader's choice. */
static int finish_stdout(int code)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return code;
	if (code == 0 && errno != EPIPE) {
		fprintf(stderr, "rig: standard output: %s\n", g_strerror(errno));
		return RIG_ERROR_FAILED;
	}
	return code;
}

static int run_command(const RigCommand *command, int argc, char **argv, GCancellable *cancellable)
{
	g_autofree void *state = g_malloc0(MAX(command->state_size, 1));
	RigGlobalOptions global = {0};
	g_autoptr(GError) error = NULL;
	int code = -1;

	if (rig_options_parse(command, &global, state, &argc, &argv, &error)) {
		if (global.help) {
			g_autofree char *text = rig_help_command(command);
			fputs(text, stdout);
			code = 0;
		} else if (global.json && command->no_json) {
			rig_cli_usage(command, &error, "--json: it prints no data of its own");
		} else {
			RigCli *cli = cli_new(&global, cancellable);
			code = command->run(cli, state, argc - 1, argv + 1, &error);
			rig_log_status_clear(cli->log);
			cli_free(cli);
		}
	}
	rig_options_clear(command->options, state);
	rig_options_clear(rig_global_options, &global);
	if (code < 0 && !error)
		rig_error_set(&error, RIG_ERROR_FAILED, "rig %s failed without a reason",
			      command->name);
	/* What was printed before belongs before the error, also where both go to one file. */
	code = finish_stdout(code);
	return error ? report(error) : code;
}

/* ARGV without the command's name, ours kept as argv[0]: options may stand on either side of it. */
static char **command_argv(int argc, char **argv, int skip)
{
	char **out = g_new0(char *, argc + 1);
	int n = 0;

	for (int i = 0; i < argc; i++)
		if (i != skip || skip == 0)
			out[n++] = argv[i];
	return out;
}

static int no_such_command(const char *name)
{
	const RigCommand *near = rig_help_nearest(name);
	g_autofree char *safe = rig_text_safe(name, -1);

	fprintf(stderr, "rig: there is no command \"%s\"%s%s%s\nhint: rig help\n", safe,
		near ? " (did you mean \"" : "", near ? near->name : "", near ? "\"?)" : "");
	return RIG_ERROR_USAGE;
}

static gboolean has_word(int argc, char **argv, const char *word, const char *short_word)
{
	for (int i = 1; i < argc; i++)
		if (g_str_equal(argv[i], word) || g_str_equal(argv[i], short_word))
			return TRUE;
	return FALSE;
}

static int without_command(int argc, char **argv)
{
	g_autofree char *text = rig_help_overview();
	gboolean asked = has_word(argc, argv, "--help", "-h");

	if (has_word(argc, argv, "--version", "-V")) {
		printf("rig %s\n", RIG_VERSION);
		return finish_stdout(0);
	}
	fputs(text, asked ? stdout : stderr);
	return asked ? finish_stdout(0) : RIG_ERROR_USAGE;
}

int main(int argc, char **argv)
{
	int at = rig_options_command_index(argc, argv);
	const RigCommand *command = at ? rig_help_find(argv[at]) : NULL;
	g_autoptr(GCancellable) cancellable = NULL;
	g_autoptr(GError) error = NULL;
	g_autofree char **words = NULL;

	rig_virt_serve_if_asked(argc, argv);
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C"); /* numbers are read by machines and by mails */
	if (at == 0)
		return without_command(argc, argv);
	if (!command)
		return no_such_command(argv[at]);
	cancellable = rig_interrupt_start(&error);
	if (!cancellable)
		return report(error);
	words = command_argv(argc, argv, at);
	return run_command(command, argc - 1, words, cancellable);
}
