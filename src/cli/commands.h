/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.h - the commands by name; each is defined in its own cmd-NAME.c.
 */
#pragma once

#include "cli/cmd.h"

extern const RigCommand rig_cmd_calibrate;
extern const RigCommand rig_cmd_compare;
extern const RigCommand rig_cmd_completion;
extern const RigCommand rig_cmd_console;
extern const RigCommand rig_cmd_cp;
extern const RigCommand rig_cmd_doctor;
extern const RigCommand rig_cmd_down;
extern const RigCommand rig_cmd_exec;
extern const RigCommand rig_cmd_gc;
extern const RigCommand rig_cmd_help;
extern const RigCommand rig_cmd_image;
extern const RigCommand rig_cmd_kernel;
extern const RigCommand rig_cmd_plan;
extern const RigCommand rig_cmd_ps;
extern const RigCommand rig_cmd_results;
extern const RigCommand rig_cmd_run;
extern const RigCommand rig_cmd_topology;
extern const RigCommand rig_cmd_up;
extern const RigCommand rig_cmd_workload;
