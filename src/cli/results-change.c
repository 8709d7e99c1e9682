/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * results-change.c - copy runs out of the store, and take them out of it.
 */
#include "cli/results-change.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "cli/results-find.h"

#define FOLDER_MODE 0755
#define FILE_MODE 0644

static gboolean copy_tree(RigCli *cli, const char *from, const char *to, GError **error);

/* Links and special files are no part of a record; following one could copy anything. */
static gboolean copy_one(RigCli *cli, const char *from, const char *to, GError **error)
{
	struct stat st;

	if (g_cancellable_set_error_if_cancelled(cli->cancellable, error))
		return FALSE;
	if (lstat(from, &st) != 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be read", from);
		return FALSE;
	}
	if (S_ISDIR(st.st_mode))
		return copy_tree(cli, from, to, error);
	/* The copy of a record.json is another file than the cache was made of. */
	if (!S_ISREG(st.st_mode) || g_str_has_suffix(from, "/" RIG_STORE_CACHE))
		return TRUE;
	return rig_file_copy(from, to, FILE_MODE, error);
}

static gboolean copy_tree(RigCli *cli, const char *from, const char *to, GError **error)
{
	g_autoptr(GDir) dir = g_dir_open(from, 0, error);
	const char *name;

	if (!dir || !rig_file_make_dirs(to, FOLDER_MODE, error))
		return FALSE;
	while ((name = g_dir_read_name(dir))) {
		g_autofree char *source = g_build_filename(from, name, NULL);
		g_autofree char *target = g_build_filename(to, name, NULL);

		if (!copy_one(cli, source, target, error))
			return FALSE;
	}
	return TRUE;
}

/* Where a record lies below the store. */
static const char *relative_dir(const char *root, const RigStoreEntry *entry)
{
	const char *below =
		g_str_has_prefix(entry->dir, root) ? entry->dir + strlen(root) : entry->id;

	while (*below == '/')
		below++;
	return below;
}

static gboolean copy_runs(RigCli *cli, const GPtrArray *runs, const char *to, GError **error)
{
	g_autofree char *root = rig_results_root(cli);

	for (guint i = 0; i < runs->len; i++) {
		const RigStoreEntry *entry = runs->pdata[i];
		g_autofree char *target = g_build_filename(to, relative_dir(root, entry), NULL);

		rig_log_status(cli->log, "copying run %u of %u", i + 1, runs->len);
		if (!copy_tree(cli, entry->dir, target, error)) {
			g_prefix_error(error, "run %s: ", entry->id);
			return FALSE;
		}
	}
	return TRUE;
}

static void list_runs(const char *what, const GPtrArray *runs)
{
	for (guint i = 0; i < runs->len; i++) {
		const RigStoreEntry *entry = runs->pdata[i];

		printf("%s %s %s\n", what, entry->id, entry->dir);
	}
}

static gboolean fill_output(RigCli *cli, const GPtrArray *runs, const char *output, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(output);
	g_autofree char *temp = rig_file_temp_dir(parent, "rig-export", error);
	gboolean done;

	if (!temp)
		return FALSE;
	done = chmod(temp, FOLDER_MODE) == 0 && copy_runs(cli, runs, temp, error);
	if (done && rename(temp, output) != 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be made", output);
		done = FALSE;
	}
	if (!done && !rig_file_remove_tree(temp, NULL))
		rig_log_warn(cli->log, "%s: half an export was left here", temp);
	return done;
}

int rig_results_export(RigCli *cli, const GPtrArray *runs, const char *output, GError **error)
{
	if (g_file_test(output, G_FILE_TEST_EXISTS)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "name a folder that is not there yet",
				   "%s: exists already", output);
		return -1;
	}
	if (cli->dry_run) {
		list_runs("would copy", runs);
		return 0;
	}
	if (!fill_output(cli, runs, output, error))
		return -1;
	rig_log_info(cli->log, "%u run%s copied to %s", runs->len, runs->len == 1 ? "" : "s",
		     output);
	return 0;
}

/* Signals are blocked here and come as a cancelled GCancellable, so fgets() would not end by them.
 */
static gboolean wait_for_line(GCancellable *cancellable)
{
	struct pollfd fds[2] = {
		{.fd = STDIN_FILENO, .events = POLLIN},
		{.fd = g_cancellable_get_fd(cancellable), .events = POLLIN},
	};

	while (poll(fds, 2, -1) < 0 && errno == EINTR)
		;
	if (fds[1].fd >= 0)
		g_cancellable_release_fd(cancellable);
	return !g_cancellable_is_cancelled(cancellable);
}

static gboolean ask(RigCli *cli, guint n, GError **error)
{
	char answer[16] = "";

	fprintf(stderr, "Remove %u run%s with all that %s left? [y/N] ", n, n == 1 ? "" : "s",
		n == 1 ? "it" : "they");
	fflush(stderr);
	if (!wait_for_line(cli->cancellable)) {
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted, nothing was removed");
		return FALSE;
	}
	if (fgets(answer, sizeof(answer), stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "nothing was removed");
	return FALSE;
}

static gboolean confirm(RigCli *cli, const GPtrArray *runs, gboolean yes, GError **error)
{
	if (yes)
		return TRUE;
	if (isatty(STDIN_FILENO))
		return ask(cli, runs->len, error);
	rig_error_set_hint(error, RIG_ERROR_USAGE, "add --yes, or --dry-run to see which they are",
			   "removing %u run%s needs a yes, and there is no terminal to ask",
			   runs->len, runs->len == 1 ? "" : "s");
	return FALSE;
}

static gboolean remove_runs(RigCli *cli, const char *root, const GPtrArray *runs,
			    GPtrArray *removed, GError **error)
{
	for (guint i = 0; i < runs->len; i++) {
		const RigStoreEntry *entry = runs->pdata[i];

		if (g_cancellable_set_error_if_cancelled(cli->cancellable, error))
			return FALSE;
		g_ptr_array_add(removed, entry->dir);
		if (!rig_store_remove(root, entry->dir, error)) {
			g_prefix_error(error, "run %s: ", entry->id);
			return FALSE;
		}
	}
	return TRUE;
}

int rig_results_remove(RigCli *cli, const GPtrArray *runs, gboolean yes, GError **error)
{
	g_autofree char *root = rig_results_root(cli);
	g_autoptr(GPtrArray) removed = g_ptr_array_new();
	gboolean done, renewed;

	if (cli->dry_run) {
		list_runs("would remove", runs);
		return 0;
	}
	if (runs->len > 0 && !confirm(cli, runs, yes, error))
		return -1;
	done = remove_runs(cli, root, runs, removed, error);
	/* Of those that were removed before an error, too; that one is the one to tell. */
	renewed = rig_store_renew(root, removed, done ? error : NULL);
	if (!done || !renewed)
		return -1;
	rig_log_info(cli->log, "%u run%s removed", runs->len, runs->len == 1 ? "" : "s");
	return 0;
}
