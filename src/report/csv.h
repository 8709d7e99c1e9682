/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h - all values as comma-separated lines, one a side, metric and run (RFC 4180).
 */
#pragma once

#include "report/judgement.h"

/* A header, then a line for each side, metric and run. What the statistics say of the metric on
 * that side stands in each of its lines, and is empty in those of the base. g_free. */
char *rig_csv_render(const RigJudgement *judgement);
