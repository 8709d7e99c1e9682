/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-place.c - is a guest of class A where it was put on the host? Asked when it is up, and
 * before and after each run.
 */
#include "vm/guest-private.h"

#include "vm/qemuplace.h"

/* Nobody could look, so nobody may rely on it: it counts as not bound. */
static void give_up_class(RigGuest *guest, const char *why)
{
	g_autofree char *text = g_strdup_printf("class B: %s", why);

	guest->state->class = 'B';
	rig_guest_state_note(guest->state, "guest.class", "B");
	rig_guest_state_note(guest->state, "placement.read_back", text);
}

gboolean rig_guest_check_place(RigGuest *guest, GError **error)
{
	RigGuestState *state = guest->state;
	const char *json = g_hash_table_lookup(state->manifest, "placement");
	g_autoptr(RigHostPlace) place = NULL;
	g_autoptr(GError) reason = NULL;
	g_autofree char *summary = NULL;
	gboolean read;

	if (state->class != 'A' || !json)
		return TRUE;
	place = rig_hostplace_parse(json, error);
	if (!place)
		return FALSE;
	if (rig_qemuplace_check("/proc", (pid_t)state->pid, place, &read, &summary, &reason)) {
		rig_guest_state_note(state, "placement.read_back", summary);
		return TRUE;
	}
	if (!read && rig_guest_state_alive(state)) {
		give_up_class(guest, reason->message);
		return TRUE;
	}
	g_propagate_prefixed_error(error, g_steal_pointer(&reason),
				   "guest %s is not where it was put: ", state->name);
	return FALSE;
}
