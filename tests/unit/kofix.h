/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kofix.h - small kernel modules and ELF files made by hand, for tests.
 */
#pragma once

#include "base/file.h"

#include <elf.h>
#include <gio/gio.h>
#include <string.h>

static inline void kofix_write(const char *dir, const char *file, const void *data, gssize length)
{
	g_autofree char *path = g_build_filename(dir, file, NULL);
	g_autofree char *parent = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	if (!rig_file_make_dirs(parent, 0755, &error) ||
	    !rig_file_write(path, data, length, 0644, &error))
		g_error("%s", error->message);
}

/* A relocatable ELF file whose .modinfo is INFO ("depends=a,b|softdep=pre: c", '|' between the
 * strings). */
static inline GByteArray *kofix_module(const char *info)
{
	static const char names[] = "\0.modinfo\0.shstrtab";
	g_autofree char *text = g_strdup(info);
	gsize length = strlen(text) + 1;
	GByteArray *file = g_byte_array_new();
	Elf64_Ehdr header = {.e_type = ET_REL,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_shoff = sizeof(header) + length + sizeof(names),
			     .e_ehsize = sizeof(header),
			     .e_shentsize = sizeof(Elf64_Shdr),
			     .e_shnum = 3,
			     .e_shstrndx = 2};
	Elf64_Shdr sections[3] = {
		{0},
		{.sh_name = 1,
		 .sh_type = SHT_PROGBITS,
		 .sh_offset = sizeof(header),
		 .sh_size = length},
		{.sh_name = 10,
		 .sh_type = SHT_STRTAB,
		 .sh_offset = sizeof(header) + length,
		 .sh_size = sizeof(names)},
	};

	memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
	g_strdelimit(text, "|", '\0');
	g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
	g_byte_array_append(file, (const guint8 *)text, length);
	g_byte_array_append(file, (const guint8 *)names, sizeof(names));
	g_byte_array_append(file, (const guint8 *)sections, sizeof(sections));
	return file;
}

static inline GByteArray *kofix_gzip(const void *data, gssize length)
{
	g_autoptr(GZlibCompressor) gzip = g_zlib_compressor_new(G_ZLIB_COMPRESSOR_FORMAT_GZIP, 6);
	g_autoptr(GOutputStream) memory = g_memory_output_stream_new_resizable();
	g_autoptr(GOutputStream) stream = g_converter_output_stream_new(memory, G_CONVERTER(gzip));
	g_autoptr(GBytes) bytes = NULL;

	g_assert_true(g_output_stream_write_all(stream, data, length, NULL, NULL, NULL));
	g_assert_true(g_output_stream_close(stream, NULL, NULL));
	bytes = g_memory_output_stream_steal_as_bytes(G_MEMORY_OUTPUT_STREAM(memory));
	return g_bytes_unref_to_array(g_steal_pointer(&bytes));
}

/* DIR/FILE; an ending of .gz compresses it. */
static inline void kofix_add(const char *dir, const char *file, const char *info)
{
	g_autoptr(GByteArray) module = kofix_module(info);

	if (g_str_has_suffix(file, ".gz")) {
		GByteArray *packed = kofix_gzip(module->data, module->len);

		g_byte_array_unref(module);
		module = packed;
	}
	kofix_write(dir, file, module->data, module->len);
}

/* An executable for x86-64 with one program header of TYPE over CONTENT, and TEXT behind it. */
static inline GByteArray *kofix_elf(guint type, const void *content, gsize length, const char *text)
{
	GByteArray *file = g_byte_array_new();
	Elf64_Ehdr header = {.e_type = ET_EXEC,
			     .e_machine = EM_X86_64,
			     .e_version = EV_CURRENT,
			     .e_phoff = sizeof(header),
			     .e_ehsize = sizeof(header),
			     .e_phentsize = sizeof(Elf64_Phdr),
			     .e_phnum = 1};
	Elf64_Phdr segment = {.p_type = type,
			      .p_offset = sizeof(header) + sizeof(segment),
			      .p_filesz = length,
			      .p_memsz = length};

	memcpy(header.e_ident, ELFMAG "\2\1\1", 7);
	g_byte_array_append(file, (const guint8 *)&header, sizeof(header));
	g_byte_array_append(file, (const guint8 *)&segment, sizeof(segment));
	g_byte_array_append(file, content, length);
	g_byte_array_append(file, (const guint8 *)text, strlen(text) + 1);
	return file;
}

/* As a kernel has it: two notes, the second one tells the PVH entry. */
static inline GByteArray *kofix_vmlinux(const char *text)
{
	static const guint32 notes[] = {
		4,	   8, 3,  0x00006e65,
		1,	   2, /* wrong type; its name does not matter */
		4,	   8, 18, 0x006e6558 /* "Xen" */,
		0x1000850, 0,
	};

	return kofix_elf(PT_NOTE, notes, sizeof(notes), text);
}

/* A bzImage of boot protocol 2.15 around PAYLOAD. */
static inline GByteArray *kofix_bzimage(const GByteArray *payload, const char *version)
{
	enum { SETUP = 2 * 512 };
	GByteArray *file = g_byte_array_new();
	guint8 setup[SETUP] = {0};
	guint32 offset = 16, length = payload->len;

	setup[0x1f1] = 1;
	memcpy(setup + 0x1fe, "\x55\xaa", 2);
	memcpy(setup + 0x202, "HdrS\x0f\x02", 6);
	setup[0x20e] = 0x80; /* 0x280 - 0x200 */
	memcpy(setup + 0x248, &offset, 4);
	memcpy(setup + 0x24c, &length, 4);
	g_strlcpy((char *)setup + 0x280, version, 128);
	g_byte_array_append(file, setup, SETUP);
	g_byte_array_append(file, (const guint8 *)"0123456789abcdef", 16);
	g_byte_array_append(file, payload->data, payload->len);
	return file;
}
