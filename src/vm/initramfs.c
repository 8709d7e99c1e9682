/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * initramfs.c - writes initramfs archives.
 *
 * For a guest with a disk it holds rig-init and the few modules that reach the disk and the agent's
 * port; for a diskless guest the whole root besides.
 */
#include "vm/initramfs.h"

#include "base/error.h"
#include "base/file.h"
#include "proto.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#define MODULES_IN_GUEST "/rig/ko"

void rig_initramfs_add_modules(RigRootfs *rootfs, const char *modules_dir, const GPtrArray *files,
			       const char *list_path)
{
	g_autoptr(GString) list = g_string_new(NULL);

	for (guint i = 0; i < files->len; i++) {
		g_autofree char *base = g_path_get_basename(files->pdata[i]);
		g_autofree char *target = g_strdup_printf(MODULES_IN_GUEST "/%s", base);
		g_autofree char *source = g_build_filename(modules_dir, files->pdata[i], NULL);

		rig_rootfs_add_file(rootfs, target, source, 0644);
		g_string_append_printf(list, "%s\n", target);
	}
	rig_rootfs_add_text(rootfs, list_path, list->str, 0644);
}

void rig_initramfs_add_boot(RigRootfs *rootfs, const char *init, const char *modules_dir,
			    const GPtrArray *files)
{
	rig_rootfs_add_file(rootfs, "/init", init, 0755);
	rig_rootfs_add_char_device(rootfs, "/dev/console", 5, 1, 0600);
	rig_initramfs_add_modules(rootfs, modules_dir, files, RIG_INITRAMFS_MODULES);
}

static int create(const char *path, GError **error)
{
	int fd = g_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

	if (fd < 0)
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot create", path);
	return fd;
}

static gboolean finish(int fd, const char *path, gboolean good, GError **error)
{
	if (close(fd) < 0 && good) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be written", path);
		good = FALSE;
	}
	if (!good)
		g_unlink(path);
	return good;
}

gboolean rig_initramfs_write(const RigRootfs *rootfs, const char *path, GError **error)
{
	int fd = create(path, error);

	return fd >= 0 &&
	       finish(fd, path, rig_rootfs_write(rootfs, RIG_ROOTFS_CPIO, fd, error), error);
}

/* The kernel skips zeros between archives and wants the next one at a multiple of four. */
static gboolean seek_to_next(int fd, const char *path, GError **error)
{
	off_t end = lseek(fd, 0, SEEK_END);
	off_t next = (end + 511) & ~(off_t)511;

	if (end < 0 || ftruncate(fd, next) < 0 || lseek(fd, next, SEEK_SET) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be padded", path);
		return FALSE;
	}
	return TRUE;
}

gboolean rig_initramfs_append_text(const char *base, const char *guest_path, const char *text,
				   const char *path, GError **error)
{
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();
	int fd;

	if (!rig_file_copy(base, path, 0644, error))
		return FALSE;
	fd = g_open(path, O_WRONLY | O_CLOEXEC, 0);
	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be opened", path);
		return FALSE;
	}
	rig_rootfs_add_text(rootfs, guest_path, text, 0644);
	return finish(fd, path,
		      seek_to_next(fd, path, error) &&
			      rig_rootfs_write(rootfs, RIG_ROOTFS_CPIO, fd, error),
		      error);
}
