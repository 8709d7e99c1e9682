/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-scan.c - the check that a text must pass before json-glib sees it.
 *
 * json-glib is built on a scanner for C-like text: it takes comments and octal numbers, the last
 * of two equal keys wins in silence, numbers overflow, and depth is bounded by the stack. A text
 * from a guest must do none of that, so the grammar is checked here first, with line numbers.
 */
#include "base/json-scan.h"

#include "base/error.h"
#include "base/text.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define DOUBLE_SAFE 300 /* so many without an exponent are a double */

typedef struct {
	const char *name;
	const char *start;
	const char *p;
	const char *end;
	guint depth;
	GArray *keys;	 /* Span: of the objects that are open, the innermost last */
	GArray *slices;	 /* RigJsonSlice */
	guint long_ones; /* of them are not empty */
	GError **error;
} Scan;

/* A key as it stands in the text, between its quotes. */
typedef struct {
	const char *start;
	gsize length;
} Span;

static gboolean scan_value(Scan *scan);

static gboolean fail(Scan *scan, const char *format, ...) G_GNUC_PRINTF(2, 3);

static gboolean fail(Scan *scan, const char *format, ...)
{
	g_autofree char *message = NULL;
	g_autofree char *safe = NULL;
	guint line = 1;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	safe = rig_text_safe_line(message, -1);
	for (const char *p = scan->start; p < scan->p; p++)
		line += *p == '\n';
	rig_error_set(scan->error, RIG_ERROR_USAGE, "%s: line %u: %s", scan->name, line, safe);
	return FALSE;
}

static gboolean fail_unexpected(Scan *scan, const char *wanted)
{
	g_autofree char *found = NULL;

	if (scan->p >= scan->end)
		return fail(scan, "the text ends where %s should be", wanted);
	found = g_strndup(scan->p, (gsize)(g_utf8_next_char(scan->p) - scan->p));
	return fail(scan, "\"%s\" where %s should be", found, wanted);
}

static char peek(const Scan *scan)
{
	return scan->p < scan->end ? *scan->p : '\0';
}

static gboolean is_number(const Scan *scan)
{
	return peek(scan) == '-' || g_ascii_isdigit(peek(scan));
}

static gboolean skip_if(Scan *scan, char c)
{
	if (scan->p >= scan->end || *scan->p != c)
		return FALSE;
	scan->p++;
	return TRUE;
}

static void skip_space(Scan *scan)
{
	while (scan->p < scan->end &&
	       (*scan->p == ' ' || *scan->p == '\n' || *scan->p == '\t' || *scan->p == '\r'))
		scan->p++;
}

/* The four digits of a \u escape, -1 if there are not four. */
static int scan_hex(Scan *scan)
{
	int value = 0;

	for (int i = 0; i < 4; i++) {
		int digit = g_ascii_xdigit_value(peek(scan));

		if (digit < 0)
			return -1;
		value = value * 16 + digit;
		scan->p++;
	}
	return value;
}

/* What follows "\u": one character, which may take two escapes. */
static gboolean scan_unicode(Scan *scan, GString *text)
{
	int first = scan_hex(scan), second;

	if (first < 0)
		return fail(scan, "\\u wants four hexadecimal digits");
	if (first == 0)
		return fail(scan, "a NUL in a string");
	if (first >= 0xd800 && first <= 0xdfff) {
		second = skip_if(scan, '\\') && skip_if(scan, 'u') ? scan_hex(scan) : -1;
		if (first > 0xdbff || second < 0xdc00 || second > 0xdfff)
			return fail(scan, "half of a surrogate pair");
		first = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
	}
	if (text)
		g_string_append_unichar(text, (gunichar)first);
	return TRUE;
}

static gboolean scan_escape(Scan *scan, GString *text)
{
	static const char escapes[] = "\"\\/bfnrt", values[] = "\"\\/\b\f\n\r\t";
	const char *found;

	if (skip_if(scan, 'u'))
		return scan_unicode(scan, text);
	found = peek(scan) ? strchr(escapes, *scan->p) : NULL;
	if (!found)
		return fail_unexpected(scan, "an escape");
	if (text)
		g_string_append_c(text, values[found - escapes]);
	scan->p++;
	return TRUE;
}

/* A string; its value goes to TEXT unless that is NULL. */
static gboolean scan_string(Scan *scan, GString *text)
{
	if (!skip_if(scan, '"'))
		return fail_unexpected(scan, "a string");
	for (;;) {
		const char *plain = scan->p;

		while (scan->p < scan->end && *scan->p != '"' && *scan->p != '\\' &&
		       (guchar)*scan->p >= 0x20)
			scan->p++;
		if (text)
			g_string_append_len(text, plain, scan->p - plain);
		if (skip_if(scan, '"'))
			return TRUE;
		if (scan->p >= scan->end)
			return fail(scan, "a string without an end");
		if (!skip_if(scan, '\\'))
			return fail(scan, "a control character in a string");
		if (!scan_escape(scan, text))
			return FALSE;
	}
}

static gboolean scan_digits(Scan *scan)
{
	if (!g_ascii_isdigit(peek(scan)))
		return fail_unexpected(scan, "a digit");
	while (g_ascii_isdigit(peek(scan)))
		scan->p++;
	return TRUE;
}

/* The number that starts at START must be one that the getters can give. */
static gboolean check_range(Scan *scan, const char *start, gboolean whole, gboolean exponent)
{
	gsize length = (gsize)(scan->p - start);
	g_autofree char *text = NULL;

	if (length <= (whole ? RIG_JSON_INT_SAFE : exponent ? 0 : DOUBLE_SAFE))
		return TRUE;
	text = g_strndup(start, length);
	if (whole ? g_ascii_string_to_signed(text, 10, G_MININT64, G_MAXINT64, NULL, NULL)
		  : isfinite(g_ascii_strtod(text, NULL)))
		return TRUE;
	return fail(scan, "number %.40s is out of range", text);
}

static gboolean scan_number(Scan *scan)
{
	const char *start = scan->p;
	gboolean whole = TRUE, exponent = FALSE;

	skip_if(scan, '-');
	if (skip_if(scan, '0')) {
		if (g_ascii_isdigit(peek(scan)))
			return fail(scan, "a number with a leading 0");
	} else if (!scan_digits(scan)) {
		return FALSE;
	}
	if (skip_if(scan, '.')) {
		whole = FALSE;
		if (!scan_digits(scan))
			return FALSE;
	}
	if (skip_if(scan, 'e') || skip_if(scan, 'E')) {
		whole = FALSE;
		exponent = TRUE;
		if (!skip_if(scan, '-'))
			skip_if(scan, '+');
		if (!scan_digits(scan))
			return FALSE;
	}
	return check_range(scan, start, whole, exponent);
}

static gboolean scan_word(Scan *scan)
{
	static const char *const words[] = {"true", "false", "null"};

	for (guint i = 0; i < G_N_ELEMENTS(words); i++) {
		gsize length = strlen(words[i]);

		if ((gsize)(scan->end - scan->p) >= length &&
		    memcmp(scan->p, words[i], length) == 0) {
			scan->p += length;
			return TRUE;
		}
	}
	return fail_unexpected(scan, "a value");
}

/* *NUMBERS becomes FALSE unless the value is a number. */
static gboolean scan_member(Scan *scan, gboolean *numbers)
{
	Span key;

	skip_space(scan);
	key.start = scan->p + 1;
	if (!scan_string(scan, NULL))
		return FALSE;
	key.length = (gsize)(scan->p - 1 - key.start);
	g_array_append_val(scan->keys, key);
	skip_space(scan);
	if (!skip_if(scan, ':'))
		return fail_unexpected(scan, "\":\"");
	skip_space(scan);
	*numbers = *numbers && is_number(scan);
	return scan_value(scan);
}

/* TRUE if the keys from FIRST on are plain and each is above the one before it: so rig writes the
 * long ones, and no two are the same. */
static gboolean are_ascending(const GArray *keys, guint first)
{
	for (guint i = first; i < keys->len; i++) {
		const Span *key = &g_array_index(keys, Span, i), *before = key - 1;
		int order;

		if (memchr(key->start, '\\', key->length))
			return FALSE;
		if (i == first)
			continue;
		order = memcmp(before->start, key->start, MIN(before->length, key->length));
		if (order > 0 || (order == 0 && before->length >= key->length))
			return FALSE;
	}
	return TRUE;
}

static gboolean check_distinct(Scan *scan, guint first)
{
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = first; i < scan->keys->len; i++) {
		const Span *key = &g_array_index(scan->keys, Span, i);
		Scan again = {.p = key->start - 1, .end = key->start + key->length + 1};
		g_autoptr(GString) text = g_string_new(NULL);

		if (scan_string(&again, text) && g_hash_table_add(seen, g_strdup(text->str)))
			continue;
		scan->p = key->start;
		return fail(scan, "key \"%.80s\" is there twice", text->str);
	}
	return TRUE;
}

static gboolean scan_members(Scan *scan, gboolean *numbers)
{
	do {
		if (!scan_member(scan, numbers))
			return FALSE;
		skip_space(scan);
	} while (skip_if(scan, ','));
	return skip_if(scan, '}') || fail_unexpected(scan, "\",\" or \"}\"");
}

static void take_slice(Scan *scan, const char *start, gboolean empty)
{
	RigJsonSlice slice = {(gsize)(start - scan->start), (gsize)(scan->p - scan->start), empty};

	g_array_append_val(scan->slices, slice);
}

static gboolean scan_object(Scan *scan)
{
	const char *start = scan->p - 1;
	guint first = scan->keys->len;
	gboolean numbers = TRUE, ascending;

	skip_space(scan);
	if (skip_if(scan, '}')) {
		take_slice(scan, start, TRUE);
		return TRUE;
	}
	if (!scan_members(scan, &numbers))
		return FALSE;
	ascending = are_ascending(scan->keys, first);
	if (!ascending && !check_distinct(scan, first))
		return FALSE;
	g_array_set_size(scan->keys, first);
	if (ascending && numbers && scan->depth > 1 && scan->p - start >= RIG_JSON_SLICE_MIN) {
		take_slice(scan, start, FALSE);
		scan->long_ones++;
	}
	return TRUE;
}

static gboolean scan_array(Scan *scan)
{
	skip_space(scan);
	if (skip_if(scan, ']'))
		return TRUE;
	do {
		if (!scan_value(scan))
			return FALSE;
		skip_space(scan);
	} while (skip_if(scan, ','));
	return skip_if(scan, ']') || fail_unexpected(scan, "\",\" or \"]\"");
}

static gboolean scan_nested(Scan *scan, gboolean (*scan_content)(Scan *))
{
	gboolean ok;

	if (++scan->depth > RIG_JSON_DEPTH_MAX)
		return fail(scan, "nested deeper than %d", RIG_JSON_DEPTH_MAX);
	ok = scan_content(scan);
	scan->depth--;
	return ok;
}

static gboolean scan_value(Scan *scan)
{
	skip_space(scan);
	if (skip_if(scan, '{'))
		return scan_nested(scan, scan_object);
	if (skip_if(scan, '['))
		return scan_nested(scan, scan_array);
	if (peek(scan) == '"')
		return scan_string(scan, NULL);
	if (is_number(scan))
		return scan_number(scan);
	return scan_word(scan);
}

gboolean rig_json_scan(const char *name, const char *text, gsize length, GArray **slices,
		       GError **error)
{
	g_autoptr(GArray) keys = g_array_new(FALSE, FALSE, sizeof(Span));
	g_autoptr(GArray) found = g_array_new(FALSE, FALSE, sizeof(RigJsonSlice));
	Scan scan = {name, text, text, text + length, 0, keys, found, 0, error};
	const char *invalid;

	if (!g_utf8_validate_len(text, length, &invalid)) {
		scan.p = invalid;
		return fail(&scan, *invalid ? "invalid UTF-8" : "a NUL byte");
	}
	if (!scan_value(&scan))
		return FALSE;
	skip_space(&scan);
	if (scan.p != scan.end)
		return fail(&scan, "text behind the end of the value");
	if (!scan.long_ones)
		g_array_set_size(found, 0);
	*slices = g_steal_pointer(&found);
	return TRUE;
}
