/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules-index.c - runs depmod over the modules that a guest gets.
 *
 * depmod walks a tree of its own making up, so the guest's part of the modules is shown to it as a
 * tree of links.
 */
#include "vm/modules-index.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define DEPMOD_TIMEOUT_MS 60000

static gboolean add_link(const char *modules_dir, const char *tree, const char *file,
			 GError **error)
{
	g_autofree char *source = g_build_filename(modules_dir, file, NULL);
	g_autofree char *target = g_build_filename(tree, file, NULL);
	g_autofree char *parent = g_path_get_dirname(target);

	if (!rig_file_make_dirs(parent, 0755, error))
		return FALSE;
	if (symlink(source, target) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be made", target);
	return FALSE;
}

/* What is built into the kernel, and in which order modules were linked: depmod reads these. */
static gboolean add_lists(const char *modules_dir, const char *tree, GError **error)
{
	static const char *const lists[] = {"modules.builtin", "modules.builtin.modinfo",
					    "modules.order"};

	for (guint i = 0; i < G_N_ELEMENTS(lists); i++) {
		g_autofree char *path = g_build_filename(modules_dir, lists[i], NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS) &&
		    !add_link(modules_dir, tree, lists[i], error))
			return FALSE;
	}
	return TRUE;
}

static gboolean run_depmod(const char *stage, const char *release, GError **error)
{
	const char *argv[] = {"depmod", "-b", stage, release, NULL};
	/* An ordinary user has no sbin on PATH. */
	g_autofree char *path = g_strconcat("PATH=", g_getenv("PATH"), ":/usr/sbin:/sbin", NULL);
	const char *env[] = {path, NULL};
	const RigProcess process = {.argv = argv, .env = env, .timeout_ms = DEPMOD_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	return rig_process_check(&process, &result, RIG_ERROR_HOST, NULL, error);
}

gboolean rig_modules_index(RigRootfs *rootfs, const char *modules_dir, const char *release,
			   const GPtrArray *files, const char *stage, GError **error)
{
	g_autofree char *tree = g_build_filename(stage, "lib", "modules", release, NULL);
	g_autoptr(GDir) dir = NULL;
	const char *name;

	if (!rig_file_make_dirs(tree, 0755, error) || !add_lists(modules_dir, tree, error))
		return FALSE;
	for (guint i = 0; i < files->len; i++)
		if (!add_link(modules_dir, tree, files->pdata[i], error))
			return FALSE;
	if (!run_depmod(stage, release, error))
		return FALSE;
	dir = g_dir_open(tree, 0, error);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *source = g_build_filename(tree, name, NULL);
		g_autofree char *path = g_build_filename("/lib/modules", release, name, NULL);

		if (g_str_has_prefix(name, "modules."))
			rig_rootfs_add_file(rootfs, path, source, 0644);
	}
	return dir != NULL;
}
