/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-execute.c - a session that is ready meets its guests: boot sets, what each record is told,
 * the engine.
 */
#include "cli/run-session.h"
#include "model/readback.h"

/* Where emulation makes everything slower than a deadline made for real machines. */
#define TCG_TIME_SCALE 4.0

/* One launch of the appliance at the most for all sides. */
static gboolean get_bootsets(RigRunSession *session, const RigRunOptions *options, GError **error)
{
	RigBootsetContext context = {
		.paths = session->cli->paths,
		.log = session->cli->log,
		.cancellable = session->cli->cancellable,
	};
	const char *programs[] = {session->workload->file, NULL};
	guint n_sides = session->plan->n_sides;
	guint n = options->aa ? 1 : n_sides; /* the sides of an A/A plan share theirs */
	g_autofree RigBootsetSpec *specs = g_new0(RigBootsetSpec, n);

	for (guint i = 0; i < n; i++)
		specs[i] = (RigBootsetSpec){
			.kernel = session->kernels->pdata[i],
			.image = session->image,
			.programs = session->workload->file ? programs : NULL,
			.diskless = options->diskless,
		};
	session->bootsets = rig_bootset_get(&context, specs, n, error);
	if (!session->bootsets)
		return FALSE;
	session->sides = g_new0(RigGuestSide, n_sides);
	for (guint i = 0; i < n_sides; i++)
		session->sides[i] = (RigGuestSide){session->kernels->pdata[i], session->image,
						   session->bootsets->pdata[MIN(i, n - 1)]};
	return TRUE;
}

static void describe_fresh(RigRecord *record, const RigPlanStep *step, gpointer data)
{
	const RigRunSession *session = data;
	const RigKernel *kernel = session->kernels->pdata[step->side];

	/* Until its guest is up and tells more: a failed boot keeps this. */
	record->class = session->fresh.accel == RIG_ACCEL_TCG ? 'C' : 'B';
	record->topology = rig_run_session_filed_as(session);
	record->image = g_strdup(session->image->name);
	/* A kernel's name has no colon: nothing that asks for the kernel gets these. */
	record->kernel = g_strconcat(kernel->name, session->file->aa ? ":aa" : NULL, NULL);
	record->compiler = g_strdup(kernel->compiler);
	record->kconfig = rig_kernel_kconfig_name(kernel);
	rig_record_manifest(record, "boot.fresh", "yes");
	rig_record_manifest(record, "boot.diskless", session->fresh.diskless ? "yes" : "no");
	if (session->fresh.cmdline)
		rig_record_manifest(record, "boot.cmdline", session->fresh.cmdline);
	rig_record_manifest(record, "accel.reason", session->accel_reason);
}

static char *fact(GHashTable *facts, const char *key, const char *fallback)
{
	const char *value = g_hash_table_lookup(facts, key);

	return g_strdup(value && *value ? value : fallback);
}

static void describe_running(RigRecord *record, const RigPlanStep *step, gpointer data)
{
	const RigRunSession *session = data;
	g_autoptr(GHashTable) facts = rig_guest_manifest(session->guest);

	record->topology = fact(facts, "topology.filed_as", "unknown");
	record->image = fact(facts, "image.name", "unknown");
	record->kernel = fact(facts, "kernel.name", "unknown");
	record->compiler = fact(facts, "kernel.compiler", "unknown");
	record->kconfig = fact(facts, "kernel.kconfig", "unknown");
	g_free(record->side);
	record->side = g_strdup(record->kernel);
	rig_record_manifest(record, "boot.fresh", "no");
}

/* A user's own binary has to be in a guest that was booted without it. */
static gboolean inject_running(RigRunSession *session, GError **error)
{
	g_autofree char *base = NULL;
	g_autofree char *path = NULL;

	if (!session->workload->file)
		return TRUE;
	base = g_path_get_basename(session->workload->file);
	path = g_build_filename("/rig/bin", base, NULL);
	return rig_guest_put(session->guest, session->workload->file, path, error);
}

static gboolean ready(RigRunSession *session, const RigRunOptions *options, GError **error)
{
	if (session->guest)
		return inject_running(session, error);
	if (!get_bootsets(session, options, error))
		return FALSE;
	session->fresh.context = &session->context;
	session->fresh.sides = session->sides;
	session->fresh.topology = session->topology;
	session->fresh.accel_reason = session->accel_reason;
	session->fresh.cmdline = options->cmdline;
	session->fresh.diskless = options->diskless;
	session->fresh.dump = options->dump;
	session->time_scale = session->fresh.accel == RIG_ACCEL_TCG ? TCG_TIME_SCALE : 1;
	return TRUE;
}

GPtrArray *rig_run_session_execute(RigRunSession *session, const RigRunOptions *options,
				   GError **error)
{
	RigEngine engine = {
		.plan = session->plan,
		.file = session->file,
		.done = session->done,
		.workload = session->workload,
		.by_value = (const RigWorkload *const *)session->workloads->pdata,
		.sides = (const char *const *)session->side_names,
		.seed = session->seed,
		.sample_ms = options->no_samples  ? 0
			     : options->sample_ms ? options->sample_ms
						  : -1,
		.readback = options->diskless ? rig_readback_paths() : NULL,
		.store = session->store,
		.ops = session->guest ? &rig_ops_running : &rig_ops_fresh,
		.ops_data = session->guest ? (gpointer)session->guest : (gpointer)&session->fresh,
		.describe = session->guest ? describe_running : describe_fresh,
		.describe_data = session,
		.log = session->cli->log,
		.cancellable = session->cli->cancellable,
	};

	if (!ready(session, options, error))
		return NULL;
	engine.time_scale = session->time_scale;
	return rig_engine_run(&engine, error);
}
