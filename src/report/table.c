/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the comparison as people read it and paste it into a mail.
 *
 * The verdict first, with its reason and the figures behind it; then all other figures; then what
 * was compared, and everything that makes one doubt it.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/differences.h"
#include "report/number.h"
#include "report/paragraph.h"
#include "report/phrase.h"
#include "report/table-private.h"

#define WIDTH_DEFAULT 80
#define HEADING_MAX 14 /* a longer name of a side would make the table too wide */

const RigSide *rig_table_base(const RigTable *t)
{
	return rig_sides_at(t->judgement->compare->sides, 0);
}

const RigSide *rig_table_head(const RigTable *t)
{
	return rig_sides_at(t->judgement->compare->sides, t->head);
}

static int compare_name(const void *key, const void *row)
{
	return strcmp(key, (*(const RigRow *const *)row)->info->name);
}

const RigRow *rig_table_row(const RigTable *t, const char *metric)
{
	const GPtrArray *rows = t->judgement->compare->rows;
	const gpointer *found = rows->len ? bsearch(metric, rows->pdata, rows->len,
						    sizeof(*rows->pdata), compare_name)
					  : NULL;

	return found ? *found : NULL;
}

static const char *escape_of(const char *color)
{
	if (g_str_equal(color, "red"))
		return "\033[31m";
	if (g_str_equal(color, "green"))
		return "\033[32m";
	return "\033[1m";
}

void rig_table_fact(RigTable *t, const char *label, const char *text, const char *color)
{
	gsize start = t->out->len;

	if (!text || !*text)
		return;
	rig_paragraph_add(t->out, label, text, RIG_TABLE_INDENT, t->width);
	if (!color || !t->options->color)
		return;
	g_string_insert(t->out, (gssize)(start + strlen(label)), "\033[0m");
	g_string_insert(t->out, (gssize)start, escape_of(color));
}

static void fact(RigTable *t, const char *label, const char *text)
{
	rig_table_fact(t, label, text, NULL);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* What stands below PREFIX in the base's manifest, "NAME=VALUE NAME=VALUE"; NULL if nothing does.
 */
static char *list_below(const RigTable *t, const char *prefix)
{
	const RigSideRun *run = g_ptr_array_index(rig_table_base(t)->runs, 0);
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	gpointer key;

	if (!run->manifest)
		return NULL;
	g_hash_table_iter_init(&iter, run->manifest);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const char *value = rig_side_manifest(rig_table_base(t), key);

		if (g_str_has_prefix(key, prefix) && value && *value)
			g_ptr_array_add(list, g_strdup_printf("%s=%s", (char *)key + strlen(prefix),
							      value));
	}
	if (list->len == 0)
		return NULL;
	g_ptr_array_sort(list, compare_texts);
	g_ptr_array_add(list, NULL);
	return g_strjoinv(" ", (char **)list->pdata);
}

static void add_facts(RigTable *t)
{
	const RigSides *sides = t->judgement->compare->sides;
	const char *fit = rig_side_manifest(rig_table_base(t), "topology.fit");
	g_autofree char *workload =
		g_strconcat(sides->suite ? sides->suite : "", sides->suite ? " " : "",
			    sides->workload ? sides->workload : "", NULL);
	g_autofree char *topology = g_strconcat(sides->topology ? sides->topology : "",
						fit && *fit ? ", " : "", fit ? fit : "", NULL);
	g_autofree char *parameters = list_below(t, "param.");
	g_autofree char *settings = list_below(t, "setting.");
	g_autofree char *base = rig_phrase_side(rig_table_base(t));
	g_autofree char *head = rig_phrase_side(rig_table_head(t));
	char base_class = rig_table_base(t)->class, head_class = rig_table_head(t)->class;

	fact(t, "workload", workload);
	fact(t, "parameters", parameters ? parameters : sides->params);
	fact(t, "settings", settings);
	fact(t, "topology", topology);
	fact(t, "boot", sides->variant);
	fact(t, "base", base);
	fact(t, "head", head);
	if (base_class == head_class) {
		fact(t, "class", base_class ? rig_class_text(base_class) : NULL);
	} else {
		fact(t, "base class", rig_class_text(base_class));
		fact(t, "head class", rig_class_text(head_class));
	}
	fact(t, "test", t->stats->plan->why);
}

static const char *heading_of(const RigSide *side, const char *role)
{
	return g_utf8_strlen(side->name, -1) <= HEADING_MAX ? side->name : role;
}

RigGrid *rig_table_grid(const RigTable *t)
{
	RigGrid *grid = rig_grid_new(t->width);

	rig_grid_colors(grid, t->options->color);
	rig_grid_column(grid, "", RIG_GRID_WRAP);
	rig_grid_column(grid, heading_of(rig_table_base(t), "base"), RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, heading_of(rig_table_head(t), "head"), RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, "change", RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	return grid;
}

static char *spread_text(const RigTable *t, const RigMetricInfo *info, const RigSummary *s)
{
	g_autofree char *spread = rig_phrase_spread(info, s);

	return g_strconcat(!*spread ? "" : t->options->ascii ? "+-" : "±", spread, NULL);
}

static void add_summary(const RigTable *t, RigGrid *grid, const RigMetricInfo *info,
			const RigSummary *summary)
{
	g_autofree char *value = rig_number_people(summary->mean);
	g_autofree char *spread = spread_text(t, info, summary);
	/* Sets a side off from the one before it; a wider separator would cost every column. */
	g_autofree char *apart = g_strconcat(" ", value, NULL);

	rig_grid_cell(grid, apart);
	rig_grid_cell(grid, spread);
}

void rig_table_cells(const RigTable *t, RigGrid *grid, const RigRow *row)
{
	add_summary(t, grid, row->info, &row->sides[0]);
	add_summary(t, grid, row->info, &row->sides[t->head]);
}

void rig_table_add_grid(RigTable *t, RigGrid *grid)
{
	g_autofree char *text = rig_grid_text(grid);

	g_string_append(t->out, text);
}

static void note(RigTable *t, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(RigTable *t, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	rig_paragraph_add(t->out, "", text, 0, t->width);
}

static void add_notes(RigTable *t)
{
	g_string_append_c(t->out, '\n');
	note(t,
	     "B/A: head over base, of geometric means (pt: points, for percentages), with its 95 "
	     "%% "
	     "interval. p: adjusted for the primary metrics (by Holm). sees: the change that so "
	     "many "
	     "runs, with this spread, find in 80 %% of the cases. %s: standard deviation between "
	     "runs, in percent of the mean (in points for percentages). docs/statistics.md tells "
	     "more.",
	     t->options->ascii ? "+-" : "±");
}

static void add_failed_runs(RigTable *t, const RigSide *side)
{
	for (guint i = 0; i < side->runs->len; i++) {
		const RigSideRun *run = g_ptr_array_index(side->runs, i);
		g_autofree char *text = NULL;

		if (run->outcome == RIG_OUTCOME_OK)
			continue;
		text = g_strdup_printf("%s, run %s: %s%s%s", side->name, run->id ? run->id : "?",
				       rig_outcome_name(run->outcome),
				       run->outcome_text ? ": " : "",
				       run->outcome_text ? run->outcome_text : "");
		rig_paragraph_add(t->out, "  -", text, 4, t->width);
	}
}

static void add_failures(RigTable *t)
{
	if (rig_table_base(t)->n_failed + rig_table_head(t)->n_failed == 0)
		return;
	g_string_append(t->out, "\nFailed runs, counted above and in no mean:\n");
	add_failed_runs(t, rig_table_base(t));
	add_failed_runs(t, rig_table_head(t));
}

static const char *value_or_none(const char *value)
{
	return value ? value : "(none)";
}

static void add_differences(RigTable *t)
{
	gboolean first = TRUE;

	for (guint i = 0; i < t->judgement->compare->differences->len; i++) {
		const RigDifference *d = g_ptr_array_index(t->judgement->compare->differences, i);
		g_autofree char *text = NULL;

		if (rig_differences_is_kernel(d->key) ||
		    g_strcmp0(d->values[0], d->values[t->head]) == 0)
			continue;
		if (first)
			g_string_append(t->out,
					"\nWhat differs besides the kernel (base, head):\n");
		first = FALSE;
		text = g_strdup_printf("%s: %s | %s", d->key, value_or_none(d->values[0]),
				       value_or_none(d->values[t->head]));
		rig_paragraph_add(t->out, "  -", text, 4, t->width);
	}
}

static void add_list(RigTable *t, const GPtrArray *list)
{
	for (guint i = 0; i < list->len; i++)
		rig_paragraph_add(t->out, "  -", g_ptr_array_index(list, i), 4, t->width);
}

static void add_warnings(RigTable *t)
{
	const RigJudgement *j = t->judgement;
	guint notes = 0, doubts = j->stats->len > 1 ? j->doubts->len : 0;

	for (guint i = 0; i < j->stats->len; i++)
		notes += rig_judgement_stats(j, i + 1)->plan->notes->len;
	if (doubts + j->compare->warnings->len + notes == 0)
		return;
	g_string_append(t->out, "\nBe wary:\n");
	if (doubts)
		add_list(t, j->doubts);
	for (guint i = 0; i < j->stats->len; i++)
		add_list(t, rig_judgement_stats(j, i + 1)->plan->notes);
	add_list(t, j->compare->warnings);
}

static void add_block(RigTable *t)
{
	rig_table_verdict(t);
	rig_table_primaries(t);
	rig_table_metrics(t);
	rig_table_counters(t);
	rig_table_watched(t);
	if (t->options->all)
		rig_table_all(t);
	g_string_append_c(t->out, '\n');
	add_facts(t);
	add_failures(t);
	add_differences(t);
}

char *rig_table_render(const RigJudgement *judgement, const RigTableOptions *options)
{
	RigTable t = {.judgement = judgement, .options = options, .out = g_string_new(NULL)};

	t.width = options->width ? options->width : WIDTH_DEFAULT;
	for (t.head = 1; t.head < judgement->compare->sides->sides->len; t.head++) {
		if (t.head > 1)
			g_string_append_c(t.out, '\n');
		t.stats = rig_judgement_stats(judgement, t.head);
		add_block(&t);
	}
	add_warnings(&t);
	add_notes(&t);
	return g_string_free(t.out, FALSE);
}
