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

struct RigGrid {
	struct libscols_table *table;
	struct libscols_line *line;
	guint next;
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
	int how = 0;

	if (flags & RIG_GRID_RIGHT)
		how |= SCOLS_FL_RIGHT;
	if (flags & RIG_GRID_WRAP)
		how |= SCOLS_FL_WRAP;
	/* The hint is a minimum; the real width follows the data. */
	if (!scols_table_new_column(grid->table, safe, 1, how))
		g_error("libsmartcols: no memory");
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

char *rig_grid_text(RigGrid *grid)
{
	char *text = NULL;
	char *trimmed;

	if (!scols_table_get_line(grid->table, 0))
		return g_strdup("");
	must(scols_table_enable_noheadings(grid->table, !grid->headings));
	must(scols_print_table_to_string(grid->table, &text));
	trimmed = without_trailing_spaces(text ? text : "");
	free(text); /* libsmartcols took it from malloc() */
	return trimmed;
}
