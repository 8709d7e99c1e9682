/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-damage.c - one byte that is another, in everything that a guest boots from.
 */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "cli-fixture.h"
#include "tally.h"

#define OTHER_DIGEST "has another digest than when it was"

static void flip(const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);
	off_t middle = lseek(fd, 0, SEEK_END) / 2;
	unsigned char byte;

	g_assert_cmpint(middle, >, 0);
	g_assert_cmpint(pread(fd, &byte, 1, middle), ==, 1);
	byte ^= 1;
	g_assert_cmpint(pwrite(fd, &byte, 1, middle), ==, 1);
	close(fd);
}

static void up(CliFixture *f, const char *kernel, const char *option)
{
	cli_rig(f, "up", "2sp-icl", "-k", kernel, "--name", "damage", option, NULL);
}

static void down(CliFixture *f)
{
	cli_rig(f, "down", "damage", NULL);
	cli_expect(f, 0, NULL);
	tally_expect_nothing_left(f, "after rig down");
}

/* The boot set of linux-6.12 that was used last, with a line HOW ("disk", "diskless") among what
 * went in. g_free. */
static char *find_boot_set(CliFixture *f, const char *how)
{
	g_autofree char *parent = g_build_filename(f->root, "cache", "bootset", NULL);
	g_autofree char *line = g_strdup_printf("\"%s\"", how);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	g_autofree char *found = NULL;
	gint64 newest = 0;
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(parent, name, NULL);
		g_autofree char *manifest = g_build_filename(path, "complete.json", NULL);
		g_autofree char *text = rig_file_read(manifest, 1 << 20, NULL, NULL);
		GStatBuf st;

		if (!text || !strstr(text, "\"release 6.12") || !strstr(text, line) ||
		    g_stat(manifest, &st) < 0 || st.st_mtime < newest)
			continue;
		newest = st.st_mtime;
		g_free(g_steal_pointer(&found));
		found = g_strdup(path);
	}
	g_assert_nonnull(found);
	return g_steal_pointer(&found);
}

/* Damage PATH and boot: noticed, said, made again, and it works; the next boot has nothing to say.
 */
static void check_rebuilt(CliFixture *f, const char *path, const char *option, const char *said)
{
	tally_injected();
	flip(path);
	up(f, "linux-6.12", option);
	cli_expect(f, 0, path);
	cli_expect(f, 0, OTHER_DIGEST);
	cli_expect(f, 0, "made again");
	cli_expect(f, 0, said);
	down(f);
	up(f, "linux-6.12", option);
	cli_expect(f, 0, NULL);
	g_assert_null(strstr(f->last.err, "made again"));
	down(f);
	tally_survived();
}

static void test_initrd(void)
{
	CliFixture f;
	g_autofree char *dir = NULL, *path = NULL;

	cli_setup_real(&f);
	up(&f, "linux-6.12", "--diskless");
	cli_expect(&f, 0, NULL);
	down(&f);
	dir = find_boot_set(&f, "diskless");
	path = g_build_filename(dir, "initrd", NULL);
	check_rebuilt(&f, path, "--diskless", "building 1 boot set");
	cli_teardown(&f);
}

static void test_disk(void)
{
	CliFixture f;
	g_autofree char *dir = NULL, *path = NULL;

	cli_setup_real(&f);
	up(&f, "linux-6.12", NULL);
	cli_expect(&f, 0, NULL);
	down(&f);
	dir = find_boot_set(&f, "disk");
	path = g_build_filename(dir, "disk.qcow2", NULL);
	check_rebuilt(&f, path, NULL, "building 1 boot set");
	cli_teardown(&f);
}

/* The image that the boot set DIR lies on. g_free. */
static char *image_of(CliFixture *f, const char *dir)
{
	g_autofree char *manifest = g_build_filename(dir, "complete.json", NULL);
	g_autoptr(RigJson) root = rig_json_load(manifest, 0, NULL);
	const char *uses = rig_json_string(root, "uses", RIG_JSON_REQUIRED);

	return g_build_filename(f->root, "cache", uses, "image.qcow2", NULL);
}

/* With the image every boot set on it is made again, of other kernels as well: their disks would
 * lie on blocks that are elsewhere now. */
static void test_image(void)
{
	CliFixture f;
	g_autofree char *dir = NULL, *path = NULL;

	cli_setup_real(&f);
	up(&f, "linux-6.1", NULL);
	cli_expect(&f, 0, NULL);
	down(&f);
	dir = find_boot_set(&f, "disk");
	path = image_of(&f, dir);
	check_rebuilt(&f, path, NULL, "building image tiny");
	up(&f, "linux-6.1", NULL);
	cli_expect(&f, 0, "lies on an image that was made again");
	cli_expect(&f, 0, "building 1 boot set");
	down(&f);
	cli_teardown(&f);
}

/* A kernel cannot be made again by rig: refused, until it is whole. */
static void test_kernel(void)
{
	CliFixture f;
	g_autofree char *path = NULL;

	cli_setup_real(&f);
	path = g_build_filename(f.root, "state", "kernels", "linux-6.12", "boot", NULL);
	tally_injected();
	flip(path);
	up(&f, "linux-6.12", NULL);
	flip(path);
	cli_expect(&f, 3, "kernel linux-6.12 is damaged");
	cli_expect(&f, 3, "rig kernel add SOURCE --name linux-6.12");
	tally_expect_nothing_left(&f, "after a damaged kernel was refused");
	tally_survived();
	up(&f, "linux-6.12", NULL);
	cli_expect(&f, 0, NULL);
	down(&f);
	cli_teardown(&f);
}

int main(int argc, char **argv)
{
	int status;

	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/damage/initrd", test_initrd);
	g_test_add_func("/damage/disk", test_disk);
	g_test_add_func("/damage/image", test_image);
	g_test_add_func("/damage/kernel", test_kernel);
	status = g_test_run();
	tally_tell();
	return status;
}
