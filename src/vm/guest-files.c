/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-files.c - the files in a guest's folder that QEMU uses, and who owns them.
 */
#include "vm/guest-files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"

#define SOCKET_MAX (sizeof(((struct sockaddr_un *)NULL)->sun_path) - 1)
#define QEMU_IMG_MS 60000

void rig_guest_files_clear(RigGuestFiles *files)
{
	g_free(files->overlay);
	g_free(files->initrd);
	g_free(files->console);
	g_free(files->socket);
	g_free(files->debugcon);
}

static gboolean check_socket(const char *path, GError **error)
{
	if (strlen(path) <= SOCKET_MAX)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "use a shorter --name, or set RIG_STATE_DIR to a "
			   "shorter path",
			   "%s: a socket's path has at most %zu bytes, this one has %zu", path,
			   SOCKET_MAX, strlen(path));
	return FALSE;
}

/* The embedded driver puts QEMU's monitor below its root, with 20 characters of the name. */
static gboolean check_monitor(const RigPaths *paths, const char *name, GError **error)
{
	g_autofree char *path = g_strdup_printf(
		"%s/libvirt/lib/qemu/domain-1000-%.20s/monitor.sock", paths->state, name);

	return check_socket(path, error);
}

static gboolean check_uri(const char *uri, GError **error)
{
	if (!uri || geteuid() == 0 || !g_str_has_suffix(uri, "/system"))
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "leave the connection out (no daemon and no root are needed then), or "
			   "run rig as root",
			   "connection %s: only root can give the guest's files to the user that "
			   "runs QEMU there",
			   uri);
	return FALSE;
}

gboolean rig_guest_files_check_paths(const RigGuestContext *context, const RigGuestState *state,
				     GError **error)
{
	g_autofree char *socket = rig_guest_state_file(state, "agent.sock");

	return check_uri(context->uri, error) && check_socket(socket, error) &&
	       (context->uri || check_monitor(context->paths, state->name, error));
}

static gboolean close_to_others(const char *path, mode_t mode, GError **error)
{
	if (chmod(path, mode) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "chmod", path);
	return FALSE;
}

gboolean rig_guest_files_close_socket(const RigGuestFiles *files, GError **error)
{
	return !files->socket || close_to_others(files->socket, 0700, error);
}

static gboolean make_overlay(const char *overlay, const char *disk, GCancellable *cancellable,
			     GError **error)
{
	const char *argv[] = {"qemu-img", "create", "-q", "-f",	   "qcow2", "-F",
			      "qcow2",	  "-b",	    disk, overlay, NULL};
	RigProcess process = {.argv = argv, .timeout_ms = QEMU_IMG_MS};
	g_auto(RigProcessResult) result = {0};

	return rig_process_check(&process, &result, RIG_ERROR_HOST, cancellable, error) &&
	       close_to_others(overlay, 0600, error);
}

gboolean rig_guest_files_make(RigGuestFiles *files, const RigGuestState *state,
			      const RigGuestSpec *spec, GCancellable *cancellable, GError **error)
{
	const RigBootset *bootset = spec->bootset;

	files->console = rig_guest_state_file(state, "console.log");
	files->initrd = g_strdup(bootset->initrd);
	if (spec->job) {
		files->debugcon = rig_guest_state_file(state, "debugcon.log");
		g_free(files->initrd);
		files->initrd = rig_guest_state_file(state, "initrd");
		return rig_bootset_write_job(bootset, spec->job, files->initrd, error);
	}
	files->socket = rig_guest_state_file(state, "agent.sock");
	if (!bootset->disk)
		return TRUE;
	files->overlay = rig_guest_state_file(state, "overlay.qcow2");
	return make_overlay(files->overlay, bootset->disk, cancellable, error);
}

gboolean rig_guest_files_set_user(RigGuestFiles *files, RigVirt *virt, const char *dac_label,
				  GError **error)
{
	guint uid, gid;

	if (!rig_virtroot_user(&files->user, NULL) || strstr(rig_virt_uri(virt), "/embed"))
		return rig_virtroot_user(&files->user, error);
	if (geteuid() == 0 && dac_label && sscanf(dac_label, "+%u:+%u", &uid, &gid) == 2) {
		files->user.uid = uid;
		files->user.gid = gid;
		g_strlcpy(files->user.name, dac_label, sizeof(files->user.name));
	}
	files->user.other = files->user.uid != geteuid();
	return TRUE;
}

static gboolean give(const char *path, const RigQemuUser *user, GError **error)
{
	if (!path || access(path, F_OK) < 0)
		return TRUE;
	if (lchown(path, user->uid, user->gid) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "chown", path);
	return FALSE;
}

/* QEMU goes through the folder to its disk and can change nothing in it: libvirt opens the console
 * and the sockets, and what rig reads and removes there is what rig put there. */
static gboolean open_dir(const char *dir, const RigQemuUser *user, GError **error)
{
	if (lchown(dir, geteuid(), user->gid) == 0)
		return close_to_others(dir, 0710, error);
	rig_error_set_errno(error, RIG_ERROR_HOST, errno, "chown", dir);
	return FALSE;
}

/* QEMU has to read PATH, which stays ours. */
static gboolean check_readable(const char *path, const RigQemuUser *user, GError **error)
{
	struct stat info;

	if (!path)
		return TRUE;
	if (!rig_virtroot_check_path(path, user, error))
		return FALSE;
	if (stat(path, &info) < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "stat", path);
		return FALSE;
	}
	if ((info.st_mode & S_IROTH) || (info.st_uid == user->uid && (info.st_mode & S_IRUSR)) ||
	    (info.st_gid == user->gid && (info.st_mode & S_IRGRP)))
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST, "chmod o+r the file",
			   "%s: user %s, which runs QEMU, may not read it", path, user->name);
	return FALSE;
}

gboolean rig_guest_files_hand_over(const RigGuestFiles *files, const RigBootset *bootset,
				   GError **error)
{
	const RigQemuUser *user = &files->user;
	g_autofree char *dir = g_path_get_dirname(files->console);
	gboolean own_initrd = files->initrd && g_str_has_prefix(files->initrd, dir);

	if (!user->other)
		return TRUE;
	return open_dir(dir, user, error) && give(files->overlay, user, error) &&
	       (!own_initrd || give(files->initrd, user, error)) &&
	       check_readable(bootset->boot, user, error) &&
	       check_readable(files->initrd, user, error) &&
	       check_readable(bootset->disk, user, error) &&
	       rig_virtroot_check_path(dir, user, error);
}
