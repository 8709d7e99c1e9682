/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guests.h - which guest a command means.
 */
#pragma once

#include "cli/cmd.h"
#include "vm/guest.h"

typedef struct {
	int boot, hang;
} RigLimitOptions;

/* The lines of a command's option table; FIELD is the RigLimitOptions in its STRUCT. */
#define RIG_HANG_OPTION(struct, field)                                                             \
	{                                                                                          \
		"hang-timeout", 0, RIG_OPTION_COUNT, G_STRUCT_OFFSET(struct, field.hang),          \
			"SECONDS",                                                                 \
			"a guest that says nothing for this long hangs (default: 30, emulated 60)" \
	}
#define RIG_LIMIT_OPTIONS(struct, field)                                                      \
	{"boot-timeout",                                                                      \
	 0,                                                                                   \
	 RIG_OPTION_COUNT,                                                                    \
	 G_STRUCT_OFFSET(struct, field.boot),                                                 \
	 "SECONDS",                                                                           \
	 "a guest that is not up after this long does not boot (default: 30, emulated 120)"}, \
		RIG_HANG_OPTION(struct, field)

RigGuestContext rig_cli_guest_context(RigCli *cli);

/* Put them into CONTEXT; RIG_ERROR_USAGE for one that a healthy guest could not keep. */
gboolean rig_cli_limit_guest(RigGuestContext *context, const RigLimitOptions *limits,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* NAME, or where it is NULL the only guest that there is; RIG_ERROR_USAGE when there are none or
 * several. g_free. */
char *rig_cli_guest_name(RigCli *cli, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The guest NAME in a list, or NULL. */
const RigGuestInfo *rig_cli_find_guest(const GPtrArray *guests, const char *name);
