/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-debian.c - a Debian root in the cache, with tools that only play apt and mmdebstrap.
 *
 * What the real ones make is booted by tests/vm/test-debian.c.
 */
#include "vm/debian.h"

#include "expect.h"
#include "kofix.h"
#include "vm/cache.h"
#include "vm/debian-apt.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
	char *dir, *old_path;
	RigPaths paths;
	RigImageDebian debian;
} Fix;

static char *packages[] = {"kmod", "g++", NULL};

/* A shell script of that name, first on PATH. */
static void play(Fix *fix, const char *name, const char *script)
{
	g_autofree char *file = g_strconcat("bin/", name, NULL);
	g_autofree char *path = g_build_filename(fix->dir, file, NULL);
	g_autofree char *text = g_strdup_printf("#!/bin/sh\ncd '%s'\n%s", fix->dir, script);

	kofix_write(fix->dir, file, text, -1);
	g_assert_cmpint(g_chmod(path, 0755), ==, 0);
}

/* Notes how it was called, and makes an archive that is no archive. */
#define GOOD_MMDEBSTRAP                                                                          \
	"echo run >> runs; cat > stdin; env > env; echo 'I: working' >&2\n"                      \
	"for word; do echo \"$word\" >> words; done\n"                                           \
	"while [ $# -gt 2 ]; do case $1 in --aptopt=*) cat \"${1#*=}\" > aptopt;; esac; shift; " \
	"done\n"                                                                                 \
	"printf 'rig-package kmod 30-1\\nrig-package g++ 4:12\\nW: x\\n' >&2\n"                  \
	"echo tar > \"$1\"\n"

static void setup(Fix *fix, gconstpointer data)
{
	g_autofree char *path = NULL;

	fix->dir = expect_temp_dir();
	fix->paths.cache = g_build_filename(fix->dir, "cache", NULL);
	fix->debian.suite = "bookworm";
	fix->debian.packages = packages;
	play(fix, "apt-get",
	     "printf 'bookworm http://mirror.invalid/debian main\\n"
	     "bookworm-updates http://mirror.invalid/debian main\\n"
	     "bookworm-backports http://mirror.invalid/debian main\\n"
	     "bookwormish http://mirror.invalid/debian main\\n"
	     "stable-security http://mirror.invalid/security main\\n"
	     "bookworm-security http://mirror.invalid/security contrib\\n/ http://flat.invalid "
	     "\\n'");
	play(fix, "apt-config",
	     "echo 'Acquire::http::Proxy \"http://proxy.invalid\";'\n"
	     "echo 'Acquire::Check-Valid-Until \"false\";'\n"
	     "echo 'Acquire::Changelogs::URI \"http://else.invalid\";'");
	play(fix, "mmdebstrap", GOOD_MMDEBSTRAP);
	fix->old_path = g_strdup(g_getenv("PATH"));
	path = g_strdup_printf("%s/bin:%s", fix->dir, fix->old_path);
	g_setenv("PATH", path, TRUE);
}

static void teardown(Fix *fix, gconstpointer data)
{
	g_setenv("PATH", fix->old_path, TRUE);
	g_free(fix->old_path);
	g_free(fix->paths.cache);
	expect_remove(fix->dir);
}

static char *get(Fix *fix, GError **error)
{
	const RigBootsetContext context = {.paths = &fix->paths};

	return rig_debian_get(&context, &fix->debian, error);
}

static char *read_noted(Fix *fix, const char *name)
{
	g_autofree char *path = g_build_filename(fix->dir, name, NULL);
	g_autoptr(GError) error = NULL;
	char *text = rig_file_read(path, 65536, NULL, &error);

	g_assert_no_error(error);
	return text;
}

/* Only locks are left in the cache: no entry, no scratch folder. */
static void expect_nothing(Fix *fix)
{
	g_autoptr(GDir) dir = g_dir_open(fix->paths.cache, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		g_assert_cmpstr(name, ==, "locks");
}

static void test_made_once(Fix *fix, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *none = rig_debian_packages(&fix->paths, &fix->debian);
	g_autofree char *first = get(fix, &error);
	g_autofree char *second = NULL, *runs = NULL, *listed = NULL, *digest = NULL;

	g_assert_no_error(error);
	g_assert_null(none);
	second = get(fix, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(first, ==, second);
	runs = read_noted(fix, "runs");
	g_assert_cmpstr(runs, ==, "run\n");
	listed = rig_debian_packages(&fix->paths, &fix->debian);
	g_assert_cmpstr(listed, ==, "kmod 30-1\ng++ 4:12\n");
	digest = rig_cache_digest(first, RIG_DEBIAN_TAR);
	g_assert_nonnull(digest);
	fix->debian.suite = "bookwormish";
	g_clear_pointer(&second, g_free);
	second = get(fix, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(first, !=, second);
}

static void test_command(Fix *fix, gconstpointer data)
{
	static const char *const wanted[] = {
		"--variant=minbase\n", "--include=kmod,g++\n", "\nbookworm\n",
		"--dpkgopt=path-exclude=/usr/share/man/*\n", "/root.tar\n-\n"};
	g_autoptr(GError) error = NULL;
	g_autofree char *dir = get(fix, &error);
	g_autofree char *words = NULL, *sources = NULL, *options = NULL, *env = NULL;

	g_assert_no_error(error);
	words = read_noted(fix, "words");
	for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!strstr(words, wanted[i]))
			g_error("no \"%s\" in:\n%s", wanted[i], words);
	sources = read_noted(fix, "stdin");
	g_assert_cmpstr(sources, ==,
			"deb http://mirror.invalid/debian bookworm main\n"
			"deb http://mirror.invalid/debian bookworm-updates main\n"
			"deb http://mirror.invalid/security bookworm-security contrib\n");
	options = read_noted(fix, "aptopt");
	g_assert_cmpstr(options, ==,
			"Acquire::Languages \"none\";\n"
			"Acquire::http::Proxy \"http://proxy.invalid\";\n"
			"Acquire::Check-Valid-Until \"false\";\n");
	env = read_noted(fix, "env");
	g_assert_nonnull(strstr(env, "SOURCE_DATE_EPOCH=0\n"));
}

static void test_no_source(Fix *fix, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	/* Its security fixes alone are not the suite. */
	fix->debian.suite = "stable";
	g_assert_null(get(fix, &error));
	expect_error(&error, RIG_ERROR_HOST, "no source for the suite stable");
	expect_nothing(fix);
}

static void test_no_tool(Fix *fix, gconstpointer data)
{
	g_autofree char *path = g_build_filename(fix->dir, "bin", "mmdebstrap", NULL);
	g_autofree char *bin = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	g_assert_cmpint(g_unlink(path), ==, 0);
	g_setenv("PATH", bin, TRUE);
	g_assert_null(get(fix, &error));
	expect_error(&error, RIG_ERROR_HOST, "apt-get install mmdebstrap");
	expect_nothing(fix);
}

static void test_failed(Fix *fix, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	play(fix, "mmdebstrap",
	     "echo half > \"$TMPDIR/half\"; printf 'I: on it\\nE: no \\033[31mroute\\n' >&2; exit "
	     "25");
	g_assert_null(get(fix, &error));
	g_assert_null(strchr(error->message, '\033'));
	g_assert_null(strstr(error->message, "on it"));
	g_assert_nonnull(strstr(error->message, "apt-get update"));
	expect_error(&error, RIG_ERROR_HOST, "status 25:\nE: no \\x1b[31mroute");
	expect_nothing(fix);
}

static gpointer cancel_soon(gpointer data)
{
	g_usleep(G_USEC_PER_SEC / 5);
	g_cancellable_cancel(data);
	return NULL;
}

static void test_cancelled(Fix *fix, gconstpointer data)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	const RigBootsetContext context = {.paths = &fix->paths, .cancellable = cancellable};
	g_autoptr(GError) error = NULL;
	GThread *thread;

	play(fix, "mmdebstrap",
	     "case $1 in --unshare-helper) exit;; esac; echo half > \"$TMPDIR/half\"; sleep 600");
	thread = g_thread_new("cancel", cancel_soon, cancellable);
	g_assert_null(rig_debian_get(&context, &fix->debian, &error));
	g_thread_join(thread);
	expect_error(&error, RIG_ERROR_INTERRUPTED, "interrupted");
	expect_nothing(fix);
}

#define ADD(path, func) g_test_add(path, Fix, NULL, setup, func, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("/debian/made-once", test_made_once);
	ADD("/debian/command", test_command);
	ADD("/debian/no-source", test_no_source);
	ADD("/debian/no-tool", test_no_tool);
	ADD("/debian/failed", test_failed);
	ADD("/debian/cancelled", test_cancelled);
	return g_test_run();
}
