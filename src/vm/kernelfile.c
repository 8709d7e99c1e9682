/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelfile.c - reads an uncompressed kernel: ELF notes, banner, built-in config.
 *
 * Kernels come from packages and from users, so nothing in them is trusted: every offset is checked
 * against the length before it is used.
 */
#include "vm/kernelfile.h"

#include "vm/unpack.h"

#include <elf.h>
#include <string.h>

#define BANNER_START "Linux version "
#define BANNER_MAX 512
#define NOTE_PVH_ENTRY 18
#define CONFIG_MAX (4 * 1024 * 1024)

gboolean rig_elf_is(const void *data, gsize length)
{
	const Elf64_Ehdr *header = data;

	return length >= sizeof(*header) && !memcmp(header->e_ident, ELFMAG, SELFMAG) &&
	       header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
	       header->e_machine == EM_X86_64 && header->e_phentsize == sizeof(Elf64_Phdr) &&
	       header->e_phoff <= length &&
	       header->e_phnum <= (length - header->e_phoff) / sizeof(Elf64_Phdr);
}

/* The I-th program header, copied as it may be unaligned; FALSE if its content is not all there. */
static gboolean segment(const guint8 *data, gsize length, guint i, Elf64_Phdr *segment)
{
	const Elf64_Ehdr *header = (const void *)data;

	memcpy(segment, data + header->e_phoff + i * sizeof(*segment), sizeof(*segment));
	return segment->p_offset <= length && segment->p_filesz <= length - segment->p_offset;
}

static gsize align4(gsize n)
{
	return (n + 3) & ~(gsize)3;
}

static gboolean has_note(const guint8 *notes, gsize length, const char *name, guint32 type)
{
	gsize at = 0;
	Elf64_Nhdr note;

	while (length - at >= sizeof(note)) {
		gsize size;

		memcpy(&note, notes + at, sizeof(note));
		size = sizeof(note) + align4(note.n_namesz) + align4(note.n_descsz);
		if (size > length - at)
			return FALSE;
		if (note.n_type == type && note.n_namesz == strlen(name) + 1 &&
		    note.n_descsz >= 4 && !memcmp(notes + at + sizeof(note), name, note.n_namesz))
			return TRUE;
		at += size;
	}
	return FALSE;
}

gboolean rig_elf_has_pvh(const void *data, gsize length)
{
	const Elf64_Ehdr *header = data;
	const guint8 *bytes = data;
	Elf64_Phdr phdr;

	if (!rig_elf_is(data, length))
		return FALSE;
	for (guint i = 0; i < header->e_phnum; i++)
		if (segment(bytes, length, i, &phdr) && phdr.p_type == PT_NOTE &&
		    has_note(bytes + phdr.p_offset, phdr.p_filesz, "Xen", NOTE_PVH_ENTRY))
			return TRUE;
	return FALSE;
}

char *rig_elf_interpreter(const void *data, gsize length)
{
	const Elf64_Ehdr *header = data;
	Elf64_Phdr phdr;

	if (!rig_elf_is(data, length))
		return NULL;
	for (guint i = 0; i < header->e_phnum; i++)
		if (segment(data, length, i, &phdr) && phdr.p_type == PT_INTERP)
			return g_strndup((const char *)data + phdr.p_offset,
					 MIN(phdr.p_filesz, 256));
	return NULL;
}

static char *banner_at(const char *text, gsize length)
{
	gsize n = strlen(BANNER_START);

	if (length <= n || !g_ascii_isdigit(text[n]))
		return NULL; /* a format string of the kernel */
	while (n < length && n < BANNER_MAX && g_ascii_isprint(text[n]))
		n++;
	return g_strndup(text, n);
}

static gboolean has_build_number(const char *banner)
{
	const char *mark = strstr(banner, ") #");

	return mark && g_ascii_isdigit(mark[3]);
}

/* A kernel may hold an early copy without the build number behind "#": that one is second choice.
 */
char *rig_kernelfile_banner(const void *data, gsize length)
{
	const char *at = data, *end = at + length;
	g_autofree char *banner = NULL;

	while ((at = memmem(at, end - at, BANNER_START, strlen(BANNER_START)))) {
		g_autofree char *found = banner_at(at, end - at);

		if (found && has_build_number(found))
			return g_steal_pointer(&found);
		if (found && !banner)
			banner = g_steal_pointer(&found);
		at++;
	}
	return g_steal_pointer(&banner);
}

char *rig_kernelfile_config(const void *data, gsize length)
{
	static const char first[] = "IKCFG_ST", last[] = "IKCFG_ED";
	const char *start = memmem(data, length, first, 8);
	const char *end;

	if (!start)
		return NULL;
	start += 8;
	end = memmem(start, (const char *)data + length - start, last, 8);
	return end ? rig_unpack_to_memory("IKCONFIG", start, end - start, CONFIG_MAX, NULL, NULL)
		   : NULL;
}

char *rig_kernelfile_release(const char *banner)
{
	gsize n;

	if (!banner || !g_str_has_prefix(banner, BANNER_START))
		return NULL;
	banner += strlen(BANNER_START);
	n = strcspn(banner, " ");
	return n && n < 128 && banner[0] != '.' && !memchr(banner, '/', n) ? g_strndup(banner, n)
									   : NULL;
}

/* The major number of the last word that looks like a version, up to the end of the compiler's
 * part. */
static char *compiler_with_major(const char *name, const char *text)
{
	gsize length = strcspn(text, ",\n\"#");
	g_autofree char *part = g_strndup(text, length);
	g_auto(GStrv) words = g_strsplit_set(part, " ()", -1);
	const char *version = NULL;

	for (guint i = 0; words[i]; i++)
		if (g_ascii_isdigit(words[i][0]) && strchr(words[i], '.') &&
		    !strpbrk(words[i], "-+~:"))
			version = words[i];
	return version ? g_strdup_printf("%s-%.*s", name, (int)strcspn(version, "."), version)
		       : g_strdup(name);
}

char *rig_kernelfile_compiler(const char *text)
{
	const char *clang = text ? strstr(text, "clang version") : NULL;
	const char *gcc = text ? strstr(text, "gcc") : NULL;

	if (clang)
		return compiler_with_major("clang", clang);
	return gcc ? compiler_with_major("gcc", gcc) : g_strdup("unknown");
}
