/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kmakelog.c - reads what a kernel's make prints: two spaces, what is done, and on what file.
 *
 * With -s or V=1 there would be nothing to read, so rig passes neither.
 */
#include "vm/kmakelog.h"

#include "base/text.h"

#include <string.h>

#define LINE_MAX_BYTES 4096

void rig_kmakelog_init(RigKmakeLog *log, guint expected)
{
	*log = (RigKmakeLog){.line = g_string_new(NULL), .phase = "preparing"};
	log->expected = expected;
}

void rig_kmakelog_clear(RigKmakeLog *log)
{
	if (log->line)
		g_string_free(log->line, TRUE);
	g_free(log->file);
	g_free(log->error);
	*log = (RigKmakeLog){0};
}

static const char *phase_of(const char *what, const char *file, const char *now)
{
	static const char *const links[] = {"MODPOST", "NM",	  "KSYMS",   "SORTTAB",
					    "BTF",     "OBJCOPY", "VMLINUX", NULL};

	/* kallsyms are compiled between the steps of linking. */
	if (g_str_has_prefix(file, ".tmp_vmlinux"))
		return "linking";
	if (strstr(what, "[M]") || g_str_has_suffix(file, ".ko"))
		return "modules";
	if (g_strv_contains(links, what) || (!strcmp(what, "LD") && strstr(file, "vmlinux")))
		return "linking";
	if (!strcmp(what, "CC") || !strcmp(what, "AS") || !strcmp(what, "AR") ||
	    !strcmp(what, "LD"))
		return strcmp(now, "modules") ? "compiling" : now;
	return now;
}

/* "  CC      mm/mprotect.o", "  CC [M]  fs/fuse/dir.o" */
static gboolean read_step(RigKmakeLog *log, const char *line)
{
	const char *file;
	g_autofree char *what = NULL;

	if (!g_str_has_prefix(line, "  ") || !g_ascii_isupper(line[2]))
		return FALSE;
	file = strrchr(line, ' ');
	if (!file || file < line + 3)
		return FALSE;
	what = g_strstrip(g_strndup(line + 2, file - line - 2));
	log->steps++;
	log->phase = phase_of(what, file + 1, log->phase);
	g_free(log->file);
	log->file = rig_text_safe_line(file + 1, -1);
	return TRUE;
}

/* The compiler runs in the build directory, which lies in the source tree. */
static const char *in_tree(const char *path)
{
	return g_str_has_prefix(path, "../") ? path + 3 : path;
}

/* "../mm/mprotect.c:136:5: error: ...", "ld: ...: undefined reference to ...", "make: *** ..." */
static void read_error(RigKmakeLog *log, const char *line)
{
	static const char *const signs[] = {
		": error: ", ": fatal error: ", "undefined reference to ",
		"ld: error: ", "*** No rule to make target "};
	g_autofree char *text = NULL;

	if (log->error)
		return;
	for (guint i = 0; i < G_N_ELEMENTS(signs) && !text; i++)
		if (strstr(line, signs[i]))
			text = g_strdup(in_tree(line));
	if (text)
		log->error = rig_text_safe_line(text, -1);
}

static gboolean read_line(RigKmakeLog *log, const char *line)
{
	read_error(log, line);
	return read_step(log, line);
}

gboolean rig_kmakelog_feed(RigKmakeLog *log, const char *text, gsize length)
{
	gboolean changed = FALSE;

	for (gsize i = 0; i < length; i++) {
		if (text[i] != '\n') {
			if (log->line->len < LINE_MAX_BYTES && text[i])
				g_string_append_c(log->line, text[i]);
			continue;
		}
		changed |= read_line(log, log->line->str);
		g_string_truncate(log->line, 0);
	}
	return changed;
}

guint rig_kmakelog_percent(const RigKmakeLog *log)
{
	if (!log->expected)
		return 0;
	return MIN(99, log->steps * 100 / log->expected);
}
