/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.h - whole-file operations that either happen or do not.
 */
#pragma once

#include <gio/gio.h>

/* Read at most MAX bytes (a larger file is an error); NUL is added behind. LENGTH may be NULL.
 * Works for files in /proc and /sys, whose size is 0. Folders, pipes and devices are refused, here
 * and wherever a file is read: RIG_ERROR_USAGE, at once. */
char *rig_file_read(const char *path, gsize max, gsize *length,
		    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same for a file in a folder that a guest's QEMU may write to: a symbolic link in its place is
 * an error, or QEMU could have any file of the host read. */
char *rig_file_read_own(const char *path, gsize max, gsize *length,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE if PATH is a file that can be read; to be asked before it is mapped. */
gboolean rig_file_check(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Write beside, fsync, rename: a reader sees the old file or the whole new one. LENGTH -1: strlen.
 */
gboolean rig_file_write(const char *path, const char *data, gssize length, int mode,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same without waiting for the disk: for what can be made again, and whose reader tells a file
 * that the power cut left empty or half. */
gboolean rig_file_write_cache(const char *path, const char *data, gsize length, int mode,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE if PATH is what a rig that was killed in rig_file_write() left, a file ".rig-XXXXXX". */
gboolean rig_file_is_debris(const char *path);
/* Remove it; fine if it is none (any more). */
gboolean rig_file_remove_debris(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* mkdir -p with MODE for those that are made. */
gboolean rig_file_make_dirs(const char *path, int mode, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* rm -r without following links; a missing PATH is fine. */
gboolean rig_file_remove_tree(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A fresh directory "PARENT/.PREFIX-XXXXXX", to be filled and renamed into place. g_free. */
char *rig_file_temp_dir(const char *parent, const char *prefix,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Copy content (reflink, then copy_file_range, then read and write) to a new file with MODE. */
gboolean rig_file_copy(const char *from, const char *to, int mode,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* SHA-256 as 64 hex digits. g_free. */
char *rig_file_sha256(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Bytes of a tree as allocated on disk (st_blocks); 0 for what cannot be read. */
guint64 rig_file_tree_bytes(const char *path);

/* TRUE if NAME may be one path component made by a user: [A-Za-z0-9][A-Za-z0-9+._-]{0,63}. Else an
 * error RIG_ERROR_USAGE that names WHAT ("guest name") and NAME. */
gboolean rig_file_check_name(const char *what, const char *name,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
