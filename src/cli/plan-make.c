/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan-make.c - between what a run was asked for and the file of its plan.
 */
#include "cli/plan-make.h"

#include <string.h>

#include "base/file.h"

/* A file is found again from any folder. */
static char *found_again(const char *name)
{
	return strchr(name, '/') || g_str_has_suffix(name, ".json")
		       ? g_canonicalize_filename(name, NULL)
		       : g_strdup(name);
}

static gboolean describe_workload(RigRunSession *session, const char *name, GError **error)
{
	RigPlanFile *file = session->file;
	const RigWorkload *workload = session->workload;

	file->workload.name = g_strdup(workload->name);
	file->workload.from = found_again(name);
	file->workload.digest = rig_file_sha256(workload->path, error);
	if (!file->workload.digest)
		return FALSE;
	if (workload->file)
		file->program_sha256 = rig_file_sha256(workload->file, error);
	return !workload->file || file->program_sha256;
}

static void describe_sides(RigRunSession *session)
{
	for (guint i = 0; i < session->kernels->len; i++) {
		RigKernel *kernel = session->kernels->pdata[i];
		RigPlanSide side = {
			.name = session->side_names[i],
			.kernel = kernel->name,
			.boot_sha256 = kernel->boot_sha256,
			.config_sha256 = kernel->config_sha256,
			.modules_sha256 = kernel->modules_sha256,
		};

		rig_planfile_add_side(session->file, &side);
	}
}

static void describe_shape(RigPlanShape *shape, const RigRunOptions *options)
{
	const RigShapeOptions *given = &options->shape;

	*shape = (RigPlanShape){
		.accel = g_strdup(given->accel),
		.cell_memory = g_strdup(given->cell_memory),
		.hugepages = g_strdup(given->hugepages),
		.cmdline = g_strdup(options->cmdline),
		.cell_cpus = given->cell_cpus,
		.exact_size = given->exact_size,
		.no_pin = given->no_pin,
		.overcommit = given->overcommit,
		.diskless = options->diskless,
	};
}

gboolean rig_plan_describe(RigRunSession *session, const char *workload,
			   const RigRunOptions *options, GError **error)
{
	RigPlanFile *file = session->file;

	if (options->settings) {
		g_strfreev(file->settings);
		file->settings = g_strdupv(options->settings);
	}
	file->sample_ms = options->no_samples ? 0 : options->sample_ms ? options->sample_ms : -1;
	if (!describe_workload(session, workload, error))
		return FALSE;
	/* A guest that is up is not booted again: there is nothing to be resumed. */
	if (session->guest)
		return TRUE;
	describe_sides(session);
	describe_shape(&file->shape, options);
	file->topology.name = g_strdup(session->topology->name);
	file->topology.from =
		found_again(options->topology ? options->topology : session->topology->name);
	file->topology.digest = rig_topology_digest(session->topology);
	file->image.name = g_strdup(session->image->name);
	file->image.from = found_again(options->image ? options->image : session->image->name);
	file->image.digest = rig_file_sha256(session->image->path, error);
	return file->image.digest != NULL;
}

static void set_text(char **field, const char *value)
{
	g_free(*field);
	*field = g_strdup(value);
}

static void set_kernels(const RigPlanFile *file, RigRunOptions *options)
{
	guint n = file->aa ? 1 : file->sides->len;

	g_strfreev(options->kernels);
	options->kernels = g_new0(char *, n + 1);
	for (guint i = 0; i < n; i++)
		options->kernels[i] =
			g_strdup(((RigPlanSide *)g_ptr_array_index(file->sides, i))->kernel);
}

static void set_shape(const RigPlanShape *shape, RigRunOptions *options)
{
	set_text(&options->shape.accel, shape->accel);
	set_text(&options->shape.cell_memory, shape->cell_memory);
	set_text(&options->shape.hugepages, shape->hugepages);
	set_text(&options->cmdline, shape->cmdline);
	options->shape.cell_cpus = (int)shape->cell_cpus;
	options->shape.exact_size = shape->exact_size;
	options->shape.no_pin = shape->no_pin;
	options->shape.overcommit = shape->overcommit;
	options->diskless = shape->diskless;
}

static void set_sweep(const RigPlanFile *file, RigRunOptions *options)
{
	g_autofree char *values = file->sweep ? g_strjoinv(",", file->values) : NULL;

	g_clear_pointer(&options->tasks, g_free);
	g_free(options->sweep);
	options->sweep = file->sweep ? g_strconcat(file->sweep, "=", values, NULL) : NULL;
}

void rig_plan_to_options(const RigPlanFile *file, RigRunOptions *options)
{
	g_autofree char *seed = g_strdup_printf("%" G_GUINT64_FORMAT, file->plan->seed);

	set_text(&options->on, NULL);
	set_text(&options->topology, file->topology.from);
	set_text(&options->image, file->image.from);
	set_text(&options->seed, seed);
	set_text(&options->method, rig_planfile_method(file));
	set_kernels(file, options);
	g_strfreev(options->settings);
	options->settings = g_strdupv(file->settings);
	set_shape(&file->shape, options);
	set_sweep(file, options);
	options->blocks = (int)file->plan->n_blocks;
	options->repeat = 0;
	options->looks = (int)file->looks;
	options->no_samples = file->sample_ms == 0;
	options->sample_ms = (int)MAX(file->sample_ms, 0);
	options->aa = file->aa;
}

static gboolean check_input(const RigPlanFile *planned, const char *what,
			    const RigPlanInput *before, const RigPlanInput *now, GError **error)
{
	return rig_planfile_check_digest(planned, what, before->name, before->digest, now->digest,
					 error);
}

static gboolean check_side(const RigPlanFile *planned, const RigPlanSide *before,
			   const RigPlanSide *now, GError **error)
{
	return rig_planfile_check_digest(planned, "kernel", before->kernel, before->boot_sha256,
					 now->boot_sha256, error) &&
	       rig_planfile_check_digest(planned, "the config of kernel", before->kernel,
					 before->config_sha256, now->config_sha256, error) &&
	       rig_planfile_check_digest(planned, "the modules of kernel", before->kernel,
					 before->modules_sha256, now->modules_sha256, error);
}

static gboolean check_sides(const RigPlanFile *planned, const RigPlanFile *now, GError **error)
{
	if (planned->sides->len != now->sides->len ||
	    planned->plan->n_values != now->plan->n_values) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "plan %s: %u sides and %u values, but they make %u and %u",
			      planned->id, planned->sides->len, planned->plan->n_values,
			      now->sides->len, now->plan->n_values);
		return FALSE;
	}
	for (guint i = 0; i < planned->sides->len; i++)
		if (!check_side(planned, planned->sides->pdata[i], now->sides->pdata[i], error))
			return FALSE;
	return TRUE;
}

gboolean rig_plan_check(const RigPlanFile *planned, const RigPlanFile *now, GError **error)
{
	return check_input(planned, "workload", &planned->workload, &now->workload, error) &&
	       rig_planfile_check_digest(planned, "the program of workload", planned->workload.name,
					 planned->program_sha256, now->program_sha256, error) &&
	       check_input(planned, "topology", &planned->topology, &now->topology, error) &&
	       check_input(planned, "image", &planned->image, &now->image, error) &&
	       check_sides(planned, now, error);
}
