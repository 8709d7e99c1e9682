/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * package.c - takes the kernel files out of a .deb or .rpm, through libarchive and in this process.
 *
 * A .deb is an ar archive with a compressed tar in it, an .rpm a header with a compressed cpio
 * behind it. Members are written by hand and only below the folder that was given, whatever their
 * names say.
 */
#include "vm/package.h"

#include "base/error.h"
#include "base/file.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define MEMBER_MAX (1024ll * 1024 * 1024)
#define BLOCK (256 * 1024)

typedef struct archive Reader;
static void reader_free(Reader *reader)
{
	archive_read_free(reader);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, reader_free)

gboolean rig_package_is_file(const char *path)
{
	return g_str_has_suffix(path, ".deb") || g_str_has_suffix(path, ".rpm");
}

static gboolean archive_failed(Reader *reader, GError **error)
{
	const char *why = archive_error_string(reader);

	rig_error_set(error, RIG_ERROR_USAGE, "broken package: %s", why ? why : "unknown format");
	return FALSE;
}

static gboolean has_dots(const char *path)
{
	g_auto(GStrv) parts = g_strsplit(path, "/", -1);

	for (guint i = 0; parts[i]; i++)
		if (!strcmp(parts[i], ".."))
			return TRUE;
	return FALSE;
}

static const char *skip_root(const char *path)
{
	while (path[0] == '/' || (path[0] == '.' && path[1] == '/'))
		path += path[0] == '/' ? 1 : 2;
	return path;
}

/* Where a member goes below the folder, or NULL for one that is of no use. */
typedef const char *(*WantedFn)(const char *path);

static const char *wanted_kernel(const char *path)
{
	static const char *const starts[] = {"boot/vmlinuz-", "boot/config-", "lib/modules/"};

	path = skip_root(path);
	if (g_str_has_prefix(path, "usr/lib/modules/"))
		path += strlen("usr/");
	for (guint i = 0; i < G_N_ELEMENTS(starts); i++)
		if (g_str_has_prefix(path, starts[i]) && !has_dots(path))
			return path;
	return NULL;
}

/* The source of a kernel is one tarball in its package. */
static const char *wanted_source(const char *path)
{
	path = skip_root(path);
	if (!g_str_has_prefix(path, "usr/src/linux-") || !strstr(path, ".tar.") || has_dots(path))
		return NULL;
	path += strlen("usr/src/");
	return strchr(path, '/') ? NULL : path;
}

static gboolean copy_data(Reader *reader, int fd, const char *path, GError **error)
{
	g_autofree char *block = g_malloc(BLOCK);
	gint64 total = 0;

	for (;;) {
		gssize n = archive_read_data(reader, block, BLOCK);

		if (n < 0)
			return archive_failed(reader, error);
		if (n == 0)
			return TRUE;
		total += n;
		if (total > MEMBER_MAX) {
			rig_error_set(error, RIG_ERROR_USAGE, "broken package: %s is too large",
				      path);
			return FALSE;
		}
		if (write(fd, block, n) != n) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be written",
					    path);
			return FALSE;
		}
	}
}

static gboolean extract_member(Reader *reader, const char *dir, const char *path, GError **error)
{
	g_autofree char *target = g_build_filename(dir, path, NULL);
	g_autofree char *parent = g_path_get_dirname(target);
	gboolean good;
	int fd;

	if (!rig_file_make_dirs(parent, 0755, error))
		return FALSE;
	fd = g_open(target, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot create", target);
		return FALSE;
	}
	good = copy_data(reader, fd, target, error);
	close(fd);
	return good;
}

static gboolean extract_all(Reader *reader, const char *dir, GCancellable *cancellable,
			    WantedFn wanted, guint *files, GError **error)
{
	struct archive_entry *entry;
	int status;

	while ((status = archive_read_next_header(reader, &entry)) == ARCHIVE_OK ||
	       status == ARCHIVE_WARN) {
		const char *name = archive_entry_pathname(entry);
		const char *path = name ? wanted(name) : NULL;

		if (g_cancellable_is_cancelled(cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
			return FALSE;
		}
		if (!path || archive_entry_filetype(entry) != AE_IFREG)
			continue;
		if (!extract_member(reader, dir, path, error))
			return FALSE;
		(*files)++;
	}
	return status == ARCHIVE_EOF || archive_failed(reader, error);
}

static Reader *new_reader(void)
{
	Reader *reader = archive_read_new();

	archive_read_support_filter_gzip(reader);
	archive_read_support_filter_xz(reader);
	archive_read_support_filter_lzma(reader);
	archive_read_support_filter_bzip2(reader);
	archive_read_support_filter_zstd(reader);
	return reader;
}

/* The inner archive of a .deb reads from a member of the outer one. */
typedef struct {
	Reader *outer;
	char block[BLOCK];
} Inner;

static la_ssize_t read_outer(Reader *reader, void *data, const void **block)
{
	Inner *inner = data;
	la_ssize_t n = archive_read_data(inner->outer, inner->block, sizeof(inner->block));

	*block = inner->block;
	if (n < 0)
		archive_set_error(reader, EIO, "%s", archive_error_string(inner->outer));
	return n < 0 ? -1 : n;
}

static gboolean extract_deb_data(Reader *outer, const char *dir, GCancellable *cancellable,
				 WantedFn wanted, guint *files, GError **error)
{
	g_autoptr(Reader) reader = new_reader();
	g_autofree Inner *inner = g_new0(Inner, 1);

	inner->outer = outer;
	archive_read_support_filter_none(reader);
	archive_read_support_format_tar(reader);
	if (archive_read_open(reader, inner, NULL, read_outer, NULL) != ARCHIVE_OK)
		return archive_failed(reader, error);
	return extract_all(reader, dir, cancellable, wanted, files, error);
}

static gboolean extract_deb(const char *path, const char *dir, GCancellable *cancellable,
			    WantedFn wanted, guint *files, GError **error)
{
	g_autoptr(Reader) outer = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_format_ar(outer);
	if (archive_read_open_filename(outer, path, BLOCK) != ARCHIVE_OK)
		return archive_failed(outer, error);
	while (archive_read_next_header(outer, &entry) == ARCHIVE_OK) {
		const char *name = archive_entry_pathname(entry);

		if (name && g_str_has_prefix(name, "data.tar"))
			return extract_deb_data(outer, dir, cancellable, wanted, files, error);
	}
	rig_error_set(error, RIG_ERROR_USAGE, "broken package: no data.tar in it");
	return FALSE;
}

static gboolean extract_rpm(const char *path, const char *dir, GCancellable *cancellable,
			    WantedFn wanted, guint *files, GError **error)
{
	g_autoptr(Reader) reader = new_reader();

	archive_read_support_filter_rpm(reader);
	archive_read_support_format_cpio(reader);
	if (archive_read_open_filename(reader, path, BLOCK) != ARCHIVE_OK)
		return archive_failed(reader, error);
	return extract_all(reader, dir, cancellable, wanted, files, error);
}

static gboolean extract(const char *path, const char *dir, GCancellable *cancellable,
			WantedFn wanted, guint *files, GError **error)
{
	gboolean rpm = g_str_has_suffix(path, ".rpm");

	if ((rpm ? extract_rpm : extract_deb)(path, dir, cancellable, wanted, files, error))
		return TRUE;
	g_prefix_error(error, "%s: ", path);
	return FALSE;
}

gboolean rig_package_extract(const char *path, const char *dir, GCancellable *cancellable,
			     GError **error)
{
	guint files = 0;

	if (!extract(path, dir, cancellable, wanted_kernel, &files, error))
		return FALSE;
	if (files)
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE, "%s: no kernel and no modules in this package", path);
	return FALSE;
}

char *rig_package_extract_source(const char *path, const char *dir, GCancellable *cancellable,
				 GError **error)
{
	g_autoptr(GDir) handle = NULL;
	const char *name;
	guint files = 0;

	if (!extract(path, dir, cancellable, wanted_source, &files, error))
		return NULL;
	handle = g_dir_open(dir, 0, error);
	while (handle && (name = g_dir_read_name(handle)))
		if (g_str_has_prefix(name, "linux-") && strstr(name, ".tar."))
			return g_build_filename(dir, name, NULL);
	if (handle)
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "the package is called linux-source-VERSION on Debian",
				   "%s: no kernel's source in this package", path);
	return NULL;
}
