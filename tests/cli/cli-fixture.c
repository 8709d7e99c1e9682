/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cli-fixture.c - start the built rig with folders of its own.
 */
#include "cli-fixture.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

void cli_setup(CliFixture *fixture)
{
	g_autoptr(GError) error = NULL;

	memset(fixture, 0, sizeof(*fixture));
	fixture->root = g_dir_make_tmp("rig-cli-XXXXXX", &error);
	g_assert_no_error(error);
	g_assert_cmpint(g_chmod(fixture->root, 0755), ==, 0);
}

void cli_setup_real(CliFixture *fixture)
{
	static const char *const kernels[][2] = {
		{"linux-6.1", "linux-image-cloud-amd64"},
		{"linux-6.12", "linux-image-cloud-amd64/bookworm-backports"},
	};
	g_autoptr(GError) error = NULL;

	memset(fixture, 0, sizeof(*fixture));
	fixture->stays = TRUE;
	fixture->root = g_strdup(g_getenv("RIG_TEST_ROOT"));
	g_assert_nonnull(fixture->root);
	g_assert_true(rig_file_make_dirs(fixture->root, 0755, &error));
	/* What a test that failed has left would fail all after it. */
	if (!g_getenv("RIG_LAB_KEEP"))
		cli_rig(fixture, "down", "--all", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(kernels); i++) {
		if (cli_rig(fixture, "kernel", "show", kernels[i][0], NULL) == 0)
			continue;
		cli_rig(fixture, "kernel", "add", kernels[i][1], "--name", kernels[i][0], NULL);
		cli_expect(fixture, 0, NULL);
	}
}

void cli_teardown(CliFixture *fixture)
{
	g_autoptr(GError) error = NULL;

	rig_process_result_clear(&fixture->last);
	if (!fixture->stays)
		g_assert_true(rig_file_remove_tree(fixture->root, &error));
	g_assert_no_error(error);
	g_free(fixture->root);
}

/* RIG_STATE_DIR=..., so that nothing of the machine's own rig is seen or touched. */
static char **fixture_env(const CliFixture *fixture)
{
	char **env = g_new0(char *, 6);

	env[0] = g_strdup_printf("RIG_STATE_DIR=%s/state", fixture->root);
	env[1] = g_strdup_printf("RIG_CACHE_DIR=%s/cache", fixture->root);
	env[2] = g_strdup_printf("XDG_CONFIG_HOME=%s/config", fixture->root);
	env[3] = g_strdup("RIG_URI=");
	env[4] = g_strdup("LIBVIRT_DEFAULT_URI=");
	return env;
}

static int run(CliFixture *fixture, const char *const *argv)
{
	g_auto(GStrv) env = fixture_env(fixture);
	RigProcess process = {
		.argv = argv,
		.env = (const char *const *)env,
		.timeout_ms = fixture->stays ? 600000 : 60000,
	};
	g_autoptr(GError) error = NULL;

	rig_process_result_clear(&fixture->last);
	if (!rig_process_run(&process, &fixture->last, NULL, &error))
		g_error("%s: %s", argv[0], error->message);
	return fixture->last.status;
}

static GPtrArray *words_of(const char *first, va_list words)
{
	GPtrArray *argv = g_ptr_array_new();
	char *word;

	g_ptr_array_add(argv, (gpointer)first);
	while ((word = va_arg(words, char *)))
		g_ptr_array_add(argv, word);
	g_ptr_array_add(argv, NULL);
	return argv;
}

int cli_rig(CliFixture *fixture, ...)
{
	g_autoptr(GPtrArray) argv = NULL;
	va_list words;

	va_start(words, fixture);
	argv = words_of(g_getenv("RIG"), words);
	va_end(words);
	return run(fixture, (const char *const *)argv->pdata);
}

int cli_rig_under(CliFixture *fixture, const char *limit, ...)
{
	g_autoptr(GPtrArray) argv = NULL;
	va_list words;

	va_start(words, limit);
	argv = words_of("prlimit", words);
	va_end(words);
	g_ptr_array_insert(argv, 1, (gpointer)limit);
	g_ptr_array_insert(argv, 2, (gpointer)g_getenv("RIG"));
	return run(fixture, (const char *const *)argv->pdata);
}

static void set_up_child(gpointer err_path)
{
	int fd = err_path ? open(err_path, O_WRONLY | O_CREAT | O_TRUNC, 0644) : -1;

	setpgid(0, 0);
	if (fd >= 0)
		dup2(fd, STDERR_FILENO);
}

GPid cli_start(CliFixture *fixture, ...)
{
	g_auto(GStrv) own = fixture_env(fixture);
	g_auto(GStrv) env = g_get_environ();
	g_autoptr(GPtrArray) argv = NULL;
	g_autoptr(GError) error = NULL;
	va_list words;
	GPid pid;

	for (char **pair = own; *pair; pair++) {
		g_auto(GStrv) parts = g_strsplit(*pair, "=", 2);
		env = g_environ_setenv(env, parts[0], parts[1], TRUE);
	}
	va_start(words, fixture);
	argv = words_of(g_getenv("RIG"), words);
	va_end(words);
	if (!g_spawn_async(NULL, (char **)argv->pdata, env,
			   G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL |
				   G_SPAWN_STDERR_TO_DEV_NULL,
			   set_up_child, (gpointer)fixture->start_err, &pid, &error))
		g_error("%s", error->message);
	return pid;
}

int cli_wait(GPid pid)
{
	int status;

	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
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

GPid cli_find_qemu(CliFixture *fixture, const char *name)
{
	g_autofree char *pattern =
		g_strdup_printf("qemu-system.*guest=%s,.*%s", name, fixture->root);
	const char *argv[] = {"pgrep", "-f", pattern, NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) found = {0};

	g_assert_true(rig_process_run(&process, &found, NULL, NULL));
	return found.status == 0 ? (GPid)atoi(found.out) : 0;
}

GPid cli_qemu(CliFixture *fixture, const char *name)
{
	GPid pid = cli_find_qemu(fixture, name);

	g_assert_cmpint(pid, >, 0);
	return pid;
}
