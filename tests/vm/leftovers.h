/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * leftovers.h - what a rig that ended, well or badly, has left behind.
 */
#pragma once

#include <glib.h>

/* Everything of rigs whose state lies in ROOT/state and whose cache lies in ROOT/cache that should
 * not be there while none runs and no guest is up: processes (rig, its helper with libvirt, QEMU,
 * libguestfs' appliance), guests, domains, scratch folders, half-written files and records, held
 * locks. One line for each, "" if there is nothing. What is meant to stay (kernels, whole records,
 * whole cache entries, lock files that nobody holds, last-failure/) does not count. g_free. */
char *leftovers_find(const char *root);

/* Fail the test, with WHEN and all that was found, unless there is nothing within SECONDS (0: at
 * once). */
void leftovers_expect_none(const char *root, double seconds, const char *when);
