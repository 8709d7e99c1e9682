/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-virt.c - the life cycle over libvirt's test driver and over the embedded driver, without a
 * guest.
 */
#include <errno.h>
#include <glib/gstdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"
#include "expect.h"
#include "vm/virt.h"
#include "vm/virtroot.h"

#define TEST_URI "test:///default"

/* Two cells, distances, a binding for each: what a placement of class A needs. */
#define DOMAIN                                                                                \
	"<domain type='test'><name>two-cells</name><memory unit='MiB'>2048</memory>"          \
	"<vcpu placement='static'>4</vcpu>"                                                   \
	"<cputune><vcpupin vcpu='0' cpuset='0-1'/><vcpupin vcpu='2' cpuset='2-3'/></cputune>" \
	"<numatune><memnode cellid='0' mode='strict' nodeset='0'/>"                           \
	"<memnode cellid='1' mode='strict' nodeset='1'/></numatune>"                          \
	"<os><type arch='x86_64'>hvm</type></os>"                                             \
	"<cpu><topology sockets='2' dies='1' cores='1' threads='2'/><numa>"                   \
	"<cell id='0' cpus='0-1' memory='1048576' unit='KiB'><distances>"                     \
	"<sibling id='0' value='10'/><sibling id='1' value='20'/></distances></cell>"         \
	"<cell id='1' cpus='2-3' memory='1048576' unit='KiB'><distances>"                     \
	"<sibling id='0' value='20'/><sibling id='1' value='10'/></distances></cell>"         \
	"</numa></cpu></domain>"

static RigVirt *open_test(void)
{
	g_autoptr(GError) error = NULL;
	RigVirt *virt = rig_virt_open(TEST_URI, "/nonexistent", 0, NULL, &error);

	g_assert_no_error(error);
	g_assert_nonnull(virt);
	return virt;
}

static gboolean is_listed(RigVirt *virt, const char *name)
{
	g_autoptr(GError) error = NULL;
	g_auto(GStrv) names = rig_virt_list(virt, &error);

	g_assert_no_error(error);
	return g_strv_contains((const char *const *)names, name);
}

static void test_life(void)
{
	g_autoptr(RigVirt) virt = open_test();
	g_autoptr(GError) error = NULL;
	g_autofree char *xml = NULL;

	g_assert_false(is_listed(virt, "two-cells"));
	g_assert_null(rig_virt_domain_xml(virt, "two-cells", &error));
	g_assert_no_error(error);
	g_assert_true(rig_virt_start(virt, DOMAIN, &error));
	g_assert_no_error(error);
	g_assert_true(is_listed(virt, "two-cells"));
	xml = rig_virt_domain_xml(virt, "two-cells", &error);
	g_assert_nonnull(strstr(xml, "<sibling id='1' value='20'/>"));
	g_assert_nonnull(strstr(xml, "<memnode cellid='1' mode='strict' nodeset='1'/>"));
	g_assert_true(rig_virt_destroy(virt, "two-cells", &error));
	g_assert_no_error(error);
	g_assert_false(is_listed(virt, "two-cells"));
	/* One that is not there is fine. */
	g_assert_true(rig_virt_destroy(virt, "two-cells", &error));
	g_assert_no_error(error);
}

static void test_bad_xml(void)
{
	g_autoptr(RigVirt) virt = open_test();
	g_autoptr(GError) error = NULL;

	g_assert_false(rig_virt_start(virt, "<domain", &error));
	expect_error(&error, RIG_ERROR_HOST, "libvirt:");
	/* Well-formed, and not what the schema knows. */
	g_assert_false(rig_virt_start(virt, "<domain type='test'><nome>x</nome></domain>", &error));
	expect_error(&error, RIG_ERROR_HOST, "libvirt:");
	/* The connection is still of use. */
	g_assert_true(is_listed(virt, "test"));
}

static void test_same_name(void)
{
	g_autoptr(RigVirt) virt = open_test();
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_virt_start(virt, DOMAIN, &error));
	g_assert_false(rig_virt_start(virt, DOMAIN, &error));
	expect_error(&error, RIG_ERROR_HOST, "two-cells");
}

static void test_capabilities(void)
{
	g_autoptr(RigVirt) virt = open_test();
	g_autoptr(GError) error = NULL;
	g_autofree char *xml = rig_virt_capabilities(virt, &error);
	g_autofree char *libvirt = NULL;
	g_autofree char *qemu = NULL;

	g_assert_no_error(error);
	g_assert_nonnull(strstr(xml, "<capabilities>"));
	g_assert_true(rig_virt_versions(virt, &libvirt, &qemu, &error));
	g_assert_cmpuint(strlen(libvirt), >=, strlen("9.0.0"));
	g_assert_cmpuint(strspn(libvirt, "0123456789."), ==, strlen(libvirt));
}

static void test_bad_uri(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_virt_open("nonsense:///x", "/nonexistent", 0, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "nonsense:///x");
}

static void test_cancelled(void)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	g_autoptr(GError) error = NULL;

	g_cancellable_cancel(cancellable);
	g_assert_null(rig_virt_open(TEST_URI, "/nonexistent", 0, cancellable, &error));
	expect_error(&error, RIG_ERROR_INTERRUPTED, "interrupted");
}

static void test_remote(void)
{
	g_autoptr(RigVirt) virt = open_test();

	g_assert_false(rig_virt_is_remote(virt));
	g_assert_cmpstr(rig_virt_uri(virt), ==, TEST_URI);
}

/* The embedded driver: opened, closed, and free for the next process though this one lives on. */
static void test_embedded(void)
{
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;
	RigVirt *virt;

	g_assert_cmpint(chmod(dir, 0755), ==, 0);
	for (guint i = 0; i < 2; i++) {
		virt = rig_virt_open(NULL, dir, 1000, NULL, &error);
		g_assert_no_error(error);
		g_assert_false(is_listed(virt, "nobody"));
		rig_virt_close(virt);
	}
	expect_remove(dir);
}

/* While another holds it, the error names that one. */
static void test_embedded_held(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *root = g_build_filename(dir, "libvirt", NULL);
	g_autofree char *path = g_build_filename(root, "rig.lock", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigLock) lock = NULL;

	g_assert_cmpint(chmod(dir, 0755), ==, 0);
	g_assert_true(rig_file_make_dirs(root, 0755, &error));
	lock = rig_lock_take(path, "rig something-else", 0, NULL, &error);
	g_assert_no_error(error);
	g_assert_null(rig_virt_open(NULL, dir, 50, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "rig something-else");
	rig_lock_release(g_steal_pointer(&lock));
	expect_remove(dir);
}

static void test_closed_folder(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *inner = g_build_filename(dir, "closed", "state", NULL);
	g_autofree char *closed = g_build_filename(dir, "closed", NULL);
	RigQemuUser user = {.other = TRUE, .name = "somebody", .uid = 54321, .gid = 54321};
	g_autoptr(GError) error = NULL;

	g_assert_true(rig_file_make_dirs(inner, 0755, &error));
	g_assert_cmpint(chmod(dir, 0755), ==, 0);
	g_assert_true(rig_virtroot_check_path(inner, &user, &error));
	g_assert_no_error(error);
	g_assert_cmpint(chmod(closed, 0700), ==, 0);
	g_assert_false(rig_virtroot_check_path(inner, &user, &error));
	g_assert_nonnull(strstr(error->message, "RIG_STATE_DIR"));
	expect_error(&error, RIG_ERROR_HOST, closed);
	/* Its owner may. */
	user.uid = geteuid();
	g_assert_true(rig_virtroot_check_path(closed, &user, &error));
	expect_remove(dir);
}

/* As root it is another account's rights that count, groups and all. */
static void test_try_open(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = g_build_filename(dir, "device", NULL);
	RigQemuUser user;

	g_assert_true(rig_virtroot_user(&user, NULL));
	g_assert_true(rig_file_write(path, "x", -1, 0600, NULL));
	g_assert_cmpint(g_chmod(dir, 0755), ==, 0);
	g_assert_cmpint(rig_virtroot_try_open(path, &user), ==, user.other ? EACCES : 0);
	g_assert_cmpint(chown(path, (uid_t)-1, user.gid), ==, 0);
	g_assert_cmpint(g_chmod(path, 0660), ==, 0);
	g_assert_cmpint(rig_virtroot_try_open(path, &user), ==, 0);
	g_assert_cmpint(g_chmod(path, 0440), ==, 0);
	g_assert_cmpint(rig_virtroot_try_open(path, &user), ==, EACCES);
	g_assert_cmpint(g_unlink(path), ==, 0);
	g_assert_cmpint(rig_virtroot_try_open(path, &user), ==, ENOENT);
	expect_remove(dir);
}

static void test_forget(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *run = g_build_filename(dir, "run", "qemu", NULL);
	g_autofree char *status = g_build_filename(run, "a-name-that-is-long-enough.xml", NULL);
	g_autofree char *other = g_build_filename(run, "other.xml", NULL);
	g_autofree char *lib =
		g_build_filename(dir, "lib", "qemu", "domain-7-a-name-that-is-long-", NULL);
	g_autofree char *lib_other =
		g_build_filename(dir, "lib", "qemu", "domain-8-a-name-that-is-long-", NULL);

	g_assert_true(rig_file_make_dirs(run, 0755, NULL));
	g_assert_true(rig_file_make_dirs(lib, 0755, NULL));
	g_assert_true(rig_file_make_dirs(lib_other, 0755, NULL));
	g_assert_true(rig_file_write(status, "x", -1, 0600, NULL));
	g_assert_true(rig_file_write(other, "x", -1, 0600, NULL));
	rig_virtroot_forget(dir, "a-name-that-is-long-enough", 7);
	g_assert_false(g_file_test(status, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(other, G_FILE_TEST_EXISTS));
	g_assert_false(g_file_test(lib, G_FILE_TEST_EXISTS));
	g_assert_true(g_file_test(lib_other, G_FILE_TEST_EXISTS));
	expect_remove(dir);
}

int main(int argc, char **argv)
{
	rig_virt_serve_if_asked(argc, argv);
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/virt/life", test_life);
	g_test_add_func("/virt/bad-xml", test_bad_xml);
	g_test_add_func("/virt/same-name", test_same_name);
	g_test_add_func("/virt/capabilities", test_capabilities);
	g_test_add_func("/virt/bad-uri", test_bad_uri);
	g_test_add_func("/virt/cancelled", test_cancelled);
	g_test_add_func("/virt/remote", test_remote);
	g_test_add_func("/virt/embedded", test_embedded);
	g_test_add_func("/virt/embedded-held", test_embedded_held);
	g_test_add_func("/virt/closed-folder", test_closed_folder);
	g_test_add_func("/virt/try-open", test_try_open);
	g_test_add_func("/virt/forget", test_forget);
	return g_test_run();
}
