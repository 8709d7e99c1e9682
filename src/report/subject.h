/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * subject.h - what a counter of the kernel is about, by its name.
 */
#pragma once

#include "report/statcompare.h"

typedef enum {
	RIG_SUBJECT_NUMA,
	RIG_SUBJECT_LOCALITY,
	RIG_SUBJECT_SCHEDULER,
	RIG_SUBJECT_HUGETLB,
	RIG_SUBJECT_THP,
	RIG_SUBJECT_COMPACTION,
	RIG_SUBJECT_MIGRATION,
	RIG_SUBJECT_RECLAIM,
	RIG_SUBJECT_FAULTS,
	RIG_SUBJECT_ALLOCATOR,
	RIG_SUBJECT_CPU,
	RIG_SUBJECT_MEMORY,
	RIG_SUBJECT_OTHER,
	RIG_SUBJECTS,
} RigSubject;

/* "NUMA balancing and placement", "locality", ...; static. */
const char *rig_subject_title(RigSubject subject);
/* NAME without a phase before it. */
RigSubject rig_subject_of(const char *name);

/* The same for a counter of SIDES, whose name may begin with a phase. */
RigSubject rig_subject_of_counter(const RigSides *sides, const RigStatCounter *counter);

/* TRUE for a counter of the only phase, "run": next to those of the whole run it says nothing new.
 */
gboolean rig_subject_repeats(const RigSides *sides, const char *name);

/* How many characters of NAME are a phase of SIDES and its dot ("access."); 0 for the whole run. */
gsize rig_subject_phase(const RigSides *sides, const char *name);
