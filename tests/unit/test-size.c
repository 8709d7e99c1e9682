/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-size.c - sizes in both directions, and everything that is no size.
 */
#include "base/size.h"

#include "expect.h"

#define KIB G_GUINT64_CONSTANT(1024)

static void test_good(void)
{
	static const struct {
		const char *text;
		guint64 bytes;
	} cases[] = {
		{"0B", 0},
		{"4096B", 4096},
		{"1K", KIB},
		{"1KiB", KIB},
		{"1KB", KIB},
		{"2 MiB", 2 * KIB * KIB},
		{"1536M", 1536 * KIB * KIB},
		{"256G", 256 * KIB * KIB * KIB},
		{"1.5G", 1536 * KIB * KIB},
		{"0.5K", 512},
		{"1.500000000000000000G", 1536 * KIB * KIB},
		{"1T", KIB * KIB * KIB * KIB},
		{"18446744073709551615B", G_MAXUINT64},
		{"16777215T", 16777215 * KIB * KIB * KIB * KIB},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		guint64 bytes = 1;

		g_assert_true(rig_size_parse(cases[i].text, &bytes, &error));
		g_assert_no_error(error);
		g_assert_cmpuint(bytes, ==, cases[i].bytes);
	}
}

static void test_bad(void)
{
	static const struct {
		const char *text;
		const char *part;
	} cases[] = {
		{"", "no size"},
		{"G", "no size"},
		{"256", "\"256\" has no unit"},
		{"256 ", "has no unit"},
		{" 256G", "no size"},
		{"256G ", "no size"},
		{"-1G", "no size"},
		{"+1G", "no size"},
		{"1.G", "no size"},
		{".5G", "no size"},
		{"1.5.5G", "no size"},
		{"1e3G", "no size"},
		{"0x10G", "no size"},
		{"1GG", "no size"},
		{"1GiBs", "no size"},
		{"1iB", "no size"},
		{"1g", "no size"},
		{"1P", "no size"},
		{"1,5G", "no size"},
		{"1\tG", "no size"},
		{"1.5B", "no whole number"},
		{"0.3K", "no whole number"},
		{"18446744073709551616B", "too large"},
		{"16777216T", "too large"},
		{"99999999999999999999T", "too large"},
		{"999999999999999999999B", "no size"},
		{"1.0000000000000000000G", "no size"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		guint64 bytes = 77;

		g_assert_false(rig_size_parse(cases[i].text, &bytes, &error));
		expect_error(&error, RIG_ERROR_USAGE, cases[i].part);
		g_assert_cmpuint(bytes, ==, 77);
	}
}

static void expect_format(guint64 bytes, const char *expected)
{
	g_autofree char *text = rig_size_format(bytes);

	g_assert_cmpstr(text, ==, expected);
}

static void test_format(void)
{
	expect_format(0, "0B");
	expect_format(1000, "1000B");
	expect_format(1024, "1K");
	expect_format(1536 * KIB * KIB, "1536M");
	expect_format(256 * KIB * KIB * KIB, "256G");
	expect_format(2048 * KIB * KIB * KIB, "2T");
	expect_format(G_MAXUINT64, "18446744073709551615B");
}

static void test_round_trip(void)
{
	for (guint i = 0; i < 10000; i++) {
		guint64 bytes = ((guint64)g_test_rand_int() << 32 | (guint32)g_test_rand_int()) >>
				g_test_rand_int_range(0, 64) << g_test_rand_int_range(0, 42);
		g_autofree char *text = rig_size_format(bytes);
		guint64 again;

		g_assert_true(rig_size_parse(text, &again, NULL));
		g_assert_cmpuint(again, ==, bytes);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/size/good", test_good);
	g_test_add_func("/size/bad", test_bad);
	g_test_add_func("/size/format", test_format);
	g_test_add_func("/size/round-trip", test_round_trip);
	return g_test_run();
}
