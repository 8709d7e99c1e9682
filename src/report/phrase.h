/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * phrase.h - verdicts and figures in words, the same in every report for people.
 */
#pragma once

#include "report/compare.h"
#include "report/statcompare.h"

/* "+12.3 %", "-0.5 pt", "-" for NaN. g_free. */
char *rig_phrase_change(RigScale scale, double change);
/* The same without a sign, for sizes: "12.3 %". */
char *rig_phrase_size(RigScale scale, double size);
/* "0.0079", "<0.0001", "-" for NaN. g_free. */
char *rig_phrase_p(double p);
/* "0.879 to 0.921" of a ratio, "-0.5 to +1.2 pt", "-" where there is none. g_free. */
char *rig_phrase_interval(const RigStatMetric *metric);
/* B/A as "0.900", or the difference in points; "-" where there is none. g_free. */
char *rig_phrase_ratio(const RigStatMetric *metric);
/* "3", or "3+4" where the sides differ. g_free. */
char *rig_phrase_n(const RigStatMetric *metric);
/* What became of a counter: "new", "gone", or the change. g_free. */
char *rig_phrase_counter(const RigStatCounter *counter);
/* "worse", "better", "more", "less"; "same" for equivalent, "unclear" for inconclusive, "not
 * judged", "none"; static. */
const char *rig_phrase_verdict(const RigStatMetric *metric);

/* The verdict on the whole as one word in capitals: "WORSE", "BETTER", "CHANGED", "EQUIVALENT",
 * "INCONCLUSIVE", "NOT JUDGED", "NO VERDICT"; static. */
const char *rig_phrase_headline(const RigStatCompare *stats);
/* What is said of the primaries, one sentence a verdict that occurs, without a full stop at the
 * end. g_free. */
char *rig_phrase_primaries(const RigStatCompare *stats);
/* How many counters were tested, changed, appeared and vanished. g_free. */
char *rig_phrase_counters(const RigStatCompare *stats);
/* Why counters were not tested: "120 constant, 30 nearly always zero"; NULL if all were. g_free. */
char *rig_phrase_filtered(const RigStatCompare *stats);
/* "base 0 of 3 runs failed, head 1 of 3 (p = 1)". g_free. */
char *rig_phrase_failures(const RigStatCompare *stats);

/* "base = linux-6.1 (Linux 6.1.0)": a side as it was called, and which kernel that is. g_free. */
char *rig_phrase_side(const RigSide *side);
/* Standard deviation between runs: "1.2%" of the mean, "0.5" for percentages (points), "" where
 * there is none. g_free. */
char *rig_phrase_spread(const RigMetricInfo *info, const RigSummary *summary);
