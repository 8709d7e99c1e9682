/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * untar.h - a folder out of an archive that a guest has written.
 */
#pragma once

#include <gio/gio.h>

/* Called for each member that is left out, with its name as it came, not made safe. */
typedef void (*RigUntarLeft)(const char *name, const char *why, gpointer data);

/* Unpack the tar archive in FD, from its present place on, below the folder DIR, which is there.
 * ONLY: the one entry of DIR that the archive may touch (with all below it), or NULL: any.
 *
 * The archive is not trusted. Nothing outside of DIR/ONLY is written, linked to or followed,
 * whatever the names, links and hard links in it say and whatever links an earlier copy has left
 * there. Files are ours, by our umask, without bits that lend rights. Left out, and told by LEFT:
 * devices, pipes, sockets, and links that lead out of ONLY. RIG_ERROR_LOST: a member that does not
 * lie below ONLY, or a broken archive; what came before it stays. */
gboolean rig_untar(int fd, const char *dir, const char *only, RigUntarLeft left, gpointer data,
		   GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
