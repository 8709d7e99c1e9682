/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * readback.h - what the guest says it is, against what was asked.
 */
#pragma once

#include "model/raw.h"
#include "model/topology.h"

/* Paths (glob patterns) to ask the agent for. NULL terminated, static. */
const char *const *rig_readback_paths(void);

typedef struct {
	guint64 mem_total; /* bytes, MemTotal */
	guint cpus, nodes;
	char *release;	   /* uname -r, may be NULL */
	char *cmdline;
	char *numa_balancing; /* "0", "1"..., NULL where the kernel has none */
} RigReadback;

/* Parse FILES (RigRawFile*) and compare node CPU lists, node memory (MemTotal of a node is at least 70 % of what
 * was asked), distances, packages with SHAPE. RIG_ERROR_BOOT names the first difference: "node 1
 * has cpus 2, not 2-3". */
gboolean rig_readback_check(const GPtrArray *files, const RigTopology *shape, RigReadback *out,
			    GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_readback_clear(RigReadback *readback);
