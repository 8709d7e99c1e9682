/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listing.c - a plain table on stdout, as util-linux prints them.
 */
#include "cli/listing.h"

#include <libsmartcols.h>

#include "base/text.h"

struct RigListing {
	struct libscols_table *table;
};

RigListing *rig_listing_new(const char *const *heads)
{
	RigListing *listing = g_new0(RigListing, 1);

	scols_init_debug(0);
	listing->table = scols_new_table();
	for (guint i = 0; heads[i]; i++)
		scols_table_new_column(listing->table, heads[i], 0, 0);
	return listing;
}

void rig_listing_add(RigListing *listing, const char *const *values)
{
	struct libscols_line *line = scols_table_new_line(listing->table, NULL);

	for (guint i = 0; values[i]; i++) {
		g_autofree char *safe = rig_text_safe_line(values[i], -1);

		scols_line_set_data(line, i, safe);
	}
}

void rig_listing_print(RigListing *listing)
{
	scols_print_table(listing->table);
	scols_unref_table(listing->table);
	g_free(listing);
}
