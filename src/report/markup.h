/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * markup.h - HTML and SVG text in which whatever comes from elsewhere is only ever text.
 */
#pragma once

#include <glib.h>

/* Append FORMAT, in which the arguments of %s are escaped and FORMAT itself is not. Numbers with a
 * fraction go through rig_markup_number() or number.h: printf's point depends on the locale. */
void rig_markup_add(GString *out, const char *format, ...) G_GNUC_PRINTF(2, 3);

/* Append a coordinate: at most one digit behind the point, no "-0". */
void rig_markup_number(GString *out, double value);

/* Append JSON so that it can stand in a script element: no "<", ">" or "&" is left in it, and it
 * reads back as the same. */
void rig_markup_json(GString *out, const char *json);
