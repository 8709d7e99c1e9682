/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * wrap.c - text of a cell broken into lines at blanks.
 */
#include "report/wrap.h"

#include <string.h>

static guint width_of(gunichar c)
{
	if (g_unichar_iszerowidth(c))
		return 0;
	return g_unichar_iswide(c) ? 2 : 1;
}

guint rig_wrap_width(const char *text)
{
	guint width = 0;

	for (const char *p = text; *p; p = g_utf8_next_char(p))
		width += width_of(g_utf8_get_char(p));
	return width;
}

typedef struct {
	GString *out;
	guint room, indent, *widest;
	guint used;	   /* of the line so far */
	gboolean has_word; /* the line holds more than its indent */
} Wrap;

static void end_line(Wrap *wrap)
{
	*wrap->widest = MAX(*wrap->widest, wrap->used);
}

static void new_line(Wrap *wrap)
{
	end_line(wrap);
	g_string_append_c(wrap->out, '\n');
	for (guint i = 0; i < wrap->indent; i++)
		g_string_append_c(wrap->out, ' ');
	wrap->used = wrap->indent;
	wrap->has_word = FALSE;
}

static void add_broken(Wrap *wrap, const char *word)
{
	for (const char *p = word; *p; p = g_utf8_next_char(p)) {
		guint width = width_of(g_utf8_get_char(p));

		if (wrap->has_word && wrap->used + width > wrap->room)
			new_line(wrap);
		g_string_append_len(wrap->out, p, g_utf8_next_char(p) - p);
		wrap->used += width;
		wrap->has_word = TRUE;
	}
}

static void add_word(Wrap *wrap, const char *word)
{
	guint width = rig_wrap_width(word);

	if (wrap->has_word && wrap->used + 1 + width > wrap->room)
		new_line(wrap);
	if (wrap->has_word) {
		g_string_append_c(wrap->out, ' ');
		wrap->used++;
	}
	add_broken(wrap, word);
}

static void add_words(Wrap *wrap, const char *text)
{
	g_auto(GStrv) words = g_strsplit(text, " ", -1);

	for (char **word = words; *word; word++)
		if (**word)
			add_word(wrap, *word);
}

char *rig_wrap_text(const char *text, guint room, guint *width)
{
	Wrap wrap = {.room = room, .widest = width};
	guint lead;

	text = text ? text : "";
	if (rig_wrap_width(text) <= room) {
		*width = MAX(*width, rig_wrap_width(text));
		return g_strdup(text);
	}
	lead = (guint)strspn(text, " ");
	wrap.out = g_string_new_len(text, lead);
	wrap.used = lead;
	/* Without a first indent the lines of a list stay flush. */
	wrap.indent = lead ? MIN(lead + 2, room / 2) : 0;
	add_words(&wrap, text + lead);
	end_line(&wrap);
	return g_string_free(wrap.out, FALSE);
}
