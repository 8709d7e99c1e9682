/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-down.c - rig down [NAME...|--all]: take guests away, also what a killed rig left of them.
 */
#include <stdio.h>

#include "cli/commands.h"
#include "cli/guests.h"

typedef struct {
	gboolean all, graceful, dump;
} DownOptions;

static const RigOption down_options[] = {
	{"all", 'a', RIG_OPTION_FLAG, G_STRUCT_OFFSET(DownOptions, all), NULL,
	 "all guests that are not in use"},
	{"graceful", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(DownOptions, graceful), NULL,
	 "let the guest power itself off first"},
	{"dump", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(DownOptions, dump), NULL,
	 "write the guest's memory to a file first"},
	{NULL},
};

/* The names that are meant. With --all those that another rig works with are left out. */
static char **collect(RigCli *cli, const DownOptions *options, int argc, char **argv,
		      GError **error)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();
	g_autoptr(GPtrArray) guests = rig_guest_list(&context, error);
	g_autofree char *only = NULL;

	if (!guests)
		return NULL;
	for (guint i = 0; options->all && i < guests->len; i++) {
		const RigGuestInfo *info = guests->pdata[i];

		if (info->owner)
			rig_log_warn(cli->log, "guest %s is in use by %s: left alone", info->name,
				     info->owner);
		else
			g_strv_builder_add(names, info->name);
	}
	if (options->all)
		return g_strv_builder_end(names);
	if (argc == 0) {
		only = rig_cli_guest_name(cli, NULL, error);
		if (!only)
			return NULL;
		g_strv_builder_add(names, only);
	}
	for (int i = 0; i < argc; i++) {
		if (!rig_cli_find_guest(guests, argv[i])) {
			rig_error_set_hint(error, RIG_ERROR_USAGE, "rig ps",
					   "there is no guest \"%s\"", argv[i]);
			return NULL;
		}
		g_strv_builder_add(names, argv[i]);
	}
	return g_strv_builder_end(names);
}

static void print_json(RigCli *cli, char **names)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_bool(writer, "dry_run", cli->dry_run);
	rig_json_add_strings(writer, "down", (const char *const *)names);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

/* A guest whose memory cannot be had stays, so that what stands in the way can be put right. */
static gboolean dump(RigCli *cli, const char *name, GError **error)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autofree char *path = rig_guest_dump_path(cli->paths, name);

	if (!rig_guest_dump(&context, name, error))
		return FALSE;
	if (!cli->json)
		printf("%s: memory dump: %s\n", name, path);
	return TRUE;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	const DownOptions *opts = options;
	RigGuestContext context = rig_cli_guest_context(cli);
	g_auto(GStrv) names = NULL;

	if (opts->all && argc > 0)
		return rig_cli_usage(&rig_cmd_down, error, "--all and a name");
	names = collect(cli, opts, argc, argv, error);
	if (!names)
		return -1;
	for (char **name = names; *name; name++) {
		if (!cli->dry_run && opts->dump && !dump(cli, *name, error))
			return -1;
		if (!cli->dry_run && !rig_guest_down(&context, *name, opts->graceful, error))
			return -1;
		if (!cli->json)
			printf("%s: %s\n", *name, cli->dry_run ? "would be taken down" : "down");
	}
	if (cli->json)
		print_json(cli, names);
	return 0;
}

const RigCommand rig_cmd_down = {
	.name = "down",
	.args = "[NAME...]",
	.summary = "take guests away",
	.description =
		"Without a name: the only guest that there is. What is in the guest is lost; its\n"
		"records are not. Also removes what a rig that was killed has left (rig ps shows\n"
		"it). A guest that another rig works with is refused, naming that rig.",
	.completes = "guest",
	.state_size = sizeof(DownOptions),
	.options = down_options,
	.run = run,
};
