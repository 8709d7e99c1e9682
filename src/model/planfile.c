/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planfile.c - a plan as a file, written; planfile-parse.c reads it.
 */
#include "model/planfile.h"

#include <string.h>

#include "base/error.h"

static char *new_id(void)
{
	g_autofree char *uuid = g_uuid_string_random();
	GString *id = g_string_new(NULL);

	for (const char *c = uuid; *c && id->len < 16; c++)
		if (*c != '-')
			g_string_append_c(id, *c);
	return g_string_free(id, FALSE);
}

static void side_free(gpointer data)
{
	RigPlanSide *side = data;

	g_free(side->name);
	g_free(side->kernel);
	g_free(side->boot_sha256);
	g_free(side->config_sha256);
	g_free(side->modules_sha256);
	g_free(side);
}

RigPlanFile *rig_planfile_new(void)
{
	RigPlanFile *file = g_new0(RigPlanFile, 1);

	file->id = new_id();
	file->created = g_get_real_time() / G_USEC_PER_SEC;
	file->settings = g_new0(char *, 1);
	file->sides = g_ptr_array_new_with_free_func(side_free);
	file->sample_ms = -1;
	return file;
}

static void input_clear(RigPlanInput *input)
{
	g_free(input->name);
	g_free(input->from);
	g_free(input->digest);
}

void rig_planfile_free(RigPlanFile *file)
{
	if (!file)
		return;
	g_free(file->id);
	input_clear(&file->workload);
	input_clear(&file->topology);
	input_clear(&file->image);
	g_free(file->program_sha256);
	g_strfreev(file->settings);
	g_free(file->sweep);
	g_strfreev(file->values);
	g_ptr_array_unref(file->sides);
	g_free(file->shape.accel);
	g_free(file->shape.cell_memory);
	g_free(file->shape.hugepages);
	g_free(file->shape.cmdline);
	rig_plan_free(file->plan);
	g_free(file);
}

void rig_planfile_add_side(RigPlanFile *file, const RigPlanSide *side)
{
	RigPlanSide *copy = g_new0(RigPlanSide, 1);

	copy->name = g_strdup(side->name);
	copy->kernel = g_strdup(side->kernel);
	copy->boot_sha256 = g_strdup(side->boot_sha256);
	copy->config_sha256 = g_strdup(side->config_sha256);
	copy->modules_sha256 = g_strdup(side->modules_sha256);
	g_ptr_array_add(file->sides, copy);
}

const char *rig_planfile_method(const RigPlanFile *file)
{
	return file->paired ? "paired" : "welch";
}

/* Writing. */

static void add_text(RigJsonWriter *writer, const char *key, const char *value)
{
	if (value)
		rig_json_add_string(writer, key, value);
}

static void write_input(RigJsonWriter *writer, const char *key, const RigPlanInput *input)
{
	rig_json_open_object(writer, key);
	rig_json_add_string(writer, "name", input->name);
	rig_json_add_string(writer, "from", input->from);
	rig_json_add_string(writer, "sha256", input->digest);
	rig_json_close_object(writer);
}

static void write_shape(RigJsonWriter *writer, const RigPlanShape *shape)
{
	rig_json_open_object(writer, "shape");
	add_text(writer, "accel", shape->accel);
	add_text(writer, "cell_memory", shape->cell_memory);
	if (shape->cell_cpus)
		rig_json_add_int(writer, "cell_cpus", shape->cell_cpus);
	add_text(writer, "hugepages", shape->hugepages);
	add_text(writer, "cmdline", shape->cmdline);
	rig_json_add_bool(writer, "exact_size", shape->exact_size);
	rig_json_add_bool(writer, "no_pin", shape->no_pin);
	rig_json_add_bool(writer, "overcommit", shape->overcommit);
	rig_json_add_bool(writer, "diskless", shape->diskless);
	rig_json_close_object(writer);
}

static void write_sides(RigJsonWriter *writer, const RigPlanFile *file)
{
	rig_json_open_array(writer, "sides");
	for (guint i = 0; i < file->sides->len; i++) {
		const RigPlanSide *side = g_ptr_array_index(file->sides, i);

		rig_json_open_object(writer, NULL);
		rig_json_add_string(writer, "name", side->name);
		rig_json_add_string(writer, "kernel", side->kernel);
		add_text(writer, "boot_sha256", side->boot_sha256);
		add_text(writer, "config_sha256", side->config_sha256);
		add_text(writer, "modules_sha256", side->modules_sha256);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

static void write_sweep(RigJsonWriter *writer, const RigPlanFile *file)
{
	if (!file->sweep)
		return;
	rig_json_open_object(writer, "sweep");
	rig_json_add_string(writer, "name", file->sweep);
	rig_json_add_strings(writer, "values", (const char *const *)file->values);
	rig_json_close_object(writer);
}

static void write_steps(RigJsonWriter *writer, const RigPlanFile *file)
{
	rig_json_open_array(writer, "steps");
	for (guint i = 0; i < file->plan->n_steps; i++) {
		const RigPlanStep *step = &file->plan->steps[i];
		const RigPlanSide *side = g_ptr_array_index(file->sides, step->side);

		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "block", step->block);
		rig_json_add_int(writer, "slot", step->slot);
		rig_json_add_string(writer, "side", side->name);
		if (file->sweep)
			rig_json_add_string(writer, "value", file->values[step->value]);
		rig_json_close_object(writer);
	}
	rig_json_close_array(writer);
}

char *rig_planfile_to_json(const RigPlanFile *file)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "format", "rig-plan");
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "id", file->id);
	rig_json_add_int(writer, "created", file->created);
	write_input(writer, "workload", &file->workload);
	add_text(writer, "program_sha256", file->program_sha256);
	rig_json_add_strings(writer, "settings", (const char *const *)file->settings);
	write_sweep(writer, file);
	write_sides(writer, file);
	write_input(writer, "topology", &file->topology);
	write_input(writer, "image", &file->image);
	write_shape(writer, &file->shape);
	rig_json_add_int(writer, "sample_ms", file->sample_ms);
	rig_json_add_string(writer, "method", rig_planfile_method(file));
	rig_json_add_int(writer, "looks", file->looks);
	rig_json_add_bool(writer, "aa", file->aa);
	rig_json_add_int(writer, "seed", (gint64)file->plan->seed);
	rig_json_add_int(writer, "blocks", file->plan->n_blocks);
	write_steps(writer, file);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}

gboolean rig_planfile_check_digest(const RigPlanFile *file, const char *what, const char *name,
				   const char *planned, const char *now, GError **error)
{
	if (g_strcmp0(planned, now) == 0)
		return TRUE;
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"runs of two different things are no sample: make a new plan with rig "
		"plan, or bring the old one back",
		"plan %s: %s %s is not what it was when the plan was made (sha256 %.12s, "
		"now %.12s)",
		file->id, what, name, planned ? planned : "none", now ? now : "none");
	return FALSE;
}
