/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kside.c - patched copies of a source tree.
 *
 * "changed" names every file that may differ from the base; it is written before the first of them
 * is touched, so a side can be put right again after whatever happened. Files that are put back get
 * the time of now, not the base's: objects of the old patch are younger than the base's sources.
 */
#include "vm/kside.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "vm/cache.h"
#include "vm/ksource.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define CHANGED "changed"
#define LIST_MAX (16 * 1024 * 1024)
#define COPY_TIMEOUT_MS (10 * 60 * 1000)
#define CMD_MAX (16 * 1024 * 1024)
#define DEPTH_MAX 64

void rig_kside_clear(RigKside *side)
{
	g_clear_pointer(&side->dir, g_free);
	g_clear_pointer(&side->tree, g_free);
}

static gboolean copy(const RigKside *side, GPtrArray *argv, GError **error)
{
	RigProcess process = {.timeout_ms = COPY_TIMEOUT_MS, .own_group = TRUE};
	g_auto(RigProcessResult) result = {0};

	g_ptr_array_add(argv, NULL);
	process.argv = (const char *const *)argv->pdata;
	return rig_process_check(&process, &result, RIG_ERROR_HOST, side->store->cancellable,
				 error);
}

/* Hard links of all sources. patch(1) and git replace a file and do not write into it. */
static gboolean link_sources(const RigKside *side, const char *tree, GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) handle = g_dir_open(side->base, 0, error);
	const char *name;

	if (!handle)
		return FALSE;
	g_ptr_array_add(argv, g_strdup("cp"));
	g_ptr_array_add(argv, g_strdup("-al"));
	g_ptr_array_add(argv, g_strdup("-t"));
	g_ptr_array_add(argv, g_strdup(tree));
	while ((name = g_dir_read_name(handle)))
		if (!g_str_has_prefix(name, RIG_KBUILD_PREFIX))
			g_ptr_array_add(argv, g_build_filename(side->base, name, NULL));
	return copy(side, argv, error);
}

static gboolean copy_build(const RigKside *side, const char *tree, GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new_with_free_func(g_free);

	g_ptr_array_add(argv, g_strdup("cp"));
	g_ptr_array_add(argv, g_strdup("-a"));
	g_ptr_array_add(argv, g_strdup("--reflink=auto"));
	g_ptr_array_add(argv, g_build_filename(side->base, side->build, NULL));
	g_ptr_array_add(argv, g_build_filename(tree, side->build, NULL));
	return copy(side, argv, error);
}

/* Programs of the build (objtool and the like) are built with absolute paths in their command
 * lines; with the base's they would be built again here, and after them every object. */
typedef struct {
	char *from, *to; /* as make sees them: without symbolic links */
} Renaming;

static gboolean rename_in_file(const Renaming *renaming, const char *path, GError **error)
{
	g_autofree char *text = rig_file_read(path, CMD_MAX, NULL, error);
	g_autoptr(GString) renamed = NULL;

	if (!text)
		return FALSE;
	if (!strstr(text, renaming->from))
		return TRUE;
	renamed = g_string_new(text);
	g_string_replace(renamed, renaming->from, renaming->to, 0);
	return g_file_set_contents_full(path, renamed->str, renamed->len, G_FILE_SET_CONTENTS_NONE,
					0644, error);
}

static gboolean names_paths(const char *name)
{
	return name[0] == '.' && (g_str_has_suffix(name, ".cmd") || g_str_has_suffix(name, ".d"));
}

static gboolean rename_paths(const Renaming *renaming, const char *dir, guint depth, GError **error)
{
	g_autoptr(GDir) handle = g_dir_open(dir, 0, error);
	const char *name;

	while (handle && (name = g_dir_read_name(handle))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);

		if (g_file_test(path, G_FILE_TEST_IS_SYMLINK))
			continue;
		if (depth < DEPTH_MAX && g_file_test(path, G_FILE_TEST_IS_DIR)) {
			if (!rename_paths(renaming, path, depth + 1, error))
				return FALSE;
		} else if (names_paths(name) && !rename_in_file(renaming, path, error)) {
			return FALSE;
		}
	}
	return handle != NULL;
}

/* PATH, which need not be there yet, in PARENT, which is. g_free. */
static char *resolved(const char *parent, const char *path)
{
	char *real = realpath(parent, NULL);
	char *full = g_build_filename(real ? real : parent, path, NULL);

	free(real);
	return full;
}

static gboolean rename_tools(const RigKside *side, const char *tree, GError **error)
{
	g_autofree char *tools = g_build_filename(tree, side->build, "tools", NULL);
	g_autofree char *parent = g_path_get_dirname(side->dir);
	g_autofree char *name = g_build_filename(side->key, "tree", NULL);
	g_autofree char *from = resolved(side->base, NULL);
	g_autofree char *to = resolved(parent, name);
	const Renaming renaming = {from, to};

	return !g_file_test(tools, G_FILE_TEST_IS_DIR) || rename_paths(&renaming, tools, 0, error);
}

static gboolean make_side(RigKside *side, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(side->dir);
	g_autoptr(RigScratch) scratch = rig_scratch_new(side->store->cache_dir, "kside", error);
	g_autofree char *dir = scratch ? g_build_filename(scratch->path, "new", NULL) : NULL;
	g_autofree char *tree = scratch ? g_build_filename(dir, "tree", NULL) : NULL;

	if (!scratch)
		return FALSE;
	rig_log_status(side->store->log, "copying the base's build");
	if (!rig_file_make_dirs(tree, 0755, error) || !rig_file_make_dirs(parent, 0755, error) ||
	    !link_sources(side, tree, error) || !copy_build(side, tree, error) ||
	    !rename_tools(side, tree, error) || !rig_file_remove_tree(side->dir, error))
		return FALSE;
	if (g_rename(dir, side->dir) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be put into the cache",
				    side->dir);
		return FALSE;
	}
	side->fresh = TRUE;
	return TRUE;
}

gboolean rig_kside_open(RigKside *side, GError **error)
{
	side->dir = rig_cache_path(side->store->cache_dir, RIG_CACHE_KSIDE, side->key);
	side->tree = g_build_filename(side->dir, "tree", NULL);
	return g_file_test(side->tree, G_FILE_TEST_IS_DIR) || make_side(side, error);
}

static GPtrArray *read_changed(const RigKside *side)
{
	GPtrArray *files = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *path = g_build_filename(side->dir, CHANGED, NULL);
	g_autofree char *text = rig_file_read(path, LIST_MAX, NULL, NULL);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	for (guint i = 0; lines && lines[i]; i++)
		if (*lines[i])
			g_ptr_array_add(files, g_strdup(lines[i]));
	return files;
}

static gboolean write_changed(const RigKside *side, const GPtrArray *files, GError **error)
{
	g_autofree char *path = g_build_filename(side->dir, CHANGED, NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < files->len; i++)
		g_string_append_printf(text, "%s\n", (char *)files->pdata[i]);
	return rig_file_write(path, text->str, -1, 0644, error);
}

static gboolean collect(const GPtrArray *patches, GPtrArray *files, GError **error)
{
	for (guint i = 0; i < patches->len; i++) {
		g_autoptr(GPtrArray) some = rig_kpatch_files(patches->pdata[i], error);

		if (!some)
			return FALSE;
		for (guint j = 0; j < some->len; j++)
			if (!g_ptr_array_find_with_equal_func(files, some->pdata[j], g_str_equal,
							      NULL))
				g_ptr_array_add(files, g_strdup(some->pdata[j]));
	}
	return TRUE;
}

/* The base's FILE, or none where the base has none. A file that is the base's by its link already
 * is not touched. */
static gboolean put_back(const RigKside *side, const char *file, GError **error)
{
	g_autofree char *from = g_build_filename(side->base, file, NULL);
	g_autofree char *to = g_build_filename(side->tree, file, NULL);
	g_autofree char *parent = g_path_get_dirname(to);
	GStatBuf base, own;

	if (g_stat(from, &base) < 0) {
		g_unlink(to);
		return TRUE;
	}
	if (g_stat(to, &own) == 0 && own.st_ino == base.st_ino && own.st_dev == base.st_dev)
		return TRUE;
	g_unlink(to);
	return rig_file_make_dirs(parent, 0755, error) &&
	       rig_file_copy(from, to, base.st_mode & 0777, error);
}

static gboolean put_all_back(const RigKside *side, const GPtrArray *files, GError **error)
{
	for (guint i = 0; i < files->len; i++)
		if (!put_back(side, files->pdata[i], error))
			return FALSE;
	return TRUE;
}

/* Keep the versions that were built, to see afterwards which of them are the same again. */
static gboolean set_aside(const RigKside *side, const char *old, const GPtrArray *files,
			  GError **error)
{
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *from = g_build_filename(side->tree, files->pdata[i], NULL);
		g_autofree char *name = g_strdup_printf("%u", i);
		g_autofree char *to = g_build_filename(old, name, NULL);

		if (!g_file_test(from, G_FILE_TEST_IS_REGULAR))
			continue;
		if (g_rename(from, to) < 0) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be moved",
					    from);
			return FALSE;
		}
	}
	return TRUE;
}

static gboolean is_same(const char *a, const char *b)
{
	g_autofree char *first = rig_file_sha256(a, NULL);
	g_autofree char *second = rig_file_sha256(b, NULL);

	return first && second && !strcmp(first, second);
}

/* A file that is as it was built last keeps its time, so that it is not compiled again. */
static void take_same(const RigKside *side, const char *old, const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *now = g_build_filename(side->tree, files->pdata[i], NULL);
		g_autofree char *name = g_strdup_printf("%u", i);
		g_autofree char *before = g_build_filename(old, name, NULL);

		if (is_same(now, before) && g_rename(before, now) < 0)
			g_debug("%s is compiled again", now);
	}
}

static gboolean touches_kconfig(const GPtrArray *files)
{
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *base = g_path_get_basename(files->pdata[i]);

		if (g_str_has_prefix(base, "Kconfig"))
			return TRUE;
	}
	return FALSE;
}

static gboolean apply_all(const RigKside *side, const GPtrArray *patches, const char *scratch,
			  GError **error)
{
	for (guint i = 0; i < patches->len; i++)
		if (!rig_kpatch_apply(patches->pdata[i], side->tree, scratch, side->store->log,
				      side->store->cancellable, error))
			return FALSE;
	return TRUE;
}

static gboolean change(RigKside *side, const GPtrArray *patches, const GPtrArray *files,
		       const char *scratch, GError **error)
{
	g_autofree char *old = g_build_filename(scratch, "old", NULL);

	if (!rig_file_make_dirs(old, 0755, error) || !write_changed(side, files, error) ||
	    !set_aside(side, old, files, error) || !put_all_back(side, files, error))
		return FALSE;
	if (!apply_all(side, patches, scratch, error)) {
		g_autoptr(GError) worse = NULL;

		if (!put_all_back(side, files, &worse))
			rig_log_warn(side->store->log, "%s", worse->message);
		return FALSE;
	}
	take_same(side, old, files);
	return TRUE;
}

gboolean rig_kside_patch(RigKside *side, const GPtrArray *patches, GError **error)
{
	g_autoptr(GPtrArray) files = read_changed(side);
	g_autoptr(RigScratch) scratch = NULL;

	if (!collect(patches, files, error))
		return FALSE;
	side->reconfigure = touches_kconfig(files);
	scratch = rig_scratch_new(side->dir, "patch", error);
	return scratch && change(side, patches, files, scratch->path, error);
}
