/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report-json-stats.h - the statistics in the JSON of a comparison (private to report-json.c).
 */
#pragma once

#include "base/json.h"
#include "report/judgement.h"

/* The array "statistics": one object a head. */
void rig_report_json_stats(RigJsonWriter *writer, const RigJudgement *judgement);
