/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pin.h - which host node a cell goes to, and which host CPU a vCPU. Internal to placement.
 */
#pragma once

#include "model/placement.h"

/* Choose a host node for every cell (PLACEMENT->host_node). FALSE, with a note that says why and
 * all of them -1, where the host has no fitting nodes. */
gboolean rig_pin_choose_nodes(RigPlacement *placement, const RigHost *host,
			      const RigPlacementRequest *request);

/* After fitting: pin vCPUs one to one and the emulator to what is left. FALSE, with a note and
 * everything unbound, where a node has too few CPUs. */
gboolean rig_pin_vcpus(RigPlacement *placement, const RigHost *host);

/* TRUE when each cell that has memory has a host node to itself. */
gboolean rig_pin_nodes_are_own(const RigPlacement *placement);
