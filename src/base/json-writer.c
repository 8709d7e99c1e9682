/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-writer.c - JSON text, written as it is told.
 *
 * Not json-glib's generator: that prints doubles with 17 digits (0.1 as 0.10000000000000001), and
 * the numbers in records and exports are read by people and compared as text. Here a double is the
 * shortest text that reads back as the same value.
 */
#include "base/json.h"

#include <math.h>
#include <string.h>

#define WHOLE_MAX 1e15 /* below it %.15g has no exponent */

/*
 * The text is built in its compact form. Indentation is put in at the end, so the calls need not
 * know which of the two is wanted.
 */
struct RigJsonWriter {
	GString *text;
	gboolean first; /* nothing yet in the innermost object or array */
};

RigJsonWriter *rig_json_writer_new(void)
{
	RigJsonWriter *writer = g_new0(RigJsonWriter, 1);

	writer->text = g_string_new(NULL);
	writer->first = TRUE;
	return writer;
}

void rig_json_writer_free(RigJsonWriter *writer)
{
	if (!writer)
		return;
	g_string_free(writer->text, TRUE);
	g_free(writer);
}

static void append_escaped(GString *text, gunichar c)
{
	switch (c) {
	case '"':
	case '\\':
		g_string_append_c(text, '\\');
		g_string_append_c(text, (char)c);
		return;
	case '\n':
		g_string_append(text, "\\n");
		return;
	case '\t':
		g_string_append(text, "\\t");
		return;
	default:
		/* DEL and C1 need no escape by the RFC, but a terminal may obey them. */
		if (c < 0x20 || (c >= 0x7f && c < 0xa0))
			g_string_append_printf(text, "\\u%04x", c);
		else
			g_string_append_unichar(text, c);
	}
}

static void append_string(GString *text, const char *value)
{
	g_autofree char *valid = g_utf8_make_valid(value, -1);

	g_string_append_c(text, '"');
	for (const char *p = valid; *p; p = g_utf8_next_char(p))
		append_escaped(text, g_utf8_get_char(p));
	g_string_append_c(text, '"');
}

/* Comma and key before a value. */
static void begin(RigJsonWriter *writer, const char *key)
{
	if (!writer->first)
		g_string_append_c(writer->text, ',');
	writer->first = FALSE;
	if (key) {
		append_string(writer->text, key);
		g_string_append_c(writer->text, ':');
	}
}

static void open_with(RigJsonWriter *writer, const char *key, char bracket)
{
	begin(writer, key);
	g_string_append_c(writer->text, bracket);
	writer->first = TRUE;
}

static void close_with(RigJsonWriter *writer, char bracket)
{
	g_string_append_c(writer->text, bracket);
	writer->first = FALSE;
}

void rig_json_open_object(RigJsonWriter *writer, const char *key)
{
	open_with(writer, key, '{');
}

void rig_json_close_object(RigJsonWriter *writer)
{
	close_with(writer, '}');
}

void rig_json_open_array(RigJsonWriter *writer, const char *key)
{
	open_with(writer, key, '[');
}

void rig_json_close_array(RigJsonWriter *writer)
{
	close_with(writer, ']');
}

void rig_json_add_string(RigJsonWriter *writer, const char *key, const char *value)
{
	begin(writer, key);
	if (value)
		append_string(writer->text, value);
	else
		g_string_append(writer->text, "null");
}

void rig_json_add_int(RigJsonWriter *writer, const char *key, gint64 value)
{
	begin(writer, key);
	g_string_append_printf(writer->text, "%" G_GINT64_FORMAT, value);
}

static void append_double(GString *text, double value)
{
	char number[G_ASCII_DTOSTR_BUF_SIZE];

	/* Most are counts; they have no shorter text, and looking for one takes most of the time.
	 * Not -0. */
	if (fabs(value) < WHOLE_MAX && value == (double)(gint64)value &&
	    !(value == 0 && signbit(value))) {
		g_string_append_printf(text, "%" G_GINT64_FORMAT ".0", (gint64)value);
		return;
	}
	for (int digits = 15; digits <= 17; digits++) {
		char format[8];

		g_snprintf(format, sizeof(format), "%%.%dg", digits);
		g_ascii_formatd(number, sizeof(number), format, value);
		if (g_ascii_strtod(number, NULL) == value)
			break;
	}
	g_string_append(text, number);
	/* So that a reader sees the type; "3" would come back as an integer. */
	if (!strpbrk(number, ".e"))
		g_string_append(text, ".0");
}

void rig_json_add_double(RigJsonWriter *writer, const char *key, double value)
{
	begin(writer, key);
	if (isfinite(value))
		append_double(writer->text, value);
	else
		g_string_append(writer->text, "null");
}

void rig_json_add_bool(RigJsonWriter *writer, const char *key, gboolean value)
{
	begin(writer, key);
	g_string_append(writer->text, value ? "true" : "false");
}

void rig_json_add_strings(RigJsonWriter *writer, const char *key, const char *const *values)
{
	rig_json_open_array(writer, key);
	for (; values && *values; values++)
		rig_json_add_string(writer, NULL, *values);
	rig_json_close_array(writer);
}

static void new_line(GString *text, guint depth)
{
	g_string_append_c(text, '\n');
	for (; depth; depth--)
		g_string_append(text, "  ");
}

/* One character outside of strings, with the space that belongs around it. */
static void append_pretty(GString *text, const char *p, guint *depth)
{
	switch (*p) {
	case '{':
	case '[':
		g_string_append_c(text, *p);
		if (p[1] != '}' && p[1] != ']')
			new_line(text, ++*depth);
		break;
	case '}':
	case ']':
		if (p[-1] != '{' && p[-1] != '[')
			new_line(text, --*depth);
		g_string_append_c(text, *p);
		break;
	case ',':
		g_string_append_c(text, ',');
		new_line(text, *depth);
		break;
	case ':':
		g_string_append(text, ": ");
		break;
	default:
		g_string_append_c(text, *p);
	}
}

static char *indent(const char *compact)
{
	GString *text = g_string_new(NULL);
	gboolean in_string = FALSE;
	guint depth = 0;

	for (const char *p = compact; *p; p++) {
		if (!in_string && *p != '"') {
			append_pretty(text, p, &depth);
			continue;
		}
		g_string_append_c(text, *p);
		if (in_string && *p == '\\')
			g_string_append_c(text, *++p);
		else if (*p == '"')
			in_string = !in_string;
	}
	g_string_append_c(text, '\n');
	return g_string_free(text, FALSE);
}

char *rig_json_writer_text(RigJsonWriter *writer, gboolean pretty)
{
	return pretty ? indent(writer->text->str) : g_strdup(writer->text->str);
}
