/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guestops.c - the engine's table of operations filled with real guests.
 */
#include "run/guestops.h"

#include <unistd.h>

/* One name a process and step: two rigs at once do not meet, and `rig ps` tells whose guest it is.
 */
static char *guest_name(const RigOpsRequest *request)
{
	return g_strdup_printf("run-%d-%u", (int)getpid(), request->order + 1);
}

static gpointer fresh_up(gpointer data, const RigOpsRequest *request, GError **error)
{
	const RigFreshGuests *fresh = data;
	const RigGuestSide *side = &fresh->sides[request->side];
	g_autofree char *name = guest_name(request);
	RigGuestSpec spec = {
		.name = name,
		.topology = fresh->topology,
		.kernel = side->kernel,
		.image = side->image,
		.bootset = side->bootset,
		.accel = fresh->accel,
		.accel_reason = fresh->accel_reason,
		.placement = fresh->placement,
		.cmdline = fresh->cmdline,
		.job = fresh->diskless ? request->job : NULL,
		.ephemeral = TRUE,
		.dump = fresh->dump,
	};

	return rig_guest_up(fresh->context, &spec, error);
}

static RigRawRun *fresh_run(gpointer data, gpointer handle, const RigOpsRequest *request,
			    RigPhaseFn phase, gpointer phase_data, GError **error)
{
	const RigFreshGuests *fresh = data;

	if (fresh->diskless)
		return rig_guest_collect(handle, request->timeout_ms, phase, phase_data, error);
	return rig_guest_run(handle, request->job, request->timeout_ms, phase, phase_data, error);
}

static void fresh_down(gpointer data, gpointer handle)
{
	const RigFreshGuests *fresh = data;
	g_autofree char *name = g_strdup(rig_guest_name(handle));
	g_autoptr(GError) error = NULL;
	/* Taking a guest away must also work when the user has just cancelled everything. */
	RigGuestContext context = *fresh->context;

	context.cancellable = NULL;
	rig_guest_close(handle);
	if (!rig_guest_down(&context, name, FALSE, &error))
		rig_log_warn(context.log, "guest %s is left over: %s", name, error->message);
}

static char *fresh_failed_console(gpointer data, const RigOpsRequest *request)
{
	const RigFreshGuests *fresh = data;
	g_autofree char *name = guest_name(request);

	return rig_guest_failure_path(fresh->context->paths, name);
}

static char *fresh_dump(gpointer data, gpointer handle, const RigOpsRequest *request)
{
	const RigFreshGuests *fresh = data;
	g_autofree char *name = guest_name(request);
	g_autofree char *path = rig_guest_dump_path(fresh->context->paths, name);

	return g_file_test(path, G_FILE_TEST_EXISTS) ? g_steal_pointer(&path) : NULL;
}

static char *running_dump(gpointer data, gpointer handle, const RigOpsRequest *request)
{
	return rig_guest_dumped(handle);
}

static char *running_failed_console(gpointer data, const RigOpsRequest *request)
{
	return NULL;
}

static gpointer running_up(gpointer data, const RigOpsRequest *request, GError **error)
{
	return data;
}

static RigRawRun *running_run(gpointer data, gpointer handle, const RigOpsRequest *request,
			      RigPhaseFn phase, gpointer phase_data, GError **error)
{
	return rig_guest_run(handle, request->job, request->timeout_ms, phase, phase_data, error);
}

static void running_down(gpointer data, gpointer handle)
{
}

static GHashTable *manifest(gpointer data, gpointer handle)
{
	return rig_guest_manifest(handle);
}

static char *console(gpointer data, gpointer handle)
{
	return rig_guest_console_path(handle);
}

static char *domain_xml(gpointer data, gpointer handle)
{
	return rig_guest_domain_xml(handle);
}

static char class_of(gpointer data, gpointer handle)
{
	return rig_guest_class(handle);
}

const RigGuestOps rig_ops_fresh = {
	.up = fresh_up,
	.run = fresh_run,
	.manifest = manifest,
	.console = console,
	.domain_xml = domain_xml,
	.class = class_of,
	.failed_console = fresh_failed_console,
	.dump = fresh_dump,
	.down = fresh_down,
};

const RigGuestOps rig_ops_running = {
	.up = running_up,
	.run = running_run,
	.manifest = manifest,
	.console = console,
	.domain_xml = domain_xml,
	.class = class_of,
	.failed_console = running_failed_console,
	.dump = running_dump,
	.down = running_down,
};
