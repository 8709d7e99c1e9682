/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kbuild.c - rig kernel build on a source tree that takes a moment (tests/data/kbuild).
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"

#define TEXT_MAX (1 << 20)

typedef struct {
	CliFixture cli;
	char *tree;	/* a copy of the source */
	char *compiled; /* the file in which make names what it compiled */
} Kbuild;

static void sh(const Kbuild *k, const char *script)
{
	const char *argv[] = {"sh", "-e", "-c", script, NULL};
	const RigProcess process = {.argv = argv, .cwd = k->cli.root, .timeout_ms = 30000};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	if (!rig_process_check(&process, &result, 1, NULL, &error))
		g_error("%s: %s%s", script, error->message, result.out ? result.out : "");
}

/* Stand-ins for tools that only a real kernel's make starts; the machine's own go first. */
static void add_tools(const Kbuild *k, const char *path)
{
	g_autofree char *all = g_strdup_printf("%s:%s/bin", path, k->cli.root);

	sh(k, "mkdir bin; for i in flex bison bc xz; do ln -s /bin/true bin/$i; done");
	g_setenv("PATH", all, TRUE);
}

static void setup(Kbuild *k)
{
	static char *path;
	g_autofree char *copy = NULL, *ccache = NULL;

	if (!path)
		path = g_strdup(g_getenv("PATH"));
	cli_setup(&k->cli);
	add_tools(k, path);
	k->tree = g_build_filename(k->cli.root, "linux", NULL);
	k->compiled = g_build_filename(k->cli.root, "compiled", NULL);
	copy = g_strdup_printf("cp -r '%s/tests/data/kbuild' linux", g_getenv("RIG_SOURCE_ROOT"));
	sh(k, copy);
	ccache = g_build_filename(k->cli.root, "ccache", NULL);
	g_setenv("CCACHE_DIR", ccache, TRUE);
	g_setenv("FAKE_COMPILED", k->compiled, TRUE);
	g_unsetenv("FAKE_SLEEP");
}

static void teardown(Kbuild *k)
{
	g_free(k->tree);
	g_free(k->compiled);
	cli_teardown(&k->cli);
}

/* What was compiled since the last time, sorted, one word a file. */
static char *take_compiled(const Kbuild *k)
{
	char *text = rig_file_read(k->compiled, TEXT_MAX, NULL, NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	guint n = g_strv_length(lines);

	g_free(text);
	g_unlink(k->compiled);
	for (guint i = 0; i < n; i++)
		for (guint j = i + 1; j < n; j++)
			if (strcmp(lines[i], lines[j]) > 0) {
				char *swap = lines[i];

				lines[i] = lines[j];
				lines[j] = swap;
			}
	return g_strchug(g_strjoinv(" ", lines));
}

static void forget_compiled(const Kbuild *k)
{
	g_unlink(k->compiled);
}

static void expect_compiled(const Kbuild *k, const char *files)
{
	g_autofree char *now = take_compiled(k);

	g_assert_cmpstr(now, ==, files);
}

static char *write_patch(Kbuild *k, const char *name, const char *file, const char *from,
			 const char *to)
{
	g_autofree char *script =
		g_strdup_printf("mkdir -p a/mm b/mm; cp linux/%s a/%s; sed 's/%s/%s/' a/%s >b/%s; "
				"diff -u a/%s b/%s >%s || true; rm -r a b",
				file, file, from, to, file, file, file, file, name);

	sh(k, script);
	return g_build_filename(k->cli.root, name, NULL);
}

static int build(Kbuild *k, const char *name, const char *patch)
{
	if (!patch)
		return cli_rig(&k->cli, "kernel", "build", name, "--source", k->tree, NULL);
	return cli_rig(&k->cli, "kernel", "build", name, "--source", k->tree, "--patch", patch,
		       NULL);
}

static char *field(Kbuild *k, const char *name, const char *key)
{
	g_autoptr(RigJson) root = NULL;
	const char *value;

	cli_rig(&k->cli, "kernel", "show", name, "--json", NULL);
	cli_expect(&k->cli, 0, NULL);
	root = cli_json(&k->cli);
	value = rig_json_string(root, key, RIG_JSON_REQUIRED);
	g_assert_nonnull(value);
	return g_strdup(value);
}

static void test_build(void)
{
	g_autofree char *boot = NULL, *release = NULL, *format = NULL;
	Kbuild k;

	setup(&k);
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	g_assert_cmpstr(k.cli.last.out, ==, "base\n");
	expect_compiled(&k, "init/start.c mm/answer.c mm/question.c");
	release = field(&k, "base", "release");
	g_assert_cmpstr(release, ==, "6.99.0-fake");
	format = field(&k, "base", "format");
	g_assert_cmpstr(format, ==, "elf-pvh");
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, "already there");
	expect_compiled(&k, "");
	/* Another name for the same finds all compiled. */
	build(&k, "again", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "");
	sh(&k, "test ! -e linux/rig-build-* && cd linux && test \"$(ls)\" = "
	       "\"$(printf 'Makefile\\ncannot\\ninclude\\ninit\\nmm')\"");
	teardown(&k);
}

static void test_sides(void)
{
	g_autofree char *one = NULL, *two = NULL, *header = NULL, *base = NULL, *side = NULL;
	Kbuild k;

	setup(&k);
	one = write_patch(&k, "one.patch", "mm/answer.c", "40", "41");
	two = write_patch(&k, "two.patch", "mm/question.c", "6 . 9", "7 * 9");
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "init/start.c mm/answer.c mm/question.c");
	build(&k, "try", one);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/answer.c");
	base = field(&k, "base", "boot_sha256");
	side = field(&k, "try", "boot_sha256");
	g_assert_cmpstr(base, !=, side);
	/* The other patch: what the first one touched goes back, so it is compiled, too. */
	build(&k, "try", two);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/answer.c mm/question.c");
	/* Both: the second is as it was built. */
	cli_rig(&k.cli, "kernel", "build", "try", "--source", k.tree, "--patch", one, "--patch",
		two, NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/answer.c");
	/* Building a side has dated nothing of the base. */
	build(&k, "base2", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "");
	cli_rig(&k.cli, "kernel", "show", "try", "--diff", "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	g_assert_nonnull(strstr(k.cli.last.out, "patch: +one.patch"));
	g_assert_nonnull(strstr(k.cli.last.out, "patch: +two.patch"));
	g_assert_nonnull(strstr(k.cli.last.out, "boot: "));
	teardown(&k);
}

static void test_bad_patch(void)
{
	g_autofree char *good = NULL, *bad = NULL, *out = NULL;
	Kbuild k;

	setup(&k);
	good = write_patch(&k, "good.patch", "mm/answer.c", "40", "41");
	bad = write_patch(&k, "bad.patch", "mm/question.c", "6 . 9", "8 * 9");
	sh(&k, "sed -i 's/6 \\* 9/6 + 9/; s/int question/long question/' bad.patch");
	cli_rig(&k.cli, "kernel", "build", "try", "--source", k.tree, "--patch", good, "--patch",
		bad, NULL);
	cli_expect(&k.cli, 2, "patch bad.patch does not apply: mm/question.c: Hunk #1 FAILED");
	cli_expect(&k.cli, 2, "+\treturn 8 * 9;");
	sh(&k, "for i in answer question; do cmp linux/mm/$i.c cache/kside/*/tree/mm/$i.c; done; "
	       "test -z \"$(find cache/kside -name '*.rej' -o -name '*.orig')\"");
	cli_rig(&k.cli, "kernel", "show", "try", NULL);
	cli_expect(&k.cli, 2, NULL);
	forget_compiled(&k);
	build(&k, "try", good);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/answer.c mm/question.c");
	out = cli_write(&k.cli, "out.patch", "--- a/../../x\n+++ b/../../x\n@@ -0,0 +1 @@\n+x\n");
	build(&k, "try2", out);
	cli_expect(&k.cli, 2, "no path in a kernel's source");
	g_free(out);
	out = cli_write(&k.cli, "none.patch", "Subject: words\n\nno diff\n");
	build(&k, "try2", out);
	cli_expect(&k.cli, 2, "no diff in it");
	teardown(&k);
}

static void test_compiler_error(void)
{
	g_autofree char *broken = NULL, *good = NULL;
	Kbuild k;

	setup(&k);
	broken = write_patch(&k, "broken.patch", "mm/answer.c", "value += 1;", "valve += 1;");
	good = write_patch(&k, "good.patch", "mm/answer.c", "40", "42");
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	build(&k, "try", broken);
	cli_expect(&k.cli, 3, "mm/answer.c:7:");
	cli_expect(&k.cli, 3, "valve");
	cli_expect(&k.cli, 3, "cache/kernel-logs/try.log");
	sh(&k, "grep -q valve cache/kernel-logs/try.log");
	cli_rig(&k.cli, "kernel", "show", "try", NULL);
	cli_expect(&k.cli, 2, "not in the store");
	build(&k, "try", good);
	cli_expect(&k.cli, 0, NULL);
	teardown(&k);
}

static void test_options(void)
{
	g_autofree char *fragment = NULL, *own = NULL;
	Kbuild k;

	setup(&k);
	sh(&k, "echo CONFIG_XFS_FS=y >linux/cannot");
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, "CONFIG_XFS_FS=y was asked for, the config has n");
	sh(&k, "echo CONFIG_VIRTIO_BLK=y >>linux/cannot");
	build(&k, "other", NULL);
	cli_expect(&k.cli, 2, "CONFIG_VIRTIO_BLK=y|m");
	cli_rig(&k.cli, "kernel", "show", "other", NULL);
	cli_expect(&k.cli, 2, NULL);
	sh(&k, "echo CONFIG_NUMA_BALANCING=y >linux/cannot");
	build(&k, "other", NULL);
	cli_expect(&k.cli, 2, "CONFIG_NUMA_BALANCING=y");
	/* Who turns it off himself knows. */
	fragment = cli_write(&k.cli, "no-numa.config", "# CONFIG_NUMA_BALANCING is not set\n");
	cli_rig(&k.cli, "kernel", "build", "other", "--source", k.tree, "--fragment", fragment,
		NULL);
	cli_expect(&k.cli, 0, NULL);
	own = cli_write(&k.cli, "own.config", "CONFIG_OWN=y\nCONFIG_XFS_FS=m\n");
	sh(&k, "echo none >linux/cannot");
	cli_rig(&k.cli, "kernel", "build", "own", "--source", k.tree, "--config", own, NULL);
	cli_expect(&k.cli, 0, NULL);
	cli_rig(&k.cli, "kernel", "config", "own", NULL);
	g_assert_nonnull(strstr(k.cli.last.out, "CONFIG_OWN=y\n"));
	g_assert_nonnull(strstr(k.cli.last.out, "CONFIG_XFS_FS=y\n"));
	g_assert_null(strstr(k.cli.last.out, "CONFIG_XFS_FS=m\n"));
	cli_rig(&k.cli, "kernel", "build", "def", "--source", k.tree, "--config", "defconfig",
		NULL);
	cli_expect(&k.cli, 0, NULL);
	cli_rig(&k.cli, "kernel", "show", "def", "--diff", "own", NULL);
	g_assert_nonnull(strstr(k.cli.last.out, "CONFIG_OWN: y -> n"));
	g_assert_nonnull(strstr(k.cli.last.out, "CONFIG_FAKE_DEFCONFIG: n -> y"));
	teardown(&k);
}

/* Wait until make has begun to compile. */
static void wait_compiling(const Kbuild *k)
{
	for (int i = 0; i < 300 && !g_file_test(k->compiled, G_FILE_TEST_EXISTS); i++)
		g_usleep(50000);
	g_assert_true(g_file_test(k->compiled, G_FILE_TEST_EXISTS));
}

static void test_interrupted(void)
{
	g_autofree char *seen = NULL;
	Kbuild k;
	GPid pid;

	setup(&k);
	g_setenv("FAKE_SLEEP", "20", TRUE);
	pid = cli_start(&k.cli, "kernel", "build", "base", "--source", k.tree, NULL);
	wait_compiling(&k);
	kill(pid, SIGINT);
	g_assert_cmpint(cli_wait(pid), ==, 130);
	cli_rig(&k.cli, "kernel", "show", "base", NULL);
	cli_expect(&k.cli, 2, NULL);
	/* Nobody works on in the background, and no scratch folder is left. */
	sh(&k,
	   "for i in $(pgrep -x make); do case $(readlink /proc/$i/cwd) in \"$PWD\"/*) exit 1;; "
	   "esac; done; test -z \"$(find cache state -maxdepth 2 -name '.*-?????" "?')\"");
	g_unsetenv("FAKE_SLEEP");
	seen = take_compiled(&k);
	g_assert_nonnull(strstr(seen, ".c"));
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "init/start.c mm/answer.c mm/question.c");
	teardown(&k);
}

static void test_git(void)
{
	g_autofree char *revision = NULL, *first = NULL;
	Kbuild k;

	setup(&k);
	sh(&k, "cd linux && git init -q && git config user.email a@b && git config user.name n && "
	       "git add . && git commit -q -m one && sed -i s/40/50/ mm/answer.c && "
	       "git commit -q -a -m two && sed -i 's/6 . 9/5 * 9/' mm/question.c");
	cli_rig(&k.cli, "kernel", "build", "old", "--source", k.tree, "--rev", "HEAD~1", NULL);
	cli_expect(&k.cli, 0, NULL);
	cli_rig(&k.cli, "kernel", "build", "head", "--source", k.tree, "--rev", "HEAD", NULL);
	cli_expect(&k.cli, 0, NULL);
	forget_compiled(&k);
	cli_rig(&k.cli, "kernel", "build", "undone", "--source", k.tree, "--rev", "HEAD",
		"--revert", "HEAD", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/answer.c");
	first = field(&k, "old", "boot_sha256");
	revision = field(&k, "undone", "boot_sha256");
	g_assert_cmpstr(first, ==, revision);
	/* Without --rev it is what lies there, changes and all. */
	build(&k, "dirty", NULL);
	cli_expect(&k.cli, 0, NULL);
	expect_compiled(&k, "mm/question.c");
	cli_rig(&k.cli, "kernel", "show", "dirty", NULL);
	g_assert_nonnull(strstr(k.cli.last.out, "uncommitted changes"));
	sh(&k, "cd linux && test \"$(git status --short)\" = ' M mm/question.c' && "
	       "test \"$(git worktree list | wc -l)\" = 1");
	cli_rig(&k.cli, "kernel", "build", "none", "--source", k.tree, "--rev", "nothing", NULL);
	cli_expect(&k.cli, 2, "has no commit \"nothing\"");
	teardown(&k);
}

static void test_sources(void)
{
	g_autofree char *tarball = NULL;
	Kbuild k;

	setup(&k);
	sh(&k, "tar -czf linux.tar.gz linux; mkdir empty; cp -r linux built; "
	       "echo CONFIG_X=y >built/.config");
	tarball = g_build_filename(k.cli.root, "linux.tar.gz", NULL);
	cli_rig(&k.cli, "kernel", "build", "tar", "--source", tarball, NULL);
	cli_expect(&k.cli, 0, NULL);
	cli_rig(&k.cli, "kernel", "build", "x", "--source", "./nothing", NULL);
	cli_expect(&k.cli, 2, "no such folder or file");
	cli_rig(&k.cli, "kernel", "build", "x", "--source", k.tree, "--rev", "v1", NULL);
	cli_expect(&k.cli, 2, "not a git tree");
	cli_rig(&k.cli, "kernel", "build", "x", "--source", k.tree, "--revert", "v1", NULL);
	cli_expect(&k.cli, 2, "--revert wants a git source");
	g_free(tarball);
	tarball = g_build_filename(k.cli.root, "built", NULL);
	cli_rig(&k.cli, "kernel", "build", "x", "--source", tarball, NULL);
	cli_expect(&k.cli, 2, "a kernel was built in this tree");
	cli_rig(&k.cli, "kernel", "build", "no-such-recipe", NULL);
	cli_expect(&k.cli, 2, "rig kernel recipes");
	cli_rig(&k.cli, "kernel", "build", "../x", "--source", k.tree, NULL);
	cli_expect(&k.cli, 2, "kernel name");
	teardown(&k);
}

static void test_missing_tools(void)
{
	g_autofree char *path = NULL;
	Kbuild k;

	setup(&k);
	sh(&k, "mkdir few; for i in make gcc ld objcopy perl patch tar sh cp grep; do "
	       "ln -s $(command -v $i) few/$i; done");
	path = g_build_filename(k.cli.root, "few", NULL);
	g_setenv("PATH", path, TRUE);
	build(&k, "base", NULL);
	cli_expect(&k.cli, 3, "flex, bison, bc, xz");
	cli_expect(&k.cli, 3, "apt-get install flex bison bc xz-utils");
	g_setenv("PATH", "/usr/bin:/bin", TRUE);
	teardown(&k);
}

/* A folder in which somebody else built a kernel, as it is. */
static void test_run_path(void)
{
	g_autofree char *dir = NULL;
	Kbuild k;

	setup(&k);
	build(&k, "base", NULL);
	cli_expect(&k.cli, 0, NULL);
	sh(&k, "mkdir mine; cp cache/ktree/*/tree/rig-build-*/vmlinux "
	       "cache/ktree/*/tree/rig-build-*/.config mine");
	dir = g_build_filename(k.cli.root, "mine", NULL);
	cli_rig(&k.cli, "run", "numa02", "--dry-run", "--kernel", "base", "--kernel", dir, NULL);
	cli_expect(&k.cli, 0, "is kernel mine-");
	cli_rig(&k.cli, "kernel", "list", NULL);
	g_assert_nonnull(strstr(k.cli.last.out, "mine-"));
	sh(&k, "echo CONFIG_X=y >mine/.config");
	cli_rig(&k.cli, "run", "numa02", "--dry-run", "--kernel", dir, NULL);
	cli_expect(&k.cli, 3, "CONFIG_NUMA_BALANCING=y");
	teardown(&k);
}

static void test_taken_name(void)
{
	g_autofree char *file = NULL;
	Kbuild k;

	setup(&k);
	build(&k, "base", NULL);
	sh(&k, "cp cache/ktree/*/tree/rig-build-*/vmlinux vmlinux");
	file = g_build_filename(k.cli.root, "vmlinux", NULL);
	cli_rig(&k.cli, "kernel", "add", file, "--name", "mine", NULL);
	cli_expect(&k.cli, 0, NULL);
	build(&k, "mine", NULL);
	cli_expect(&k.cli, 2, "--replace");
	cli_rig(&k.cli, "kernel", "build", "mine", "--source", k.tree, "--replace", NULL);
	cli_expect(&k.cli, 0, NULL);
	teardown(&k);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kbuild/build", test_build);
	g_test_add_func("/kbuild/sides", test_sides);
	g_test_add_func("/kbuild/bad-patch", test_bad_patch);
	g_test_add_func("/kbuild/compiler-error", test_compiler_error);
	g_test_add_func("/kbuild/options", test_options);
	g_test_add_func("/kbuild/interrupted", test_interrupted);
	g_test_add_func("/kbuild/git", test_git);
	g_test_add_func("/kbuild/sources", test_sources);
	g_test_add_func("/kbuild/missing-tools", test_missing_tools);
	g_test_add_func("/kbuild/run-path", test_run_path);
	g_test_add_func("/kbuild/taken-name", test_taken_name);
	return g_test_run();
}
