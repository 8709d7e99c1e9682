/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelrecipe.c - reads kernels/NAME.json.
 */
#include "model/kernelrecipe.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

#define LIST_MAX 256

static void expect_free(gpointer data)
{
	RigKernelExpect *expect = data;

	g_free(expect->name);
	g_free(expect);
}

void rig_kernelrecipe_free(RigKernelRecipe *recipe)
{
	if (!recipe)
		return;
	g_free(recipe->name);
	g_free(recipe->path);
	g_free(recipe->text);
	g_free(recipe->report);
	g_free(recipe->source);
	g_free(recipe->rev);
	g_strfreev(recipe->patches);
	g_strfreev(recipe->reverts);
	g_free(recipe->config);
	g_strfreev(recipe->fragments);
	g_free(recipe->base);
	g_free(recipe->workload);
	g_clear_pointer(&recipe->expects, g_ptr_array_unref);
	g_free(recipe->classes);
	g_free(recipe->cannot);
	g_free(recipe);
}

static char *read_text(RigJson *root, const char *key, RigJsonFlags flags)
{
	const char *text = rig_json_string(root, key, flags);

	if (text && !*text)
		rig_json_fail(root, key, "is empty");
	return g_strdup(text);
}

static char **read_list(RigJson *root, const char *key)
{
	char **list = rig_json_strings(root, key, RIG_JSON_OPTIONAL);

	if (!list)
		return g_new0(char *, 1);
	if (g_strv_length(list) > LIST_MAX)
		rig_json_fail(root, key, "more than %d entries", LIST_MAX);
	for (guint i = 0; list[i]; i++)
		if (!*list[i])
			rig_json_fail(root, key, "an entry is empty");
	return list;
}

/* A recipe is copied together with its patches, so these are found from where it lies. */
static char *beside(const char *recipe, const char *file)
{
	g_autofree char *dir = g_path_get_dirname(recipe);

	return g_path_is_absolute(file) ? g_strdup(file) : g_build_filename(dir, file, NULL);
}

static char **read_files(RigJson *root, const char *key, const char *path)
{
	char **files = read_list(root, key);

	for (guint i = 0; files[i]; i++) {
		char *full = beside(path, files[i]);

		g_free(files[i]);
		files[i] = full;
	}
	return files;
}

static char *read_config(RigJson *root, const char *path)
{
	const char *config = rig_json_string(root, "config", RIG_JSON_OPTIONAL);

	if (!config || !strcmp(config, "tiny") || !strcmp(config, "defconfig"))
		return g_strdup(config ? config : "tiny");
	return beside(path, config);
}

static void read_expects(RigJson *array, GPtrArray *expects)
{
	static const char *const words[] = {"higher", "lower", "neither", NULL};

	for (guint i = 0; array && i < rig_json_length(array) && rig_json_ok(array); i++) {
		RigJson *object = rig_json_at(array, i);
		RigKernelExpect *expect = g_new0(RigKernelExpect, 1);

		expect->name = read_text(object, "name", RIG_JSON_REQUIRED);
		expect->direction =
			rig_json_choice(object, "direction", RIG_JSON_REQUIRED, words, 2);
		g_ptr_array_add(expects, expect);
	}
}

static char *read_classes(RigJson *root)
{
	const char *classes = rig_json_string(root, "classes", RIG_JSON_OPTIONAL);

	if (classes && (!*classes || strspn(classes, "ABC") != strlen(classes)))
		rig_json_fail(root, "classes", "\"%s\" is not made of A, B and C", classes);
	return g_strdup(classes ? classes : "ABC");
}

static RigKernelRecipe *read_recipe(RigJson *root, const char *path)
{
	RigKernelRecipe *recipe = g_new0(RigKernelRecipe, 1);

	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	recipe->path = g_strdup(path);
	recipe->name = read_text(root, "name", RIG_JSON_REQUIRED);
	recipe->text = read_text(root, "text", RIG_JSON_REQUIRED);
	recipe->report = read_text(root, "report", RIG_JSON_OPTIONAL);
	recipe->source = read_text(root, "source", RIG_JSON_REQUIRED);
	recipe->rev = read_text(root, "rev", RIG_JSON_OPTIONAL);
	recipe->patches = read_files(root, "patches", path);
	recipe->reverts = read_list(root, "reverts");
	recipe->config = read_config(root, path);
	recipe->fragments = read_files(root, "fragments", path);
	recipe->base = read_text(root, "base", RIG_JSON_OPTIONAL);
	recipe->workload = read_text(root, "workload", RIG_JSON_OPTIONAL);
	recipe->expects = g_ptr_array_new_with_free_func(expect_free);
	read_expects(rig_json_array(root, "counters", RIG_JSON_OPTIONAL), recipe->expects);
	recipe->classes = read_classes(root);
	recipe->cannot = read_text(root, "cannot", RIG_JSON_OPTIONAL);
	return recipe;
}

/* The file's name is what a user says, so the name inside must be the same. */
static void check_name(RigJson *root, const RigKernelRecipe *recipe, const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *expected = recipe->name ? g_strconcat(recipe->name, ".json", NULL) : NULL;

	if (expected && strcmp(base, expected))
		rig_json_fail(root, "name", "\"%s\" is not the file's name", recipe->name);
}

RigKernelRecipe *rig_kernelrecipe_load(const char *path, GError **error)
{
	g_autoptr(RigJson) root = rig_json_load(path, 0, error);
	g_autoptr(RigKernelRecipe) recipe = NULL;

	if (!root)
		return NULL;
	recipe = read_recipe(root, path);
	check_name(root, recipe, path);
	if (!rig_json_finish(root, error) ||
	    !rig_file_check_name("kernel recipe", recipe->name, error))
		return NULL;
	return g_steal_pointer(&recipe);
}

gboolean rig_kernelrecipe_fits(const RigKernelRecipe *recipe, char class)
{
	return strchr(recipe->classes, class) != NULL;
}
