/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-json.c - any bytes into the strict reader.
 *
 * Besides not crashing: what it takes can be walked with every getter, and written out and read in
 * again gives the same text. Numbers come out the same at one go and key by key.
 */
#include "base/error.h"
#include "base/json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_value(RigJsonWriter *writer, const char *key, RigJson *value);

static void write_object(RigJsonWriter *writer, const char *key, RigJson *object)
{
	g_auto(GStrv) keys = rig_json_keys(object);

	rig_json_open_object(writer, key);
	for (guint i = 0; keys[i]; i++) {
		RigJson *child = rig_json_object(object, keys[i], RIG_JSON_OPTIONAL);

		/* Each getter once; all but one complain, which must be harmless. */
		if (!child)
			child = rig_json_array(object, keys[i], RIG_JSON_OPTIONAL);
		if (child)
			write_value(writer, keys[i], child);
		else if (!rig_json_has(object, keys[i]))
			rig_json_add_string(writer, keys[i], NULL);
		else
			rig_json_add_int(writer, keys[i],
					 rig_json_int(object, keys[i], 0, -9, 9, 0));
		rig_json_size(object, keys[i], RIG_JSON_REQUIRED, 0);
	}
	rig_json_close_object(writer);
}

static void write_value(RigJsonWriter *writer, const char *key, RigJson *value)
{
	const char *string;

	if (rig_json_is_object(value)) {
		write_object(writer, key, value);
	} else if (rig_json_is_array(value)) {
		rig_json_open_array(writer, key);
		for (guint i = 0; i < rig_json_length(value); i++)
			write_value(writer, NULL, rig_json_at(value, i));
		rig_json_close_array(writer);
	} else if (rig_json_is_string(value)) {
		string = rig_json_string(value, NULL, RIG_JSON_REQUIRED);
		g_assert_true(g_utf8_validate(string, -1, NULL));
		rig_json_add_string(writer, key, string);
	} else if (rig_json_is_number(value)) {
		rig_json_add_double(writer, key, rig_json_double(value, NULL, 0, 0));
	} else {
		rig_json_add_bool(writer, key, rig_json_bool(value, NULL, 0, FALSE));
	}
}

static char *written(RigJson *root)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	write_value(writer, NULL, root);
	return rig_json_writer_text(writer, TRUE);
}

static void add_number(const char *name, double value, gpointer sum)
{
	*(double *)sum += value * (double)(strlen(name) + 1);
}

/* Of all objects at any depth. FAST: with the call for many numbers, before any other has touched
 * the object. */
static double sum_of(RigJson *value, gboolean fast)
{
	g_auto(GStrv) keys = NULL;
	double sum = 0;

	for (guint i = 0; i < rig_json_length(value); i++)
		sum += sum_of(rig_json_at(value, i), fast);
	if (!rig_json_is_object(value))
		return sum;
	if (fast)
		rig_json_numbers(value, add_number, &sum);
	keys = rig_json_keys(value);
	for (guint i = 0; !fast && keys[i]; i++)
		add_number(keys[i], rig_json_double(value, keys[i], RIG_JSON_REQUIRED, 0), &sum);
	for (guint i = 0; keys[i]; i++)
		sum += sum_of(rig_json_member(value, keys[i]), fast);
	return sum;
}

static void check_numbers(const uint8_t *data, size_t size)
{
	g_autoptr(RigJson) fast = rig_json_parse("x", (const char *)data, (gssize)size, NULL);
	g_autoptr(RigJson) slow = rig_json_parse("x", (const char *)data, (gssize)size, NULL);
	double a = sum_of(fast, TRUE), b = sum_of(slow, FALSE);

	g_assert_true(a == b || (isnan(a) && isnan(b)));
}

/* Every message is one that a terminal may show. */
static void check_error(const GError *error)
{
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_true(g_utf8_validate(error->message, -1, NULL));
	for (const char *p = error->message; *p; p = g_utf8_next_char(p))
		g_assert_false(g_unichar_iscntrl(g_utf8_get_char(p)));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) root = rig_json_parse("x", (const char *)data, (gssize)size, &error);
	g_autoptr(RigJson) again = NULL;
	g_autofree char *text = NULL, *text_again = NULL;

	if (!root) {
		check_error(error);
		return 0;
	}
	check_numbers(data, size);
	text = written(root);
	again = rig_json_parse("x", text, -1, &error);
	g_assert_no_error(error);
	text_again = written(again);
	g_assert_cmpstr(text, ==, text_again);
	if (!rig_json_finish(root, &error))
		check_error(error);
	return 0;
}
