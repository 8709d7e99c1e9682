/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qemuplace.c - collects what the host's kernel says of a QEMU process.
 */
#include "vm/qemuplace.h"

#include <string.h>

#include "base/error.h"
#include "base/file.h"

#define MAPS_MAX (16 * 1024 * 1024)
#define STATUS_MAX (64 * 1024)
#define ALLOWED "\nCpus_allowed_list:\t"

/* What stands in the line of "NAME:" in a status file; NULL if there is none. */
static char *line_after(const char *status, const char *key)
{
	const char *at = strstr(status, key);

	at = at ? at + strlen(key) : NULL;
	return at ? g_strndup(at, strcspn(at, "\n")) : NULL;
}

/* NULL for a thread that has ended meanwhile. */
static RigHostThread *read_thread(const char *dir, const char *tid, pid_t pid)
{
	g_autofree char *path = g_build_filename(dir, tid, "status", NULL);
	g_autofree char *status = rig_file_read(path, STATUS_MAX, NULL, NULL);
	RigHostThread *thread;

	if (!status || !g_str_has_prefix(status, "Name:\t"))
		return NULL;
	thread = g_new0(RigHostThread, 1);
	thread->name = line_after(status, "Name:\t");
	thread->allowed = line_after(status, ALLOWED);
	thread->is_main = g_ascii_strtoll(tid, NULL, 10) == pid;
	return thread;
}

static GPtrArray *read_threads(const char *proc, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/%d/task", proc, (int)pid);
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)rig_hostthread_free);
	const char *tid;

	while (dir && (tid = g_dir_read_name(dir))) {
		RigHostThread *thread = read_thread(path, tid, pid);

		if (thread)
			g_ptr_array_add(threads, thread);
	}
	return threads;
}

gboolean rig_qemuplace_check(const char *proc, pid_t pid, const RigHostPlace *place, gboolean *read,
			     char **summary, GError **error)
{
	g_autofree char *path = g_strdup_printf("%s/%d/numa_maps", proc, (int)pid);
	g_autofree char *numa_maps = rig_file_read(path, MAPS_MAX, NULL, error);
	g_autoptr(GPtrArray) threads = NULL;

	*read = numa_maps != NULL;
	if (!numa_maps)
		return FALSE;
	threads = read_threads(proc, pid);
	return rig_hostplace_check(place, numa_maps, threads, summary, error);
}
