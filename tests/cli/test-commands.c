/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-commands.c - commands, options, exit codes, and which stream gets what.
 */
#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "cli-fixture.h"

static void test_nothing_said(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, NULL);
	cli_expect(&f, 2, "usage: rig COMMAND");
	g_assert_cmpstr(f.last.out, ==, "");
	cli_rig(&f, "--help", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "usage: rig COMMAND"));
	cli_rig(&f, "--version", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_true(g_str_has_prefix(f.last.out, "rig "));
	cli_teardown(&f);
}

static void test_wrong_words(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "topolgy", "list", NULL);
	cli_expect(&f, 2, "did you mean \"topology\"");
	cli_rig(&f, "frobnicate", NULL);
	cli_expect(&f, 2, "there is no command \"frobnicate\"");
	g_assert_null(strstr(f.last.err, "did you mean"));
	cli_rig(&f, "up", "2sp-icl", "--frobnicate", NULL);
	cli_expect(&f, 2, "--frobnicate");
	cli_rig(&f, "up", NULL);
	cli_expect(&f, 2, "TOPOLOGY");
	cli_rig(&f, "run", NULL);
	cli_expect(&f, 2, "WORKLOAD is missing");
	cli_rig(&f, "run", "a", "b", NULL);
	cli_expect(&f, 2, "one WORKLOAD");
	cli_rig(&f, "\x1b[31mred", NULL);
	cli_expect(&f, 2, "\\x1b");
	g_assert_null(strchr(f.last.err, '\x1b'));
	cli_teardown(&f);
}

static void test_copy_words(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "cp", f.root, "nobody:/tmp", NULL);
	cli_expect(&f, 2, "is a folder, add -r");
	cli_rig(&f, "cp", "/etc/hostname", "nobody:", NULL);
	cli_expect(&f, 2, "nobody: has no path behind it");
	cli_rig(&f, "cp", "nobody:tmp/x", f.root, NULL);
	cli_expect(&f, 2, "nobody:tmp/x: a path in a guest begins with /");
	cli_rig(&f, "cp", "-r", "nobody:tmp/x", f.root, "--dry-run", NULL);
	cli_expect(&f, 2, "begins with /");
	cli_rig(&f, "cp", "/etc/hostname", "nobody:/tmp", NULL);
	cli_expect(&f, 2, "there is no guest");
	cli_teardown(&f);
}

static void test_unknown_things(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "topology", "show", "3sp-none", NULL);
	cli_expect(&f, 2, "rig topology list");
	cli_rig(&f, "workload", "show", "none", NULL);
	cli_expect(&f, 2, "rig workload list");
	cli_rig(&f, "run", "none", NULL);
	cli_expect(&f, 2, "rig workload list");
	cli_rig(&f, "run", "numa02", "--topology", "none", NULL);
	cli_expect(&f, 2, "rig topology list");
	cli_rig(&f, "run", "numa02", "--kernel", "none", NULL);
	cli_expect(&f, 2, "rig kernel add");
	cli_rig(&f, "run", "numa02", "--set", "sice=4M", NULL);
	cli_expect(&f, 2, "sice");
	cli_rig(&f, "run", "numa02", "--repeat", "-1", NULL);
	cli_expect(&f, 2, "--repeat");
	cli_rig(&f, "run", "numa02", "--seed", "x", NULL);
	cli_expect(&f, 2, "--seed");
	cli_rig(&f, "run", "numa02", "--on", "nobody", NULL);
	cli_expect(&f, 2, "nobody");
	cli_rig(&f, "run", "numa02", "--on", "nobody", "--kernel", "k", NULL);
	cli_expect(&f, 2, "--kernel cannot be given too");
	cli_rig(&f, "exec", "nobody", "--", "true", NULL);
	cli_expect(&f, 2, "nobody");
	cli_rig(&f, "console", "nobody", NULL);
	cli_expect(&f, 2, "nobody");
	cli_rig(&f, "kernel", "show", "none", NULL);
	cli_expect(&f, 2, "none");
	cli_rig(&f, "results", "show", "none", NULL);
	cli_expect(&f, 2, "none");
	cli_rig(&f, "compare", "a", "b", NULL);
	cli_expect(&f, 2, NULL);
	cli_teardown(&f);
}

static void test_listings_are_json(void)
{
	static const char *const listings[][2] = {
		{"topology", "list"}, {"workload", "list"}, {"kernel", "list"}, {"image", "list"},
		{"results", "list"},  {"ps", NULL},	    {"gc", NULL},	{"help", NULL},
	};
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(listings); i++) {
		g_autoptr(RigJson) root = NULL;
		cli_rig(&f, "--json", listings[i][0], listings[i][1], NULL);
		cli_expect(&f, 0, NULL);
		root = cli_json(&f);
		g_assert_true(rig_json_is_object(root));
		g_assert_cmpint(rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 0), ==, 1);
	}
	cli_teardown(&f);
}

/* They pass on what others print. */
static void test_no_json(void)
{
	static const char *const commands[][3] = {{"exec", "guest", "true"},
						  {"cp", "a", "guest:/b"},
						  {"console", "guest", NULL},
						  {"completion", "bash", NULL}};
	CliFixture f;

	cli_setup(&f);
	for (gsize i = 0; i < G_N_ELEMENTS(commands); i++) {
		cli_rig(&f, "--json", commands[i][0], commands[i][1], commands[i][2], NULL);
		cli_expect(&f, 2, "--json");
		g_assert_cmpstr(f.last.out, ==, "");
	}
	/* This one is the command's. */
	cli_rig(&f, "exec", "guest", "true", "--json", NULL);
	cli_expect(&f, 2, "there is no guest");
	cli_teardown(&f);
}

/* What rig prints on a terminal of 80 columns. g_free. */
static char *on_terminal(CliFixture *f, const char *words)
{
	g_autofree char *command = g_strdup_printf(
		"stty cols 80; RIG_STATE_DIR=%s/state RIG_CACHE_DIR=%s/cache NO_COLOR=1 %s %s",
		f->root, f->root, g_getenv("RIG"), words);
	const char *argv[] = {"script", "-qec", command, "/dev/null", NULL};
	RigProcess process = {.argv = argv, .timeout_ms = 60000};
	g_auto(RigProcessResult) seen = {0};

	g_assert_true(rig_process_run(&process, &seen, NULL, NULL));
	if (seen.status != 0)
		g_error("rig %s: %s", words, seen.out);
	return g_strdup(seen.out);
}

static void add_kernel(CliFixture *f, const char *config)
{
	g_autofree char *dir = g_build_filename(f->root, "state", "kernels", "k", NULL);
	g_autofree char *digest = g_strnfill(64, '0');
	g_autofree char *json = g_strdup_printf(
		"{\"version\": 1, \"name\": \"k\", \"release\": \"6.12.95+deb12-cloud\","
		" \"compiler\": \"gcc-12\", \"format\": \"elf-pvh\", \"added\": 1,"
		" \"boot_sha256\": \"%s\", \"config_sha256\": \"%s\", \"source\": \"package "
		"linux-image-6.12.95+deb12-"
		"cloud-amd64 6.12.95-1\"}",
		digest, digest);
	g_autofree char *about = NULL, *text = NULL, *boot = NULL;

	g_assert_true(rig_file_make_dirs(dir, 0755, NULL));
	about = cli_write(f, "state/kernels/k/kernel.json", json);
	text = cli_write(f, "state/kernels/k/config", config);
	boot = cli_write(f, "state/kernels/k/boot", "");
}

/* A row is a line on a terminal, and all of it is there in a pipe. */
static void test_narrow_terminal(void)
{
	static const char *const lists[] = {"kernel list", "workload list", "gc", "image list"};
	CliFixture f;

	cli_setup(&f);
	add_kernel(&f, "CONFIG_NUMA=y\n");
	for (gsize i = 0; i < G_N_ELEMENTS(lists); i++) {
		g_autofree char *text = on_terminal(&f, lists[i]);
		g_auto(GStrv) lines = g_strsplit(text, "\n", -1);

		for (char **line = lines; *line; line++)
			if (g_utf8_strlen(g_strchomp(*line), -1) > 80)
				g_error("rig %s: more than 80 columns:\n%s", lists[i], *line);
	}
	cli_rig(&f, "kernel", "list", NULL);
	g_assert_nonnull(strstr(f.last.out, "cloud-amd64 6.12.95-1\n"));
	cli_teardown(&f);
}

static void test_config_on_terminal(void)
{
	static const char config[] = "CONFIG_X=\"\033]0;owned\007\"\nCONFIG_Y=y\n";
	CliFixture f;
	g_autofree char *text = NULL;

	cli_setup(&f);
	add_kernel(&f, config);
	cli_rig(&f, "kernel", "config", "k", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_cmpstr(f.last.out, ==, config);
	text = on_terminal(&f, "kernel config k");
	g_assert_null(strchr(text, '\x1b'));
	g_assert_nonnull(strstr(text, "\\x1b]0;owned\\x07"));
	cli_teardown(&f);
}

static void test_workload_takes(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "workload", "show", "numa02", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(
		strstr(f.last.out, "takes a whole number from 1, or 1% to 1000% of the CPUs"));
	g_assert_nonnull(strstr(f.last.out, "takes one of none, hard, inverse"));
	cli_rig(&f, "workload", "show", "numa02", "--json", NULL);
	g_assert_nonnull(strstr(f.last.out, "\"type\": \"choice\""));
	cli_teardown(&f);
}

static void test_no_escapes_in_pipes(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "topology", "list", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_null(strchr(f.last.out, '\x1b'));
	g_assert_nonnull(strstr(f.last.out, "2sp-icl"));
	cli_rig(&f, "workload", "list", NULL);
	g_assert_null(strchr(f.last.out, '\x1b'));
	g_assert_nonnull(strstr(f.last.out, "anon-cow-rand-hugetlb"));
	cli_teardown(&f);
}

static void test_stdout_that_is_full(void)
{
	CliFixture f;
	g_autofree char *command = g_strdup_printf("%s help >/dev/full", g_getenv("RIG"));
	const char *argv[] = {"sh", "-c", command, NULL};
	RigProcess process = {.argv = argv};
	g_autoptr(GError) error = NULL;

	cli_setup(&f);
	g_assert_true(rig_process_run(&process, &f.last, NULL, &error));
	cli_expect(&f, 1, "standard output");
	cli_teardown(&f);
}

static void test_options_on_both_sides(void)
{
	CliFixture f;
	g_autofree char *first = NULL;

	cli_setup(&f);
	cli_rig(&f, "--json", "topology", "list", NULL);
	cli_expect(&f, 0, NULL);
	first = g_strdup(f.last.out);
	cli_rig(&f, "topology", "list", "--json", NULL);
	g_assert_cmpstr(first, ==, f.last.out);
	cli_teardown(&f);
}

static void test_completion(void)
{
	CliFixture f;
	g_autofree char *script = NULL;
	const char *argv[] = {"bash", "-n", NULL, NULL};
	RigProcess process = {.argv = argv};
	g_autoptr(GError) error = NULL;

	cli_setup(&f);
	cli_rig(&f, "completion", "bash", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_nonnull(strstr(f.last.out, "complete -F _rig rig"));
	g_assert_nonnull(strstr(f.last.out, "run:--topology) _rig_words topology"));
	g_assert_nonnull(
		strstr(f.last.out, "run:--accel) COMPREPLY=($(compgen -W \"auto kvm tcg\""));
	g_assert_nonnull(strstr(f.last.out, "= build ] && kind=recipe"));
	script = cli_write(&f, "completion", f.last.out);
	argv[2] = script;
	g_assert_true(rig_process_run(&process, &f.last, NULL, &error));
	cli_expect(&f, 0, NULL);
	cli_rig(&f, "completion", "words", "topology", NULL);
	g_assert_nonnull(strstr(f.last.out, "2sp-icl\n"));
	cli_rig(&f, "completion", "words", "nonsense", NULL);
	cli_expect(&f, 2, "nonsense");
	cli_teardown(&f);
}

/* A guest that another rig boots right now is not a dead one. */
static void test_guest_that_boots(void)
{
	CliFixture f;
	g_autoptr(RigLock) lock = NULL;
	g_autofree char *dir = NULL, *path = NULL;

	cli_setup(&f);
	dir = g_build_filename(f.root, "state/guests/g", NULL);
	path = g_build_filename(dir, "lock", NULL);
	g_assert_true(rig_file_make_dirs(dir, 0755, NULL));
	g_free(cli_write(&f, "state/guests/g/guest.json", "{\"version\": 1, \"name\": \"g\"}"));
	lock = rig_lock_take(path, "booting the guest", 0, NULL, NULL);
	cli_rig(&f, "exec", "g", "--", "true", NULL);
	cli_expect(&f, 3, "guest \"g\" is not up yet: process ");
	g_assert_nonnull(strstr(f.last.err, "booting the guest"));
	g_clear_pointer(&lock, rig_lock_release);
	cli_rig(&f, "exec", "g", "--", "true", NULL);
	cli_expect(&f, 13, "not running any more");
	cli_teardown(&f);
}

static void test_nothing_is_up(void)
{
	CliFixture f;

	cli_setup(&f);
	cli_rig(&f, "down", "--all", NULL);
	cli_expect(&f, 0, NULL);
	cli_rig(&f, "ps", NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/cli/nothing-said", test_nothing_said);
	g_test_add_func("/cli/wrong-words", test_wrong_words);
	g_test_add_func("/cli/copy-words", test_copy_words);
	g_test_add_func("/cli/unknown-things", test_unknown_things);
	g_test_add_func("/cli/no-json", test_no_json);
	g_test_add_func("/cli/narrow-terminal", test_narrow_terminal);
	g_test_add_func("/cli/config-on-terminal", test_config_on_terminal);
	g_test_add_func("/cli/workload-takes", test_workload_takes);
	g_test_add_func("/cli/listings-are-json", test_listings_are_json);
	g_test_add_func("/cli/no-escapes-in-pipes", test_no_escapes_in_pipes);
	g_test_add_func("/cli/stdout-full", test_stdout_that_is_full);
	g_test_add_func("/cli/options-on-both-sides", test_options_on_both_sides);
	g_test_add_func("/cli/completion", test_completion);
	g_test_add_func("/cli/guest-that-boots", test_guest_that_boots);
	g_test_add_func("/cli/nothing-is-up", test_nothing_is_up);
	return g_test_run();
}
