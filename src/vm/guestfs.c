/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guestfs.c - the only file that knows libguestfs.
 *
 * libguestfs has no deadline and most of its calls cannot be cancelled. So a thread watches the
 * clock and the cancellable, and ends the appliance's QEMU, after which every call fails soon.
 */
#include "vm/guestfs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "vm/appliance.h"

#include <errno.h>
#include <guestfs.h>
#include <signal.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define DEADLINE_S 300
/* What an emulated appliance on a busy host unpacks at the very least. */
#define UNPACK_BYTES_S (1024 * 1024)
#define MEMORY_MIB 512
/* The most that one write of the appliance may want. */
#define ROOM_MIN (16 * 1024 * 1024)
/* What a stopped QEMU may use of a CPU within a second, in hundredths, and for how many seconds. */
#define IDLE_TICKS 3
#define IDLE_LOOKS 3
#define CONSOLE_KEPT 8192
#define CONSOLE_LINES 5

typedef enum { RUNNING, OUT_OF_TIME, CANCELLED, DISK_FULL } Ending;

typedef struct {
	const RigGuestfs *guestfs;
	guestfs_h *handle;
	GString *console; /* the end of what the appliance's kernel said */
	guint deadline_s;
	GThread *thread;
	GMutex mutex;
	GCond cond;
	gboolean done;
	Ending ending;
} Watch;

/* Our child whose command line names our scratch folder is the appliance. libguestfs tells its
 * process number only after the launch, and the launch is what may hang. */
static gboolean is_appliance(int pid, const char *scratch, guint64 *ticks)
{
	g_autofree char *stat_path = g_strdup_printf("/proc/%d/stat", pid);
	g_autofree char *cmd_path = g_strdup_printf("/proc/%d/cmdline", pid);
	g_autofree char *stat_text = rig_file_read(stat_path, 4096, NULL, NULL);
	g_autofree char *cmd = NULL;
	const char *state = stat_text ? strrchr(stat_text, ')') : NULL;
	guint64 user = 0, kernel = 0;
	gsize length = 0;
	int parent;

	if (!state ||
	    sscanf(state,
		   ") %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %" G_GUINT64_FORMAT
		   " %" G_GUINT64_FORMAT,
		   &parent, &user, &kernel) != 3 ||
	    parent != getpid())
		return FALSE;
	*ticks += user + kernel;
	cmd = rig_file_read(cmd_path, 1024 * 1024, &length, NULL);
	return cmd && memmem(cmd, length, scratch, strlen(scratch));
}

/* The CPU time that it has used so far; 0 if there is none. With SIGNO it gets that. */
static guint64 find_appliance(const char *scratch, int signo)
{
	g_autoptr(GDir) proc = g_dir_open("/proc", 0, NULL);
	guint64 all = 0;
	const char *name;

	while (proc && (name = g_dir_read_name(proc))) {
		int pid = g_ascii_isdigit(name[0]) ? atoi(name) : 0;
		guint64 ticks = 0;

		if (pid <= 0 || !is_appliance(pid, scratch, &ticks))
			continue;
		all += ticks;
		if (signo)
			kill(pid, signo);
	}
	return all;
}

static void wake(GCancellable *cancellable, gpointer data)
{
	Watch *watch = data;

	g_mutex_lock(&watch->mutex);
	g_cond_signal(&watch->cond);
	g_mutex_unlock(&watch->mutex);
}

static gboolean is_full(const char *scratch)
{
	struct statvfs disk;

	return statvfs(scratch, &disk) == 0 &&
	       (guint64)(geteuid() ? disk.f_bavail : disk.f_bfree) * disk.f_frsize < ROOM_MIN;
}

/* On a full disk QEMU stops its guest without a word and waits for room. So it is full when the
 * appliance does nothing any more, look after look. */
typedef struct {
	guint64 ticks;
	guint idle;
} Progress;

static Ending look(const RigGuestfs *guestfs, gint64 deadline, Progress *progress)
{
	guint64 ticks = find_appliance(guestfs->scratch, 0);

	if (ticks && ticks - progress->ticks < IDLE_TICKS && is_full(guestfs->scratch))
		progress->idle++;
	else
		progress->idle = 0;
	progress->ticks = ticks;
	if (g_cancellable_is_cancelled(guestfs->cancellable))
		return CANCELLED;
	if (g_get_monotonic_time() >= deadline)
		return OUT_OF_TIME;
	return progress->idle >= IDLE_LOOKS ? DISK_FULL : RUNNING;
}

/* Once it has to end, it is killed again and again: the launch may be about to start the next
 * process. */
static gpointer watch_thread(gpointer data)
{
	Watch *watch = data;
	gint64 deadline = g_get_monotonic_time() + watch->deadline_s * G_TIME_SPAN_SECOND;
	Progress progress = {0};

	g_mutex_lock(&watch->mutex);
	while (!watch->done) {
		gint64 next = g_get_monotonic_time() + G_TIME_SPAN_SECOND;

		if (watch->ending == RUNNING)
			watch->ending = look(watch->guestfs, deadline, &progress);
		if (watch->ending != RUNNING) {
			find_appliance(watch->guestfs->scratch, SIGKILL);
			next = g_get_monotonic_time() + 100 * G_TIME_SPAN_MILLISECOND;
		}
		g_cond_wait_until(&watch->cond, &watch->mutex, next);
	}
	g_mutex_unlock(&watch->mutex);
	return NULL;
}

static void on_event(guestfs_h *handle, void *opaque, uint64_t event, int event_handle, int flags,
		     const char *text, size_t length, const uint64_t *array, size_t array_length)
{
	Watch *watch = opaque;

	if (event == GUESTFS_EVENT_TRACE) {
		rig_log_verbose(watch->guestfs->log, "libguestfs: %.*s", (int)length, text);
		return;
	}
	g_string_append_len(watch->console, text, length);
	if (watch->console->len > CONSOLE_KEPT)
		g_string_erase(watch->console, 0, watch->console->len - CONSOLE_KEPT);
}

/* The last call's error as ours. Always FALSE. */
static gboolean failed(Watch *watch, const char *what, GError **error)
{
	const char *why = guestfs_last_error(watch->handle);
	g_autofree char *safe = rig_text_safe(why ? why : "unknown error", -1);
	g_autofree char *console = rig_text_safe(watch->console->str, watch->console->len);
	Ending ending;

	g_mutex_lock(&watch->mutex);
	ending = watch->ending;
	g_mutex_unlock(&watch->mutex);
	if (ending == CANCELLED || g_cancellable_is_cancelled(watch->guestfs->cancellable))
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted: %s", what);
	else if (ending == DISK_FULL || is_full(watch->guestfs->scratch))
		rig_error_set_errno(error, RIG_ERROR_HOST, ENOSPC, what, watch->guestfs->scratch);
	else if (ending == OUT_OF_TIME)
		rig_error_set(error, RIG_ERROR_TIMEOUT,
			      "%s: libguestfs did not end within %u s\n%s", what, watch->deadline_s,
			      rig_text_last_lines(console, CONSOLE_LINES));
	else
		rig_error_set_hint(error, RIG_ERROR_HOST,
				   "try it again with -v; \"rig doctor\" checks libguestfs",
				   "%s: libguestfs: %s%s%s", what, safe, console[0] ? "\n" : "",
				   rig_text_last_lines(console, CONSOLE_LINES));
	return FALSE;
}

static gboolean set_up(Watch *watch, GError **error)
{
	const RigGuestfs *guestfs = watch->guestfs;
	guestfs_h *g = watch->handle;
	g_autofree char *appliance = rig_appliance_get(guestfs->paths, guestfs_get_path(g),
						       guestfs->log, guestfs->cancellable, error);

	if (!appliance)
		return FALSE;
	guestfs_set_error_handler(g, NULL, NULL);
	guestfs_set_event_callback(g, on_event, GUESTFS_EVENT_TRACE | GUESTFS_EVENT_APPLIANCE, 0,
				   watch);
	guestfs_set_trace(g, 1);
	guestfs_set_autosync(g, 0); /* unmounting does it */
	if (guestfs_set_backend(g, "direct") < 0 ||
	    (!guestfs->kvm && guestfs_set_backend_setting(g, "force_tcg", "1") < 0) ||
	    guestfs_set_path(g, appliance) < 0 || guestfs_set_tmpdir(g, guestfs->scratch) < 0 ||
	    guestfs_set_cachedir(g, guestfs->scratch) < 0 ||
	    guestfs_set_memsize(g, MEMORY_MIB) < 0 || guestfs_set_pgroup(g, 1) < 0)
		return failed(watch, "setting it up", error);
	return TRUE;
}

static gboolean add_disk(Watch *watch, const RigGuestfsDisk *disk, GError **error)
{
	guestfs_h *g = watch->handle;
	int made;

	if (disk->backing)
		made = guestfs_disk_create(g, disk->path, "qcow2", -1,
					   GUESTFS_DISK_CREATE_BACKINGFILE, disk->backing,
					   GUESTFS_DISK_CREATE_BACKINGFORMAT, "qcow2", -1);
	else
		made = guestfs_disk_create(g, disk->path, "qcow2", disk->size, -1);
	/* Nobody needs half a disk, so the host's cache may keep all until the end. */
	if (made < 0 ||
	    guestfs_add_drive_opts(g, disk->path, GUESTFS_ADD_DRIVE_OPTS_FORMAT, "qcow2",
				   GUESTFS_ADD_DRIVE_OPTS_CACHEMODE, "unsafe", -1) < 0)
		return failed(watch, disk->path, error);
	return TRUE;
}

static gboolean fill_disk(Watch *watch, const RigGuestfsDisk *disk, const char *device,
			  GError **error)
{
	guestfs_h *g = watch->handle;

	if (!disk->backing &&
	    guestfs_mkfs_opts(g, "ext4", device, GUESTFS_MKFS_OPTS_FEATURES,
			      "^has_journal,^metadata_csum,^uninit_bg,^huge_file", -1) < 0)
		return failed(watch, "making a file system", error);
	if (guestfs_mount_options(g, "noatime", device, "/") < 0 ||
	    (disk->base && guestfs_tar_in(g, disk->base, "/") < 0) ||
	    guestfs_tar_in(g, disk->tar, "/") < 0 || guestfs_umount(g, "/") < 0)
		return failed(watch, "filling a disk", error);
	return TRUE;
}

static gboolean fill_all(Watch *watch, const RigGuestfsDisk *disks, guint n, GError **error)
{
	g_auto(GStrv) devices = guestfs_list_devices(watch->handle);

	if (!devices || g_strv_length(devices) != n)
		return failed(watch, "listing the disks", error);
	for (guint i = 0; i < n; i++) {
		rig_log_status(watch->guestfs->log, "filling disk %u of %u", i + 1, n);
		if (!fill_disk(watch, &disks[i], devices[i], error))
			return FALSE;
	}
	return TRUE;
}

static gboolean run(Watch *watch, const RigGuestfsDisk *disks, guint n, GError **error)
{
	if (!set_up(watch, error))
		return FALSE;
	for (guint i = 0; i < n; i++)
		if (!add_disk(watch, &disks[i], error))
			return FALSE;
	rig_log_status(watch->guestfs->log, "starting libguestfs' appliance");
	if (guestfs_launch(watch->handle) < 0)
		return failed(watch, "starting the appliance", error);
	if (!fill_all(watch, disks, n, error))
		return FALSE;
	if (guestfs_shutdown(watch->handle) < 0)
		return failed(watch, "ending the appliance", error);
	return TRUE;
}

static guint deadline_s(const RigGuestfsDisk *disks, guint n)
{
	guint64 bytes = 0;

	for (guint i = 0; i < n; i++)
		bytes += disks[i].base ? rig_file_tree_bytes(disks[i].base) : 0;
	return DEADLINE_S + (guint)(bytes / UNPACK_BYTES_S);
}

static gulong start_watch(Watch *watch)
{
	GCancellable *cancellable = watch->guestfs->cancellable;

	watch->console = g_string_new(NULL);
	g_mutex_init(&watch->mutex);
	g_cond_init(&watch->cond);
	watch->thread = g_thread_new("guestfs-watch", watch_thread, watch);
	return cancellable ? g_cancellable_connect(cancellable, G_CALLBACK(wake), watch, NULL) : 0;
}

static void stop_watch(Watch *watch, gulong connection)
{
	g_cancellable_disconnect(watch->guestfs->cancellable, connection);
	g_mutex_lock(&watch->mutex);
	watch->done = TRUE;
	g_cond_signal(&watch->cond);
	g_mutex_unlock(&watch->mutex);
	g_thread_join(watch->thread);
	g_mutex_clear(&watch->mutex);
	g_cond_clear(&watch->cond);
}

gboolean rig_guestfs_write(const RigGuestfs *guestfs, const RigGuestfsDisk *disks, guint n,
			   GError **error)
{
	Watch watch = {.guestfs = guestfs, .deadline_s = deadline_s(disks, n)};
	gulong connection;
	gboolean good;

	watch.handle = guestfs_create_flags(GUESTFS_CREATE_NO_CLOSE_ON_EXIT);
	if (!watch.handle) {
		rig_error_set(error, RIG_ERROR_HOST, "libguestfs cannot be started");
		return FALSE;
	}
	connection = start_watch(&watch);
	good = run(&watch, disks, n, error);
	guestfs_close(watch.handle);
	stop_watch(&watch, connection);
	g_string_free(watch.console, TRUE);
	rig_log_status_clear(guestfs->log);
	return good;
}

char *rig_guestfs_version(void)
{
	guestfs_h *g = guestfs_create();
	struct guestfs_version *version = g ? guestfs_version(g) : NULL;
	char *text = NULL;

	if (version)
		text = g_strdup_printf("%" G_GINT64_FORMAT ".%" G_GINT64_FORMAT
				       ".%" G_GINT64_FORMAT,
				       version->major, version->minor, version->release);
	guestfs_free_version(version);
	if (g)
		guestfs_close(g);
	return text;
}
