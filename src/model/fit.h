/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fit.h - shrink a topology to what a host can carry. Internal to placement.
 */
#pragma once

#include "model/placement.h"

/* Rules of placement.h on PLACEMENT->topology, in place. PLACEMENT->host_node says which cells are
 * to fit into which host node (-1: none). What was shrunk is added to PLACEMENT->notes. */
gboolean rig_fit_cpus(RigPlacement *placement, const RigHost *host,
		      const RigPlacementRequest *request, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_fit_memory(RigPlacement *placement, const RigHost *host,
			const RigPlacementRequest *request,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The fewest vCPUs that cell I may be left with: two, or all it has if that is less, or what the
 * user asked for; 0 for a cell without CPUs. */
guint rig_fit_min_vcpus(const RigTopology *topology, guint i, const RigPlacementRequest *request);

/* The host's node of that number, NULL if there is none. */
const RigHostNode *rig_host_node(const RigHost *host, gint id);
