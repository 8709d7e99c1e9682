/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelbuild.c - how a kernel that rig built was made, to and from its kernel.json.
 */
#include "model/kernelbuild.h"

static void patch_free(gpointer data)
{
	RigKernelPatch *patch = data;

	g_free(patch->name);
	g_free(patch->sha256);
	g_free(patch);
}

RigKernelBuild *rig_kernelbuild_new(void)
{
	RigKernelBuild *build = g_new0(RigKernelBuild, 1);

	build->patches = g_ptr_array_new_with_free_func(patch_free);
	return build;
}

void rig_kernelbuild_free(RigKernelBuild *build)
{
	if (!build)
		return;
	g_free(build->key);
	g_free(build->source);
	g_free(build->revision);
	g_ptr_array_unref(build->patches);
	g_free(build->config);
	g_strfreev(build->fragments);
	g_free(build->recipe);
	g_free(build);
}

void rig_kernelbuild_add_patch(RigKernelBuild *build, const char *name, const char *sha256)
{
	RigKernelPatch *patch = g_new0(RigKernelPatch, 1);

	patch->name = g_strdup(name);
	patch->sha256 = g_strdup(sha256);
	g_ptr_array_add(build->patches, patch);
}

RigKernelBuild *rig_kernelbuild_copy(const RigKernelBuild *build)
{
	RigKernelBuild *copy;

	if (!build)
		return NULL;
	copy = rig_kernelbuild_new();
	copy->key = g_strdup(build->key);
	copy->source = g_strdup(build->source);
	copy->revision = g_strdup(build->revision);
	copy->config = g_strdup(build->config);
	copy->fragments = g_strdupv(build->fragments);
	copy->recipe = g_strdup(build->recipe);
	copy->debug = build->debug;
	for (guint i = 0; i < build->patches->len; i++) {
		const RigKernelPatch *patch = build->patches->pdata[i];

		rig_kernelbuild_add_patch(copy, patch->name, patch->sha256);
	}
	return copy;
}

RigKernelBuild *rig_kernelbuild_from_json(RigJson *object)
{
	RigKernelBuild *build;
	RigJson *patches;

	if (!object)
		return NULL;
	build = rig_kernelbuild_new();
	build->key = g_strdup(rig_json_string(object, "key", RIG_JSON_REQUIRED));
	build->source = g_strdup(rig_json_string(object, "source", RIG_JSON_REQUIRED));
	build->revision = g_strdup(rig_json_string(object, "revision", RIG_JSON_OPTIONAL));
	build->config = g_strdup(rig_json_string(object, "config", RIG_JSON_REQUIRED));
	build->fragments = rig_json_strings(object, "fragments", RIG_JSON_REQUIRED);
	build->recipe = g_strdup(rig_json_string(object, "recipe", RIG_JSON_OPTIONAL));
	build->debug = rig_json_bool(object, "debug", RIG_JSON_REQUIRED, FALSE);
	patches = rig_json_array(object, "patches", RIG_JSON_REQUIRED);
	for (guint i = 0; patches && i < rig_json_length(patches) && rig_json_ok(patches); i++) {
		RigJson *patch = rig_json_at(patches, i);

		rig_kernelbuild_add_patch(build, rig_json_string(patch, "name", RIG_JSON_REQUIRED),
					  rig_json_string(patch, "sha256", RIG_JSON_REQUIRED));
	}
	return build;
}

void rig_kernelbuild_to_json(const RigKernelBuild *build, RigJsonWriter *writer, const char *key)
{
	rig_json_open_object(writer, key);
	rig_json_add_string(writer, "key", build->key);
	rig_json_add_string(writer, "source", build->source);
	if (build->revision)
		rig_json_add_string(writer, "revision", build->revision);
	rig_json_add_string(writer, "config", build->config);
	rig_json_add_strings(writer, "fragments", (const char *const *)build->fragments);
	if (build->recipe)
		rig_json_add_string(writer, "recipe", build->recipe);
	rig_json_add_bool(writer, "debug", build->debug);
	rig_json_open_array(writer, "patches");
	for (guint i = 0; i < build->patches->len; i++) {
		const RigKernelPatch *patch = build->patches->pdata[i];

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", patch->name);
		rig_json_add_string(writer, "sha256", patch->sha256);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
	rig_json_close_object(writer);
}
