/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json-scan.h - the check that a text must pass before json-glib sees it. For json.c only.
 */
#pragma once

#include "base/json.h"

#define RIG_JSON_DEPTH_MAX 64
#define RIG_JSON_INT_SAFE 18 /* so many characters are a gint64 */
/* Bytes from which an object of numbers is worth to be read apart. */
#define RIG_JSON_SLICE_MIN 1024

/* An object in the text, from its "{" until behind its "}": one of numbers only, with plain keys in
 * ascending order, below the root and of some length; or an empty one. */
typedef struct {
	gsize start, end;
	gboolean empty;
} RigJsonSlice;

/* TRUE if TEXT (LENGTH bytes) is one JSON value by RFC 8259, with no key twice in an object, no
 * deeper than RIG_JSON_DEPTH_MAX, without NUL in strings, and with numbers that gint64 or double
 * can hold; SLICES (g_array_unref) are its RigJsonSlice in the order of the text, none if all would
 * be empty. Else RIG_ERROR_USAGE "NAME: line N: ...". */
gboolean rig_json_scan(const char *name, const char *text, gsize length, GArray **slices,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TEXT with "{}" in the place of each slice. g_free. */
char *rig_json_cut(const char *text, gsize length, const GArray *slices);
/* The numbers of a slice that is not empty (NUL-terminated text). */
void rig_json_slice_numbers(const char *slice, RigJsonNumberFn each, gpointer data);
