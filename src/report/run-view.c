/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run-view.c - runs as people and machines list and read them.
 */
#include "report/run-view.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "report/compare.h"
#include "report/grid.h"
#include "report/number.h"
#include "report/paragraph.h"

#define INDENT 12
#define WIDTH_DEFAULT 80

static gboolean is_ok(const char *outcome)
{
	return g_strcmp0(outcome, rig_outcome_name(RIG_OUTCOME_OK)) == 0;
}

/* The columns of a list, in their order; two of them are mostly the same in all rows. */
typedef enum { RUN, OUTCOME, CLASS, WORKLOAD, PARAMS, TOPOLOGY, KERNEL, TIME, N_COLUMNS } Column;

static char *cell_of(const RigStoreEntry *entry, Column column)
{
	char class[2] = {entry->class, '\0'};

	switch (column) {
	case RUN:
		return g_strdup(entry->id);
	case OUTCOME:
		return g_strdup(entry->outcome);
	case CLASS:
		return g_strdup(class);
	case WORKLOAD:
		return g_strdup(entry->workload);
	case PARAMS:
		return g_strdup(entry->params);
	case TOPOLOGY:
		return g_strdup(entry->topology);
	case KERNEL:
		return g_strdup(entry->kernel);
	default:
		return rig_text_duration(entry->duration_s);
	}
}

/* The table without the columns of LEFT_OUT. */
static char *render_columns(const GPtrArray *entries, const gboolean *left_out, guint width,
			    gboolean color)
{
	static const char *const headings[] = {"RUN",	 "OUTCOME",  "C",      "WORKLOAD",
					       "PARAMS", "TOPOLOGY", "KERNEL", "TIME"};
	g_autoptr(RigGrid) grid = rig_grid_new(width);

	rig_grid_colors(grid, color);
	for (guint c = 0; c < N_COLUMNS; c++)
		if (!left_out[c])
			rig_grid_column(grid, headings[c],
					c == PARAMS ? RIG_GRID_WRAP : RIG_GRID_LEFT);
	for (guint i = 0; i < entries->len; i++) {
		const RigStoreEntry *entry = g_ptr_array_index(entries, i);

		rig_grid_row(grid, is_ok(entry->outcome) ? NULL : "red");
		for (guint c = 0; c < N_COLUMNS; c++) {
			g_autofree char *cell = left_out[c] ? NULL : cell_of(entry, c);

			if (!left_out[c])
				rig_grid_cell(grid, cell);
		}
	}
	return rig_grid_text(grid);
}

/* The value of COLUMN where all runs have the same, else NULL. */
static char *same_of(const GPtrArray *entries, Column column)
{
	g_autofree char *same = cell_of(g_ptr_array_index(entries, 0), column);

	for (guint i = 1; i < entries->len; i++) {
		g_autofree char *other = cell_of(g_ptr_array_index(entries, i), column);

		if (g_strcmp0(same, other) != 0)
			return NULL;
	}
	return g_steal_pointer(&same);
}

static gboolean is_wider(const char *text, guint width)
{
	const char *end = strchr(text, '\n');
	g_autofree char *line = g_strndup(text, end ? (gsize)(end - text) : strlen(text));

	return g_utf8_strlen(line, -1) > (glong)width;
}

/* Few and short, so that a line is of 80 columns, mostly. When a run was started is what its id
 * begins with. C is the placement class. Where that is too wide, what all runs have in common is
 * said once. */
char *rig_run_list_render(const GPtrArray *entries, guint width, gboolean color)
{
	static const struct {
		Column column;
		const char *name;
	} common[] = {{TOPOLOGY, "topology"}, {CLASS, "class"}};
	gboolean left_out[N_COLUMNS] = {FALSE};
	g_autofree char *all = render_columns(entries, left_out, width, color);
	g_autoptr(GString) said = g_string_new(NULL);
	g_autofree char *rest = NULL;

	if (!entries->len || !is_wider(all, width))
		return g_steal_pointer(&all);
	for (guint i = 0; i < G_N_ELEMENTS(common); i++) {
		g_autofree char *same = same_of(entries, common[i].column);
		g_autofree char *safe = same ? rig_text_safe_line(same, -1) : NULL;

		left_out[common[i].column] = same != NULL;
		if (same)
			g_string_append_printf(said, "%s%s %s", said->len ? ", " : "all of ",
					       common[i].name, safe);
	}
	rest = render_columns(entries, left_out, width, color);
	if (said->len)
		return g_strdup_printf("%s%s\n", rest, said->str);
	return g_steal_pointer(&rest);
}

static void add_entry_json(RigJsonWriter *writer, const RigStoreEntry *entry)
{
	g_autofree char *started = rig_text_time(entry->started);
	char class[2] = {entry->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "id", entry->id);
	rig_json_add_string(writer, "outcome", entry->outcome);
	rig_json_add_string(writer, "outcome_text", entry->outcome_text);
	rig_json_add_string(writer, "class", class);
	rig_json_add_string(writer, "workload", entry->workload);
	rig_json_add_string(writer, "params", entry->params);
	rig_json_add_string(writer, "topology", entry->topology);
	rig_json_add_string(writer, "image", entry->image);
	rig_json_add_string(writer, "kernel", entry->kernel);
	rig_json_add_string(writer, "side", entry->side);
	rig_json_add_string(writer, "started", started);
	rig_json_add_double(writer, "duration_s", entry->duration_s);
	rig_json_add_string(writer, "dir", entry->dir);
	rig_json_close_object(writer);
}

RigJsonWriter *rig_run_list_json(const GPtrArray *entries)
{
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "format", "rig-results");
	rig_json_add_int(writer, "version", 1);
	rig_json_open_array(writer, "runs");
	for (guint i = 0; i < entries->len; i++)
		add_entry_json(writer, g_ptr_array_index(entries, i));
	rig_json_close_array(writer);
	rig_json_close_object(writer);
	return writer;
}

typedef struct {
	const RigRecord *record;
	const RigRunViewOptions *options;
	guint width;
	GString *out;
} View;

static void fact(View *v, const char *label, const char *text)
{
	if (text && *text)
		rig_paragraph_add(v->out, label, text, INDENT, v->width);
}

static void add_facts(View *v)
{
	const RigRecord *r = v->record;
	g_autofree char *started = rig_text_time(r->started);
	g_autofree char *duration = rig_text_duration(r->duration_s);
	g_autofree char *time = g_strdup_printf("%s, took %s", started, duration);
	g_autofree char *outcome =
		g_strdup_printf("%s%s%s", rig_outcome_name(r->outcome), r->outcome_text ? ": " : "",
				r->outcome_text ? r->outcome_text : "");
	g_autofree char *kernel = g_strdup_printf("%s%s%s", r->kernel ? r->kernel : "?",
						  r->side ? ", side " : "", r->side ? r->side : "");

	fact(v, "run", r->id);
	fact(v, "outcome", outcome);
	fact(v, "started", time);
	fact(v, "workload", r->workload);
	fact(v, "parameters", r->params);
	fact(v, "topology", r->topology);
	fact(v, "kernel", kernel);
	fact(v, "image", r->image);
	fact(v, "class", rig_class_text(r->class));
	fact(v, "path", r->dir);
	for (guint i = 0; r->notes && i < r->notes->len; i++)
		fact(v, i ? "" : "notes", g_ptr_array_index(r->notes, i));
}

static void add_grid(View *v, RigGrid *grid)
{
	g_autofree char *text = rig_grid_text(grid);

	if (*text)
		g_string_append_printf(v->out, "\n%s", text);
}

static const RigMetricDef *def_of(const RigRecord *record, const char *name)
{
	for (guint i = 0; record->defs && i < record->defs->len; i++) {
		const RigMetricDef *def = g_ptr_array_index(record->defs, i);

		if (g_str_equal(def->name, name))
			return def;
	}
	return NULL;
}

static void add_metric(RigGrid *grid, const RigMetricDef *def, const char *name, double value)
{
	g_autofree char *text = rig_number_people(value);

	rig_grid_row(grid, def && def->primary ? "bold" : NULL);
	rig_grid_cell(grid, name);
	rig_grid_cell(grid, text);
	rig_grid_cell(grid, def ? def->unit : NULL);
	rig_grid_cell(grid, def && def->direction != RIG_NEITHER
				    ? (def->direction == RIG_HIGHER ? "higher is better"
								    : "lower is better")
				    : NULL);
}

/* The workload's own metrics, primary ones first; with -v all that there are. */
static void add_metrics(View *v)
{
	const RigMetrics *metrics = v->record->metrics;
	g_autoptr(RigGrid) grid = rig_grid_new(v->width);

	rig_grid_colors(grid, v->options->color);
	rig_grid_column(grid, "METRIC", RIG_GRID_WRAP);
	rig_grid_column(grid, "VALUE", RIG_GRID_RIGHT);
	rig_grid_column(grid, "UNIT", RIG_GRID_LEFT);
	rig_grid_column(grid, "", RIG_GRID_LEFT);
	for (int pass = 0; metrics && pass < 3; pass++) {
		for (guint i = 0; i < rig_metrics_count(metrics); i++) {
			const char *name = rig_metrics_name(metrics, i);
			const RigMetricDef *def = def_of(v->record, name);
			int wanted = def ? (def->primary ? 0 : 1) : 2;

			if (wanted == pass && (pass < 2 || v->options->verbose))
				add_metric(grid, def, name, rig_metrics_value(metrics, i));
		}
	}
	add_grid(v, grid);
}

static double seconds_of(const RigPhase *phase)
{
	return (double)(phase->end_ns - phase->start_ns) / 1e9;
}

static gboolean is_watched(const char *name)
{
	return g_str_has_prefix(name, "proc-vmstat.numa_") || g_str_has_prefix(name, "locality.") ||
	       g_str_has_prefix(name, "sched.");
}

static int compare_texts(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The names of the watched counters that any phase has, sorted, each once; borrowed. */
static GPtrArray *watched_names(const RigRecord *record)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *names = g_ptr_array_new();

	for (guint p = 0; p < record->phases->len; p++) {
		const RigPhase *phase = g_ptr_array_index(record->phases, p);

		for (guint i = 0; phase->counters && i < rig_metrics_count(phase->counters); i++) {
			char *name = (char *)rig_metrics_name(phase->counters, i);

			if (is_watched(name) && g_hash_table_add(seen, name))
				g_ptr_array_add(names, name);
		}
	}
	g_ptr_array_sort(names, compare_texts);
	return names;
}

static void add_counter(RigGrid *grid, const RigRecord *record, const char *name)
{
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, name);
	for (guint p = 0; p < record->phases->len; p++) {
		const RigPhase *phase = g_ptr_array_index(record->phases, p);
		double value = NAN;
		g_autofree char *text = NULL;

		if (phase->counters && rig_metrics_get(phase->counters, name, &value))
			text = rig_number_people(value);
		rig_grid_cell(grid, text ? text : "-");
	}
}

static void add_phases(View *v)
{
	const RigRecord *record = v->record;
	g_autoptr(RigGrid) grid = NULL;
	g_autoptr(GPtrArray) names = NULL;

	if (!record->phases || record->phases->len == 0)
		return;
	grid = rig_grid_new(v->width);
	names = watched_names(record);
	rig_grid_column(grid, "PHASE", RIG_GRID_WRAP);
	for (guint p = 0; p < record->phases->len; p++)
		rig_grid_column(grid, ((RigPhase *)g_ptr_array_index(record->phases, p))->name,
				RIG_GRID_RIGHT);
	rig_grid_row(grid, NULL);
	rig_grid_cell(grid, "seconds");
	for (guint p = 0; p < record->phases->len; p++) {
		g_autofree char *text =
			rig_number_printf("%.2f", seconds_of(g_ptr_array_index(record->phases, p)));

		rig_grid_cell(grid, text);
	}
	for (guint i = 0; i < names->len; i++)
		add_counter(grid, record, g_ptr_array_index(names, i));
	add_grid(v, grid);
}

static void add_manifest(View *v)
{
	g_autoptr(GList) keys = NULL;

	if (!v->options->verbose)
		return;
	keys = g_list_sort(g_hash_table_get_keys(v->record->manifest), (GCompareFunc)strcmp);
	if (keys)
		g_string_append(v->out, "\nMANIFEST\n");
	for (GList *at = keys; at; at = at->next) {
		g_autofree char *key = g_strconcat(at->data, "  ", NULL);
		const char *value = g_hash_table_lookup(v->record->manifest, at->data);

		rig_paragraph_add(v->out, key, value, 28, v->width);
	}
}

char *rig_run_view_render(const RigRecord *record, const RigRunViewOptions *options)
{
	View v = {.record = record, .options = options, .out = g_string_new(NULL)};

	v.width = options->width ? options->width : WIDTH_DEFAULT;
	add_facts(&v);
	add_metrics(&v);
	add_phases(&v);
	add_manifest(&v);
	return g_string_free(v.out, FALSE);
}
