/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * commands.c - the table of commands. Help, completion and the check of the man pages read it.
 */
#include "cli/commands.h"

const RigCommand *const rig_commands[] = {
	&rig_cmd_doctor,   &rig_cmd_topology,	&rig_cmd_kernel,  &rig_cmd_image,
	&rig_cmd_workload, &rig_cmd_up,		&rig_cmd_down,	  &rig_cmd_ps,
	&rig_cmd_exec,	   &rig_cmd_cp,		&rig_cmd_console, &rig_cmd_plan,
	&rig_cmd_run,	   &rig_cmd_calibrate,	&rig_cmd_results, &rig_cmd_compare,
	&rig_cmd_gc,	   &rig_cmd_completion, &rig_cmd_help,	  NULL,
};
