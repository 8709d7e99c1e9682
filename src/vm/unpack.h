/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * unpack.h - decompress one stream (a kernel, its config, a module) with a bound on what comes out.
 */
#pragma once

#include <glib.h>

/* Write what DATA decompresses to (gzip, xz, zstd, lz4, bzip2, lzma, lzo) to FD. Nothing above MAX
 * bytes is ever written: a longer stream is an error, unless CUT, which stops there as if the
 * stream had ended (kernel payloads have trailing bytes that belong to no stream). RIG_ERROR_USAGE
 * for data that is no such stream. NAME stands for DATA in messages. WRITTEN may be NULL. */
gboolean rig_unpack_to_fd(const char *name, const void *data, gsize length, gsize max, gboolean cut,
			  int fd, gsize *written, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same to memory, NUL added behind. g_free. */
char *rig_unpack_to_memory(const char *name, const void *data, gsize length, gsize max,
			   gsize *written, GError **error) G_GNUC_WARN_UNUSED_RESULT;
