/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kconfig.c - fragments read, laid over each other, and looked for in what came out.
 */
#include "model/kconfig.h"

#include "expect.h"

static GPtrArray *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *options = rig_kconfig_parse("f", text, &error);

	g_assert_no_error(error);
	return options;
}

static void test_parse(void)
{
	g_autoptr(GPtrArray) options =
		parse("# a comment\n\nCONFIG_A=y\n# CONFIG_B is not set\nCONFIG_C=\"a b\"\n"
		      "CONFIG_D=0x10\nCONFIG_E=-5\n  CONFIG_A=m\r\n");
	g_autofree char *text = rig_kconfig_text(options);

	g_assert_cmpstr(text, ==,
			"CONFIG_A=m\n# CONFIG_B is not set\nCONFIG_C=\"a b\"\nCONFIG_D=0x10\n"
			"CONFIG_E=-5\n");
}

static void test_bad(void)
{
	static const char *const bad[] = {
		"CONFIG_A",    "CONFIG_=y",	   "A=y",
		"CONFIG_A=",   "CONFIG_A=\"x",	   "CONFIG_A-B=y",
		"CONFIG_A=\"", "CONFIG_A=$(rm x)", "\x1b[31mCONFIG_A=y",
	};
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *text = g_strconcat("CONFIG_GOOD=y\n", bad[i], "\n", NULL);

		g_assert_null(rig_kconfig_parse("frag.config", text, &error));
		g_assert_null(strchr(error->message, '\x1b'));
		expect_error(&error, RIG_ERROR_USAGE, "frag.config: line 2");
	}
}

static void test_merge(void)
{
	g_autoptr(GPtrArray) asked = parse("CONFIG_A=y\n# CONFIG_B is not set\nCONFIG_N=y\n");
	g_autoptr(GPtrArray) more = parse("CONFIG_A=m\nCONFIG_Z=3\n");
	g_autofree char *merged = NULL;

	rig_kconfig_override(asked, more);
	merged = rig_kconfig_merge("# head\n# CONFIG_A is not set\nCONFIG_B=y\nCONFIG_AB=y\n",
				   asked);
	g_assert_cmpstr(merged, ==,
			"# head\nCONFIG_AB=y\nCONFIG_A=m\n# CONFIG_B is not set\nCONFIG_N=y\n"
			"CONFIG_Z=3\n");
}

static void test_missing(void)
{
	g_autoptr(GPtrArray) asked =
		parse("CONFIG_A=y\nCONFIG_B=m\nCONFIG_C=y\n# CONFIG_D is not set\nCONFIG_E=y\n"
		      "# CONFIG_F is not set\nCONFIG_G=6\n");
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) missing = rig_kconfig_missing(
		"CONFIG_A=y\nCONFIG_B=y\nCONFIG_C=m\nCONFIG_F=y\nCONFIG_G=10\n", asked, &error);
	GString *text = g_string_new(NULL);

	g_assert_no_error(error);
	for (guint i = 0; i < missing->len; i++) {
		const RigKconfigOption *one = missing->pdata[i];

		g_string_append_printf(text, "%s %s %s\n", one->option, one->value, one->got);
	}
	g_assert_cmpstr(text->str, ==, "CONFIG_C y m\nCONFIG_E y n\nCONFIG_F n y\nCONFIG_G 6 10\n");
	g_string_free(text, TRUE);
	g_assert_null(rig_kconfig_missing("rubbish\n", asked, &error));
	expect_error(&error, RIG_ERROR_USAGE, ".config: line 1");
}

static void test_needs(void)
{
	const char *config = "CONFIG_A=y\nCONFIG_B=m\n# CONFIG_C is not set\n";
	g_autofree char *option = rig_kconfig_need_option("CONFIG_B=y|m");

	g_assert_cmpstr(option, ==, "CONFIG_B");
	g_assert_true(rig_kconfig_meets(config, "CONFIG_A=y"));
	g_assert_false(rig_kconfig_meets(config, "CONFIG_B=y"));
	g_assert_true(rig_kconfig_meets(config, "CONFIG_B=y|m"));
	g_assert_false(rig_kconfig_meets(config, "CONFIG_C=y|m"));
	g_assert_false(rig_kconfig_meets(config, "CONFIG_NONE=y"));
	g_assert_true(rig_kconfig_meets(config, "CONFIG_C=n"));
}

static void test_diff(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) lines =
		rig_kconfig_diff("CONFIG_Z=y\nCONFIG_A=y\nCONFIG_B=m\n# CONFIG_N is not set\n",
				 "CONFIG_B=y\nCONFIG_A=y\nCONFIG_C=3\n", &error);

	g_assert_no_error(error);
	g_assert_cmpuint(lines->len, ==, 3);
	g_assert_cmpstr(lines->pdata[0], ==, "CONFIG_B: m -> y");
	g_assert_cmpstr(lines->pdata[1], ==, "CONFIG_C: n -> 3");
	g_assert_cmpstr(lines->pdata[2], ==, "CONFIG_Z: y -> n");
}

/* rig's own fragment is read by rig itself and asks for nothing twice. */
static void test_own_fragment(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "kernels", "tiny.config", NULL);
	g_autofree char *text = rig_file_read(path, 1 << 20, NULL, NULL);
	g_autoptr(GPtrArray) options = parse(text);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint n = 0;

	for (guint i = 0; lines[i]; i++)
		n += g_str_has_prefix(lines[i], "CONFIG_");
	g_assert_cmpuint(options->len, ==, n);
	g_assert_cmpuint(n, >, 100);
	g_assert_true(rig_kconfig_meets(text, "CONFIG_PVH=y"));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kconfig/parse", test_parse);
	g_test_add_func("/kconfig/bad", test_bad);
	g_test_add_func("/kconfig/merge", test_merge);
	g_test_add_func("/kconfig/missing", test_missing);
	g_test_add_func("/kconfig/needs", test_needs);
	g_test_add_func("/kconfig/diff", test_diff);
	g_test_add_func("/kconfig/own-fragment", test_own_fragment);
	return g_test_run();
}
