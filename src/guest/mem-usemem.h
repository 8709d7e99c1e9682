/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-usemem.h - the anon-* cases.
 */
#pragma once

#include "mem-args.h"
#include "mem-control.h"

/* Runs @plan and reports on @control. False and @why (RIG_MEM_WHY_MAX bytes): the run is not whole.
 */
bool rig_usemem_run(const struct rig_mem_plan *plan, struct rig_control *control, char *why);

/* The "resolved" line. */
bool rig_usemem_resolved(const struct rig_mem_plan *plan, struct rig_control *control);
