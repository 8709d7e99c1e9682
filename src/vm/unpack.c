/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack.c - bounded decompression of one stream through libarchive's filters.
 *
 * Only the filters that kernels and modules use are turned on: libarchive's "all" would also start
 * external programs named by the data.
 */
#include "vm/unpack.h"

#include "base/error.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#define BLOCK (256 * 1024)

typedef struct archive Reader;
static void reader_free(Reader *reader)
{
	archive_read_free(reader);
}
G_DEFINE_AUTOPTR_CLEANUP_FUNC(Reader, reader_free)

typedef gboolean (*SinkFn)(gpointer sink, const void *data, gsize length, GError **error);

typedef struct {
	const char *name;
	gsize max, total;
	gboolean cut;
	SinkFn sink;
	gpointer data;
} Unpack;

static void fail(const Unpack *unpack, Reader *reader, GError **error)
{
	const char *why = archive_error_string(reader);

	rig_error_set(error, RIG_ERROR_USAGE, "%s: cannot be decompressed: %s", unpack->name,
		      why ? why : "unknown format");
}

static Reader *open_reader(const Unpack *unpack, const void *data, gsize length, GError **error)
{
	g_autoptr(Reader) reader = archive_read_new();
	struct archive_entry *entry;

	archive_read_support_filter_gzip(reader);
	archive_read_support_filter_xz(reader);
	archive_read_support_filter_lzma(reader);
	archive_read_support_filter_bzip2(reader);
	archive_read_support_filter_zstd(reader);
	archive_read_support_filter_lz4(reader);
	archive_read_support_filter_lzop(reader);
	archive_read_support_format_raw(reader);
	if (archive_read_open_memory(reader, data, length) != ARCHIVE_OK ||
	    archive_read_next_header(reader, &entry) != ARCHIVE_OK) {
		fail(unpack, reader, error);
		return NULL;
	}
	if (archive_filter_count(reader) < 2) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: in no compression that rig knows",
			      unpack->name);
		return NULL;
	}
	return g_steal_pointer(&reader);
}

/* FALSE with ERROR, or TRUE with DONE at the end. */
static gboolean pass_block(Unpack *unpack, Reader *reader, char *block, gboolean *done,
			   GError **error)
{
	gssize n = archive_read_data(reader, block, BLOCK);
	gsize room = unpack->max - unpack->total;

	*done = n == 0 || (unpack->cut && (gsize)MAX(n, 0) >= room);
	if (n < 0) {
		fail(unpack, reader, error);
		return FALSE;
	}
	if ((gsize)n > room && !unpack->cut) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: decompresses to more than %zu bytes",
			      unpack->name, unpack->max);
		return FALSE;
	}
	n = MIN((gsize)n, room);
	unpack->total += n;
	return n == 0 || unpack->sink(unpack->data, block, n, error);
}

static gboolean run(Unpack *unpack, const void *data, gsize length, GError **error)
{
	g_autoptr(Reader) reader = open_reader(unpack, data, length, error);
	g_autofree char *block = g_malloc(BLOCK);
	gboolean done = FALSE;

	while (reader && !done)
		if (!pass_block(unpack, reader, block, &done, error))
			return FALSE;
	return reader != NULL;
}

static gboolean sink_fd(gpointer sink, const void *data, gsize length, GError **error)
{
	const char *p = data;

	while (length) {
		ssize_t n = write(GPOINTER_TO_INT(sink), p, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot write",
					    "decompressed data");
			return FALSE;
		}
		p += n;
		length -= n;
	}
	return TRUE;
}

static gboolean sink_bytes(gpointer sink, const void *data, gsize length, GError **error)
{
	g_byte_array_append(sink, data, length);
	return TRUE;
}

gboolean rig_unpack_to_fd(const char *name, const void *data, gsize length, gsize max, gboolean cut,
			  int fd, gsize *written, GError **error)
{
	Unpack unpack = {name, max, 0, cut, sink_fd, GINT_TO_POINTER(fd)};

	if (!run(&unpack, data, length, error))
		return FALSE;
	if (written)
		*written = unpack.total;
	return TRUE;
}

char *rig_unpack_to_memory(const char *name, const void *data, gsize length, gsize max,
			   gsize *written, GError **error)
{
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	Unpack unpack = {name, max, 0, FALSE, sink_bytes, bytes};

	if (!run(&unpack, data, length, error))
		return NULL;
	if (written)
		*written = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(g_steal_pointer(&bytes), FALSE);
}
