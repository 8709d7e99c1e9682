/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-files.c - bad files are refused with file, key and value named, and nothing is lost.
 */
#include <glib/gstdio.h>
#include <string.h>

#include "base/file.h"
#include "cli-fixture.h"

static char *shipped(const char *folder, const char *name)
{
	char *path = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), folder, name, NULL);

	g_assert_true(g_file_test(path, G_FILE_TEST_EXISTS));
	return path;
}

static char *with_replaced(const char *path, const char *old, const char *new)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *text = rig_file_read(path, 1 << 20, NULL, &error);
	g_autofree char *before = NULL;
	char *at;

	g_assert_no_error(error);
	at = strstr(text, old);
	g_assert_nonnull(at);
	before = g_strndup(text, at - text);
	return g_strconcat(before, new, at + strlen(old), NULL);
}

static void test_topology_with_misspelt_key(void)
{
	CliFixture f;
	g_autofree char *good = shipped("topologies", "2sp-icl.json");
	g_autofree char *text = with_replaced(good, "\"sockets\"", "\"sokets\"");
	g_autofree char *path = NULL;

	cli_setup(&f);
	path = cli_write(&f, "bad.json", text);
	cli_rig(&f, "topology", "check", path, NULL);
	cli_expect(&f, 2, path);
	cli_rig(&f, "up", path, NULL);
	cli_expect(&f, 2, "sockets");
	cli_rig(&f, "topology", "check", good, NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

static void test_topology_that_is_no_json(void)
{
	CliFixture f;
	g_autofree char *path = NULL;

	cli_setup(&f);
	path = cli_write(&f, "bad.json", "{\"version\": 1,");
	cli_rig(&f, "topology", "check", path, NULL);
	cli_expect(&f, 2, "bad.json");
	cli_rig(&f, "topology", "check", "/nowhere/x.json", NULL);
	cli_expect(&f, 2, "/nowhere/x.json");
	cli_teardown(&f);
}

static void test_workload_file_of_a_user(void)
{
	CliFixture f;
	g_autofree char *good = shipped("workloads", "numa02.json");
	g_autofree char *text = with_replaced(good, "\"timeout_s\"", "\"timeout\"");
	g_autofree char *path = NULL;

	cli_setup(&f);
	path = cli_write(&f, "mine.json", text);
	cli_rig(&f, "workload", "show", path, NULL);
	cli_expect(&f, 2, "mine.json");
	g_assert_nonnull(strstr(f.last.err, "timeout"));
	cli_rig(&f, "workload", "show", good, NULL);
	cli_expect(&f, 0, NULL);
	cli_teardown(&f);
}

static void test_workload_with_escapes(void)
{
	CliFixture f;
	g_autofree char *good = shipped("workloads", "numa02.json");
	g_autofree char *text =
		with_replaced(good, "\"suite\": \"autonuma\"", "\"suite\": \"\\u001b[31mred\"");
	g_autofree char *path = NULL;

	cli_setup(&f);
	path = cli_write(&f, "numa02.json", text);
	cli_rig(&f, "workload", "show", path, NULL);
	g_assert_null(strchr(f.last.out, '\x1b'));
	g_assert_null(strchr(f.last.err, '\x1b'));
	cli_teardown(&f);
}

static void test_state_that_cannot_be_written(void)
{
	CliFixture f;
	g_autofree char *blocker = NULL;

	cli_setup(&f);
	blocker = cli_write(&f, "state", "a file where the folder would be\n");
	cli_rig(&f, "ps", NULL);
	g_assert_cmpint(f.last.status, !=, 139);
	cli_rig(&f, "kernel", "add", "/nowhere/bzImage", "--name", "x", NULL);
	g_assert_cmpint(f.last.status, !=, 0);
	g_assert_true(g_file_test(blocker, G_FILE_TEST_IS_REGULAR));
	cli_teardown(&f);
}

static void test_kernel_that_is_none(void)
{
	CliFixture f;
	g_autofree char *path = NULL;

	cli_setup(&f);
	path = cli_write(&f, "bzImage", "this is no kernel\n");
	cli_rig(&f, "kernel", "add", path, "--name", "x", NULL);
	cli_expect(&f, 2, "bzImage");
	cli_rig(&f, "kernel", "list", NULL);
	cli_expect(&f, 0, NULL);
	g_assert_null(strstr(f.last.out, "bzImage"));
	cli_rig(&f, "kernel", "add", path, "--name", "../x", NULL);
	cli_expect(&f, 2, "../x");
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/files/topology-misspelt", test_topology_with_misspelt_key);
	g_test_add_func("/files/topology-no-json", test_topology_that_is_no_json);
	g_test_add_func("/files/workload-of-a-user", test_workload_file_of_a_user);
	g_test_add_func("/files/workload-with-escapes", test_workload_with_escapes);
	g_test_add_func("/files/state-not-writable", test_state_that_cannot_be_written);
	g_test_add_func("/files/kernel-that-is-none", test_kernel_that_is_none);
	return g_test_run();
}
