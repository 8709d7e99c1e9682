/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bzimage.h - what an x86 bzImage says of itself, and the kernel that is packed in it.
 */
#pragma once

#include <glib.h>

/* Largest uncompressed kernel that is taken. */
#define RIG_BZIMAGE_KERNEL_MAX (512u << 20)

typedef struct {
	guint protocol;	      /* boot protocol, 0x020f */
	gsize payload_offset; /* from the start of the file; 0: the protocol is too old to say */
	gsize payload_length;
	char *version; /* "6.1.0-57-cloud-amd64 (builder) #1 SMP ...", printable, or NULL */
} RigBzImage;

void rig_bzimage_clear(RigBzImage *image);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigBzImage, rig_bzimage_clear)

/* TRUE if DATA starts like a bzImage. */
gboolean rig_bzimage_is(const void *data, gsize length);

/* Read the setup header; every offset in it is checked against LENGTH. RIG_ERROR_USAGE. */
gboolean rig_bzimage_read(const void *data, gsize length, RigBzImage *image,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Write the uncompressed kernel of a bzImage that was read to FD. */
gboolean rig_bzimage_extract(const void *data, const RigBzImage *image, int fd,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
