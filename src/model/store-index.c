/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store-index.c - index.jsonl, so that ten thousand records are listed without opening them.
 *
 * It is a copy of what the records say and may be lost at any time: one that is missing, broken or
 * names folders that are gone is made again from the records.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define INDEX_MAX (256 * 1024 * 1024)

static const char *const classes[] = {"A", "B", "C", NULL};

static char *index_path(const char *root)
{
	return g_build_filename(root, "index.jsonl", NULL);
}

void rig_store_entry_free(RigStoreEntry *entry)
{
	if (!entry)
		return;
	g_free(entry->id);
	g_free(entry->dir);
	g_free(entry->workload);
	g_free(entry->params);
	g_free(entry->topology);
	g_free(entry->image);
	g_free(entry->kernel);
	g_free(entry->side);
	g_free(entry->outcome);
	g_free(entry->outcome_text);
	g_free(entry->variant);
	g_free(entry->plan);
	g_free(entry);
}

static GPtrArray *entries_new(void)
{
	return g_ptr_array_new_with_free_func((GDestroyNotify)rig_store_entry_free);
}

/* Variants. */

static gboolean says(GHashTable *manifest, const char *key, const char *word)
{
	return g_strcmp0(g_hash_table_lookup(manifest, key), word) == 0;
}

static void add_word(GString *text, const char *word)
{
	g_string_append_printf(text, "%s%s", text->len ? ", " : "", word);
}

char *rig_store_variant(GHashTable *manifest)
{
	GString *text = g_string_new(NULL);
	const char *cmdline = manifest ? g_hash_table_lookup(manifest, "boot.cmdline") : NULL;

	/* A record without these keys is older than they are, and was plain for all that is known.
	 */
	if (manifest && says(manifest, "boot.fresh", "no"))
		add_word(text, "in a guest that was up");
	if (manifest && says(manifest, "boot.diskless", "yes"))
		add_word(text, "diskless");
	if (cmdline && *cmdline) {
		g_autofree char *words = g_strdup_printf("command line \"%s\"", cmdline);

		add_word(text, words);
	}
	return g_string_free(text, FALSE);
}

/* Lines. */

static const char *plan_of(const RigRecord *record)
{
	const char *plan = g_hash_table_lookup(record->manifest, "plan.id");

	return plan ? plan : "";
}

static RigStoreEntry *entry_of_record(const RigRecord *record, const char *dir)
{
	RigStoreEntry *entry = g_new0(RigStoreEntry, 1);

	entry->id = g_strdup(record->id);
	entry->dir = g_strdup(dir);
	entry->workload = g_strdup(record->workload);
	entry->params = g_strdup(record->params);
	entry->topology = g_strdup(record->topology);
	entry->image = g_strdup(record->image);
	entry->kernel = g_strdup(record->kernel);
	entry->side = g_strdup(record->side);
	entry->outcome = g_strdup(rig_outcome_name(record->outcome));
	entry->outcome_text = g_strdup(record->outcome_text);
	entry->variant = rig_store_variant(record->manifest);
	entry->plan = g_strdup(plan_of(record));
	entry->class = record->class;
	entry->started = record->started;
	entry->duration_s = record->duration_s;
	return entry;
}

/* Folders are written relative to ROOT, so that a store can be moved. */
static char *line_of_entry(const char *root, const RigStoreEntry *entry)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;
	char class[2] = {entry->class, '\0'};

	rig_json_open_object(writer, NULL);
	rig_json_add_string(writer, "id", entry->id);
	rig_json_add_string(writer, "dir", entry->dir + strlen(root) + 1);
	rig_json_add_string(writer, "workload", entry->workload);
	rig_json_add_string(writer, "params", entry->params);
	rig_json_add_string(writer, "topology", entry->topology);
	rig_json_add_string(writer, "image", entry->image);
	rig_json_add_string(writer, "kernel", entry->kernel);
	rig_json_add_string(writer, "side", entry->side);
	rig_json_add_string(writer, "outcome", entry->outcome);
	rig_json_add_string(writer, "outcome_text", entry->outcome_text);
	rig_json_add_string(writer, "variant", entry->variant);
	rig_json_add_string(writer, "plan", entry->plan);
	rig_json_add_string(writer, "class", class);
	rig_json_add_int(writer, "started", entry->started);
	rig_json_add_double(writer, "duration_s", entry->duration_s);
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, FALSE);
	return g_strconcat(text, "\n", NULL);
}

static char *text_of(RigJson *object, const char *key, RigJsonFlags flags)
{
	return g_strdup(rig_json_string(object, key, flags));
}

static gboolean is_inside(const char *dir)
{
	return dir && *dir && *dir != '/' && !strstr(dir, "..");
}

/* NULL if LINE is no line of an index. */
static RigStoreEntry *entry_of_line(const char *root, const char *line, gsize length)
{
	g_autoptr(RigJson) json = rig_json_parse("index.jsonl", line, (gssize)length, NULL);
	RigStoreEntry *entry = g_new0(RigStoreEntry, 1);
	const char *dir = rig_json_string(json, "dir", RIG_JSON_REQUIRED);

	entry->dir = g_build_filename(root, dir ? dir : "", NULL);
	entry->id = text_of(json, "id", RIG_JSON_REQUIRED);
	entry->workload = text_of(json, "workload", RIG_JSON_REQUIRED);
	entry->params = text_of(json, "params", RIG_JSON_OPTIONAL);
	entry->topology = text_of(json, "topology", RIG_JSON_OPTIONAL);
	entry->image = text_of(json, "image", RIG_JSON_OPTIONAL);
	entry->kernel = text_of(json, "kernel", RIG_JSON_OPTIONAL);
	entry->side = text_of(json, "side", RIG_JSON_OPTIONAL);
	entry->outcome = text_of(json, "outcome", RIG_JSON_REQUIRED);
	entry->outcome_text = text_of(json, "outcome_text", RIG_JSON_OPTIONAL);
	/* An index without these is older than they are: it is made again. */
	entry->variant = text_of(json, "variant", RIG_JSON_REQUIRED);
	entry->plan = text_of(json, "plan", RIG_JSON_REQUIRED);
	entry->class = classes[rig_json_choice(json, "class", RIG_JSON_REQUIRED, classes, 2)][0];
	entry->started = rig_json_int(json, "started", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
	entry->duration_s = rig_json_double(json, "duration_s", RIG_JSON_REQUIRED, 0);
	if (json && is_inside(dir) && rig_json_finish(json, NULL))
		return entry;
	rig_store_entry_free(entry);
	return NULL;
}

/* Reading. */

static gboolean is_there(const RigStoreEntry *entry)
{
	g_autofree char *path = g_build_filename(entry->dir, "record.json", NULL);

	return access(path, F_OK) == 0;
}

/* One line of the index into ENTRIES; FALSE if it does not fit what is there. */
static gboolean take_line(const char *root, const char *line, gsize length,
			  gboolean (*matches)(const RigStoreEntry *, gconstpointer),
			  gconstpointer data, GPtrArray *entries)
{
	RigStoreEntry *entry = entry_of_line(root, line, length);

	if (!entry)
		return FALSE;
	if (!is_there(entry)) {
		rig_store_entry_free(entry);
		return FALSE;
	}
	if (!matches || matches(entry, data))
		g_ptr_array_add(entries, entry);
	else
		rig_store_entry_free(entry);
	return TRUE;
}

GPtrArray *rig_index_read(const char *root,
			  gboolean (*matches)(const RigStoreEntry *, gconstpointer),
			  gconstpointer data, gboolean *fits)
{
	g_autofree char *path = index_path(root);
	g_autofree char *text = rig_file_read(path, INDEX_MAX, NULL, NULL);
	GPtrArray *entries = entries_new();
	const char *line = text ? text : "";
	const char *end;

	*fits = text != NULL;
	/* A last line without an end is being written by another rig. */
	for (; (end = strchr(line, '\n')); line = end + 1)
		if (!take_line(root, line, (gsize)(end - line), matches, data, entries))
			*fits = FALSE;
	return entries;
}

/* Writing. */

/* To write; a link in its place is not followed. */
static int open_index(const char *path)
{
	return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK,
		    0644);
}

static void set_append_error(GError **error, const char *path, int errnum)
{
	if (errnum == ELOOP)
		rig_error_set_hint(error, RIG_ERROR_HOST, "remove it: the index is made again",
				   "%s is a symbolic link where rig's index should be", path);
	else
		/* Part of a line is written without an errno. */
		rig_error_set_errno(error, RIG_ERROR_FAILED, errnum ? errnum : ENOSPC,
				    "cannot write", path);
}

gboolean rig_index_append(const char *root, const RigRecord *record, const char *dir,
			  gint64 *size_before, GError **error)
{
	g_autofree char *path = index_path(root);
	RigStoreEntry *entry = entry_of_record(record, dir);
	g_autofree char *line = line_of_entry(root, entry);
	int fd = open_index(path);
	gboolean ok;

	rig_store_entry_free(entry);
	*size_before = fd < 0 ? 0 : lseek(fd, 0, SEEK_END);
	ok = fd >= 0 && *size_before >= 0;
	errno = ok ? 0 : errno;
	ok = ok && write(fd, line, strlen(line)) == (gssize)strlen(line) && fdatasync(fd) == 0;
	if (!ok) {
		set_append_error(error, path, errno);
		if (fd >= 0 && *size_before >= 0)
			rig_index_cut(root, *size_before);
	}
	if (fd >= 0)
		close(fd);
	return ok;
}

void rig_index_cut(const char *root, gint64 size)
{
	g_autofree char *path = index_path(root);
	int fd = open_index(path);

	/* Where this fails too, the next list finds a line without a folder and makes the index
	 * again. */
	if (fd >= 0 && ftruncate(fd, size) < 0)
		g_debug("%s keeps a line too many", path);
	if (fd >= 0)
		close(fd);
}

gboolean rig_index_write(const char *root, GPtrArray *entries, GError **error)
{
	g_autofree char *path = index_path(root);
	g_autoptr(GString) text = g_string_new(NULL);

	for (guint i = 0; i < entries->len; i++) {
		g_autofree char *line = line_of_entry(root, g_ptr_array_index(entries, i));

		g_string_append(text, line);
	}
	return rig_file_write(path, text->str, (gssize)text->len, 0644, error);
}

/* Looking. */

static void scan_record(const char *dir, GPtrArray *entries)
{
	g_autofree char *path = g_build_filename(dir, "record.json", NULL);
	g_autofree char *text = rig_file_read(path, RIG_STORE_RECORD_MAX, NULL, NULL);
	g_autoptr(RigRecord) record = text ? rig_record_parse(path, text, NULL) : NULL;

	if (record)
		g_ptr_array_add(entries, entry_of_record(record, dir));
}

static void scan_dir(const char *path, guint depth, GPtrArray *entries)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (*name == '.')
			continue;
		if (depth == RIG_STORE_DEPTH)
			scan_record(below, entries);
		else if (g_file_test(below, G_FILE_TEST_IS_DIR))
			scan_dir(below, depth + 1, entries);
	}
}

GPtrArray *rig_index_scan(const char *root)
{
	GPtrArray *entries = entries_new();

	scan_dir(root, 1, entries);
	return entries;
}
