/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dumpfile.c - puts the pieces of a flattened kdump file where they belong.
 *
 * The form: a block of 4096 bytes that begins with a signature, then for each piece its offset and
 * its length (64 bits each, big-endian) and its bytes; offset and length -1 end it. A later piece
 * may overwrite an earlier one.
 */
#include "vm/dumpfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

#define FLAT_SIGNATURE "makedumpfile"
#define FLAT_HEADER 4096
#define PIECE (256 * 1024)

/* FROM at work. */
typedef struct {
	const char *from, *to;
	FILE *in;
	int out;
	guint64 max;
	char *buffer;
	GCancellable *cancellable;
} Unfold;

/* The first bytes of PATH, zeros where there are none. */
static void read_signature(const char *path, char signature[16])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);

	memset(signature, 0, 16);
	if (fd < 0)
		return;
	if (pread(fd, signature, 16, 0) < 0)
		signature[0] = '\0';
	close(fd);
}

RigDumpfileKind rig_dumpfile_kind(const char *path)
{
	char signature[16];

	read_signature(path, signature);
	if (memcmp(signature, "KDUMP   ", 8) == 0)
		return RIG_DUMPFILE_KDUMP;
	return memcmp(signature, "\177ELF", 4) == 0 ? RIG_DUMPFILE_ELF : RIG_DUMPFILE_NONE;
}

static gboolean set_broken(const Unfold *unfold, const char *what, GError **error)
{
	rig_error_set(error, RIG_ERROR_LOST, "%s: the memory dump %s", unfold->from, what);
	return FALSE;
}

static gboolean write_at(const Unfold *unfold, const char *data, gsize length, guint64 offset,
			 GError **error)
{
	while (length > 0) {
		ssize_t n = pwrite(unfold->out, data, length, (off_t)offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "write", unfold->to);
			return FALSE;
		}
		data += n;
		length -= (gsize)n;
		offset += (guint64)n;
	}
	return TRUE;
}

static gboolean copy_piece(const Unfold *unfold, guint64 offset, guint64 length, GError **error)
{
	if (offset > unfold->max || length > unfold->max - offset)
		return set_broken(unfold, "is larger than the guest's memory", error);
	while (length > 0) {
		gsize n = (gsize)MIN(length, PIECE);

		if (fread(unfold->buffer, 1, n, unfold->in) != n)
			return set_broken(unfold, "is cut off", error);
		if (!write_at(unfold, unfold->buffer, n, offset, error))
			return FALSE;
		offset += n;
		length -= n;
	}
	return TRUE;
}

static gboolean unfold_all(const Unfold *unfold, GError **error)
{
	guint64 head[2];

	if (fseek(unfold->in, FLAT_HEADER, SEEK_SET) < 0)
		return set_broken(unfold, "is cut off", error);
	for (;;) {
		if (fread(head, sizeof(head), 1, unfold->in) != 1)
			return set_broken(unfold, "is cut off", error);
		if (head[0] == G_MAXUINT64 && head[1] == G_MAXUINT64)
			break;
		if (g_cancellable_is_cancelled(unfold->cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
			return FALSE;
		}
		if (!copy_piece(unfold, GUINT64_FROM_BE(head[0]), GUINT64_FROM_BE(head[1]), error))
			return FALSE;
	}
	if (fsync(unfold->out) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "write", unfold->to);
	return FALSE;
}

static gboolean unfold_file(const char *from, const char *to, guint64 max,
			    GCancellable *cancellable, GError **error)
{
	g_autofree char *buffer = g_malloc(PIECE);
	Unfold unfold = {
		.from = from,
		.to = to,
		.in = fopen(from, "re"),
		.out = open(to, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600),
		.max = max,
		.buffer = buffer,
		.cancellable = cancellable,
	};
	gboolean ok = unfold.in && unfold.out >= 0;

	if (!ok)
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "open", unfold.in ? to : from);
	ok = ok && unfold_all(&unfold, error);
	if (unfold.in)
		fclose(unfold.in);
	if (unfold.out >= 0)
		close(unfold.out);
	return ok;
}

static gboolean move(const char *from, const char *to, GError **error)
{
	if (rename(from, to) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "rename", from);
	return FALSE;
}

gboolean rig_dumpfile_settle(const char *from, const char *to, guint64 max,
			     GCancellable *cancellable, GError **error)
{
	char signature[16];
	gboolean ok;

	read_signature(from, signature);
	if (memcmp(signature, FLAT_SIGNATURE, sizeof(FLAT_SIGNATURE)) == 0)
		ok = unfold_file(from, to, max, cancellable, error);
	else
		ok = move(from, to, error);
	if (ok && rig_dumpfile_kind(to) == RIG_DUMPFILE_NONE) {
		rig_error_set(error, RIG_ERROR_LOST, "%s: QEMU wrote no memory dump", from);
		ok = FALSE;
	}
	(void)unlink(from);
	if (!ok)
		(void)unlink(to);
	return ok;
}
