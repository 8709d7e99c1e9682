/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * measure.c - carry out the plan of a session, alone on this host.
 */
#include "cli/measure.h"

#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "model/planstore.h"

/* The lock's own hint, and what this command offers. */
static void say_busy(const RigRunOptions *options, GError **error)
{
	GError *busy = NULL;

	g_prefix_error(error, "another measurement is under way on this host: ");
	if (!error || options->wait || !strstr((*error)->message, "\nhint: wait "))
		return;
	busy = g_error_new((*error)->domain, (*error)->code, "%s; or give --wait",
			   (*error)->message);
	g_clear_error(error);
	g_propagate_error(error, busy);
}

static RigLock *measurement_lock(RigCli *cli, const RigRunOptions *options, const char *what,
				 GError **error)
{
	g_autofree char *path = g_build_filename(cli->paths->state, "measure.lock", NULL);
	RigLock *lock;

	if (!rig_file_make_dirs(cli->paths->state, 0755, error))
		return NULL;
	if (options->wait)
		rig_log_status(cli->log, "waiting for the measurement lock");
	lock = rig_lock_take(path, what, options->wait ? -1 : 0, cli->cancellable, error);
	if (!lock)
		say_busy(options, error);
	return lock;
}

/* Under the lock, so that what is done cannot change any more. */
static gboolean begin(RigCli *cli, RigRunSession *session, GError **error)
{
	if (!rig_run_session_is_resumable(session))
		return TRUE;
	if (!rig_planstore_begin(cli->paths->state, session->file, error))
		return FALSE;
	g_free(session->done);
	session->done = rig_planstore_done(session->store, session->file, &session->n_done, error);
	if (!session->done)
		return FALSE;
	if (session->n_done)
		rig_log_info(cli->log, "plan %s: %u of %u runs are done", session->file->id,
			     session->n_done, session->plan->n_steps);
	return TRUE;
}

/* STOP with the command that carries on, unless it has a hint of its own. */
static void say_how_to_resume(const RigRunSession *session, guint n_new, const GError *stop,
			      GError **error)
{
	const char *command = session->file->aa ? "calibrate" : "run";
	gboolean left = session->n_done + n_new < session->plan->n_steps;

	if (session->guest && left && stop->code == RIG_ERROR_INTERRUPTED)
		rig_error_set_hint(error, RIG_ERROR_INTERRUPTED,
				   "a run in a guest that is up cannot be resumed: start it again",
				   "%.*s", (int)strcspn(stop->message, "\n"), stop->message);
	else if (!rig_run_session_is_resumable(session) || !left || strstr(stop->message, "hint: "))
		g_propagate_error(error, g_error_copy(stop));
	else
		g_set_error(error, stop->domain, stop->code,
			    "%s\nhint: rig %s --resume %s  carries on where it stopped",
			    stop->message, command, session->file->id);
}

gboolean rig_measure(RigCli *cli, RigRunSession *session, const RigRunOptions *options,
		     const char *what, GPtrArray **records, GError **error)
{
	g_autoptr(RigLock) lock = measurement_lock(cli, options, what, error);
	g_autoptr(GError) stop = NULL;

	*records = NULL;
	if (!lock || !begin(cli, session, error))
		return FALSE;
	if (session->done && session->n_done == session->plan->n_steps)
		*records = g_ptr_array_new_with_free_func((GDestroyNotify)rig_record_free);
	else
		*records = rig_run_session_execute(session, options, &stop);
	rig_log_status_clear(cli->log);
	if (!stop)
		return TRUE;
	say_how_to_resume(session, *records ? (*records)->len : 0, stop, error);
	return FALSE;
}

static gboolean check_kind(const RigPlanFile *file, gboolean aa, GError **error)
{
	g_autofree char *hint = NULL;

	if (file->aa == aa)
		return TRUE;
	hint = g_strdup_printf("rig %s --resume %s", file->aa ? "calibrate" : "run", file->id);
	rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "plan %s %s", file->id,
			   file->aa ? "sets a kernel against itself" : "is no A/A plan");
	return FALSE;
}

RigPlanFile *rig_measure_find_plan(RigCli *cli, const char *path, const char *id, guint blocks,
				   gboolean aa, GError **error)
{
	const char *state = cli->paths->state;
	g_autofree char *results = g_build_filename(state, "results", NULL);
	g_autoptr(RigPlanFile) file = NULL;

	if (path)
		file = rig_planfile_load(path, error);
	else if (id)
		file = rig_planstore_load(state, id, error);
	else
		file = rig_planstore_unfinished(state, results, aa, error);
	if (!file || !check_kind(file, aa, error))
		return NULL;
	if (blocks && !rig_planstore_extend(file, blocks, error))
		return NULL;
	return g_steal_pointer(&file);
}
