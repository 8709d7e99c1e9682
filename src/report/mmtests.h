/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmtests.h - the comparison as mmtests prints it.
 */
#pragma once

#include "report/judgement.h"

/* The workload's own metrics: least value, mean (harmonic where higher is better), deviation,
 * coefficient of variation, largest value, and the mean of the best 95 %. The first column is the
 * base. A change is positive where the head is better, and less spread is better; of metrics
 * without a direction it is the plain difference. A mean's change stands between stars where rig's
 * verdict is "changed", in brackets otherwise. g_free. */
char *rig_mmtests_render(const RigJudgement *judgement);
