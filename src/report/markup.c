/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * markup.c - HTML and SVG text in which whatever comes from elsewhere is only ever text.
 */
#include "report/markup.h"

#include <math.h>
#include <string.h>

void rig_markup_add(GString *out, const char *format, ...)
{
	g_autofree char *text = NULL;
	va_list args;

	va_start(args, format);
	text = g_markup_vprintf_escaped(format, args);
	va_end(args);
	g_string_append(out, text);
}

void rig_markup_number(GString *out, double value)
{
	char text[G_ASCII_DTOSTR_BUF_SIZE];
	double rounded = round(value * 10) / 10;

	if (rounded == 0)
		rounded = 0; /* not "-0" */
	g_string_append(out, g_ascii_formatd(text, sizeof(text), "%.6g", rounded));
}

void rig_markup_json(GString *out, const char *json)
{
	/* Outside of strings JSON has none of these, so an escape of a string is always right. */
	for (const char *at = json; *at; at++) {
		if (strchr("<>&", *at))
			g_string_append_printf(out, "\\u%04x", (guint)*at);
		else
			g_string_append_c(out, *at);
	}
}
