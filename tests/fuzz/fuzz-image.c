/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-image.c - recipes of images: what is taken must lie within the guest's root.
 */
#include "model/image.h"

#include "base/file.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const RigImage *image)
{
	g_assert_cmpuint(image->size % 4096, ==, 0);
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];

		g_assert_true(file->path[0] == '/' && !strstr(file->path, "/../") &&
			      !g_str_has_suffix(file->path, "/.."));
		g_assert_cmpint(file->mode & ~07777, ==, 0);
		g_assert_true(!file->from || !g_str_has_prefix(file->from, "guest:") ||
			      !strchr(file->from, '/'));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("recipe", MFD_CLOEXEC);
	char path[64];
	RigImage *image;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (write(fd, data, size) == (ssize_t)size) {
		image = rig_image_load(path, NULL);
		if (image)
			check(image);
		rig_image_free(image);
	}
	close(fd);
	return 0;
}
