/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * size.c - sizes with units, exact to the byte in both directions.
 */
#include "base/size.h"

#include "base/error.h"

#include <string.h>

#define FRACTION_DIGITS_MAX 18 /* 10^18 times the largest unit still fits 128 bits */

static const struct {
	char letter;
	guint shift;
} units[] = {{'T', 40}, {'G', 30}, {'M', 20}, {'K', 10}};

/* Read "G", "GB" or "GiB"; plain "B" has shift 0. */
static gboolean parse_unit(const char *text, guint *shift)
{
	if (strcmp(text, "B") == 0) {
		*shift = 0;
		return TRUE;
	}
	for (guint i = 0; i < G_N_ELEMENTS(units); i++) {
		if (text[0] != units[i].letter)
			continue;
		*shift = units[i].shift;
		return !text[1] || strcmp(text + 1, "B") == 0 || strcmp(text + 1, "iB") == 0;
	}
	return FALSE;
}

/* The digits at *TEXT as a number, at most MAX of them. Moves *TEXT behind them; returns how many
 * there were, 0 also when there are too many. */
static guint parse_digits(const char **text, guint max, unsigned __int128 *value)
{
	guint n = 0;

	for (*value = 0; g_ascii_isdigit(**text); (*text)++) {
		if (++n > max)
			return 0;
		*value = *value * 10 + (guint)(**text - '0');
	}
	return n;
}

/* Add FRACTION / 10^DIGITS of a unit to BYTES where that is a whole number of bytes. */
static gboolean add_fraction(unsigned __int128 *bytes, unsigned __int128 fraction, guint digits,
			     guint shift)
{
	unsigned __int128 scale = 1;

	while (digits--)
		scale *= 10;
	fraction <<= shift;
	if (fraction % scale)
		return FALSE;
	*bytes += fraction / scale;
	return TRUE;
}

gboolean rig_size_parse(const char *text, guint64 *bytes, GError **error)
{
	unsigned __int128 value = 0, fraction = 0;
	const char *p = text;
	guint digits = 0, shift = 0;

	if (!parse_digits(&p, 20, &value))
		goto malformed;
	if (*p == '.') {
		p++;
		digits = parse_digits(&p, FRACTION_DIGITS_MAX, &fraction);
		if (!digits)
			goto malformed;
	}
	while (*p == ' ')
		p++;
	if (!*p) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "size \"%s\" has no unit (B, K, M, G or T, as in \"256G\")", text);
		return FALSE;
	}
	if (!parse_unit(p, &shift))
		goto malformed;
	value <<= shift;
	if (!add_fraction(&value, fraction, digits, shift)) {
		rig_error_set(error, RIG_ERROR_USAGE, "size \"%s\" is no whole number of bytes",
			      text);
		return FALSE;
	}
	if (value > G_MAXUINT64) {
		rig_error_set(error, RIG_ERROR_USAGE, "size \"%s\" is too large", text);
		return FALSE;
	}
	*bytes = (guint64)value;
	return TRUE;
malformed:
	rig_error_set(error, RIG_ERROR_USAGE,
		      "\"%s\" is no size (a number and a unit B, K, M, G or T, as in \"256G\")",
		      text);
	return FALSE;
}

char *rig_size_format(guint64 bytes)
{
	for (guint i = 0; bytes && i < G_N_ELEMENTS(units); i++) {
		guint64 unit = G_GUINT64_CONSTANT(1) << units[i].shift;

		if (bytes % unit == 0)
			return g_strdup_printf("%" G_GUINT64_FORMAT "%c", bytes / unit,
					       units[i].letter);
	}
	return g_strdup_printf("%" G_GUINT64_FORMAT "B", bytes);
}
