/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * schema-check.h - holds a JSON text to a schema of docs/schema/.
 *
 * Knows the part of JSON Schema that those files use: type, required, properties,
 * additionalProperties, items, enum of strings and null, and $ref into $defs.
 */
#pragma once

#include <json-glib/json-glib.h>
#include <string.h>

typedef struct {
	JsonObject *root; /* of the schema */
	GString *path;	  /* of the value that is looked at */
} SchemaCheck;

static inline void schema_value(SchemaCheck *check, JsonObject *schema, JsonNode *value);

static inline gboolean schema_is_type(JsonNode *value, const char *type)
{
	GType held =
		JSON_NODE_HOLDS_VALUE(value) ? json_node_get_value_type(value) : G_TYPE_INVALID;

	if (g_str_equal(type, "object"))
		return JSON_NODE_HOLDS_OBJECT(value);
	if (g_str_equal(type, "array"))
		return JSON_NODE_HOLDS_ARRAY(value);
	if (g_str_equal(type, "null"))
		return JSON_NODE_HOLDS_NULL(value);
	if (g_str_equal(type, "string"))
		return held == G_TYPE_STRING;
	if (g_str_equal(type, "boolean"))
		return held == G_TYPE_BOOLEAN;
	if (g_str_equal(type, "integer"))
		return held == G_TYPE_INT64;
	g_assert_cmpstr(type, ==, "number");
	return held == G_TYPE_INT64 || held == G_TYPE_DOUBLE;
}

static inline void schema_type(SchemaCheck *check, JsonNode *types, JsonNode *value)
{
	if (!JSON_NODE_HOLDS_ARRAY(types)) {
		if (!schema_is_type(value, json_node_get_string(types)))
			g_error("%s is not of type %s", check->path->str,
				json_node_get_string(types));
		return;
	}
	for (guint i = 0; i < json_array_get_length(json_node_get_array(types)); i++)
		if (schema_is_type(value,
				   json_array_get_string_element(json_node_get_array(types), i)))
			return;
	g_error("%s is of none of its types", check->path->str);
}

static inline void schema_enum(SchemaCheck *check, JsonArray *words, JsonNode *value)
{
	const char *text = JSON_NODE_HOLDS_NULL(value) ? NULL : json_node_get_string(value);

	for (guint i = 0; i < json_array_get_length(words); i++) {
		JsonNode *word = json_array_get_element(words, i);

		if (g_strcmp0(JSON_NODE_HOLDS_NULL(word) ? NULL : json_node_get_string(word),
			      text) == 0)
			return;
	}
	g_error("%s: \"%s\" is not one of the words", check->path->str, text ? text : "null");
}

static inline void schema_at(SchemaCheck *check, JsonObject *schema, JsonNode *value,
			     const char *step)
{
	gsize length = check->path->len;

	g_string_append_printf(check->path, "/%s", step);
	schema_value(check, schema, value);
	g_string_truncate(check->path, length);
}

/* What an object may hold beyond its properties: a schema, or NULL for nothing. */
static inline JsonObject *schema_additional(JsonObject *schema)
{
	JsonNode *node = json_object_get_member(schema, "additionalProperties");

	return node && JSON_NODE_HOLDS_OBJECT(node) ? json_node_get_object(node) : NULL;
}

static inline void schema_object(SchemaCheck *check, JsonObject *schema, JsonObject *value)
{
	JsonObject *properties = json_object_has_member(schema, "properties")
					 ? json_object_get_object_member(schema, "properties")
					 : NULL;
	g_autoptr(GList) members = json_object_get_members(value);

	for (GList *m = members; m; m = m->next) {
		JsonObject *one = properties && json_object_has_member(properties, m->data)
					  ? json_object_get_object_member(properties, m->data)
					  : schema_additional(schema);

		if (!one)
			g_error("%s: the schema knows no \"%s\"", check->path->str,
				(char *)m->data);
		schema_at(check, one, json_object_get_member(value, m->data), m->data);
	}
	if (!json_object_has_member(schema, "required"))
		return;
	for (guint i = 0;
	     i < json_array_get_length(json_object_get_array_member(schema, "required")); i++) {
		const char *name = json_array_get_string_element(
			json_object_get_array_member(schema, "required"), i);

		if (!json_object_has_member(value, name))
			g_error("%s: \"%s\" is missing", check->path->str, name);
	}
}

static inline void schema_value(SchemaCheck *check, JsonObject *schema, JsonNode *value)
{
	if (json_object_has_member(schema, "$ref")) {
		const char *ref = json_object_get_string_member(schema, "$ref");
		JsonObject *defs = json_object_get_object_member(check->root, "$defs");

		g_assert_true(g_str_has_prefix(ref, "#/$defs/"));
		schema = json_object_get_object_member(defs, ref + strlen("#/$defs/"));
		g_assert_nonnull(schema);
	}
	schema_type(check, json_object_get_member(schema, "type"), value);
	if (json_object_has_member(schema, "enum"))
		schema_enum(check, json_object_get_array_member(schema, "enum"), value);
	if (JSON_NODE_HOLDS_OBJECT(value))
		schema_object(check, schema, json_node_get_object(value));
	for (guint i = 0;
	     JSON_NODE_HOLDS_ARRAY(value) && i < json_array_get_length(json_node_get_array(value));
	     i++) {
		g_autofree char *step = g_strdup_printf("%u", i);

		schema_at(check, json_object_get_object_member(schema, "items"),
			  json_array_get_element(json_node_get_array(value), i), step);
	}
}

/* Ends the test with the path of the first place where TEXT does not fit the schema file NAME. */
static inline void schema_expect(const char *name, const char *text)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "docs", "schema", name, NULL);
	g_autoptr(JsonParser) schema = json_parser_new();
	g_autoptr(JsonParser) value = json_parser_new();
	g_autoptr(GString) at = g_string_new(NULL);
	g_autoptr(GError) error = NULL;
	SchemaCheck check = {.path = at};

	json_parser_load_from_file(schema, path, &error);
	g_assert_no_error(error);
	json_parser_load_from_data(value, text, -1, &error);
	g_assert_no_error(error);
	check.root = json_node_get_object(json_parser_get_root(schema));
	schema_value(&check, check.root, json_parser_get_root(value));
}
