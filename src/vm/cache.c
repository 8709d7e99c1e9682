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

/* Whoever holds the lock may write below the entry: not through a link to somewhere else. */
static gboolean drop_link(const char *path, RigLog *log, GError **error)
{
	if (!g_file_test(path, G_FILE_TEST_IS_SYMLINK))
		return TRUE;
	if (g_unlink(path) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove the link", path);
		return FALSE;
	}
	rig_log_warn(log, "%s was a symbolic link: it is gone, what it led to is as it was", path);
	return TRUE;
}

RigLock *rig_cache_lock(const char *cache_dir, const char *kind, const char *key, RigLog *log,
			GCancellable *cancellable, GError **error)
{
	g_autofree char *name = g_strdup_printf("%s-%s", kind, key);
	g_autofree char *path = g_build_filename(cache_dir, "locks", name, NULL);
	g_autofree char *what = g_strdup_printf("building %s %.12s", kind, key);
	g_autofree char *holder = rig_lock_holder(path);
	g_autofree char *entry = rig_cache_path(cache_dir, kind, key);
	g_autoptr(RigLock) lock = NULL;

	if (holder)
		rig_log_info(log, "waiting for %s", holder);
	lock = rig_lock_take(path, what, -1, cancellable, error);
	return lock && drop_link(entry, log, error) ? g_steal_pointer(&lock) : NULL;
}

/* How the files of an entry are compared with its manifest: by DIGESTS, which remembers, or without
 * by reading every byte. */
typedef struct {
	const char *dir;
	RigDigests *digests;
} Check;

static RigJson *load_manifest(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);

	return rig_json_load(path, 0, error);
}

static gboolean check_digest(const Check *check, const char *path, const char *sha256,
			     GError **error)
{
	g_autofree char *read = check->digests ? NULL : rig_file_sha256(path, error);
	const char *now = check->digests ? rig_digests_get(check->digests, path, error) : read;

	if (!now)
		return FALSE;
	if (!strcmp(now, sha256))
		return TRUE;
	rig_error_set(error, RIG_ERROR_FAILED, "%s has another digest than when it was written",
		      path);
	return FALSE;
}

static gboolean check_file(const Check *check, const char *name, gint64 size, const char *sha256,
			   GError **error)
{
	g_autofree char *path = g_build_filename(check->dir, name, NULL);
	GStatBuf st;

	if (g_lstat(path, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == size)
		return check_digest(check, path, sha256, error);
	rig_error_set(error, RIG_ERROR_FAILED, "%s is not what was written", path);
	return FALSE;
}

/* The first file of the manifest that is not as it was, as an error. */
static gboolean check_files(const Check *check, GError **error)
{
	g_autoptr(RigJson) root = load_manifest(check->dir, error);
	RigJson *files = root ? rig_json_array(root, "files", RIG_JSON_REQUIRED) : NULL;

	if (!root)
		return FALSE;
	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	rig_json_ignore(root, "inputs");
	rig_json_ignore(root, "uses");
	rig_json_ignore(root, "uses_sha256");
	for (guint i = 0; files && i < rig_json_length(files); i++) {
		RigJson *file = rig_json_at(files, i);
		const char *name = rig_json_string(file, "name", RIG_JSON_REQUIRED);
		gint64 size = rig_json_int(file, "size", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
		const char *sha256 = rig_json_string(file, "sha256", RIG_JSON_REQUIRED);

		if (rig_json_ok(file) && !check_file(check, name, size, sha256, error))
			return FALSE;
	}
	return rig_json_finish(root, error);
}

/* An entry is a folder that rig made: through a link in its place nothing is used or removed. */
static gboolean check_dir(const char *dir, GError **error)
{
	if (!g_file_test(dir, G_FILE_TEST_IS_SYMLINK))
		return TRUE;
	rig_error_set(error, RIG_ERROR_FAILED, "%s is a symbolic link", dir);
	return FALSE;
}

static gboolean check_remembered(const char *dir, GError **error)
{
	g_autofree char *kind = g_path_get_dirname(dir);
	g_autofree char *cache_dir = g_path_get_dirname(kind);
	g_autoptr(RigDigests) digests = rig_digests_open(cache_dir);

	return check_dir(dir, error) && check_files(&(Check){dir, digests}, error);
}

gboolean rig_cache_hit(const char *dir, RigLog *log)
{
	g_autofree char *manifest = g_build_filename(dir, MANIFEST, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_test(dir, G_FILE_TEST_IS_DIR))
		return FALSE;
	if (!check_remembered(dir, &error)) {
		rig_log_warn(log, "cache entry is damaged and made again: %s", error->message);
		return FALSE;
	}
	/* Read-only caches can be used too. */
	if (utimensat(AT_FDCWD, manifest, NULL, AT_SYMLINK_NOFOLLOW) < 0)
		rig_log_verbose(log, "%s: the time of use cannot be set: %s", manifest,
				g_strerror(errno));
	return TRUE;
}

gboolean rig_cache_verify(const char *dir, GError **error)
{
	return check_dir(dir, error) && check_files(&(Check){dir, NULL}, error);
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
			       const char *uses_sha256, GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_auto(GStrv) lines = g_strsplit(inputs, "\n", -1);
	g_autofree char *path = g_build_filename(dir, MANIFEST, NULL);
	g_autofree char *text = NULL;

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_strings(writer, "inputs", (const char *const *)lines);
	rig_json_add_string(writer, "uses", uses);
	rig_json_add_string(writer, "uses_sha256", uses_sha256);
	if (!describe_files(writer, dir, error))
		return FALSE;
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, TRUE);
	return rig_file_write(path, text, -1, 0644, error);
}

gboolean rig_cache_publish(const char *from, const char *dir, const char *inputs, const char *uses,
			   const char *uses_sha256, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(dir);

	if (!write_manifest(from, inputs, uses, uses_sha256, error) ||
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

static char *manifest_text(const char *dir, const char *key)
{
	g_autoptr(RigJson) root = load_manifest(dir, NULL);

	/* A null is no string, and asking would only note an error in ROOT. */
	return root ? g_strdup(rig_json_string(root, key, RIG_JSON_OPTIONAL)) : NULL;
}

char *rig_cache_uses(const char *dir)
{
	return manifest_text(dir, "uses");
}

char *rig_cache_uses_sha256(const char *dir)
{
	return manifest_text(dir, "uses_sha256");
}

gint64 rig_cache_last_used(const char *dir)
{
	g_autofree char *manifest = g_build_filename(dir, MANIFEST, NULL);
	GStatBuf st;

	return g_stat(manifest, &st) == 0 || g_stat(dir, &st) == 0 ? st.st_mtime : 0;
}
