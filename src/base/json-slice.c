/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-slice.c - long objects of numbers, read from the text itself.
 *
 * json-glib takes a hundred times longer to make nodes of them than it takes to read them. It gets
 * the text with an empty object in the place of each. The text has passed the scan, so nothing is
 * checked here.
 */
#include "base/json-scan.h"

#include <string.h>

char *rig_json_cut(const char *text, gsize length, const GArray *slices)
{
	GString *rest = g_string_sized_new(1024);
	gsize at = 0;

	for (guint i = 0; i < slices->len; i++) {
		const RigJsonSlice *slice = &g_array_index(slices, RigJsonSlice, i);

		g_string_append_len(rest, text + at, (gssize)(slice->start - at));
		g_string_append(rest, "{}");
		at = slice->end;
	}
	g_string_append_len(rest, text + at, (gssize)(length - at));
	return g_string_free(rest, FALSE);
}

static double read_number(const char **p)
{
	gint64 whole = 0;
	const char *c = *p;
	char *end;
	double value;

	/* "12345.0": most of them. */
	while (g_ascii_isdigit(*c) && c - *p < RIG_JSON_INT_SAFE)
		whole = whole * 10 + *c++ - '0';
	if (c > *p && c[0] == '.' && c[1] == '0' && !g_ascii_isalnum(c[2])) {
		*p = c + 2;
		return (double)whole;
	}
	value = g_ascii_strtod(*p, &end);
	*p = end;
	return value;
}

void rig_json_slice_numbers(const char *slice, RigJsonNumberFn each, gpointer data)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (const char *p = strchr(slice, '"'); p; p = strchr(p, '"')) {
		const char *end = strchr(p + 1, '"');

		g_string_truncate(name, 0);
		g_string_append_len(name, p + 1, end - p - 1);
		p = end + 1 + strspn(end + 1, " \t\r\n:");
		each(name->str, read_number(&p), data);
	}
}
