/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootfs.c - keeps the list of a guest's files and writes it as an archive through libarchive.
 *
 * One list serves both ways to boot an image, so a disk and an initramfs cannot differ. What a
 * recipe adds to a list is in rootfs-image.c.
 */
#include "vm/rootfs.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define BLOCK (256 * 1024)

typedef struct {
	char *path; /* without the leading slash */
	mode_t mode;
	char *source, *text, *target;
	dev_t device;
} Entry;

struct RigRootfs {
	GPtrArray *entries;
	GHashTable *by_path;
	gboolean over; /* another root */
};

typedef struct archive Writer;
static void writer_free(Writer *writer)
{
	archive_write_free(writer);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Writer, writer_free)

typedef struct archive_entry Header;
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Header, archive_entry_free)

static void entry_free(gpointer data)
{
	Entry *entry = data;

	g_free(entry->path);
	g_free(entry->source);
	g_free(entry->text);
	g_free(entry->target);
	g_free(entry);
}

RigRootfs *rig_rootfs_new(void)
{
	RigRootfs *rootfs = g_new0(RigRootfs, 1);

	rootfs->entries = g_ptr_array_new_with_free_func(entry_free);
	rootfs->by_path = g_hash_table_new(g_str_hash, g_str_equal);
	return rootfs;
}

void rig_rootfs_free(RigRootfs *rootfs)
{
	if (!rootfs)
		return;
	g_hash_table_unref(rootfs->by_path);
	g_ptr_array_unref(rootfs->entries);
	g_free(rootfs);
}

guint rig_rootfs_count(const RigRootfs *rootfs)
{
	return rootfs->entries->len;
}

void rig_rootfs_lay_over(RigRootfs *rootfs)
{
	rootfs->over = TRUE;
}

static Entry *add(RigRootfs *rootfs, const char *path, mode_t mode);

static void add_parents(RigRootfs *rootfs, const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path);

	if (!rootfs->over && strcmp(parent, "/") && strcmp(parent, ".") &&
	    !g_hash_table_contains(rootfs->by_path, parent + 1))
		add(rootfs, parent, S_IFDIR | 0755);
}

/* Where PATH lies below a merged /usr. g_free. */
static char *merged_path(const char *path)
{
	static const char *const moved[] = {"/bin", "/sbin", "/lib", "/lib64"};

	for (guint i = 0; i < G_N_ELEMENTS(moved); i++) {
		gsize length = strlen(moved[i]);

		if (!strncmp(path, moved[i], length) && (!path[length] || path[length] == '/'))
			return g_strconcat("/usr", path, NULL);
	}
	return g_strdup(path);
}

static Entry *add(RigRootfs *rootfs, const char *wanted, mode_t mode)
{
	g_autofree char *path = rootfs->over ? merged_path(wanted) : g_strdup(wanted);
	Entry *entry = g_hash_table_lookup(rootfs->by_path, path + 1);

	if (entry) {
		g_clear_pointer(&entry->source, g_free);
		g_clear_pointer(&entry->text, g_free);
		g_clear_pointer(&entry->target, g_free);
	} else {
		add_parents(rootfs, path);
		entry = g_new0(Entry, 1);
		entry->path = g_strdup(path + 1);
		g_ptr_array_add(rootfs->entries, entry);
		g_hash_table_insert(rootfs->by_path, entry->path, entry);
	}
	entry->mode = mode;
	return entry;
}

void rig_rootfs_add_dir(RigRootfs *rootfs, const char *path, int mode)
{
	add(rootfs, path, S_IFDIR | mode);
}

void rig_rootfs_add_file(RigRootfs *rootfs, const char *path, const char *source, int mode)
{
	add(rootfs, path, S_IFREG | mode)->source = g_strdup(source);
}

void rig_rootfs_add_text(RigRootfs *rootfs, const char *path, const char *text, int mode)
{
	add(rootfs, path, S_IFREG | mode)->text = g_strdup(text);
}

void rig_rootfs_add_link(RigRootfs *rootfs, const char *path, const char *target)
{
	add(rootfs, path, S_IFLNK | 0777)->target = g_strdup(target);
}

void rig_rootfs_add_char_device(RigRootfs *rootfs, const char *path, guint major, guint minor,
				int mode)
{
	add(rootfs, path, S_IFCHR | mode)->device = makedev(major, minor);
}

static gboolean archive_failed(Writer *writer, const char *path, GError **error)
{
	rig_error_set_errno(error, RIG_ERROR_FAILED, archive_errno(writer),
			    "cannot be written to the archive", path);
	return FALSE;
}

static gboolean write_header(Writer *writer, const Entry *entry, goffset size, GError **error)
{
	g_autoptr(Header) header = archive_entry_new();

	archive_entry_set_pathname(header, entry->path);
	archive_entry_set_mode(header, entry->mode);
	archive_entry_set_uid(header, 0);
	archive_entry_set_gid(header, 0);
	archive_entry_set_mtime(header, 0, 0);
	archive_entry_set_nlink(header, 1);
	archive_entry_set_size(header, size);
	if (entry->target)
		archive_entry_set_symlink(header, entry->target);
	if (S_ISCHR(entry->mode))
		archive_entry_set_rdev(header, entry->device);
	if (archive_write_header(writer, header) != ARCHIVE_OK)
		return archive_failed(writer, entry->path, error);
	return TRUE;
}

static gboolean write_bytes(Writer *writer, const Entry *entry, const char *data, gsize length,
			    GError **error)
{
	if (length && archive_write_data(writer, data, length) != (gssize)length)
		return archive_failed(writer, entry->path, error);
	return TRUE;
}

/* Exactly SIZE bytes: a file that changes meanwhile must not shift what follows it. */
static gboolean write_content(Writer *writer, const Entry *entry, int fd, goffset size,
			      GError **error)
{
	g_autofree char *block = g_malloc(BLOCK);

	while (size > 0) {
		ssize_t n = read(fd, block, MIN(size, BLOCK));

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, n ? errno : EIO,
					    "cannot be read to its end", entry->source);
			return FALSE;
		}
		if (!write_bytes(writer, entry, block, n, error))
			return FALSE;
		size -= n;
	}
	return TRUE;
}

static gboolean write_file(Writer *writer, const Entry *entry, GError **error)
{
	int fd = g_open(entry->source, O_RDONLY | O_CLOEXEC, 0);
	struct stat st;
	gboolean good;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
		rig_error_set_errno(error, RIG_ERROR_HOST, fd < 0 ? errno : EINVAL,
				    "cannot be read", entry->source);
		if (fd >= 0)
			close(fd);
		return FALSE;
	}
	good = write_header(writer, entry, st.st_size, error) &&
	       write_content(writer, entry, fd, st.st_size, error);
	close(fd);
	return good;
}

static gboolean write_entry(Writer *writer, const Entry *entry, GError **error)
{
	gsize length = entry->text ? strlen(entry->text) : 0;

	if (entry->source)
		return write_file(writer, entry, error);
	return write_header(writer, entry, length, error) &&
	       write_bytes(writer, entry, entry->text, length, error);
}

gboolean rig_rootfs_write(const RigRootfs *rootfs, RigRootfsFormat format, int fd, GError **error)
{
	g_autoptr(Writer) writer = archive_write_new();

	if (format == RIG_ROOTFS_TAR)
		archive_write_set_format_pax_restricted(writer);
	else
		archive_write_set_format_cpio_newc(writer);
	archive_write_add_filter_none(writer);
	if (archive_write_open_fd(writer, fd) != ARCHIVE_OK)
		return archive_failed(writer, "archive", error);
	for (guint i = 0; i < rootfs->entries->len; i++)
		if (!write_entry(writer, rootfs->entries->pdata[i], error))
			return FALSE;
	if (archive_write_close(writer) != ARCHIVE_OK)
		return archive_failed(writer, "archive", error);
	return TRUE;
}
