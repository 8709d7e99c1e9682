/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli-fixture.c - start the built rig with folders of its own.
 */
#include "cli-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "base/file.h"

void cli_setup(CliFixture *fixture)
{
	g_autoptr(GError) error = NULL;

	memset(fixture, 0, sizeof(*fixture));
	fixture->root = g_dir_make_tmp("rig-cli-XXXXXX", &error);
	g_assert_no_error(error);
	g_assert_cmpint(g_chmod(fixture->root, 0755), ==, 0);
}

void cli_teardown(CliFixture *fixture)
{
	g_autoptr(GError) error = NULL;

	rig_process_result_clear(&fixture->last);
	g_assert_true(rig_file_remove_tree(fixture->root, &error));
	g_assert_no_error(error);
	g_free(fixture->root);
}

static int run(CliFixture *fixture, const char *const *argv)
{
	g_autofree char *state = g_strdup_printf("RIG_STATE_DIR=%s/state", fixture->root);
	g_autofree char *cache = g_strdup_printf("RIG_CACHE_DIR=%s/cache", fixture->root);
	g_autofree char *config = g_strdup_printf("XDG_CONFIG_HOME=%s/config", fixture->root);
	const char *env[] = {state, cache, config, "RIG_URI=", "LIBVIRT_DEFAULT_URI=", NULL};
	RigProcess process = {.argv = argv, .env = env, .timeout_ms = 60000};
	g_autoptr(GError) error = NULL;

	rig_process_result_clear(&fixture->last);
	if (!rig_process_run(&process, &fixture->last, NULL, &error))
		g_error("%s: %s", argv[0], error->message);
	return fixture->last.status;
}

int cli_rig(CliFixture *fixture, ...)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	va_list words;
	char *word;

	g_ptr_array_add(argv, (gpointer)g_getenv("RIG"));
	va_start(words, fixture);
	while ((word = va_arg(words, char *)))
		g_ptr_array_add(argv, word);
	va_end(words);
	g_ptr_array_add(argv, NULL);
	return run(fixture, (const char *const *)argv->pdata);
}

RigJson *cli_json(CliFixture *fixture)
{
	g_autoptr(GError) error = NULL;
	RigJson *root = rig_json_parse("stdout", fixture->last.out, -1, &error);

	if (!root)
		g_error("%s in:\n%s", error->message, fixture->last.out);
	return root;
}

void cli_expect(CliFixture *fixture, int code, const char *text)
{
	if (fixture->last.status == code && (!text || strstr(fixture->last.err, text)))
		return;
	g_error("exit %d, expected %d with \"%s\"\nstdout: %s\nstderr: %s", fixture->last.status,
		code, text ? text : "", fixture->last.out, fixture->last.err);
}

char *cli_write(CliFixture *fixture, const char *name, const char *text)
{
	char *path = g_build_filename(fixture->root, name, NULL);
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_file_write(path, text, -1, 0644, &error));
	g_assert_no_error(error);
	return path;
}
