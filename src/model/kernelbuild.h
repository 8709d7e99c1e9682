/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelbuild.h - how a kernel that rig built was made; part of its kernel.json.
 */
#pragma once

#include "base/json.h"

typedef struct {
	char *name;   /* "fix.patch", "revert of 0123456789ab", "uncommitted changes" */
	char *sha256; /* of its text */
} RigKernelPatch;

typedef struct {
	char *key;	    /* digest of all that went in */
	char *source;	    /* "package linux-source-6.12 6.12.117-1~deb12u1" */
	char *revision;	    /* of a git source, else NULL */
	GPtrArray *patches; /* RigKernelPatch*, in the order in which they were applied */
	char *config;	    /* "tiny", "defconfig", a file */
	char **fragments;   /* that went on top of it, as named */
	char *recipe;	    /* or NULL */
	gboolean debug;
} RigKernelBuild;

RigKernelBuild *rig_kernelbuild_new(void);
RigKernelBuild *rig_kernelbuild_copy(const RigKernelBuild *build);
void rig_kernelbuild_free(RigKernelBuild *build);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigKernelBuild, rig_kernelbuild_free)
void rig_kernelbuild_add_patch(RigKernelBuild *build, const char *name, const char *sha256);

/* What is wrong is recorded in OBJECT's document; NULL for a missing object. */
RigKernelBuild *rig_kernelbuild_from_json(RigJson *object);
void rig_kernelbuild_to_json(const RigKernelBuild *build, RigJsonWriter *writer, const char *key);
