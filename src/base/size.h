/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * size.h - sizes in bytes with their units.
 */
#pragma once

#include <glib.h>

/* "256G", "2 MiB", "1536M", "4096B": binary units K M G T with or without iB or B after them. A
 * number without a unit is an error, as is an overflow, a sign or a fraction that is no whole byte
 * count
 * ("1.5G" is right). */
gboolean rig_size_parse(const char *text, guint64 *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The shortest exact text with the largest unit: "256G", "1536M", "1000B". g_free. */
char *rig_size_format(guint64 bytes);
