/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * planfile-parse.c - reads a plan's file, and believes none of it before it is checked.
 */
#include "model/planfile.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define FILE_MAX (16 * 1024 * 1024)

static char *text_of(RigJson *object, const char *key, RigJsonFlags flags)
{
	return g_strdup(rig_json_string(object, key, flags));
}

static gboolean is_hex(const char *text, gsize length)
{
	return text && strlen(text) == length && strspn(text, "0123456789abcdef") == length;
}

static char *digest_of(RigJson *object, const char *key, RigJsonFlags flags)
{
	char *text = text_of(object, key, flags);

	if (text && !is_hex(text, 64))
		rig_json_fail(object, key, "\"%s\" is no SHA-256", text);
	return text;
}

static void read_input(RigJson *root, const char *key, RigPlanInput *input)
{
	RigJson *object = rig_json_object(root, key, RIG_JSON_REQUIRED);

	input->name = text_of(object, "name", RIG_JSON_REQUIRED);
	input->from = text_of(object, "from", RIG_JSON_REQUIRED);
	input->digest = digest_of(object, "sha256", RIG_JSON_REQUIRED);
}

static void read_shape(RigJson *root, RigPlanShape *shape)
{
	RigJson *object = rig_json_object(root, "shape", RIG_JSON_REQUIRED);

	shape->accel = text_of(object, "accel", RIG_JSON_OPTIONAL);
	shape->cell_memory = text_of(object, "cell_memory", RIG_JSON_OPTIONAL);
	shape->hugepages = text_of(object, "hugepages", RIG_JSON_OPTIONAL);
	shape->cmdline = text_of(object, "cmdline", RIG_JSON_OPTIONAL);
	shape->cell_cpus = rig_json_int(object, "cell_cpus", RIG_JSON_OPTIONAL, 1, 4096, 0);
	shape->exact_size = rig_json_bool(object, "exact_size", RIG_JSON_OPTIONAL, FALSE);
	shape->no_pin = rig_json_bool(object, "no_pin", RIG_JSON_OPTIONAL, FALSE);
	shape->overcommit = rig_json_bool(object, "overcommit", RIG_JSON_OPTIONAL, FALSE);
	shape->diskless = rig_json_bool(object, "diskless", RIG_JSON_OPTIONAL, FALSE);
}

static guint find_side(const RigPlanFile *file, const char *name)
{
	guint i = 0;

	while (i < file->sides->len &&
	       g_strcmp0(((RigPlanSide *)g_ptr_array_index(file->sides, i))->name, name) != 0)
		i++;
	return i;
}

static void read_sides(RigJson *root, RigPlanFile *file)
{
	RigJson *list = rig_json_array(root, "sides", RIG_JSON_REQUIRED);
	guint n = rig_json_length(list);

	if (n == 0 || n > RIG_PLAN_SIDES_MAX)
		rig_json_fail(root, "sides", "%u sides: there are 1 to %d", n, RIG_PLAN_SIDES_MAX);
	for (guint i = 0; i < n && i < RIG_PLAN_SIDES_MAX; i++) {
		RigJson *object = rig_json_at(list, i);
		RigPlanSide *side = g_new0(RigPlanSide, 1);

		side->name = text_of(object, "name", RIG_JSON_REQUIRED);
		side->kernel = text_of(object, "kernel", RIG_JSON_REQUIRED);
		side->boot_sha256 = digest_of(object, "boot_sha256", RIG_JSON_OPTIONAL);
		side->config_sha256 = digest_of(object, "config_sha256", RIG_JSON_OPTIONAL);
		side->modules_sha256 = digest_of(object, "modules_sha256", RIG_JSON_OPTIONAL);
		if (find_side(file, side->name) < file->sides->len)
			rig_json_fail(object, "name", "two sides are called \"%s\"", side->name);
		g_ptr_array_add(file->sides, side);
	}
	if (file->aa && n != 2)
		rig_json_fail(root, "sides", "%u sides: an A/A plan has two", n);
}

static void read_sweep(RigJson *root, RigPlanFile *file)
{
	RigJson *object = rig_json_object(root, "sweep", RIG_JSON_OPTIONAL);
	guint n;

	if (!object)
		return;
	file->sweep = text_of(object, "name", RIG_JSON_REQUIRED);
	file->values = rig_json_strings(object, "values", RIG_JSON_REQUIRED);
	n = file->values ? g_strv_length(file->values) : 0;
	if (n == 0 || n > RIG_PLAN_VALUES_MAX)
		rig_json_fail(object, "values", "%u values: there are 1 to %d", n,
			      RIG_PLAN_VALUES_MAX);
	for (guint i = 0; i < n; i++) {
		if (!*file->values[i] || strchr(file->values[i], ','))
			rig_json_fail(object, "values", "\"%s\" is empty or has a comma",
				      file->values[i]);
		if (g_strv_contains((const char *const *)file->values + i + 1, file->values[i]))
			rig_json_fail(object, "values", "\"%s\" is there twice", file->values[i]);
	}
	if (file->sweep && (!*file->sweep || strchr(file->sweep, '=')))
		rig_json_fail(object, "name", "\"%s\" is empty or has a '='", file->sweep);
}

static guint find_value(const RigPlanFile *file, RigJson *object)
{
	const char *value;
	guint i = 0;

	if (!file->values)
		return 0;
	value = rig_json_string(object, "value", RIG_JSON_REQUIRED);
	while (file->values[i] && g_strcmp0(file->values[i], value) != 0)
		i++;
	if (!file->values[i])
		rig_json_fail(object, "value", "\"%s\" is none of the sweep's values",
			      value ? value : "");
	return i;
}

static void read_step(const RigPlanFile *file, RigJson *object, RigPlanStep *step)
{
	const RigPlan *plan = file->plan;
	const char *side = rig_json_string(object, "side", RIG_JSON_REQUIRED);

	step->block =
		(guint)rig_json_int(object, "block", RIG_JSON_REQUIRED, 0, plan->n_blocks - 1, 0);
	step->slot =
		(guint)rig_json_int(object, "slot", RIG_JSON_REQUIRED, 0, plan->n_sides - 1, 0);
	step->side = find_side(file, side);
	step->value = find_value(file, object);
	if (step->side >= plan->n_sides)
		rig_json_fail(object, "side", "there is no side \"%s\"", side ? side : "");
}

/* Marks the place of a step; a second one there is an error. */
static void take_place(GHashTable *seen, RigJson *object, const char *what, guint value,
		       guint block, guint at)
{
	if (!g_hash_table_add(seen, g_strdup_printf("%s %u.%u.%u", what, value, block, at)))
		rig_json_fail(object, NULL, "block %u has this %s twice", block, what);
}

static void read_steps(RigJson *root, RigPlanFile *file)
{
	RigJson *list = rig_json_array(root, "steps", RIG_JSON_REQUIRED);
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	RigPlan *plan = file->plan;

	plan->n_steps = plan->n_sides * plan->n_blocks * plan->n_values;
	if (rig_json_length(list) != plan->n_steps) {
		rig_json_fail(root, "steps", "%u steps, but every side once in every block are %u",
			      rig_json_length(list), plan->n_steps);
		return;
	}
	plan->steps = g_new0(RigPlanStep, MAX(plan->n_steps, 1));
	for (guint i = 0; i < plan->n_steps && rig_json_ok(root); i++) {
		RigJson *object = rig_json_at(list, i);
		RigPlanStep *step = &plan->steps[i];

		read_step(file, object, step);
		step->order = i;
		take_place(seen, object, "side", step->value, step->block, step->side);
		take_place(seen, object, "slot", step->value, step->block, step->slot);
	}
}

static void read_plan(RigJson *root, RigPlanFile *file)
{
	file->plan = g_new0(RigPlan, 1);
	file->plan->seed =
		(guint64)rig_json_int(root, "seed", RIG_JSON_REQUIRED, 0, G_MAXUINT32, 0);
	file->plan->n_sides = file->sides->len;
	file->plan->n_values = file->values ? g_strv_length(file->values) : 1;
	file->plan->n_blocks =
		(guint)rig_json_int(root, "blocks", RIG_JSON_REQUIRED, 1, RIG_PLAN_BLOCKS_MAX, 1);
	if (rig_json_ok(root))
		read_steps(root, file);
}

static void read_head(RigJson *root, RigPlanFile *file)
{
	static const char *const formats[] = {"rig-plan", NULL};
	static const char *const methods[] = {"welch", "paired", NULL};

	rig_json_choice(root, "format", RIG_JSON_REQUIRED, formats, 0);
	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	g_free(file->id);
	file->id = text_of(root, "id", RIG_JSON_REQUIRED);
	if (file->id && !is_hex(file->id, 16))
		rig_json_fail(root, "id", "not 16 hex digits");
	file->created = rig_json_int(root, "created", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	file->program_sha256 = digest_of(root, "program_sha256", RIG_JSON_OPTIONAL);
	file->sample_ms = rig_json_int(root, "sample_ms", RIG_JSON_REQUIRED, -1, G_MAXINT, -1);
	file->paired = rig_json_choice(root, "method", RIG_JSON_REQUIRED, methods, 0) == 1;
	file->looks = (guint)rig_json_int(root, "looks", RIG_JSON_OPTIONAL, 0, 100, 0);
	file->aa = rig_json_bool(root, "aa", RIG_JSON_OPTIONAL, FALSE);
}

RigPlanFile *rig_planfile_parse(const char *name, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(name, text, -1, error);
	g_autoptr(RigPlanFile) file = rig_planfile_new();

	if (!root)
		return NULL;
	read_head(root, file);
	read_input(root, "workload", &file->workload);
	read_input(root, "topology", &file->topology);
	read_input(root, "image", &file->image);
	read_shape(root, &file->shape);
	g_strfreev(file->settings);
	file->settings = rig_json_strings(root, "settings", RIG_JSON_REQUIRED);
	read_sides(root, file);
	read_sweep(root, file);
	read_plan(root, file);
	return rig_json_finish(root, error) ? g_steal_pointer(&file) : NULL;
}

RigPlanFile *rig_planfile_load(const char *path, GError **error)
{
	g_autofree char *text = rig_file_read(path, FILE_MAX, NULL, error);

	return text ? rig_planfile_parse(path, text, error) : NULL;
}
