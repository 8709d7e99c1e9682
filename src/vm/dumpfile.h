/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dumpfile.h - the file of a memory dump, as QEMU writes it and as readers want it.
 */
#pragma once

#include <gio/gio.h>

/* What came out. */
typedef enum {
	RIG_DUMPFILE_NONE, /* neither of the two */
	RIG_DUMPFILE_KDUMP,
	RIG_DUMPFILE_ELF,
} RigDumpfileKind;

/* By the first bytes of PATH. */
RigDumpfileKind rig_dumpfile_kind(const char *path);

/* Make TO of FROM. libvirt has QEMU write kdump in a form for pipes ("flattened": pieces with their
 * offsets), which not every reader takes: the pieces are put in place. A file in another form is
 * renamed. FROM is gone afterwards, and TO is there, whole and on the disk, or not at all. MAX:
 * bytes; a piece that lies beyond is RIG_ERROR_LOST (FROM was written by a process that the guest
 * may have taken over), as is a file that is no dump. */
gboolean rig_dumpfile_settle(const char *from, const char *to, guint64 max,
			     GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
