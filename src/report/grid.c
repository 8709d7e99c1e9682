/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid.c - plain-text tables for people, laid out by libsmartcols.
 *
 * libsmartcols knows the width of wide characters; this file adds what all of rig's tables share:
 * safe text, a width that does not depend on who reads, no spaces at line ends (mailers fold them).
 */
#include "report/grid.h"

#include <libsmartcols.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "report/wrap.h"

#define DOTS "..."

typedef struct {
	struct libscols_column *column;
	gboolean wrap, cut;
	guint width; /* of the widest cell */
} Column;

struct RigGrid {
	struct libscols_table *table;
	struct libscols_line *line;
	GArray *columns; /* Column */
	guint width, next;
	gboolean headings; /* at least one column has one */
};

/* Out of memory is the only way in which libsmartcols fails here, and ends as GLib ends it. */
static void must(int code)
{
	if (code < 0)
		g_error("libsmartcols: %s", g_strerror(-code));
}

RigGrid *rig_grid_new(guint width)
{
	RigGrid *grid = g_new0(RigGrid, 1);

	grid->width = width;
	grid->columns = g_array_new(FALSE, TRUE, sizeof(Column));
	grid->table = scols_new_table();
	if (!grid->table)
		g_error("libsmartcols: no memory");
	must(scols_table_set_termforce(grid->table, SCOLS_TERMFORCE_ALWAYS));
	must(scols_table_set_termwidth(grid->table, width));
	must(scols_table_set_column_separator(grid->table, " "));
	return grid;
}

void rig_grid_free(RigGrid *grid)
{
	if (!grid)
		return;
	scols_unref_table(grid->table);
	g_array_unref(grid->columns);
	g_free(grid);
}

/* One cell is one line, whatever a guest put into a name. */
static char *line_of(const char *text)
{
	return g_strdelimit(rig_text_safe(text, -1), "\n\t", ' ');
}

void rig_grid_column(RigGrid *grid, const char *heading, RigGridFlags flags)
{
	g_autofree char *safe = line_of(heading);
	Column column = {
		.wrap = (flags & RIG_GRID_WRAP) != 0,
		.cut = (flags & RIG_GRID_CUT) != 0,
		.width = rig_wrap_width(safe),
	};
	int how = 0;

	if (flags & RIG_GRID_RIGHT)
		how |= SCOLS_FL_RIGHT;
	if (flags & RIG_GRID_WRAP)
		how |= SCOLS_FL_WRAP;
	/* The hint is a minimum; the real width follows the data. */
	column.column = scols_table_new_column(grid->table, safe, 1, how);
	if (!column.column)
		g_error("libsmartcols: no memory");
	/* Lines are made here, at blanks; libsmartcols alone would break inside of words. */
	if (column.wrap) {
		must(scols_column_set_wrapfunc(column.column, scols_wrapnl_chunksize,
					       scols_wrapnl_nextchunk, NULL));
		must(scols_column_set_safechars(column.column, "\n"));
	}
	g_array_append_val(grid->columns, column);
	grid->headings |= *heading != '\0';
}

void rig_grid_row(RigGrid *grid, const char *color)
{
	grid->line = scols_table_new_line(grid->table, NULL);
	if (!grid->line)
		g_error("libsmartcols: no memory");
	if (color)
		must(scols_line_set_color(grid->line, color));
	grid->next = 0;
}

void rig_grid_cell(RigGrid *grid, const char *text)
{
	g_autofree char *safe = line_of(text ? text : "");
	Column *column = &g_array_index(grid->columns, Column, grid->next);

	column->width = MAX(column->width, rig_wrap_width(safe));
	must(scols_line_set_data(grid->line, grid->next++, safe));
}

void rig_grid_colors(RigGrid *grid, gboolean on)
{
	must(scols_table_enable_colors(grid->table, on));
}

static char *without_trailing_spaces(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	GString *trimmed = g_string_sized_new(strlen(text) + 1);

	for (char **line = lines; *line; line++)
		if (line[1] || **line)
			g_string_append_printf(trimmed, "%s\n", g_strchomp(*line));
	return g_string_free(trimmed, FALSE);
}

/* What is left for COLUMN in a line of the wished width, when all others keep theirs. */
static guint room_for(const RigGrid *grid, guint column)
{
	guint others = 0;

	for (guint i = 0; i < grid->columns->len; i++)
		if (i != column)
			others += g_array_index(grid->columns, Column, i).width + 1;
	return grid->width > others ? grid->width - others : 0;
}

/* The widest of the columns that may become narrower, or the number of columns. */
static guint widest(const RigGrid *grid)
{
	guint found = grid->columns->len, width = 0;

	for (guint i = 0; i < grid->columns->len; i++) {
		const Column *column = &g_array_index(grid->columns, Column, i);

		if ((column->wrap || column->cut) && column->width > width) {
			found = i;
			width = column->width;
		}
	}
	return found;
}

/* What fits of TEXT, ending in dots where that is not all. */
static char *cut_text(const char *text, guint room, guint *width)
{
	const char *end = text;
	guint used = strlen(DOTS);

	*width = MAX(*width, MIN(room, rig_wrap_width(text)));
	if (rig_wrap_width(text) <= room)
		return g_strdup(text);
	while (*end) {
		const char *next = g_utf8_next_char(end);
		g_autofree char *one = g_strndup(end, (gsize)(next - end));

		used += rig_wrap_width(one);
		if (used > room)
			break;
		end = next;
	}
	return g_strdup_printf("%.*s" DOTS, (int)(end - text), text);
}

static void wrap_column(RigGrid *grid, guint index, guint room)
{
	Column *column = &g_array_index(grid->columns, Column, index);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);
	struct libscols_line *line;

	column->width = 0;
	for (size_t i = 0; (line = scols_table_get_line(grid->table, i)); i++) {
		struct libscols_cell *cell = scols_line_get_column_cell(line, column->column);
		char *text = (column->cut ? cut_text : rig_wrap_text)(scols_cell_get_data(cell),
								      room, &column->width);

		g_ptr_array_add(texts, text);
		must(scols_cell_set_data(cell, text));
	}
}

/* Narrower than this, a column of text is no longer read. */
#define ROOM_MIN 8

static void wrap_cells(RigGrid *grid)
{
	for (guint tries = 0; tries < grid->columns->len; tries++) {
		guint index = widest(grid), room;

		if (index == grid->columns->len)
			return;
		room = room_for(grid, index);
		if (g_array_index(grid->columns, Column, index).width <= room)
			return;
		wrap_column(grid, index, MAX(room, ROOM_MIN));
	}
}

char *rig_grid_text(RigGrid *grid)
{
	char *text = NULL;
	char *trimmed;

	if (!scols_table_get_line(grid->table, 0))
		return g_strdup("");
	wrap_cells(grid);
	must(scols_table_enable_noheadings(grid->table, !grid->headings));
	must(scols_print_table_to_string(grid->table, &text));
	trimmed = without_trailing_spaces(text ? text : "");
	free(text); /* libsmartcols took it from malloc() */
	return trimmed;
}
