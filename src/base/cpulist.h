/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cpulist.h - sets of CPUs (or nodes) in the kernel's list form, "0-3,8".
 */
#pragma once

#include <glib.h>

#define RIG_CPULIST_MAX 8192 /* one above the largest number that is taken */

typedef struct RigCpuList RigCpuList; /* sorted, without duplicates */

RigCpuList *rig_cpulist_new(void);
/* Text as in /sys (a final newline and "" are fine); errors name the bad part. */
RigCpuList *rig_cpulist_parse(const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;
RigCpuList *rig_cpulist_copy(const RigCpuList *list);
void rig_cpulist_free(RigCpuList *list);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigCpuList, rig_cpulist_free)
void rig_cpulist_add(RigCpuList *list, guint cpu);
void rig_cpulist_add_range(RigCpuList *list, guint first, guint last);
guint rig_cpulist_count(const RigCpuList *list);
guint rig_cpulist_at(const RigCpuList *list, guint i); /* the i-th smallest; i < count */
gboolean rig_cpulist_contains(const RigCpuList *list, guint cpu);
gboolean rig_cpulist_equal(const RigCpuList *a, const RigCpuList *b);
gboolean rig_cpulist_intersects(const RigCpuList *a, const RigCpuList *b);
char *rig_cpulist_format(const RigCpuList *list); /* "0-3,8"; g_free */
