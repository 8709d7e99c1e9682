/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelfile.h - what an uncompressed kernel (vmlinux, ELF) tells, and what other ELF files need.
 */
#pragma once

#include <glib.h>

/* TRUE for a 64-bit little-endian x86-64 ELF file whose headers lie within LENGTH. */
gboolean rig_elf_is(const void *data, gsize length);

/* TRUE if it has the PVH entry note (Xen, type 18), so that QEMU can start it as it is. */
gboolean rig_elf_has_pvh(const void *data, gsize length);

/* The loader that a dynamic executable asks for, NULL for a static one. g_free. */
char *rig_elf_interpreter(const void *data, gsize length);

/* "Linux version 6.1.0 (builder) (gcc-12 ...) #1 SMP ...", NULL where there is none. g_free. */
char *rig_kernelfile_banner(const void *data, gsize length);

/* The text that IKCONFIG put into the kernel, NULL where there is none. g_free. */
char *rig_kernelfile_config(const void *data, gsize length);

/* "6.1.0-57-cloud-amd64" of a banner, NULL if it is none. g_free. */
char *rig_kernelfile_release(const char *banner);

/* "gcc-12", "clang-15" of a banner or a CONFIG_CC_VERSION_TEXT; "unknown". g_free. */
char *rig_kernelfile_compiler(const char *text);
