/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-state.h - what a guest's folder says of it: guest.json.
 *
 * Written before the domain exists and again when it is ready, so that whoever finds the folder
 * knows whom it belonged to and what to look for.
 */
#pragma once

#include "vm/guest.h"

typedef struct {
	char *name, *dir;
	char *uri;	       /* NULL: embedded */
	char *uuid;	       /* of the domain, NULL before it is started */
	gint64 domain_id, pid; /* of the domain and its QEMU; 0 before */
	gint64 owner;	       /* process that made it */
	gint64 started;	       /* seconds since the epoch */
	gboolean ephemeral, ready;
	gboolean dump;	      /* it stays at a panic, and its memory is wanted */
	gboolean dumped;      /* that was done */
	guint64 memory;	      /* bytes */
	gboolean output_only; /* started with its job: it has no channel to ask it over */
	char *topology, *fit, *kernel, *image, *accel;
	char class;
	GHashTable *manifest; /* char* -> char* */
	RigReadback readback;
} RigGuestState;

RigGuestState *rig_guest_state_new(void);
void rig_guest_state_free(RigGuestState *state);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigGuestState, rig_guest_state_free)

/* <state>/guests, and a guest's folder in it (g_free). */
char *rig_guest_state_root(const RigPaths *paths);
char *rig_guest_state_dir(const RigPaths *paths, const char *name);
/* TRUE if DIR is a folder, and no symbolic link to one: rig makes no such link, so what is behind
 * it is not rig's. */
gboolean rig_guest_state_is_there(const char *dir);

gboolean rig_guest_state_save(const RigGuestState *state, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* From DIR/guest.json. A folder whose guest.json is missing or broken was left by a rig that died
 * early: the caller gets an error and still has the folder. */
RigGuestState *rig_guest_state_load(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* A file in the guest's folder (g_free). */
char *rig_guest_state_file(const RigGuestState *state, const char *name);
/* Add to the manifest; a NULL value is left out. */
void rig_guest_state_note(RigGuestState *state, const char *key, const char *value);
/* TRUE while its QEMU runs. */
gboolean rig_guest_state_alive(const RigGuestState *state);
