/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - a strict reader and a small writer over json-glib.
 *
 * Reading: getters never fail at once; the first thing that is wrong is remembered with file and
 * path, and rig_json_finish() reports it. Every key must be consumed: what a reader did not ask
 * for is an error there, so a misspelt key cannot be ignored. So a parser is a straight list of
 * getters and one check at its end.
 */
#pragma once

#include <glib.h>

typedef struct RigJson RigJson; /* one value; owned by its root, do not free children */

typedef enum {
	RIG_JSON_OPTIONAL = 0,
	RIG_JSON_REQUIRED = 1 << 0,
} RigJsonFlags;

/* Read a file of at most MAX bytes (0: 1 MiB). NAME of errors is the path. Free the root with
 * rig_json_free(). Duplicate keys, trailing text, invalid UTF-8 and nesting above 64 are errors
 * (RIG_ERROR_USAGE). */
RigJson *rig_json_load(const char *path, gsize max, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The same from memory; LENGTH -1: NUL terminated. NAME stands for the file in messages. */
RigJson *rig_json_parse(const char *name, const char *text, gssize length,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_json_free(RigJson *root);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigJson, rig_json_free)

/* Getters on an object. A missing optional key gives NULL, 0, the fallback. Strings are owned by
 * the root; copy what you keep. OBJECT may be NULL (then everything is missing). */
const char *rig_json_string(RigJson *object, const char *key, RigJsonFlags flags);
gint64 rig_json_int(RigJson *object, const char *key, RigJsonFlags flags, gint64 min, gint64 max,
		    gint64 fallback);
double rig_json_double(RigJson *object, const char *key, RigJsonFlags flags, double fallback);
gboolean rig_json_bool(RigJson *object, const char *key, RigJsonFlags flags, gboolean fallback);
/* A size: a string with a unit ("256G", "2 MiB"), see size.h. */
guint64 rig_json_size(RigJson *object, const char *key, RigJsonFlags flags, guint64 fallback);
/* The index of the string's value in WORDS (NULL terminated); anything else is an error that lists
 * them. Missing: FALLBACK. */
int rig_json_choice(RigJson *object, const char *key, RigJsonFlags flags, const char *const *words,
		    int fallback);
RigJson *rig_json_object(RigJson *object, const char *key, RigJsonFlags flags);
RigJson *rig_json_array(RigJson *object, const char *key, RigJsonFlags flags);
/* A list of strings, newly allocated (g_strfreev); NULL when missing. */
char **rig_json_strings(RigJson *object, const char *key, RigJsonFlags flags);
gboolean rig_json_has(RigJson *object, const char *key);
/* The value of KEY whatever its type, for objects whose values may be of several; NULL when missing
 * or null. */
RigJson *rig_json_member(RigJson *object, const char *key);
/* Mark a key as known without reading it. */
void rig_json_ignore(RigJson *object, const char *key);

/* The keys of an object in file order, for objects whose keys are data (g_strfreev). */
char **rig_json_keys(RigJson *object);
/* EACH for all members of OBJECT in file order; one that is no number is an error. For objects of
 * thousands, which are read many times faster this way than key by key. NAME is EACH's for the
 * moment. OBJECT may be NULL. */
typedef void (*RigJsonNumberFn)(const char *name, double value, gpointer data);
void rig_json_numbers(RigJson *object, RigJsonNumberFn each, gpointer data);
guint rig_json_length(RigJson *array);
/* Element I of an array; a getter with key NULL reads the value itself:
 * rig_json_int(rig_json_at(a, 0), NULL, ...). */
RigJson *rig_json_at(RigJson *array, guint i);
gboolean rig_json_is_object(RigJson *value);
gboolean rig_json_is_array(RigJson *value);
gboolean rig_json_is_string(RigJson *value);
gboolean rig_json_is_number(RigJson *value);

/* Where VALUE stands, "topologies/x.json: cells[1].memory", for own messages (g_free). */
char *rig_json_where(RigJson *value, const char *key);
/* Record an own error at VALUE.KEY ("FILE: PATH: MESSAGE"); the first one recorded wins. */
void rig_json_fail(RigJson *value, const char *key, const char *format, ...) G_GNUC_PRINTF(3, 4);
/* TRUE while nothing went wrong (to stop a long parse early). */
gboolean rig_json_ok(RigJson *value);

/* FALSE with the first error, or with the first key that nobody asked for in any object that was
 * entered. Code RIG_ERROR_USAGE. */
gboolean rig_json_finish(RigJson *root, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Writer. KEY is NULL inside arrays and at the root. Numbers that are not finite become null. */
typedef struct RigJsonWriter RigJsonWriter;
RigJsonWriter *rig_json_writer_new(void);
void rig_json_writer_free(RigJsonWriter *writer);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigJsonWriter, rig_json_writer_free)
void rig_json_open_object(RigJsonWriter *writer, const char *key);
void rig_json_close_object(RigJsonWriter *writer);
void rig_json_open_array(RigJsonWriter *writer, const char *key);
void rig_json_close_array(RigJsonWriter *writer);
void rig_json_add_string(RigJsonWriter *writer, const char *key,
			 const char *value); /* NULL: null */
void rig_json_add_int(RigJsonWriter *writer, const char *key, gint64 value);
void rig_json_add_double(RigJsonWriter *writer, const char *key, double value);
void rig_json_add_bool(RigJsonWriter *writer, const char *key, gboolean value);
void rig_json_add_strings(RigJsonWriter *writer, const char *key, const char *const *values);
/* The text: indented with a final newline, or on one line without one (PRETTY FALSE). g_free. */
char *rig_json_writer_text(RigJsonWriter *writer, gboolean pretty);
