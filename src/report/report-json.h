/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-json.h - a comparison for machines (docs/schema/compare.json).
 */
#pragma once

#include "report/judgement.h"

#define RIG_COMPARE_JSON_VERSION 1

/* Everything: all raw values, figures, changes, manifests, differences, warnings, statistics. The
 * caller frees the writer. */
RigJsonWriter *rig_report_json_judged(const RigJudgement *judgement);
/* The same where nothing was calibrated. */
RigJsonWriter *rig_report_json(const RigCompare *compare);
