/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelrecipe.h - kernels/NAME.json: how a kernel is made, and what it is expected to show.
 */
#pragma once

#include "base/json.h"
#include "model/workload.h"

/* A counter that moves from the base to this kernel. */
typedef struct {
	char *name; /* "proc-vmstat.numa_pte_updates" */
	RigDirection direction;
} RigKernelExpect;

typedef struct {
	char *name, *path;
	char *text;	    /* what it changes */
	char *report;	    /* the report that it comes from, or NULL */
	char *source;	    /* as --source takes it */
	char *rev;	    /* or NULL */
	char **patches;	    /* files; relative ones are made absolute by the recipe's folder */
	char **reverts;	    /* commits */
	char *config;	    /* "tiny", "defconfig" or a file */
	char **fragments;   /* files */
	char *base;	    /* the recipe that it is compared with, or NULL */
	char *workload;	    /* that shows it, or NULL */
	GPtrArray *expects; /* RigKernelExpect* */
	char *classes;	    /* classes of hosts that can show it: "ABC", "AB" */
	char *cannot;	    /* what other hosts cannot show, or NULL */
} RigKernelRecipe;

/* Read kernels/NAME.json; RIG_ERROR_USAGE names file, path and key. */
RigKernelRecipe *rig_kernelrecipe_load(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_kernelrecipe_free(RigKernelRecipe *recipe);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigKernelRecipe, rig_kernelrecipe_free)

/* TRUE if a host of CLASS ('A', 'B', 'C') can show what the recipe is about. */
gboolean rig_kernelrecipe_fits(const RigKernelRecipe *recipe, char class);
