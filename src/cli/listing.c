/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listing.c - a plain table on stdout, as wide as the terminal.
 */
#include "cli/listing.h"

#include <stdio.h>

#include "cli/cmd.h"
#include "report/grid.h"

struct RigListing {
	RigGrid *grid;
};

RigListing *rig_listing_new(const char *const *heads, gboolean cut)
{
	RigListing *listing = g_new0(RigListing, 1);

	listing->grid = rig_grid_new(rig_cli_width());
	for (guint i = 0; heads[i]; i++)
		rig_grid_column(listing->grid, heads[i],
				heads[i + 1] ? RIG_GRID_LEFT
				: cut	     ? RIG_GRID_CUT
					     : RIG_GRID_WRAP);
	return listing;
}

void rig_listing_add(RigListing *listing, const char *const *values)
{
	rig_grid_row(listing->grid, NULL);
	for (guint i = 0; values[i]; i++)
		rig_grid_cell(listing->grid, values[i]);
}

void rig_listing_print(RigListing *listing)
{
	g_autofree char *text = rig_grid_text(listing->grid);

	fputs(text, stdout);
	rig_grid_free(listing->grid);
	g_free(listing);
}
