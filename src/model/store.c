/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * store.c - writes and reads records; store-list.c lists and store-remove.c removes them.
 *
 * A record is filled in a scratch folder of the root and renamed into place last, so what carries a
 * number is whole. Writers exclude each other by a lock on the store; readers need none.
 */
#include "model/store-private.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CONSOLE_MAX (16 * 1024 * 1024)
#define PART_LENGTH_MAX 220

/* Paths. */

/* A name as one part of a path; nothing of it leads elsewhere. */
static char *path_part(const char *text)
{
	char *part = g_strndup(text && *text ? text : "none", PART_LENGTH_MAX);

	for (char *c = part; *c; c++)
		if (!g_ascii_isalnum(*c) && !strchr("+=:.%-", *c))
			*c = '_';
	if (*part == '.')
		*part = '_';
	return part;
}

char *rig_store_parent(const char *root, const RigRecord *record)
{
	g_autofree char *workload = path_part(record->workload);
	g_autofree char *params = path_part(record->params ? record->params : "default");
	g_autofree char *topology = path_part(record->topology);
	g_autofree char *image = path_part(record->image);
	g_autofree char *kconfig = path_part(record->kconfig);
	g_autofree char *compiler = path_part(record->compiler);
	g_autofree char *kernel = path_part(record->kernel);

	return g_build_filename(root, workload, params, topology, image, kconfig, compiler, kernel,
				NULL);
}

/* Writing. */

static gboolean id_is_taken(const char *root, const char *id)
{
	g_autofree char *path = g_build_filename(root, "index.jsonl", NULL);
	g_autofree char *text = NULL;

	return g_file_get_contents(path, &text, NULL, NULL) && strstr(text, id);
}

/* "20261130-134305-7f3a" */
static void choose_id(const char *root, RigRecord *record)
{
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(record->started);
	g_autofree char *stamp =
		time ? g_date_time_format(time, "%Y%m%d-%H%M%S") : g_strdup("undated");

	do {
		g_free(record->id);
		record->id =
			g_strdup_printf("%s-%04x", stamp, (guint)g_random_int_range(0, 0x10000));
	} while (id_is_taken(root, record->id));
}

static gboolean write_text(const char *dir, const char *name, const char *text, GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	return rig_file_write(path, text, -1, 0644, error);
}

/* stats.json and matrix.json; only of a whole run, see aggregate.c. */
static gboolean write_numbers(const RigRecord *record, const char *dir, GError **error)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *stats = NULL;
	g_autofree char *matrix = rig_samples_to_json(record->samples);

	if (record->outcome != RIG_OUTCOME_OK)
		return TRUE;
	rig_metrics_to_json(record->metrics, writer, NULL);
	stats = rig_json_writer_text(writer, TRUE);
	return write_text(dir, "stats.json", stats, error) &&
	       write_text(dir, "matrix.json", matrix, error);
}

/* The end of the console log, as far as a record takes it. A log that is not there is no error: the
 * guest may have died before it wrote one. */
static gboolean copy_console(const char *from, const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "console.log", NULL);
	int fd = open(from, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	gint64 size = fd < 0 ? -1 : lseek(fd, 0, SEEK_END);
	g_autofree char *text = NULL;
	gssize length;

	if (size < 0) {
		if (fd >= 0)
			close(fd);
		return TRUE;
	}
	text = g_malloc(CONSOLE_MAX);
	length = pread(fd, text, CONSOLE_MAX, MAX(size - CONSOLE_MAX, 0));
	close(fd);
	return length < 0 || rig_file_write(path, text, length, 0644, error);
}

/* Too large to be copied without need. The record counts for more than the dump, which on a full
 * disk may be what does not fit. */
static void take_dump(const char *from, const char *dir)
{
	g_autofree char *path = g_build_filename(dir, RIG_STORE_DUMP, NULL);
	g_autoptr(GError) error = NULL;

	if (link(from, path) < 0 && !rig_file_copy(from, path, 0600, &error))
		g_debug("%s", error->message);
}

/* It is in the record now. */
static void release_dump(const char *from, const char *dir)
{
	g_autofree char *path = g_build_filename(dir, RIG_STORE_DUMP, NULL);

	if (g_file_test(path, G_FILE_TEST_EXISTS))
		(void)unlink(from);
}

static gboolean fill(const RigRecord *record, const RigRecordFiles *files, const char *dir,
		     GError **error)
{
	g_autofree char *raw = g_build_filename(dir, "raw", NULL);
	g_autofree char *json = rig_record_to_json(record);

	if (files && files->raw && !rig_raw_run_save(files->raw, raw, error))
		return FALSE;
	if (files && files->console_path && !copy_console(files->console_path, dir, error))
		return FALSE;
	if (files && files->domain_xml && !write_text(dir, "domain.xml", files->domain_xml, error))
		return FALSE;
	if (!write_numbers(record, dir, error) || !write_text(dir, "record.json", json, error))
		return FALSE;
	if (files && files->dump_path)
		take_dump(files->dump_path, dir);
	return TRUE;
}

static gint by_number(gconstpointer a, gconstpointer b)
{
	guint left = *(const guint *)a, right = *(const guint *)b;

	return (left > right) - (left < right);
}

GArray *rig_store_numbers(const char *parent)
{
	GArray *numbers = g_array_new(FALSE, FALSE, sizeof(guint));
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		guint number = (guint)strtoul(name, NULL, 10);

		if (strspn(name, "0123456789") == strlen(name) && strlen(name) <= 9)
			g_array_append_val(numbers, number);
	}
	g_array_sort(numbers, by_number);
	return numbers;
}

/* The next number that is free in PARENT. */
static guint next_number(const char *parent)
{
	g_autoptr(GArray) numbers = rig_store_numbers(parent);

	return numbers->len ? g_array_index(numbers, guint, numbers->len - 1) + 1 : 0;
}

/* Put the filled folder TEMP at TARGET: the index first, for it is the only step that needs room
 * where the folder above is there. */
static gboolean place(const char *root, const RigRecord *record, const char *temp,
		      const char *target, GError **error)
{
	g_autofree char *parent = g_path_get_dirname(target);
	gint64 size_before;

	if (!rig_index_append(root, record, target, &size_before, error))
		return FALSE;
	if (rig_aggregate_remove(parent, error)) {
		if (rename(temp, target) == 0)
			return TRUE;
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot rename to it", target);
	}
	rig_index_cut(root, size_before);
	return FALSE;
}

/* So that the first comparison finds it; a record is whole without it. */
static void fill_cache(const char *dir)
{
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(GError) reason = NULL;
	g_autoptr(RigRecord) brief = rig_store_load_brief(dir, &names, &reason);

	if (!brief)
		g_debug("%s: %s", dir, reason->message);
}

static gboolean write_locked(const char *root, const char *parent, RigRecord *record,
			     const RigRecordFiles *files, GError **error)
{
	g_autofree char *temp = rig_file_temp_dir(root, RIG_STORE_NEW, error);
	g_autofree char *target = NULL;
	gboolean ok;

	choose_id(root, record);
	ok = temp && chmod(temp, 0755) == 0 && fill(record, files, temp, error);
	if (ok)
		fill_cache(temp);
	ok = ok && rig_store_check_links(root, parent, error) &&
	     rig_file_make_dirs(parent, 0755, error);
	if (ok)
		target = g_strdup_printf("%s/%u", parent, next_number(parent));
	ok = ok && place(root, record, temp, target, error);
	if (ok) {
		g_free(record->dir);
		record->dir = g_steal_pointer(&target);
		if (files && files->dump_path)
			release_dump(files->dump_path, record->dir);
	} else if (temp && !rig_file_remove_tree(temp, NULL)) {
		g_debug("%s stays behind", temp);
	}
	return ok;
}

gboolean rig_store_write(const char *root, RigRecord *record, const RigRecordFiles *files,
			 GError **error)
{
	g_autofree char *base = g_canonicalize_filename(root, NULL);
	g_autofree char *parent = rig_store_parent(base, record);
	g_autoptr(RigLock) lock = NULL;

	if (!rig_file_make_dirs(base, 0755, error))
		return FALSE;
	lock = rig_store_lock(base, error);
	if (!lock)
		return FALSE;
	if (write_locked(base, parent, record, files, error))
		return TRUE;
	rig_store_prune(base, parent);
	g_prefix_error(error, "the run is not stored: ");
	return FALSE;
}

/* Reading one. */

static gboolean load_samples(RigRecord *record, const char *path, GError **error)
{
	g_autoptr(RigJson) root = rig_json_load(path, RIG_STORE_RECORD_MAX, error);
	g_auto(GStrv) names = root ? rig_json_keys(root) : NULL;

	for (guint i = 0; names && names[i]; i++) {
		RigJson *list = rig_json_array(root, names[i], RIG_JSON_REQUIRED);
		GArray *values = g_array_new(FALSE, FALSE, sizeof(double));

		for (guint j = 0; j < rig_json_length(list); j++) {
			double value =
				rig_json_double(rig_json_at(list, j), NULL, RIG_JSON_REQUIRED, 0);

			g_array_append_val(values, value);
		}
		g_hash_table_insert(record->samples, g_strdup(names[i]), values);
	}
	return root && rig_json_finish(root, error);
}

RigRecord *rig_store_load(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "record.json", NULL);
	g_autofree char *matrix = g_build_filename(dir, "matrix.json", NULL);
	g_autofree char *text = rig_file_read(path, RIG_STORE_RECORD_MAX, NULL, error);
	g_autoptr(RigRecord) record = text ? rig_record_parse(path, text, error) : NULL;

	if (!record)
		return NULL;
	record->dir = g_strdup(dir);
	if (g_file_test(matrix, G_FILE_TEST_EXISTS) && !load_samples(record, matrix, error))
		return NULL;
	return g_steal_pointer(&record);
}
