/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload-private.h - what workload.c and workload-job.c share.
 */
#pragma once

#include "model/workload.h"

/* TRUE if PATH may be written in the guest: below /proc/sys or /sys, without "..". */
gboolean rig_workload_is_setting(const char *path);

/* Why VALUE cannot be one of PARAMETER, by its type: "'x' is no ..."; NULL if it can. g_free. */
char *rig_parameter_check(const RigParameter *parameter, const char *value);
/* Take "type" and what belongs to it from ENTRY, and hold the default against it. */
void rig_parameter_read_type(RigParameter *parameter, RigJson *entry);

/* Append a setting; copies both. */
void rig_workload_add_setting(RigWorkload *workload, const char *path, const char *value);
