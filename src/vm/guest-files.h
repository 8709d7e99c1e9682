/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-files.h - the files in a guest's folder that QEMU uses, and who owns them.
 */
#pragma once

#include "vm/guest-state.h"
#include "vm/virt.h"
#include "vm/virtroot.h"

typedef struct {
	char *overlay; /* qcow2 over the boot set's disk; NULL: diskless */
	char *initrd;  /* the boot set's, or with the job behind it; NULL: none */
	char *console, *socket, *debugcon; /* the last two: one of them is NULL */
	RigQemuUser user;
} RigGuestFiles;

void rig_guest_files_clear(RigGuestFiles *files);

/* Refuse what cannot work before anything is made: socket paths that are too long, a connection to
 * another host, the system's libvirt for a user who cannot hand files over to it. */
gboolean rig_guest_files_check_paths(const RigGuestContext *context, const RigGuestState *state,
				     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make the throw-away overlay, and for a diskless guest the initramfs with its job. */
gboolean rig_guest_files_make(RigGuestFiles *files, const RigGuestState *state,
			      const RigGuestSpec *spec, GCancellable *cancellable,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Who runs QEMU: by the connection, and for the system's libvirt by DAC_LABEL of its capabilities.
 */
gboolean rig_guest_files_set_user(RigGuestFiles *files, RigVirt *virt, const char *dac_label,
				  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Give folder and files to that user, and check that he can get at all that QEMU opens. */
gboolean rig_guest_files_hand_over(const RigGuestFiles *files, const RigBootset *bootset,
				   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* After the start: libvirt makes the agent's socket with rights by its own rules, and only we are
 * to talk with the agent. */
gboolean rig_guest_files_close_socket(const RigGuestFiles *files,
				      GError **error) G_GNUC_WARN_UNUSED_RESULT;
