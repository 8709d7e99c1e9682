/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ksource-private.h - what the files of ksource share.
 */
#pragma once

#include "vm/ksource.h"
#include "vm/package.h"

/* A digest over names, sizes and times of all files below DIR. g_free. */
char *rig_ksource_fingerprint(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What the tree in DIR was made from, NULL if there is none. g_free. */
char *rig_ksource_read_text(const char *dir);
gboolean rig_ksource_write_text(const char *dir, const RigKsource *source,
				GError **error) G_GNUC_WARN_UNUSED_RESULT;
