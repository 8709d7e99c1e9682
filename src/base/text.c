/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * text.c - text from elsewhere made safe to print, and time as text.
 *
 * What a guest, a file or another program wrote may hold terminal escapes. Everything of that
 * kind goes through rig_text_safe() before a person sees it.
 */
#include "base/text.h"

#include <math.h>
#include <string.h>

#define NEAREST_MAX 64 /* longer words are nobody's slip, and the distance takes their square */

/* What turns the order of letters around is one, too: a name could look like another. */
static gboolean is_control(gunichar c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069);
}

/* Escape all control characters but those in PASS. */
static char *escape(const char *text, gssize length, const char *pass)
{
	const char *end = text + (length < 0 ? strlen(text) : (gsize)length);
	GString *safe = g_string_sized_new((gsize)(end - text));

	while (text < end) {
		gunichar c = g_utf8_get_char_validated(text, end - text);

		/* An embedded NUL is reported as incomplete (-2), as a cut sequence is. */
		if (c == (gunichar)-1 || c == (gunichar)-2) {
			g_string_append_printf(safe, "\\x%02x", (guchar)*text++);
			continue;
		}
		if (is_control(c) && !(c && strchr(pass, (int)c)))
			g_string_append_printf(safe, "\\x%02x", c);
		else
			g_string_append_unichar(safe, c);
		text = g_utf8_next_char(text);
	}
	return g_string_free(safe, FALSE);
}

char *rig_text_safe(const char *text, gssize length)
{
	return escape(text, length, "\t\n");
}

char *rig_text_safe_line(const char *text, gssize length)
{
	return escape(text, length, "");
}

const char *rig_text_last_lines(const char *text, guint n)
{
	const char *p = text + strlen(text);

	if (n == 0)
		return p;
	if (p > text && p[-1] == '\n')
		p--;
	for (; p > text; p--) {
		if (p[-1] == '\n' && --n == 0)
			break;
	}
	return p;
}

/* Levenshtein's distance; a swap of neighbours counts as one, as it is one slip of the fingers. */
static guint distance(const char *a, const char *b)
{
	gsize la = strlen(a), lb = strlen(b), row = lb + 1;
	g_autofree guint *d = g_new(guint, (la + 1) * row);

	for (gsize j = 0; j <= lb; j++)
		d[j] = (guint)j;
	for (gsize i = 1; i <= la; i++) {
		d[i * row] = (guint)i;
		for (gsize j = 1; j <= lb; j++) {
			guint best = d[(i - 1) * row + j - 1] + (a[i - 1] != b[j - 1]);

			best = MIN(best, d[(i - 1) * row + j] + 1);
			best = MIN(best, d[i * row + j - 1] + 1);
			if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
				best = MIN(best, d[(i - 2) * row + j - 2] + 1);
			d[i * row + j] = best;
		}
	}
	return d[la * row + lb];
}

const char *rig_text_nearest(const char *word, const char *const *words)
{
	const char *nearest = NULL;
	gsize length = strlen(word);
	guint least; /* the distance that is too far, then the best one so far */

	if (length < 2 || length > NEAREST_MAX)
		return NULL;
	least = (guint)CLAMP(length / 3, 1, 3) + 1;
	for (; *words; words++) {
		guint d = strlen(*words) > NEAREST_MAX ? least : distance(word, *words);

		if (d < least) {
			nearest = *words;
			least = d;
		}
	}
	return nearest;
}

char *rig_text_time(gint64 seconds)
{
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(seconds);

	/* Years above 9999 have no such text; the number is at least not wrong. */
	if (!time)
		return g_strdup_printf("@%" G_GINT64_FORMAT, seconds);
	return g_date_time_format(time, "%Y-%m-%dT%H:%M:%SZ");
}

char *rig_text_duration(double seconds)
{
	guint64 s;

	if (!isfinite(seconds) || seconds < 0 || seconds > 1e12)
		return g_strdup("?");
	if (seconds < 0.9995)
		return g_strdup_printf("%.0f ms", seconds * 1000);
	if (seconds < 9.95)
		return g_strdup_printf("%.1f s", seconds);
	s = (guint64)(seconds + 0.5);
	if (s < 60)
		return g_strdup_printf("%" G_GUINT64_FORMAT " s", s);
	if (s < 3600)
		return g_strdup_printf("%u m %u s", (guint)s / 60, (guint)s % 60);
	if (s < 86400)
		return g_strdup_printf("%u h %u m", (guint)s / 3600, (guint)s % 3600 / 60);
	return g_strdup_printf("%" G_GUINT64_FORMAT " d %u h", s / 86400,
			       (guint)(s % 86400) / 3600);
}

char *rig_text_sha256(const char *text)
{
	return g_compute_checksum_for_string(G_CHECKSUM_SHA256, text, -1);
}
