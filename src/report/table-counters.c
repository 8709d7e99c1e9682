/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table-counters.c - the kernel's counters for people: those that changed, by what they are about;
 * those that a reader of a NUMA report looks for, whether they changed or not; all.
 */
#include <math.h>
#include <string.h>

#include "report/number.h"
#include "report/paragraph.h"
#include "report/phrase.h"
#include "report/subject.h"
#include "report/table-private.h"

#define ROWS_MAX 8	  /* of one subject; the others are counted */
#define ROWS_MAX_GAUGES 4 /* of subjects that tell where a state went, not what was done */
#define NAMES_MAX 12

/* "numa_hint_faults, access": what is said of nearly all of them is left out. */
static char *short_name(const RigTable *t, const char *name)
{
	gsize phase = rig_subject_phase(t->judgement->compare->sides, name);
	const char *rest = name + phase;

	if (g_str_has_prefix(rest, "proc-vmstat."))
		rest += strlen("proc-vmstat.");
	else if (g_str_has_prefix(rest, "locality."))
		rest += strlen("locality.");
	if (!phase)
		return g_strdup(rest);
	return g_strdup_printf("%s, %.*s", rest, (int)phase - 1, name);
}

static void add_counter(const RigTable *t, RigGrid *grid, const RigStatCounter *counter)
{
	const RigRow *row = rig_table_row(t, counter->info->name);
	g_autofree char *name = short_name(t, counter->info->name);
	g_autofree char *indented = g_strconcat("  ", name, NULL);
	g_autofree char *change = rig_phrase_counter(counter);

	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, indented);
	rig_table_cells(t, grid, row);
	rig_grid_cell(grid, change);
	rig_grid_cell(grid, counter->word);
}

static gboolean is_repeated(const RigTable *t, const RigStatCounter *counter)
{
	return rig_subject_repeats(t->judgement->compare->sides, counter->info->name);
}

static guint rows_max(const RigTable *t, RigSubject subject)
{
	if (t->options->all)
		return G_MAXUINT;
	return subject >= RIG_SUBJECT_CPU ? ROWS_MAX_GAUGES : ROWS_MAX;
}

static guint add_subject(const RigTable *t, RigGrid *grid, RigSubject subject)
{
	const GPtrArray *found = t->stats->found;
	guint n = 0, limit = rows_max(t, subject);

	for (guint i = 0; i < found->len; i++) {
		const RigStatCounter *counter = g_ptr_array_index(found, i);

		/* Those that appear or vanish have a list of their own. */
		if (is_repeated(t, counter) ||
		    rig_subject_of_counter(t->judgement->compare->sides, counter) != subject ||
		    counter->row->appears || counter->row->vanishes)
			continue;
		if (n == 0) {
			rig_grid_row(grid, NULL);
			rig_grid_cell(grid, rig_subject_title(subject));
		}
		if (n++ < limit)
			add_counter(t, grid, counter);
	}
	if (n > limit) {
		g_autofree char *more = g_strdup_printf("  and %u more (--all)", n - limit);

		rig_grid_row(grid, NULL);
		rig_grid_cell(grid, more);
	}
	return n;
}

static double mean_of(const RigTable *t, const RigStatCounter *counter, guint side)
{
	return rig_table_row(t, counter->info->name)->sides[side].mean;
}

static void add_name(const RigTable *t, GString *text, const RigStatCounter *counter, guint side)
{
	g_autofree char *name = short_name(t, counter->info->name);
	g_autofree char *mean = rig_number_people(mean_of(t, counter, side));

	g_string_append_printf(text, "%s%s (%s)", text->len ? "; " : "", name, mean);
}

/* "appeared: numa_hint_faults, access (33), ...": names with the mean of the side that has it. */
static void add_names(RigTable *t, const char *label, const GPtrArray *list, guint side)
{
	g_autoptr(GString) text = g_string_new(NULL);
	guint limit = t->options->all ? G_MAXUINT : NAMES_MAX, n = 0;

	for (guint i = 0; i < list->len; i++) {
		const RigStatCounter *counter = g_ptr_array_index(list, i);

		if (is_repeated(t, counter) || n++ >= limit)
			continue;
		add_name(t, text, counter, side);
	}
	if (n > limit)
		g_string_append_printf(text, "; and %u more (--all)", n - limit);
	rig_table_fact(t, label, text->str, NULL);
}

void rig_table_counters(RigTable *t)
{
	g_autoptr(RigGrid) grid = rig_table_grid(t);
	g_autofree char *filtered = rig_phrase_filtered(t->stats);
	guint n = 0;

	for (guint subject = 0; subject < RIG_SUBJECTS; subject++)
		n += add_subject(t, grid, subject);
	if (n) {
		g_string_append(t->out, "\nCounters that changed\n");
		rig_table_add_grid(t, grid);
	}
	g_string_append_c(t->out, '\n');
	add_names(t, "appeared", t->stats->appeared, t->head);
	add_names(t, "vanished", t->stats->vanished, 0);
	rig_table_fact(t, "not tested", filtered, NULL);
}

/* What a reader of a NUMA report looks for. */
static const char *const watched[] = {"proc-vmstat.numa_", "locality.", "sched."};

static int watched_rank(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(watched); i++)
		if (g_str_has_prefix(name, watched[i]))
			return (int)i;
	return -1;
}

static gboolean is_nothing(const RigSummary *summary)
{
	return summary->n == 0 || (summary->min == 0 && summary->max == 0);
}

static int compare_watched(gconstpointer a, gconstpointer b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	int rx = watched_rank(x), ry = watched_rank(y);

	return rx != ry ? rx - ry : strcmp(x, y);
}

/* Names without a phase that are not zero in all of them, and the phases where one is not. */
static void find_watched(const RigTable *t, GPtrArray *names, GPtrArray *phases)
{
	const RigCompare *compare = t->judgement->compare;
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) alive = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < compare->rows->len; i++) {
		const RigRow *row = g_ptr_array_index(compare->rows, i);
		const char *name = row->info->name;
		gsize phase = rig_subject_phase(compare->sides, name);

		if (row->info->own || rig_subject_repeats(compare->sides, name) ||
		    watched_rank(name + phase) < 0 ||
		    (is_nothing(&row->sides[0]) && is_nothing(&row->sides[t->head])))
			continue;
		if (g_hash_table_add(seen, (gpointer)(name + phase)))
			g_ptr_array_add(names, (gpointer)(name + phase));
		if (phase)
			g_hash_table_add(alive, g_strndup(name, phase - 1));
	}
	for (guint i = 0; i < compare->sides->phases->len; i++) {
		char *phase = g_ptr_array_index(compare->sides->phases, i);

		if (g_hash_table_contains(alive, phase))
			g_ptr_array_add(phases, phase);
	}
	g_ptr_array_sort(names, compare_watched);
}

static gboolean is_in(const GPtrArray *list, const char *name)
{
	for (guint i = 0; i < list->len; i++) {
		const RigStatCounter *counter = g_ptr_array_index(list, i);

		if (g_str_equal(counter->info->name, name))
			return TRUE;
	}
	return FALSE;
}

static gboolean has_moved(const RigStatCompare *stats, const char *name)
{
	return is_in(stats->found, name) || is_in(stats->appeared, name) ||
	       is_in(stats->vanished, name);
}

static void add_pair(const RigTable *t, RigGrid *grid, const char *phase, const char *name)
{
	g_autofree char *full = phase ? g_strdup_printf("%s.%s", phase, name) : g_strdup(name);
	const RigRow *row = rig_table_row(t, full);
	g_autofree char *base = NULL;
	g_autofree char *head = NULL;
	g_autofree char *text = NULL;

	if (row) {
		base = rig_number_people(row->sides[0].mean);
		head = rig_number_people(row->sides[t->head].mean);
		text = g_strdup_printf("%s > %s%s", base, head,
				       has_moved(t->stats, full) ? " *" : "  ");
	}
	rig_grid_cell(grid, text);
}

#define PHASES_MAX 2 /* in 80 columns, beside the whole run */

/* One grid of the whole run (FIRST 0 only) and up to PHASES_MAX phases from FIRST on. */
static void add_watched(RigTable *t, const GPtrArray *names, const GPtrArray *phases, guint first)
{
	g_autoptr(RigGrid) grid = rig_grid_new(t->width);
	guint last = MIN(first + PHASES_MAX, phases->len);

	rig_grid_column(grid, "base > head", RIG_GRID_WRAP);
	if (first == 0)
		rig_grid_column(grid, "whole run  ", RIG_GRID_RIGHT);
	for (guint p = first; p < last; p++) {
		g_autofree char *heading =
			g_strconcat((char *)g_ptr_array_index(phases, p), "  ", NULL);

		rig_grid_column(grid, heading, RIG_GRID_RIGHT);
	}
	for (guint i = 0; i < names->len; i++) {
		const char *name = g_ptr_array_index(names, i);
		g_autofree char *brief = short_name(t, name);

		rig_grid_row(grid, NULL);
		rig_grid_cell(grid, brief);
		if (first == 0)
			add_pair(t, grid, NULL, name);
		for (guint p = first; p < last; p++)
			add_pair(t, grid, g_ptr_array_index(phases, p), name);
	}
	rig_table_add_grid(t, grid);
}

void rig_table_watched(RigTable *t)
{
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	g_autoptr(GPtrArray) phases = g_ptr_array_new();
	guint first = 0;

	find_watched(t, names, phases);
	if (names->len == 0)
		return;
	g_string_append(t->out, "\nNUMA, locality and task moves, means (*: changed or new)\n");
	do {
		add_watched(t, names, phases, first);
		first += PHASES_MAX;
	} while (first < phases->len);
}

static int compare_weights(gconstpointer a, gconstpointer b, gpointer data)
{
	const RigTable *t = data;
	const RigRow *x = *(const RigRow *const *)a, *y = *(const RigRow *const *)b;
	double wx = fabs(x->changes[t->head].value), wy = fabs(y->changes[t->head].value);

	/* New and gone have no size and come first. */
	wx = isnan(wx) ? INFINITY : wx;
	wy = isnan(wy) ? INFINITY : wy;
	if (wx != wy)
		return wx > wy ? -1 : 1;
	return strcmp(x->info->name, y->info->name);
}

static char *plain_change(const RigChange *change)
{
	switch (change->kind) {
	case RIG_CHANGE_PERCENT:
		return rig_phrase_change(RIG_SCALE_LOG_COUNT, change->value);
	case RIG_CHANGE_POINTS:
		return rig_phrase_change(RIG_SCALE_POINTS, change->value);
	case RIG_CHANGE_NEW:
	case RIG_CHANGE_GONE:
		return g_strdup(rig_change_name(change->kind));
	default:
		return g_strdup("-");
	}
}

void rig_table_all(RigTable *t)
{
	const RigCompare *compare = t->judgement->compare;
	g_autoptr(GPtrArray) rows = g_ptr_array_new();
	g_autoptr(RigGrid) grid = rig_table_grid(t);
	guint zeros = 0;

	for (guint i = 0; i < compare->rows->len; i++) {
		RigRow *row = g_ptr_array_index(compare->rows, i);

		if (row->info->own)
			continue;
		if (is_nothing(&row->sides[0]) && is_nothing(&row->sides[t->head]))
			zeros++;
		else
			g_ptr_array_add(rows, row);
	}
	g_ptr_array_sort_with_data(rows, compare_weights, t);
	for (guint i = 0; i < rows->len; i++) {
		const RigRow *row = g_ptr_array_index(rows, i);
		g_autofree char *change = plain_change(&row->changes[t->head]);

		rig_grid_row(grid, NULL);
		rig_grid_cell(grid, row->info->name);
		rig_table_cells(t, grid, row);
		rig_grid_cell(grid, change);
		rig_grid_cell(grid, has_moved(t->stats, row->info->name) ? "changed" : "");
	}
	g_string_append_printf(t->out,
			       "\nAll counters, largest change of the means first; %u more are 0 "
			       "on both sides\n",
			       zeros);
	rig_table_add_grid(t, grid);
}
