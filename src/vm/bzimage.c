/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bzimage.c - reads the x86 boot protocol's setup header (Documentation/arch/x86/boot.rst).
 *
 * The uncompressed kernel boots about a second faster under TCG, as the guest need not unpack it.
 */
#include "vm/bzimage.h"

#include "base/error.h"
#include "vm/unpack.h"

#include <string.h>

#define SETUP_SECTS 0x1f1
#define BOOT_FLAG 0x1fe
#define HEADER_MAGIC 0x202
#define PROTOCOL 0x206
#define KERNEL_VERSION 0x20e
#define PAYLOAD_OFFSET 0x248
#define PAYLOAD_LENGTH 0x24c
#define HEADER_END 0x250
#define PROTOCOL_WITH_PAYLOAD 0x0208
#define SECTOR 512
#define VERSION_MAX 256

static guint16 get16(const guint8 *data, gsize at)
{
	return data[at] | data[at + 1] << 8;
}

static guint32 get32(const guint8 *data, gsize at)
{
	return get16(data, at) | (guint32)get16(data, at + 2) << 16;
}

void rig_bzimage_clear(RigBzImage *image)
{
	g_clear_pointer(&image->version, g_free);
}

gboolean rig_bzimage_is(const void *data, gsize length)
{
	const guint8 *bytes = data;

	return length >= HEADER_END && get16(bytes, BOOT_FLAG) == 0xaa55 &&
	       !memcmp(bytes + HEADER_MAGIC, "HdrS", 4);
}

/* The string is behind the first sector, within the setup code. */
static char *read_version(const guint8 *data, gsize setup_bytes)
{
	gsize at = get16(data, KERNEL_VERSION);
	gsize n = 0;

	if (!at || at + SECTOR >= setup_bytes)
		return NULL;
	at += SECTOR;
	while (at + n < setup_bytes && n < VERSION_MAX && g_ascii_isprint(data[at + n]))
		n++;
	return n ? g_strndup((const char *)data + at, n) : NULL;
}

gboolean rig_bzimage_read(const void *data, gsize length, RigBzImage *image, GError **error)
{
	const guint8 *bytes = data;
	gsize setup_bytes, offset;

	memset(image, 0, sizeof(*image));
	if (!rig_bzimage_is(data, length)) {
		rig_error_set(error, RIG_ERROR_USAGE, "no bzImage: the setup header is missing");
		return FALSE;
	}
	setup_bytes = ((bytes[SETUP_SECTS] ? bytes[SETUP_SECTS] : 4) + 1) * SECTOR;
	if (setup_bytes >= length) {
		rig_error_set(error, RIG_ERROR_USAGE, "bzImage is cut off in its setup code");
		return FALSE;
	}
	image->protocol = get16(bytes, PROTOCOL);
	image->version = read_version(bytes, setup_bytes);
	if (image->protocol < PROTOCOL_WITH_PAYLOAD)
		return TRUE;
	offset = get32(bytes, PAYLOAD_OFFSET);
	image->payload_length = get32(bytes, PAYLOAD_LENGTH);
	if (image->payload_length < 8 || offset > length - setup_bytes ||
	    image->payload_length > length - setup_bytes - offset) {
		rig_bzimage_clear(image);
		rig_error_set(error, RIG_ERROR_USAGE,
			      "bzImage is cut off: its payload ends behind the file");
		return FALSE;
	}
	image->payload_offset = setup_bytes + offset;
	return TRUE;
}

gboolean rig_bzimage_extract(const void *data, const RigBzImage *image, int fd, GError **error)
{
	const guint8 *payload = (const guint8 *)data + image->payload_offset;
	gsize size, written, length = image->payload_length;

	if (!image->payload_offset) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "boot protocol %x.%02x does not tell where the kernel is",
			      image->protocol >> 8, image->protocol & 0xff);
		return FALSE;
	}
	/* The last four bytes tell the size: gzip's own trailer, or put there by the kernel's
	 * build. */
	size = get32(payload, image->payload_length - 4);
	if (size > RIG_BZIMAGE_KERNEL_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE, "the packed kernel claims %zu bytes", size);
		return FALSE;
	}
	/* The kernel's build puts them behind every stream but gzip's, and zstd's decoder would not
	 * take them. */
	if (payload[0] != 0x1f || payload[1] != 0x8b)
		length -= 4;
	if (!rig_unpack_to_fd("kernel payload", payload, length, size, TRUE, fd, &written, error))
		return FALSE;
	if (written != size) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "the packed kernel has %zu bytes instead of %zu", written, size);
		return FALSE;
	}
	return TRUE;
}
