/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * workload-private.h - what workload.c and workload-job.c share.
 */
#pragma once

#include "model/workload.h"

/* TRUE if PATH may be written in the guest: below /proc/sys or /sys, without "..". */
gboolean rig_workload_is_setting(const char *path);

/* Append a setting; copies both. */
void rig_workload_add_setting(RigWorkload *workload, const char *path, const char *value);
