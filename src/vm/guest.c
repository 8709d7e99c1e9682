/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest.c - a guest that this process talks with: connecting and asking. What became of it is told
 * by guest-fate.c.
 */
#include "vm/guest-private.h"

#include <fcntl.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"

/* A guest whose agent says nothing at all for this long hangs, where no other limit was given. */
#define SILENCE_KVM_MS 30000
#define SILENCE_TCG_MS 60000
#define CONNECT_AGAIN_US 50000
#define HELLO_MS 15000

RigLock *rig_guest_lock(const char *dir, const char *what, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "lock", NULL);

	return rig_lock_take(path, what, 0, NULL, error);
}

RigGuest *rig_guest_new(const RigGuestContext *context, RigGuestState *state, RigLock *lock,
			gboolean from_end)
{
	RigGuest *guest = g_new0(RigGuest, 1);
	g_autofree char *console = rig_guest_state_file(state, "console.log");

	guest->state = state;
	guest->lock = lock;
	guest->virt_root = g_build_filename(context->paths->state, "libvirt", NULL);
	guest->console = rig_console_new(console, from_end, 0);
	g_set_object(&guest->cancellable, context->cancellable);
	guest->context = *context;
	return guest;
}

void rig_guest_close(RigGuest *guest)
{
	if (!guest)
		return;
	rig_agent_free(guest->agent);
	rig_topology_free(guest->shape);
	rig_console_free(guest->console);
	rig_lock_release(guest->lock);
	g_free(guest->virt_root);
	rig_guest_state_free(guest->state);
	g_clear_object(&guest->cancellable);
	g_free(guest);
}

/* What the guest says of itself. */

GHashTable *rig_guest_manifest(const RigGuest *guest)
{
	return g_hash_table_ref(guest->state->manifest);
}

const RigReadback *rig_guest_readback(const RigGuest *guest)
{
	return &guest->state->readback;
}

const char *rig_guest_name(const RigGuest *guest)
{
	return guest->state->name;
}

const char *rig_guest_dir(const RigGuest *guest)
{
	return guest->state->dir;
}

char *rig_guest_console_path(const RigGuest *guest)
{
	return rig_guest_state_file(guest->state, "console.log");
}

char *rig_guest_domain_xml(const RigGuest *guest)
{
	g_autofree char *path = rig_guest_state_file(guest->state, "domain.xml");

	return rig_file_read_own(path, 4 * 1024 * 1024, NULL, NULL);
}

char rig_guest_class(const RigGuest *guest)
{
	return guest->state->class;
}

static gboolean is_emulated(const RigGuest *guest)
{
	return g_strcmp0(guest->state->accel, "tcg") == 0;
}

double rig_guest_time_scale(const RigGuest *guest)
{
	return is_emulated(guest) ? RIG_GUEST_TCG_SCALE : 1;
}

int rig_guest_silence_ms(const RigGuest *guest)
{
	if (guest->context.hang_s > 0)
		return guest->context.hang_s * 1000;
	return is_emulated(guest) ? SILENCE_TCG_MS : SILENCE_KVM_MS;
}

/* Talking. */

static RigChannel *wait_channel(RigGuest *guest, gint64 deadline, GError **error)
{
	g_autofree char *path = rig_guest_state_file(guest->state, "agent.sock");

	for (;;) {
		g_autoptr(GError) reason = NULL;
		RigChannel *channel = rig_channel_connect(path, &reason);

		if (channel)
			return channel;
		if (g_get_monotonic_time() > deadline || reason->code != RIG_ERROR_LOST) {
			g_propagate_error(error, g_steal_pointer(&reason));
			return NULL;
		}
		if (g_cancellable_is_cancelled(guest->cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
			return NULL;
		}
		if (!rig_guest_watch(guest, error))
			return NULL;
		g_usleep(CONNECT_AGAIN_US);
	}
}

gboolean rig_guest_connect(RigGuest *guest, gint64 deadline, GError **error)
{
	RigChannel *channel = wait_channel(guest, deadline, error);

	if (!channel)
		return FALSE;
	rig_channel_set_watch(channel, rig_guest_watch, guest);
	guest->agent = rig_agent_new(channel, rig_guest_silence_ms(guest), guest->cancellable);
	return rig_agent_hello(guest->agent, deadline, error);
}

/* TRUE, with the error, while a rig that lives is about to make it ready. */
static gboolean is_booting(const char *dir, const char *name, GError **error)
{
	g_autofree char *lock = g_build_filename(dir, "lock", NULL);
	g_autofree char *holder = rig_lock_holder(lock);

	if (!holder)
		return FALSE;
	rig_error_set_hint(error, RIG_ERROR_HOST, "rig ps shows when it is up",
			   "guest \"%s\" is not up yet: %s", name, holder);
	return TRUE;
}

/* The state of a guest that is up and ready; RIG_ERROR_USAGE otherwise. */
static RigGuestState *find_ready(const RigGuestContext *context, const char *name, GError **error)
{
	g_autofree char *dir = rig_guest_state_dir(context->paths, name);
	g_autoptr(RigGuestState) state = NULL;

	if (!rig_file_check_name("guest name", name, error))
		return NULL;
	if (!rig_guest_state_is_there(dir)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig ps", "there is no guest \"%s\"",
				   name);
		return NULL;
	}
	state = rig_guest_state_load(dir, error);
	if (!state)
		return NULL;
	if (!state->ready && is_booting(dir, name, error))
		return NULL;
	if (!state->ready || !rig_guest_state_alive(state)) {
		g_autofree char *hint = g_strdup_printf("rig down %s", name);

		rig_error_set_hint(error, RIG_ERROR_LOST, hint,
				   "guest \"%s\" is not running any more", name);
		return NULL;
	}
	return g_steal_pointer(&state);
}

/* Connect to a guest that was up before: if it does not answer now, it hangs. */
static gboolean connect_again(RigGuest *guest, GError **error)
{
	int ms = guest->context.hang_s > 0 ? guest->context.hang_s * 1000
					   : (int)(HELLO_MS * rig_guest_time_scale(guest));
	g_autoptr(GError) reason = NULL;

	if (rig_guest_connect(guest, g_get_monotonic_time() + (gint64)ms * 1000, &reason))
		return TRUE;
	if (g_error_matches(reason, RIG_ERROR, RIG_ERROR_TIMEOUT))
		rig_error_set(error, RIG_ERROR_HANG, "its agent did not answer within %d s",
			      ms / 1000);
	else
		g_propagate_error(error, g_steal_pointer(&reason));
	return FALSE;
}

RigGuest *rig_guest_open(const RigGuestContext *context, const char *name, GError **error)
{
	g_autoptr(RigGuestState) state = find_ready(context, name, error);
	g_autoptr(RigGuest) guest = NULL;
	RigLock *lock;

	if (!state)
		return NULL;
	if (state->output_only) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "guest \"%s\" is diskless: it has no channel to talk over", name);
		return NULL;
	}
	lock = rig_guest_lock(state->dir, "talking with the guest", error);
	if (!lock) {
		g_prefix_error(error, "guest \"%s\" is busy: ", name);
		return NULL;
	}
	guest = rig_guest_new(context, g_steal_pointer(&state), lock, FALSE);
	if (!connect_again(guest, error)) {
		g_autofree char *hint = g_strdup_printf("rig console %s; rig down %s", name, name);

		rig_guest_explain(guest, hint, error);
		g_prefix_error(error, "guest \"%s\": ", name);
		return NULL;
	}
	return g_steal_pointer(&guest);
}

/* An answer, though not the one that was hoped for: the guest lives, its console tells nothing. */
static gboolean is_answer(const GError *error)
{
	return error->code == RIG_ERROR_FAILED || error->code == RIG_ERROR_USAGE ||
	       error->code == RIG_ERROR_HOST || error->code == RIG_ERROR_NO_PROGRAM ||
	       error->code == RIG_ERROR_NOT_EXECUTABLE;
}

/* Every failure of a request goes through here. */
static gboolean explained(RigGuest *guest, gboolean ok, GError **error)
{
	g_autofree char *path = NULL;
	g_autofree char *hint = NULL;

	if (ok || !error || !*error || is_answer(*error))
		return ok;
	path = rig_guest_console_path(guest);
	hint = g_strdup_printf("the whole console is in %s", path);
	rig_guest_explain(guest, hint, error);
	/* One that stays has a name that somebody chose. */
	if (!guest->state->ephemeral)
		g_prefix_error(error, "guest \"%s\": ", guest->state->name);
	return FALSE;
}

RigRawRun *rig_guest_run(RigGuest *guest, const char *job, int timeout_ms, RigGuestPhaseFn phase,
			 gpointer data, GError **error)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	double scale = rig_guest_time_scale(guest);
	/* The agent keeps the job's own time limit; this one is for an agent that does not, and
	 * leaves it time to send what it has. */
	gint64 deadline = timeout_ms <= 0 ? 0
					  : g_get_monotonic_time() +
						    (gint64)((timeout_ms + 30000) * scale) * 1000;

	if (!rig_guest_check_place(guest, error) ||
	    !explained(guest, rig_agent_run(guest->agent, job, run, deadline, phase, data, error),
		       error))
		return NULL;
	if (!rig_guest_check_place(guest, error)) {
		g_prefix_error(error, "after the run: ");
		return NULL;
	}
	return g_steal_pointer(&run);
}

gboolean rig_guest_exec(RigGuest *guest, const char *const *argv, int in_fd, int out_fd, int err_fd,
			int *code, GError **error)
{
	return explained(guest,
			 rig_agent_exec(guest->agent, argv, in_fd, out_fd, err_fd, code, error),
			 error);
}

gboolean rig_guest_put(RigGuest *guest, const char *host_path, const char *guest_path,
		       GError **error)
{
	int fd = open(host_path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	gboolean ok;

	if (fd < 0 || fstat(fd, &info) < 0) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errno, "open", host_path);
		if (fd >= 0)
			close(fd);
		return FALSE;
	}
	if (S_ISDIR(info.st_mode)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "rig cp -r", "%s is a folder",
				   host_path);
		close(fd);
		return FALSE;
	}
	ok = rig_agent_put(guest->agent, fd, guest_path, (int)(info.st_mode & 07777), error);
	close(fd);
	return explained(guest, ok, error);
}

gboolean rig_guest_get(RigGuest *guest, const char *guest_path, const char *host_path,
		       GError **error)
{
	g_autofree char *temporary = g_strdup_printf("%s.rig-%d", host_path, (int)getpid());
	int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int mode = 0644;
	gboolean ok;

	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_USAGE, errno, "create", host_path);
		return FALSE;
	}
	ok = explained(guest, rig_agent_get(guest->agent, guest_path, fd, &mode, error), error);
	/* Bits that lend rights are a guest's to set only in the guest. */
	if (ok && (fchmod(fd, (mode_t)(mode & 0777)) < 0 || fsync(fd) < 0 ||
		   rename(temporary, host_path) < 0)) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "write", host_path);
		ok = FALSE;
	}
	close(fd);
	if (!ok)
		(void)unlink(temporary);
	return ok;
}
