/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kernel.c - a real kernel built, built again with a patch, and both compared in real guests.
 */
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"

#define RIG_SHARE_S 3.0 /* of an incremental build, what is not make */

/* Without a deadline: a first build takes what it takes. */
static int build(CliFixture *f, const char *recipe)
{
	return cli_wait(cli_start(f, "kernel", "build", recipe, NULL));
}

/* The steps of the last build of NAME that begin with WHAT. */
static guint steps(const CliFixture *f, const char *name, const char *what)
{
	g_autofree char *file = g_strconcat(name, ".log", NULL);
	g_autofree char *path = g_build_filename(f->root, "cache", "kernel-logs", file, NULL);
	g_autofree char *text = rig_file_read(path, 1 << 26, NULL, NULL);
	g_auto(GStrv) lines = g_strsplit(text ? text : "", "\n", -1);
	guint n = 0;

	for (guint i = 0; lines[i]; i++)
		n += g_str_has_prefix(lines[i], what);
	return n;
}

static void test_base(CliFixture *f)
{
	g_assert_cmpint(build(f, "base-6.12"), ==, 0);
	cli_rig(f, "kernel", "show", "base-6.12", NULL);
	cli_expect(f, 0, NULL);
	g_assert_nonnull(strstr(f->last.out, "elf-pvh"));
	g_assert_null(strstr(f->last.out, "modules"));
	cli_rig(f, "kernel", "config", "base-6.12", NULL);
	g_assert_nonnull(strstr(f->last.out, "CONFIG_NUMA_BALANCING=y\n"));
	g_assert_null(strstr(f->last.out, "=m\n"));
}

/* "kernel mthp-numa: make vmlinux took 17.0 s" */
static double make_seconds(const CliFixture *f)
{
	const char *at = strstr(f->last.err, "make vmlinux took ");

	g_assert_nonnull(at);
	return g_ascii_strtod(at + strlen("make vmlinux took "), NULL);
}

/* The side of another patch: nothing is copied, one file compiled. */
static void test_patch(CliFixture *f)
{
	g_autofree char *patch = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "kernels", "patches",
						  "mthp-numa.patch", NULL);
	g_autofree char *text = rig_file_read(patch, 1 << 20, NULL, NULL);
	g_autoptr(GString) other = g_string_new(text);
	g_autofree char *second = NULL;
	gint64 start;
	double share;

	g_assert_cmpint(build(f, "mthp-numa"), ==, 0);
	g_string_replace(other, "folio_ref_count(folio) != 1", "folio_ref_count(folio) > 2", 0);
	second = cli_write(f, "second.patch", other->str);
	cli_rig(f, "kernel", "build", "try", "--source", "linux-source-6.12", "--patch", patch,
		NULL);
	cli_expect(f, 0, NULL);
	start = g_get_monotonic_time();
	cli_rig(f, "-v", "kernel", "build", "try", "--source", "linux-source-6.12", "--patch",
		second, NULL);
	cli_expect(f, 0, NULL);
	if (!strstr(f->last.err, "already there")) {
		g_assert_cmpuint(steps(f, "try", "  CC "), ==, 1);
		share = (g_get_monotonic_time() - start) / 1e6 - make_seconds(f);
		g_test_message("rig's own share: %.2f s", share);
		g_assert_cmpfloat(share, <, RIG_SHARE_S);
	}
	cli_rig(f, "kernel", "show", "mthp-numa", "--diff", "base-6.12", NULL);
	g_assert_nonnull(strstr(f->last.out, "patch: +mthp-numa.patch"));
	g_assert_null(strstr(f->last.out, "CONFIG_"));
}

static void test_run(CliFixture *f)
{
	cli_rig(f, "run", "anon-cow-rand-hugetlb", "--topology", "2sp-icl", "--kernel", "base-6.12",
		"--kernel", "mthp-numa", "--set", "runtime=10", NULL);
	cli_expect(f, 0, NULL);
	cli_rig(f, "compare", "base-6.12", "mthp-numa", NULL);
	g_assert_nonnull(strstr(f->last.out, "numa_pte_updates"));
}

/* One test, as each step needs the one before. */
static void test_kernel(void)
{
	CliFixture f;

	cli_setup_real(&f);
	test_base(&f);
	test_patch(&f);
	test_run(&f);
	cli_teardown(&f);
}

static gboolean has_program(const char *name)
{
	g_autofree char *path = g_find_program_in_path(name);

	return path != NULL;
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	if (!has_program("flex") || !has_program("bison") || !has_program("bc")) {
		g_print("1..0 # SKIP flex, bison or bc is missing: a kernel cannot be built\n");
		return 0;
	}
	g_test_add_func("/slow/kernel", test_kernel);
	return g_test_run();
}
