/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-manifest.h - what a record must say of the guest that it was made in.
 */
#pragma once

#include "vm/guest-state.h"

/* The kernel, the image, the accelerator, and what makes this host's timings noisy right now. */
void rig_guest_note_spec(RigGuestState *state, const RigGuestSpec *spec, const char *cmdline);

/* The shape that it got of the one that was asked for; also sets the state's class and fit. */
void rig_guest_note_placement(RigGuestState *state, const RigGuestSpec *spec,
			      const RigPlacement *placement);
