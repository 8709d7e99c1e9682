/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virtroot.c - the root folder of libvirt's embedded driver, and the user that QEMU runs as.
 *
 * As root the driver refuses to start unless the account that its distribution built into it
 * exists, and runs QEMU as that account. rig keeps that (a guest that breaks out of QEMU is not
 * root) and hands over what QEMU writes itself, so that the driver leaves all owners alone.
 */
#include "vm/virtroot.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#define LOG_MAX (4 * 1024 * 1024)
#define GROUPS_MAX 256

gboolean rig_virtroot_user(RigQemuUser *user, GError **error)
{
	static const char *const names[] = {"libvirt-qemu", "qemu"};

	user->other = geteuid() == 0;
	user->uid = geteuid();
	user->gid = getegid();
	g_strlcpy(user->name, g_get_user_name(), sizeof(user->name));
	if (!user->other)
		return TRUE;
	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		const struct passwd *account = getpwnam(names[i]);

		if (!account)
			continue;
		g_strlcpy(user->name, names[i], sizeof(user->name));
		user->uid = account->pw_uid;
		user->gid = account->pw_gid;
		return TRUE;
	}
	rig_error_set_hint(
		error, RIG_ERROR_HOST,
		"install libvirt-daemon-system (Debian, Ubuntu) or libvirt-daemon-driver-qemu "
		"(Fedora), or run rig as an ordinary user",
		"user libvirt-qemu: there is no such account, and as root libvirt runs QEMU "
		"only as that");
	return FALSE;
}

/* Written only when it differs: the folder may belong to a rig that is running. */
static gboolean write_conf(const char *dir, const RigQemuUser *user, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "etc", "qemu.conf", NULL);
	g_autofree char *old = rig_file_read(path, 65536, NULL, NULL);
	g_autoptr(GString) text = g_string_new("# Made by rig; changes are lost.\n"
					       "stdio_handler = \"file\"\n"
					       "security_driver = \"none\"\n"
					       "seccomp_sandbox = 1\n"
					       "dynamic_ownership = 0\n");

	if (user->other)
		g_string_append_printf(text, "user = \"+%u\"\ngroup = \"+%u\"\n", (guint)user->uid,
				       (guint)user->gid);
	if (g_strcmp0(old, text->str) == 0)
		return TRUE;
	return rig_file_write(path, text->str, -1, 0644, error);
}

gboolean rig_virtroot_prepare(const char *dir, const RigQemuUser *user, GError **error)
{
	g_autofree char *etc = g_build_filename(dir, "etc", NULL);

	if (!rig_file_make_dirs(etc, 0755, error))
		return FALSE;
	/* The mode is cut by the umask, and QEMU's user has to get to its monitor's folder. */
	if (user->other && (chmod(dir, 0755) < 0 || chmod(etc, 0755) < 0)) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "chmod", dir);
		return FALSE;
	}
	return rig_virtroot_check_path(dir, user, error) && write_conf(dir, user, error);
}

static gboolean may_pass(const struct stat *info, const RigQemuUser *user)
{
	if (info->st_uid == user->uid)
		return info->st_mode & S_IXUSR;
	if (info->st_gid == user->gid)
		return info->st_mode & S_IXGRP;
	return info->st_mode & S_IXOTH;
}

gboolean rig_virtroot_check_path(const char *path, const RigQemuUser *user, GError **error)
{
	g_autofree char *part = g_canonicalize_filename(path, "/");

	if (!user->other)
		return TRUE;
	for (;;) {
		g_autofree char *parent = g_path_get_dirname(part);
		struct stat info;

		if (stat(part, &info) == 0 && S_ISDIR(info.st_mode) && !may_pass(&info, user)) {
			rig_error_set_hint(
				error, RIG_ERROR_HOST,
				"set RIG_STATE_DIR and RIG_CACHE_DIR to folders that others may "
				"enter, or chmod o+x the folder named",
				"%s: user %s, which runs QEMU, may not enter %s", path, user->name,
				part);
			return FALSE;
		}
		if (strcmp(parent, part) == 0)
			return TRUE;
		g_free(g_steal_pointer(&part));
		part = g_steal_pointer(&parent);
	}
}

/* In a child that has become USER; only what is safe after a fork of a process with threads. */
static _Noreturn void open_as(const char *path, const RigQemuUser *user, const gid_t *groups,
			      int n_groups)
{
	/* The kernel's own calls: libc's would try to take the other threads along. */
	if (syscall(SYS_setgroups, n_groups, groups) < 0 ||
	    syscall(SYS_setresgid, user->gid, user->gid, user->gid) < 0 ||
	    syscall(SYS_setresuid, user->uid, user->uid, user->uid) < 0 ||
	    open(path, O_RDWR | O_CLOEXEC) < 0)
		_exit(errno);
	_exit(0);
}

int rig_virtroot_try_open(const char *path, const RigQemuUser *user)
{
	gid_t groups[GROUPS_MAX];
	int n = GROUPS_MAX, status = 0;
	pid_t pid;

	if (user->other && getgrouplist(user->name, user->gid, groups, &n) < 0)
		return E2BIG;
	pid = fork();
	if (pid == 0) {
		if (user->other)
			open_as(path, user, groups, n);
		_exit(open(path, O_RDWR | O_CLOEXEC) < 0 ? errno : 0);
	}
	if (pid < 0)
		return errno;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

void rig_virtroot_forget(const char *dir, const char *name, gint64 id)
{
	g_autofree char *status = g_strdup_printf("%s/run/qemu/%s.xml", dir, name);
	g_autofree char *pid = g_strdup_printf("%s/run/qemu/%s.pid", dir, name);
	g_autofree char *log = g_strdup_printf("%s/log/qemu/%s.log", dir, name);
	/* The driver cuts the name to 20 characters here. */
	g_autofree char *lib =
		g_strdup_printf("%s/lib/qemu/domain-%" G_GINT64_FORMAT "-%.20s", dir, id, name);
	g_autofree char *channel = g_strdup_printf(
		"%s/lib/qemu/channel/target/domain-%" G_GINT64_FORMAT "-%.20s", dir, id, name);

	(void)unlink(status);
	(void)unlink(pid);
	(void)unlink(log);
	(void)!rig_file_remove_tree(lib, NULL);
	(void)!rig_file_remove_tree(channel, NULL);
}

char *rig_virtroot_last_words(const char *dir, const char *name)
{
	g_autofree char *path = g_strdup_printf("%s/log/qemu/%s.log", dir, name);
	g_autofree char *text = rig_file_read(path, LOG_MAX, NULL, NULL);
	char *at, *last = NULL;

	/* Its own lines begin with its name; the rest is the driver's. */
	for (at = text; at && (at = strstr(at, "\nqemu-system-")); at++)
		last = at + 1;
	if (!last)
		return NULL;
	return rig_text_safe(last, (gssize)MIN(strcspn(last, "\n"), 300));
}
