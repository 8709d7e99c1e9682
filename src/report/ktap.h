/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ktap.h - the checks of a comparison for CI: KTAP, as the kernel's own tests print it, and JUnit's
 * XML, which most CI systems show.
 */
#pragma once

#include "report/gate.h"

/* Nested: topology, workload, check. What is inconclusive or not judged is a skip with its reason,
 * since KTAP knows no third result; the exit code does. CHECKS are of JUDGEMENT. g_free. */
char *rig_ktap_render(const RigJudgement *judgement, const GPtrArray *checks);

/* One suite, TOPOLOGY.WORKLOAD; the same skips. g_free. */
char *rig_junit_render(const RigJudgement *judgement, const GPtrArray *checks);
