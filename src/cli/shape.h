/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shape.h - the options by which up and run ask for an accelerator and a size.
 */
#pragma once

#include "cli/cmd.h"
#include "model/placement.h"
#include "vm/accel.h"

typedef struct {
	char *accel, *cell_memory, *hugepages;
	int cell_cpus;
	gboolean no_pin, exact_size, overcommit;
} RigShapeOptions;

/* The lines of a command's option table; FIELD is the RigShapeOptions in its STRUCT. */
#define RIG_SHAPE_OPTIONS(struct, field)                                                           \
	{"accel", 0, RIG_OPTION_STRING, G_STRUCT_OFFSET(struct, field.accel), "auto|kvm|tcg",      \
	 "accelerator; auto takes KVM where a canary guest boots under it"},                       \
	{"cell-memory", 0, RIG_OPTION_STRING, G_STRUCT_OFFSET(struct, field.cell_memory), "SIZE",  \
	 "memory of each cell, e.g. 2G"},                                                          \
	{"cell-cpus", 0, RIG_OPTION_COUNT, G_STRUCT_OFFSET(struct, field.cell_cpus), "N",          \
	 "vCPUs of each cell"},                                                                    \
	{"exact-size", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(struct, field.exact_size), NULL,        \
	 "refuse to fit the topology to this host"},                                               \
	{"overcommit", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(struct, field.overcommit), NULL,        \
	 "under KVM, allow more vCPUs than the host has CPUs"},                                    \
	{"no-pin", 0, RIG_OPTION_FLAG, G_STRUCT_OFFSET(struct, field.no_pin), NULL,                \
	 "do not bind cells and pin vCPUs (class B)"},                                             \
	{"hugepages", 0, RIG_OPTION_STRING, G_STRUCT_OFFSET(struct, field.hugepages), "SIZE",      \
	 "back guest memory by host pages of this size, e.g. 2M"}

/* Parse them; errors name the option. request->accel is left for rig_accel_choose(). */
gboolean rig_shape_parse(const RigShapeOptions *options, RigAccelWant *want,
			 RigPlacementRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;
