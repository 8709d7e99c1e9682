/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.c - single files: read whole, written so that no half of one is ever seen, copied, hashed.
 *
 * Trees are in file-tree.c.
 */
#include "base/file.h"

#include "base/error.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE (256 * 1024)
#define NAME_LENGTH_MAX 64

/* read(2) that is not disturbed by signals. */
static gssize read_some(int fd, void *buffer, gsize size)
{
	gssize n;

	do
		n = read(fd, buffer, size);
	while (n < 0 && errno == EINTR);
	return n;
}

static gboolean write_all(int fd, const char *data, gsize length)
{
	while (length) {
		gssize n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return FALSE;
		data += n;
		length -= (gsize)n;
	}
	return TRUE;
}

static int open_to_read(const char *path, GError **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		rig_error_set_errno(error, RIG_ERROR_USAGE, errno, "cannot open", path);
	return fd;
}

/* All of FD, at most MAX bytes, into TEXT; FALSE with errno (EFBIG: longer than MAX). */
static gboolean slurp(int fd, gsize max, GString *text)
{
	g_autofree char *buffer = g_malloc(BUFFER_SIZE);
	gssize n;

	while ((n = read_some(fd, buffer, BUFFER_SIZE)) > 0) {
		if ((gsize)n > max - text->len) {
			errno = EFBIG;
			return FALSE;
		}
		g_string_append_len(text, buffer, n);
	}
	return n == 0;
}

char *rig_file_read(const char *path, gsize max, gsize *length, GError **error)
{
	g_autoptr(GString) text = NULL;
	int fd = open_to_read(path, error);
	int errnum;

	if (fd < 0)
		return NULL;
	text = g_string_new(NULL);
	errnum = slurp(fd, max, text) ? 0 : errno;
	close(fd);
	if (errnum == EFBIG) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: larger than %zu bytes", path, max);
		return NULL;
	}
	if (errnum) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errnum, "cannot read", path);
		return NULL;
	}
	if (length)
		*length = text->len;
	return g_string_free(g_steal_pointer(&text), FALSE);
}

/* Flush the directory of PATH, so that a rename in it outlives a power cut. */
static gboolean sync_parent(const char *path)
{
	g_autofree char *parent = g_path_get_dirname(path);
	int fd = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	gboolean ok;

	if (fd < 0)
		return FALSE;
	/* Some file systems cannot sync a directory and say EINVAL; they have no better way. */
	ok = fsync(fd) == 0 || errno == EINVAL;
	close(fd);
	return ok;
}

/* DATA into the open temporary file FD; closes it in any case. */
static gboolean fill(int fd, const char *data, gsize length, int mode, gboolean durable)
{
	gboolean ok = write_all(fd, data, length) && fchmod(fd, (mode_t)mode) == 0 &&
		      (!durable || fsync(fd) == 0);
	int errnum = errno;

	/* Network file systems report a full disk as late as at close. */
	if (close(fd) < 0 && ok)
		return FALSE;
	errno = errnum;
	return ok;
}

static gboolean write_beside(const char *path, const char *data, gsize length, int mode,
			     gboolean durable, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);
	g_autofree char *temp = g_strdup_printf("%s/.rig-XXXXXX", parent);
	int fd = g_mkstemp_full(temp, O_WRONLY | O_CLOEXEC, 0600);

	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot create", path);
		return FALSE;
	}
	if (fill(fd, data, length, mode, durable) && rename(temp, path) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot write", path);
	unlink(temp);
	return FALSE;
}

gboolean rig_file_write(const char *path, const char *data, gssize length, int mode, GError **error)
{
	gsize size = length < 0 ? strlen(data) : (gsize)length;

	if (!write_beside(path, data, size, mode, TRUE, error))
		return FALSE;
	if (sync_parent(path))
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot sync", path);
	return FALSE;
}

gboolean rig_file_write_cache(const char *path, const char *data, gsize length, int mode,
			      GError **error)
{
	return write_beside(path, data, length, mode, FALSE, error);
}

/* Let the kernel copy the data without it passing through here; FALSE if it cannot or the rest is
 * to be done by hand. Both offsets stay in step in any case. */
static gboolean copy_in_kernel(int from, int to)
{
	struct stat st;
	off_t done = 0;
	gssize n;

	if (ioctl(to, FICLONE, from) == 0)
		return TRUE;
	if (fstat(from, &st) < 0 || !S_ISREG(st.st_mode))
		return FALSE;
	while (done < st.st_size) {
		n = copy_file_range(from, NULL, to, NULL, (gsize)(st.st_size - done), 0);
		if (n <= 0)
			break;
		done += n;
	}
	return done > 0 && done == st.st_size;
}

static gboolean copy_by_hand(int from, int to)
{
	g_autofree char *buffer = g_malloc(BUFFER_SIZE);
	gssize n;

	while ((n = read_some(from, buffer, BUFFER_SIZE)) > 0) {
		if (!write_all(to, buffer, (gsize)n))
			return FALSE;
	}
	return n == 0;
}

gboolean rig_file_copy(const char *from, const char *to, int mode, GError **error)
{
	int in = open_to_read(from, error);
	int out, errnum = 0;

	if (in < 0)
		return FALSE;
	out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (out < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot create", to);
		close(in);
		return FALSE;
	}
	if ((!copy_in_kernel(in, out) && !copy_by_hand(in, out)) || fchmod(out, (mode_t)mode) < 0)
		errnum = errno;
	close(in);
	if (close(out) < 0 && !errnum)
		errnum = errno;
	if (errnum) {
		g_autofree char *what = g_strdup_printf("cannot copy %s there", from);

		unlink(to);
		rig_error_set_errno(error, RIG_ERROR_HOST, errnum, what, to);
		return FALSE;
	}
	return TRUE;
}

char *rig_file_sha256(const char *path, GError **error)
{
	g_autoptr(GChecksum) sum = g_checksum_new(G_CHECKSUM_SHA256);
	g_autofree guchar *buffer = g_malloc(BUFFER_SIZE);
	int fd = open_to_read(path, error);
	int errnum;
	gssize n;

	if (fd < 0)
		return NULL;
	while ((n = read_some(fd, buffer, BUFFER_SIZE)) > 0)
		g_checksum_update(sum, buffer, n);
	errnum = errno;
	close(fd);
	if (n < 0) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errnum, "cannot read", path);
		return NULL;
	}
	return g_strdup(g_checksum_get_string(sum));
}

gboolean rig_file_check_name(const char *what, const char *name, GError **error)
{
	gsize length = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789+._-");

	if (g_ascii_isalnum(name[0]) && !name[length] && length <= NAME_LENGTH_MAX)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "take letters, digits and \"+._-\", a letter or digit first, at most 64",
			   "%s \"%.80s\" is no valid name", what, name);
	return FALSE;
}
