/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild.h - from a source, patches and a config to a kernel in the store.
 */
#pragma once

#include "vm/kernelstore.h"

typedef struct {
	const char *name;	      /* in the store */
	const char *source;	      /* see ksource.h */
	const char *rev;	      /* of a git source; NULL: what is checked out */
	const char *const *patches;   /* files, in order; NULL: none */
	const char *const *reverts;   /* commits to undo, before the patches; NULL: none */
	const char *config;	      /* "tiny", "defconfig" or a .config file; NULL: "tiny" */
	const char *fragment;	      /* rig's own, kernels/tiny.config */
	const char *const *fragments; /* the user's, on top; NULL: none */
	const char *const *needs; /* "CONFIG_X=y" of the workloads: an error where they were asked
				     for and are not met; NULL: none */
	const char *recipe;	  /* its name, or NULL */
	gboolean debug;		  /* with debug information, kept as vmlinux beside boot */
	gboolean replace;	  /* a kernel of that name that rig did not build is replaced */
} RigKbuildSpec;

/* Build SPEC, or find that it is in the store (HIT, may be NULL). Nothing that looks built is left
 * by a failure or an interruption; what was compiled is kept for the next time. RIG_ERROR_HOST with
 * the log's path where make fails, or with package names where tools are missing; RIG_ERROR_USAGE
 * for patches that do not apply and options that cannot be had. */
RigKernel *rig_kbuild(const RigKernelStore *store, const RigKbuildSpec *spec, gboolean *hit,
		      GError **error) G_GNUC_WARN_UNUSED_RESULT;
