/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file-tree.c - directories and what is below them.
 *
 * Everything goes through descriptors of directories that were opened without following links:
 * a link, or a directory that turns into a link meanwhile, never leads out of the tree.
 */
#include "base/file.h"

#include "base/error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OPEN_DIR (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define BLOCK_SIZE 512 /* the unit of st_blocks, whatever the file system's own is */

gboolean rig_file_make_dirs(const char *path, int mode, GError **error)
{
	if (g_mkdir_with_parents(path, mode) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot make the directory", path);
	return FALSE;
}

char *rig_file_temp_dir(const char *parent, const char *prefix, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s/.%s-XXXXXX", parent, prefix);

	if (g_mkdtemp(path))
		return g_steal_pointer(&path);
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot make a directory in it", parent);
	return NULL;
}

/* The next entry but "." and ".."; NULL with errno 0 at the end. */
static struct dirent *next_entry(DIR *dir)
{
	struct dirent *entry;

	do {
		errno = 0;
		entry = readdir(dir);
	} while (entry && (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0));
	return entry;
}

/* Open NAME in AT as a stream; NULL with errno. */
static DIR *open_dir(int at, const char *name)
{
	int fd = openat(at, name, OPEN_DIR);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (fd >= 0 && !dir)
		close(fd);
	return dir;
}

static gboolean remove_at(int at, const char *name, dev_t device, const char *path, GError **error);

static gboolean remove_content(DIR *dir, dev_t device, const char *path, GError **error)
{
	struct dirent *entry;

	while ((entry = next_entry(dir))) {
		g_autofree char *below = g_build_filename(path, entry->d_name, NULL);

		if (!remove_at(dirfd(dir), entry->d_name, device, below, error))
			return FALSE;
	}
	if (errno) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot read", path);
		return FALSE;
	}
	return TRUE;
}

static gboolean remove_dir(int at, const char *name, dev_t device, const char *path, GError **error)
{
	DIR *dir = open_dir(at, name);
	struct stat st;
	gboolean ok;

	if (!dir || fstat(dirfd(dir), &st) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot open", path);
		if (dir)
			closedir(dir);
		return FALSE;
	}
	if (st.st_dev != device) {
		rig_error_set_hint(error, RIG_ERROR_HOST, "unmount it first",
				   "%s: not removed, something is mounted there", path);
		closedir(dir);
		return FALSE;
	}
	ok = remove_content(dir, device, path, error);
	closedir(dir);
	if (ok && unlinkat(at, name, AT_REMOVEDIR) < 0 && errno != ENOENT) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", path);
		return FALSE;
	}
	return ok;
}

static gboolean remove_at(int at, const char *name, dev_t device, const char *path, GError **error)
{
	/* Unlink first: what is no directory needs no look at what it is. */
	if (unlinkat(at, name, 0) == 0 || errno == ENOENT)
		return TRUE;
	if (errno == EISDIR || errno == EPERM) {
		struct stat st;

		if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(st.st_mode))
			return remove_dir(at, name, device, path, error);
		errno = EPERM;
	}
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", path);
	return FALSE;
}

gboolean rig_file_remove_tree(const char *path, GError **error)
{
	struct stat st;

	if (lstat(path, &st) < 0) {
		if (errno == ENOENT)
			return TRUE;
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", path);
		return FALSE;
	}
	return remove_at(AT_FDCWD, path, st.st_dev, path, error);
}

static guint64 bytes_at(int at, const char *name)
{
	struct dirent *entry;
	struct stat st;
	guint64 bytes;
	DIR *dir;

	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	bytes = (guint64)st.st_blocks * BLOCK_SIZE;
	dir = S_ISDIR(st.st_mode) ? open_dir(at, name) : NULL;
	if (!dir)
		return bytes;
	while ((entry = next_entry(dir)))
		bytes += bytes_at(dirfd(dir), entry->d_name);
	closedir(dir);
	return bytes;
}

guint64 rig_file_tree_bytes(const char *path)
{
	return bytes_at(AT_FDCWD, path);
}
