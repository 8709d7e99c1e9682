/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * gate.h - a comparison as checks that pass or fail, for scripts and CI.
 *
 * A gate that is green because nothing could be seen is worse than none: so there is a third
 * result.
 */
#pragma once

#include "report/judgement.h"

typedef enum {
	RIG_GATE_PASS,
	RIG_GATE_FAIL,
	RIG_GATE_INCONCLUSIVE,
	RIG_GATE_NOT_JUDGED, /* the machine permits no verdict on it: neither good nor bad */
} RigGateResult;
/* "pass", "fail", "inconclusive", "not judged". */
const char *rig_gate_result_name(RigGateResult result);

/* "METRIC:5%", "METRIC:2pt", "failures:10%": how much worse is too much. */
typedef struct {
	char *metric;
	double limit;	 /* percent, or points for percentages and for "failures"; may be 0 */
	gboolean points; /* "pt" was written */
} RigGateLimit;

/* RIG_ERROR_USAGE names what is wrong in TEXT. */
RigGateLimit *rig_gate_limit_parse(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_gate_limit_free(gpointer limit);

typedef struct {
	guint head;	  /* which side */
	const char *name; /* "failures" or the metric's; borrowed */
	RigGateResult result;
	char *reason; /* one sentence without a full stop */
} RigGateCheck;

/* RigGateCheck*, by head: failures of runs, then each primary metric; with LIMITS (RigGateLimit*,
 * may be NULL) those instead of the primaries. Owned. RIG_ERROR_USAGE if a limit's metric is
 * unknown, or its unit is not the metric's. */
GPtrArray *rig_gate_checks(const RigJudgement *judgement, const GPtrArray *limits,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* 1 if any failed, else 20 if any is inconclusive, else 0. */
int rig_gate_exit_code(const GPtrArray *checks);
