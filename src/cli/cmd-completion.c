/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-completion.c - rig completion bash: a script made from the table of commands.
 *
 * The script knows commands, options and verbs; names of things come from "rig completion words
 * KIND", which reads folders only and so answers at once.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/options.h"

static void print_folders(const char *parent, const char *name)
{
	g_autofree char *path = g_build_filename(parent, name, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *child = g_build_filename(path, entry, NULL);
		if (entry[0] != '.' && g_file_test(child, G_FILE_TEST_IS_DIR))
			puts(entry);
	}
}

static void print_files(const RigPaths *paths, const char *dir)
{
	g_auto(GStrv) names = rig_paths_list(paths, dir);

	for (char **name = names; *name; name++)
		puts(*name);
}

static gboolean print_words(const RigPaths *paths, const char *kind)
{
	if (g_str_equal(kind, "topology"))
		print_files(paths, "topologies");
	else if (g_str_equal(kind, "workload"))
		print_files(paths, "workloads");
	else if (g_str_equal(kind, "image"))
		print_files(paths, "images");
	else if (g_str_equal(kind, "kernel"))
		print_folders(paths->state, "kernels");
	else if (g_str_equal(kind, "guest"))
		print_folders(paths->state, "guests");
	else if (g_str_equal(kind, "command"))
		for (const RigCommand *const *c = rig_commands; *c; c++)
			puts((*c)->name);
	else
		return FALSE;
	return TRUE;
}

static void append_option_names(GString *out, const RigOption *options)
{
	for (const RigOption *o = options; o && o->name; o++)
		g_string_append_printf(out, " --%s", o->name);
}

/* What an option's value is, told by the name that its help gives it. */
static const char *value_kind(const RigOption *option)
{
	static const struct {
		const char *arg, *kind;
	} kinds[] = {{"TOPOLOGY", "topology"}, {"KERNEL", "kernel"}, {"IMAGE", "image"},
		     {"WORKLOAD", "workload"}, {"GUEST", "guest"},   {"FILE", "file"},
		     {"DIR", "file"}};

	for (gsize i = 0; option->arg && i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(option->arg, kinds[i].arg))
			return kinds[i].kind;
	return NULL;
}

static void append_value_cases(GString *out, const RigCommand *command)
{
	for (const RigOption *o = command->options; o && o->name; o++) {
		const char *kind = value_kind(o);
		if (kind)
			g_string_append_printf(out, "\t\t%s:--%s) _rig_words %s; return ;;\n",
					       command->name, o->name, kind);
	}
}

static void append_command(GString *out, const RigCommand *command)
{
	g_autofree char *verbs =
		command->verbs ? g_strjoinv(" ", (char **)(void *)command->verbs) : g_strdup("");

	g_string_append_printf(out, "\t\t%s) options=\"", command->name);
	append_option_names(out, rig_global_options);
	append_option_names(out, command->options);
	g_string_append_printf(out, "\" verbs=\"%s\" kind=\"%s\" ;;\n", verbs,
			       command->completes ? command->completes : "");
}

static char *bash_script(void)
{
	GString *out = g_string_new(
		"# bash completion for rig; made by: rig completion bash\n"
		"_rig_words()\n{\n"
		"\tif [ \"$1\" = file ]; then COMPREPLY=($(compgen -f -- \"$cur\")); return; fi\n"
		"\tCOMPREPLY=($(compgen -W \"$(rig completion words \"$1\" 2>/dev/null)\" -- "
		"\"$cur\"))\n"
		"}\n\n"
		"_rig()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal command=${COMP_WORDS[1]} options= verbs= kind=\n"
		"\tCOMPREPLY=()\n"
		"\tif [ \"$COMP_CWORD\" -eq 1 ]; then _rig_words command; return; fi\n"
		"\tcase $command:$prev in\n");

	for (const RigCommand *const *c = rig_commands; *c; c++)
		append_value_cases(out, *c);
	g_string_append(out, "\tesac\n\tcase $command in\n");
	for (const RigCommand *const *c = rig_commands; *c; c++)
		append_command(out, *c);
	g_string_append(
		out,
		"\tesac\n"
		"\tif [[ $cur == -* ]]; then COMPREPLY=($(compgen -W \"$options\" -- \"$cur\"))\n"
		"\telif [ -n \"$verbs\" ] && [ \"$COMP_CWORD\" -eq 2 ]; then\n"
		"\t\tCOMPREPLY=($(compgen -W \"$verbs\" -- \"$cur\"))\n"
		"\telif [ -n \"$kind\" ]; then _rig_words \"$kind\"\n"
		"\tfi\n}\n"
		"complete -F _rig rig\n");
	return g_string_free(out, FALSE);
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	g_autofree char *script = NULL;

	if (argc == 2 && g_str_equal(argv[0], "words")) {
		if (!print_words(cli->paths, argv[1]))
			return rig_cli_usage(&rig_cmd_completion, error, "unknown kind \"%s\"",
					     argv[1]);
		return 0;
	}
	if (argc != 1 || !g_str_equal(argv[0], "bash"))
		return rig_cli_usage(&rig_cmd_completion, error, "the only shell is bash");
	script = bash_script();
	fputs(script, stdout);
	return 0;
}

static const char *const verbs[] = {"bash", "words", NULL};

const RigCommand rig_cmd_completion = {
	.name = "completion",
	.args = "bash | words KIND",
	.summary = "print a completion script for the shell",
	.description =
		"Use it with: source <(rig completion bash)\n"
		"\"words\" prints the names of a KIND (topology, workload, image, kernel, guest,\n"
		"command), one a line; the script calls it.",
	.verbs = verbs,
	.run = run,
};
