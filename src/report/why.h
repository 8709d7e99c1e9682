/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * why.h - what the changes together mean, in the field's terms.
 *
 * A rule names counters that must all have moved, each by the screen's own finding; none of them is
 * inferred. So a line can be missing, but not invented. That two things moved together is all that
 * it says: what caused which, a comparison of two kernels cannot know.
 */
#pragma once

#include "report/statcompare.h"

typedef struct {
	char *text;	   /* one sentence with the figures, no full stop */
	gboolean explains; /* a primary metric changed the way that one would expect from this */
} RigWhy;

/* RigWhy*, those that explain something first. Owned. */
GPtrArray *rig_why_find(const RigStatCompare *stats, const RigSides *sides);
