/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paragraph.h - labelled text broken at blanks.
 */
#pragma once

#include <glib.h>

/* Append "LABEL   TEXT" to OUT with TEXT from column INDENT on and, where it does not fit WIDTH, on
 * further lines from the same column. A word longer than a line stays whole. Both are made safe for
 * a terminal; LABEL is shorter than INDENT. */
void rig_paragraph_add(GString *out, const char *label, const char *text, guint indent,
		       guint width);
