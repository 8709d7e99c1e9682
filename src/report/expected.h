/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expected.h - what a kernel's recipe says will move, held against what did.
 */
#pragma once

#include "model/kernelrecipe.h"
#include "report/statcompare.h"

typedef enum {
	RIG_EXPECTED_SEEN,
	RIG_EXPECTED_NOT_SEEN,
	RIG_EXPECTED_NOT_JUDGED, /* this comparison cannot tell */
} RigExpectedState;
/* "seen", "not seen", "not judged"; static. */
const char *rig_expected_state_name(RigExpectedState state);

typedef struct {
	char *name;
	RigDirection direction; /* RIG_NEITHER: it is not to move */
	RigExpectedState state;
	char *reason; /* a few words, for people: "-100.0 %", "no change found (q = 0.31)" */
} RigExpectedCounter;

typedef struct {
	char *recipe;
	GPtrArray *counters; /* RigExpectedCounter*, in the recipe's order; not empty */
	guint n_seen, n_not_judged;
} RigExpected;

/* NULL if RECIPE expects nothing. STATS are of the recipe's kernel against its base. */
RigExpected *rig_expected_new(const RigKernelRecipe *recipe, const RigStatCompare *stats);
void rig_expected_free(RigExpected *expected);

/* "mthp-numa: 2 of 3 as expected, 1 not judged". g_free. */
char *rig_expected_summary(const RigExpected *expected);
/* "proc-vmstat.numa_pte_updates lower: seen, -100.0 %". g_free. */
char *rig_expected_text(const RigExpectedCounter *counter);
