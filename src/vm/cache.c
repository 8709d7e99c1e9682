/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache.c - entries of the cache: made whole, checked on use, described by their complete.json.
 *
 * Scratch folders and remembered digests are in cache-scratch.c and cache-digests.c.
 */
#include "vm/cache.h"

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MANIFEST "complete.json"

char *rig_cache_path(const char *cache_dir, const char *kind, const char *key)
{
	return g_build_filename(cache_dir, kind, key, NULL);
}

RigLock *rig_cache_lock(const char *cache_dir, const char *kind, const char *key, RigLog *log,
			GCancellable *cancellable, GError **error)
{
	g_autofree char *name = g_strdup_printf("%s-%s", kind, key);
	g_autofree char *path = g_build_filename(cache_dir, "locks", name, NULL);
	g_autofree char *what = g_strdup_printf("building %s %.12s", kind, key);
	g_autofree char *holder = rig_lock_holder(path);

	if (holder)
		rig_log_info(log, "waiting for %s", holder);
	return rig_lock_take(path, what, -1, cancellable, error);
}

typedef gboolean (*FileFn)(const char *dir, const char *name, gint64 size, const char *sha256,
			   GError **error);

static RigJson *load_manifest(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);

	return rig_json_load(path, 0, error);
}

/* Call CHECK for each file of the manifest until one fails. */
static gboolean check_files(const char *dir, FileFn check, GError **error)
{
	g_autoptr(RigJson) root = load_manifest(dir, error);
	RigJson *files = root ? rig_json_array(root, "files", RIG_JSON_REQUIRED) : NULL;

	if (!root)
		return FALSE;
	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	rig_json_ignore(root, "inputs");
	rig_json_ignore(root, "uses");
	for (guint i = 0; files && i < rig_json_length(files); i++) {
		RigJson *file = rig_json_at(files, i);
		const char *name = rig_json_string(file, "name", RIG_JSON_REQUIRED);
		gint64 size = rig_json_int(file, "size", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
		const char *sha256 = rig_json_string(file, "sha256", RIG_JSON_REQUIRED);

		if (rig_json_ok(file) && !check(dir, name, size, sha256, error))
			return FALSE;
	}
	return rig_json_finish(root, error);
}

static gboolean check_size(const char *dir, const char *name, gint64 size, const char *sha256,
			   GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	GStatBuf st;

	if (g_stat(path, &st) == 0 && st.st_size == size)
		return TRUE;
	rig_error_set(error, RIG_ERROR_FAILED, "%s is not what was written", path);
	return FALSE;
}

static gboolean check_digest(const char *dir, const char *name, gint64 size, const char *sha256,
			     GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *now = NULL;

	if (!check_size(dir, name, size, sha256, error))
		return FALSE;
	now = rig_file_sha256(path, error);
	if (!now)
		return FALSE;
	if (!strcmp(now, sha256))
		return TRUE;
	rig_error_set(error, RIG_ERROR_FAILED, "%s has another digest than when it was written",
		      path);
	return FALSE;
}

gboolean rig_cache_hit(const char *dir, RigLog *log)
{
	g_autofree char *manifest = g_build_filename(dir, MANIFEST, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
		return FALSE;
	if (!check_files(dir, check_size, &error)) {
		rig_log_warn(log, "cache entry is damaged and made again: %s", error->message);
		return FALSE;
	}
	/* Read-only caches can be used too. */
	if (utimensat(AT_FDCWD, manifest, NULL, 0) < 0)
		rig_log_verbose(log, "%s: the time of use cannot be set: %s", manifest,
				g_strerror(errno));
	return TRUE;
}

gboolean rig_cache_verify(const char *dir, GError **error)
{
	return check_files(dir, check_digest, error);
}

static gboolean describe_file(RigJsonWriter *writer, const char *dir, const char *name,
			      GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *digest = NULL;
	GStatBuf st;

	if (g_chmod(path, 0644) < 0 || g_stat(path, &st) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be published", path);
		return FALSE;
	}
	digest = rig_file_sha256(path, error);
	if (!digest)
		return FALSE;
	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "name", name);
	rig_json_add_int(writer, "size", st.st_size);
	rig_json_add_string(writer, "sha256", digest);
	rig_json_close_object(writer);
	return TRUE;
}

static gboolean describe_files(RigJsonWriter *writer, const char *dir, GError **error)
{
	g_autoptr(GDir) handle = g_dir_open(dir, 0, error);
	const char *name;

	if (!handle)
		return FALSE;
	rig_json_open_array(writer, "files");
	while ((name = g_dir_read_name(handle)))
		if (!describe_file(writer, dir, name, error))
			return FALSE;
	rig_json_close_array(writer);
	return TRUE;
}

static gboolean write_manifest(const char *dir, const char *inputs, const char *uses,
			       GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_auto(GStrv) lines = g_strsplit(inputs, "\n", -1);
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);
	g_autofree char *text = NULL;

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_strings(writer, "inputs", (const char *const *)lines);
	rig_json_add_string(writer, "uses", uses);
	if (!describe_files(writer, dir, error))
		return FALSE;
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, TRUE);
	return rig_file_write(path, text, -1, 0644, error);
}

gboolean rig_cache_publish(const char *from, const char *dir, const char *inputs, const char *uses,
			   GError **error)
{
	g_autofree char *parent = g_path_get_dirname(dir);

	if (!write_manifest(from, inputs, uses, error) ||
	    !rig_file_make_dirs(parent, 0755, error) || !rig_file_remove_tree(dir, error))
		return FALSE;
	/* QEMU may run as another user than rig. */
	if (g_chmod(from, 0755) < 0 || g_rename(from, dir) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be published", dir);
		return FALSE;
	}
	return TRUE;
}

char *rig_cache_digest(const char *dir, const char *name)
{
	g_autoptr(RigJson) root = load_manifest(dir, NULL);
	RigJson *files = root ? rig_json_array(root, "files", RIG_JSON_REQUIRED) : NULL;

	for (guint i = 0; files && i < rig_json_length(files); i++) {
		RigJson *file = rig_json_at(files, i);

		if (!g_strcmp0(rig_json_string(file, "name", RIG_JSON_REQUIRED), name))
			return g_strdup(rig_json_string(file, "sha256", RIG_JSON_REQUIRED));
	}
	return NULL;
}

char *rig_cache_uses(const char *dir)
{
	g_autoptr(RigJson) root = load_manifest(dir, NULL);

	/* A null is no string, and asking would only note an error in ROOT. */
	return root ? g_strdup(rig_json_string(root, "uses", RIG_JSON_OPTIONAL)) : NULL;
}

gint64 rig_cache_last_used(const char *dir)
{
	g_autofree char *manifest = g_build_filename(dir, MANIFEST, NULL);
	GStatBuf st;

	return g_stat(manifest, &st) == 0 || g_stat(dir, &st) == 0 ? st.st_mtime : 0;
}
