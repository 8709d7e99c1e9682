/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * listing.h - a plain table on stdout, for commands that list things.
 */
#pragma once

#include <glib.h>

typedef struct RigListing RigListing;

/* HEADS: NULL terminated. The last column is free text: where the terminal is too narrow it is CUT,
 * so that a row stays a line, or goes on in the next line. */
RigListing *rig_listing_new(const char *const *heads, gboolean cut);
/* As many VALUES as there are heads, NULL terminated; control characters are taken out. */
void rig_listing_add(RigListing *listing, const char *const *values);
/* Print and free it. */
void rig_listing_print(RigListing *listing);
