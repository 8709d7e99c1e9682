/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-hostile.c - names and files that no user means well with: refused in clear words, exit code
 * 2, and nothing is made.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli-fixture.h"

#define LONG_NAME 300
#define LARGE (100 * 1024 * 1024)
/* What a rig may take to refuse a file: address space, so that reading all of LARGE would fail. */
#define LIMIT "--as=400000000"

/* Whatever is no folder: an empty one holds nothing, and rig may want it next time. */
static guint count_below(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	guint n = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (g_file_test(below, G_FILE_TEST_IS_DIR) &&
		    !g_file_test(below, G_FILE_TEST_IS_SYMLINK))
			n += count_below(below);
		else
			n++;
	}
	return n;
}

/* What was just run has refused something. */
static void expect_refused(CliFixture *f, const char *what, guint before)
{
	if (f->last.status != 2)
		g_error("%s: exit %d: %s", what, f->last.status, f->last.err);
	g_assert_true(g_str_has_prefix(f->last.err, "rig: "));
	for (const char *c = f->last.err; *c; c++)
		g_assert_true(*c == '\n' || !g_ascii_iscntrl(*c));
	g_assert_true(g_utf8_validate(f->last.err, -1, NULL));
	g_assert_null(strstr(f->last.err, "\xe2\x80\xae"));
	g_assert_cmpstr(f->last.out, ==, "");
	if (count_below(f->root) != before)
		g_error("%s: something was made", what);
}

/* Where NAME stands for the name. */
static const char *const with_name[][6] = {
	{"up", "2sp-icl", "--name", "NAME"},
	{"up", "2sp-icl", "--kernel", "NAME"},
	{"up", "2sp-icl", "--image", "NAME"},
	{"up", "NAME"},
	{"down", "NAME"},
	{"exec", "NAME", "true"},
	{"console", "NAME"},
	{"cp", "NAME:/x", "y"},
	{"run", "NAME"},
	{"run", "numa02", "--on", "NAME"},
	{"run", "numa02", "--topology", "NAME"},
	{"run", "--resume", "NAME"},
	{"topology", "show", "NAME"},
	{"workload", "show", "NAME"},
	{"image", "show", "NAME"},
	{"image", "build", "NAME"},
	{"kernel", "show", "NAME"},
	{"kernel", "default", "NAME"},
	{"kernel", "remove", "NAME"},
	{"kernel", "add", "/dev/null", "--name", "NAME"},
	{"kernel", "build", "NAME", "--source", "/nowhere"},
	{"results", "show", "NAME"},
	{"results", "remove", "--yes", "NAME"},
	{"compare", "NAME", "NAME"},
};

static void check_name(CliFixture *f, const char *name)
{
	guint before = count_below(f->root);

	for (gsize i = 0; i < G_N_ELEMENTS(with_name); i++) {
		g_autofree char *in_guest = g_strconcat(name, ":/x", NULL);
		g_autofree char *what = g_strjoinv(" ", (char **)with_name[i]);
		const char *words[6] = {NULL};

		for (guint j = 0; with_name[i][j]; j++)
			words[j] = g_str_equal(with_name[i][j], "NAME")	     ? name
				   : g_str_equal(with_name[i][j], "NAME:/x") ? in_guest
									     : with_name[i][j];
		cli_rig(f, words[0], words[1], words[2], words[3], words[4], words[5], NULL);
		expect_refused(f, what, before);
	}
}

static void test_names(void)
{
	static const char *const names[] = {
		"../x",
		"a/../../x",
		"/etc/passwd",
		".",
		"..",
		"",
		"a b",
		"a\nb",
		"a\x1b[31mb",
		"\xff\xfe",
		".default",
		"\xe2\x80\xae"
		"evil",
	};
	g_autofree char *too_long = g_strnfill(LONG_NAME, 'x');
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		check_name(&f, names[i]);
	check_name(&f, too_long);
	cli_teardown(&f);
}

/* A word that looks like an option. */
static void test_leading_dash(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "topology", "show", "--", "-x", NULL);
	cli_expect(&f, 2, "topology \"-x\" is no valid name");
	cli_rig(&f, "down", "--", "-x", NULL);
	cli_expect(&f, 2, "no guest \"-x\"");
	cli_rig(&f, "up", "2sp-icl", "--name", "-x", NULL);
	cli_expect(&f, 2, "guest name \"-x\"");
	g_assert_cmpuint(count_below(f.root), ==, 0);
	cli_teardown(&f);
}

static void test_values(void)
{
	static const char *const values[] = {"a\nb",
					     "a\x1b"
					     "b",
					     "\x7f", "\xc3\xa9"};
	g_autofree char *too_long = g_strnfill(5000, 'x');
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(values); i++) {
		cli_rig(&f, "up", "2sp-icl", "--cmdline", values[i], NULL);
		expect_refused(&f, "up --cmdline", 0);
		cli_rig(&f, "run", "numa02", "--cmdline", values[i], NULL);
		expect_refused(&f, "run --cmdline", 0);
		cli_rig(&f, "run", "numa02", "--set", values[i], NULL);
		expect_refused(&f, "run --set", 0);
		cli_rig(&f, "up", "2sp-icl", "--cell-memory", values[i], NULL);
		expect_refused(&f, "up --cell-memory", 0);
	}
	cli_rig(&f, "up", "2sp-icl", "--cmdline", too_long, NULL);
	cli_expect(&f, 2, "5000 bytes are too many");
	cli_teardown(&f);
}

/* Where FILE stands for a file. */
static const char *const with_file[][5] = {
	{"topology", "check", "FILE"},
	{"topology", "show", "FILE"},
	{"up", "FILE"},
	{"run", "numa02", "--topology", "FILE"},
	{"workload", "show", "FILE"},
	{"run", "FILE"},
	{"image", "show", "FILE"},
	{"image", "build", "FILE"},
	{"run", "--plan", "FILE"},
	{"kernel", "build", "FILE"},
	{"kernel", "add", "FILE"},
};

/* Every command with PATH, with little address space. */
static void check_file(CliFixture *f, const char *path, const char *text)
{
	guint before = count_below(f->root);

	for (gsize i = 0; i < G_N_ELEMENTS(with_file); i++) {
		g_autofree char *what = g_strjoinv(" ", (char **)with_file[i]);
		const char *words[5] = {NULL};

		for (guint j = 0; with_file[i][j]; j++)
			words[j] = g_str_equal(with_file[i][j], "FILE") ? path : with_file[i][j];
		cli_rig_under(f, LIMIT, words[0], words[1], words[2], words[3], NULL);
		expect_refused(f, what, before);
		if (!g_str_equal(words[0], "kernel"))
			cli_expect(f, 2, text);
	}
}

static void test_no_files(void)
{
	CliFixture f;
	g_autofree char *pipe = NULL, *folder = NULL;

	cli_setup(&f);
	pipe = g_build_filename(f.root, "pipe.json", NULL);
	folder = g_build_filename(f.root, "folder.json", NULL);
	g_assert_no_errno(mkfifo(pipe, 0644));
	g_assert_no_errno(mkdir(folder, 0755));
	check_file(&f, pipe, "is a pipe");
	check_file(&f, folder, "is a folder");
	check_file(&f, "/dev/zero", "is a device");
	check_file(&f, "/dev/full", "is a device");
	cli_teardown(&f);
}

static void test_large_and_deep(void)
{
	g_autofree char *lists = g_strnfill(100000, '[');
	g_autoptr(GString) objects = g_string_new(NULL);
	g_autofree char *large = NULL, *deep = NULL, *deeper = NULL;
	CliFixture f;

	cli_setup(&f);
	large = cli_write(&f, "large.json", "{");
	g_assert_no_errno(truncate(large, LARGE));
	deep = cli_write(&f, "deep.json", lists);
	for (guint i = 0; i < 50000; i++)
		g_string_append(objects, "{\"a\":");
	deeper = cli_write(&f, "deeper.json", objects->str);
	check_file(&f, large, "larger than");
	check_file(&f, deep, "nested deeper than");
	check_file(&f, deeper, "nested deeper than");
	cli_teardown(&f);
}

/* A file TEXT that COMMAND VERB must refuse with WORDS. */
static void check_text(CliFixture *f, const char *command, const char *verb, const char *text,
		       const char *words)
{
	g_autofree char *path = cli_write(f, "given.json", text);

	cli_rig(f, command, verb, path, NULL);
	expect_refused(f, text, 1);
	cli_expect(f, 2, words);
}

static void test_images(void)
{
	static const char *const files[][2] = {
		{"{\"path\": \"../etc/passwd\"}", "no clean absolute path"},
		{"{\"path\": \"/a/../../etc/passwd\"}", "no clean absolute path"},
		{"{\"path\": \"/a//b\"}", "no clean absolute path"},
		{"{\"path\": \"/\"}", "no clean absolute path"},
		{"{\"path\": \"\"}", "no clean absolute path"},
		{"{\"path\": \"/a\\u001b[31mb\"}", "no clean absolute path"},
		{"{\"path\": \"/a\\nb\"}", "no clean absolute path"},
		{"{\"path\": \"/a\", \"from\": \"guest:../../etc/passwd\"}", "none of"},
		{"{\"path\": \"/a\", \"from\": \"relative\"}", "none of"},
		{"{\"path\": \"/a\", \"from\": \"\"}", "none of"},
		{"{\"path\": \"/a\", \"link\": \"\"}", "the target is empty"},
		{"{\"path\": \"/a\", \"mode\": \"99999\"}", "no octal mode"},
	};
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *text =
			g_strdup_printf("{\"version\": 1, \"text\": \"t\", \"size\": \"512M\", "
					"\"files\": [%s]}",
					files[i][0]);

		check_text(&f, "image", "show", text, files[i][1]);
	}
	cli_teardown(&f);
}

static void test_other_texts(void)
{
	static const char topology[] =
		"{\"version\": 1, \"name\": \"%s\", \"text\": \"t\", \"sockets\": 1, \"cores\": 1, "
		"\"threads\": 1, \"cells\": [{\"memory\": \"1G\", \"sockets\": [0]}]}";
	static const char workload[] =
		"{\"version\": 1, \"name\": \"%s\", \"suite\": \"s\", \"text\": \"t\", "
		"\"program\": {\"file\": \"/bin/true\"}, \"metrics\": [{\"name\": \"w.x\", "
		"\"from\": \"stdout\", \"pattern\": \"([0-9]+)\", \"unit\": \"s\", "
		"\"direction\": \"lower\", \"kind\": \"ratio\", \"primary\": true}]}";
	static const char *const names[] = {"../x", "a\\u001bb", "", "a b", "/etc/passwd"};
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *first = g_strdup_printf(topology, names[i]);
		g_autofree char *second = g_strdup_printf(workload, names[i]);

		check_text(&f, "topology", "show", first, "name");
		check_text(&f, "workload", "show", second, "name");
	}
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hostile/names", test_names);
	g_test_add_func("/hostile/leading-dash", test_leading_dash);
	g_test_add_func("/hostile/values", test_values);
	g_test_add_func("/hostile/no-files", test_no_files);
	g_test_add_func("/hostile/large-and-deep", test_large_and_deep);
	g_test_add_func("/hostile/images", test_images);
	g_test_add_func("/hostile/other-texts", test_other_texts);
	return g_test_run();
}
