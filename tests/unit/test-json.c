/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-json.c - the strict reader: what it gives, what it refuses, and how it says so.
 */
#include "base/json.h"

#include "expect.h"

static RigJson *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	RigJson *root = rig_json_parse("x.json", text, -1, &error);

	g_assert_no_error(error);
	g_assert_nonnull(root);
	return root;
}

static void expect_finished(RigJson *root)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_json_finish(root, &error));
	g_assert_no_error(error);
}

/* The message as a whole. */
static void expect_failed(RigJson *root, const char *message)
{
	g_autoptr(GError) error = NULL;

	g_assert_false(rig_json_finish(root, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_USAGE);
	g_assert_cmpstr(error->message, ==, message);
	g_assert_false(rig_json_ok(root));
}

static void test_getters(void)
{
	g_autoptr(RigJson) root = parse(
		"{\"s\": \"a\\u00e4\\n\", \"i\": -9223372036854775808, \"d\": 1.5e3, \"b\": true,"
		" \"m\": \"1.5G\", \"c\": \"two\", \"o\": {\"x\": 1}, \"a\": [1, 2],"
		" \"l\": [\"p\", \"q\"], \"max\": 9223372036854775807, \"zero\": -0}");
	static const char *const words[] = {"one", "two", NULL};
	g_auto(GStrv) list = rig_json_strings(root, "l", RIG_JSON_REQUIRED);
	RigJson *o = rig_json_object(root, "o", RIG_JSON_REQUIRED);
	RigJson *a = rig_json_array(root, "a", RIG_JSON_REQUIRED);

	g_assert_cmpstr(rig_json_string(root, "s", 0), ==, "a\u00e4\n");
	g_assert_cmpint(rig_json_int(root, "i", 0, G_MININT64, 0, 7), ==, G_MININT64);
	g_assert_cmpint(rig_json_int(root, "max", 0, 0, G_MAXINT64, 7), ==, G_MAXINT64);
	g_assert_cmpint(rig_json_int(root, "zero", 0, 0, 1, 7), ==, 0);
	g_assert_cmpfloat(rig_json_double(root, "d", 0, 0), ==, 1500.0);
	g_assert_true(rig_json_bool(root, "b", 0, FALSE));
	g_assert_cmpuint(rig_json_size(root, "m", 0, 0), ==, G_GUINT64_CONSTANT(1610612736));
	g_assert_cmpint(rig_json_choice(root, "c", 0, words, 9), ==, 1);
	g_assert_cmpint(rig_json_int(o, "x", RIG_JSON_REQUIRED, 1, 1, 0), ==, 1);
	g_assert_cmpuint(rig_json_length(a), ==, 2);
	g_assert_cmpint(rig_json_int(rig_json_at(a, 1), NULL, 0, 0, 9, 0), ==, 2);
	g_assert_cmpfloat(rig_json_double(rig_json_at(a, 0), NULL, 0, 0), ==, 1.0);
	g_assert_null(rig_json_at(a, 2));
	g_assert_cmpuint(g_strv_length(list), ==, 2);
	g_assert_cmpstr(list[1], ==, "q");
	expect_finished(root);
}

static void test_missing(void)
{
	g_autoptr(RigJson) root = parse("{\"null\": null}");
	static const char *const words[] = {"one", NULL};

	g_assert_null(rig_json_string(root, "s", 0));
	g_assert_cmpint(rig_json_int(root, "i", 0, 0, 1, 7), ==, 7);
	g_assert_cmpfloat(rig_json_double(root, "d", 0, 2.5), ==, 2.5);
	g_assert_true(rig_json_bool(root, "b", 0, TRUE));
	g_assert_cmpuint(rig_json_size(root, "m", 0, 5), ==, 5);
	g_assert_cmpint(rig_json_choice(root, "c", 0, words, -1), ==, -1);
	g_assert_null(rig_json_object(root, "o", 0));
	g_assert_null(rig_json_array(root, "a", 0));
	g_assert_null(rig_json_strings(root, "l", 0));
	g_assert_null(rig_json_string(root, "null", 0));
	g_assert_false(rig_json_has(root, "null"));
	expect_finished(root);
}

/* A NULL object is one whose absence was told already. */
static void test_null_object(void)
{
	g_auto(GStrv) keys = rig_json_keys(NULL);

	g_assert_null(rig_json_string(NULL, "s", RIG_JSON_REQUIRED));
	g_assert_cmpint(rig_json_int(NULL, "i", RIG_JSON_REQUIRED, 0, 1, 7), ==, 7);
	g_assert_null(rig_json_object(NULL, "o", RIG_JSON_REQUIRED));
	g_assert_cmpuint(rig_json_length(NULL), ==, 0);
	g_assert_null(rig_json_at(NULL, 0));
	g_assert_cmpuint(g_strv_length(keys), ==, 0);
	g_assert_false(rig_json_has(NULL, "x"));
	g_assert_true(rig_json_ok(NULL));
	rig_json_fail(NULL, NULL, "nothing");
	rig_json_ignore(NULL, "x");
	rig_json_free(NULL);
}

static void test_paths(void)
{
	g_autoptr(RigJson) root = parse("{\"cells\": [{}, {\"memory\": {\"size\": \"1G\"}}]}");
	RigJson *cells = rig_json_array(root, "cells", RIG_JSON_REQUIRED);
	RigJson *memory = rig_json_object(rig_json_at(cells, 1), "memory", RIG_JSON_REQUIRED);
	g_autofree char *deep = rig_json_where(memory, "size");
	g_autofree char *value = rig_json_where(memory, NULL);
	g_autofree char *top = rig_json_where(root, NULL);
	g_autofree char *first = rig_json_where(root, "cells");

	g_assert_cmpstr(deep, ==, "x.json: cells[1].memory.size");
	g_assert_cmpstr(value, ==, "x.json: cells[1].memory");
	g_assert_cmpstr(top, ==, "x.json");
	g_assert_cmpstr(first, ==, "x.json: cells");
	g_assert_null(rig_json_string(rig_json_at(cells, 0), "memory", RIG_JSON_REQUIRED));
	expect_failed(root, "x.json: cells[0].memory: is missing");
}

static void read_wrong(RigJson *root, const char *kind)
{
	static const char *const words[] = {"one", "two", NULL};

	if (g_str_equal(kind, "string"))
		g_assert_null(rig_json_string(root, "k", 0));
	else if (g_str_equal(kind, "int"))
		g_assert_cmpint(rig_json_int(root, "k", 0, 1, 64, 7), ==, 7);
	else if (g_str_equal(kind, "double"))
		g_assert_cmpfloat(rig_json_double(root, "k", 0, 7), ==, 7);
	else if (g_str_equal(kind, "bool"))
		g_assert_true(rig_json_bool(root, "k", 0, TRUE));
	else if (g_str_equal(kind, "size"))
		g_assert_cmpuint(rig_json_size(root, "k", 0, 7), ==, 7);
	else if (g_str_equal(kind, "choice"))
		g_assert_cmpint(rig_json_choice(root, "k", 0, words, 7), ==, 7);
	else if (g_str_equal(kind, "object"))
		g_assert_null(rig_json_object(root, "k", 0));
	else if (g_str_equal(kind, "array"))
		g_assert_null(rig_json_array(root, "k", 0));
	else
		g_assert_null(rig_json_string(root, "k", RIG_JSON_REQUIRED));
}

static void test_wrong_values(void)
{
	static const struct {
		const char *kind, *text, *message;
	} cases[] = {
		{"string", "{\"k\": 1}", "x.json: k: must be a string, is a number"},
		{"string", "{\"k\": {}}", "x.json: k: must be a string, is an object"},
		{"int", "{\"k\": \"1\"}", "x.json: k: must be a whole number, is a string"},
		{"int", "{\"k\": 1.0}", "x.json: k: must be a whole number, is a number"},
		{"int", "{\"k\": true}", "x.json: k: must be a whole number, is true or false"},
		{"int", "{\"k\": 65}", "x.json: k: must be from 1 to 64, is 65"},
		{"int", "{\"k\": 0}", "x.json: k: must be from 1 to 64, is 0"},
		{"double", "{\"k\": []}", "x.json: k: must be a number, is a list"},
		{"bool", "{\"k\": 1}", "x.json: k: must be true or false, is a number"},
		{"size", "{\"k\": \"256\"}",
		 "x.json: k: size \"256\" has no unit (B, K, M, G or T, as in \"256G\")"},
		{"choice", "{\"k\": \"three\"}", "x.json: k: \"three\" is none of: one, two"},
		{"object", "{\"k\": []}", "x.json: k: must be an object, is a list"},
		{"array", "{\"k\": {}}", "x.json: k: must be a list, is an object"},
		{"required", "{}", "x.json: k: is missing"},
		{"required", "{\"k\": null}", "x.json: k: must not be null"},
		{"string", "[]", "x.json: must be an object, is a list"},
		{"string", "7", "x.json: must be an object, is a number"},
		{"string", "null", "x.json: must be an object, is null"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(RigJson) root = parse(cases[i].text);

		read_wrong(root, cases[i].kind);
		expect_failed(root, cases[i].message);
	}
}

static void test_list_elements(void)
{
	g_autoptr(RigJson) root = parse("{\"l\": [\"a\", 2, null]}");
	g_auto(GStrv) list = rig_json_strings(root, "l", 0);

	g_assert_cmpuint(g_strv_length(list), ==, 1);
	expect_failed(root, "x.json: l[1]: must be a string, is a number");
}

static void test_unknown_key(void)
{
	g_autoptr(RigJson) root = parse("{\"cells\": [{\"memory\": 1}, {\"memroy\": 2}]}");
	RigJson *cells = rig_json_array(root, "cells", RIG_JSON_REQUIRED);

	for (guint i = 0; i < rig_json_length(cells); i++)
		rig_json_int(rig_json_at(cells, i), "memory", 0, 0, 9, 0);
	expect_failed(root, "x.json: cells[1]: unknown key \"memroy\" (did you mean \"memory\"?)");
}

static void test_unknown_key_at_root(void)
{
	g_autoptr(RigJson) root = parse("{\"name\": \"a\", \"colour\": \"\\u001b[31m\"}");

	g_assert_cmpstr(rig_json_string(root, "name", 0), ==, "a");
	expect_failed(root, "x.json: unknown key \"colour\"");
}

/* An object that was entered but not read is not passed over. */
static void test_unread_object(void)
{
	g_autoptr(RigJson) root = parse("{\"o\": {\"deep\": {\"key\": 1}}}");
	RigJson *o = rig_json_object(root, "o", 0);

	g_assert_nonnull(rig_json_object(o, "deep", 0));
	expect_failed(root, "x.json: o.deep: unknown key \"key\"");
}

static void test_ignore(void)
{
	g_autoptr(RigJson) root = parse("{\"a\": {\"x\": 1}, \"b\": 2}");

	rig_json_ignore(root, "a");
	rig_json_ignore(root, "b");
	rig_json_ignore(root, "b");
	rig_json_ignore(root, "not there");
	expect_finished(root);
}

static void test_keys(void)
{
	g_autoptr(RigJson) root = parse("{\"z\": 1, \"a\": 2, \"\": 3}");
	g_auto(GStrv) keys = rig_json_keys(root);

	g_assert_cmpuint(g_strv_length(keys), ==, 3);
	g_assert_cmpstr(keys[0], ==, "z");
	g_assert_cmpstr(keys[1], ==, "a");
	g_assert_cmpstr(keys[2], ==, "");
	g_assert_true(rig_json_has(root, "z"));
	g_assert_false(rig_json_has(root, "y"));
	for (guint i = 0; keys[i]; i++)
		g_assert_cmpint(rig_json_int(root, keys[i], 0, 0, 9, 0), ==, i + 1);
	expect_finished(root);
}

/* A value of several possible types. */
static void test_member(void)
{
	g_autoptr(RigJson) root = parse("{\"n\": 1, \"s\": \"x\", \"null\": null}");

	g_assert_true(rig_json_is_number(rig_json_member(root, "n")));
	g_assert_true(rig_json_is_string(rig_json_member(root, "s")));
	g_assert_null(rig_json_member(root, "null"));
	g_assert_null(rig_json_member(root, "none"));
	g_assert_null(rig_json_member(NULL, "n"));
	expect_finished(root);
}

static void test_own_failure(void)
{
	g_autoptr(RigJson) root = parse("{\"a\": 1}");

	g_assert_true(rig_json_ok(root));
	rig_json_fail(root, "a", "is \033[1m%d", 1);
	rig_json_fail(root, "a", "comes too late");
	g_assert_false(rig_json_ok(root));
	expect_failed(root, "x.json: a: is \\x1b[1m1");
}

static void test_syntax(void)
{
	static const struct {
		const char *text, *part;
	} cases[] = {
		{"", "x.json: line 1: the text ends where a value should be"},
		{"{\n\"a\": 1,\n}", "x.json: line 3: \"}\" where a string should be"},
		{"{\"a\": 1", "the text ends where \",\" or \"}\" should be"},
		{"{\"a\" 1}", "\"1\" where \":\" should be"},
		{"[1 2]", "\"2\" where \",\" or \"]\" should be"},
		{"[1,]", "\"]\" where a value should be"},
		{"{} {}", "text behind the end"},
		{"1 // c", "text behind the end"},
		{"/* c */ 1", "\"/\" where a value should be"},
		{"{'a': 1}", "\"'\" where a string should be"},
		{"{a: 1}", "\"a\" where a string should be"},
		{"[01]", "leading 0"},
		{"[-]", "\"]\" where a digit should be"},
		{"[+1]", "\"+\" where a value should be"},
		{"[1.]", "\"]\" where a digit should be"},
		{"[.5]", "\".\" where a value should be"},
		{"[1e]", "\"]\" where a digit should be"},
		{"[0x10]", "\"x\" where"},
		{"[NaN]", "\"N\" where a value should be"},
		{"[True]", "\"T\" where a value should be"},
		{"[tru", "\"t\" where a value should be"},
		{"[truely]", "\"l\" where"},
		{"[1e999]", "number 1e999 is out of range"},
		{"[9223372036854775808]", "out of range"},
		{"[-9223372036854775809]", "out of range"},
		{"\"a", "a string without an end"},
		{"\"a\\", "the text ends where an escape should be"},
		{"\"\\x41\"", "\"x\" where an escape should be"},
		{"\"\\u12g4\"", "four hexadecimal digits"},
		{"\"\\u12", "four hexadecimal digits"},
		{"\"\\ud800\"", "surrogate"},
		{"\"\\udc00\"", "surrogate"},
		{"\"\\ud800\\u0041\"", "surrogate"},
		{"\"\\u0000\"", "a NUL in a string"},
		{"\"a\nb\"", "a control character in a string"},
		{"\"\xff\"", "invalid UTF-8"},
		{"\xef\xbb\xbf{}", "where a value should be"},
		{"\"\xed\xa0\x80\"", "invalid UTF-8"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(rig_json_parse("x.json", cases[i].text, -1, &error));
		expect_error(&error, RIG_ERROR_USAGE, cases[i].part);
	}
}

static void test_duplicate_keys(void)
{
	static const char *const texts[] = {
		"{\"a\": 1, \"b\": 2,\n \"a\": 3}",
		"{\"x\": [{\"a\": 1,\n\"a\": 1}]}",
		"{\"a\": {},\n\"\\u0061\": 1}",
	};
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) fine = parse("{\"a\": {\"a\": 1}, \"b\": {\"a\": 1}}");

	g_assert_true(rig_json_is_object(fine));
	for (guint i = 0; i < G_N_ELEMENTS(texts); i++) {
		g_assert_null(rig_json_parse("x.json", texts[i], -1, &error));
		expect_error(&error, RIG_ERROR_USAGE, "x.json: line 2: key \"a\" is there twice");
	}
}

/* Objects of numbers, short and long: a long one takes another way through the reader. */

#define MANY 300

static char *many_numbers(const char *last)
{
	GString *text = g_string_new("{\"head\": {}, \"long\": {");

	for (guint i = 0; i < MANY; i++)
		g_string_append_printf(text, "\"key%03u\": %s%u.%u,\n", i, i % 2 ? "-" : "", i,
				       i % 3 * 25);
	g_string_append_printf(text, "\"z\": %s}, \"tail\": [{}, {\"a\": 7}]}", last);
	return g_string_free(text, FALSE);
}

static void add_number(const char *name, double value, gpointer sums)
{
	((double *)sums)[0]++;
	((double *)sums)[1] += value * (name[0] == 'k' ? 1 : 1000);
}

static double sum_of_keys(RigJson *object)
{
	g_auto(GStrv) keys = rig_json_keys(object);
	double sum = 0;

	for (guint i = 0; keys[i]; i++)
		sum += rig_json_double(object, keys[i], RIG_JSON_REQUIRED, 0) *
		       (keys[i][0] == 'k' ? 1 : 1000);
	return sum;
}

static void test_numbers(void)
{
	static const char *const lasts[] = {
		"3",	 "-3", "0.5", "-0.5e2", "9007199254740993", "1e-7", "123456789012345678",
		"2.5E+3"};

	for (guint i = 0; i < G_N_ELEMENTS(lasts); i++) {
		g_autofree char *text = many_numbers(lasts[i]);
		g_autoptr(RigJson) fast = parse(text), slow = parse(text);
		double sums[2] = {0, 0};
		GError *error = NULL;

		rig_json_numbers(rig_json_object(fast, "long", RIG_JSON_REQUIRED), add_number,
				 sums);
		g_assert_cmpfloat(sums[0], ==, MANY + 1);
		g_assert_cmpfloat(sums[1], ==,
				  sum_of_keys(rig_json_object(slow, "long", RIG_JSON_REQUIRED)));
		rig_json_numbers(rig_json_object(fast, "head", RIG_JSON_REQUIRED), add_number,
				 sums);
		rig_json_numbers(rig_json_at(rig_json_array(fast, "tail", RIG_JSON_REQUIRED), 0),
				 add_number, sums);
		g_assert_cmpfloat(sums[0], ==, MANY + 1);
		rig_json_numbers(rig_json_at(rig_json_array(fast, "tail", RIG_JSON_REQUIRED), 1),
				 add_number, sums);
		g_assert_cmpfloat(sums[0], ==, MANY + 2);
		rig_json_numbers(NULL, add_number, sums);
		g_assert_true(rig_json_finish(fast, &error));
		g_assert_no_error(error);
	}
}

/* The long way, and what is wrong, as with any object. */
static void test_numbers_not_read(void)
{
	g_autofree char *text = many_numbers("3");
	g_autofree char *mixed = many_numbers("\"3\"");
	g_autofree char *twice = g_strdup(text);
	g_autoptr(RigJson) one = parse(text), wrong = parse(mixed);
	RigJson *object = rig_json_object(one, "long", RIG_JSON_REQUIRED);
	g_autoptr(GError) error = NULL;
	double sums[2] = {0, 0};

	g_assert_true(rig_json_has(object, "key001"));
	g_assert_false(rig_json_has(object, "key999"));
	g_assert_cmpfloat(rig_json_double(object, "z", RIG_JSON_REQUIRED, 0), ==, 3);
	rig_json_ignore(one, "head");
	rig_json_ignore(one, "tail");
	g_assert_false(rig_json_finish(one, &error));
	expect_error(&error, RIG_ERROR_USAGE, "long: unknown key \"key");
	rig_json_numbers(rig_json_object(wrong, "long", RIG_JSON_REQUIRED), add_number, sums);
	g_assert_false(rig_json_finish(wrong, &error));
	expect_error(&error, RIG_ERROR_USAGE, "long.z: must be a number, is a string");
	memcpy(strstr(twice, "key299"), "key298", 6);
	g_assert_null(rig_json_parse("x.json", twice, -1, &error));
	expect_error(&error, RIG_ERROR_USAGE, "line 300: key \"key298\" is there twice");
}

static void test_depth(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) deepest = NULL;
	g_autofree char *open = g_strnfill(65, '['), *close = g_strnfill(65, ']');
	g_autofree char *fine = g_strdup_printf("%s%s", open + 1, close + 1);
	g_autofree char *deep = g_strdup_printf("%s%s", open, close);
	g_autofree char *bomb = g_strnfill(1000000, '[');

	deepest = parse(fine);
	g_assert_true(rig_json_is_array(deepest));
	g_assert_null(rig_json_parse("x.json", deep, -1, &error));
	expect_error(&error, RIG_ERROR_USAGE, "nested deeper than 64");
	g_assert_null(rig_json_parse("x.json", bomb, -1, &error));
	expect_error(&error, RIG_ERROR_USAGE, "nested deeper than 64");
}

static void test_length(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) root = rig_json_parse("x.json", "{}garbage", 2, &error);

	g_assert_no_error(error);
	g_assert_true(rig_json_is_object(root));
	g_assert_null(rig_json_parse("x.json", "{}\0", 3, &error));
	expect_error(&error, RIG_ERROR_USAGE, "a NUL byte");
	g_assert_null(rig_json_parse("x.json", "{}", 0, &error));
	expect_error(&error, RIG_ERROR_USAGE, "the text ends");
}

static void test_load(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "t.json", NULL);
	g_autofree char *missing = g_build_filename(dir, "none.json", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigJson) root = NULL;

	g_assert_true(rig_file_write(path, "{\"a\": 1}\n", -1, 0644, &error));
	root = rig_json_load(path, 0, &error);
	g_assert_no_error(error);
	g_assert_cmpint(rig_json_int(root, "a", 0, 0, 9, 0), ==, 1);
	g_assert_null(rig_json_load(path, 5, &error));
	expect_error(&error, RIG_ERROR_USAGE, "larger than 5 bytes");
	g_assert_null(rig_json_load(missing, 0, &error));
	expect_error(&error, RIG_ERROR_USAGE, missing);
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/json/getters", test_getters);
	g_test_add_func("/json/missing", test_missing);
	g_test_add_func("/json/null-object", test_null_object);
	g_test_add_func("/json/paths", test_paths);
	g_test_add_func("/json/wrong-values", test_wrong_values);
	g_test_add_func("/json/list-elements", test_list_elements);
	g_test_add_func("/json/unknown-key", test_unknown_key);
	g_test_add_func("/json/unknown-key-at-root", test_unknown_key_at_root);
	g_test_add_func("/json/unread-object", test_unread_object);
	g_test_add_func("/json/ignore", test_ignore);
	g_test_add_func("/json/keys", test_keys);
	g_test_add_func("/json/member", test_member);
	g_test_add_func("/json/own-failure", test_own_failure);
	g_test_add_func("/json/syntax", test_syntax);
	g_test_add_func("/json/duplicate-keys", test_duplicate_keys);
	g_test_add_func("/json/numbers", test_numbers);
	g_test_add_func("/json/numbers-not-read", test_numbers_not_read);
	g_test_add_func("/json/depth", test_depth);
	g_test_add_func("/json/length", test_length);
	g_test_add_func("/json/load", test_load);
	return g_test_run();
}
