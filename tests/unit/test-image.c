/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-image.c - image recipes: those that are shipped, and those that are wrong.
 */
#include "model/image.h"

#include "expect.h"

#define DEBIAN_NAME_MAX 128
#define HEAD "{\"version\":1,\"text\":\"t\",\"size\":\"64M\","

static RigImage *load_text(const char *text, GError **error)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "mine.json", NULL);
	g_autoptr(GError) write_error = NULL;
	RigImage *image;

	if (!rig_file_write(path, text, -1, 0644, &write_error))
		g_error("%s", write_error->message);
	image = rig_image_load(path, error);
	expect_remove(dir);
	return image;
}

static void test_tiny(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "images", "tiny.json", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigImage) image = rig_image_load(path, &error);
	gboolean agent = FALSE, busybox = FALSE;

	g_assert_no_error(error);
	g_assert_cmpstr(image->name, ==, "tiny");
	g_assert_null(image->busybox_applets);
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];

		agent |= !g_strcmp0(file->path, "/sbin/rig-agent") &&
			 !g_strcmp0(file->from, "guest:rig-agent") && file->mode == 0755;
		busybox |= !g_strcmp0(file->from, "busybox");
	}
	g_assert_true(agent);
	g_assert_true(busybox);
}

static void test_fields(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigImage) image = load_text(
		HEAD
		"\"busybox_applets\":[\"sh\",\"[\"],\"modules\":[\"virtio_*\"],\"files\":["
		"{\"path\":\"/a\",\"text\":\"x\"},{\"path\":\"/b\",\"link\":\"a\"},"
		"{\"path\":\"/tmp\",\"mode\":\"1777\"},{\"path\":\"/c\",\"from\":\"/bin/true\"}]}",
		&error);
	const RigImageFile *file;

	g_assert_no_error(error);
	g_assert_cmpstr(image->name, ==, "mine");
	g_assert_cmpuint(image->size, ==, 64 << 20);
	g_assert_cmpstr(image->busybox_applets[1], ==, "[");
	g_assert_cmpstr(image->modules[0], ==, "virtio_*");
	file = image->files->pdata[0];
	g_assert_cmpint(file->mode, ==, 0644);
	file = image->files->pdata[2];
	g_assert_cmpint(file->mode, ==, 01777);
	g_assert_null(file->from);
	file = image->files->pdata[3];
	g_assert_cmpint(file->mode, ==, 0755);
}

/* The lab host's root: what tests/lab starts in it must be among its packages. */
static void test_debian_shipped(void)
{
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "images", "debian.json", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigImage) image = rig_image_load(path, &error);

	g_assert_no_error(error);
	g_assert_nonnull(image->debian);
	g_assert_true(g_strv_contains((const char *const *)image->debian->packages,
				      "libvirt-daemon-system"));
	g_assert_true(
		g_strv_contains((const char *const *)image->debian->packages, "openssh-server"));
}

static void test_debian_fields(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigImage) image =
		load_text(HEAD "\"debian\":{\"suite\":\"sid\",\"packages\":[\"g++\",\"libc6\"]},"
			       "\"files\":[]}",
			  &error);
	g_autoptr(RigImage) bare = NULL;

	g_assert_no_error(error);
	g_assert_cmpstr(image->debian->suite, ==, "sid");
	g_assert_cmpstr(image->debian->packages[0], ==, "g++");
	g_assert_cmpuint(g_strv_length(image->debian->packages), ==, 2);
	bare = load_text(HEAD "\"debian\":{\"suite\":\"sid\"},\"files\":[]}", &error);
	g_assert_no_error(error);
	g_assert_cmpuint(g_strv_length(bare->debian->packages), ==, 0);
}

static void expect_bad(const char *rest, const char *part)
{
	g_autofree char *text = g_strconcat(HEAD, rest, "}", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigImage) image = load_text(text, &error);

	g_assert_null(image);
	expect_error(&error, RIG_ERROR_USAGE, part);
}

static void test_bad(void)
{
	expect_bad("\"files\":[{\"path\":\"a\"}]", "files[0].path");
	expect_bad("\"files\":[{\"path\":\"/a/../b\"}]", "files[0].path");
	expect_bad("\"files\":[{\"path\":\"/\"}]", "files[0].path");
	expect_bad("\"files\":[{\"path\":\"/a//b\"}]", "files[0].path");
	expect_bad("\"files\":[{\"path\":\"/a\\nb\"}]", "files[0].path");
	expect_bad("\"files\":[{\"path\":\"/a\"},{\"path\":\"/a\"}]", "twice");
	expect_bad("\"files\":[{\"path\":\"/a\",\"text\":\"\",\"link\":\"b\"}]", "only one");
	expect_bad("\"files\":[{\"path\":\"/a\",\"from\":\"relative\"}]", "from");
	expect_bad("\"files\":[{\"path\":\"/a\",\"from\":\"guest:../x\"}]", "from");
	expect_bad("\"files\":[{\"path\":\"/a\",\"mode\":\"0899\"}]", "mode");
	expect_bad("\"files\":[{\"path\":\"/a\",\"mode\":\"17777\"}]", "mode");
	expect_bad("\"files\":[{\"path\":\"/a\",\"owner\":1}]", "owner");
	expect_bad("\"files\":[],\"modules\":[\"a b\"]", "modules");
	expect_bad("\"files\":[],\"busybox_applets\":[\"../sh\"]", "busybox_applets");
	expect_bad("\"modules\":[]", "files");
}

/* These words go to a command line. */
static void test_debian_bad(void)
{
	static const char *const suites[] = {"-o", "x", "../sid", "sid main", "Sid", ""};
	static const char *const packages[] = {"-o",	   "a",	  "vim-",  "vim,nano",
					       "?name(x)", "Vim", "a=1.0", "a/sid",
					       "../a.deb", "~n",  ""};
	g_autofree char *many = g_strnfill(DEBIAN_NAME_MAX + 1, 'a');
	g_autofree char *long_name =
		g_strdup_printf("\"files\":[],\"debian\":{\"suite\":\"%s\"}", many);

	for (guint i = 0; i < G_N_ELEMENTS(suites); i++) {
		g_autofree char *rest =
			g_strdup_printf("\"files\":[],\"debian\":{\"suite\":\"%s\"}", suites[i]);

		expect_bad(rest, "debian.suite");
	}
	for (guint i = 0; i < G_N_ELEMENTS(packages); i++) {
		g_autofree char *rest = g_strdup_printf("\"files\":[],\"debian\":{\"suite\":"
							"\"sid\",\"packages\":[\"%s\"]}",
							packages[i]);

		expect_bad(rest, "debian.packages");
	}
	expect_bad(long_name, "debian.suite");
	expect_bad("\"files\":[],\"debian\":{}", "debian.suite");
	expect_bad("\"files\":[],\"debian\":[]", "debian");
	expect_bad("\"files\":[],\"debian\":{\"suite\":\"sid\",\"mirror\":\"x\"}", "mirror");
}

static void test_size(void)
{
	static const char *const sizes[] = {"1M", "2T", "67108865B", "64"};

	for (guint i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree char *text = g_strdup_printf(
			"{\"version\":1,\"text\":\"t\",\"size\":\"%s\",\"files\":[]}", sizes[i]);
		g_autoptr(GError) error = NULL;

		g_assert_null(load_text(text, &error));
		expect_error(&error, RIG_ERROR_USAGE, "size");
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/image/tiny", test_tiny);
	g_test_add_func("/image/fields", test_fields);
	g_test_add_func("/image/bad", test_bad);
	g_test_add_func("/image/size", test_size);
	g_test_add_func("/image/debian/shipped", test_debian_shipped);
	g_test_add_func("/image/debian/fields", test_debian_fields);
	g_test_add_func("/image/debian/bad", test_debian_bad);
	return g_test_run();
}
