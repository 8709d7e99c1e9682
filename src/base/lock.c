/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lock.c - locks between rig processes.
 *
 * A lock file is never removed: whoever removed one could take away the file on which somebody
 * else has just got the lock. Its text only names the holder; the lock itself is the kernel's.
 */
#include "base/lock.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

#define POLL_MS 50
#define HOLDER_MAX 256
/* rig_lock_holder() of another process has the lock for a moment, which must fail nobody. */
#define GRACE_MS 200

struct RigLock {
	int fd;
};

/* What the holder wrote, as "process 123 (rig run numa02)"; *PID is its number or 0. */
static char *read_holder(int fd, guint64 *pid)
{
	char buffer[HOLDER_MAX + 1];
	g_autofree char *what = NULL;
	char *rest;
	gssize n = pread(fd, buffer, HOLDER_MAX, 0);

	buffer[MAX(n, 0)] = '\0';
	buffer[strcspn(buffer, "\n")] = '\0';
	*pid = g_ascii_strtoull(buffer, &rest, 10);
	if (*pid == 0 || *rest != ' ')
		return g_strdup("another process");
	what = rig_text_safe_line(g_strstrip(rest), -1);
	return g_strdup_printf("process %" G_GUINT64_FORMAT " (%s)", *pid, what);
}

static void write_holder(int fd, const char *what)
{
	g_autofree char *text = g_strdup_printf("%d %s", (int)getpid(), what);

	g_strdelimit(text, "\n", ' ');
	if (strlen(text) > HOLDER_MAX - 1)
		text[HOLDER_MAX - 1] = '\0';
	/* Without its text the lock still locks; others then read "another process". */
	if (ftruncate(fd, 0) < 0 || pwrite(fd, text, strlen(text), 0) < 0)
		return;
}

static void set_held(GError **error, const char *path, int fd)
{
	guint64 pid;
	g_autofree char *holder = read_holder(fd, &pid);
	g_autofree char *hint = NULL;

	if (pid)
		hint = g_strdup_printf("wait until it is done, or stop it: kill %" G_GUINT64_FORMAT,
				       pid);
	else
		hint = g_strdup_printf("\"fuser %s\" tells which", path);
	rig_error_set_hint(error, RIG_ERROR_HOST, hint, "%s is held by %s", path, holder);
}

/* Sleep for MS or until cancelled. */
static void pause_ms(GCancellable *cancellable, int ms)
{
	GPollFD fd;

	if (!g_cancellable_make_pollfd(cancellable, &fd)) {
		g_usleep((gulong)ms * 1000);
		return;
	}
	g_poll(&fd, 1, ms);
	g_cancellable_release_fd(cancellable);
}

/* TRUE once FD is locked; flock() itself would wait where no GCancellable can wake it. */
static gboolean wait_for(int fd, const char *path, int wait_ms, GCancellable *cancellable,
			 GError **error)
{
	gint64 start = g_get_monotonic_time();

	while (flock(fd, LOCK_EX | LOCK_NB) < 0) {
		gint64 waited = (g_get_monotonic_time() - start) / 1000;
		int limit = MAX(wait_ms, GRACE_MS);

		if (errno != EWOULDBLOCK && errno != EINTR) {
			rig_error_set_errno(error, RIG_ERROR_HOST, errno, "cannot lock", path);
			return FALSE;
		}
		if (g_cancellable_is_cancelled(cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED,
				      "interrupted while waiting for %s", path);
			return FALSE;
		}
		if (wait_ms >= 0 && waited >= limit) {
			set_held(error, path, fd);
			return FALSE;
		}
		pause_ms(cancellable, waited < GRACE_MS ? 2 : POLL_MS);
	}
	return TRUE;
}

static void set_open_error(GError **error, const char *path, int errnum)
{
	if (errnum == ELOOP)
		rig_error_set_hint(error, RIG_ERROR_HOST, "look where it leads, then remove it",
				   "%s is a symbolic link where rig's lock should be", path);
	else
		rig_error_set_errno(error, RIG_ERROR_HOST, errnum, "cannot open", path);
}

RigLock *rig_lock_take(const char *path, const char *what, int wait_ms, GCancellable *cancellable,
		       GError **error)
{
	g_autofree char *parent = g_path_get_dirname(path);
	RigLock *lock;
	int fd;

	if (!rig_file_make_dirs(parent, 0755, error))
		return NULL;
	/* Without O_NONBLOCK a pipe in its place would keep us waiting. */
	fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0644);
	if (fd < 0) {
		set_open_error(error, path, errno);
		return NULL;
	}
	if (!wait_for(fd, path, wait_ms, cancellable, error)) {
		close(fd);
		return NULL;
	}
	write_holder(fd, what);
	lock = g_new0(RigLock, 1);
	lock->fd = fd;
	return lock;
}

void rig_lock_release(RigLock *lock)
{
	if (!lock)
		return;
	if (ftruncate(lock->fd, 0) < 0)
		g_debug("a lock keeps its old text: %s", g_strerror(errno));
	/* Not left to close(): a child between fork and exec may have the description, too. */
	flock(lock->fd, LOCK_UN);
	close(lock->fd);
	g_free(lock);
}

char *rig_lock_holder(const char *path)
{
	g_autofree char *holder = NULL;
	guint64 pid;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return NULL;
	if (flock(fd, LOCK_SH | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		holder = read_holder(fd, &pid);
	close(fd);
	return g_steal_pointer(&holder);
}
