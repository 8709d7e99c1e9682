/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-text.c - what a terminal must not see, the ends of texts, times.
 */
#include "base/text.h"

#include "expect.h"

static void expect_safe(const char *text, gssize length, const char *expected)
{
	g_autofree char *safe = rig_text_safe(text, length);

	g_assert_cmpstr(safe, ==, expected);
}

static void test_safe(void)
{
	expect_safe("", -1, "");
	expect_safe("plain\ttext\n", -1, "plain\ttext\n");
	expect_safe("\033[31mred\033]0;title\a", -1, "\\x1b[31mred\\x1b]0;title\\x07");
	expect_safe("a\rb\bc\177", -1, "a\\x0db\\x08c\\x7f");
	expect_safe("Grüße 漢字 ±", -1, "Grüße 漢字 ±");
	/* C1 in UTF-8: 0x9b is the control sequence introducer. */
	expect_safe("\xc2\x9b"
		    "31m",
		    -1, "\\x9b31m");
	expect_safe("\xc2\xa0", -1, "\xc2\xa0");
	/* Letters that would be shown the other way round. */
	expect_safe("a\xe2\x80\xae"
		    "b\xe2\x81\xa9",
		    -1, "a\\x202eb\\x2069");
	expect_safe("a\0b", 3, "a\\x00b");
	expect_safe("abc", 2, "ab");
	expect_safe("abc", 0, "");
}

static void test_safe_line(void)
{
	g_autofree char *safe = rig_text_safe_line("a\nb\tc\033\0d", 8);

	g_assert_cmpstr(safe, ==, "a\\x0ab\\x09c\\x1b\\x00d");
}

static void test_invalid_utf8(void)
{
	expect_safe("\xff", -1, "\\xff");
	expect_safe("a\xc3", -1, "a\\xc3");
	expect_safe("\xc3(", -1, "\\xc3(");
	expect_safe("\xc3\xa4", 1, "\\xc3");
	expect_safe("\xe6\xbc", -1, "\\xe6\\xbc");
	/* A raw C1 byte, an overlong "/", half a surrogate pair. */
	expect_safe("\x9b", -1, "\\x9b");
	expect_safe("\xc0\xaf", -1, "\\xc0\\xaf");
	expect_safe("\xed\xa0\x80", -1, "\\xed\\xa0\\x80");
}

/* Whatever comes in, what comes out is UTF-8 that no terminal obeys. */
static void test_safe_random(void)
{
	for (guint round = 0; round < 2000; round++) {
		gchar noise[64];
		g_autofree char *safe = NULL;

		for (guint i = 0; i < sizeof(noise); i++)
			noise[i] = (gchar)g_test_rand_int_range(0, 256);
		safe = rig_text_safe(noise, sizeof(noise));
		g_assert_true(g_utf8_validate(safe, -1, NULL));
		for (const char *p = safe; *p; p = g_utf8_next_char(p)) {
			gunichar c = g_utf8_get_char(p);

			g_assert_true(c == '\t' || c == '\n' || !g_unichar_iscntrl(c));
		}
	}
}

static void test_last_lines(void)
{
	g_assert_cmpstr(rig_text_last_lines("", 3), ==, "");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc\n", 0), ==, "");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc\n", 1), ==, "c\n");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc\n", 2), ==, "b\nc\n");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc", 2), ==, "b\nc");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc\n", 3), ==, "a\nb\nc\n");
	g_assert_cmpstr(rig_text_last_lines("a\nb\nc\n", 99), ==, "a\nb\nc\n");
	g_assert_cmpstr(rig_text_last_lines("a\n\n\n", 2), ==, "\n\n");
	g_assert_cmpstr(rig_text_last_lines("\n", 1), ==, "\n");
}

static void test_nearest(void)
{
	static const char *const words[] = {"memory", "cpus", "distances", "name", "id", NULL};
	g_autofree char *longest = g_strnfill(100000, 'x');

	g_assert_cmpstr(rig_text_nearest("memroy", words), ==, "memory");
	g_assert_cmpstr(rig_text_nearest("memor", words), ==, "memory");
	g_assert_cmpstr(rig_text_nearest("cpu", words), ==, "cpus");
	g_assert_cmpstr(rig_text_nearest("distence", words), ==, "distances");
	g_assert_cmpstr(rig_text_nearest("ids", words), ==, "id");
	g_assert_null(rig_text_nearest("sockets", words));
	g_assert_null(rig_text_nearest("x", words));
	g_assert_null(rig_text_nearest("", words));
	g_assert_null(rig_text_nearest(longest, words));
	g_assert_null(rig_text_nearest("memroy", words + 5));
}

static void expect_duration(double seconds, const char *expected)
{
	g_autofree char *text = rig_text_duration(seconds);

	g_assert_cmpstr(text, ==, expected);
}

static void test_duration(void)
{
	expect_duration(0, "0 ms");
	expect_duration(0.35, "350 ms");
	expect_duration(0.9996, "1.0 s");
	expect_duration(4.24, "4.2 s");
	expect_duration(9.96, "10 s");
	expect_duration(59.4, "59 s");
	expect_duration(59.6, "1 m 0 s");
	expect_duration(80, "1 m 20 s");
	expect_duration(3599.9, "1 h 0 m");
	expect_duration(7500, "2 h 5 m");
	expect_duration(100000, "1 d 3 h");
	expect_duration(-1, "?");
	expect_duration(0.0 / 0.0, "?");
	expect_duration(1e300, "?");
}

static void expect_time(gint64 seconds, const char *expected)
{
	g_autofree char *text = rig_text_time(seconds);

	g_assert_cmpstr(text, ==, expected);
}

static void test_time(void)
{
	expect_time(0, "1970-01-01T00:00:00Z");
	expect_time(1796046185, "2026-11-30T13:43:05Z");
	expect_time(951782400, "2000-02-29T00:00:00Z");
	expect_time(G_MAXINT64, "@9223372036854775807");
}

static void test_sha256(void)
{
	g_autofree char *empty = rig_text_sha256("");
	g_autofree char *abc = rig_text_sha256("abc");

	g_assert_cmpstr(empty, ==,
			"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	g_assert_cmpstr(abc, ==,
			"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/text/safe", test_safe);
	g_test_add_func("/text/safe-line", test_safe_line);
	g_test_add_func("/text/invalid-utf8", test_invalid_utf8);
	g_test_add_func("/text/safe-random", test_safe_random);
	g_test_add_func("/text/last-lines", test_last_lines);
	g_test_add_func("/text/nearest", test_nearest);
	g_test_add_func("/text/duration", test_duration);
	g_test_add_func("/text/time", test_time);
	g_test_add_func("/text/sha256", test_sha256);
	return g_test_run();
}
