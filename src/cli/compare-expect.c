/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare-expect.c - finds the recipes of the kernels that are compared.
 */
#include "cli/compare-expect.h"

#include "base/file.h"

static RigKernelRecipe *find_recipe(const RigCli *cli, const char *name)
{
	g_autoptr(GError) reason = NULL;
	g_autofree char *path = NULL;
	RigKernelRecipe *recipe;

	/* From a record: it names a recipe and no file. */
	if (!name || !rig_file_check_name("kernel recipe", name, NULL))
		return NULL;
	path = rig_paths_find(cli->paths, "kernels", "kernel recipe", name, NULL);
	if (!path)
		return NULL;
	recipe = rig_kernelrecipe_load(path, &reason);
	if (!recipe)
		rig_log_warn(cli->log, "%s", reason->message);
	return recipe;
}

/* Of the runs that came up: one that did not boot does not know its kernel. */
static const char *recipe_of(const RigSide *side)
{
	const char *common = NULL;

	for (guint i = 0; i < side->runs->len; i++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, i);
		const char *value = g_hash_table_lookup(run->manifest, "kernel.recipe");

		if (value && common && !g_str_equal(value, common))
			return NULL;
		common = value ? value : common;
	}
	return common;
}

void rig_compare_expect(const RigCli *cli, const RigSides *sides, RigJudgement *judgement)
{
	const char *base = recipe_of(rig_sides_at(sides, 0));

	for (guint head = 1; head < sides->sides->len; head++) {
		g_autoptr(RigKernelRecipe) recipe =
			find_recipe(cli, recipe_of(rig_sides_at(sides, head)));

		if (recipe && g_strcmp0(recipe->base, base) == 0)
			rig_judgement_expect(judgement, head, recipe);
	}
}
