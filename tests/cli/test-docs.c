/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-docs.c - what README, docs and man pages name is there: commands, topologies, workloads,
 * files, and the tests of a table of faults.
 *
 * Looked at is code only (a span, a fenced block, an example of a man page); a name in capitals
 * stands for something.
 */
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"

#define TEXT_MAX (1 << 20)

typedef struct {
	const char *root;
	GHashTable *commands;
	GPtrArray *problems; /* char* */
	guint statements;    /* that began with "rig" */
} Docs;

static void complain(Docs *docs, const char *file, const char *format, ...) G_GNUC_PRINTF(3, 4);
static void complain(Docs *docs, const char *file, const char *format, ...)
{
	va_list args;
	g_autofree char *text = NULL;

	va_start(args, format);
	text = g_strdup_vprintf(format, args);
	va_end(args);
	g_ptr_array_add(docs->problems, g_strdup_printf("%s: %s", file, text));
}

/* Not an option, not a path, and no word that stands for a name. */
static gboolean is_name(const char *word)
{
	gboolean small = FALSE;

	if (*word == '-')
		return FALSE;
	for (const char *c = word; *c; c++) {
		small |= g_ascii_islower(*c);
		if (!g_ascii_isalnum(*c) && *c != '-')
			return FALSE;
	}
	return small;
}

static void check_file(Docs *docs, const char *file, const char *dir, const char *name)
{
	g_autofree char *base = name ? g_strconcat(name, ".json", NULL) : NULL;
	g_autofree char *path = base ? g_build_filename(docs->root, dir, base, NULL) : NULL;

	if (path && is_name(name) && !g_file_test(path, G_FILE_TEST_EXISTS))
		complain(docs, file, "%s/%s does not exist", dir, base);
}

/* The folder of what the word after WORD names, with the word before it; NULL: no file of ours. */
static const char *named_by(const char *before, const char *word)
{
	static const struct {
		const char *before, *word, *dir;
	} places[] = {
		{"rig", "up", "topologies"},	    {"rig", "run", "workloads"},
		{"topology", "show", "topologies"}, {"workload", "show", "workloads"},
		{NULL, "--topology", "topologies"}, {NULL, "-t", "topologies"},
		{NULL, "--workload", "workloads"},  {NULL, "-w", "workloads"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(places); i++)
		if (g_str_equal(places[i].word, word) &&
		    (!places[i].before || g_str_equal(places[i].before, before)))
			return places[i].dir;
	return NULL;
}

static void check_statement(Docs *docs, const char *file, const char *statement)
{
	g_auto(GStrv) words = g_regex_split_simple("\\s+", statement, 0, 0);
	guint n = g_strv_length(words);

	if (n < 2 || !g_str_equal(words[0], "rig"))
		return;
	docs->statements++;
	if (is_name(words[1]) && g_ascii_islower(*words[1]) &&
	    !g_hash_table_contains(docs->commands, words[1]))
		complain(docs, file, "there is no command \"rig %s\"", words[1]);
	for (guint i = 1; i + 1 < n; i++) {
		const char *dir = named_by(words[i - 1], words[i]);

		if (dir)
			check_file(docs, file, dir, words[i + 1]);
	}
}

static void check_code(Docs *docs, const char *file, const char *code)
{
	g_auto(GStrv) parts = g_regex_split_simple("[;|&(),]|next:|hint:|^\\s*[$#] ", code, 0, 0);

	for (guint i = 0; parts[i]; i++)
		check_statement(docs, file, g_strstrip(parts[i]));
}

static void check_markdown(Docs *docs, const char *file, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	gboolean fenced = FALSE;

	for (guint i = 0; lines[i]; i++) {
		g_auto(GStrv) spans = NULL;

		if (g_str_has_prefix(lines[i], "```"))
			fenced = !fenced;
		else if (fenced || g_str_has_prefix(lines[i], "    "))
			check_code(docs, file, lines[i]);
		spans = g_strsplit(lines[i], "`", -1);
		for (guint s = 1; !fenced && spans[0] && spans[s]; s += spans[s + 1] ? 2 : 1)
			check_code(docs, file, spans[s]);
	}
}

static void check_page(Docs *docs, const char *file, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	gboolean literal = FALSE;

	for (guint i = 0; lines[i]; i++) {
		if (g_str_has_prefix(lines[i], ".Bd -literal"))
			literal = TRUE;
		else if (g_str_has_prefix(lines[i], ".Ed"))
			literal = FALSE;
		else if (literal)
			check_code(docs, file, lines[i]);
		else if (g_regex_match_simple("^\\.(Dl|Ic|Ql) ", lines[i], 0, 0))
			check_code(docs, file, lines[i] + 4);
	}
}

static void check_links(Docs *docs, const char *file, const char *text)
{
	g_autoptr(GRegex) regex = g_regex_new("\\]\\(([^)#\\s]+)[^)]*\\)", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autofree char *dir = g_path_get_dirname(file);

	g_regex_match(regex, text, 0, &match);
	for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *target = g_match_info_fetch(match, 1);
		g_autofree char *path = g_build_filename(docs->root, dir, target, NULL);

		if (!strstr(target, "://") && !g_file_test(path, G_FILE_TEST_EXISTS))
			complain(docs, file, "the link to %s leads nowhere", target);
	}
}

/* TEXT, the source of a test program, adds the test PATH: in one literal, or as a prefix that the
 * file joins with names and the name. */
static gboolean adds_test(const char *text, const char *path)
{
	g_autofree char *whole = g_strdup_printf("\"%s\"", path);

	if (strstr(text, whole))
		return TRUE;
	for (const char *name = path; (name = strchr(name + 1, '/'));) {
		g_autofree char *prefix = g_strdup_printf("\"%.*s/\"", (int)(name - path), path);
		g_autofree char *added = g_strdup_printf("(\"%s\",", name + 1);

		if (strstr(text, prefix) && strstr(text, added))
			return TRUE;
	}
	return FALSE;
}

static void check_test(Docs *docs, const char *file, const char *program, const char *path)
{
	g_autofree char *source = g_build_filename(docs->root, "tests", program, NULL);
	g_autofree char *text = rig_file_read(source, TEXT_MAX, NULL, NULL);

	if (!text)
		complain(docs, file, "tests/%s does not exist", program);
	else if (!adds_test(text, path))
		complain(docs, file, "tests/%s has no test %s", program, path);
}

/* The tests that TEXT names, as `vm/test-run.c: /run/panic`; how many there are. */
static guint check_tests(Docs *docs, const char *file, const char *text)
{
	g_autoptr(GRegex) regex =
		g_regex_new("`([a-z-]+/[a-z0-9-]+\\.[a-z]+): (/[^`\\s]+)`", 0, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	guint n = 0;

	g_regex_match(regex, text, 0, &match);
	for (; g_match_info_matches(match); g_match_info_next(match, NULL), n++) {
		g_autofree char *program = g_match_info_fetch(match, 1);
		g_autofree char *path = g_match_info_fetch(match, 2);

		check_test(docs, file, program, path);
	}
	return n;
}

/* Each row below "| fault |" says what it should in five cells, the last of which names tests. What
 * is named elsewhere has to be there, too. */
static void check_faults(Docs *docs, const char *file, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	gboolean inside = FALSE;

	for (guint i = 0; lines[i]; i++) {
		gboolean head = g_str_has_prefix(lines[i], "| fault |");
		g_auto(GStrv) cells = NULL;

		inside = head || (inside && *lines[i] == '|');
		if (!inside || head || g_str_has_prefix(lines[i], "|---")) {
			(void)check_tests(docs, file, lines[i]);
			continue;
		}
		cells = g_strsplit(lines[i], "|", -1);
		if (g_strv_length(cells) != 7)
			complain(docs, file, "a fault has not five cells: %s", lines[i]);
		else if (check_tests(docs, file, cells[5]) == 0)
			complain(docs, file, "no test:%s", cells[1]);
	}
}

static void check_document(Docs *docs, const char *file)
{
	g_autofree char *path = g_build_filename(docs->root, file, NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = rig_file_read(path, TEXT_MAX, NULL, &error);

	g_assert_no_error(error);
	if (g_str_has_suffix(file, ".1")) {
		check_page(docs, file, text);
		return;
	}
	check_markdown(docs, file, text);
	check_links(docs, file, text);
	check_faults(docs, file, text);
}

static void check_folder(Docs *docs, const char *folder, const char *suffix)
{
	g_autofree char *path = g_build_filename(docs->root, folder, NULL);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	g_assert_nonnull(dir);
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *file = g_build_filename(folder, name, NULL);

		if (g_str_has_suffix(name, suffix))
			check_document(docs, file);
	}
}

static GHashTable *names_of(RigJson *array)
{
	GHashTable *names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (guint i = 0; i < rig_json_length(array); i++)
		g_hash_table_add(names, g_strdup(rig_json_string(rig_json_at(array, i), "name",
								 RIG_JSON_REQUIRED)));
	return names;
}

static void docs_open(Docs *docs)
{
	CliFixture f;
	g_autoptr(RigJson) root = NULL;

	cli_setup(&f);
	cli_rig(&f, "help", "--json", NULL);
	cli_expect(&f, 0, NULL);
	root = cli_json(&f);
	*docs = (Docs){.root = g_getenv("RIG_SOURCE_ROOT")};
	docs->commands = names_of(rig_json_array(root, "commands", RIG_JSON_REQUIRED));
	docs->problems = g_ptr_array_new_with_free_func(g_free);
	cli_teardown(&f);
}

static void docs_close(Docs *docs)
{
	g_hash_table_unref(docs->commands);
	g_ptr_array_unref(docs->problems);
}

static void test_documents(void)
{
	Docs docs;

	docs_open(&docs);
	check_document(&docs, "README.md");
	check_document(&docs, "CONTRIBUTING.md");
	check_folder(&docs, "docs", ".md");
	check_folder(&docs, "docs/man", ".1");
	if (docs.problems->len) {
		g_autofree char *all = NULL;

		g_ptr_array_add(docs.problems, NULL);
		all = g_strjoinv("\n", (char **)docs.problems->pdata);
		g_error("%s", all);
	}
	g_assert_cmpuint(docs.statements, >, 50);
	docs_close(&docs);
}

/* The checks themselves: what is wrong in TEXT, as so many problems. */
static void expect(guint problems, const char *text)
{
	Docs docs;

	docs_open(&docs);
	check_markdown(&docs, "docs/made-up.md", text);
	check_links(&docs, "docs/made-up.md", text);
	check_faults(&docs, "docs/made-up.md", text);
	g_assert_cmpuint(docs.problems->len, ==, problems);
	docs_close(&docs);
}

static void test_finds_faults(void)
{
	expect(0, "`rig up 2sp-icl` and `rig run numa02 --topology 2sp-icl`, rig frobnicate");
	expect(0, "`rig up TOPOLOGY`, `rig run ./mine.json`, `rig COMMAND`, `rig --version`");
	expect(0, "[the protocol](protocol.md#run), [elsewhere](https://example.org/none)");
	expect(1, "`rig frobnicate`");
	expect(1, "`rig up 3sp-none`");
	expect(1, "say `rig doctor; rig run none`");
	expect(1, "`rig run numa02 -t 3sp-none`");
	expect(1, "```\n$ rig topology show 3sp-none\n```\n");
	expect(1, "    rig run none --kernel base\n");
	expect(1, "[nothing](nothing.md)");
}

#define FAULTS "| fault | what | code | left | test |\n|---|---|---|---|---|\n"

static void test_finds_missing_tests(void)
{
	expect(0, FAULTS "| a | b | 1 | c | `cli/test-docs.c: /docs/finds-missing-tests` |\n");
	expect(0, FAULTS "| a | b | 1 | c | `unit/test-channel.c: /channel/watch`,"
			 " `unit/test-agentclient.c: /agentclient/run-half` |\n");
	expect(0, "| other | table |\n|---|---|\n| without | tests |\n");
	expect(0, "It is tested (`cli/test-docs.c: /docs/finds-missing-tests`).\n");
	expect(1, "It is tested (`cli/test-docs.c: /docs/none`).\n");
	expect(1, "| other | table |\n|---|---|\n| with | `cli/test-docs.c: /docs/none` |\n");
	expect(1, FAULTS "| a | b | 1 | c | `cli/test-docs.c: /docs/none` |\n");
	expect(1, FAULTS "| a | b | 1 | c | `unit/test-channel.c: /channel/none` |\n");
	expect(1, FAULTS "| a | b | 1 | c | `cli/test-none.c: /docs/none` |\n");
	expect(1, FAULTS "| a | b | 1 | c | not tested |\n");
	expect(1, FAULTS "| a | b | c | `cli/test-docs.c: /docs/finds-missing-tests` |\n");
}

/* rig.1 tells of the options of every command, and of no other. */
static void test_global_options(void)
{
	CliFixture f;
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "docs", "man", "rig.1", NULL);
	g_autofree char *page = rig_file_read(path, TEXT_MAX, NULL, NULL);
	g_autoptr(GRegex) regex =
		g_regex_new("^\\.It Fl (?:[a-zA-Z] , Fl )?-([a-z-]+)", G_REGEX_MULTILINE, 0, NULL);
	g_autoptr(GMatchInfo) match = NULL;
	g_autoptr(GHashTable) names = NULL;
	g_autoptr(RigJson) root = NULL;

	cli_setup(&f);
	cli_rig(&f, "help", "--json", NULL);
	root = cli_json(&f);
	names = names_of(rig_json_array(root, "options", RIG_JSON_REQUIRED));
	g_assert_nonnull(page);
	g_regex_match(regex, page, 0, &match);
	for (; g_match_info_matches(match); g_match_info_next(match, NULL)) {
		g_autofree char *name = g_match_info_fetch(match, 1);

		if (!g_hash_table_remove(names, name))
			g_error("docs/man/rig.1 tells of --%s, which is no option of all", name);
	}
	g_assert_cmpuint(g_hash_table_size(names), ==, 0);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/docs/name-what-is-there", test_documents);
	g_test_add_func("/docs/finds-faults", test_finds_faults);
	g_test_add_func("/docs/finds-missing-tests", test_finds_missing_tests);
	g_test_add_func("/docs/global-options", test_global_options);
	return g_test_run();
}
