/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules-install.c - copies a tree of modules into rig's store, uncompressed.
 *
 * Uncompressed, since neither every kernel nor the guest's busybox can read every compression, and
 * since a guest under TCG unpacks slowly what the host unpacks once.
 */
#include "vm/modules.h"

#include "base/error.h"
#include "base/file.h"
#include "vm/modules-walk.h"
#include "vm/unpack.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define MODULE_MAX (256 * 1024 * 1024)
#define DEPTH_MAX 32

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static gboolean walk(const char *dir, const char *below, guint depth, GPtrArray *files,
		     GError **error)
{
	g_autofree char *path = g_build_filename(dir, below, NULL);
	g_autoptr(GDir) handle = g_dir_open(path, 0, error);
	const char *name;

	if (!handle)
		return FALSE;
	while (depth < DEPTH_MAX && (name = g_dir_read_name(handle))) {
		g_autofree char *file =
			below[0] ? g_build_filename(below, name, NULL) : g_strdup(name);
		g_autofree char *full = g_build_filename(dir, file, NULL);
		GStatBuf st;

		if (g_lstat(full, &st) < 0)
			continue;
		if (S_ISDIR(st.st_mode) && !walk(dir, file, depth + 1, files, error))
			return FALSE;
		if (S_ISREG(st.st_mode))
			g_ptr_array_add(files, g_steal_pointer(&file));
	}
	return TRUE;
}

GPtrArray *rig_modules_walk(const char *dir, GError **error)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	if (!walk(dir, "", 0, files, error)) {
		g_prefix_error(error, "kernel modules: ");
		return NULL;
	}
	g_ptr_array_sort(files, compare_names);
	return g_steal_pointer(&files);
}

static const char *const endings[] = {".ko", ".ko.xz", ".ko.zst", ".ko.gz", NULL};

gboolean rig_modules_is_module_file(const char *file)
{
	for (guint i = 0; endings[i]; i++)
		if (g_str_has_suffix(file, endings[i]))
			return TRUE;
	return FALSE;
}

static gboolean unpack_module(const char *from, const char *to, GError **error)
{
	g_autoptr(GMappedFile) map = g_mapped_file_new(from, FALSE, error);
	int fd = map ? g_open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644) : -1;
	gboolean good;

	if (!map)
		return FALSE;
	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot create", to);
		return FALSE;
	}
	good = rig_unpack_to_fd(from, g_mapped_file_get_contents(map),
				g_mapped_file_get_length(map), MODULE_MAX, FALSE, fd, NULL, error);
	close(fd);
	return good;
}

/* FILE without the ending of its compression. g_free. */
static char *plain_name(const char *file)
{
	char *name = g_strdup(file);

	for (guint i = 1; endings[i]; i++)
		if (g_str_has_suffix(name, endings[i]))
			name[strlen(name) - strlen(endings[i]) + strlen(".ko")] = '\0';
	return name;
}

static gboolean install_file(const char *from, const char *to_dir, const char *file, gboolean move,
			     GError **error)
{
	g_autofree char *source = g_build_filename(from, file, NULL);
	g_autofree char *name = plain_name(file);
	g_autofree char *target = g_build_filename(to_dir, name, NULL);
	g_autofree char *parent = g_path_get_dirname(target);

	if (!rig_file_make_dirs(parent, 0755, error))
		return FALSE;
	if (strcmp(name, file))
		return unpack_module(source, target, error);
	if (move && g_rename(source, target) == 0)
		return TRUE;
	return rig_file_copy(source, target, 0644, error);
}

static gboolean is_wanted(const char *file)
{
	return rig_modules_is_module_file(file) || !strcmp(file, "modules.builtin") ||
	       !strcmp(file, "modules.builtin.modinfo") || !strcmp(file, "modules.order");
}

static gboolean write_dep(const char *dir, GError **error)
{
	g_autoptr(RigModules) modules = rig_modules_open(dir, error);
	g_autofree char *path = g_build_filename(dir, "modules.dep", NULL);
	g_autofree char *text = modules ? rig_modules_dep(modules, NULL) : NULL;

	return text && rig_file_write(path, text, -1, 0644, error);
}

gboolean rig_modules_install(const char *from, const char *to, gboolean move,
			     GCancellable *cancellable, GError **error)
{
	g_autoptr(GPtrArray) files = rig_modules_walk(from, error);

	if (!files || !rig_file_make_dirs(to, 0755, error))
		return FALSE;
	for (guint i = 0; i < files->len; i++) {
		if (g_cancellable_is_cancelled(cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
			return FALSE;
		}
		if (is_wanted(files->pdata[i]) &&
		    !install_file(from, to, files->pdata[i], move, error))
			return FALSE;
	}
	return write_dep(to, error);
}

char *rig_modules_digest(const char *dir, GError **error)
{
	g_autoptr(GPtrArray) files = rig_modules_walk(dir, error);
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	if (!files)
		return NULL;
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *path = g_build_filename(dir, files->pdata[i], NULL);
		g_autofree char *digest = rig_file_sha256(path, error);
		g_autofree char *line = NULL;

		if (!digest)
			return NULL;
		line = g_strdup_printf("%s %s\n", digest, (char *)files->pdata[i]);
		g_checksum_update(sum, (const guchar *)line, -1);
	}
	return g_strdup(g_checksum_get_string(sum));
}
