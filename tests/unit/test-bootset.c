/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-bootset.c - what makes a boot set another one, and what the cache says of them.
 *
 * Diskless ones need no libguestfs, so all but the disks is tested here; tests/vm has those.
 */
#include "vm/bootset.h"

#include "arfix.h"
#include "expect.h"
#include "kofix.h"
#include "vm/cache.h"
#include "vm/kernelstore.h"

#include <glib/gstdio.h>
#include <unistd.h>

typedef struct {
	char *dir;
	RigPaths paths;
	RigKernel *kernel;
	RigImage *image;
} Fix;

static void write_recipe(Fix *fix, const char *motd)
{
	g_autofree char *text =
		g_strdup_printf("{\"version\":1,\"text\":\"t\",\"size\":\"64M\",\"modules\":["
				"\"null_*\"],\"files\":["
				"{\"path\":\"/bin/busybox\",\"from\":\"busybox\"},"
				"{\"path\":\"/sbin/rig-agent\",\"from\":\"guest:rig-agent\"},"
				"{\"path\":\"/etc/motd\",\"text\":\"%s\"}]}",
				motd);
	g_autofree char *path = g_build_filename(fix->dir, "mine.json", NULL);
	g_autoptr(GError) error = NULL;

	kofix_write(fix->dir, "mine.json", text, -1);
	rig_image_free(fix->image);
	fix->image = rig_image_load(path, &error);
	g_assert_no_error(error);
}

static RigKernel *add_kernel(Fix *fix, const char *name, const char *banner, const char *config)
{
	g_autoptr(GByteArray) vmlinux = kofix_vmlinux(banner);
	g_autofree char *tree = g_build_filename(fix->dir, name, NULL);
	g_autofree char *kernels = g_build_filename(fix->paths.state, "kernels", NULL);
	const RigKernelStore store = {.kernels_dir = kernels, .cache_dir = fix->paths.cache};
	const RigKernelSource source = {.source = tree, .name = name};
	g_autoptr(GError) error = NULL;
	RigKernel *kernel;

	kofix_write(tree, "vmlinux", vmlinux->data, vmlinux->len);
	kofix_write(tree, ".config", config, -1);
	kofix_write(tree, "modules.order", "kernel/null_blk.ko\n", -1);
	kofix_add(tree, "null_blk.ko", "depends=");
	kernel = rig_kernelstore_add(&store, &source, &error);
	g_assert_no_error(error);
	return kernel;
}

static void write_program(Fix *fix, const char *name, const char *text)
{
	g_autoptr(GByteArray) elf = kofix_elf(PT_LOAD, "x", 1, text);
	g_autofree char *file = g_strconcat("libexec/", name, NULL);

	kofix_write(fix->dir, file, elf->data, elf->len);
}

#define BANNER "Linux version 6.1.0 (b) (gcc-12) #1 SMP"

static void setup(Fix *fix, gconstpointer data)
{
	fix->dir = expect_temp_dir();
	fix->paths.state = g_build_filename(fix->dir, "state", NULL);
	fix->paths.cache = g_build_filename(fix->dir, "cache", NULL);
	fix->paths.libexec = g_build_filename(fix->dir, "libexec", NULL);
	write_program(fix, "rig-init", "init");
	write_program(fix, "rig-agent", "agent");
	write_program(fix, "extra", "extra");
	write_recipe(fix, "hello");
	fix->kernel = add_kernel(fix, "base", BANNER, "CONFIG_X=y\n");
}

static void teardown(Fix *fix, gconstpointer data)
{
	rig_kernel_free(fix->kernel);
	rig_image_free(fix->image);
	g_free(fix->paths.state);
	g_free(fix->paths.cache);
	g_free(fix->paths.libexec);
	expect_remove(fix->dir);
}

static RigBootset *get(Fix *fix, const RigKernel *kernel, const char *program, gboolean diskless,
		       GError **error)
{
	const RigBootsetContext context = {.paths = &fix->paths};
	g_autofree char *path = g_build_filename(fix->paths.libexec, "extra", NULL);
	const char *programs[] = {program ? program : path, NULL};
	const RigBootsetSpec spec = {.kernel = kernel ? kernel : fix->kernel,
				     .image = fix->image,
				     .programs = programs,
				     .diskless = diskless};
	g_autoptr(GPtrArray) all = rig_bootset_get(&context, &spec, 1, error);

	if (!all)
		return NULL;
	g_assert_cmpuint(all->len, ==, 1);
	return g_ptr_array_steal_index(all, 0);
}

static RigBootset *get_good(Fix *fix, const RigKernel *kernel)
{
	g_autoptr(GError) error = NULL;
	RigBootset *bootset = get(fix, kernel, NULL, TRUE, &error);

	g_assert_no_error(error);
	return bootset;
}

static void test_content(Fix *fix, gconstpointer data)
{
	RigBootset *bootset = get_good(fix, NULL);
	g_autofree char *bytes = NULL, *list = NULL;
	g_autoptr(GError) error = NULL;
	static const char *const wanted[] = {
		"100755 init = ",
		"100755 sbin/rig-agent = ",
		"100755 rig/bin/extra = ",
		"100644 etc/motd = hello\n",
		"100644 lib/modules/6.1.0/kernel/null_blk.ko = ",
		"100644 lib/modules/6.1.0/modules.dep = kernel/null_blk.ko:\n",
		"100755 bin/busybox = ",
		"120777 bin/sh -> /bin/busybox\n",
		"20600 dev/console\n",
	};
	gsize length;

	g_assert_null(bootset->disk);
	g_assert_false(bootset->hit);
	g_assert_true(g_str_has_suffix(bootset->boot, "/kernels/base/boot"));
	bytes = rig_file_read(bootset->initrd, 16 << 20, &length, &error);
	g_assert_no_error(error);
	list = arfix_list(bytes, length, TRUE);
	for (guint i = 0; i < G_N_ELEMENTS(wanted); i++)
		if (!strstr(list, wanted[i]))
			g_error("%s is not in the initramfs", wanted[i]);
	rig_bootset_free(bootset);
}

/* Run FN, and tell whether the boot set is still the same one. */
static gboolean is_same_after(Fix *fix, void (*fn)(Fix *fix))
{
	RigBootset *before = get_good(fix, NULL), *after;
	gboolean same;

	fn(fix);
	after = get_good(fix, NULL);
	same = !strcmp(before->key, after->key);
	g_assert_cmpint(same, ==, after->hit);
	rig_bootset_free(before);
	rig_bootset_free(after);
	return same;
}

static void change_nothing(Fix *fix)
{
}

static void change_agent(Fix *fix)
{
	write_program(fix, "rig-agent", "another agent");
}

static void change_init(Fix *fix)
{
	write_program(fix, "rig-init", "another init");
}

static void change_extra(Fix *fix)
{
	write_program(fix, "extra", "another");
}

static void change_recipe(Fix *fix)
{
	write_recipe(fix, "goodbye");
}

static void change_unrelated(Fix *fix)
{
	write_program(fix, "rig-other", "not in the recipe");
}

static void test_key(Fix *fix, gconstpointer data)
{
	g_assert_true(is_same_after(fix, change_nothing));
	g_assert_true(is_same_after(fix, change_unrelated));
	g_assert_false(is_same_after(fix, change_agent));
	g_assert_false(is_same_after(fix, change_init));
	g_assert_false(is_same_after(fix, change_extra));
	g_assert_false(is_same_after(fix, change_recipe));
}

/* A kernel that was built again with the same config and modules takes the boot set that is there.
 */
static void test_rebuilt_kernel(Fix *fix, gconstpointer data)
{
	g_autoptr(RigKernel) rebuilt = add_kernel(fix, "again", BANNER " again", "CONFIG_X=y\n");
	g_autoptr(RigKernel) other = add_kernel(fix, "other", BANNER, "CONFIG_X=n\n");
	RigBootset *first = get_good(fix, NULL);
	RigBootset *second = get_good(fix, rebuilt), *third = get_good(fix, other);

	g_assert_cmpstr(first->key, ==, second->key);
	g_assert_true(second->hit);
	g_assert_cmpstr(first->boot, !=, second->boot);
	g_assert_cmpstr(first->key, !=, third->key);
	rig_bootset_free(first);
	rig_bootset_free(second);
	rig_bootset_free(third);
}

static void test_damaged(Fix *fix, gconstpointer data)
{
	RigBootset *first = get_good(fix, NULL), *second;

	g_assert_cmpint(truncate(first->initrd, 100), ==, 0);
	second = get_good(fix, NULL);
	g_assert_false(second->hit);
	g_assert_cmpstr(first->key, ==, second->key);
	rig_bootset_free(first);
	rig_bootset_free(second);
}

static void test_errors(Fix *fix, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GByteArray) dynamic = kofix_elf(PT_INTERP, "/lib64/ld.so", 13, "");
	g_autofree char *path = g_build_filename(fix->dir, "dyn", NULL);
	g_autofree char *init = g_build_filename(fix->paths.libexec, "rig-init", NULL);
	g_autofree char *cache = NULL;

	/* The config is known and has no virtio_pci: no guest with a disk, and no appliance is
	 * started to find out. */
	g_assert_null(get(fix, NULL, NULL, FALSE, &error));
	expect_error(&error, RIG_ERROR_HOST,
		     "base lacks the driver virtio_pci (CONFIG_VIRTIO_PCI)");
	kofix_write(fix->dir, "dyn", dynamic->data, dynamic->len);
	g_assert_null(get(fix, NULL, path, TRUE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "/lib64/ld.so");
	g_assert_null(get(fix, NULL, "/no/such/program", TRUE, &error));
	expect_error(&error, RIG_ERROR_HOST, "/no/such/program");
	g_assert_cmpint(g_unlink(init), ==, 0);
	g_assert_null(get(fix, NULL, NULL, TRUE, &error));
	expect_error(&error, RIG_ERROR_HOST, "rig-init");
}

/* It is refused before apt or mmdebstrap is asked for anything. */
static void test_debian_diskless(Fix *fix, gconstpointer data)
{
	g_autofree char *path = g_build_filename(fix->dir, "deb.json", NULL);
	g_autoptr(GError) error = NULL;

	kofix_write(fix->dir, "deb.json",
		    "{\"version\":1,\"text\":\"t\",\"size\":\"1G\",\"files\":[],"
		    "\"debian\":{\"suite\":\"sid\"}}",
		    -1);
	rig_image_free(fix->image);
	fix->image = rig_image_load(path, &error);
	g_assert_no_error(error);
	g_assert_null(get(fix, NULL, NULL, TRUE, &error));
	expect_error(&error, RIG_ERROR_USAGE, "leave out --diskless");
	g_assert_false(g_file_test(fix->paths.cache, G_FILE_TEST_EXISTS));
}

static void test_job(Fix *fix, gconstpointer data)
{
	RigBootset *bootset = get_good(fix, NULL);
	g_autofree char *path = g_build_filename(fix->dir, "with-job", NULL);
	g_autofree char *bytes = NULL, *list = NULL;
	g_autoptr(GError) error = NULL;
	gsize length;

	if (!rig_bootset_write_job(bootset, "{\"argv\":[]}", path, &error))
		g_error("%s", error->message);
	bytes = rig_file_read(path, 16 << 20, &length, &error);
	list = arfix_list(bytes, length, TRUE);
	g_assert_true(g_str_has_suffix(list, "100644 rig/job.json = {\"argv\":[]}\n"));
	g_clear_pointer(&bootset->initrd, g_free);
	g_assert_false(rig_bootset_write_job(bootset, "{}", path, &error));
	expect_error(&error, RIG_ERROR_USAGE, "diskless");
	rig_bootset_free(bootset);
}

static const RigCacheEntry *find(const GPtrArray *entries, const char *kind)
{
	for (guint i = 0; i < entries->len; i++)
		if (!strcmp(((RigCacheEntry *)entries->pdata[i])->kind, kind))
			return entries->pdata[i];
	return NULL;
}

static void test_cache(Fix *fix, gconstpointer data)
{
	RigBootset *bootset = get_good(fix, NULL);
	g_autofree char *guest = g_strdup_printf("{\"initrd\": \"%s\"}", bootset->initrd);
	g_autofree char *guest_file =
		g_build_filename(fix->paths.state, "guests/g/guest.json", NULL);
	g_autoptr(GPtrArray) free_list = NULL, used_list = NULL, again = NULL;
	const RigCacheEntry *entry;
	g_autoptr(GError) error = NULL;

	kofix_write(fix->paths.state, "guests/g/guest.json", guest, -1);
	used_list = rig_bootset_cache_list(&fix->paths, &error);
	g_assert_no_error(error);
	entry = find(used_list, "bootset");
	g_assert_true(entry->in_use);
	g_assert_cmpstr(entry->key, ==, bootset->key);
	g_assert_cmpuint(entry->bytes, >, 1000);
	g_assert_false(rig_bootset_cache_remove(&fix->paths, entry, &error));
	expect_error(&error, RIG_ERROR_USAGE, "in use");
	g_assert_cmpint(g_unlink(guest_file), ==, 0);
	free_list = rig_bootset_cache_list(&fix->paths, &error);
	entry = find(free_list, "bootset");
	g_assert_false(entry->in_use);
	g_assert_true(rig_bootset_cache_verify(entry, &error));
	g_assert_true(rig_bootset_cache_remove(&fix->paths, entry, &error));
	again = rig_bootset_cache_list(&fix->paths, &error);
	g_assert_null(find(again, "bootset"));
	rig_bootset_free(bootset);
}

static void publish(Fix *fix, const char *kind, const char *key, const char *uses)
{
	g_autofree char *from = g_build_filename(fix->dir, "from", NULL);
	g_autofree char *dir = rig_cache_path(fix->paths.cache, kind, key);
	g_autoptr(GError) error = NULL;

	kofix_write(from, "file", "content", -1);
	if (!rig_cache_publish(from, dir, "inputs\n", uses, NULL, &error))
		g_error("%s", error->message);
}

/* A guest's boot set lies on an image, which was made of a Debian root; another root is free. */
static void test_cache_chain(Fix *fix, gconstpointer data)
{
	static const char *const in_use[] = {"bootset", "image", "debian"};
	g_autoptr(GPtrArray) entries = NULL;
	g_autoptr(GError) error = NULL;
	guint n = 0;

	publish(fix, "debian", "dddd", NULL);
	publish(fix, "debian", "eeee", NULL);
	publish(fix, "image", "iiii", "debian/dddd");
	publish(fix, "bootset", "bbbb", "image/iiii");
	kofix_write(fix->paths.state, "guests/g/guest.json", "{\"disk\": \"bbbb\"}", -1);
	entries = rig_bootset_cache_list(&fix->paths, &error);
	g_assert_no_error(error);
	for (guint i = 0; i < G_N_ELEMENTS(in_use); i++)
		g_assert_nonnull(find(entries, in_use[i]));
	for (guint i = 0; i < entries->len; i++) {
		const RigCacheEntry *entry = entries->pdata[i];

		g_assert_cmpint(entry->in_use, ==, strcmp(entry->key, "eeee") != 0);
		n += entry->in_use;
	}
	g_assert_cmpuint(n, ==, 3);
}

#define TEST(path, fn) g_test_add(path, Fix, NULL, setup, fn, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	TEST("/bootset/content", test_content);
	TEST("/bootset/key", test_key);
	TEST("/bootset/rebuilt-kernel", test_rebuilt_kernel);
	TEST("/bootset/damaged", test_damaged);
	TEST("/bootset/errors", test_errors);
	TEST("/bootset/job", test_job);
	TEST("/bootset/debian-diskless", test_debian_diskless);
	TEST("/bootset/cache", test_cache);
	TEST("/bootset/cache-chain", test_cache_chain);
	return g_test_run();
}
