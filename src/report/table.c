/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * table.c - the comparison as people read it and paste it into a mail.
 *
 * First what was compared and what may be concluded from it, then failures, then figures, then
 * everything that makes one doubt them.
 */
#include "report/table.h"

#include <math.h>
#include <string.h>

#include "report/differences.h"
#include "report/grid.h"
#include "report/groups.h"
#include "report/number.h"
#include "report/paragraph.h"

#define WIDTH_DEFAULT 80
#define INDENT 12	 /* of the block of facts above the table */
#define HEADING_MAX 14	 /* a longer name of a side would make the table too wide */
#define PERCENT_LONG 1e4 /* from here on a change is written with an exponent */

typedef struct {
	const RigCompare *compare;
	const RigTableOptions *options;
	guint head;
	guint width;
	GString *out;
} Table;

static const RigSide *base_of(const Table *t)
{
	return rig_sides_at(t->compare->sides, 0);
}

static const RigSide *head_of(const Table *t)
{
	return rig_sides_at(t->compare->sides, t->head);
}

static void fact(Table *t, const char *label, const char *text)
{
	if (text && *text)
		rig_paragraph_add(t->out, label, text, INDENT, t->width);
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* "runtime=20 unit=50%": the parameters that all runs of the base agree on; the path's form where
 * none is known. */
static char *parameters_text(const Table *t)
{
	const RigSideRun *run = g_ptr_array_index(base_of(t)->runs, 0);
	g_autoptr(GPtrArray) list = g_ptr_array_new_with_free_func(g_free);
	GHashTableIter iter;
	gpointer key;

	if (!run->manifest)
		return g_strdup(t->compare->sides->params);
	g_hash_table_iter_init(&iter, run->manifest);
	while (g_hash_table_iter_next(&iter, &key, NULL)) {
		const char *value = rig_side_manifest(base_of(t), key);

		if (g_str_has_prefix(key, "param.") && value && *value)
			g_ptr_array_add(
				list,
				g_strdup_printf("%s=%s", (char *)key + strlen("param."), value));
	}
	if (list->len == 0)
		return g_strdup(t->compare->sides->params);
	g_ptr_array_sort(list, compare_texts);
	g_ptr_array_add(list, NULL);
	return g_strjoinv(" ", (char **)list->pdata);
}

static char *side_text(const RigSide *side)
{
	const char *release = rig_side_manifest(side, "kernel.release");
	GString *text = g_string_new(side->name);

	if (side->kernel && !g_str_equal(side->kernel, side->name))
		g_string_append_printf(text, " = %s", side->kernel);
	if (release && !strstr(text->str, release))
		g_string_append_printf(text, " (Linux %s)", release);
	return g_string_free(text, FALSE);
}

static void add_facts(Table *t)
{
	const RigSides *sides = t->compare->sides;
	const char *fit = rig_side_manifest(base_of(t), "topology.fit");
	g_autofree char *workload =
		g_strconcat(sides->suite ? sides->suite : "", sides->suite ? " " : "",
			    sides->workload ? sides->workload : "", NULL);
	g_autofree char *topology = g_strconcat(sides->topology ? sides->topology : "",
						fit && *fit ? ", " : "", fit ? fit : "", NULL);
	g_autofree char *parameters = parameters_text(t);
	g_autofree char *base = side_text(base_of(t));
	g_autofree char *head = side_text(head_of(t));
	char base_class = base_of(t)->class, head_class = head_of(t)->class;

	fact(t, "workload", workload);
	fact(t, "parameters", parameters);
	fact(t, "topology", topology);
	fact(t, "base", base);
	fact(t, "head", head);
	if (base_class == head_class) {
		fact(t, "class", base_class ? rig_class_text(base_class) : NULL);
	} else {
		fact(t, "base class", rig_class_text(base_class));
		fact(t, "head class", rig_class_text(head_class));
	}
	g_string_append_c(t->out, '\n');
}

static const char *heading_of(const RigSide *side, const char *role)
{
	return g_utf8_strlen(side->name, -1) <= HEADING_MAX ? side->name : role;
}

static RigGrid *grid_new(const Table *t)
{
	RigGrid *grid = rig_grid_new(t->width);

	rig_grid_colors(grid, t->options->color);
	rig_grid_column(grid, "", RIG_GRID_WRAP);
	rig_grid_column(grid, heading_of(base_of(t), "base"), RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, heading_of(head_of(t), "head"), RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	rig_grid_column(grid, "change", RIG_GRID_RIGHT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	return grid;
}

static void add_fails(const Table *t, RigGrid *grid)
{
	const RigSide *base = base_of(t), *head = head_of(t);
	g_autofree char *b = g_strdup_printf("%u:%u", base->n_failed, base->runs->len);
	g_autofree char *h = g_strdup_printf("%u:%u", head->n_failed, head->runs->len);

	rig_grid_row(grid, base->n_failed + head->n_failed ? "red" : NULL);
	rig_grid_cell(grid, "fails:runs");
	rig_grid_cell(grid, b);
	rig_grid_cell(grid, "");
	rig_grid_cell(grid, h);
}

static char *spread_text(const Table *t, const RigMetricInfo *info, const RigSummary *s)
{
	const char *sign = t->options->ascii ? "+-" : "±";
	gboolean points = info->kind == RIG_KIND_PERCENTAGE;
	double spread = points ? s->sd : s->cv;

	if (isnan(spread))
		return g_strdup("");
	return g_strdup_printf("%s%.*f%s", sign, spread < 10 ? 1 : 0, spread, points ? "" : "%");
}

static char *change_text(const RigChange *change)
{
	switch (change->kind) {
	case RIG_CHANGE_PERCENT:
		return g_strdup_printf(fabs(change->value) < PERCENT_LONG ? "%+.1f%%" : "%+.3g%%",
				       change->value);
	case RIG_CHANGE_POINTS:
		return g_strdup_printf("%+.1f pt", change->value);
	case RIG_CHANGE_NEW:
	case RIG_CHANGE_GONE:
		return g_strdup(rig_change_name(change->kind));
	default:
		return g_strdup("-");
	}
}

static const char *color_of(const Table *t, const RigRow *row)
{
	const char *word = row->changes[t->head].word;

	/* Colour is emphasis, and emulated timings deserve none. */
	if (!word || (rig_metric_is_timing(row->info) && base_of(t)->class == 'C'))
		return NULL;
	if (g_str_equal(word, "worse"))
		return "red";
	return g_str_equal(word, "better") ? "green" : NULL;
}

static void add_summary(const Table *t, RigGrid *grid, const RigMetricInfo *info,
			const RigSummary *summary)
{
	g_autofree char *value = rig_number_people(summary->mean);
	g_autofree char *spread = spread_text(t, info, summary);
	/* Sets a side off from the one before it; a wider separator would cost every column. */
	g_autofree char *apart = g_strconcat(" ", value, NULL);

	rig_grid_cell(grid, apart);
	rig_grid_cell(grid, spread);
}

static void add_row(const Table *t, RigGrid *grid, const RigGroup *group, const RigRow *row)
{
	const RigMetricInfo *info = row->info;
	const RigChange *change = &row->changes[t->head];
	gboolean unit = info->unit && *info->unit && !g_str_equal(info->unit, "%");
	g_autofree char *name = g_strdup_printf("  %s%s%s", info->name + strlen(group->prefix),
						unit ? ", " : "", unit ? info->unit : "");
	g_autofree char *text = change_text(change);

	rig_grid_row(grid, color_of(t, row));
	rig_grid_cell(grid, name);
	add_summary(t, grid, info, &row->sides[0]);
	add_summary(t, grid, info, &row->sides[t->head]);
	rig_grid_cell(grid, text);
	rig_grid_cell(grid, change->word);
}

static void add_groups(Table *t, const RigGroups *groups)
{
	g_autoptr(RigGrid) grid = grid_new(t);
	g_autofree char *text = NULL;

	add_fails(t, grid);
	for (guint i = 0; i < groups->groups->len; i++) {
		const RigGroup *group = g_ptr_array_index(groups->groups, i);

		rig_grid_row(grid, NULL);
		rig_grid_cell(grid, group->title);
		for (guint r = 0; r < group->rows->len; r++)
			add_row(t, grid, group, g_ptr_array_index(group->rows, r));
	}
	text = rig_grid_text(grid);
	g_string_append(t->out, text);
}

static void note(Table *t, const char *format, ...) G_GNUC_PRINTF(2, 3);
static void note(Table *t, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	rig_paragraph_add(t->out, "", text, 0, t->width);
}

static void add_notes(Table *t, const RigGroups *groups)
{
	g_string_append_c(t->out, '\n');
	note(t,
	     "%s: standard deviation between runs, in percent of the mean (in points for "
	     "percentages; their changes are in points too: pt).",
	     t->options->ascii ? "+-" : "±");
	note(t, "No verdict: nothing here was tested against chance.");
	if (groups->left_out)
		note(t, "Left out: %u other counters (--all shows them).", groups->left_out);
	if (groups->zeros)
		note(t, "Left out: %u that are 0 or missing on both sides.", groups->zeros);
}

static void add_failed_runs(Table *t, const RigSide *side)
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

static void add_failures(Table *t)
{
	if (base_of(t)->n_failed + head_of(t)->n_failed == 0)
		return;
	g_string_append(t->out, "\nFailed runs, counted above and in no mean:\n");
	add_failed_runs(t, base_of(t));
	add_failed_runs(t, head_of(t));
}

static const char *value_or_none(const char *value)
{
	return value ? value : "(none)";
}

static void add_differences(Table *t)
{
	gboolean first = TRUE;

	for (guint i = 0; i < t->compare->differences->len; i++) {
		const RigDifference *d = g_ptr_array_index(t->compare->differences, i);
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

static void add_warnings(Table *t)
{
	if (t->compare->warnings->len == 0)
		return;
	g_string_append(t->out, "\nBe wary:\n");
	for (guint i = 0; i < t->compare->warnings->len; i++)
		rig_paragraph_add(t->out, "  -", g_ptr_array_index(t->compare->warnings, i), 4,
				  t->width);
}

static void add_block(Table *t)
{
	g_autoptr(RigGroups) groups = rig_groups_new(t->compare, t->head, t->options->all);

	add_facts(t);
	add_groups(t, groups);
	add_notes(t, groups);
	add_failures(t);
	add_differences(t);
}

char *rig_table_render(const RigCompare *compare, const RigTableOptions *options)
{
	Table t = {.compare = compare, .options = options, .out = g_string_new(NULL)};

	t.width = options->width ? options->width : WIDTH_DEFAULT;
	for (t.head = 1; t.head < compare->sides->sides->len; t.head++) {
		if (t.head > 1)
			g_string_append_c(t.out, '\n');
		add_block(&t);
	}
	add_warnings(&t);
	return g_string_free(t.out, FALSE);
}
