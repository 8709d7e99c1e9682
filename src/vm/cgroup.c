/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cgroup.c - finds and removes the control group that libvirt's embedded driver makes for a QEMU.
 *
 * The driver would do it itself, if it were there when its QEMU ends.
 */
#include "vm/cgroup.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

#define PARENT "/machine/" /* where libvirt puts its groups when there is no systemd */
#define PREFIX "qemu-embed-"
#define SUFFIX ".libvirt-qemu"
#define TEXT_MAX 65536
#define DEPTH_MAX 4
/* Threads of a process that has just ended leave their groups one by one. */
#define TRIES 50
#define AGAIN_US 10000

static gboolean is_libvirts(const char *group)
{
	return group && g_str_has_prefix(group, PREFIX) && g_str_has_suffix(group, SUFFIX) &&
	       !strchr(group, '/');
}

/* A line is "7:blkio:/machine/GROUP" or "0::/machine/GROUP/emulator". */
static char *group_in(const char *line)
{
	const char *path = strchr(line, ':');
	g_autofree char *group = NULL;

	path = path ? strchr(path + 1, ':') : NULL;
	if (!path || !g_str_has_prefix(path + 1, PARENT))
		return NULL;
	path += 1 + strlen(PARENT);
	group = g_strndup(path, strcspn(path, "/"));
	return is_libvirts(group) ? g_steal_pointer(&group) : NULL;
}

char *rig_cgroup_of(const char *proc, pid_t pid)
{
	g_autofree char *path = g_strdup_printf("%s/%d/cgroup", proc, (int)pid);
	g_autofree char *text = rig_file_read(path, TEXT_MAX, NULL, NULL);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;
	char *group = NULL;

	for (guint i = 0; lines && lines[i] && !group; i++)
		group = group_in(lines[i]);
	return group;
}

/* The files in a group cannot be removed and need not be. FALSE while a process is in it. */
static gboolean remove_group(const char *path, int depth)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && depth < DEPTH_MAX && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);
		struct stat info;

		if (lstat(below, &info) == 0 && S_ISDIR(info.st_mode) &&
		    !remove_group(below, depth + 1))
			return FALSE;
	}
	return rmdir(path) == 0 || errno != EBUSY;
}

static void remove_patiently(const char *mount, const char *group)
{
	g_autofree char *path = g_strconcat(mount, PARENT, group, NULL);

	for (guint i = 0; i < TRIES && !remove_group(path, 0); i++)
		g_usleep(AGAIN_US);
}

void rig_cgroup_remove(const char *root, const char *group)
{
	g_autoptr(GDir) dir = g_dir_open(root, 0, NULL);
	const char *name;

	if (!is_libvirts(group))
		return;
	/* Version 2 is mounted at the root itself, the hierarchies of version 1 below it. */
	remove_patiently(root, group);
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *mount = g_build_filename(root, name, NULL);

		remove_patiently(mount, group);
	}
}
