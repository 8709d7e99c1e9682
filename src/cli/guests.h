/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guests.h - which guest a command means.
 */
#pragma once

#include "cli/cmd.h"
#include "vm/guest.h"

RigGuestContext rig_cli_guest_context(RigCli *cli);

/* NAME, or where it is NULL the only guest that there is; RIG_ERROR_USAGE when there are none or
 * several. g_free. */
char *rig_cli_guest_name(RigCli *cli, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The guest NAME in a list, or NULL. */
const RigGuestInfo *rig_cli_find_guest(const GPtrArray *guests, const char *name);
