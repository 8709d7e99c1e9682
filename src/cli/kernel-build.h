/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel-build.h - the words of "rig kernel" that build kernels and tell how they were built.
 */
#pragma once

#include "cli/cmd.h"
#include "model/kernel.h"

typedef struct {
	char *name, *modules, *config, *source, *rev, *diff;
	char **patches, **reverts, **fragments;
	gboolean replace, make_default, debug;
} RigKernelOptions;

/* build NAME --source SOURCE, build RECIPE. */
int rig_kernel_build(RigCli *cli, const RigKernelOptions *options, int argc, char **words,
		     GError **error);
/* recipes [NAME]. */
int rig_kernel_recipes(RigCli *cli, const RigKernelOptions *options, int argc, char **words,
		       GError **error);

/* For "show". */
void rig_kernel_print_build(const RigKernelBuild *build);
int rig_kernel_show_diff(RigCli *cli, const RigKernel *kernel, const char *other, GError **error);
