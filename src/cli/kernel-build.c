/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel-build.c - rig kernel build and rig kernel recipes.
 */
#include "cli/kernel-build.h"

#include <stdio.h>
#include <string.h>

#include "cli/choose.h"
#include "cli/commands.h"
#include "cli/listing.h"
#include "model/kernelrecipe.h"
#include "vm/accel.h"
#include "vm/kbuild.h"

#define RECIPES "kernels"
#define FRAGMENT "tiny.config"

/* kernels/tiny.config of the first data folder that has it. g_free. */
static char *find_fragment(const RigCli *cli, GError **error)
{
	for (guint i = 0; cli->paths->data[i]; i++) {
		g_autofree char *path =
			g_build_filename(cli->paths->data[i], RECIPES, FRAGMENT, NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&path);
	}
	rig_error_set(error, RIG_ERROR_HOST, "rig's own config fragment %s/%s is missing", RECIPES,
		      FRAGMENT);
	return NULL;
}

/* What all workloads that a user has need of a kernel. A file that does not parse is told of when
 * it is run. */
static char **all_needs(const RigCli *cli)
{
	g_autoptr(GStrvBuilder) needs = g_strv_builder_new();
	g_auto(GStrv) names = rig_paths_list(cli->paths, "workloads");

	for (guint i = 0; names[i]; i++) {
		g_autofree char *path =
			rig_paths_find(cli->paths, "workloads", "workload", names[i], NULL);
		g_autoptr(RigWorkload) workload = path ? rig_workload_load(path, NULL) : NULL;

		if (workload)
			g_strv_builder_addv(needs, (const char **)workload->needs_kernel);
	}
	return g_strv_builder_end(needs);
}

static RigKernelRecipe *load_recipe(const RigCli *cli, const char *name, GError **error)
{
	g_auto(GStrv) names = rig_paths_list(cli->paths, RECIPES);
	g_autofree char *path = NULL;

	if (!strchr(name, '/') && !g_str_has_suffix(name, ".json") &&
	    !g_strv_contains((const char *const *)names, name)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "--source SOURCE says what to build; \"rig kernel recipes\" "
				   "shows the recipes",
				   "there is no recipe \"%s\"", name);
		return NULL;
	}
	path = rig_paths_find(cli->paths, RECIPES, "kernel recipe", name, error);
	return path ? rig_kernelrecipe_load(path, error) : NULL;
}

static char **joined(char **first, char **second)
{
	g_autoptr(GStrvBuilder) builder = g_strv_builder_new();

	if (first)
		g_strv_builder_addv(builder, (const char **)first);
	if (second)
		g_strv_builder_addv(builder, (const char **)second);
	return g_strv_builder_end(builder);
}

/* A recipe that only some hosts can show, on one that cannot. */
static void say_what_cannot(RigCli *cli, const RigKernelRecipe *recipe)
{
	g_auto(RigKvmProbe) probe = {0};

	if (rig_kernelrecipe_fits(recipe, 'C'))
		return;
	rig_accel_probe(cli->paths, cli->log, NULL, TRUE, cli->cancellable, &probe);
	if (!probe.known || !probe.usable)
		rig_log_warn(cli->log, "recipe %s cannot be shown on this host, without KVM: %s",
			     recipe->name,
			     recipe->cannot ? recipe->cannot : "it is a matter of time");
	else
		rig_log_info(cli->log, "recipe %s needs class %s: %s", recipe->name,
			     recipe->classes, recipe->cannot ? recipe->cannot : "");
}

static void say_next(RigCli *cli, const RigKernelRecipe *recipe, const char *name)
{
	if (!recipe)
		return;
	say_what_cannot(cli, recipe);
	if (recipe->workload && recipe->base)
		rig_log_info(cli->log, "next: rig run %s --kernel %s --kernel %s --repeat 5",
			     recipe->workload, recipe->base, name);
}

static int print_result(RigCli *cli, const RigKernel *kernel, gboolean hit)
{
	g_autofree char *text = NULL;

	rig_log_status_clear(cli->log);
	if (hit)
		rig_log_info(cli->log, "kernel %s is already there", kernel->name);
	if (cli->json) {
		text = rig_kernel_to_json(kernel);
		fputs(text, stdout);
	} else {
		printf("%s\n", kernel->name);
	}
	return 0;
}

static int build(RigCli *cli, const RigKernelOptions *options, const RigKernelRecipe *recipe,
		 const RigKbuildSpec *spec, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	const RigKernelStore store = {.kernels_dir = dir,
				      .cache_dir = cli->paths->cache,
				      .log = cli->log,
				      .cancellable = cli->cancellable};
	g_autoptr(RigKernel) kernel = NULL;
	gboolean hit;

	if (cli->dry_run) {
		rig_log_info(cli->log, "would build kernel %s from %s", spec->name, spec->source);
		return 0;
	}
	kernel = rig_kbuild(&store, spec, &hit, error);
	rig_log_status_clear(cli->log);
	if (!kernel)
		return -1;
	if (options->make_default && !rig_kernel_set_default(dir, kernel->name, error))
		return -1;
	print_result(cli, kernel, hit);
	say_next(cli, recipe, kernel->name);
	return 0;
}

/* Options go before the recipe's word, lists behind its lists. */
int rig_kernel_build(RigCli *cli, const RigKernelOptions *options, int argc, char **words,
		     GError **error)
{
	g_autoptr(RigKernelRecipe) recipe = NULL;
	g_auto(GStrv) needs = NULL, patches = NULL, reverts = NULL, fragments = NULL;
	g_autofree char *fragment = NULL;
	RigKbuildSpec spec = {.source = options->source,
			      .rev = options->rev,
			      .config = options->config,
			      .debug = options->debug,
			      .replace = options->replace};

	if (argc != 1)
		return rig_cli_usage(&rig_cmd_kernel, error, "build takes one NAME or RECIPE");
	if (!options->source) {
		recipe = load_recipe(cli, words[0], error);
		if (!recipe)
			return -1;
		spec.source = recipe->source;
		spec.rev = options->rev ? options->rev : recipe->rev;
		spec.config = options->config ? options->config : recipe->config;
		spec.recipe = recipe->name;
	}
	fragment = find_fragment(cli, error);
	if (!fragment)
		return -1;
	needs = all_needs(cli);
	patches = joined(recipe ? recipe->patches : NULL, options->patches);
	reverts = joined(recipe ? recipe->reverts : NULL, options->reverts);
	fragments = joined(recipe ? recipe->fragments : NULL, options->fragments);
	spec.name = options->name ? options->name : recipe ? recipe->name : words[0];
	spec.fragment = fragment;
	spec.needs = (const char *const *)needs;
	spec.patches = (const char *const *)patches;
	spec.reverts = (const char *const *)reverts;
	spec.fragments = (const char *const *)fragments;
	return build(cli, options, recipe, &spec, error);
}

static void print_recipe(const RigKernelRecipe *recipe)
{
	printf("%s\n  %s\n", recipe->name, recipe->text);
	if (recipe->report)
		printf("report    %s\n", recipe->report);
	printf("source    %s\n", recipe->source);
	for (guint i = 0; recipe->patches[i]; i++)
		printf("patch     %s\n", recipe->patches[i]);
	if (recipe->base)
		printf("base      %s\n", recipe->base);
	if (recipe->workload)
		printf("workload  %s\n", recipe->workload);
	for (guint i = 0; i < recipe->expects->len; i++) {
		const RigKernelExpect *expect = recipe->expects->pdata[i];

		printf("expected  %s %s\n", expect->name, rig_direction_name(expect->direction));
	}
	printf("classes   %s\n", recipe->classes);
	if (recipe->cannot)
		printf("cannot    %s\n", recipe->cannot);
}

static int list_recipes(RigCli *cli, GError **error)
{
	static const char *const heads[] = {"RECIPE", "BASE", "WORKLOAD", "CLASSES", NULL};
	g_auto(GStrv) names = rig_paths_list(cli->paths, RECIPES);
	RigListing *listing = NULL;
	RigJsonWriter *writer = NULL;

	if (cli->json) {
		writer = rig_json_writer_new();
		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "version", 1);
		rig_json_add_strings(writer, "recipes", (const char *const *)names);
		rig_json_close_object(writer);
		rig_cli_print_json(writer);
		return 0;
	}
	listing = rig_listing_new(heads, TRUE);
	for (guint i = 0; names[i]; i++) {
		g_autoptr(GError) why = NULL;
		g_autoptr(RigKernelRecipe) recipe = load_recipe(cli, names[i], &why);
		const char *row[] = {names[i], NULL, NULL, NULL, NULL};

		if (recipe) {
			row[1] = recipe->base ? recipe->base : "-";
			row[2] = recipe->workload ? recipe->workload : "-";
			row[3] = recipe->classes;
		} else {
			rig_log_warn(cli->log, "%s", why->message);
			row[1] = row[2] = row[3] = "?";
		}
		rig_listing_add(listing, row);
	}
	rig_listing_print(listing);
	return 0;
}

int rig_kernel_recipes(RigCli *cli, const RigKernelOptions *options, int argc, char **words,
		       GError **error)
{
	g_autoptr(RigKernelRecipe) recipe = NULL;

	if (argc > 1)
		return rig_cli_usage(&rig_cmd_kernel, error, "recipes takes one NAME");
	if (!argc)
		return list_recipes(cli, error);
	recipe = load_recipe(cli, words[0], error);
	if (!recipe)
		return -1;
	print_recipe(recipe);
	return 0;
}
