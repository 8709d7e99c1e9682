/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guests.c - which guest a command means.
 */
#include "cli/guests.h"

#include <string.h>

#include "proto.h"

RigGuestContext rig_cli_guest_context(RigCli *cli)
{
	return (RigGuestContext){
		.paths = cli->paths,
		.log = cli->log,
		.cancellable = cli->cancellable,
		.uri = cli->uri,
	};
}

gboolean rig_cli_limit_guest(RigGuestContext *context, const RigLimitOptions *limits,
			     GError **error)
{
	/* One that comes late is not a missed one. */
	if (limits->hang && limits->hang < 2 * RIG_HEARTBEAT_S) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "--hang-timeout %d: a guest speaks every %d s, so at least %d",
			      limits->hang, RIG_HEARTBEAT_S, 2 * RIG_HEARTBEAT_S);
		return FALSE;
	}
	context->boot_s = limits->boot;
	context->hang_s = limits->hang;
	return TRUE;
}

const RigGuestInfo *rig_cli_find_guest(const GPtrArray *guests, const char *name)
{
	for (guint i = 0; i < guests->len; i++) {
		const RigGuestInfo *info = guests->pdata[i];

		if (strcmp(info->name, name) == 0)
			return info;
	}
	return NULL;
}

char *rig_cli_guest_name(RigCli *cli, const char *name, GError **error)
{
	RigGuestContext context = rig_cli_guest_context(cli);
	g_autoptr(GPtrArray) guests = NULL;

	if (name)
		return g_strdup(name);
	guests = rig_guest_list(&context, error);
	if (!guests)
		return NULL;
	if (guests->len == 1)
		return g_strdup(((RigGuestInfo *)guests->pdata[0])->name);
	if (guests->len == 0)
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig up 2sp-icl", "no guest is up");
	else
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig ps",
				   "there are %u guests: name the one that is meant", guests->len);
	return NULL;
}
