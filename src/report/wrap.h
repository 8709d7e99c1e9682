/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wrap.h - text of a cell broken into lines at blanks.
 */
#pragma once

#include <glib.h>

/* Columns that TEXT takes on a terminal: wide characters two, combining ones none. */
guint rig_wrap_width(const char *text);

/* TEXT (NULL: "") with newlines so that no line is wider than ROOM; blanks at its beginning are an
 * indent that further lines get too, and two columns more. A word wider than a line is broken where
 * the line ends. WIDTH is raised to the widest line. g_free. */
char *rig_wrap_text(const char *text, guint room, guint *width);
