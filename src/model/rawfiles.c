/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rawfiles.c - a run's raw text as a folder of files that people can read, and back.
 *
 * index.json is what the way back goes by; names of folders and files are for people. Files are not
 * synced one by one: a run has some hundred of them, and the record that they belong to is renamed
 * into place only when all were written.
 */
#include "model/raw.h"

#include "base/error.h"
#include "base/file.h"
#include "proto.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define RAW_VERSION 1
#define INDEX_MAX (256 * 1024 * 1024)
#define NAME_MAX_LENGTH 100

/* The longest single file: the kernel log has no bound but that of the whole run. */
#define BYTES_READ_MAX (2 * (gsize)RIG_RUN_BYTES_MAX)

static gboolean write_file(const char *path, const char *data, gsize length, GError **error)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	gsize done = 0;

	while (fd >= 0 && done < length) {
		gssize n = write(fd, data + done, length - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		done += (gsize)n;
	}
	if (fd >= 0 && done == length && close(fd) == 0)
		return TRUE;
	rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot write", path);
	if (fd >= 0 && done < length)
		close(fd);
	return FALSE;
}

/* "/proc/vmstat" -> "proc_vmstat": one component, no surprises. */
static char *name_for(const char *path)
{
	g_autoptr(GString) name = g_string_new(NULL);

	for (const char *c = path; *c && name->len < NAME_MAX_LENGTH; c++) {
		gboolean plain = g_ascii_isalnum(*c) || (strchr("._-", *c) && name->len);

		if (plain)
			g_string_append_c(name, *c);
		else if (name->len)
			g_string_append_c(name, '_');
	}
	if (!name->len)
		g_string_append(name, "file");
	return g_string_free(g_steal_pointer(&name), FALSE);
}

/* One save under way: where, the index, and the names already given out. */
typedef struct {
	const char *dir;
	RigJsonWriter *index;
	GHashTable *used;
} Saver;

static char *unused_name(Saver *saver, const char *folder, const RigRawFile *file)
{
	g_autofree char *base = name_for(file->path);
	g_autofree char *first = NULL;
	char *name;

	if (file->task < 0)
		first = g_strdup_printf("%s/%s", folder, base);
	else
		first = g_strdup_printf("%s/task-%" G_GINT64_FORMAT "/%s", folder, file->task,
					base);
	name = g_strdup(first);
	for (guint n = 2; g_hash_table_contains(saver->used, name); n++) {
		g_free(name);
		name = g_strdup_printf("%s.%u", first, n);
	}
	g_hash_table_add(saver->used, g_strdup(name));
	return name;
}

static gboolean save_file(Saver *saver, const char *folder, const RigRawFile *file, GError **error)
{
	g_autofree char *name = unused_name(saver, folder, file);
	g_autofree char *path = g_build_filename(saver->dir, name, NULL);
	g_autofree char *parent = g_path_get_dirname(path);

	rig_json_open_object(saver->index, NULL);
	rig_json_add_string(saver->index, "path", file->path);
	if (file->task >= 0)
		rig_json_add_int(saver->index, "task", file->task);
	rig_json_add_string(saver->index, "file", name);
	if (file->cut)
		rig_json_add_bool(saver->index, "cut", TRUE);
	rig_json_close_object(saver->index);
	return rig_file_make_dirs(parent, 0755, error) &&
	       write_file(path, file->text, file->length, error);
}

static gboolean save_files(Saver *saver, const char *folder, const GPtrArray *files, GError **error)
{
	rig_json_open_array(saver->index, "files");
	for (guint i = 0; i < files->len; i++)
		if (!save_file(saver, folder, g_ptr_array_index(files, i), error))
			return FALSE;
	rig_json_close_array(saver->index);
	return TRUE;
}

static gboolean save_snap(Saver *saver, const RigRawSnap *snap, GError **error)
{
	g_autofree char *phase = name_for(snap->phase);
	g_autofree char *folder = g_strdup_printf("snaps/%03u-%s-%s", snap->index,
						  snap->mark ? "mark" : "sample", phase);

	rig_json_open_object(saver->index, NULL);
	rig_json_add_string(saver->index, "kind", snap->mark ? "mark" : "sample");
	rig_json_add_string(saver->index, "phase", snap->phase);
	rig_json_add_int(saver->index, "t_ns", snap->t_ns);
	if (!save_files(saver, folder, snap->files, error))
		return FALSE;
	rig_json_close_object(saver->index);
	return TRUE;
}

static gboolean save_events(const RigRawRun *run, const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "events.jsonl", NULL);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < run->events->len; i++) {
		const RigRawEvent *event = g_ptr_array_index(run->events, i);
		g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
		g_autofree char *line = NULL;

		rig_json_open_object(writer, NULL);
		rig_json_add_int(writer, "t_ns", event->t_ns);
		rig_json_add_string(writer, "line", event->line);
		rig_json_close_object(writer);
		line = rig_json_writer_text(writer, FALSE);
		g_string_append_printf(text, "%s\n", line);
	}
	return write_file(path, text->str, text->len, error);
}

static gboolean save_stream(const GString *stream, const char *dir, const char *name,
			    GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	return write_file(path, stream->str, stream->len, error);
}

static void save_head(RigJsonWriter *index, const RigRawRun *run)
{
	rig_json_add_int(index, "version", RAW_VERSION);
	rig_json_add_bool(index, "done", run->done);
	if (run->code >= 0)
		rig_json_add_int(index, "code", run->code);
	if (run->signal)
		rig_json_add_int(index, "signal", run->signal);
	rig_json_add_bool(index, "timeout", run->timeout);
	rig_json_add_bool(index, "full", run->full);
	rig_json_add_int(index, "start_ns", run->start_ns);
	rig_json_add_int(index, "end_ns", run->end_ns);
	rig_json_add_int(index, "agent_cpu_ns", run->agent_cpu_ns);
	rig_json_add_int(index, "bytes", (gint64)run->bytes);
}

static gboolean save_index(Saver *saver, const RigRawRun *run, GError **error)
{
	g_autofree char *path = g_build_filename(saver->dir, "index.json", NULL);
	g_autofree char *text = NULL;

	rig_json_open_object(saver->index, NULL);
	save_head(saver->index, run);
	if (!save_files(saver, "readback", run->files, error))
		return FALSE;
	rig_json_open_array(saver->index, "snaps");
	for (guint i = 0; i < run->snaps->len; i++)
		if (!save_snap(saver, g_ptr_array_index(run->snaps, i), error))
			return FALSE;
	rig_json_close_array(saver->index);
	rig_json_close_object(saver->index);
	text = rig_json_writer_text(saver->index, FALSE);
	return write_file(path, text, strlen(text), error);
}

gboolean rig_raw_run_save(const RigRawRun *run, const char *dir, GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(GHashTable) used = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	Saver saver = {.dir = dir, .index = writer, .used = used};

	return rig_file_make_dirs(dir, 0755, error) && save_index(&saver, run, error) &&
	       save_events(run, dir, error) && save_stream(run->out, dir, "stdout", error) &&
	       save_stream(run->err, dir, "stderr", error) &&
	       save_stream(run->kmsg, dir, "kmsg", error);
}

/* Reading back. */

/* TRUE if NAME stays below the folder that it is meant from. */
static gboolean stays_below(const char *name)
{
	g_auto(GStrv) parts = g_strsplit(name, "/", -1);

	return !g_path_is_absolute(name) && !g_strv_contains((const char *const *)parts, "..");
}

/* Read the file NAME of DIR; names that lead out of DIR are refused. */
static char *read_below(const char *dir, const char *name, gsize *length, GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	if (!stays_below(name)) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s/index.json: file '%s' lies elsewhere",
			      dir, name);
		return NULL;
	}
	return rig_file_read(path, BYTES_READ_MAX, length, error);
}

static gboolean load_files(const char *dir, RigJson *list, GPtrArray *files, GError **error)
{
	for (guint i = 0; i < rig_json_length(list); i++) {
		RigJson *entry = rig_json_at(list, i);
		const char *path = rig_json_string(entry, "path", RIG_JSON_REQUIRED);
		const char *name = rig_json_string(entry, "file", RIG_JSON_REQUIRED);
		RigRawFile *file;

		if (!path || !name)
			return TRUE; /* rig_json_finish() tells */
		file = g_new0(RigRawFile, 1);
		file->path = g_strdup(path);
		file->task = rig_json_int(entry, "task", RIG_JSON_OPTIONAL, 0, G_MAXINT32, -1);
		file->cut = rig_json_bool(entry, "cut", RIG_JSON_OPTIONAL, FALSE);
		g_ptr_array_add(files, file);
		file->text = read_below(dir, name, &file->length, error);
		if (!file->text)
			return FALSE;
	}
	return TRUE;
}

static gboolean load_snaps(const char *dir, RigJson *list, GPtrArray *snaps, GError **error)
{
	static const char *const kinds[] = {"mark", "sample", NULL};

	for (guint i = 0; i < rig_json_length(list); i++) {
		RigJson *entry = rig_json_at(list, i);
		const char *phase = rig_json_string(entry, "phase", RIG_JSON_REQUIRED);
		RigRawSnap *snap = g_new0(RigRawSnap, 1);

		snap->index = i;
		snap->mark = rig_json_choice(entry, "kind", RIG_JSON_REQUIRED, kinds, 0) == 0;
		snap->phase = g_strdup(phase ? phase : "");
		snap->t_ns = rig_json_int(entry, "t_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
		snap->files = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_file_free);
		g_ptr_array_add(snaps, snap);
		if (!load_files(dir, rig_json_array(entry, "files", RIG_JSON_REQUIRED), snap->files,
				error))
			return FALSE;
	}
	return TRUE;
}

static gboolean load_head(RigRawRun *run, RigJson *index)
{
	rig_json_int(index, "version", RIG_JSON_REQUIRED, RAW_VERSION, RAW_VERSION, 0);
	run->done = rig_json_bool(index, "done", RIG_JSON_REQUIRED, FALSE);
	run->code = (int)rig_json_int(index, "code", RIG_JSON_OPTIONAL, 0, 255, -1);
	run->signal = (int)rig_json_int(index, "signal", RIG_JSON_OPTIONAL, 1, 255, 0);
	run->timeout = rig_json_bool(index, "timeout", RIG_JSON_REQUIRED, FALSE);
	run->full = rig_json_bool(index, "full", RIG_JSON_REQUIRED, FALSE);
	run->start_ns = rig_json_int(index, "start_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	run->end_ns = rig_json_int(index, "end_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	run->agent_cpu_ns =
		rig_json_int(index, "agent_cpu_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	run->bytes = (gsize)rig_json_int(index, "bytes", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	return rig_json_ok(index);
}

static gboolean load_event(RigRawRun *run, const char *path, const char *text, GError **error)
{
	g_autoptr(RigJson) root = rig_json_parse(path, text, -1, error);
	RigRawEvent *event;

	if (!root)
		return FALSE;
	event = g_new0(RigRawEvent, 1);
	event->t_ns = rig_json_int(root, "t_ns", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	event->line = g_strdup(rig_json_string(root, "line", RIG_JSON_REQUIRED));
	g_ptr_array_add(run->events, event);
	return rig_json_finish(root, error);
}

static gboolean load_events(RigRawRun *run, const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "events.jsonl", NULL);
	g_autofree char *text = rig_file_read(path, INDEX_MAX, NULL, error);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	if (!lines)
		return FALSE;
	for (guint i = 0; lines[i]; i++)
		if (*lines[i] && !load_event(run, path, lines[i], error))
			return FALSE;
	return TRUE;
}

static gboolean load_stream(GString *stream, const char *dir, const char *name, GError **error)
{
	gsize length;
	g_autofree char *text = read_below(dir, name, &length, error);

	if (!text)
		return FALSE;
	g_string_append_len(stream, text, (gssize)length);
	return TRUE;
}

RigRawRun *rig_raw_run_load(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "index.json", NULL);
	g_autoptr(RigJson) index = rig_json_load(path, INDEX_MAX, error);
	g_autoptr(RigRawRun) run = rig_raw_run_new();

	if (!index)
		return NULL;
	if (load_head(run, index)) {
		RigJson *files = rig_json_array(index, "files", RIG_JSON_REQUIRED);
		RigJson *snaps = rig_json_array(index, "snaps", RIG_JSON_REQUIRED);

		if (!load_files(dir, files, run->files, error) ||
		    !load_snaps(dir, snaps, run->snaps, error))
			return NULL;
	}
	if (!rig_json_finish(index, error) || !load_events(run, dir, error) ||
	    !load_stream(run->out, dir, "stdout", error) ||
	    !load_stream(run->err, dir, "stderr", error) ||
	    !load_stream(run->kmsg, dir, "kmsg", error))
		return NULL;
	return g_steal_pointer(&run);
}
