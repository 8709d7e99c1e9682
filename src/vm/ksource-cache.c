/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksource-cache.c - what tells one source from another, and what a tree in the cache says of
 * itself.
 */
#include "vm/ksource-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#define MANIFEST "source.json"
#define DEPTH_MAX 64

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static GPtrArray *sorted_names(const char *dir, GError **error)
{
	g_autoptr(GDir) handle = g_dir_open(dir, 0, error);
	GPtrArray *names;
	const char *name;

	if (!handle)
		return NULL;
	names = g_ptr_array_new_with_free_func(g_free);
	while ((name = g_dir_read_name(handle)))
		g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, compare_names);
	return names;
}

static gboolean add_dir(GChecksum *sum, const char *dir, guint depth, GError **error);

static gboolean add_entry(GChecksum *sum, const char *dir, const char *name, guint depth,
			  GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *line = NULL;
	struct stat st;

	if (lstat(path, &st) < 0) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errno, "cannot be looked at", path);
		return FALSE;
	}
	if (S_ISDIR(st.st_mode))
		return add_dir(sum, path, depth + 1, error);
	line = g_strdup_printf("%s %lld %lld.%09ld\n", path, (long long)st.st_size,
			       (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	g_checksum_update(sum, (const guchar *)line, -1);
	return TRUE;
}

static gboolean add_dir(GChecksum *sum, const char *dir, guint depth, GError **error)
{
	g_autoptr(GPtrArray) names = NULL;

	if (depth > DEPTH_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: nested too deeply", dir);
		return FALSE;
	}
	names = sorted_names(dir, error);
	if (!names)
		return FALSE;
	for (guint i = 0; i < names->len; i++)
		if (!add_entry(sum, dir, names->pdata[i], depth, error))
			return FALSE;
	return TRUE;
}

char *rig_ksource_fingerprint(const char *dir, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);

	if (!add_dir(sum, dir, 0, error))
		return NULL;
	return g_strdup(g_checksum_get_string(sum));
}

char *rig_ksource_read_text(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);
	g_autoptr(RigJson) root = rig_json_load(path, 0, NULL);

	return root ? g_strdup(rig_json_string(root, "text", RIG_JSON_REQUIRED)) : NULL;
}

gboolean rig_ksource_write_text(const char *dir, const RigKsource *source, GError **error)
{
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "text", source->text);
	rig_json_add_string(writer, "revision", source->revision);
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, TRUE);
	return rig_file_write(path, text, -1, 0644, error);
}
