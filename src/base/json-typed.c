/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-typed.c - getters for strings that stand for something: sizes, choices, lists of words.
 */
#include "base/json.h"

#include "base/size.h"

#include <string.h>

guint64 rig_json_size(RigJson *object, const char *key, RigJsonFlags flags, guint64 fallback)
{
	const char *text = rig_json_string(object, key, flags);
	g_autoptr(GError) reason = NULL;
	guint64 bytes;

	if (!text)
		return fallback;
	if (rig_size_parse(text, &bytes, &reason))
		return bytes;
	rig_json_fail(object, key, "%s", reason->message);
	return fallback;
}

int rig_json_choice(RigJson *object, const char *key, RigJsonFlags flags, const char *const *words,
		    int fallback)
{
	const char *text = rig_json_string(object, key, flags);
	g_autofree char *list = NULL;

	if (!text)
		return fallback;
	for (int i = 0; words[i]; i++) {
		if (strcmp(words[i], text) == 0)
			return i;
	}
	list = g_strjoinv(", ", (char **)words);
	rig_json_fail(object, key, "\"%.80s\" is none of: %s", text, list);
	return fallback;
}

char **rig_json_strings(RigJson *object, const char *key, RigJsonFlags flags)
{
	RigJson *array = rig_json_array(object, key, flags);
	g_autoptr(GStrvBuilder) strings = NULL;

	if (!array)
		return NULL;
	strings = g_strv_builder_new();
	for (guint i = 0; i < rig_json_length(array); i++) {
		const char *text = rig_json_string(rig_json_at(array, i), NULL, RIG_JSON_REQUIRED);

		if (text)
			g_strv_builder_add(strings, text);
	}
	return g_strv_builder_end(strings);
}
