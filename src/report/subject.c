/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * subject.c - what a counter of the kernel is about, by its name.
 */
#include "report/subject.h"

#include <string.h>

const char *rig_subject_title(RigSubject subject)
{
	static const char *const titles[RIG_SUBJECTS] = {
		[RIG_SUBJECT_NUMA] = "NUMA",
		[RIG_SUBJECT_LOCALITY] = "locality",
		[RIG_SUBJECT_SCHEDULER] = "scheduler",
		[RIG_SUBJECT_HUGETLB] = "hugetlb",
		[RIG_SUBJECT_THP] = "THP",
		[RIG_SUBJECT_COMPACTION] = "compaction",
		[RIG_SUBJECT_MIGRATION] = "migration",
		[RIG_SUBJECT_RECLAIM] = "reclaim",
		[RIG_SUBJECT_FAULTS] = "faults",
		[RIG_SUBJECT_ALLOCATOR] = "page allocator",
		[RIG_SUBJECT_CPU] = "CPU time",
		[RIG_SUBJECT_MEMORY] = "memory in use",
		[RIG_SUBJECT_OTHER] = "other",
	};

	return titles[subject];
}

/* The first that is found in a name decides: "AnonHugePages" is THP, although "HugePages" is not.
 */
static const struct {
	const char *part;
	RigSubject subject;
} parts[] = {
	{"locality.", RIG_SUBJECT_LOCALITY},
	{"sched.", RIG_SUBJECT_SCHEDULER},
	{"schedstat.", RIG_SUBJECT_SCHEDULER},
	{"mpstat.", RIG_SUBJECT_CPU},
	{"thp_", RIG_SUBJECT_THP},
	{"AnonHugePages", RIG_SUBJECT_THP},
	{"transparent_hugepages", RIG_SUBJECT_THP},
	{"HugePages", RIG_SUBJECT_HUGETLB},
	{"Hugetlb", RIG_SUBJECT_HUGETLB},
	{"htlb_", RIG_SUBJECT_HUGETLB},
	{"compact_", RIG_SUBJECT_COMPACTION},
	{"pgmigrate", RIG_SUBJECT_MIGRATION},
	{"pgpromote", RIG_SUBJECT_MIGRATION},
	{"pgdemote", RIG_SUBJECT_MIGRATION},
	{"numa_", RIG_SUBJECT_NUMA},
	{"numa-numastat.", RIG_SUBJECT_NUMA},
	{"numa_foreign", RIG_SUBJECT_NUMA},
	{"pgscan", RIG_SUBJECT_RECLAIM},
	{"pgsteal", RIG_SUBJECT_RECLAIM},
	{"pgrefill", RIG_SUBJECT_RECLAIM},
	{"allocstall", RIG_SUBJECT_RECLAIM},
	{"kswapd", RIG_SUBJECT_RECLAIM},
	{"workingset", RIG_SUBJECT_RECLAIM},
	{"pswp", RIG_SUBJECT_RECLAIM},
	{"fault", RIG_SUBJECT_FAULTS},
	{"pgalloc", RIG_SUBJECT_ALLOCATOR},
	{"pgfree", RIG_SUBJECT_ALLOCATOR},
	{"pgskip", RIG_SUBJECT_ALLOCATOR},
	{"buddyinfo.", RIG_SUBJECT_ALLOCATOR},
	{"pagetypeinfo.", RIG_SUBJECT_ALLOCATOR},
	{"meminfo.", RIG_SUBJECT_MEMORY},
	{"numa-meminfo.", RIG_SUBJECT_MEMORY},
	{"nr_", RIG_SUBJECT_MEMORY},
};

RigSubject rig_subject_of(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++)
		if (strstr(name, parts[i].part))
			return parts[i].subject;
	return RIG_SUBJECT_OTHER;
}

gsize rig_subject_phase(const RigSides *sides, const char *name)
{
	for (guint i = 0; i < sides->phases->len; i++) {
		const char *phase = g_ptr_array_index(sides->phases, i);
		gsize length = strlen(phase);

		if (strncmp(name, phase, length) == 0 && name[length] == '.')
			return length + 1;
	}
	return 0;
}

gboolean rig_subject_repeats(const RigSides *sides, const char *name)
{
	return sides->phases->len == 1 && g_str_equal(g_ptr_array_index(sides->phases, 0), "run") &&
	       g_str_has_prefix(name, "run.");
}

RigSubject rig_subject_of_counter(const RigSides *sides, const RigStatCounter *counter)
{
	const char *name = counter->info->name;

	return rig_subject_of(name + rig_subject_phase(sides, name));
}
