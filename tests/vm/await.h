/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * await.h - how far a rig in the background has got, seen in its folders.
 */
#pragma once

#include "cli-fixture.h"

/* The only guest that there is has been found to be what was asked for: its workload begins. */
void await_ready(CliFixture *f);
