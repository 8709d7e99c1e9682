/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-json.h - a comparison for machines (docs/schema/compare.json).
 */
#pragma once

#include "report/compare.h"

#define RIG_COMPARE_JSON_VERSION 1

/* Everything: all raw values, figures, changes, manifests, differences, warnings. The caller frees
 * the writer. */
RigJsonWriter *rig_report_json(const RigCompare *compare);
