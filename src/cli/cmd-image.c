/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd-image.c - rig image: build guest root file systems from their recipes, look at the recipes.
 */
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "vm/bootset.h"
#include "vm/debian.h"

static RigBootsetContext bootset_context(RigCli *cli)
{
	return (RigBootsetContext){
		.paths = cli->paths, .log = cli->log, .cancellable = cli->cancellable};
}

static int build(RigCli *cli, int argc, char **words, GError **error)
{
	const RigBootsetContext context = bootset_context(cli);
	g_autoptr(RigImage) image = NULL;
	g_autofree char *path = NULL;
	gboolean hit;

	if (argc > 1)
		return rig_cli_usage(&rig_cmd_image, error, "build takes one NAME");
	image = rig_choose_image(cli, argc ? words[0] : NULL, error);
	if (!image)
		return -1;
	if (cli->dry_run) {
		rig_log_info(cli->log, "would build image %s from %s, if the cache has it not",
			     image->name, image->path);
		return 0;
	}
	path = rig_bootset_image(&context, image, &hit, error);
	rig_log_status_clear(cli->log);
	if (!path)
		return -1;
	if (cli->json) {
		RigJsonWriter *writer = rig_json_writer_new();

		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "version", 1);
		rig_json_add_string(writer, "image", image->name);
		rig_json_add_string(writer, "path", path);
		rig_json_add_bool(writer, "cached", hit);
		rig_json_close_object(writer);
		rig_cli_print_json(writer);
		return 0;
	}
	if (hit)
		rig_log_info(cli->log, "image %s is already there", image->name);
	printf("%s\n", path);
	return 0;
}

/* "NAME VERSION" of all that mmdebstrap installed; NULL while it is not in the cache. */
static char **installed(const RigPaths *paths, const RigImageDebian *debian)
{
	g_autofree char *text = rig_debian_packages(paths, debian);

	return text ? g_strsplit(g_strchomp(text), "\n", -1) : NULL;
}

static void add_debian_json(RigJsonWriter *writer, const RigPaths *paths,
			    const RigImageDebian *debian)
{
	g_auto(GStrv) lines = installed(paths, debian);

	rig_json_open_object(writer, "debian");
	rig_json_add_string(writer, "suite", debian->suite);
	rig_json_add_strings(writer, "packages", (const char *const *)debian->packages);
	if (lines)
		rig_json_add_strings(writer, "installed", (const char *const *)lines);
	rig_json_close_object(writer);
}

static void add_image_json(RigJsonWriter *writer, const RigPaths *paths, const RigImage *image)
{
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", image->name);
	rig_json_add_string(writer, "text", image->text);
	rig_json_add_int(writer, "size", image->size);
	rig_json_add_int(writer, "files", image->files->len);
	rig_json_add_strings(writer, "modules", (const char *const *)image->modules);
	rig_json_add_string(writer, "path", image->path);
	if (image->debian)
		add_debian_json(writer, paths, image->debian);
	rig_json_close_object(writer);
}

static void list_json(const RigPaths *paths, const GPtrArray *images)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "images");
	for (guint i = 0; i < images->len; i++)
		add_image_json(writer, paths, images->pdata[i]);
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

static void list_table(const GPtrArray *images)
{
	static const char *const heads[] = {"NAME", "SIZE", "TEXT", NULL};
	RigListing *listing = rig_listing_new(heads, TRUE);

	for (guint i = 0; i < images->len; i++) {
		const RigImage *image = images->pdata[i];
		g_autofree char *size = rig_size_format(image->size);
		const char *row[] = {image->name, size, image->text, NULL};

		rig_listing_add(listing, row);
	}
	rig_listing_print(listing);
}

/* A broken recipe does not hide the others; it is told after them. */
static int list(RigCli *cli, int argc, char **words, GError **error)
{
	g_auto(GStrv) names = rig_paths_list(cli->paths, "images");
	g_autoptr(GPtrArray) images =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_image_free);
	g_autoptr(GError) first = NULL;

	if (argc)
		return rig_cli_usage(&rig_cmd_image, error, "list takes no \"%s\"", words[0]);
	for (char **name = names; *name; name++) {
		RigImage *image = rig_choose_image(cli, *name, first ? NULL : &first);

		if (image)
			g_ptr_array_add(images, image);
	}
	if (cli->json)
		list_json(cli->paths, images);
	else
		list_table(images);
	if (!first)
		return 0;
	g_propagate_error(error, g_steal_pointer(&first));
	return -1;
}

static const char *origin(const RigImageFile *file)
{
	if (file->from)
		return file->from;
	if (file->link)
		return file->link;
	return file->text ? "text" : "folder";
}

static void print_image(const RigImage *image)
{
	static const char *const heads[] = {"FILE", "MODE", "FROM", NULL};
	g_autofree char *size = rig_size_format(image->size);
	g_autofree char *modules = g_strjoinv(" ", image->modules);
	RigListing *listing = rig_listing_new(heads, FALSE);

	printf("name    %s\ntext    %s\nsize    %s\nmodules %s\nrecipe  %s\n\n", image->name,
	       image->text, size, modules, image->path);
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];
		g_autofree char *mode = g_strdup_printf("%04o", file->mode);
		const char *row[] = {file->path, mode, origin(file), NULL};

		rig_listing_add(listing, row);
	}
	rig_listing_print(listing);
}

static const char *version_of(char **lines, const char *package)
{
	gsize length = strlen(package);

	for (; *lines; lines++)
		if (!strncmp(*lines, package, length) && (*lines)[length] == ' ')
			return *lines + length + 1;
	return "?";
}

/* The packages that were asked for; all of them are in the JSON. */
static void print_debian(const RigPaths *paths, const RigImageDebian *debian)
{
	static const char *const heads[] = {"PACKAGE", "VERSION", NULL};
	g_auto(GStrv) lines = installed(paths, debian);
	RigListing *listing = rig_listing_new(heads, TRUE);

	for (char **name = debian->packages; *name; name++) {
		const char *row[] = {*name, lines ? version_of(lines, *name) : "-", NULL};

		rig_listing_add(listing, row);
	}
	printf("\nDebian %s, ", debian->suite);
	if (lines)
		printf("%u packages (--json names all)\n", g_strv_length(lines));
	else
		printf("not made yet\n");
	rig_listing_print(listing);
}

static int show(RigCli *cli, int argc, char **words, GError **error)
{
	g_autoptr(RigImage) image = NULL;

	if (argc > 1)
		return rig_cli_usage(&rig_cmd_image, error, "show takes one NAME");
	image = rig_choose_image(cli, argc ? words[0] : NULL, error);
	if (!image)
		return -1;
	if (cli->json) {
		RigJsonWriter *writer = rig_json_writer_new();

		add_image_json(writer, cli->paths, image);
		rig_cli_print_json(writer);
	} else {
		print_image(image);
		if (image->debian)
			print_debian(cli->paths, image->debian);
	}
	return 0;
}

static int run(RigCli *cli, void *options, int argc, char **argv, GError **error)
{
	if (!argc)
		return rig_cli_usage(&rig_cmd_image, error, "say build, list or show");
	if (!strcmp(argv[0], "build"))
		return build(cli, argc - 1, argv + 1, error);
	if (!strcmp(argv[0], "list"))
		return list(cli, argc - 1, argv + 1, error);
	if (!strcmp(argv[0], "show"))
		return show(cli, argc - 1, argv + 1, error);
	return rig_cli_usage(&rig_cmd_image, error, "unknown word \"%s\"", argv[0]);
}

static const char *const verbs[] = {"build", "list", "show", NULL};

const RigCommand rig_cmd_image = {
	.name = "image",
	.args = "build [NAME] | list | show [NAME]",
	.summary = "build guest root file systems, look at their recipes",
	.description =
		"Recipes are files images/NAME.json; NAME may also be a file. The default is "
		"tiny.\n"
		"An image is built by libguestfs and kept in the cache; \"rig up\" and \"rig "
		"run\"\n"
		"build it on demand. Its appliance needs a kernel in rig's store (rig kernel "
		"add).\n"
		"What changes with rig or with the kernel (the agent, the programs, the modules)\n"
		"is not in it but in a thin overlay for each kernel.",
	.verbs = verbs,
	.completes = "image",
	.run = run,
};
