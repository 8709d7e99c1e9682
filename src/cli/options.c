/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options.c - from a command's table of options to values, by way of GOption.
 */
#include "cli/options.h"

#include <string.h>

#define GLOBAL(field) G_STRUCT_OFFSET(RigGlobalOptions, field)

const RigOption rig_global_options[] = {
	{"json", 0, RIG_OPTION_FLAG, GLOBAL(json), NULL, "print JSON for machines on stdout"},
	{"quiet", 'q', RIG_OPTION_FLAG, GLOBAL(quiet), NULL, "say nothing but warnings and errors"},
	{"verbose", 'v', RIG_OPTION_FLAG, GLOBAL(verbose), NULL, "say each step, with paths"},
	{"dry-run", 0, RIG_OPTION_FLAG, GLOBAL(dry_run), NULL,
	 "say what would be done, do nothing"},
	{"connect", 0, RIG_OPTION_STRING, GLOBAL(connect), "URI",
	 "libvirt connection (default: RIG_URI, LIBVIRT_DEFAULT_URI, the embedded driver)"},
	{"help", 'h', RIG_OPTION_FLAG, GLOBAL(help), NULL, "show this help"},
	{NULL},
};

int rig_options_command_index(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (g_str_equal(argv[i], "--connect"))
			i++; /* its value is no command */
		else if (argv[i][0] != '-')
			return i;
	}
	return 0;
}

static GOptionArg option_arg(RigOptionKind kind)
{
	switch (kind) {
	case RIG_OPTION_FLAG:
		return G_OPTION_ARG_NONE;
	case RIG_OPTION_STRING:
		return G_OPTION_ARG_STRING;
	case RIG_OPTION_STRINGS:
		return G_OPTION_ARG_STRING_ARRAY;
	case RIG_OPTION_INT:
	case RIG_OPTION_COUNT:
	default:
		return G_OPTION_ARG_INT;
	}
}

static void add_entries(GArray *entries, const RigOption *options, void *state)
{
	for (const RigOption *o = options; o && o->name; o++) {
		GOptionEntry entry = {
			.long_name = o->name,
			.short_name = o->short_name,
			.arg = option_arg(o->kind),
			.arg_data = (char *)state + o->offset,
			.description = o->help,
			.arg_description = o->arg,
		};
		g_array_append_val(entries, entry);
	}
}

/* What no command line gives, so that a 0 that was given is told from none. */
#define COUNT_NOT_GIVEN G_MININT

static void prepare_counts(const RigOption *options, void *state)
{
	for (const RigOption *o = options; o && o->name; o++)
		if (o->kind == RIG_OPTION_COUNT)
			*(int *)(void *)((char *)state + o->offset) = COUNT_NOT_GIVEN;
}

/* All counts that were not given become 0, also behind a wrong one. */
static gboolean check_counts(const RigOption *options, void *state, const char *hint,
			     GError **error)
{
	const RigOption *wrong = NULL;
	int value = 0;

	for (const RigOption *o = options; o && o->name; o++) {
		int *field = (int *)(void *)((char *)state + o->offset);

		if (o->kind != RIG_OPTION_COUNT)
			continue;
		if (*field == COUNT_NOT_GIVEN)
			*field = 0;
		else if (*field < 1 && !wrong) {
			wrong = o;
			value = *field;
		}
	}
	if (wrong)
		rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "--%s: %d is not 1 or more",
				   wrong->name, value);
	return !wrong;
}

/* GOption leaves the "--" that a word such as "-x" stands behind. */
static void drop_separator(int *argc, char **argv)
{
	int at = 1;

	while (at < *argc && !g_str_equal(argv[at], "--"))
		at++;
	if (at == *argc)
		return;
	for (; at < *argc; at++)
		argv[at] = argv[at + 1];
	(*argc)--;
}

gboolean rig_options_parse(const RigCommand *command, RigGlobalOptions *global, void *state,
			   int *argc, char ***argv, GError **error)
{
	g_autoptr(GArray) entries = g_array_new(TRUE, TRUE, sizeof(GOptionEntry));
	g_autoptr(GOptionContext) context = g_option_context_new(NULL);
	g_autoptr(GError) parse_error = NULL;
	g_autofree char *hint = g_strdup_printf("rig %s --help", command->name);

	add_entries(entries, rig_global_options, global);
	add_entries(entries, command->options, state);
	prepare_counts(command->options, state);
	g_option_context_set_help_enabled(context, FALSE);
	g_option_context_set_strict_posix(context, command->rest_is_command);
	g_option_context_add_main_entries(context, (GOptionEntry *)(void *)entries->data, NULL);
	if (g_option_context_parse(context, argc, argv, &parse_error)) {
		if (!command->rest_is_command)
			drop_separator(argc, *argv);
		return check_counts(command->options, state, hint, error);
	}
	rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "rig %s: %s", command->name,
			   parse_error->message);
	return FALSE;
}

void rig_options_clear(const RigOption *options, void *state)
{
	for (const RigOption *o = options; o && o->name; o++) {
		void *field = (char *)state + o->offset;
		if (o->kind == RIG_OPTION_STRING)
			g_clear_pointer((char **)field, g_free);
		else if (o->kind == RIG_OPTION_STRINGS)
			g_clear_pointer((char ***)field, g_strfreev);
	}
}
