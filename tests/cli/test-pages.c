/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-pages.c - man pages and the table of commands say the same, and docs name what exists.
 */
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"

static char *page_of(const char *command)
{
	g_autofree char *name = g_strdup_printf("rig-%s.1", command);
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "docs", "man", name, NULL);
	g_autoptr(GError) error = NULL;
	char *text = rig_file_read(path, 1 << 20, NULL, &error);

	g_assert_no_error(error);
	return text;
}

/* Option names that a page documents: lines ".It Fl -name" and ".It Fl x , Fl -name". */
static GHashTable *documented(const char *page)
{
	GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	g_autoptr(GRegex) regex =
		g_regex_new("^\\.It Fl (?:[a-zA-Z] , Fl )?-([a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;

	g_regex_match(regex, page, 0, &match);
	while (g_match_info_matches(match)) {
		g_hash_table_add(names, g_match_info_fetch(match, 1));
		g_match_info_next(match, NULL);
	}
	return names;
}

static void check_page(RigJson *command)
{
	const char *name = rig_json_string(command, "name", RIG_JSON_REQUIRED);
	RigJson *options = rig_json_array(command, "options", RIG_JSON_REQUIRED);
	g_autofree char *page = page_of(name);
	g_autoptr(GHashTable) names = documented(page);

	for (guint i = 0; i < rig_json_length(options); i++) {
		const char *option =
			rig_json_string(rig_json_at(options, i), "name", RIG_JSON_REQUIRED);
		if (!g_hash_table_remove(names, option))
			g_error("docs/man/rig-%s.1 does not tell of --%s", name, option);
	}
	if (g_hash_table_size(names)) {
		GHashTableIter iter;
		gpointer key;
		g_hash_table_iter_init(&iter, names);
		g_hash_table_iter_next(&iter, &key, NULL);
		g_error("docs/man/rig-%s.1 tells of --%s, which rig does not have", name,
			(char *)key);
	}
}

static void test_pages_match_table(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	g_autofree char *overview = NULL;
	RigJson *commands;
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "docs", "man", "rig.1", NULL);

	cli_setup(&f);
	cli_rig(&f, "help", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	commands = rig_json_array(root, "commands", RIG_JSON_REQUIRED);
	g_assert_cmpuint(rig_json_length(commands), >, 10);
	overview = rig_file_read(path, 1 << 20, NULL, NULL);
	g_assert_nonnull(overview);
	for (guint i = 0; i < rig_json_length(commands); i++) {
		RigJson *command = rig_json_at(commands, i);
		g_autofree char *reference = g_strdup_printf(
			".Xr rig-%s 1", rig_json_string(command, "name", RIG_JSON_REQUIRED));
		check_page(command);
		if (!strstr(overview, reference))
			g_error("docs/man/rig.1 lacks \"%s\"", reference);
	}
	cli_teardown(&f);
}

static void test_help_of_each_command(void)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;
	RigJson *commands;

	cli_setup(&f);
	cli_rig(&f, "help", "--json", NULL);
	root = cli_json(&f);
	commands = rig_json_array(root, "commands", RIG_JSON_REQUIRED);
	for (guint i = 0; i < rig_json_length(commands); i++) {
		const char *name =
			rig_json_string(rig_json_at(commands, i), "name", RIG_JSON_REQUIRED);
		g_autofree char *usage = g_strdup_printf("usage: rig %s", name);
		g_autofree char *from_help = NULL;
		cli_rig(&f, "help", name, NULL);
		cli_expect(&f, 0, NULL);
		g_assert_true(g_str_has_prefix(f.last.out, usage));
		from_help = g_strdup(f.last.out);
		cli_rig(&f, name, "--help", NULL);
		cli_expect(&f, 0, NULL);
		g_assert_cmpstr(f.last.out, ==, from_help);
	}
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/pages/match-table", test_pages_match_table);
	g_test_add_func("/pages/help", test_help_of_each_command);
	return g_test_run();
}
