/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * csv.h - all values as comma-separated lines, one a side, metric and run (RFC 4180).
 */
#pragma once

#include "report/compare.h"

/* Header line, then side,kernel,class,run,started,outcome,metric,unit,value. A value that a run
 * does not have is an empty field, so that failed runs stay visible. Lines end in CR LF. g_free. */
char *rig_csv_render(const RigCompare *compare);
