/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * differences.h - what differs between the sides besides what is compared, and what to be wary of.
 */
#pragma once

#include "report/compare.h"

/* RigDifference*, by key: the manifest keys whose set of values is not the same on all sides. Keys
 * that differ from run to run by their nature (time, order in the plan) are left out. Owned. */
GPtrArray *rig_differences_find(const RigSides *sides);

/* char*: fewer than 3 good runs on a side, runs of several classes, timings of different
 * accelerators (TIMINGS FALSE), host hygiene that was found wanting. Owned. */
GPtrArray *rig_differences_warnings(const RigSides *sides, gboolean timings);

/* The kernel's own keys ("kernel.release" ...): they differ because kernels are compared. */
gboolean rig_differences_is_kernel(const char *key);
