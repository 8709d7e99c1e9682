/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kpatch.c - which files a patch touches, what is no patch, and applying.
 */
#include "vm/kpatch.h"

#include "expect.h"

#include <fcntl.h>
#include <unistd.h>

static const char series[] =
	"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n"
	"From: A <a@b>\nSubject: [PATCH 1/2] one\n\nwords\n---\n mm/a.c | 2 +-\n\n"
	"diff --git a/mm/a.c b/mm/a.c\nindex 1..2 100644\n--- a/mm/a.c\n+++ b/mm/a.c\n"
	"@@ -1,2 +1,2 @@\n-one\n+ONE\n two\n-- \n2.39\n\n"
	"From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001\n"
	"From: A <a@b>\nSubject: [PATCH 2/2] two\n\n---\n"
	"diff --git a/mm/a.c b/mm/a.c\n--- a/mm/a.c\n+++ b/mm/a.c\n"
	"@@ -1,2 +1,2 @@\n ONE\n-two\n+TWO\n"
	"diff --git a/mm/new.c b/mm/new.c\nnew file mode 100644\n--- /dev/null\n"
	"+++ b/mm/new.c\n@@ -0,0 +1 @@\n+new\n"
	"diff --git a/old.h b/old.h\ndeleted file mode 100644\n--- a/old.h\n+++ /dev/null\n"
	"@@ -1 +0,0 @@\n-old\n"
	"diff --git a/from.c b/to.c\nsimilarity index 100%\nrename from from.c\nrename to to.c\n";

static char *names(const char *text)
{
	g_autoptr(RigKpatch) patch = rig_kpatch_new("p", text);
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) files = rig_kpatch_files(patch, &error);
	GString *all = g_string_new(NULL);

	g_assert_no_error(error);
	for (guint i = 0; i < files->len; i++)
		g_string_append_printf(all, "%s%s", i ? " " : "", (char *)files->pdata[i]);
	return g_string_free(all, FALSE);
}

static void test_files(void)
{
	g_autofree char *all = names(series);
	g_autofree char *plain = names("--- x/mm/b.c\t2024-01-01\n+++ y/mm/b.c\t2024-01-02\n"
				       "@@ -1 +1 @@\n--- a\n+++ b\n");

	g_assert_cmpstr(all, ==, "mm/a.c mm/new.c old.h to.c from.c");
	g_assert_nonnull(strstr(plain, "mm/b.c"));
}

static void test_refused(void)
{
	static const char *const bad[] = {
		"--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n",
		"--- a//etc/passwd\n+++ b//etc/passwd\n@@ -1 +1 @@\n",
		"diff --git a/x b/./../y\n",
		"rename from ../../x\nrename to y\n",
	};
	g_autoptr(RigKpatch) none = rig_kpatch_new("none", "only words\n");
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(RigKpatch) patch = rig_kpatch_new("p", bad[i]);

		g_assert_null(rig_kpatch_files(patch, &error));
		expect_error(&error, RIG_ERROR_USAGE, "no path in a kernel's source");
	}
	g_assert_null(rig_kpatch_files(none, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no diff in it");
}

static char *put(const char *dir, const char *name, const char *text)
{
	char *path = g_build_filename(dir, name, NULL);
	g_autofree char *parent = g_path_get_dirname(path);
	g_autoptr(GError) error = NULL;

	if (!rig_file_make_dirs(parent, 0755, &error) ||
	    !rig_file_write(path, text, -1, 0644, &error))
		g_error("%s", error->message);
	return path;
}

static void test_load(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *mail = put(dir, "mail", "Content-Transfer-Encoding: base64\n\nAAAA\n");
	g_autofree char *good = put(dir, "good", series);
	g_autofree char *binary = g_build_filename(dir, "binary", NULL);
	g_autoptr(RigKpatch) patch = NULL;
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_kpatch_load(mail, &error));
	expect_error(&error, RIG_ERROR_USAGE, "git am");
	g_assert_true(g_file_set_contents(binary, "--- a\0b", 7, NULL));
	g_assert_null(rig_kpatch_load(binary, &error));
	expect_error(&error, RIG_ERROR_USAGE, "no text");
	patch = rig_kpatch_load(good, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(patch->name, ==, "good");
	g_assert_cmpuint(strlen(patch->sha256), ==, 64);
	expect_remove(dir);
}

static void expect_text(const char *dir, const char *name, const char *text)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *now = rig_file_read(path, 4096, NULL, NULL);

	g_assert_cmpstr(now, ==, text);
}

static void test_apply(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *tree = g_build_filename(dir, "tree", NULL);
	g_autofree char *a = put(tree, "mm/a.c", "one\ntwo\n");
	g_autofree char *old = put(tree, "old.h", "old\n");
	g_autofree char *from = put(tree, "from.c", "moved\n");
	g_autofree char *link = g_build_filename(dir, "link", NULL);
	g_autoptr(RigKpatch) patch = rig_kpatch_new("series", series);
	g_autoptr(GError) error = NULL;

	/* A hard link of the file stays what it was. */
	g_assert_cmpint(linkat(AT_FDCWD, a, AT_FDCWD, link, 0), ==, 0);
	g_assert_true(rig_kpatch_apply(patch, tree, dir, NULL, NULL, &error));
	g_assert_no_error(error);
	expect_text(tree, "mm/a.c", "ONE\nTWO\n");
	expect_text(dir, "link", "one\ntwo\n");
	expect_text(tree, "mm/new.c", "new\n");
	expect_text(tree, "to.c", "moved\n");
	g_assert_false(g_file_test(old, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(from, G_FILE_TEST_EXISTS));
	/* A second time it does not fit any more. */
	g_assert_false(rig_kpatch_apply(patch, tree, dir, NULL, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "patch series does not apply");
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kpatch/files", test_files);
	g_test_add_func("/kpatch/refused", test_refused);
	g_test_add_func("/kpatch/load", test_load);
	g_test_add_func("/kpatch/apply", test_apply);
	return g_test_run();
}
