/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-dumpfile.c - flattened dumps put in order, and those that a guest which took over its QEMU
 * could write instead.
 */
#include "base/error.h"
#include "expect.h"
#include "vm/dumpfile.h"

#define SIZE_LIMIT (64 * 1024)

typedef struct {
	char *dir, *raw, *whole;
	GByteArray *bytes;
} Fixture;

static void append(Fixture *f, const void *data, guint length)
{
	g_byte_array_append(f->bytes, data, length);
}

static void append_head(Fixture *f, guint64 offset, guint64 length)
{
	guint64 head[2] = {GUINT64_TO_BE(offset), GUINT64_TO_BE(length)};

	append(f, head, sizeof(head));
}

static void append_piece(Fixture *f, guint64 offset, const char *text)
{
	append_head(f, offset, strlen(text));
	append(f, text, (guint)strlen(text));
}

static void setup(Fixture *f)
{
	static const guint8 zeros[4096 - 16];

	f->dir = expect_temp_dir();
	f->raw = g_build_filename(f->dir, "raw", NULL);
	f->whole = g_build_filename(f->dir, "whole", NULL);
	f->bytes = g_byte_array_new();
	append(f, "makedumpfile\0\0\0\0", 16);
	append(f, zeros, sizeof(zeros));
}

static void teardown(Fixture *f)
{
	g_byte_array_unref(f->bytes);
	g_free(f->raw);
	g_free(f->whole);
	expect_remove(f->dir);
}

static gboolean settle(Fixture *f, GError **error)
{
	g_assert_true(
		g_file_set_contents(f->raw, (char *)f->bytes->data, (gssize)f->bytes->len, NULL));
	return rig_dumpfile_settle(f->raw, f->whole, SIZE_LIMIT, NULL, error);
}

static void test_flattened(void)
{
	Fixture f;
	g_autoptr(GError) error = NULL;
	g_autofree char *text = NULL;
	gsize length;

	setup(&f);
	append_piece(&f, 12, "tail");
	append_piece(&f, 0, "KDUMP   ");
	append_piece(&f, 13, "AI");
	append_piece(&f, SIZE_LIMIT - 3, "end");
	append_head(&f, G_MAXUINT64, G_MAXUINT64);
	append(&f, "what follows is not read", 24);
	g_assert_true(settle(&f, &error));
	g_assert_no_error(error);
	g_assert_true(g_file_get_contents(f.whole, &text, &length, NULL));
	g_assert_cmpuint(length, ==, SIZE_LIMIT);
	g_assert_cmpmem(text, 16, "KDUMP   \0\0\0\0tAIl", 16);
	g_assert_cmpmem(text + SIZE_LIMIT - 3, 3, "end", 3);
	g_assert_cmpint(rig_dumpfile_kind(f.whole), ==, RIG_DUMPFILE_KDUMP);
	g_assert_false(g_file_test(f.raw, G_FILE_TEST_EXISTS));
	teardown(&f);
}

static void test_plain(void)
{
	static const struct {
		const char *text;
		RigDumpfileKind kind;
	} forms[] = {{"KDUMP   and so on", RIG_DUMPFILE_KDUMP},
		     {"\177ELF and so on", RIG_DUMPFILE_ELF}};

	for (gsize i = 0; i < G_N_ELEMENTS(forms); i++) {
		Fixture f;
		g_autoptr(GError) error = NULL;

		setup(&f);
		g_byte_array_set_size(f.bytes, 0);
		append(&f, forms[i].text, (guint)strlen(forms[i].text));
		g_assert_true(settle(&f, &error));
		g_assert_no_error(error);
		g_assert_cmpint(rig_dumpfile_kind(f.whole), ==, forms[i].kind);
		g_assert_false(g_file_test(f.raw, G_FILE_TEST_EXISTS));
		teardown(&f);
	}
}

/* Nothing is left of it, whatever was wrong. */
static void expect_refused(Fixture *f, const char *part)
{
	GError *error = NULL;

	g_assert_false(settle(f, &error));
	expect_error(&error, RIG_ERROR_LOST, part);
	g_assert_false(g_file_test(f->raw, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(f->whole, G_FILE_TEST_EXISTS));
	teardown(f);
}

static void test_cut_off(void)
{
	Fixture f;

	setup(&f);
	append_piece(&f, 0, "KDUMP   ");
	expect_refused(&f, "cut off");
	setup(&f);
	append_head(&f, 0, 4000);
	append(&f, "KDUMP   ", 8);
	expect_refused(&f, "cut off");
	setup(&f);
	g_byte_array_set_size(f.bytes, 16);
	expect_refused(&f, "cut off");
}

static void test_too_large(void)
{
	static const guint64 heads[][2] = {{SIZE_LIMIT - 3, 4},	 {SIZE_LIMIT + 1, 1},
					   {G_MAXUINT64 - 1, 2}, {1, G_MAXUINT64},
					   {G_MAXINT64, 1},	 {G_MAXUINT64, 4}};

	for (gsize i = 0; i < G_N_ELEMENTS(heads); i++) {
		Fixture f;

		setup(&f);
		append_head(&f, heads[i][0], heads[i][1]);
		append(&f, "text", 4);
		append_head(&f, G_MAXUINT64, G_MAXUINT64);
		expect_refused(&f, "larger than the guest's memory");
	}
}

static void test_no_dump(void)
{
	Fixture f;

	setup(&f);
	append_piece(&f, 0, "#!/bin/sh");
	append_head(&f, G_MAXUINT64, G_MAXUINT64);
	expect_refused(&f, "no memory dump");
	setup(&f);
	g_byte_array_set_size(f.bytes, 0);
	append(&f, "text", 4);
	expect_refused(&f, "no memory dump");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/dumpfile/flattened", test_flattened);
	g_test_add_func("/dumpfile/plain", test_plain);
	g_test_add_func("/dumpfile/cut-off", test_cut_off);
	g_test_add_func("/dumpfile/too-large", test_too_large);
	g_test_add_func("/dumpfile/no-dump", test_no_dump);
	return g_test_run();
}
