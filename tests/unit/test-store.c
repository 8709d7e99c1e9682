/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store.c - records on disk: whole or not there, for two writers and on a full disk too. */
#include "recordfix.h"
#include "rawfix.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <math.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#define PARENT "anon-cow-rand-hugetlb/20-1-50%-100%/2sp-icl/tiny/config-0123456789ab/gcc-12"

static char *store(const char *root, const char *kernel, double throughput, RigOutcome outcome)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) record = recordfix_new(kernel, throughput);

	record->outcome = outcome;
	g_assert_true(rig_store_write(root, record, NULL, &error));
	g_assert_no_error(error);
	g_assert_nonnull(record->id);
	return g_strdup(record->dir);
}

static void renew(const char *root, const char *dir)
{
	g_autoptr(GPtrArray) dirs = g_ptr_array_new();
	g_autoptr(GError) error = NULL;

	g_ptr_array_add(dirs, (gpointer)dir);
	g_assert_true(rig_store_renew(root, dirs, &error));
	g_assert_no_error(error);
}

static GPtrArray *list(const char *root, const RigStoreQuery *query)
{
	g_autoptr(GError) error = NULL;
	GPtrArray *entries = rig_store_list(root, query, &error);

	g_assert_no_error(error);
	return entries;
}

static guint count(const char *root)
{
	g_autoptr(GPtrArray) entries = list(root, NULL);

	return entries->len;
}

static char *read_at(const char *root, const char *path)
{
	g_autofree char *full = g_build_filename(root, path, NULL);
	char *text = NULL;

	g_assert_true(g_file_get_contents(full, &text, NULL, NULL));
	return text;
}

static gboolean exists(const char *dir, const char *path)
{
	g_autofree char *full = g_build_filename(dir, path, NULL);

	return g_file_test(full, G_FILE_TEST_EXISTS);
}

static void test_layout(void)
{
	char *root = expect_temp_dir();
	g_autofree char *dir = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *expected = g_build_filename(root, PARENT, "v6.1", "0", NULL);
	g_autofree char *next = store(root, "v6.1", 110, RIG_OUTCOME_OK);

	g_assert_cmpstr(dir, ==, expected);
	g_assert_true(g_str_has_suffix(next, "/v6.1/1"));
	g_assert_true(exists(dir, "record.json"));
	g_assert_true(exists(dir, "stats.json"));
	g_assert_true(exists(dir, "matrix.json"));
	expect_remove(root);
}

static double number_at(const char *root, const char *path, const char *name)
{
	g_autofree char *text = read_at(root, path);
	g_autoptr(RigJson) json = rig_json_parse(path, text, -1, NULL);

	return rig_json_double(json, name, RIG_JSON_REQUIRED, -1);
}

/* Population standard deviation over whole runs; the failed one does not count. */
static void test_means(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *b = store(root, "v6.1", 900, RIG_OUTCOME_PARTIAL);
	g_autofree char *c = store(root, "v6.1", 110, RIG_OUTCOME_OK);
	g_autofree char *matrix = NULL;
	g_autoptr(RigJson) json = NULL;
	RigJson *row;

	renew(root, a);
	matrix = read_at(root, PARENT "/v6.1/matrix.json");
	json = rig_json_parse("matrix", matrix, -1, NULL);
	row = rig_json_array(json, "w.throughput", RIG_JSON_REQUIRED);
	g_assert_false(exists(b, "stats.json"));
	g_assert_true(exists(b, "record.json"));
	g_assert_cmpuint(rig_json_length(row), ==, 2);
	g_assert_cmpfloat(rig_json_double(rig_json_at(row, 1), NULL, RIG_JSON_REQUIRED, 0), ==,
			  110);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "w.throughput"), ==, 105);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/stddev.json", "w.throughput"), ==, 5);
	g_assert_cmpuint(count(root), ==, 3);
	expect_remove(root);
}

/* A run that has a metric which others have not, in any place of the order. */
static void test_means_with_gaps(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 110);
	g_autofree char *matrix = NULL;
	g_autoptr(GError) error = NULL;
	const char *names[] = {"aa", "x.middle", "zz"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		rig_metrics_set(record->metrics, names[i], 8 + i);
	g_assert_true(rig_store_write(root, record, NULL, &error));
	renew(root, a);
	matrix = read_at(root, PARENT "/v6.1/matrix.json");
	g_assert_cmpstr(matrix, ==,
			"{\n"
			"  \"aa\": [\n    null,\n    8.0\n  ],\n"
			"  \"proc-vmstat.numa_hint_faults\": [\n    10.0,\n    10.0\n  ],\n"
			"  \"w.throughput\": [\n    100.0,\n    110.0\n  ],\n"
			"  \"x.middle\": [\n    null,\n    9.0\n  ],\n"
			"  \"zz\": [\n    null,\n    10.0\n  ]\n"
			"}\n");
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "x.middle"), ==, 9);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/stddev.json", "x.middle"), ==, 0);
	expect_remove(root);
}

/* Means are true or not there: a write and a removal take them away, and only those of that folder.
 */
static void test_means_go(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *other = store(root, "v6.12", 100, RIG_OUTCOME_OK);
	g_autofree char *b = NULL;
	g_autoptr(GError) error = NULL;

	renew(root, a);
	renew(root, other);
	b = store(root, "v6.1", 120, RIG_OUTCOME_OK);
	g_assert_false(exists(root, PARENT "/v6.1/matrix.json"));
	g_assert_false(exists(root, PARENT "/v6.1/avg.json"));
	g_assert_false(exists(root, PARENT "/v6.1/stddev.json"));
	g_assert_true(exists(root, PARENT "/v6.12/avg.json"));
	renew(root, a);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "w.throughput"), ==, 110);
	g_assert_true(rig_store_remove(root, a, &error));
	g_assert_false(exists(root, PARENT "/v6.1/avg.json"));
	renew(root, a);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "w.throughput"), ==, 120);
	expect_remove(root);
}

static void test_load(void)
{
	g_autoptr(GError) error = NULL;
	char *root = expect_temp_dir();
	g_autofree char *dir = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autoptr(RigRecord) record = rig_store_load(dir, &error);
	const GArray *samples;

	g_assert_no_error(error);
	g_assert_cmpstr(record->dir, ==, dir);
	g_assert_cmpstr(record->kernel, ==, "v6.1");
	samples = g_hash_table_lookup(record->samples, "w.throughput");
	g_assert_cmpuint(samples->len, ==, 2);
	g_assert_cmpfloat(g_array_index(samples, double, 1), ==, 50);
	g_assert_null(rig_store_load(root, &error));
	g_assert_nonnull(error);
	expect_remove(root);
}

static void test_files(void)
{
	g_autoptr(GError) error = NULL;
	char *root = expect_temp_dir();
	g_autofree char *console = g_build_filename(root, "console", NULL);
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autoptr(RigRawRun) raw = rig_raw_run_new();
	RigRecordFiles files = {.raw = raw, .console_path = console, .domain_xml = "<domain/>"};
	gsize size = 17 * 1024 * 1024;
	g_autofree char *text = g_strnfill(size, 'x');
	g_autofree char *stored = NULL;

	text[size - 1] = 'E';
	g_assert_true(g_file_set_contents(console, text, (gssize)size, NULL));
	rawfix_snap(raw, "mark", "start", 1);
	rawfix_done(raw, "\"code\":0");
	g_assert_true(rig_store_write(root, record, &files, &error));
	g_assert_no_error(error);
	g_assert_true(exists(record->dir, "raw/index.json"));
	g_assert_true(exists(record->dir, "domain.xml"));
	stored = read_at(record->dir, "console.log");
	g_assert_cmpuint(strlen(stored), ==, 16 * 1024 * 1024);
	g_assert_cmpint(stored[strlen(stored) - 1], ==, 'E');
	expect_remove(root);
}

static guint count_matching(const char *root, RigStoreQuery query)
{
	g_autoptr(GPtrArray) entries = list(root, &query);

	return entries->len;
}

static void test_query(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *b = store(root, "v6.12", 100, RIG_OUTCOME_OOPS);
	g_autoptr(GPtrArray) all = list(root, NULL);
	const RigStoreEntry *entry = g_ptr_array_index(all, 0);

	g_assert_cmpuint(all->len, ==, 2);
	g_assert_cmpstr(entry->topology, ==, "2sp-icl");
	g_assert_cmpuint(count_matching(root, (RigStoreQuery){.kernel = "v6.1"}), ==, 1);
	g_assert_cmpuint(count_matching(root, (RigStoreQuery){.kernel = "base"}), ==, 2);
	g_assert_cmpuint(count_matching(root, (RigStoreQuery){.id = entry->id}), ==, 1);
	g_assert_cmpuint(count_matching(root, (RigStoreQuery){.workload = "numa01"}), ==, 0);
	g_assert_cmpuint(count_matching(root, (RigStoreQuery){.params = "20-1-50%-100%"}), ==, 2);
	expect_remove(root);
}

static void test_missing_store(void)
{
	g_autoptr(GPtrArray) entries = list("/nonexistent/rig", NULL);

	g_assert_cmpuint(entries->len, ==, 0);
}

/* What leads elsewhere in a name stays a name. */
static void test_hostile_names(void)
{
	g_autoptr(GError) error = NULL;
	char *root = expect_temp_dir();
	g_autoptr(RigRecord) record = recordfix_new("../../../x", 1);

	g_free(record->image);
	record->image = g_strdup("..");
	g_free(record->topology);
	record->topology = NULL;
	g_assert_true(rig_store_write(root, record, NULL, &error));
	g_assert_no_error(error);
	g_assert_true(g_str_has_prefix(record->dir, root));
	g_assert_null(strstr(record->dir, "/../"));
	g_assert_cmpuint(count(root), ==, 1);
	expect_remove(root);
}

/* The index. */

static void test_index_rebuilt(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *b = store(root, "v6.12", 100, RIG_OUTCOME_OK);
	g_autofree char *index = g_build_filename(root, "index.jsonl", NULL);

	g_unlink(index);
	g_assert_cmpuint(count(root), ==, 2);
	g_assert_true(g_file_test(index, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_set_contents(index, "{\"half\": \n", -1, NULL));
	g_assert_cmpuint(count(root), ==, 2);
	/* A folder that somebody removed by hand. */
	g_assert_true(rig_file_remove_tree(a, NULL));
	g_assert_cmpuint(count(root), ==, 1);
	expect_remove(root);
}

/* Another rig is in the middle of its line. */
static void test_index_half_line(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *index = g_build_filename(root, "index.jsonl", NULL);
	g_autofree char *text = NULL;
	g_autofree char *more = NULL;
	g_autofree char *after = NULL;

	g_assert_true(g_file_get_contents(index, &text, NULL, NULL));
	more = g_strconcat(text, "{\"id\": \"2026", NULL);
	g_assert_true(g_file_set_contents(index, more, -1, NULL));
	g_assert_cmpuint(count(root), ==, 1);
	g_assert_true(g_file_get_contents(index, &after, NULL, NULL));
	g_assert_cmpstr(after, ==, more);
	expect_remove(root);
}

/* An index from before runs had a variant is made again from the records. */
static void test_index_without_variants(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *index = g_build_filename(root, "index.jsonl", NULL);
	g_autofree char *text = NULL;
	g_autofree char *after = NULL;
	g_autoptr(GString) changed = NULL;

	g_assert_true(g_file_get_contents(index, &text, NULL, NULL));
	changed = g_string_new(text);
	g_assert_cmpuint(g_string_replace(changed, "\"variant\"", "\"former\"", 0), ==, 1);
	g_assert_true(g_file_set_contents(index, changed->str, -1, NULL));
	g_assert_cmpuint(count(root), ==, 1);
	g_assert_true(g_file_get_contents(index, &after, NULL, NULL));
	g_assert_cmpstr(after, ==, text);
	expect_remove(root);
}

static void test_index_leads_nowhere(void)
{
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *index = g_build_filename(root, "index.jsonl", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GString) changed = NULL;

	g_assert_true(g_file_get_contents(index, &text, NULL, NULL));
	changed = g_string_new(text);
	g_assert_cmpuint(g_string_replace(changed, "anon-cow-rand-hugetlb/", "../", 1), ==, 1);
	g_assert_true(g_file_set_contents(index, changed->str, -1, NULL));
	g_assert_cmpuint(count(root), ==, 1);
	expect_remove(root);
}

static void test_remove(void)
{
	g_autoptr(GError) error = NULL;
	char *root = expect_temp_dir();
	g_autofree char *a = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *b = store(root, "v6.1", 120, RIG_OUTCOME_OK);

	g_assert_true(rig_store_remove(root, a, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(count(root), ==, 1);
	renew(root, a);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "w.throughput"), ==, 120);
	g_assert_false(rig_store_remove(root, a, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no record");
	g_assert_false(rig_store_remove(root, root, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no record");
	g_assert_true(rig_store_remove(root, b, &error));
	renew(root, b);
	g_assert_false(exists(root, "anon-cow-rand-hugetlb"));
	g_assert_cmpuint(count(root), ==, 0);
	expect_remove(root);
}

/* Two processes write at once: every record gets a number of its own. */
static void test_two_writers(void)
{
	enum { WRITERS = 3, EACH = 5 };
	char *root = expect_temp_dir();
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GPtrArray) entries = NULL;

	for (guint i = 0; i < WRITERS; i++) {
		if (fork())
			continue;
		for (guint j = 0; j < EACH; j++)
			g_free(store(root, "v6.1", 100 + j, RIG_OUTCOME_OK));
		_exit(0);
	}
	for (guint i = 0; i < WRITERS; i++) {
		int status;

		g_assert_cmpint(wait(&status), >, 0);
		g_assert_cmpint(status, ==, 0);
	}
	entries = list(root, NULL);
	for (guint i = 0; i < entries->len; i++) {
		RigStoreEntry *entry = g_ptr_array_index(entries, i);

		g_assert_true(g_hash_table_add(seen, entry->dir));
		g_assert_true(g_hash_table_add(seen, entry->id));
	}
	g_assert_cmpuint(entries->len, ==, WRITERS * EACH);
	renew(root, ((RigStoreEntry *)g_ptr_array_index(entries, 0))->dir);
	g_assert_cmpfloat(number_at(root, PARENT "/v6.1/avg.json", "w.throughput"), ==, 102);
	expect_remove(root);
}

/* Full disk. */

/* What a reader could take for a record: a folder with a number, anywhere. */
static guint records_below(const char *path)
{
	g_autoptr(GDir) dir = g_dir_open(path, 0, NULL);
	const char *name;
	guint found = 0;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *below = g_build_filename(path, name, NULL);

		if (strcmp(name, "record.json") == 0)
			found++;
		if (g_file_test(below, G_FILE_TEST_IS_DIR))
			found += records_below(below);
	}
	return found;
}

static RigRawRun *raw_with_text(void)
{
	RigRawRun *raw = rig_raw_run_new();
	g_autofree char *text = g_strnfill(20000, 'x');

	rawfix_snap(raw, "mark", "start", 1);
	for (guint i = 0; i < 5; i++) {
		g_autofree char *path = g_strdup_printf("/proc/file%u", i);

		rawfix_file(raw, path, -1, text);
	}
	rawfix_done(raw, "\"code\":0");
	return raw;
}

static void expect_no_room(const GError *error)
{
	g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
	g_assert_nonnull(strstr(error->message, "the run is not stored: "));
	g_assert_nonnull(strstr(error->message, "No space left on device"));
	g_assert_nonnull(strstr(error->message, "hint: free some space there"));
}

/* Store one record on an empty disk that was mounted with OPTIONS; TRUE if it went. With more room
 * the next one does. */
static gboolean store_on_small_disk(const char *root, const char *options)
{
	g_autoptr(RigRecord) next = recordfix_new("v6.1", 200);
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100);
	g_autoptr(RigRawRun) raw = raw_with_text();
	RigRecordFiles files = {.raw = raw, .domain_xml = "<domain/>"};
	g_autoptr(GError) error = NULL;
	gboolean ok;

	g_assert_cmpint(mount("rig-test", root, "tmpfs", 0, options), ==, 0);
	ok = rig_store_write(root, record, &files, &error);
	if (ok) {
		g_assert_cmpuint(records_below(root), ==, 1);
		g_assert_cmpuint(count(root), ==, 1);
	} else {
		expect_no_room(error);
		g_assert_cmpuint(records_below(root), ==, 0);
		g_assert_cmpuint(count(root), ==, 0);
		g_assert_null(record->dir);
	}
	g_assert_cmpint(mount("rig-test", root, "tmpfs", MS_REMOUNT, "size=100m,nr_inodes=10000"),
			==, 0);
	g_assert_true(rig_store_write(root, next, &files, NULL));
	g_assert_cmpuint(count(root), ==, ok ? 2 : 1);
	g_assert_cmpint(umount(root), ==, 0);
	return ok;
}

/* The disk fills up at each write in turn. */
static void test_full_disk(void)
{
	char *root = expect_temp_dir();
	guint pages = 1, failed = 0;

	if (mount("rig-test", root, "tmpfs", 0, "size=4k") < 0) {
		g_test_skip("a small tmpfs can be mounted by root only");
		expect_remove(root);
		return;
	}
	g_assert_cmpint(umount(root), ==, 0);
	for (; pages < 200; pages++) {
		g_autofree char *options = g_strdup_printf("size=%uk", pages * 4);

		if (store_on_small_disk(root, options))
			break;
		failed++;
	}
	g_test_message("whole from %u pages on", pages);
	g_assert_cmpuint(pages, <, 200);
	g_assert_cmpuint(failed, >, 30);
	expect_remove(root);
}

/* The disk has room, but for so many files only; at each file in turn. */
static void test_no_inodes(void)
{
	char *root = expect_temp_dir();
	guint inodes = 1, failed = 0;

	if (mount("rig-test", root, "tmpfs", 0, "size=4k") < 0) {
		g_test_skip("a small tmpfs can be mounted by root only");
		expect_remove(root);
		return;
	}
	g_assert_cmpint(umount(root), ==, 0);
	for (; inodes < 200; inodes++) {
		g_autofree char *options = g_strdup_printf("size=10m,nr_inodes=%u", inodes + 1);

		if (store_on_small_disk(root, options))
			break;
		failed++;
	}
	g_test_message("whole from %u files on", inodes);
	g_assert_cmpuint(inodes, <, 200);
	g_assert_cmpuint(failed, >, 10);
	expect_remove(root);
}

/* Removing is how a user makes room, so it needs none. */
static void test_remove_on_full_disk(void)
{
	char *root = expect_temp_dir();
	g_autofree char *first = NULL, *second = NULL, *filler = NULL, *text = NULL;
	g_autoptr(GError) error = NULL;
	int fd;

	if (mount("rig-test", root, "tmpfs", 0, "size=200k") < 0) {
		g_test_skip("a small tmpfs can be mounted by root only");
		expect_remove(root);
		return;
	}
	first = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	second = store(root, "v6.2", 100, RIG_OUTCOME_OK);
	filler = g_build_filename(root, "filler", NULL);
	text = g_strnfill(4096, 'x');
	fd = open(filler, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	while (write(fd, text, 4096) > 0)
		;
	close(fd);
	g_assert_true(rig_store_remove(root, first, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(count(root), ==, 1);
	g_assert_true(rig_store_remove(root, second, &error));
	g_assert_no_error(error);
	g_assert_cmpuint(count(root), ==, 0);
	g_assert_cmpuint(records_below(root), ==, 0);
	g_assert_cmpint(umount(root), ==, 0);
	expect_remove(root);
}

/* What writers that were killed have left: in the middle of a record, before its rename, in the
 * middle of removing one. The next writer takes it away, and does not list it. */
static void test_sweep(void)
{
	char *root = expect_temp_dir();
	g_autofree char *first = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	g_autofree char *last = store(root, "v6.9", 100, RIG_OUTCOME_OK);
	g_autofree char *empty = g_path_get_dirname(last);
	g_autofree char *half = g_build_filename(root, ".rig-new-aaaaaa", "raw", NULL);
	g_autofree char *whole = g_build_filename(root, ".rig-new-bbbbbb", NULL);
	g_autofree char *temp = g_build_filename(empty, ".rig-cccccc", NULL);
	g_autofree char *index = g_build_filename(root, ".rig-dddddd", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_file_make_dirs(half, 0755, &error));
	/* Its folder was made, the rename did not come to it. */
	g_assert_cmpint(rename(last, whole), ==, 0);
	g_assert_true(g_file_set_contents(index, "half", -1, NULL));
	g_assert_cmpuint(count(root), ==, 1);
	g_free(store(root, "v6.1", 100, RIG_OUTCOME_OK));
	g_assert_false(exists(root, ".rig-new-aaaaaa"));
	g_assert_false(exists(root, ".rig-new-bbbbbb"));
	g_assert_false(exists(root, ".rig-dddddd"));
	g_assert_false(g_file_test(empty, G_FILE_TEST_EXISTS));
	g_assert_true(exists(first, "record.json"));
	/* Deep below it is left to rig gc. */
	g_assert_true(rig_file_make_dirs(empty, 0755, &error));
	g_assert_true(g_file_set_contents(temp, "half", -1, NULL));
	g_assert_true(rig_store_clean(root, &error));
	g_assert_false(g_file_test(temp, G_FILE_TEST_EXISTS));
	expect_remove(root);
}

/* A record that was there before is as it was after one that failed. */
static void test_full_disk_spares_others(void)
{
	char *root = expect_temp_dir();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 900);
	g_autoptr(RigRawRun) raw = raw_with_text();
	RigRecordFiles files = {.raw = raw};
	g_autofree char *before = NULL;
	g_autofree char *after = NULL;
	g_autofree char *first = NULL;

	if (mount("rig-test", root, "tmpfs", 0, "size=100k") < 0) {
		g_test_skip("a small tmpfs can be mounted by root only");
		expect_remove(root);
		return;
	}
	first = store(root, "v6.1", 100, RIG_OUTCOME_OK);
	renew(root, first);
	before = read_at(root, PARENT "/v6.1/avg.json");
	g_assert_false(rig_store_write(root, record, &files, &error));
	expect_error(&error, RIG_ERROR_HOST, "the run is not stored");
	after = read_at(root, PARENT "/v6.1/avg.json");
	g_assert_cmpstr(before, ==, after);
	g_assert_cmpuint(count(root), ==, 1);
	g_assert_cmpint(umount(root), ==, 0);
	expect_remove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/store/layout", test_layout);
	g_test_add_func("/store/means", test_means);
	g_test_add_func("/store/means/gaps", test_means_with_gaps);
	g_test_add_func("/store/means/go", test_means_go);
	g_test_add_func("/store/load", test_load);
	g_test_add_func("/store/files", test_files);
	g_test_add_func("/store/query", test_query);
	g_test_add_func("/store/missing", test_missing_store);
	g_test_add_func("/store/hostile-names", test_hostile_names);
	g_test_add_func("/store/index/rebuilt", test_index_rebuilt);
	g_test_add_func("/store/index/half-line", test_index_half_line);
	g_test_add_func("/store/index/without-variants", test_index_without_variants);
	g_test_add_func("/store/index/leads-nowhere", test_index_leads_nowhere);
	g_test_add_func("/store/remove", test_remove);
	g_test_add_func("/store/two-writers", test_two_writers);
	g_test_add_func("/store/full-disk", test_full_disk);
	g_test_add_func("/store/no-inodes", test_no_inodes);
	g_test_add_func("/store/full-disk-spares-others", test_full_disk_spares_others);
	g_test_add_func("/store/remove-on-full-disk", test_remove_on_full_disk);
	g_test_add_func("/store/sweep", test_sweep);
	return g_test_run();
}
