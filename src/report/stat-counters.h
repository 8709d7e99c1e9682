/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stat-counters.h - the kernel's counters through the screen (private to statcompare.c).
 */
#pragma once

#include "report/statcompare.h"

/* Fill counters, screen and the lists of STATS from all metrics of SIDES that are counters. */
void rig_stat_counters_fill(RigStatCompare *stats, const RigSides *sides, double q);
