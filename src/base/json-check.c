/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-check.c - what is wrong with a text: messages with file and path, and keys that nobody asked
 * for.
 */
#include "base/error.h"
#include "base/json-private.h"
#include "base/text.h"

/* Paths and errors. */

static void append_path(GString *path, const RigJson *value)
{
	if (!value->parent)
		return;
	append_path(path, value->parent);
	if (value->key)
		g_string_append_printf(path, "%s%s", path->len ? "." : "", value->key);
	else
		g_string_append_printf(path, "[%u]", value->index);
}

char *rig_json_where(RigJson *value, const char *key)
{
	g_autoptr(GString) path = g_string_new(NULL);
	g_autofree char *safe = NULL;

	append_path(path, value);
	if (key)
		g_string_append_printf(path, "%s%s", path->len ? "." : "", key);
	safe = rig_text_safe_line(path->str, -1);
	return g_strdup_printf("%s%s%s", value->document->name, *safe ? ": " : "", safe);
}

void rig_json_fail(RigJson *value, const char *key, const char *format, ...)
{
	g_autofree char *where = NULL;
	g_autofree char *message = NULL;
	g_autofree char *safe = NULL;
	va_list args;

	if (!value || value->document->error)
		return;
	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	where = rig_json_where(value, key);
	safe = rig_text_safe_line(message, -1);
	rig_error_set(&value->document->error, RIG_ERROR_USAGE, "%s: %s", where, safe);
}

gboolean rig_json_ok(RigJson *value)
{
	return !value || !value->document->error;
}

/* The end: nothing may be left over. */

static void fail_unknown(RigJson *object, const char *key)
{
	g_autofree const char **asked =
		(const char **)g_hash_table_get_keys_as_array(object->asked, NULL);
	const char *nearest = rig_text_nearest(key, asked);

	if (nearest)
		rig_json_fail(object, NULL, "unknown key \"%s\" (did you mean \"%s\"?)", key,
			      nearest);
	else
		rig_json_fail(object, NULL, "unknown key \"%s\"", key);
}

static void check_leftovers(RigJson *value)
{
	g_auto(GStrv) keys = NULL;

	if (!value || !rig_json_ok(value))
		return;
	for (guint i = 0; value->elements && i < rig_json_length(value); i++)
		check_leftovers(value->elements[i]);
	if (!value->asked || value->all_read)
		return;
	keys = rig_json_keys(value);
	for (guint i = 0; keys[i]; i++) {
		gpointer below;

		if (g_hash_table_lookup_extended(value->asked, keys[i], NULL, &below))
			check_leftovers(below);
		else
			fail_unknown(value, keys[i]);
	}
}

gboolean rig_json_finish(RigJson *root, GError **error)
{
	check_leftovers(root);
	if (rig_json_ok(root))
		return TRUE;
	if (error)
		*error = g_error_copy(root->document->error);
	return FALSE;
}
