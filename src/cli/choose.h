/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose.h - the topology, kernel and image that a command means when little or nothing is said.
 */
#pragma once

#include "cli/cmd.h"
#include "model/image.h"
#include "model/kernel.h"
#include "model/topology.h"
#include "model/workload.h"

/* NAME is a name or a file; unknown names are RIG_ERROR_USAGE with the hint "rig topology list". */
RigTopology *rig_choose_topology(RigCli *cli, const char *name, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
RigWorkload *rig_choose_workload(RigCli *cli, const char *name, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;
/* NAME NULL: "tiny". */
RigImage *rig_choose_image(RigCli *cli, const char *name, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* NAME with a '/': a build folder or a kernel's file, which is put into the store as it is now. NAME NULL: the
 * default kernel ("rig kernel default"), else the host's own, which is added to the store where it
 * can be read, else RIG_ERROR_USAGE that says what to add. */
RigKernel *rig_choose_kernel(RigCli *cli, const char *name, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;

/* <state>/kernels; g_free. */
char *rig_choose_kernels_dir(RigCli *cli);
