/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-json-writer.c - the text that the writer makes, and that the reader takes it back.
 */
#include "base/json.h"

#include "expect.h"

#include <math.h>

static RigJsonWriter *example(void)
{
	static const char *const words[] = {"a", "b", NULL};
	RigJsonWriter *writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "s", "x");
	rig_json_add_string(writer, "none", NULL);
	rig_json_add_int(writer, "i", G_MININT64);
	rig_json_add_bool(writer, "b", TRUE);
	rig_json_open_array(writer, "list");
	rig_json_open_object(writer, NULL);
	rig_json_close_object(writer);
	rig_json_open_array(writer, NULL);
	rig_json_close_array(writer);
	rig_json_add_double(writer, NULL, 0.5);
	rig_json_close_array(writer);
	rig_json_add_strings(writer, "words", words);
	rig_json_add_strings(writer, "no-words", NULL);
	rig_json_close_object(writer);
	return writer;
}

static void test_compact(void)
{
	g_autoptr(RigJsonWriter) writer = example();
	g_autofree char *text = rig_json_writer_text(writer, FALSE);

	g_assert_cmpstr(text, ==,
			"{\"s\":\"x\",\"none\":null,\"i\":-9223372036854775808,\"b\":true,"
			"\"list\":[{},[],0.5],\"words\":[\"a\",\"b\"],\"no-words\":[]}");
}

static void test_pretty(void)
{
	g_autoptr(RigJsonWriter) writer = example();
	g_autofree char *text = rig_json_writer_text(writer, TRUE);

	g_assert_cmpstr(text, ==,
			"{\n"
			"  \"s\": \"x\",\n"
			"  \"none\": null,\n"
			"  \"i\": -9223372036854775808,\n"
			"  \"b\": true,\n"
			"  \"list\": [\n"
			"    {},\n"
			"    [],\n"
			"    0.5\n"
			"  ],\n"
			"  \"words\": [\n"
			"    \"a\",\n"
			"    \"b\"\n"
			"  ],\n"
			"  \"no-words\": []\n"
			"}\n");
}

static void expect_double(double value, const char *expected)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;

	rig_json_add_double(writer, NULL, value);
	text = rig_json_writer_text(writer, FALSE);
	g_assert_cmpstr(text, ==, expected);
}

static void test_doubles(void)
{
	expect_double(0.1, "0.1");
	expect_double(3, "3.0");
	expect_double(-123, "-123.0");
	expect_double(999999999999999, "999999999999999.0");
	expect_double(1e15, "1e+15");
	expect_double(-1e15, "-1e+15");
	expect_double(123456789012345.5, "123456789012345.5");
	expect_double(-0.0, "-0.0");
	expect_double(1e300, "1e+300");
	expect_double(1.0 / 3, "0.3333333333333333");
	expect_double(0.1 + 0.2, "0.30000000000000004");
	expect_double(NAN, "null");
	expect_double(INFINITY, "null");
	expect_double(-INFINITY, "null");
}

/* Every double comes back as the same double. */
static void test_double_round_trip(void)
{
	for (guint i = 0; i < 5000; i++) {
		union {
			guint64 bits;
			double value;
		} u = {(guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int()};
		g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
		g_autoptr(RigJson) root = NULL;
		g_autofree char *text = NULL;

		if (!isfinite(u.value))
			continue;
		rig_json_add_double(writer, NULL, u.value);
		text = rig_json_writer_text(writer, FALSE);
		root = rig_json_parse("x.json", text, -1, NULL);
		g_assert_nonnull(root);
		g_assert_true(rig_json_double(root, NULL, RIG_JSON_REQUIRED, 0) == u.value);
	}
}

static void test_strings(void)
{
	static const char *const strings[] = {
		"",	 "\"\\/\b\f\n\r\t\x01\x7f", "{[,:]}",
		"\\\"}", "Grüße 漢字 \U0001f600",   "\xc2\x9b",
	};

	for (guint i = 0; i < G_N_ELEMENTS(strings); i++) {
		for (int pretty = 0; pretty <= 1; pretty++) {
			g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
			g_autoptr(RigJson) root = NULL;
			g_autofree char *text = NULL;

			rig_json_open_object(writer, NULL);
			rig_json_add_string(writer, strings[i], strings[i]);
			rig_json_close_object(writer);
			text = rig_json_writer_text(writer, pretty);
			for (const char *p = text; *p; p++)
				g_assert_true(*p == '\n' || !g_ascii_iscntrl(*p));
			root = rig_json_parse("x.json", text, -1, NULL);
			g_assert_nonnull(root);
			g_assert_cmpstr(rig_json_string(root, strings[i], RIG_JSON_REQUIRED), ==,
					strings[i]);
		}
	}
}

/* What is no UTF-8 must not make a file that nobody can read back. */
static void test_invalid_utf8(void)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(RigJson) root = NULL;
	g_autofree char *text = NULL;

	rig_json_add_string(writer, NULL,
			    "a\xff"
			    "b");
	text = rig_json_writer_text(writer, FALSE);
	root = rig_json_parse("x.json", text, -1, NULL);
	g_assert_nonnull(root);
	g_assert_cmpstr(rig_json_string(root, NULL, RIG_JSON_REQUIRED), ==,
			"a\ufffd"
			"b");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/json-writer/compact", test_compact);
	g_test_add_func("/json-writer/pretty", test_pretty);
	g_test_add_func("/json-writer/doubles", test_doubles);
	g_test_add_func("/json-writer/double-round-trip", test_double_round_trip);
	g_test_add_func("/json-writer/strings", test_strings);
	g_test_add_func("/json-writer/invalid-utf8", test_invalid_utf8);
	return g_test_run();
}
