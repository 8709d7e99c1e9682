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
#include "model/store.h"

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

static void print_runs(const RigPaths *paths)
{
	g_autofree char *root = g_build_filename(paths->state, "results", NULL);
	g_autoptr(GPtrArray) entries = rig_store_list(root, NULL, NULL);

	for (guint i = 0; entries && i < entries->len; i++)
		puts(((const RigStoreEntry *)entries->pdata[i])->id);
}

static gboolean print_words(const RigPaths *paths, const char *kind)
{
	if (g_str_equal(kind, "topology"))
		print_files(paths, "topologies");
	else if (g_str_equal(kind, "workload"))
		print_files(paths, "workloads");
	else if (g_str_equal(kind, "image"))
		print_files(paths, "images");
	else if (g_str_equal(kind, "recipe"))
		print_files(paths, "kernels");
	else if (g_str_equal(kind, "run"))
		print_runs(paths);
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

/* What an option's value is, told by its own name or by the one that its help gives the value. */
static const char *value_kind(const RigOption *option)
{
	static const struct {
		const char *word, *kind;
	} kinds[] = {{"topology", "topology"}, {"kernel", "kernel"}, {"image", "image"},
		     {"workload", "workload"}, {"GUEST", "guest"},   {"FILE", "file"},
		     {"DIR", "file"},	       {"SOURCE", "file"},   {"OTHER", "kernel"}};

	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		if (g_str_equal(option->name, kinds[i].word) ||
		    g_str_equal(option->arg, kinds[i].word))
			return kinds[i].kind;
	return NULL;
}

/* After an option that takes a value only its values make sense, and where they are not known
 * nothing. */
static void append_value_cases(GString *out, const RigCommand *command)
{
	for (const RigOption *o = command->options; o && o->name; o++) {
		const char *kind = o->arg ? value_kind(o) : NULL;
		if (!o->arg)
			continue;
		g_string_append_printf(out, "\t\t%s:--%s) ", command->name, o->name);
		if (kind) {
			g_string_append_printf(out, "_rig_words %s; ", kind);
		} else if (strchr(o->arg, '|')) {
			g_autofree char *choices = g_strdelimit(g_strdup(o->arg), "|", ' ');
			g_string_append_printf(
				out, "COMPREPLY=($(compgen -W \"%s\" -- \"$cur\")); ", choices);
		}
		g_string_append(out, "return ;;\n");
	}
}

/* "kernel,build=recipe": the kind for any verb, then those of single verbs. */
static void append_kinds(GString *out, const RigCommand *command)
{
	g_auto(GStrv) kinds = g_strsplit(command->completes ? command->completes : "", ",", -1);

	g_string_append_printf(out, " kind=\"%s\"",
			       kinds[0] && !strchr(kinds[0], '=') ? kinds[0] : "");
	for (char **kind = kinds; *kind; kind++) {
		const char *equals = strchr(*kind, '=');
		if (equals)
			g_string_append_printf(out,
					       "\n\t\t[ \"${COMP_WORDS[2]}\" = %.*s ] && kind=%s",
					       (int)(equals - *kind), *kind, equals + 1);
	}
}

static void append_command(GString *out, const RigCommand *command)
{
	g_autofree char *verbs =
		command->verbs ? g_strjoinv(" ", (char **)(void *)command->verbs) : g_strdup("");

	g_string_append_printf(out, "\t\t%s) options=\"", command->name);
	append_option_names(out, rig_global_options);
	append_option_names(out, command->options);
	g_string_append_printf(out, "\" verbs=\"%s\"", verbs);
	append_kinds(out, command);
	/* What follows a guest's name is a command of the guest. */
	if (command->rest_is_command)
		g_string_append(out, "\n\t\t[ \"$COMP_CWORD\" -gt 2 ] && kind=");
	g_string_append(out, " ;;\n");
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
	.no_json = TRUE,
	.run = run,
};
