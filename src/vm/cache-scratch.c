/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cache-scratch.c - folders to work in, which tell whether their process still lives.
 */
#include "vm/cache.h"

#include "base/file.h"

#include <glib/gstdio.h>
#include <time.h>

#define LOCK_NAME ".lock"
/* Between the making of the folder and of its lock a process may be about to lock it. */
#define YOUNG_S 10
/* A cache may have been pointed at a folder with hidden folders of other people. */
#define PREFIX "rig-"

RigScratch *rig_scratch_new(const char *parent, const char *prefix, GError **error)
{
	g_autoptr(RigScratch) scratch = g_new0(RigScratch, 1);
	g_autofree char *full = g_strconcat(PREFIX, prefix, NULL);
	g_autofree char *lock = NULL;

	if (!rig_file_make_dirs(parent, 0755, error))
		return NULL;
	scratch->path = rig_file_temp_dir(parent, full, error);
	if (!scratch->path)
		return NULL;
	lock = g_build_filename(scratch->path, LOCK_NAME, NULL);
	scratch->lock = rig_lock_take(lock, prefix, 0, NULL, error);
	return scratch->lock ? g_steal_pointer(&scratch) : NULL;
}

void rig_scratch_free(RigScratch *scratch)
{
	if (!scratch)
		return;
	/* What cannot be removed now is debris, which "rig gc" takes away. */
	if (scratch->path && !rig_file_remove_tree(scratch->path, NULL))
		g_debug("%s stays", scratch->path);
	rig_lock_release(scratch->lock);
	g_free(scratch->path);
	g_free(scratch);
}

gboolean rig_scratch_is_debris(const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	g_autofree char *lock = g_build_filename(path, LOCK_NAME, NULL);
	g_autofree char *holder = NULL;
	GStatBuf st;

	if (!g_str_has_prefix(base, "." PREFIX) || g_lstat(path, &st) < 0 || !S_ISDIR(st.st_mode))
		return FALSE;
	if (!g_file_test(lock, G_FILE_TEST_EXISTS))
		/* One from the future is of before the host's clock was set back. */
		return ABS(time(NULL) - st.st_mtime) > YOUNG_S;
	holder = rig_lock_holder(lock);
	return !holder;
}
