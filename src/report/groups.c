/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * groups.c - the rows of a comparison sorted into what they are about.
 *
 * A record holds some thousand counters. What a reader of a NUMA report looks for comes first and
 * always in the same order; the rest is named by its number only, unless asked for.
 */
#include "report/groups.h"

#include <math.h>
#include <string.h>

/* A group takes the rows whose names begin with MATCH, after "PHASE." where PHASED. */
typedef struct {
	const char *title, *match, *prefix;
} Subject;

static const Subject subjects[] = {
	{"proc-vmstat", "proc-vmstat.numa_", "proc-vmstat."},
	{"locality", "locality.", "locality."},
	{"task moves", "sched.", "sched."},
};

static void group_free(gpointer data)
{
	RigGroup *group = data;

	g_free(group->title);
	g_free(group->prefix);
	g_ptr_array_unref(group->rows);
	g_free(group);
}

static RigGroup *group_add(RigGroups *groups, char *title, char *prefix)
{
	RigGroup *group = g_new0(RigGroup, 1);

	group->title = title;
	group->prefix = prefix;
	group->rows = g_ptr_array_new();
	g_ptr_array_add(groups->groups, group);
	return group;
}

static RigGroup *group_ensure(RigGroups *groups, const char *title, const char *prefix)
{
	for (guint i = 0; i < groups->groups->len; i++) {
		RigGroup *group = g_ptr_array_index(groups->groups, i);

		if (g_str_equal(group->title, title))
			return group;
	}
	return group_add(groups, g_strdup(title), g_strdup(prefix));
}

/* The subject of NAME or NULL, and the length of a phase's name before it (0: the whole run). */
static const Subject *subject_of(const char *name, gsize *phase_length)
{
	for (guint i = 0; i < G_N_ELEMENTS(subjects); i++) {
		const char *dot = strchr(name, '.');

		*phase_length = 0;
		if (g_str_has_prefix(name, subjects[i].match))
			return &subjects[i];
		if (dot && g_str_has_prefix(dot + 1, subjects[i].match)) {
			*phase_length = (gsize)(dot - name);
			return &subjects[i];
		}
	}
	return NULL;
}

static gboolean is_nothing(const RigSummary *summary)
{
	return summary->n == 0 || (summary->min == 0 && summary->max == 0);
}

static gboolean is_all_zero(const RigRow *row, guint head)
{
	return is_nothing(&row->sides[0]) && is_nothing(&row->sides[head]);
}

static void add_own(RigGroups *groups, const RigCompare *compare)
{
	RigGroup *group = group_add(groups, g_strdup("throughput"), g_strdup(""));

	/* Two passes keep the order of names within primary and other ones. */
	for (int primary = 1; primary >= 0; primary--) {
		for (guint i = 0; i < compare->rows->len; i++) {
			RigRow *row = g_ptr_array_index(compare->rows, i);

			if (row->info->own && row->info->primary == primary)
				g_ptr_array_add(group->rows, row);
		}
	}
}

static void add_to_subject(RigGroups *groups, RigRow *row, const Subject *subject, gsize phase)
{
	g_autofree char *name = g_strndup(row->info->name, phase);
	g_autofree char *title = phase ? g_strdup_printf("%s, phase %s", subject->title, name)
				       : g_strdup(subject->title);
	g_autofree char *prefix =
		phase ? g_strdup_printf("%s.%s", name, subject->prefix) : g_strdup(subject->prefix);

	g_ptr_array_add(group_ensure(groups, title, prefix)->rows, row);
}

/* The rows of SUBJECT in PHASE (NULL: in the whole run). */
static void add_subject(RigGroups *groups, const RigCompare *compare, const Subject *subject,
			guint head, const char *phase)
{
	gsize wanted = phase ? strlen(phase) : 0;

	for (guint i = 0; i < compare->rows->len; i++) {
		RigRow *row = g_ptr_array_index(compare->rows, i);
		gsize length;

		if (row->info->own || subject_of(row->info->name, &length) != subject ||
		    length != wanted || (phase && strncmp(row->info->name, phase, wanted) != 0))
			continue;
		if (is_all_zero(row, head))
			groups->zeros++;
		else
			add_to_subject(groups, row, subject, length);
	}
}

static gboolean is_phase(const RigSides *sides, const char *name, gsize length)
{
	for (guint i = 0; i < sides->phases->len; i++) {
		const char *phase = g_ptr_array_index(sides->phases, i);

		if (strlen(phase) == length && strncmp(phase, name, length) == 0)
			return TRUE;
	}
	return FALSE;
}

/* What no other group takes: also figures of a phase that no run has. */
static gboolean is_other(const RigSides *sides, const RigRow *row)
{
	gsize phase;

	if (row->info->own)
		return FALSE;
	return !subject_of(row->info->name, &phase) ||
	       (phase > 0 && !is_phase(sides, row->info->name, phase));
}

/* How far a change stands out: what appeared or vanished most, then by size. */
static double weight_of(const RigChange *change)
{
	switch (change->kind) {
	case RIG_CHANGE_NEW:
	case RIG_CHANGE_GONE:
		return INFINITY;
	case RIG_CHANGE_NONE:
		return -1;
	default:
		return fabs(change->value);
	}
}

static int compare_weights(gconstpointer a, gconstpointer b, gpointer data)
{
	const RigRow *x = *(const RigRow *const *)a, *y = *(const RigRow *const *)b;
	guint head = GPOINTER_TO_UINT(data);
	double wx = weight_of(&x->changes[head]), wy = weight_of(&y->changes[head]);

	if (wx != wy)
		return wx > wy ? -1 : 1;
	return strcmp(x->info->name, y->info->name);
}

static void add_others(RigGroups *groups, const RigCompare *compare, guint head, gboolean all)
{
	RigGroup *group = group_add(groups, g_strdup("other counters"), g_strdup(""));

	for (guint i = 0; i < compare->rows->len; i++) {
		RigRow *row = g_ptr_array_index(compare->rows, i);

		if (!is_other(compare->sides, row))
			continue;
		if (is_all_zero(row, head))
			groups->zeros++;
		else if (all)
			g_ptr_array_add(group->rows, row);
		else
			groups->left_out++;
	}
	g_ptr_array_sort_with_data(group->rows, compare_weights, GUINT_TO_POINTER(head));
}

static void drop_empty(RigGroups *groups)
{
	for (guint i = groups->groups->len; i > 0; i--) {
		RigGroup *group = g_ptr_array_index(groups->groups, i - 1);

		if (group->rows->len == 0)
			g_ptr_array_remove_index(groups->groups, i - 1);
	}
}

RigGroups *rig_groups_new(const RigCompare *compare, guint head, gboolean all)
{
	RigGroups *groups = g_new0(RigGroups, 1);

	groups->groups = g_ptr_array_new_with_free_func(group_free);
	add_own(groups, compare);
	for (guint i = 0; i < G_N_ELEMENTS(subjects); i++)
		add_subject(groups, compare, &subjects[i], head, NULL);
	for (guint p = 0; p < compare->sides->phases->len; p++)
		for (guint i = 0; i < G_N_ELEMENTS(subjects); i++)
			add_subject(groups, compare, &subjects[i], head,
				    g_ptr_array_index(compare->sides->phases, p));
	add_others(groups, compare, head, all);
	drop_empty(groups);
	return groups;
}

void rig_groups_free(RigGroups *groups)
{
	if (!groups)
		return;
	g_ptr_array_unref(groups->groups);
	g_free(groups);
}
