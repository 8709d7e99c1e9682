/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virtroot.h - the root folder of libvirt's embedded driver, and the user that QEMU runs as.
 */
#pragma once

#include <glib.h>
#include <sys/types.h>

/* Who runs QEMU for an embedded driver of this process: ourselves, or for root the account that the
 * distribution's libvirt knows. */
typedef struct {
	gboolean other; /* not the user of this process */
	char name[64];
	uid_t uid;
	gid_t gid;
} RigQemuUser;

/* RIG_ERROR_HOST when we are root and the account is missing: the driver does not start then. */
gboolean rig_virtroot_user(RigQemuUser *user, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Make DIR with its etc/qemu.conf for USER. Nothing is written when it is there already. */
gboolean rig_virtroot_prepare(const char *dir, const RigQemuUser *user,
			      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* 0 if USER may open PATH for reading and writing with all the groups of the account, else an
 * errno. Found out by trying: an ACL may say otherwise than the mode. */
int rig_virtroot_try_open(const char *path, const RigQemuUser *user);

/* TRUE if USER may pass through every folder above PATH, and through PATH itself where that is a
 * folder. Else RIG_ERROR_HOST naming the folder that is closed. */
gboolean rig_virtroot_check_path(const char *path, const RigQemuUser *user,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Remove what the driver with root DIR keeps of domain NAME (number ID), whose QEMU is gone, and
 * its log. It would find that out by itself when it next starts, but in the meantime it would hold
 * the name. */
void rig_virtroot_forget(const char *dir, const char *name, gint64 id);

/* What QEMU itself said last in the log that the driver with root DIR keeps of domain NAME ("...:
 * Assertion ... failed"), made safe; NULL if it said nothing. g_free. */
char *rig_virtroot_last_words(const char *dir, const char *name);
