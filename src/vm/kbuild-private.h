/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild-private.h - one build, as the files of kbuild share it.
 */
#pragma once

#include "vm/kbuild.h"
#include "vm/kmake.h"
#include "vm/ksource.h"

/* In a build directory: its .config is whole and was checked. */
#define RIG_KBUILD_CONFIGURED "rig-configured"

typedef struct {
	const RigKernelStore *store;
	const RigKbuildSpec *spec;
	RigKsource source;
	GPtrArray *patches; /* RigKpatch*: uncommitted changes, undone commits, files */
	GPtrArray *asked;   /* RigKconfigOption* of all fragments, the last word on each */
	char *base_config;  /* text of the user's .config, or NULL */
	char *cc;
	char *config_key;      /* of all that the config and the compiler are made of */
	char *build_name;      /* "rig-build-<config_key>" */
	RigKernelBuild *build; /* for kernel.json; its key is the kernel's */
	char *log_path;
} RigKbuild;

/* Read fragments and config: ->asked, ->base_config. */
gboolean rig_kbuild_read_config(RigKbuild *build, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make MAKE's .config, and refuse or warn of what was asked for and is not in it. */
gboolean rig_kbuild_configure(const RigKbuild *build, RigKmake *make,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Compile what MAKE's directory lacks: vmlinux (or bzImage, without a PVH entry) and modules. */
gboolean rig_kbuild_compile(RigKmake *make, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Put what was compiled into the store. */
RigKernel *rig_kbuild_store(const RigKbuild *build, RigKmake *make,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;
