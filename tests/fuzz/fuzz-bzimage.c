/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fuzz-bzimage.c - kernels come from anywhere: headers, notes, banner, config and payload of what
 * claims to be one.
 */
#include "vm/bzimage.h"
#include "vm/kernelfile.h"

#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_payload(const uint8_t *data, const RigBzImage *image)
{
	int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && rig_bzimage_extract(data, image, fd, NULL))
		g_assert_cmpuint(image->payload_length, >=, 8);
	if (fd >= 0)
		close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	g_auto(RigBzImage) image = {0};
	g_autofree char *banner = rig_kernelfile_banner(data, size);
	g_autofree char *config = rig_kernelfile_config(data, size);
	g_autofree char *release = rig_kernelfile_release(banner);
	g_autofree char *compiler = rig_kernelfile_compiler(banner);
	g_autofree char *interpreter = rig_elf_interpreter(data, size);

	/* It names folders. */
	g_assert_true(!release || (!strchr(release, '/') && release[0] != '.'));
	g_assert_nonnull(compiler);
	if (rig_elf_has_pvh(data, size))
		g_assert_true(rig_elf_is(data, size));
	if (rig_bzimage_read(data, size, &image, NULL)) {
		g_assert_cmpuint(image.payload_offset + image.payload_length, <=, size);
		try_payload(data, &image);
	}
	return 0;
}
