/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-scan.h - the check that a text must pass before json-glib sees it. For json.c only.
 */
#pragma once

#include <glib.h>

#define RIG_JSON_DEPTH_MAX 64

/* TRUE if TEXT (LENGTH bytes) is one JSON value by RFC 8259, with no key twice in an object, no
 * deeper than RIG_JSON_DEPTH_MAX, without NUL in strings, and with numbers that gint64 or double
 * can hold. Else RIG_ERROR_USAGE "NAME: line N: ...". */
gboolean rig_json_scan(const char *name, const char *text, gsize length,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
