/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store-cache.c - brief records: the same with a cache, without one, and with one that is not
 * to be trusted. */
#include "model/record-pack.h"
#include "expect.h"
#include "recordfix.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
	char *root, *dir, *cache;
	char *expected; /* the brief record as JSON */
} Fixture;

/* What a brief record is, by the other way. */
static char *brief_json(const char *dir)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) record = rig_store_load(dir, &error);

	g_assert_no_error(error);
	for (guint i = 0; i < record->phases->len; i++) {
		RigPhase *phase = g_ptr_array_index(record->phases, i);

		rig_metrics_free(phase->counters);
		phase->counters = rig_metrics_new();
	}
	return rig_record_to_json(record);
}

static char *write_record(const char *root, RigRecord *record)
{
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_store_write(root, record, NULL, &error));
	g_assert_no_error(error);
	return g_strdup(record->dir);
}

static void setup(Fixture *f, gconstpointer data)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 100.25);

	f->root = expect_temp_dir();
	rig_record_manifest(record, "empty", "");
	rig_record_manifest(record, "text", "naïve \"quotes\"\n");
	rig_metrics_set(record->metrics, "small", 5e-324);
	rig_metrics_set(record->metrics, "large", -1.7976931348623157e308);
	f->dir = write_record(f->root, record);
	f->cache = g_build_filename(f->dir, RIG_STORE_CACHE, NULL);
	f->expected = brief_json(f->dir);
}

static void teardown(Fixture *f, gconstpointer data)
{
	expect_remove(f->root);
	g_free(f->dir);
	g_free(f->cache);
	g_free(f->expected);
}

static char *loaded_json(const char *dir)
{
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(GError) error = NULL;
	g_autoptr(RigRecord) record = rig_store_load_brief(dir, &names, &error);

	g_assert_no_error(error);
	g_assert_cmpstr(record->dir, ==, dir);
	g_assert_cmpuint(g_hash_table_size(record->samples), ==, 0);
	return rig_record_to_json(record);
}

static void expect_brief(const Fixture *f)
{
	g_autofree char *json = loaded_json(f->dir);

	g_assert_cmpstr(json, ==, f->expected);
}

static gint64 inode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? -1 : (gint64)st.st_ino;
}

/* Loading gives the record and leaves a cache that the next load takes as it is. */
static void expect_mended(const Fixture *f)
{
	gint64 bad = inode_of(f->cache), made;

	expect_brief(f);
	made = inode_of(f->cache);
	g_assert_cmpint(made, !=, -1);
	g_assert_cmpint(made, !=, bad);
	expect_brief(f);
	g_assert_cmpint(inode_of(f->cache), ==, made);
}

static void test_written_with_record(Fixture *f, gconstpointer data)
{
	gint64 made = inode_of(f->cache);

	g_assert_cmpint(made, !=, -1);
	expect_brief(f);
	g_assert_cmpint(inode_of(f->cache), ==, made);
}

static void test_missing(Fixture *f, gconstpointer data)
{
	g_assert_cmpint(unlink(f->cache), ==, 0);
	expect_mended(f);
}

static void put(const Fixture *f, const char *bytes, gsize length)
{
	g_autoptr(GError) error = NULL;

	/* A new file each time, so that a rebuilt one is told by its inode. */
	g_assert_true(rig_file_write_cache(f->cache, bytes, length, 0644, &error));
}

static void test_truncated(Fixture *f, gconstpointer data)
{
	gsize length;
	g_autofree char *bytes = rig_file_read(f->cache, 1 << 20, &length, NULL);

	for (gsize n = 0; n < length; n++) {
		put(f, bytes, n);
		expect_mended(f);
	}
}

static void test_flipped(Fixture *f, gconstpointer data)
{
	gsize length;
	g_autofree char *bytes = rig_file_read(f->cache, 1 << 20, &length, NULL);

	for (gsize i = 0; i < length; i++) {
		bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
		put(f, bytes, length);
		expect_mended(f);
		bytes[i] = (char)(bytes[i] ^ (1 << i % 8));
	}
}

/* The cache of another record, and one with something behind it. */
static void test_foreign(Fixture *f, gconstpointer data)
{
	g_autoptr(RigRecord) other = recordfix_new("v6.1", 999);
	g_autofree char *dir = write_record(f->root, other);
	g_autofree char *cache = g_build_filename(dir, RIG_STORE_CACHE, NULL);
	gsize length, own_length;
	g_autofree char *bytes = rig_file_read(cache, 1 << 20, &length, NULL);
	g_autofree char *own = rig_file_read(f->cache, 1 << 20, &own_length, NULL);
	g_autofree char *longer = NULL;

	put(f, bytes, length);
	expect_mended(f);
	longer = g_malloc0(own_length + 8);
	memcpy(longer, own, own_length);
	put(f, longer, own_length + 8);
	expect_mended(f);
}

/* Changed where it stands, to the same size, and its date put back. */
static void test_stale(Fixture *f, gconstpointer data)
{
	g_autofree char *path = g_build_filename(f->dir, "record.json", NULL);
	g_autofree char *text = rig_file_read(path, 1 << 20, NULL, NULL);
	char *number = strstr(text, "100.25");
	struct stat before;
	struct timespec times[2];
	int fd;

	/* The kernel's clock of files ticks some hundred times a second. */
	g_usleep(20000);
	g_assert_cmpint(stat(path, &before), ==, 0);
	memcpy(number, "100.75", strlen("100.75"));
	fd = open(path, O_WRONLY);
	g_assert_cmpint(write(fd, text, strlen(text)), ==, strlen(text));
	times[0] = before.st_atim;
	times[1] = before.st_mtim;
	g_assert_cmpint(futimens(fd, times), ==, 0);
	close(fd);
	g_free(f->expected);
	f->expected = brief_json(f->dir);
	g_assert_nonnull(strstr(f->expected, "100.75"));
	expect_mended(f);
}

/* A copy of the whole folder is other files. */
static void test_copied(Fixture *f, gconstpointer data)
{
	g_autofree char *dir = g_build_filename(f->root, "copy", NULL);
	const char *argv[] = {"cp", "-a", f->dir, dir, NULL};
	g_autofree char *cache = g_build_filename(dir, RIG_STORE_CACHE, NULL);
	g_autofree char *json = NULL;
	gint64 copied;

	g_assert_true(g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL,
				   NULL, NULL, NULL));
	copied = inode_of(cache);
	json = loaded_json(dir);
	g_assert_cmpstr(json, ==, f->expected);
	g_assert_cmpint(inode_of(cache), !=, copied);
}

/* Who cannot write the cache does without: here a folder is in its place. */
static void test_not_writable(Fixture *f, gconstpointer data)
{
	g_autofree char *inside = g_build_filename(f->cache, "x", NULL);

	g_assert_cmpint(unlink(f->cache), ==, 0);
	g_assert_cmpint(g_mkdir_with_parents(inside, 0755), ==, 0);
	expect_brief(f);
	expect_brief(f);
	g_assert_true(g_file_test(inside, G_FILE_TEST_IS_DIR));
}

/* A cache is no record: without the record, or with one that is broken, there is an error. */
static void test_no_record(Fixture *f, gconstpointer data)
{
	g_autofree char *path = g_build_filename(f->dir, "record.json", NULL);
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(GError) error = NULL;

	g_assert_true(g_file_set_contents(path, "{", -1, NULL));
	g_assert_null(rig_store_load_brief(f->dir, &names, &error));
	expect_error(&error, RIG_ERROR_USAGE, "record.json");
	g_assert_cmpint(unlink(path), ==, 0);
	g_assert_null(rig_store_load_brief(f->dir, &names, &error));
	expect_error(&error, RIG_ERROR_USAGE, "cannot open");
}

/* Several rigs, each of which takes the cache away and makes it. */
static void test_many_at_once(Fixture *f, gconstpointer data)
{
	enum { PROCESSES = 4, EACH = 50 };

	for (guint i = 0; i < PROCESSES; i++) {
		if (fork())
			continue;
		for (guint j = 0; j < EACH; j++) {
			if (j % 2)
				unlink(f->cache);
			expect_brief(f);
		}
		_exit(0);
	}
	for (guint i = 0; i < PROCESSES; i++) {
		int status;

		g_assert_cmpint(wait(&status), >, 0);
		g_assert_cmpint(status, ==, 0);
	}
	expect_brief(f);
}

static void test_names_shared(Fixture *f, gconstpointer data)
{
	g_autoptr(RigRecord) same = recordfix_new("v6.1", 7), other = recordfix_new("v6.1", 8);
	g_autofree char *same_dir = NULL;
	g_autofree char *other_dir = NULL;
	g_autoptr(GPtrArray) names = NULL;
	g_autoptr(RigRecord) a = NULL, b = NULL, c = NULL;
	double value;

	rig_metrics_set(same->metrics, "small", 1);
	rig_metrics_set(same->metrics, "large", 2);
	same_dir = write_record(f->root, same);
	other_dir = write_record(f->root, other);
	a = rig_store_load_brief(f->dir, &names, NULL);
	b = rig_store_load_brief(same_dir, &names, NULL);
	c = rig_store_load_brief(other_dir, &names, NULL);
	g_assert_true(rig_metrics_names(a->metrics) == rig_metrics_names(b->metrics));
	g_assert_true(rig_metrics_names(a->metrics) != rig_metrics_names(c->metrics));
	/* One that is changed has names of its own from then on. */
	rig_metrics_set(b->metrics, "more", 3);
	g_assert_false(rig_metrics_get(a->metrics, "more", &value));
	g_assert_true(rig_metrics_get(b->metrics, "small", &value));
	g_assert_cmpfloat(value, ==, 1);
	g_assert_true(rig_metrics_get(b->metrics, "more", &value));
	g_assert_cmpuint(rig_metrics_count(a->metrics) + 1, ==, rig_metrics_count(b->metrics));
}

/* Bytes whose sum is right all the same. */
static void test_hostile_bytes(void)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 1);
	g_autoptr(GByteArray) bytes = g_byte_array_new();
	g_autoptr(GPtrArray) names = NULL;

	record->id = g_strdup("20261130-134305-7f3a");
	g_assert_true(rig_record_pack(record, bytes));
	for (guint n = 0; n < bytes->len; n++)
		g_assert_null(rig_record_unpack(bytes->data, n, &names));
	for (guint i = 0; i < bytes->len; i++) {
		guint8 kept = bytes->data[i];

		for (guint value = 0; value < 256; value += 51) {
			RigRecord *got;

			bytes->data[i] = (guint8)value;
			got = rig_record_unpack(bytes->data, bytes->len, &names);
			if (got)
				g_free(rig_record_to_json(got));
			rig_record_free(got);
		}
		bytes->data[i] = kept;
	}
}

/* What record.json cannot say is not cached either. */
static void test_not_packed(void)
{
	g_autoptr(RigRecord) record = recordfix_new("v6.1", 1);
	g_autoptr(GByteArray) bytes = g_byte_array_new();

	g_assert_false(rig_record_pack(record, bytes)); /* it has no id */
	g_assert_null(record->id);
	record->id = g_strdup("x");
	record->class = 'Q';
	g_assert_false(rig_record_pack(record, bytes));
	g_assert_cmpint(record->class, ==, 'Q');
}

#define TEST(name, function) \
	g_test_add("/store-cache/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST("written-with-record", test_written_with_record);
	TEST("missing", test_missing);
	TEST("truncated", test_truncated);
	TEST("flipped", test_flipped);
	TEST("foreign", test_foreign);
	TEST("stale", test_stale);
	TEST("copied", test_copied);
	TEST("not-writable", test_not_writable);
	TEST("no-record", test_no_record);
	TEST("many-at-once", test_many_at_once);
	TEST("names-shared", test_names_shared);
	g_test_add_func("/store-cache/hostile-bytes", test_hostile_bytes);
	g_test_add_func("/store-cache/not-packed", test_not_packed);
	return g_test_run();
}
