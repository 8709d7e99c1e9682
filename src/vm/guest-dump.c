/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-dump.c - what a guest's memory held when it broke, kept in a file.
 *
 * Both steps write below the guest's folder, which goes with the guest; only a whole dump is
 * renamed out of it. So whatever ends rig, no half of a dump stays.
 */
#include "vm/guest-private.h"

#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "vm/dumpfile.h"

#define VIRT_WAIT_MS 120000
#define MIB (1024 * 1024)
/* What a dump leaves free, for the record that is to be written after it. */
#define LEAVE_FREE (G_GUINT64_CONSTANT(256) * MIB)
/* A dump that does not grow for so long is given up. */
#define STILL_US (60 * G_USEC_PER_SEC)
/* A kernel that panics goes on to say why: until this line, or silence, or for so long. */
#define PANIC_END "---[ end Kernel panic"
#define QUIET_US (1 * G_USEC_PER_SEC)
#define WAIT_US (5 * G_USEC_PER_SEC)
#define END_LINES 4

char *rig_guest_dump_path(const RigPaths *paths, const char *name)
{
	g_autofree char *file = g_strdup_printf("%s.vmcore", name);

	return g_build_filename(paths->state, "last-failure", file, NULL);
}

/* A dump under way. */
typedef struct {
	char *raw, *whole; /* as QEMU writes it, and as it is kept; both go with the guest */
	guint64 max;
	guint64 size; /* of RAW when it was last looked at */
	gint64 grown; /* when it was last seen to grow */
} Dump;

static guint64 size_of(const char *path)
{
	struct stat info;

	return stat(path, &info) < 0 ? 0 : (guint64)info.st_size;
}

/* Room for MORE bytes beside PATH. */
static gboolean check_room(const char *path, guint64 more, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(path);
	struct statvfs info;

	if (statvfs(dir, &info) < 0 || (guint64)info.f_bavail * info.f_frsize > LEAVE_FREE + more)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST, "make room there, or set RIG_STATE_DIR",
			   "%s: a memory dump leaves %d MiB of the disk free, and there is no more",
			   dir, (int)(LEAVE_FREE / MIB));
	return FALSE;
}

/* A RigVirtTick: a dump that fills the disk or stands still is given up. */
static gboolean look_after(gpointer data, GError **error)
{
	Dump *dump = data;
	guint64 size = size_of(dump->raw);
	gint64 now = g_get_monotonic_time();

	if (size != dump->size)
		dump->grown = now;
	dump->size = size;
	if (size > dump->max)
		rig_error_set(error, RIG_ERROR_LOST,
			      "the memory dump is larger than the guest's memory");
	else if (now - dump->grown > STILL_US)
		rig_error_set(error, RIG_ERROR_HOST, "the memory dump stands still");
	else
		return check_room(dump->raw, 0, error);
	return FALSE;
}

static void wait_for_console(const RigGuestState *state)
{
	g_autofree char *console = rig_guest_state_file(state, "console.log");
	gint64 begin = g_get_monotonic_time(), changed = begin, now = begin;
	guint64 size = 0;

	while (now - begin < WAIT_US && now - changed < QUIET_US) {
		g_autofree char *tail = rig_console_tail(console, END_LINES);
		guint64 before = size;

		if (strstr(tail, PANIC_END))
			return;
		g_usleep(50000);
		now = g_get_monotonic_time();
		size = size_of(console);
		if (size != before)
			changed = now;
	}
}

static gboolean write_raw(const RigGuestContext *context, const RigGuestState *state, Dump *dump,
			  GError **error)
{
	g_autoptr(RigVirt) virt = NULL;

	if (!check_room(dump->raw, 0, error))
		return FALSE;
	virt = rig_virt_open(state->uri, context->paths->state, VIRT_WAIT_MS, context->cancellable,
			     error);
	dump->grown = g_get_monotonic_time();
	return virt && rig_virt_dump(virt, state->name, dump->raw, look_after, dump, error);
}

/* One that is in pieces is written once more. */
static gboolean check_room_for_whole(const Dump *dump, GError **error)
{
	gboolean in_pieces = rig_dumpfile_kind(dump->raw) == RIG_DUMPFILE_NONE;

	return check_room(dump->raw, in_pieces ? size_of(dump->raw) : 0, error);
}

static gboolean make(const RigGuestContext *context, const RigGuestState *state, Dump *dump,
		     const char *kept, GError **error)
{
	g_autofree char *dir = g_path_get_dirname(kept);

	if (!write_raw(context, state, dump, error) || !check_room_for_whole(dump, error) ||
	    !rig_dumpfile_settle(dump->raw, dump->whole, dump->max, context->cancellable, error) ||
	    !rig_file_make_dirs(dir, 0755, error))
		return FALSE;
	if (rename(dump->whole, kept) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "rename", kept);
	return FALSE;
}

static gboolean dump_state(const RigGuestContext *context, RigGuestState *state, GError **error)
{
	g_autofree char *kept = rig_guest_dump_path(context->paths, state->name);
	Dump dump = {
		.raw = rig_guest_state_file(state, "vmcore.raw"),
		.whole = rig_guest_state_file(state, "vmcore"),
		/* Pages that do not compress are stored as they are, each with its description. */
		.max = state->memory + state->memory / 8 + 64 * MIB,
	};
	g_autoptr(GError) left = NULL;
	gboolean ok;

	rig_log_status(context->log, "%s: writing its memory to a file", state->name);
	wait_for_console(state);
	ok = make(context, state, &dump, kept, error);
	rig_log_status_clear(context->log);
	/* A dump that was given up would be written on; the guest is of no use any more. */
	if (!ok && access(dump.raw, F_OK) == 0) {
		RigGuestContext always = *context;

		always.cancellable = NULL;
		if (!rig_guest_destroy(&always, state, &left))
			rig_log_warn(context->log, "%s", left->message);
	}
	(void)unlink(dump.raw);
	(void)unlink(dump.whole);
	g_free(dump.raw);
	g_free(dump.whole);
	return ok;
}

gboolean rig_guest_dump(const RigGuestContext *context, const char *name, GError **error)
{
	g_autofree char *dir = rig_guest_state_dir(context->paths, name);
	g_autoptr(RigGuestState) state = NULL;
	g_autoptr(RigLock) lock = NULL;

	if (!rig_file_check_name("guest name", name, error))
		return FALSE;
	lock = rig_guest_lock(dir, "writing the guest's memory to a file", error);
	state = lock ? rig_guest_state_load(dir, error) : NULL;
	if (!state)
		return FALSE;
	if (rig_guest_state_alive(state))
		return dump_state(context, state, error);
	rig_error_set(error, RIG_ERROR_LOST, "guest \"%s\" is gone: it has no memory to dump",
		      name);
	return FALSE;
}

gboolean rig_guest_dump_broken(RigGuest *guest, int code)
{
	RigGuestState *state = guest->state;
	g_autoptr(GError) reason = NULL;

	if (!state->dump || state->dumped || !rig_guest_state_alive(state) ||
	    (code != RIG_ERROR_PANIC && code != RIG_ERROR_HANG && !guest->silent))
		return FALSE;
	/* Said in guest.json too, so that the next rig that meets it does not do it again. */
	state->dumped = dump_state(&guest->context, state, &reason);
	if (!state->dumped || !rig_guest_state_save(state, &reason))
		rig_log_warn(guest->context.log, "guest %s: no memory dump: %s", state->name,
			     reason->message);
	return state->dumped;
}

char *rig_guest_dumped(const RigGuest *guest)
{
	return guest->state->dumped ? rig_guest_dump_path(guest->context.paths, guest->state->name)
				    : NULL;
}
