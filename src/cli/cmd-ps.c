/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-ps.c - rig ps: which guests there are, and what killed rigs have left.
 */
#include <stdio.h>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/guests.h"
#include "report/grid.h"

#define WIDTH 120

static void add_json(RigJsonWriter *writer, const RigGuestInfo *info)
{
	char class[] = {info->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", info->name);
	rig_json_add_string(writer, "state", info->state);
	rig_json_add_string(writer, "owner", info->owner);
	rig_json_add_string(writer, "topology", info->topology);
	rig_json_add_string(writer, "fit", info->fit);
	rig_json_add_string(writer, "kernel", info->kernel);
	rig_json_add_string(writer, "image", info->image);
	rig_json_add_string(writer, "accel", info->accel);
	rig_json_add_string(writer, "class", class);
	rig_json_add_int(writer, "started", info->started);
	rig_json_add_int(writer, "pid", info->pid);
	rig_json_add_bool(writer, "ephemeral", info->ephemeral);
	rig_json_close_object(writer);
}

static void print_json(const GPtrArray *guests)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "guests");
	for (guint i = 0; i < guests->len; i++)
		add_json(writer, guests->pdata[i]);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void add_row(RigGrid *grid, const RigGuestInfo *info)
{
	gint64 now = g_get_real_time() / G_USEC_PER_SEC;
	g_autofree char *age =
		info->started > 0 ? rig_text_duration((double)MAX(0, now - info->started)) : NULL;
	char class[] = {info->class, '\0'};

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, info->name);
	rig_grid_cell(grid, info->state);
	rig_grid_cell(grid, info->topology);
	rig_grid_cell(grid, info->kernel);
	rig_grid_cell(grid, class);
	rig_grid_cell(grid, age);
	rig_grid_cell(grid, info->owner);
}

static void print_table(const GPtrArray *guests)
{
	static const char *const headings[] = {"NAME",	"STATE", "TOPOLOGY", "KERNEL",
					       "CLASS", "AGE",	 "IN USE BY"};
	g_autoptr(RigGrid) grid = rig_grid_new(WIDTH);
	g_autofree char *text = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(headings); i++)
		rig_grid_column(grid, headings[i], RIG_GRID_LEFT);
	for (guint i = 0; i < guests->len; i++)
		add_row(grid, guests->pdata[i]);
	text = rig_grid_text(grid);
	fputs(text, stdout);
}

static guint count_dead(const GPtrArray *guests)
{
	guint n = 0;

	for (guint i = 0; i < guests->len; i++) {
		const RigGuestInfo *info = guests->pdata[i];

		n += g_str_equal(info->state, "gone") || g_str_equal(info->state, "left over");
	}
	return n;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(GPtrArray) guests = NULL;

	if (argc != 0)
		return rig_cli_usage(&rig_cmd_ps, error, "it takes no words");
	guests = rig_guest_list(&context, error);
	if (!guests)
		return -1;
	if (cli->json) {
		print_json(guests);
		return 0;
	}
	print_table(guests);
	if (guests->len == 0)
		rig_log_info(cli->log, "no guest is up; next: rig up 2sp-icl");
	else if (count_dead(guests))
		rig_log_info(cli->log, "next: rig down NAME removes what is left over");
	return 0;
}

const RigCommand rig_cmd_ps = {
	.name = "ps",
	.args = "",
	.summary = "list the guests",
	.description =
		"States: running; busy (a rig works with it now); panicked (it was started with "
		"--dump,\n"
		"so it stays where it is); gone (its QEMU has ended); left over (the rig that it\n"
		"belonged to has ended). The last three are removed by rig down.",
	.run = run,
};
