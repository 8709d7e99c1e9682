/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * raw.c - collects the messages of one run, without understanding the texts that they carry.
 *
 * The guest is not trusted. Every message is checked against the order that docs/protocol.md gives,
 * and both payload and the number of objects are bounded, so a babbling guest costs at most some
 * 150 MiB before its run is given up. Writing to disk and back is in rawfiles.c.
 */
#include "model/raw.h"

#include "base/error.h"
#include "base/text.h"
#include "proto.h"

#include <string.h>

/* The agent stops sampling at RIG_RUN_BYTES_MAX, but the last mark, the events, the outputs and the
 * kernel's log still follow. */
#define BYTES_MAX (RIG_RUN_BYTES_MAX + 16 * 1024 * 1024)

/* What an object is taken to cost beside its payload, and what all of them may cost. */
#define OBJECT_COST 64
#define OVERHEAD_MAX RIG_RUN_BYTES_MAX

#define PATH_LENGTH_MAX 1024
#define PHASE_LENGTH_MAX 64

RigRawRun *rig_raw_run_new(void)
{
	RigRawRun *run = g_new0(RigRawRun, 1);

	run->files = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_file_free);
	run->snaps = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_snap_free);
	run->events = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_event_free);
	run->out = g_string_new(NULL);
	run->err = g_string_new(NULL);
	run->kmsg = g_string_new(NULL);
	run->code = -1;
	return run;
}

void rig_raw_file_free(RigRawFile *file)
{
	if (!file)
		return;
	g_free(file->path);
	g_free(file->text);
	g_free(file);
}

void rig_raw_snap_free(RigRawSnap *snap)
{
	if (!snap)
		return;
	g_free(snap->phase);
	g_ptr_array_unref(snap->files);
	g_free(snap);
}

void rig_raw_event_free(RigRawEvent *event)
{
	if (!event)
		return;
	g_free(event->line);
	g_free(event);
}

void rig_raw_run_free(RigRawRun *run)
{
	if (!run)
		return;
	/* NULL where a caller has taken it. */
	g_clear_pointer(&run->files, g_ptr_array_unref);
	g_ptr_array_unref(run->snaps);
	g_ptr_array_unref(run->events);
	g_string_free(run->out, TRUE);
	g_string_free(run->err, TRUE);
	g_string_free(run->kmsg, TRUE);
	if (run->open_text)
		g_string_free(run->open_text, TRUE);
	g_free(run->phase);
	g_free(run);
}

const RigRawFile *rig_raw_find(const GPtrArray *files, const char *path, gint64 task)
{
	for (guint i = 0; i < files->len; i++) {
		const RigRawFile *file = g_ptr_array_index(files, i);

		if (file->task == task && g_str_equal(file->path, path))
			return file;
	}
	return NULL;
}

static gboolean broken(GError **error, const char *what)
{
	rig_error_set(error, RIG_ERROR_LOST, "the agent broke the protocol: %s", what);
	return FALSE;
}

/* Account for one object with NAME and PAYLOAD bytes. */
static gboolean charge(RigRawRun *run, const char *name, gsize payload, GError **error)
{
	run->bytes += payload;
	run->overhead += OBJECT_COST + (name ? strlen(name) : 0);
	if (run->bytes > BYTES_MAX || run->overhead > OVERHEAD_MAX)
		return broken(error, "the run sent more than it may");
	return TRUE;
}

/* A getter's complaint about MESSAGE, as an error of the channel. */
static gboolean check_message(RigJson *message, GError **error)
{
	g_autoptr(GError) reason = NULL;

	if (rig_json_ok(message))
		return TRUE;
	if (!rig_json_finish(message, &reason))
		return broken(error, reason->message);
	return broken(error, "a message of a wrong form");
}

/* Base64 of KEY, decoded. NULL with ERROR. Control over inner NUL bytes is the caller's. */
static guchar *take_payload(RigJson *message, gsize *length, GError **error)
{
	const char *text = rig_json_string(message, "data", RIG_JSON_REQUIRED);
	guchar *data;

	*length = 0;
	if (!check_message(message, error))
		return NULL;
	data = g_base64_decode(text, length);
	if (*length > RIG_CHUNK_MAX) {
		broken(error, "a chunk is too long");
		g_free(data);
		return NULL;
	}
	/* g_base64_decode() has NULL for nothing. */
	return data ? data : (guchar *)g_strdup("");
}

/* The text of snapshots is handled as C strings; a NUL in it would hide what follows. */
static void hide_nuls(guchar *data, gsize length)
{
	for (gsize i = 0; i < length; i++)
		if (!data[i])
			data[i] = '?';
}

/* A phase's name as one safe line. */
static char *safe_phase(const char *phase)
{
	return g_strdelimit(rig_text_safe(phase ? phase : "", -1), "\n\t", ' ');
}

static gboolean feed_phase(RigRawRun *run, RigJson *message, GError **error)
{
	const char *phase = rig_json_string(message, "phase", RIG_JSON_REQUIRED);

	if (!check_message(message, error))
		return FALSE;
	if (strlen(phase) > PHASE_LENGTH_MAX)
		return broken(error, "a phase has too long a name");
	g_free(run->phase);
	run->phase = safe_phase(phase);
	return TRUE;
}

static gboolean feed_snap(RigRawRun *run, RigJson *message, GError **error)
{
	static const char *const kinds[] = {"mark", "sample", NULL};
	gint64 index = rig_json_int(message, "snap", RIG_JSON_REQUIRED, 0, G_MAXINT32, 0);
	int kind = rig_json_choice(message, "kind", RIG_JSON_REQUIRED, kinds, 0);
	const char *phase = rig_json_string(message, "phase", RIG_JSON_OPTIONAL);
	gint64 t_ns = rig_json_int(message, "t_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	RigRawSnap *previous = NULL;
	RigRawSnap *snap;

	if (!check_message(message, error))
		return FALSE;
	if (run->snaps->len)
		previous = g_ptr_array_index(run->snaps, run->snaps->len - 1);
	if ((guint64)index != run->snaps->len || (previous && t_ns < previous->t_ns))
		return broken(error, "snapshots are out of order");
	if (phase && strlen(phase) > PHASE_LENGTH_MAX)
		return broken(error, "a phase has too long a name");
	if (!charge(run, phase, 0, error))
		return FALSE;
	snap = g_new0(RigRawSnap, 1);
	snap->index = (guint)index;
	snap->mark = kind == 0;
	snap->phase = safe_phase(phase);
	snap->t_ns = t_ns;
	snap->files = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_file_free);
	g_ptr_array_add(run->snaps, snap);
	return TRUE;
}

/* Where the files of snapshot INDEX go (-1: read-back). NULL if that snapshot is not the current
 * one. */
static GPtrArray *files_of_snap(RigRawRun *run, gint64 index)
{
	RigRawSnap *snap;

	if (index < 0)
		return run->files;
	if (!run->snaps->len || (guint64)index != run->snaps->len - 1)
		return NULL;
	snap = g_ptr_array_index(run->snaps, run->snaps->len - 1);
	return snap->files;
}

static RigRawFile *open_file(RigRawRun *run, GPtrArray *files, const char *path, gint64 task)
{
	RigRawFile *file = g_new0(RigRawFile, 1);

	file->path = rig_text_safe(path, -1);
	file->task = task;
	file->text = g_strdup("");
	g_ptr_array_add(files, file);
	run->open = file;
	run->open_text = g_string_new(NULL);
	return file;
}

static void close_file(RigRawRun *run)
{
	g_free(run->open->text);
	run->open->length = run->open_text->len;
	run->open->text = g_string_free(run->open_text, FALSE);
	run->open_text = NULL;
	run->open = NULL;
}

/* The file that a chunk belongs to: the one that is open, or a new one. */
static RigRawFile *file_for_chunk(RigRawRun *run, RigJson *message, const char *path,
				  GError **error)
{
	gint64 index = rig_json_int(message, "snap", RIG_JSON_OPTIONAL, 0, G_MAXINT32, -1);
	gint64 task = rig_json_int(message, "task", RIG_JSON_OPTIONAL, 0, G_MAXINT32, -1);
	GPtrArray *files = files_of_snap(run, index);

	if (!check_message(message, error))
		return NULL;
	if (!files || strlen(path) > PATH_LENGTH_MAX || !*path) {
		broken(error, "a file of no snapshot, or without a fit path");
		return NULL;
	}
	if (!run->open)
		return charge(run, path, 0, error) ? open_file(run, files, path, task) : NULL;
	if (run->open->task != task || !g_str_equal(run->open->path, path) || !files->len ||
	    g_ptr_array_index(files, files->len - 1) != run->open) {
		broken(error, "a file began before another ended");
		return NULL;
	}
	return run->open;
}

static gboolean feed_file(RigRawRun *run, RigJson *message, const char *path, GError **error)
{
	gboolean more = rig_json_bool(message, "more", RIG_JSON_OPTIONAL, FALSE);
	gboolean cut = rig_json_bool(message, "cut", RIG_JSON_OPTIONAL, FALSE);
	g_autofree guchar *data = NULL;
	RigRawFile *file;
	gsize length;

	data = take_payload(message, &length, error);
	file = data ? file_for_chunk(run, message, path, error) : NULL;
	if (!file || !charge(run, NULL, length, error))
		return FALSE;
	if (run->open_text->len + length > RIG_FILE_MAX)
		return broken(error, "a file is too long");
	hide_nuls(data, length);
	g_string_append_len(run->open_text, (char *)data, (gssize)length);
	file->cut = file->cut || cut;
	if (!more)
		close_file(run);
	return TRUE;
}

static gboolean feed_stream(RigRawRun *run, RigJson *message, GError **error)
{
	static const char *const names[] = {"out", "err", "kmsg", NULL};
	GString *streams[] = {run->out, run->err, run->kmsg};
	int which = rig_json_choice(message, "stream", RIG_JSON_REQUIRED, names, 0);
	g_autofree guchar *data = NULL;
	gsize length;

	data = take_payload(message, &length, error);
	if (!data || !charge(run, NULL, length, error))
		return FALSE;
	if (which != 2 && streams[which]->len + length > RIG_OUTPUT_MAX)
		return broken(error, "an output is too long");
	hide_nuls(data, length);
	g_string_append_len(streams[which], (char *)data, (gssize)length);
	return TRUE;
}

static gboolean feed_data(RigRawRun *run, RigJson *message, GError **error)
{
	const char *path = rig_json_string(message, "path", RIG_JSON_OPTIONAL);

	if (!check_message(message, error))
		return FALSE;
	if (path)
		return feed_file(run, message, path, error);
	if (run->open)
		return broken(error, "a stream began before a file ended");
	return feed_stream(run, message, error);
}

static gboolean feed_event(RigRawRun *run, RigJson *message, GError **error)
{
	gint64 t_ns = rig_json_int(message, "t_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	g_autofree guchar *data = NULL;
	RigRawEvent *event;
	gsize length;

	data = take_payload(message, &length, error);
	if (!data || !charge(run, NULL, length, error))
		return FALSE;
	if (length > RIG_CONTROL_LINE_MAX)
		return broken(error, "a control line is too long");
	event = g_new0(RigRawEvent, 1);
	event->t_ns = t_ns;
	event->line = rig_text_safe((char *)data, (gssize)length);
	g_strdelimit(g_strchomp(event->line), "\n", ' ');
	g_ptr_array_add(run->events, event);
	return TRUE;
}

static gboolean feed_done(RigRawRun *run, RigJson *message, GError **error)
{
	gint64 snaps = rig_json_int(message, "snaps", RIG_JSON_REQUIRED, 0, G_MAXINT32, 0);
	gint64 events = rig_json_int(message, "events", RIG_JSON_REQUIRED, 0, G_MAXINT32, 0);

	run->code = (int)rig_json_int(message, "code", RIG_JSON_OPTIONAL, 0, 255, -1);
	run->signal = (int)rig_json_int(message, "signal", RIG_JSON_OPTIONAL, 1, 255, 0);
	run->timeout = rig_json_bool(message, "timeout", RIG_JSON_OPTIONAL, FALSE);
	run->full = rig_json_bool(message, "full", RIG_JSON_OPTIONAL, FALSE);
	run->start_ns = rig_json_int(message, "start_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	run->end_ns = rig_json_int(message, "end_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	run->agent_cpu_ns =
		rig_json_int(message, "agent_cpu_ns", RIG_JSON_OPTIONAL, 0, G_MAXINT64, 0);
	if (!check_message(message, error))
		return FALSE;
	if (run->open || snaps != run->snaps->len || events != run->events->len)
		return broken(error, "the run ended before all of it had come");
	if (run->code < 0 && !run->signal && !run->timeout)
		return broken(error, "the run ended without saying how");
	if (run->end_ns < run->start_ns)
		return broken(error, "the run ended before it began");
	run->done = TRUE;
	return TRUE;
}

gboolean rig_raw_run_feed(RigRawRun *run, RigJson *message, GError **error)
{
	static const struct {
		const char *type;
		gboolean (*feed)(RigRawRun *, RigJson *, GError **);
	} types[] = {
		{"phase", feed_phase}, {"snap", feed_snap}, {"data", feed_data},
		{"event", feed_event}, {"done", feed_done},
	};
	const char *type = rig_json_string(message, "type", RIG_JSON_REQUIRED);

	if (!check_message(message, error))
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(types); i++) {
		if (!g_str_equal(type, types[i].type))
			continue;
		if (run->done)
			return broken(error, "the run went on after its end");
		if (run->open && !g_str_equal(type, "data") && !g_str_equal(type, "phase"))
			return broken(error, "a file did not end");
		return types[i].feed(run, message, error);
	}
	return TRUE;
}
