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
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#define BUFFER_SIZE (256 * 1024)
#define NAME_LENGTH_MAX 64
#define TEMP_PREFIX ".rig-"

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

static const char *kind_of(mode_t mode)
{
	return S_ISDIR(mode)	? "a folder"
	       : S_ISFIFO(mode) ? "a pipe"
	       : S_ISSOCK(mode) ? "a socket"
				: "a device";
}

/* Only what has an end: opening a pipe waits for its writer, where no signal ends the wait, and a
 * device may give bytes for ever. */
static int open_with(const char *path, int flags, GError **error)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | flags);
	struct stat st;

	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errno, "cannot open", path);
		return -1;
	}
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	rig_error_set_hint(error, RIG_ERROR_USAGE, "name a file, or write it to one first",
			   "%s is %s, not a file", path, kind_of(st.st_mode));
	return -1;
}

static int open_to_read(const char *path, GError **error)
{
	return open_with(path, 0, error);
}

gboolean rig_file_check(const char *path, GError **error)
{
	int fd = open_to_read(path, error);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
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

static char *read_with(const char *path, int flags, gsize max, gsize *length, GError **error)
{
	g_autoptr(GString) text = NULL;
	int fd = open_with(path, flags, error);
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

char *rig_file_read(const char *path, gsize max, gsize *length, GError **error)
{
	return read_with(path, 0, max, length, error);
}

char *rig_file_read_own(const char *path, gsize max, gsize *length, GError **error)
{
	return read_with(path, O_NOFOLLOW, max, length, error);
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

/* A temporary file in DIR, locked for as long as it is open: rig_file_remove_debris() takes it away
 * only once we are gone. *PATH receives its name (g_free). -1 with errno. */
static int make_temp(const char *dir, char **path)
{
	struct stat st;
	int fd;

	for (;;) {
		*path = g_strdup_printf("%s/" TEMP_PREFIX "XXXXXX", dir);
		fd = g_mkstemp_full(*path, O_WRONLY | O_CLOEXEC, 0600);
		if (fd < 0)
			return -1;
		if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
			/* Somebody who cleaned up may have been quicker than our lock. */
			if (fstat(fd, &st) < 0 || st.st_nlink > 0)
				return fd;
		} else if (errno != EWOULDBLOCK) {
			return fd; /* no locks here, so no debris is removed either */
		}
		close(fd);
		g_clear_pointer(path, g_free);
	}
}

/* The open debris PATH, locked; -1 if it is none. */
static int open_debris(const char *path)
{
	g_autofree char *base = g_path_get_basename(path);
	struct stat st;
	int fd;

	if (!g_str_has_prefix(base, TEMP_PREFIX))
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    flock(fd, LOCK_EX | LOCK_NB) == 0)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

gboolean rig_file_is_debris(const char *path)
{
	int fd = open_debris(path);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

gboolean rig_file_remove_debris(const char *path, GError **error)
{
	int fd = open_debris(path);
	gboolean ok = fd < 0 || unlink(path) == 0 || errno == ENOENT;

	if (!ok)
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot remove", path);
	if (fd >= 0)
		close(fd);
	return ok;
}

static gboolean write_beside(const char *path, const char *data, gsize length, int mode,
			     gboolean durable, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);
	g_autofree char *temp = NULL;
	int fd = make_temp(parent, &temp);
	gboolean ok;

	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot create", path);
		return FALSE;
	}
	/* Closed after the rename, as the lock goes with it. Network file systems report a full
	 * disk as late as at the sync. */
	ok = write_all(fd, data, length) && fchmod(fd, (mode_t)mode) == 0 &&
	     (!durable || fsync(fd) == 0) && rename(temp, path) == 0;
	if (!ok) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot write", path);
		unlink(temp);
	}
	close(fd);
	return ok;
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
