/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Bounded reads of files whose size is not known before, as those of /proc and /sys. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Opens a regular file for reading without ever waiting for it. Returns the descriptor, or
 * -errno; -EINVAL when it is something else (a device, a pipe, a folder). */
int rig_file_open(const char *path);

/* Reads from the beginning until the end or until `size` bytes; an open file of /proc or /sys is
 * made anew by the kernel when it is read from 0. `cut` tells whether there was more. Returns the
 * number of bytes, or -errno. */
ssize_t rig_file_read(int fd, void *data, size_t size, bool *cut);
