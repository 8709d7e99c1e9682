/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paragraph.c - labelled text broken at blanks.
 */
#include "report/paragraph.h"

#include <string.h>

#include "base/text.h"
#include "report/wrap.h"

static void pad(GString *out, guint columns)
{
	while (columns--)
		g_string_append_c(out, ' ');
}

void rig_paragraph_add(GString *out, const char *label, const char *text, guint indent, guint width)
{
	g_autofree char *safe_label = rig_text_safe(label, -1);
	g_autofree char *safe = rig_text_safe(text, -1);
	g_auto(GStrv) words = g_strsplit_set(safe, " \n\t", -1);
	guint at = indent;

	g_string_append(out, safe_label);
	pad(out, indent - MIN(indent, rig_wrap_width(safe_label)));
	for (char **word = words; *word; word++) {
		guint length = rig_wrap_width(*word);

		if (length == 0)
			continue;
		if (at > indent && at + 1 + length > width) {
			g_string_append_c(out, '\n');
			pad(out, indent);
			at = indent;
		}
		if (at > indent) {
			g_string_append_c(out, ' ');
			at++;
		}
		g_string_append(out, *word);
		at += length;
	}
	g_string_append_c(out, '\n');
}
