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

/* TRUE if the words of a command line (each ended by NUL) say "-uuid UUID". */
static gboolean has_uuid(const char *words, gsize length, const char *uuid)
{
	gboolean after = FALSE;

	for (const char *word = words; word < words + length; word += strlen(word) + 1) {
		if (after && strcmp(word, uuid) == 0)
			return TRUE;
		after = strcmp(word, "-uuid") == 0;
	}
	return FALSE;
}

/* A zombie's command line is empty, so it counts as gone. */
gboolean rig_qemuproc_alive(const char *proc, pid_t pid, const char *uuid)
{
	g_autofree char *path = g_strdup_printf("%s/%d/cmdline", proc, (int)pid);
	g_autofree char *words = NULL;
	gsize length = 0;

	if (pid <= 0 || !uuid)
		return FALSE;
	words = rig_file_read(path, CMDLINE_MAX, &length, NULL);
	return words && has_uuid(words, length, uuid);
}

pid_t rig_qemuproc_find(const char *proc, const char *uuid)
{
	g_autoptr(GDir) dir = g_dir_open(proc, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		pid_t pid = (pid_t)g_ascii_strtoll(name, NULL, 10);

		if (pid > 0 && rig_qemuproc_alive(proc, pid, uuid))
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
