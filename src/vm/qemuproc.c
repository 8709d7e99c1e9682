/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qemuproc.c - the QEMU process of a domain, told from all others by the domain's UUID.
 */
#include "vm/qemuproc.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/file.h"

#define CMDLINE_MAX (256 * 1024)

/* The word after OPTION in a command line, whose words end with NUL; NULL if it is not there. */
static const char *word_after(const char *words, gsize length, const char *option)
{
	gboolean after = FALSE;

	for (const char *word = words; word < words + length; word += strlen(word) + 1) {
		if (after)
			return word;
		after = strcmp(word, option) == 0;
	}
	return NULL;
}

static char *read_words(const char *proc, pid_t pid, gsize *length)
{
	g_autofree char *path = g_strdup_printf("%s/%d/cmdline", proc, (int)pid);

	return rig_file_read(path, CMDLINE_MAX, length, NULL);
}

/* A zombie's command line is empty, so it counts as gone. */
gboolean rig_qemuproc_alive(const char *proc, pid_t pid, const char *uuid)
{
	gsize length = 0;
	g_autofree char *words = pid > 0 && uuid ? read_words(proc, pid, &length) : NULL;

	return words && g_strcmp0(word_after(words, length, "-uuid"), uuid) == 0;
}

pid_t rig_qemuproc_find(const char *proc, const char *uuid)
{
	g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		pid_t pid = (pid_t)g_ascii_strtoll(name, NULL, 10);

		if (rig_qemuproc_alive(proc, pid, uuid))
			return pid;
	}
	return 0;
}

/* TRUE if this is QEMU for guest NAME with its secrets below ROOT. */
static gboolean is_named(const char *words, gsize length, const char *name, const char *root)
{
	g_autofree char *guest = g_strdup_printf("guest=%s,", name);
	g_autofree char *below = g_strdup_printf("\"%s/lib/qemu/", root);
	const char *first = word_after(words, length, "-name");

	return first && g_str_has_prefix(first, guest) &&
	       memmem(words, length, below, strlen(below));
}

pid_t rig_qemuproc_find_named(const char *proc, const char *name, const char *root, char **uuid)
{
	g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		pid_t pid = (pid_t)g_ascii_strtoll(entry, NULL, 10);
		gsize length = 0;
		g_autofree char *words = pid > 0 ? read_words(proc, pid, &length) : NULL;

		if (!words || !is_named(words, length, name, root))
			continue;
		*uuid = g_strdup(word_after(words, length, "-uuid"));
		return pid;
	}
	return 0;
}

gboolean rig_qemuproc_kill(const char *proc, pid_t pid, const char *uuid, int wait_ms)
{
	gint64 deadline = g_get_monotonic_time() + (gint64)wait_ms * 1000;

	if (!rig_qemuproc_alive(proc, pid, uuid))
		return TRUE;
	if (kill(pid, SIGKILL) < 0)
		return FALSE;
	while (rig_qemuproc_alive(proc, pid, uuid)) {
		if (g_get_monotonic_time() > deadline)
			return FALSE;
		g_usleep(2000);
	}
	return TRUE;
}
