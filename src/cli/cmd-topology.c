/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-topology.c - rig topology: list, show and check machine shapes.
 *
 * Only --fit looks at this host; the rest reads files.
 */
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/shape.h"
#include "report/grid.h"
#include "vm/domxml.h"
#include "vm/virt.h"

#define VIRT_WAIT_MS 10000
#define LIST_WIDTH 100

typedef struct {
	RigShapeOptions shape;
	gboolean xml, fit;
} TopologyOptions;

static void add_row(RigGrid *grid, const RigTopology *topology)
{
	g_autofree char *vcpus = g_strdup_printf("%u", rig_topology_vcpus(topology));
	g_autofree char *cells = g_strdup_printf("%u", topology->n_cells);
	g_autofree char *memory = rig_size_format(rig_topology_memory(topology));

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, topology->name);
	rig_grid_cell(grid, vcpus);
	rig_grid_cell(grid, cells);
	rig_grid_cell(grid, memory);
	rig_grid_cell(grid, topology->text);
}

static void list_table(RigCli *cli, GPtrArray *topologies)
{
	g_autoptr(RigGrid) grid = rig_grid_new(LIST_WIDTH);
	g_autofree char *text = NULL;

	rig_grid_column(grid, "NAME", RIG_GRID_LEFT);
	rig_grid_column(grid, "VCPUS", RIG_GRID_RIGHT);
	rig_grid_column(grid, "CELLS", RIG_GRID_RIGHT);
	rig_grid_column(grid, "MEMORY", RIG_GRID_RIGHT);
	rig_grid_column(grid, "MACHINE", RIG_GRID_WRAP);
	rig_grid_colors(grid, cli->color);
	for (guint i = 0; i < topologies->len; i++)
		add_row(grid, topologies->pdata[i]);
	text = rig_grid_text(grid);
	fputs(text, stdout);
}

static void list_json(GPtrArray *topologies)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "topologies");
	for (guint i = 0; i < topologies->len; i++)
		rig_topology_to_json(topologies->pdata[i], writer, NULL);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

/* A broken file does not hide the others; it is told after them. */
static int run_list(RigCli *cli, GError **error)
{
	g_auto(GStrv) names = rig_paths_list(cli->paths, "topologies");
	g_autoptr(GPtrArray) topologies =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_topology_free);
	g_autoptr(GError) first = NULL;

	for (char **name = names; *name; name++) {
		RigTopology *topology = rig_choose_topology(cli, *name, first ? NULL : &first);

		if (topology)
			g_ptr_array_add(topologies, topology);
	}
	if (cli->json)
		list_json(topologies);
	else
		list_table(cli, topologies);
	if (!first)
		return 0;
	g_propagate_error(error, g_steal_pointer(&first));
	return -1;
}

static RigHost *read_host(RigCli *cli, gboolean *remote, GError **error)
{
	g_autoptr(RigVirt) virt =
		rig_virt_open(cli->uri, cli->paths->state, VIRT_WAIT_MS, cli->cancellable, error);
	g_autofree char *xml = virt ? rig_virt_capabilities(virt, error) : NULL;

	if (!xml)
		return NULL;
	*remote = rig_virt_is_remote(virt);
	return rig_host_parse(xml, *remote ? NULL : "", error);
}

/* Without --accel this does not boot a canary just to show a shape: it shows what TCG gets. */
static RigPlacement *fit(RigCli *cli, const TopologyOptions *options, const RigTopology *topology,
			 GError **error)
{
	RigPlacementRequest request;
	RigAccelWant want;
	g_autoptr(RigHost) host = NULL;

	if (!rig_shape_parse(&options->shape, &want, &request, error))
		return NULL;
	request.accel = want == RIG_ACCEL_WANT_KVM ? RIG_ACCEL_KVM : RIG_ACCEL_TCG;
	host = read_host(cli, &request.remote, error);
	return host ? rig_placement_compute(topology, host, &request, error) : NULL;
}

/* The topology as it stands in its file, in the form that a domain is made from. */
static RigPlacement *unfitted(const RigTopology *topology)
{
	RigPlacement *placement = g_new0(RigPlacement, 1);

	placement->topology = rig_topology_copy(topology);
	placement->accel = RIG_ACCEL_TCG;
	placement->class = 'C';
	placement->notes = g_ptr_array_new_with_free_func(g_free);
	placement->host_node = g_new(gint, topology->n_cells);
	for (guint i = 0; i < topology->n_cells; i++)
		placement->host_node[i] = -1;
	return placement;
}

/* `rig up` fills in the paths; here they are named after what they hold. */
static void show_xml(const RigPlacement *placement)
{
	const RigDomainSpec spec = {
		.name = placement->topology->name,
		.placement = placement,
		.kernel = "/KERNEL",
		.initrd = "/INITRAMFS",
		.cmdline = "CMDLINE",
		.disk = "/OVERLAY",
		.console = "/CONSOLE",
		.agent_socket = "/AGENT",
		.no_relabel = TRUE,
	};
	g_autofree char *text = rig_domxml_render(&spec);

	fputs(text, stdout);
}

static void print_cells(const RigTopology *topology)
{
	for (guint i = 0; i < topology->n_cells; i++) {
		const RigCell *cell = &topology->cells[i];
		g_autofree char *cpus = rig_cpulist_format(cell->cpus);
		g_autofree char *memory = rig_size_format(cell->memory);

		printf("cell %u: %s, %s%s, distances", i, memory, *cpus ? "vCPUs " : "no vCPUs",
		       cpus);
		for (guint j = 0; j < topology->n_cells; j++)
			printf(" %u", rig_topology_distance(topology, i, j));
		putchar('\n');
	}
}

static void show_text(const RigTopology *topology)
{
	g_autofree char *shape = rig_topology_describe(topology);

	printf("%s: %s\n", topology->name, topology->text);
	if (topology->cpu)
		printf("cpu: %s\n", topology->cpu);
	if (topology->robot)
		printf("robot: %s\n", topology->robot);
	printf("shape: %s\n", shape);
	print_cells(topology);
}

static void show_placement(const RigPlacement *placement, const RigTopology *asked)
{
	g_autofree char *text = rig_placement_describe(placement, asked);

	show_text(placement->topology);
	printf("fit: %s\n", text ? text : "as it is");
	printf("class: %c\n", placement->class);
	for (guint i = 0; i < placement->notes->len; i++)
		printf("note: %s\n", (const char *)placement->notes->pdata[i]);
}

static void show_json(const RigTopology *topology, const RigPlacement *placement)
{
	RigJsonWriter *writer = rig_json_writer_new();

	if (placement)
		rig_placement_to_json(placement, writer, NULL);
	else
		rig_topology_to_json(topology, writer, NULL);
	rig_cli_print_json(writer);
}

static int run_show(RigCli *cli, const TopologyOptions *options, const char *name, GError **error)
{
	g_autoptr(RigTopology) topology = rig_choose_topology(cli, name, error);
	g_autoptr(RigPlacement) placement = NULL;

	if (!topology)
		return -1;
	if (options->fit) {
		placement = fit(cli, options, topology, error);
		if (!placement)
			return -1;
	}
	if (options->xml && !placement)
		placement = unfitted(topology);
	if (options->xml)
		show_xml(placement);
	else if (cli->json)
		show_json(topology, placement);
	else if (placement)
		show_placement(placement, topology);
	else
		show_text(topology);
	return 0;
}

static void check_json(RigJsonWriter *writer, const char *file, const char *problem)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "file", file);
	rig_json_add_bool(writer, "ok", problem == NULL);
	rig_json_add_string(writer, "error", problem);
	rig_json_close_object(writer);
}

/* Checks all of them; the first problem is the error, more of them are told as warnings. */
static int check_files(RigCli *cli, char **files, RigJsonWriter *writer, GError **error)
{
	g_autoptr(GError) first = NULL;

	for (char **file = files; *file; file++) {
		g_autoptr(GError) problem = NULL;
		g_autoptr(RigTopology) topology = rig_choose_topology(cli, *file, &problem);

		if (writer)
			check_json(writer, *file, problem ? problem->message : NULL);
		else if (topology)
			printf("%s: ok\n", *file);
		if (problem && first)
			rig_log_warn(cli->log, "%s", problem->message);
		else if (problem)
			first = g_steal_pointer(&problem);
	}
	if (!first)
		return 0;
	g_propagate_error(error, g_steal_pointer(&first));
	return -1;
}

static int run_check(RigCli *cli, char **files, GError **error)
{
	RigJsonWriter *writer = cli->json ? rig_json_writer_new() : NULL;
	int code;

	if (writer) {
		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "version", 1);
		rig_json_open_array(writer, "files");
	}
	code = check_files(cli, files, writer, error);
	if (writer) {
		rig_json_close_array(writer);
		rig_json_close_object(writer);
		rig_cli_print_json(writer);
	}
	return code;
}

static int run(RigCli *cli, void *state, int argc, char **argv, GError **error)
{
	const TopologyOptions *options = state;
	const char *verb = argc ? argv[0] : "list";

	if ((options->xml || options->fit) && strcmp(verb, "show"))
		return rig_cli_usage(&rig_cmd_topology, error, "--xml and --fit belong to show");
	if (!strcmp(verb, "list"))
		return argc > 1 ? rig_cli_usage(&rig_cmd_topology, error,
						"list: \"%s\" is too much", argv[1])
				: run_list(cli, error);
	if (!strcmp(verb, "show"))
		return argc != 2
			       ? rig_cli_usage(&rig_cmd_topology, error, "show: one NAME is needed")
			       : run_show(cli, options, argv[1], error);
	if (!strcmp(verb, "check"))
		return argc < 2 ? rig_cli_usage(&rig_cmd_topology, error, "check: a FILE is needed")
				: run_check(cli, argv + 1, error);
	return rig_cli_usage(&rig_cmd_topology, error, "\"%s\" is none of list, show, check", verb);
}

static const char *const verbs[] = {"list", "show", "check", NULL};

static const RigOption options_table[] = {
	{"xml", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(TopologyOptions, xml), NULL,
	 "show the domain XML"},
	{"fit", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(TopologyOptions, fit), NULL,
	 "show it fitted to this host"},
	RIG_SHAPE_OPTIONS(TopologyOptions, shape),
	{NULL},
};

const RigCommand rig_cmd_topology = {
	.name = "topology",
	.args = "list|show NAME|check FILE...",
	.summary = "list, show and check machine shapes",
	.description =
		"A topology is the shape of one machine: sockets, cores, threads, NUMA cells with "
		"their "
		"memory, and distances. It is a JSON file; docs/topology.md describes it.\n\n"
		"show --fit says what \"rig up\" would make of it on this host, and show --xml the "
		"domain "
		"that libvirt gets. With --fit the accelerator is the one of --accel; auto shows "
		"what TCG "
		"would get, because only a canary boot could tell.",
	.verbs = verbs,
	.completes = "topology,check=file",
	.state_size = sizeof(TopologyOptions),
	.options = options_table,
	.run = run,
};
