/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * grid.h - plain-text tables for people, laid out by libsmartcols.
 */
#pragma once

#include <glib.h>

typedef enum {
	RIG_GRID_LEFT = 0,
	RIG_GRID_RIGHT = 1 << 0,
	RIG_GRID_WRAP = 1 << 1, /* goes on in the next line when the table is too wide */
	RIG_GRID_CUT = 1 << 2,	/* ends in "..." then: for text that can be read elsewhere */
} RigGridFlags;

typedef struct RigGrid RigGrid;

/* WIDTH in columns that the table should not exceed; a wider one wraps what may wrap, and cuts
 * nothing but what may be cut. */
RigGrid *rig_grid_new(guint width);
void rig_grid_free(RigGrid *grid);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigGrid, rig_grid_free)

/* A column with its heading ("" for none). All columns come before the first row. */
void rig_grid_column(RigGrid *grid, const char *heading, RigGridFlags flags);

/* Begin a row; COLOR is NULL or a libsmartcols colour ("red", "bold"), shown only with
 * rig_grid_colors(). */
void rig_grid_row(RigGrid *grid, const char *color);
/* Fill the next cell of the row; NULL or "" leaves it empty. Text is made safe for a terminal. */
void rig_grid_cell(RigGrid *grid, const char *text);
void rig_grid_colors(RigGrid *grid, gboolean on);

/* The text, each line without spaces at its end and with a newline; "" when there are no rows.
 * g_free. */
char *rig_grid_text(RigGrid *grid);
