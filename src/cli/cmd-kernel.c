/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-kernel.c - rig kernel: bring kernels into the store, look at them, take them out.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/kernel-build.h"
#include "cli/listing.h"
#include "vm/kernelstore.h"

typedef RigKernelOptions Options;

#define OPT(field) G_STRUCT_OFFSET(Options, field)

static const RigOption kernel_options[] = {
	{"name", 0, RIG_OPTION_STRING, OPT(name), "NAME",
	 "add, build RECIPE: its name in the store (its release, the recipe's name)"},
	{"modules", 0, RIG_OPTION_STRING, OPT(modules), "DIR",
	 "add: its folder lib/modules/RELEASE, for a bzImage or vmlinux"},
	{"config", 0, RIG_OPTION_STRING, OPT(config), "FILE",
	 "add: its .config, for a bzImage or vmlinux; build: tiny (the default), defconfig or a "
	 ".config"},
	{"replace", 0, RIG_OPTION_FLAG, OPT(replace), NULL,
	 "add, build: take the place of another kernel of that name"},
	{"default", 0, RIG_OPTION_FLAG, OPT(make_default), NULL,
	 "add, build: it is the one to take when none is named"},
	{"source", 0, RIG_OPTION_STRING, OPT(source), "SOURCE",
	 "build: a git tree, a folder, a tarball, or a source package's name"},
	{"rev", 0, RIG_OPTION_STRING, OPT(rev), "REV",
	 "build: a revision of a git tree (what is checked out, with its changes)"},
	{"patch", 0, RIG_OPTION_STRINGS, OPT(patches), "FILE",
	 "build: a patch, a mail or an mbox to apply; may be given again"},
	{"revert", 0, RIG_OPTION_STRINGS, OPT(reverts), "COMMIT",
	 "build: a commit of the git tree to undo; may be given again"},
	{"fragment", 0, RIG_OPTION_STRINGS, OPT(fragments), "FILE",
	 "build: config options to lay on top; may be given again"},
	{"debug", 0, RIG_OPTION_FLAG, OPT(debug), NULL,
	 "build: with debug information, kept as vmlinux beside the kernel"},
	{"diff", 0, RIG_OPTION_STRING, OPT(diff), "OTHER",
	 "show: what differs in source, patches and config from kernel OTHER"},
	{NULL},
};

static RigKernelStore open_store(RigCli *cli, const char *kernels_dir)
{
	return (RigKernelStore){
		.kernels_dir = kernels_dir,
		.cache_dir = cli->paths->cache,
		.log = cli->log,
		.cancellable = cli->cancellable,
	};
}

static void print_kernel_json(const RigKernel *kernel)
{
	g_autofree char *text = rig_kernel_to_json(kernel);

	fputs(text, stdout);
}

static int add(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	const RigKernelStore store = open_store(cli, dir);
	RigKernelSource source = {
		.name = options->name,
		.modules = options->modules,
		.config = options->config,
		.replace = options->replace,
	};
	g_autoptr(RigKernel) kernel = NULL;

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_kernel, error,
				     "add takes one SOURCE: a package, a file, a build folder or "
				     "\"host\"");
	source.source = words[0];
	if (cli->dry_run) {
		rig_log_info(cli->log, "would add a kernel from %s to %s", words[0], dir);
		return 0;
	}
	kernel = rig_kernelstore_add(&store, &source, error);
	rig_log_status_clear(cli->log);
	if (!kernel)
		return -1;
	if (options->make_default && !rig_kernel_set_default(dir, kernel->name, error))
		return -1;
	if (cli->json)
		print_kernel_json(kernel);
	else
		printf("%s\n", kernel->name);
	return 0;
}

static void list_json(const GPtrArray *kernels, const char *default_name)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "default", default_name);
	rig_json_open_array(writer, "kernels");
	for (guint i = 0; i < kernels->len; i++) {
		const RigKernel *kernel = kernels->pdata[i];

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", kernel->name);
		rig_json_add_string(writer, "release", kernel->release);
		rig_json_add_string(writer, "compiler", kernel->compiler);
		rig_json_add_string(writer, "format", kernel->format);
		rig_json_add_string(writer, "source", kernel->source);
		rig_json_add_string(writer, "boot_sha256", kernel->boot_sha256);
		rig_json_add_string(writer, "config_sha256", kernel->config_sha256);
		rig_json_add_string(writer, "modules_sha256", kernel->modules_sha256);
		rig_json_add_int(writer, "added", kernel->added);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void list_table(const GPtrArray *kernels, const char *default_name)
{
	static const char *const heads[] = {"NAME",   "RELEASE", "COMPILER",
					    "FORMAT", "SOURCE",	 NULL};
	RigListing *listing = rig_listing_new(heads, TRUE);

	for (guint i = 0; i < kernels->len; i++) {
		const RigKernel *kernel = kernels->pdata[i];
		gboolean is_default = !g_strcmp0(kernel->name, default_name);
		g_autofree char *name = g_strconcat(kernel->name, is_default ? " *" : "", NULL);
		const char *row[] = {name,	     kernel->release, kernel->compiler,
				     kernel->format, kernel->source,  NULL};

		rig_listing_add(listing, row);
	}
	rig_listing_print(listing);
}

static int list(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autofree char *default_name = rig_kernel_default(dir);
	g_autoptr(GPtrArray) kernels = NULL;

	if (argc)
		return rig_cli_usage(&rig_cmd_kernel, error, "list takes no \"%s\"", words[0]);
	kernels = rig_kernel_list(dir, error);
	if (!kernels)
		return -1;
	if (cli->json)
		list_json(kernels, default_name);
	else
		list_table(kernels, default_name);
	if (!kernels->len)
		rig_log_info(cli->log, "no kernel is in the store; rig kernel add SOURCE adds one");
	return 0;
}

static RigKernel *load_one(RigCli *cli, const char *verb, int argc, char **words, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);

	if (argc != 1) {
		rig_cli_usage(&rig_cmd_kernel, error, "%s takes one NAME", verb);
		return NULL;
	}
	return rig_kernel_load(dir, words[0], error);
}

static void print_field(const char *name, const char *value)
{
	g_autofree char *safe = value ? rig_text_safe_line(value, -1) : NULL;

	if (safe)
		printf("%-10s %s\n", name, safe);
}

static void print_kernel(const RigKernel *kernel)
{
	g_autofree char *boot = rig_kernel_boot_path(kernel);
	g_autofree char *modules = rig_kernel_modules_dir(kernel);
	g_autofree char *config = g_build_filename(kernel->dir, "config", NULL);
	g_autofree char *added = rig_text_time(kernel->added);

	print_field("name", kernel->name);
	print_field("release", kernel->release);
	print_field("banner", kernel->banner);
	print_field("compiler", kernel->compiler);
	print_field("source", kernel->source);
	if (kernel->build)
		rig_kernel_print_build(kernel->build);
	print_field("added", added);
	print_field("format", kernel->format);
	print_field("boot", boot);
	print_field("  sha256", kernel->boot_sha256);
	print_field("config", kernel->config_sha256 ? config : NULL);
	print_field("  sha256", kernel->config_sha256);
	print_field("modules", modules);
	print_field("  sha256", kernel->modules_sha256);
}

static int show(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(RigKernel) kernel = load_one(cli, "show", argc, words, error);

	if (!kernel)
		return -1;
	if (options->diff)
		return rig_kernel_show_diff(cli, kernel, options->diff, error);
	if (cli->json)
		print_kernel_json(kernel);
	else
		print_kernel(kernel);
	return 0;
}

/* A file gets the config as it is; a terminal does not obey what somebody put into one. */
static void print_config(const char *text)
{
	g_autofree char *safe = isatty(STDOUT_FILENO) ? rig_text_safe(text, -1) : NULL;

	fputs(safe ? safe : text, stdout);
}

static int config(RigCli *cli, const Options *options, int argc, char **words, GError **error)
{
	g_autoptr(RigKernel) kernel = load_one(cli, "config", argc, words, error);
	g_autofree char *text = kernel ? rig_kernel_config(kernel) : NULL;

	if (!kernel)
		return -1;
	if (text) {
		print_config(text);
		return 0;
	}
	rig_error_set_hint(error, RIG_ERROR_HOST, "add it again with --config FILE",
			   "the config of kernel %s is not known", kernel->name);
	return -1;
}

static int remove_kernels(RigCli *cli, const Options *options, int argc, char **words,
			  GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	const RigKernelStore store = open_store(cli, dir);

	if (!argc)
		return rig_cli_usage(&rig_cmd_kernel, error, "remove: NAME is missing");
	for (int i = 0; i < argc; i++) {
		g_autoptr(RigKernel) kernel = NULL;

		if (!cli->dry_run) {
			if (!rig_kernelstore_remove(&store, words[i], error))
				return -1;
			continue;
		}
		kernel = rig_kernel_load(dir, words[i], error);
		if (!kernel)
			return -1;
		rig_log_info(cli->log, "would remove kernel %s", words[i]);
	}
	return 0;
}

static int print_default(RigCli *cli, const char *name, GError **error)
{
	RigJsonWriter *writer;

	if (cli->json) {
		writer = rig_json_writer_new();
		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "version", 1);
		rig_json_add_string(writer, "default", name);
		rig_json_close_object(writer);
		rig_cli_print_json(writer);
	} else if (name) {
		printf("%s\n", name);
	} else {
		rig_log_info(cli->log, "no default is set; rig kernel default NAME sets it");
	}
	return 0;
}

static int default_kernel(RigCli *cli, const Options *options, int argc, char **words,
			  GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autofree char *name = NULL;

	if (argc > 1)
		return rig_cli_usage(&rig_cmd_kernel, error, "default takes one NAME");
	if (argc && !cli->dry_run && !rig_kernel_set_default(dir, words[0], error))
		return -1;
	name = rig_kernel_default(dir);
	return argc ? 0 : print_default(cli, name, error);
}

static const struct {
	const char *name;
	int (*run)(RigCli *cli, const Options *options, int argc, char **words, GError **error);
} actions[] = {
	{"add", add},
	{"build", rig_kernel_build},
	{"recipes", rig_kernel_recipes},
	{"list", list},
	{"show", show},
	{"config", config},
	{"remove", remove_kernels},
	{"default", default_kernel},
};

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	if (!argc)
		return rig_cli_usage(&rig_cmd_kernel, error,
				     "say add, build, recipes, list, show, config, remove or "
				     "default");
	for (guint i = 0; i < G_N_ELEMENTS(actions); i++)
		if (!strcmp(argv[0], actions[i].name))
			return actions[i].run(cli, options, argc - 1, argv + 1, error);
	return rig_cli_usage(&rig_cmd_kernel, error, "unknown word \"%s\"", argv[0]);
}

static const char *const verbs[] = {"add",    "build",	"recipes", "list", "show",
				    "config", "remove", "default", NULL};

const RigCommand rig_cmd_kernel = {
	.name = "kernel",
	.args = "add SOURCE | build NAME --source SOURCE | build RECIPE | recipes [NAME] | list |\n"
		"       show NAME | config NAME | remove NAME... | default [NAME]",
	.summary = "bring kernels into rig's store, look at them, take them out",
	.description =
		"SOURCE is one of\n"
		"  a .deb or .rpm file with a kernel in it;\n"
		"  a package's name, as linux-image-cloud-amd64, NAME=VERSION or NAME/SUITE: it "
		"is\n"
		"    downloaded by the distribution's own client (apt-get, dnf) and not "
		"installed;\n"
		"  a folder in which a kernel was built: its bzImage, .config and modules;\n"
		"  a bzImage or vmlinux file, with --modules and --config where there are any;\n"
		"  \"host\": the kernel that runs here.\n"
		"The uncompressed kernel is stored where it has a PVH entry, as it boots faster.\n"
		"The first kernel that is added becomes the default. \"config\" prints the "
		".config.\n\n"
		"\"build\" compiles one, from a source with patches or by a recipe (\"recipes\" "
		"lists them):\n"
		"  rig kernel build base --source ~/linux --rev v6.12\n"
		"  rig kernel build try --source ~/linux --rev v6.12 --patch fix.patch\n"
		"  rig kernel build mthp-numa\n"
		"A second kernel of the same source and config compiles only what its patches "
		"touch.",
	.verbs = verbs,
	.completes = "kernel,add=file,build=recipe,recipes=recipe",
	.state_size = sizeof(Options),
	.options = kernel_options,
	.run = run,
};
