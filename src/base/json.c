/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.c - the strict reader, over json-glib's tree. No other file includes json-glib.
 *
 * A RigJson is made for a value when somebody asks for it. It knows its way up, which gives the
 * path in messages, and which keys it was asked for, which tells the unknown ones at the end.
 */
#include "base/json-private.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json-scan.h"

#include <json-glib/json-glib.h>
#include <string.h>

#define DEFAULT_MAX (1024 * 1024)

static void value_free(RigJson *value)
{
	if (!value)
		return;
	if (value->asked)
		g_hash_table_destroy(value->asked);
	for (guint i = 0; value->elements && i < rig_json_length(value); i++)
		value_free(value->elements[i]);
	g_free(value->elements);
	g_free(value);
}

static RigJson *value_new(RigJsonDocument *document, RigJson *parent, JsonNode *node)
{
	RigJson *value = g_new0(RigJson, 1);

	value->document = document;
	value->parent = parent;
	value->node = node;
	if (JSON_NODE_HOLDS_OBJECT(node))
		value->asked = g_hash_table_new_full(g_str_hash, g_str_equal, g_free,
						     (GDestroyNotify)value_free);
	return value;
}

typedef struct {
	RigJsonDocument *document;
	const char *text;
	const GArray *slices;
	guint next; /* that an empty object stands for */
} Walk;

static void match_node(Walk *walk, JsonNode *node);

static void match_member(JsonObject *object, const char *key, JsonNode *node, gpointer walk)
{
	match_node(walk, node);
}

static void match_element(JsonArray *array, guint i, JsonNode *node, gpointer walk)
{
	match_node(walk, node);
}

/* Find the empty objects again, which come in the order of the slices. */
static void match_node(Walk *walk, JsonNode *node)
{
	const RigJsonSlice *slice;

	if (JSON_NODE_HOLDS_ARRAY(node))
		json_array_foreach_element(json_node_get_array(node), match_element, walk);
	if (!JSON_NODE_HOLDS_OBJECT(node))
		return;
	json_object_foreach_member(json_node_get_object(node), match_member, walk);
	if (json_object_get_size(json_node_get_object(node)) > 0)
		return;
	g_return_if_fail(walk->next < walk->slices->len);
	slice = &g_array_index(walk->slices, RigJsonSlice, walk->next++);
	if (!slice->empty)
		g_hash_table_insert(
			walk->document->apart, node,
			g_strndup(walk->text + slice->start, slice->end - slice->start));
}

/* The object as json-glib has it, for getters that want a single member. */
static JsonObject *object_of(RigJson *value)
{
	const char *text = g_hash_table_lookup(value->document->apart, value->node);
	JsonNode *whole;

	if (text) {
		whole = json_from_string(text, NULL);
		json_node_set_object(value->node, json_node_get_object(whole));
		json_node_unref(whole);
		g_hash_table_remove(value->document->apart, value->node);
	}
	return json_node_get_object(value->node);
}

RigJson *rig_json_parse(const char *name, const char *text, gssize length, GError **error)
{
	g_autoptr(JsonParser) parser = NULL;
	g_autoptr(GArray) slices = NULL;
	g_autoptr(GError) reason = NULL;
	g_autofree char *rest = NULL;
	RigJsonDocument *document;

	if (length < 0)
		length = (gssize)strlen(text);
	if (!rig_json_scan(name, text, (gsize)length, &slices, error))
		return NULL;
	rest = rig_json_cut(text, (gsize)length, slices);
	parser = json_parser_new();
	if (!json_parser_load_from_data(parser, rest, -1, &reason)) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: %s", name, reason->message);
		return NULL;
	}
	document = g_new0(RigJsonDocument, 1);
	document->name = g_strdup(name);
	document->node = json_parser_steal_root(parser);
	document->apart = g_hash_table_new_full(NULL, NULL, NULL, g_free);
	if (slices->len)
		match_node(&(Walk){document, text, slices, 0}, document->node);
	return value_new(document, NULL, document->node);
}

RigJson *rig_json_load(const char *path, gsize max, GError **error)
{
	g_autofree char *text = NULL;
	gsize length;

	text = rig_file_read(path, max ? max : DEFAULT_MAX, &length, error);
	return text ? rig_json_parse(path, text, (gssize)length, error) : NULL;
}

void rig_json_free(RigJson *root)
{
	RigJsonDocument *document;

	if (!root)
		return;
	g_return_if_fail(!root->parent);
	document = root->document;
	value_free(root);
	json_node_unref(document->node);
	g_hash_table_unref(document->apart);
	g_clear_error(&document->error);
	g_free(document->name);
	g_free(document);
}

/* Getters. */

static const char *type_name(const RigJson *value)
{
	switch (json_node_get_value_type(value->node)) {
	case G_TYPE_STRING:
		return "a string";
	case G_TYPE_INT64:
	case G_TYPE_DOUBLE:
		return "a number";
	case G_TYPE_BOOLEAN:
		return "true or false";
	default:
		return JSON_NODE_HOLDS_OBJECT(value->node)  ? "an object"
		       : JSON_NODE_HOLDS_ARRAY(value->node) ? "a list"
							    : "null";
	}
}

static void fail_type(RigJson *value, const char *wanted)
{
	rig_json_fail(value, NULL, "must be %s, is %s", wanted, type_name(value));
}

/* The value of KEY, remembered in OBJECT; NULL if there is no such member. */
static RigJson *member(RigJson *object, const char *key)
{
	JsonNode *node = json_object_get_member(object_of(object), key);
	gpointer known, value = NULL;

	if (g_hash_table_lookup_extended(object->asked, key, &known, &value))
		return value;
	known = g_strdup(key);
	if (node) {
		RigJson *made = value_new(object->document, object, node);

		made->key = known;
		value = made;
	}
	g_hash_table_insert(object->asked, known, value);
	return value;
}

/* What a getter is to read: OBJECT.KEY, or OBJECT itself without a key. A null is as good as
 * missing: the writer writes one for what it does not have. */
static RigJson *find(RigJson *object, const char *key, RigJsonFlags flags)
{
	RigJson *value = object;

	if (!object)
		return NULL;
	if (key && !object->asked) {
		fail_type(object, "an object");
		return NULL;
	}
	if (key)
		value = member(object, key);
	if (value && !JSON_NODE_HOLDS_NULL(value->node))
		return value;
	if (flags & RIG_JSON_REQUIRED)
		rig_json_fail(object, key, value ? "must not be null" : "is missing");
	return NULL;
}

static gboolean holds(RigJson *value, GType type)
{
	return value && JSON_NODE_HOLDS_VALUE(value->node) &&
	       json_node_get_value_type(value->node) == type;
}

/* find() for one type; WANTED names it in the error. */
static RigJson *find_typed(RigJson *object, const char *key, RigJsonFlags flags,
			   gboolean (*is_type)(RigJson *), const char *wanted)
{
	RigJson *value = find(object, key, flags);

	if (!value || is_type(value))
		return value;
	fail_type(value, wanted);
	return NULL;
}

static gboolean is_int(RigJson *value)
{
	return holds(value, G_TYPE_INT64);
}

static gboolean is_bool(RigJson *value)
{
	return holds(value, G_TYPE_BOOLEAN);
}

gboolean rig_json_is_object(RigJson *value)
{
	return value && JSON_NODE_HOLDS_OBJECT(value->node);
}

gboolean rig_json_is_array(RigJson *value)
{
	return value && JSON_NODE_HOLDS_ARRAY(value->node);
}

gboolean rig_json_is_string(RigJson *value)
{
	return holds(value, G_TYPE_STRING);
}

gboolean rig_json_is_number(RigJson *value)
{
	return is_int(value) || holds(value, G_TYPE_DOUBLE);
}

const char *rig_json_string(RigJson *object, const char *key, RigJsonFlags flags)
{
	RigJson *value = find_typed(object, key, flags, rig_json_is_string, "a string");

	return value ? json_node_get_string(value->node) : NULL;
}

gint64 rig_json_int(RigJson *object, const char *key, RigJsonFlags flags, gint64 min, gint64 max,
		    gint64 fallback)
{
	RigJson *value = find_typed(object, key, flags, is_int, "a whole number");
	gint64 number = value ? json_node_get_int(value->node) : fallback;

	if (!value || (number >= min && number <= max))
		return number;
	rig_json_fail(value, NULL,
		      "must be from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT
		      ", is %" G_GINT64_FORMAT,
		      min, max, number);
	return fallback;
}

double rig_json_double(RigJson *object, const char *key, RigJsonFlags flags, double fallback)
{
	RigJson *value = find_typed(object, key, flags, rig_json_is_number, "a number");

	return value ? json_node_get_double(value->node) : fallback;
}

gboolean rig_json_bool(RigJson *object, const char *key, RigJsonFlags flags, gboolean fallback)
{
	RigJson *value = find_typed(object, key, flags, is_bool, "true or false");

	return value ? json_node_get_boolean(value->node) : fallback;
}

RigJson *rig_json_object(RigJson *object, const char *key, RigJsonFlags flags)
{
	return find_typed(object, key, flags, rig_json_is_object, "an object");
}

RigJson *rig_json_array(RigJson *object, const char *key, RigJsonFlags flags)
{
	return find_typed(object, key, flags, rig_json_is_array, "a list");
}

gboolean rig_json_has(RigJson *object, const char *key)
{
	JsonNode *node = NULL;

	if (rig_json_is_object(object))
		node = json_object_get_member(object_of(object), key);
	return node && !JSON_NODE_HOLDS_NULL(node);
}

RigJson *rig_json_member(RigJson *object, const char *key)
{
	return find(object, key, RIG_JSON_OPTIONAL);
}

void rig_json_ignore(RigJson *object, const char *key)
{
	if (rig_json_is_object(object) && !g_hash_table_contains(object->asked, key))
		g_hash_table_insert(object->asked, g_strdup(key), NULL);
}

char **rig_json_keys(RigJson *object)
{
	g_autoptr(GStrvBuilder) keys = g_strv_builder_new();
	JsonObjectIter iter;
	const char *key;

	if (object && !object->asked)
		fail_type(object, "an object");
	if (rig_json_is_object(object)) {
		json_object_iter_init_ordered(&iter, object_of(object));
		while (json_object_iter_next_ordered(&iter, &key, NULL))
			g_strv_builder_add(keys, key);
	}
	return g_strv_builder_end(keys);
}

void rig_json_numbers(RigJson *object, RigJsonNumberFn each, gpointer data)
{
	const char *slice =
		object ? g_hash_table_lookup(object->document->apart, object->node) : NULL;
	g_auto(GStrv) keys = object && !slice ? rig_json_keys(object) : NULL;

	if (slice) {
		object->all_read = TRUE;
		rig_json_slice_numbers(slice, each, data);
	}
	for (guint i = 0; keys && keys[i]; i++) {
		double value = rig_json_double(object, keys[i], RIG_JSON_REQUIRED, 0);

		each(keys[i], value, data);
	}
}

guint rig_json_length(RigJson *array)
{
	if (!rig_json_is_array(array))
		return 0;
	return json_array_get_length(json_node_get_array(array->node));
}

RigJson *rig_json_at(RigJson *array, guint i)
{
	guint length = rig_json_length(array);

	if (i >= length)
		return NULL;
	if (!array->elements)
		array->elements = g_new0(RigJson *, length);
	if (!array->elements[i]) {
		JsonArray *elements = json_node_get_array(array->node);

		array->elements[i] =
			value_new(array->document, array, json_array_get_element(elements, i));
		array->elements[i]->index = i;
	}
	return array->elements[i];
}
