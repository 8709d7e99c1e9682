/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-private.h - what the files that make up guest.h share.
 */
#pragma once

#include "base/lock.h"
#include "vm/agent.h"
#include "vm/console.h"
#include "vm/guest-state.h"
#include "vm/virt.h"

/* What emulation may be slower by before a deadline made for real machines counts. */
#define RIG_GUEST_TCG_SCALE 4.0

struct RigGuest {
	RigGuestState *state;
	RigLock *lock;
	RigAgent *agent;     /* NULL: diskless */
	RigTopology *shape;  /* what it must be, while it was not read back; NULL: opened later */
	RigConsole *console; /* looked at during every wait */
	GCancellable *cancellable;
	RigGuestContext context; /* with that cancellable */
	gint64 checked;		 /* when QEMU's process was last looked at */
	char *virt_root;	 /* of the embedded driver, for QEMU's log */
	gboolean crashed;	 /* QEMU ended by a failed assertion of its own */
	gboolean silent;	 /* its agent never answered */
};

/* All words for the kernel of SPEC: rig's own, those of its boot set, the user's. g_free. */
char *rig_guest_cmdline(const RigGuestSpec *spec);

/* Take the lock of the guest in DIR, for WHAT. */
RigLock *rig_guest_lock(const char *dir, const char *what,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A guest over STATE and LOCK (both taken), not connected yet. FROM_END: what the console said
 * before does not count. */
RigGuest *rig_guest_new(const RigGuestContext *context, RigGuestState *state, RigLock *lock,
			gboolean from_end);

/* Connect to the agent and begin a session; waits for both until DEADLINE. */
gboolean rig_guest_connect(RigGuest *guest, gint64 deadline,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Silence after which it hangs. The agent sends a heartbeat every 5 s. */
int rig_guest_silence_ms(const RigGuest *guest);

/* FALSE with PANIC or LOST when the console or QEMU's process say that the guest is over. A
 * RigChannelWatch; DATA is the guest. */
gboolean rig_guest_watch(gpointer data, GError **error);

/* ERROR as it is, or what the console makes of it: a channel that was closed by a panic is a panic.
 * Adds the console's last lines and LOG, the path where the rest is. Where the guest was started to
 * be dumped and has panicked or hangs, its memory is written to a file first. */
void rig_guest_explain(RigGuest *guest, const char *log, GError **error);

/* Write the memory of a guest that broke with error CODE to rig_guest_dump_path(), once, where it
 * was started to be dumped. TRUE if that was done. A failure is warned of, and may have ended the
 * guest.
 */
gboolean rig_guest_dump_broken(RigGuest *guest, int code);

/* For a guest of class A: FALSE with RIG_ERROR_HOST when its memory or a thread is not where the
 * placement put it (model/hostplace.h). What was seen is noted in the manifest; a QEMU that may not
 * be looked at makes the guest class B. */
gboolean rig_guest_check_place(RigGuest *guest, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Remove the domain of STATE and its process, whatever is there of them. */
gboolean rig_guest_destroy(const RigGuestContext *context, const RigGuestState *state,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
