/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd.h - the one table of commands, and what every command gets.
 *
 * A command is a file cmd-NAME.c that fills one RigCommand; main.c parses its options, the help and
 * the completion are made from the same table, and a test holds the man pages to it.
 */
#pragma once

#include <gio/gio.h>

#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/paths.h"

typedef struct {
	RigPaths *paths;
	RigLog *log;		    /* stderr */
	GCancellable *cancellable;  /* cancelled by SIGINT and SIGTERM */
	char *uri;		    /* --connect, RIG_URI, LIBVIRT_DEFAULT_URI; NULL: the embedded driver */
	gboolean json, dry_run, color; /* color: stdout is a terminal and NO_COLOR is not set */
	int level;		    /* RigLogLevel */
} RigCli;

typedef enum {
	RIG_OPTION_FLAG,    /* gboolean */
	RIG_OPTION_STRING,  /* char* */
	RIG_OPTION_STRINGS, /* char**: may be given again */
	RIG_OPTION_INT,	    /* int */
	RIG_OPTION_COUNT,   /* int, 1 or more; 0 where it was not given */
} RigOptionKind;

typedef struct {
	const char *name;   /* long name without dashes */
	char short_name;    /* or 0 */
	RigOptionKind kind;
	gsize offset;	    /* into the command's options struct */
	const char *arg;    /* name of the value in help, NULL for flags */
	const char *help;
} RigOption;

typedef struct {
	const char *name;
	const char *args;	 /* "TOPOLOGY", "list|show NAME|check FILE..." */
	const char *summary;	 /* one line, lower case, no full stop */
	const char *description; /* paragraphs for --help and the man page's reader */
	const char *const *verbs; /* first words that it knows, for completion; or NULL */
	const char *completes;	 /* what its further words are: "topology", "kernel", "workload", "guest", "run", "file"...; with
				  * ",VERB=KIND" behind it where verbs differ; or NULL */
	gboolean rest_is_command; /* stop option parsing at the first plain word after NAME (exec) */
	gboolean no_json;	 /* what it prints is not its own: --json is refused */
	gsize state_size;	 /* of the options struct, zeroed before parsing */
	const RigOption *options; /* ends with a NULL name; NULL: none of its own */
	/* argv[0] is the first plain word. Returns the exit code, or -1 with ERROR. Options are freed by main. */
	int (*run)(RigCli *cli, void *options, int argc, char **argv, GError **error);
} RigCommand;

extern const RigCommand *const rig_commands[]; /* NULL terminated, in the order of help; commands.c */

/* The columns of the terminal that stdout is. A pipe or a file has no end: there a row is a line. */
#define RIG_CLI_WIDTH_NONE 1000
guint rig_cli_width(void);
/* Print JSON text of a writer (takes it) to stdout. */
void rig_cli_print_json(RigJsonWriter *writer);
/* The error for a wrong number of words: "rig up: TOPOLOGY is missing", hint "rig up --help". Returns -1. */
int rig_cli_usage(const RigCommand *command, GError **error, const char *format, ...)
	G_GNUC_PRINTF(3, 4);
