/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.c - bounded reads of /proc, /sys and ordinary files.
 */
#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

int rig_file_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

/* Files that cannot be read at a place (some of debugfs) are at least read once, in order. */
static ssize_t read_at(int fd, void *data, size_t size, off_t offset)
{
	ssize_t n;

	do {
		n = pread(fd, data, size, offset);
		if (n < 0 && errno == ESPIPE)
			n = read(fd, data, size);
	} while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

ssize_t rig_file_read(int fd, void *data, size_t size, bool *cut)
{
	size_t len = 0;
	char beyond;
	ssize_t n;

	*cut = false;
	while (len < size) {
		n = read_at(fd, (char *)data + len, size - len, len);
		if (n == 0)
			return len;
		if (n < 0)
			return n;
		len += n;
	}
	*cut = read_at(fd, &beyond, 1, len) > 0;
	return len;
}
