/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-session.c - from the words of `rig run` to an engine that is ready to go.
 *
 * Whatever can be refused is refused before the first guest boots: a wrong name, a value that does
 * not parse, a kernel without the options that the workload needs.
 */
#include "cli/run-session.h"

#include <string.h>

#include "base/file.h"
#include "cli/choose.h"
#include "cli/plan-make.h"
#include "model/planstore.h"
#include "model/readback.h"
#include "vm/rootfs.h"

#define DEFAULT_TOPOLOGY "2sp-icl"

void rig_run_session_free(RigRunSession *session)
{
	if (!session)
		return;
	g_clear_pointer(&session->workloads, g_ptr_array_unref);
	rig_planfile_free(session->file);
	g_free(session->done);
	g_strfreev(session->side_names);
	g_free(session->store);
	rig_topology_free(session->topology);
	rig_image_free(session->image);
	g_clear_pointer(&session->kernels, g_ptr_array_unref);
	g_clear_pointer(&session->bootsets, g_ptr_array_unref);
	g_free(session->sides);
	g_free(session->accel_reason);
	g_clear_pointer(&session->guest, rig_guest_close);
	g_free(session);
}

static RigWorkload *load_workload(RigCli *cli, const char *name, char **settings, const char *sweep,
				  const char *value, GError **error)
{
	g_autoptr(RigWorkload) workload = rig_choose_workload(cli, name, error);
	g_autofree char *assignment = sweep ? g_strdup_printf("%s=%s", sweep, value) : NULL;

	if (!workload)
		return NULL;
	for (char **setting = settings; setting && *setting; setting++)
		if (!rig_workload_set(workload, *setting, error))
			return NULL;
	if (assignment && !rig_workload_set(workload, assignment, error))
		return NULL;
	return g_steal_pointer(&workload);
}

/* One a value of the sweep, or one. */
static gboolean load_workloads(RigRunSession *session, const char *name,
			       const RigRunOptions *options, GError **error)
{
	RigPlanFile *file = session->file;
	guint n = file->sweep ? g_strv_length(file->values) : 1;

	for (guint i = 0; i < n; i++) {
		RigWorkload *workload =
			load_workload(session->cli, name, options->settings, file->sweep,
				      file->sweep ? file->values[i] : NULL, error);

		if (!workload)
			return FALSE;
		g_ptr_array_add(session->workloads, workload);
	}
	session->workload = session->workloads->pdata[0];
	return TRUE;
}

static gboolean load_kernel(RigRunSession *session, const char *name, GError **error)
{
	RigKernel *kernel = rig_choose_kernel(session->cli, name, error);
	g_autofree char *config = NULL;

	if (!kernel)
		return FALSE;
	g_ptr_array_add(session->kernels, kernel);
	config = rig_kernel_config(kernel);
	return rig_workload_check_kernel(session->workload, kernel->name, config, error);
}

/* The kernel of an A/A plan once more, as the other side. */
static gboolean load_same_again(RigRunSession *session, GError **error)
{
	const RigKernel *first = session->kernels->pdata[0];
	g_autofree char *name = g_strdup(first->name);

	if (!load_kernel(session, name, error))
		return FALSE;
	session->side_names = g_new0(char *, 3);
	session->side_names[0] = g_strconcat(name, ":a", NULL);
	session->side_names[1] = g_strconcat(name, ":b", NULL);
	return TRUE;
}

static gboolean load_sides(RigRunSession *session, const RigRunOptions *options, GError **error)
{
	static const char *const unnamed[] = {NULL};
	g_autoptr(GStrvBuilder) names = g_strv_builder_new();
	guint n = options->kernels ? g_strv_length(options->kernels) : 0;

	for (guint i = 0; i < MAX(n, 1); i++) {
		const char *name = n ? options->kernels[i] : unnamed[0];
		if (n && g_strv_contains((const char *const *)options->kernels + i + 1, name)) {
			rig_error_set_hint(error, RIG_ERROR_USAGE,
					   "rig run ... --kernel K --blocks N, or rig calibrate",
					   "--kernel %s is given twice", name);
			return FALSE;
		}
		if (!load_kernel(session, name, error))
			return FALSE;
		g_strv_builder_add(names, ((RigKernel *)session->kernels->pdata[i])->name);
	}
	if (options->aa)
		return load_same_again(session, error);
	session->side_names = g_strv_builder_end(names);
	return TRUE;
}

/* A program that the guest could not start is refused here, whether a guest boots or one is up.
 * IMAGE: what the guest is made from; NULL where the recipe is gone, then the guest has to tell. */
static gboolean check_program(const RigRunSession *session, const RigImage *image, GError **error)
{
	const RigWorkload *workload = session->workload;

	if (!workload->file)
		return TRUE;
	if (!g_file_test(workload->file, G_FILE_TEST_IS_REGULAR)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "program.file is meant from the folder of the workload's file",
				   "workload %s: there is no program %s", workload->name,
				   workload->file);
		return FALSE;
	}
	if (!image || rig_rootfs_check_program(workload->file, image, error))
		return TRUE;
	g_prefix_error(error, "workload %s: ", workload->name);
	return FALSE;
}

static gboolean prepare_fresh(RigRunSession *session, const RigRunOptions *options, GError **error)
{
	RigCli *cli = session->cli;
	const char *topology = options->topology ? options->topology : DEFAULT_TOPOLOGY;
	RigAccelWant want;

	session->topology = rig_choose_topology(cli, topology, error);
	if (!session->topology || !rig_guest_check_cmdline(options->cmdline, error))
		return FALSE;
	if (session->topology->n_cells < session->workload->needs_nodes) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig topology list",
				   "workload %s needs %u nodes, topology %s has %u",
				   session->workload->name, session->workload->needs_nodes,
				   session->topology->name, session->topology->n_cells);
		return FALSE;
	}
	session->image = rig_choose_image(cli, options->image, error);
	if (!session->image || !check_program(session, session->image, error) ||
	    !load_sides(session, options, error))
		return FALSE;
	if (!rig_shape_parse(&options->shape, &want, &session->fresh.placement, error))
		return FALSE;
	return rig_accel_choose(cli->paths, cli->log, want, session->kernels->pdata[0],
				cli->cancellable, &session->fresh.accel, &session->accel_reason,
				error);
}

/* The first option given that only a fresh boot can honour, NULL if none. */
static const char *asks_for_boot(const RigRunOptions *options)
{
	const RigShapeOptions *shape = &options->shape;
	const struct {
		gboolean given;
		const char *name;
	} all[] = {
		{options->topology != NULL, "--topology"},
		{options->kernels != NULL, "--kernel"},
		{options->image != NULL, "--image"},
		{options->cmdline != NULL, "--cmdline"},
		{options->diskless, "--diskless"},
		{options->dump, "--dump"},
		{shape->accel != NULL, "--accel"},
		{shape->cell_memory != NULL, "--cell-memory"},
		{shape->cell_cpus != 0, "--cell-cpus"},
		{shape->hugepages != NULL, "--hugepages"},
		{shape->exact_size, "--exact-size"},
		{shape->no_pin, "--no-pin"},
		{shape->overcommit, "--overcommit"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(all); i++)
		if (all[i].given)
			return all[i].name;
	return NULL;
}

static gboolean is_running(const RigGuestInfo *info)
{
	return !info->ephemeral &&
	       (g_str_equal(info->state, "running") || g_str_equal(info->state, "busy"));
}

/* The guest to run in: the one that --on names; the only one that is up, where nothing was said
 * that asks for a fresh boot; else none. A busy one counts: opening it tells who has it. */
static gboolean find_running(RigRunSession *session, const RigRunOptions *options, char **name,
			     GError **error)
{
	g_autoptr(GPtrArray) guests = NULL;
	const RigGuestInfo *only = NULL;

	*name = g_strdup(options->on);
	if (options->on || asks_for_boot(options))
		return TRUE;
	guests = rig_guest_list(&session->context, error);
	if (!guests)
		return FALSE;
	for (guint i = 0; i < guests->len; i++) {
		const RigGuestInfo *info = guests->pdata[i];
		if (!is_running(info))
			continue;
		if (only) {
			rig_error_set_hint(error, RIG_ERROR_USAGE,
					   "rig run ... --on NAME, or --topology for a fresh guest",
					   "more than one guest is up (%s, %s)", only->name,
					   info->name);
			return FALSE;
		}
		only = info;
	}
	*name = only ? g_strdup(only->name) : NULL;
	return TRUE;
}

static gboolean refuse_with_on(const RigRunOptions *options, GError **error)
{
	const char *given = asks_for_boot(options);

	if (!options->on || !given)
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE,
		      "--on runs in a guest that is up: %s cannot be given too", given);
	return FALSE;
}

/* What a fresh boot is checked for before it boots, for a guest that is up. */
static gboolean check_running(RigRunSession *session, GError **error)
{
	const RigReadback *readback = rig_guest_readback(session->guest);
	g_autoptr(GHashTable) facts = rig_guest_manifest(session->guest);
	g_autofree char *dir = rig_choose_kernels_dir(session->cli);
	const char *name = g_hash_table_lookup(facts, "kernel.name");
	const char *digest = g_hash_table_lookup(facts, "kernel.config_sha256");
	const char *recipe = g_hash_table_lookup(facts, "image.name");
	g_autoptr(RigKernel) kernel = name ? rig_kernel_load(dir, name, NULL) : NULL;
	g_autoptr(RigImage) image = recipe ? rig_choose_image(session->cli, recipe, NULL) : NULL;
	g_autofree char *config = NULL;

	if (!check_program(session, image, error))
		return FALSE;

	if (readback->nodes < session->workload->needs_nodes) {
		rig_error_set(error, RIG_ERROR_HOST, "workload %s needs %u nodes, guest %s has %u",
			      session->workload->name, session->workload->needs_nodes,
			      rig_guest_name(session->guest), readback->nodes);
		return FALSE;
	}
	/* The store may hold another kernel under that name by now. */
	if (!kernel || g_strcmp0(kernel->config_sha256, digest) != 0)
		return TRUE;
	config = rig_kernel_config(kernel);
	return rig_workload_check_kernel(session->workload, name, config, error);
}

static gboolean prepare_running(RigRunSession *session, const char *name, GError **error)
{
	session->guest = rig_guest_open(&session->context, name, error);
	if (!session->guest || !check_running(session, error))
		return FALSE;
	rig_log_info(session->cli->log, "running in guest %s", name);
	session->side_names = g_new0(char *, 2);
	session->side_names[0] = g_strdup(name);
	session->time_scale = rig_guest_time_scale(session->guest);
	return TRUE;
}

/* What the options say of the plan, before any file is read. */
static gboolean begin_plan(RigRunSession *session, const RigRunOptions *options, guint *blocks,
			   GError **error)
{
	RigPlanFile *file = session->file;

	file->looks = (guint)options->looks;
	file->aa = options->aa;
	return rig_run_options_check(options, error) &&
	       rig_run_options_blocks(options, blocks, error) &&
	       rig_run_options_method(options, *blocks, &file->paired, error) &&
	       rig_run_options_sweep(options, &file->sweep, &file->values, error) &&
	       rig_run_options_seed(options, &session->seed, error);
}

static gboolean prepare(RigRunSession *session, const char *workload, const RigRunOptions *options,
			GError **error)
{
	g_autofree char *running = NULL;
	guint blocks;

	if (!begin_plan(session, options, &blocks, error) || !refuse_with_on(options, error) ||
	    !load_workloads(session, workload, options, error) ||
	    !find_running(session, options, &running, error))
		return FALSE;
	if (running ? !prepare_running(session, running, error)
		    : !prepare_fresh(session, options, error))
		return FALSE;
	session->file->plan = rig_plan_make_sweep(g_strv_length(session->side_names), blocks,
						  session->workloads->len, session->seed);
	session->plan = session->file->plan;
	return rig_plan_describe(session, workload, options, error);
}

RigRunSession *rig_run_session_new(RigCli *cli, const char *workload, const RigRunOptions *options,
				   GError **error)
{
	g_autoptr(RigRunSession) session = g_new0(RigRunSession, 1);

	session->cli = cli;
	session->file = rig_planfile_new();
	session->workloads = g_ptr_array_new_with_free_func((GDestroyNotify)rig_workload_free);
	session->store = g_build_filename(cli->paths->state, "results", NULL);
	session->kernels = g_ptr_array_new_with_free_func((GDestroyNotify)rig_kernel_free);
	session->context = rig_cli_guest_context(cli);
	if (!rig_cli_limit_guest(&session->context, &options->limits, error) ||
	    !prepare(session, workload, options, error))
		return NULL;
	return g_steal_pointer(&session);
}

RigRunSession *rig_run_session_resume(RigCli *cli, RigPlanFile *file, RigRunOptions *options,
				      GError **error)
{
	g_autoptr(RigPlanFile) planned = file;
	g_autoptr(RigRunSession) session = NULL;

	rig_plan_to_options(planned, options);
	session = rig_run_session_new(cli, planned->workload.from, options, error);
	if (!session || !rig_plan_check(planned, session->file, error))
		return NULL;
	rig_planfile_free(session->file);
	session->file = g_steal_pointer(&planned);
	session->plan = session->file->plan;
	for (guint i = 0; i < session->file->sides->len; i++) {
		const RigPlanSide *side = session->file->sides->pdata[i];

		g_free(session->side_names[i]);
		session->side_names[i] = g_strdup(side->name);
	}
	session->done = rig_planstore_done(session->store, session->file, &session->n_done, error);
	return session->done ? g_steal_pointer(&session) : NULL;
}

char *rig_run_session_filed_as(const RigRunSession *session)
{
	return session->topology
		       ? rig_placement_filed_as(session->topology, &session->fresh.placement)
		       : NULL;
}

gboolean rig_run_session_is_resumable(const RigRunSession *session)
{
	return !session->guest && session->plan->n_steps > 1;
}
