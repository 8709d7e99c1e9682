/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-doctor.c - rig doctor: everything about this host that rig depends on, and what to do about
 * it.
 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/doctor.h"
#include "report/grid.h"

#define WIDTH 100

static const char *const level_names[] = {"ok", "warn", "fail"};

static guint count(const GPtrArray *findings, RigFindingLevel level)
{
	guint n = 0;

	for (guint i = 0; i < findings->len; i++)
		n += ((RigFinding *)findings->pdata[i])->level == level;
	return n;
}

static void print_json(const GPtrArray *findings)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_bool(writer, "ok", count(findings, RIG_FINDING_FAIL) == 0);
	rig_json_open_array(writer, "findings");
	for (guint i = 0; i < findings->len; i++) {
		const RigFinding *finding = findings->pdata[i];

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "level", level_names[finding->level]);
		rig_json_add_string(writer, "group", finding->group);
		rig_json_add_string(writer, "name", finding->name);
		rig_json_add_string(writer, "text", finding->text);
		rig_json_add_string(writer, "advice", finding->advice);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void add_row(RigGrid *grid, const RigFinding *finding)
{
	static const char *const colors[] = {NULL, "yellow", "red"};

	rig_grid_row(grid, colors[finding->level]);
	rig_grid_cell(grid, level_names[finding->level]);
	rig_grid_cell(grid, finding->name);
	rig_grid_cell(grid, finding->text);
	if (!finding->advice)
		return;
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, NULL);
	rig_grid_cell(grid, NULL);
	{
		g_autofree char *advice = g_strconcat("-> ", finding->advice, NULL);

		rig_grid_cell(grid, advice);
	}
}

static void print_table(RigCli *cli, const GPtrArray *findings)
{
	g_autoptr(RigGrid) grid = rig_grid_new(WIDTH);
	g_autofree char *text = NULL;

	rig_grid_colors(grid, cli->color);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, "WHAT", RIG_GRID_LEFT);
	rig_grid_column(grid, "FOUND", RIG_GRID_WRAP);
	for (guint i = 0; i < findings->len; i++)
		add_row(grid, findings->pdata[i]);
	text = rig_grid_text(grid);
	fputs(text, stdout);
	printf("%u ok, %u warnings, %u failures\n", count(findings, RIG_FINDING_OK),
	       count(findings, RIG_FINDING_WARN), count(findings, RIG_FINDING_FAIL));
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	g_autoptr(GPtrArray) findings =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_finding_free);

	if (argc != 0)
		return rig_cli_usage(&rig_cmd_doctor, error, "it takes no words");
	rig_doctor_host(cli, findings);
	rig_doctor_store(cli, findings);
	rig_doctor_virt(cli, findings);
	if (cli->json)
		print_json(findings);
	else
		print_table(cli, findings);
	if (count(findings, RIG_FINDING_FAIL) == 0)
		return 0;
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "do what the lines with \"->\" say, then rig doctor",
			   "this host cannot run guests yet");
	return -1;
}

const RigCommand rig_cmd_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "check this host and say what to do",
	.description = "CPUs, nodes, memory, what makes timings noisy; QEMU, libvirt, libguestfs; "
		       "whether a\n"
		       "guest boots under KVM (a canary guest, once for each "
		       "boot of the\n"
		       "host); folders, kernels. Ends with 3 if guests could not run here.",
	.run = run,
};
