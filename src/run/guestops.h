/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guestops.h - the engine's table of operations filled with real guests.
 */
#pragma once

#include "run/ops.h"
#include "vm/guest.h"

typedef struct {
	const RigKernel *kernel;
	const RigImage *image;
	const RigBootset *bootset;
} RigGuestSide;

typedef struct {
	const RigGuestContext *context;
	const RigGuestSide *sides;
	const RigTopology *topology;
	RigAccel accel;
	const char *accel_reason;
	RigPlacementRequest placement;
	const char *cmdline;   /* more kernel words, or NULL */
	gboolean diskless;
	gboolean dump;	       /* keep the memory of a guest that breaks */
} RigFreshGuests;

/* A fresh guest for each run, gone after it. Ops data: RigFreshGuests. */
extern const RigGuestOps rig_ops_fresh;

/* All runs in one guest that is up already and stays. Ops data: RigGuest. */
extern const RigGuestOps rig_ops_running;
