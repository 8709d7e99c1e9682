/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bootset-build.c - makes images and boot sets.
 *
 * Everything for libguestfs is prepared first (lists of files made into tar archives), then one
 * launch of the appliance writes all disks, then each boot set is published.
 */
#include "vm/bootset-private.h"

#include "base/error.h"
#include "base/file.h"
#include "proto.h"
#include "vm/accel.h"
#include "vm/debian.h"
#include "vm/drivers.h"
#include "vm/guestfs.h"
#include "vm/initramfs.h"
#include "vm/kernelcheck.h"
#include "vm/modules-index.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* What a guest needs to reach its disk and the agent's port. */
static const RigDriver disk_drivers[] = {
	{"virtio_pci", "CONFIG_VIRTIO_PCI"},
	{"virtio_blk", "CONFIG_VIRTIO_BLK"},
	{"virtio_console", "CONFIG_VIRTIO_CONSOLE"},
	{"ext4", "CONFIG_EXT4_FS"},
	{NULL, NULL},
};
/* A diskless guest may have the agent's port, or only the output port, which needs no driver. */
static const char *const diskless_modules[] = {"virtio_pci", "virtio_console", NULL};
/* The first tells QEMU where the kernel describes itself (VMCOREINFO), which readers of a dump
 * want; the second that it panics, so that the guest stands still right there. */
static const char *const dump_modules[] = {"qemu_fw_cfg", "pvpanic_mmio", NULL};

/* One boot set being made. */
typedef struct {
	const RigBootsetContext *context;
	const RigBootsetEntry *entry;
	char *dir; /* that becomes the cache entry */
	char *tar; /* what goes into the disk */
	char *disk, *backing;
	RigModules *modules;
	char *modules_dir;
} Work;

static void work_free(gpointer data)
{
	Work *work = data;

	g_free(work->dir);
	g_free(work->tar);
	g_free(work->disk);
	g_free(work->backing);
	g_free(work->modules_dir);
	rig_modules_free(work->modules);
	g_free(work);
}

static gboolean write_tar(const RigRootfs *rootfs, const char *path, GError **error)
{
	int fd = g_open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	gboolean good;

	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot create", path);
		return FALSE;
	}
	good = rig_rootfs_write(rootfs, RIG_ROOTFS_TAR, fd, error);
	close(fd);
	return good;
}

/* Without a proof libguestfs must not try KVM: it would hang where KVM is there and useless. */
static gboolean kvm_works(const RigBootsetContext *context)
{
	g_auto(RigKvmProbe) probe = {0};

	rig_accel_probe(context->paths, context->log, NULL, TRUE, context->cancellable, &probe);
	return probe.known && probe.usable;
}

static gboolean write_disks(const RigBootsetContext *context, const char *scratch,
			    const RigGuestfsDisk *disks, guint n, GError **error)
{
	RigGuestfs guestfs = {.paths = context->paths,
			      .scratch = scratch,
			      .log = context->log,
			      .cancellable = context->cancellable};

	guestfs.kvm = kvm_works(context);
	return rig_guestfs_write(&guestfs, disks, n, error);
}

static RigScratch *new_scratch(const RigBootsetContext *context, GError **error)
{
	return rig_scratch_new(context->paths->cache, "build", error);
}

/* The list of what goes into a disk of IMAGE. */
static RigRootfs *new_rootfs(const RigImage *image)
{
	RigRootfs *rootfs = rig_rootfs_new();

	if (image->debian)
		rig_rootfs_lay_over(rootfs);
	return rootfs;
}

/* The entry "KIND/KEY" whose folder is DIR. g_free. */
static char *entry_name(const char *dir)
{
	g_autofree char *parent = g_path_get_dirname(dir);
	g_autofree char *kind = g_path_get_basename(parent);
	g_autofree char *key = g_path_get_basename(dir);

	return g_build_filename(kind, key, NULL);
}

static gboolean build_image(const RigBootsetContext *context, const RigImageEntry *image,
			    GError **error)
{
	g_autoptr(RigScratch) scratch = new_scratch(context, error);
	g_autoptr(RigRootfs) rootfs = new_rootfs(image->image);
	g_autofree char *base =
		image->base ? g_build_filename(image->base, RIG_DEBIAN_TAR, NULL) : NULL;
	g_autofree char *uses = image->base ? entry_name(image->base) : NULL;
	g_autofree char *dir = scratch ? g_build_filename(scratch->path, "image", NULL) : NULL;
	g_autofree char *tar = scratch ? g_build_filename(scratch->path, "tar", NULL) : NULL;
	g_autofree char *path = dir ? g_build_filename(dir, RIG_IMAGE_FILE, NULL) : NULL;
	RigGuestfsDisk disk = {.path = path, .size = image->image->size, .base = base, .tar = tar};

	if (!scratch)
		return FALSE;
	rig_log_info(context->log, "building image %s (once)", image->image->name);
	if (!rig_rootfs_add_image(rootfs, image->image, RIG_ROOTFS_BASE, context->paths,
				  image->busybox, error) ||
	    !write_tar(rootfs, tar, error) || !rig_file_make_dirs(dir, 0755, error) ||
	    !write_disks(context, scratch->path, &disk, 1, error)) {
		g_prefix_error(error, "building image %s: ", image->image->name);
		return FALSE;
	}
	return rig_cache_publish(dir, image->dir, image->inputs, uses, NULL, error);
}

gboolean rig_bootset_ensure_image(const RigBootsetContext *context, const RigImageEntry *image,
				  gboolean *hit, GError **error)
{
	g_autoptr(RigLock) lock = NULL;

	*hit = rig_cache_hit(image->dir, context->log);
	if (*hit)
		return TRUE;
	lock = rig_cache_lock(context->paths->cache, RIG_CACHE_IMAGE, image->key, context->log,
			      context->cancellable, error);
	if (!lock)
		return FALSE;
	/* Another rig may have made it while we waited. */
	*hit = rig_cache_hit(image->dir, NULL);
	return *hit || build_image(context, image, error);
}

/* The index that busybox's modprobe reads. */
static void add_plain_index(const Work *work, RigRootfs *rootfs, const GPtrArray *files,
			    const char *target)
{
	g_autofree char *dep_path = g_build_filename(target, "modules.dep", NULL);
	g_autofree char *dep = rig_modules_dep(work->modules, files);
	g_autofree char *builtin = g_build_filename(work->modules_dir, "modules.builtin", NULL);
	g_autofree char *builtin_path = g_build_filename(target, "modules.builtin", NULL);

	rig_rootfs_add_text(rootfs, dep_path, dep, 0644);
	if (g_file_test(builtin, G_FILE_TEST_EXISTS))
		rig_rootfs_add_file(rootfs, builtin_path, builtin, 0644);
}

/* The part of the kernel's modules that the recipe wants, where modprobe looks for it. */
static gboolean add_modules(Work *work, RigRootfs *rootfs, GError **error)
{
	const RigKernel *kernel = work->entry->spec->kernel;
	const RigImage *image = work->entry->image->image;
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *target = g_build_filename("/lib/modules", kernel->release, NULL);
	g_autofree char *stage = g_strconcat(work->dir, ".modules", NULL);

	if (!work->modules_dir)
		return TRUE;
	if (!rig_modules_resolve(work->modules, (const char *const *)image->modules, files, error))
		return FALSE;
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *source =
			g_build_filename(work->modules_dir, files->pdata[i], NULL);
		g_autofree char *path = g_build_filename(target, files->pdata[i], NULL);

		rig_rootfs_add_file(rootfs, path, source, 0644);
	}
	if (image->debian)
		return rig_modules_index(rootfs, work->modules_dir, kernel->release, files, stage,
					 error);
	add_plain_index(work, rootfs, files, target);
	return TRUE;
}

static gboolean add_programs(Work *work, RigRootfs *rootfs, GError **error)
{
	const char *const *programs = work->entry->spec->programs;

	for (guint i = 0; programs && programs[i]; i++) {
		g_autofree char *base = g_path_get_basename(programs[i]);
		g_autofree char *path = g_build_filename(RIG_GUEST_BIN, base, NULL);

		if (!rig_rootfs_check_program(programs[i], work->entry->image->image, error))
			return FALSE;
		rig_rootfs_add_file(rootfs, path, programs[i], 0755);
	}
	return TRUE;
}

/* What a kernel's overlay has above the image. */
static gboolean add_overlay(Work *work, RigRootfs *rootfs, GError **error)
{
	const RigImageEntry *image = work->entry->image;

	return rig_rootfs_add_image(rootfs, image->image, RIG_ROOTFS_OWN, work->context->paths,
				    image->busybox, error) &&
	       add_modules(work, rootfs, error) && add_programs(work, rootfs, error);
}

static gboolean find_boot_modules(Work *work, GPtrArray *files, GError **error)
{
	const RigBootsetSpec *spec = work->entry->spec;
	g_autofree char *config = rig_kernel_config(spec->kernel);

	if (spec->diskless)
		return rig_modules_resolve(work->modules, diskless_modules, files, error);
	return rig_drivers_resolve(work->modules, config, spec->kernel->name, disk_drivers, files,
				   error);
}

/* A disk's initramfs only brings drivers, so without drivers there is none. A diskless guest's has
 * all. */
static gboolean write_initrd(Work *work, GError **error)
{
	const RigBootsetSpec *spec = work->entry->spec;
	g_autofree char *init = g_build_filename(work->context->paths->libexec, "rig-init", NULL);
	g_autofree char *path = g_build_filename(work->dir, RIG_INITRD_FILE, NULL);
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GPtrArray) more = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();

	if (!find_boot_modules(work, files, error))
		return FALSE;
	if (!spec->diskless && !files->len)
		return TRUE;
	if (!rig_modules_resolve(work->modules, dump_modules, more, error))
		return FALSE;
	if (!rig_rootfs_check_program(init, NULL, error))
		return FALSE;
	if (spec->diskless &&
	    (!rig_rootfs_add_image(rootfs, work->entry->image->image, RIG_ROOTFS_BASE,
				   work->context->paths, work->entry->image->busybox, error) ||
	     !add_overlay(work, rootfs, error)))
		return FALSE;
	rig_initramfs_add_boot(rootfs, init, work->modules_dir, files);
	rig_initramfs_add_modules(rootfs, work->modules_dir, more, RIG_INITRAMFS_DUMP_MODULES);
	return rig_initramfs_write(rootfs, path, error);
}

/* <cache>/.rig-build-X/N/ and <cache>/bootset/KEY/ lie equally deep, so the way to the image is the
 * same before and after the rename. */
static gboolean prepare_disk(Work *work, GError **error)
{
	g_autoptr(RigRootfs) rootfs = new_rootfs(work->entry->image->image);

	work->tar = g_strconcat(work->dir, ".tar", NULL);
	work->disk = g_build_filename(work->dir, RIG_DISK_FILE, NULL);
	work->backing = g_build_filename("..", "..", RIG_CACHE_IMAGE, work->entry->image->key,
					 RIG_IMAGE_FILE, NULL);
	return add_overlay(work, rootfs, error) && write_tar(rootfs, work->tar, error);
}

static gboolean prepare(Work *work, GError **error)
{
	const RigBootsetSpec *spec = work->entry->spec;

	work->modules_dir = rig_kernel_modules_dir(spec->kernel);
	if (rig_kernel_check_modules(spec->kernel, error))
		work->modules = rig_modules_open(work->modules_dir, error);
	if (work->modules && rig_file_make_dirs(work->dir, 0755, error) &&
	    write_initrd(work, error) && (spec->diskless || prepare_disk(work, error)))
		return TRUE;
	g_prefix_error(error, "boot set for kernel %s: ", spec->kernel->name);
	return FALSE;
}

static GPtrArray *prepare_all(const RigBootsetContext *context, const GPtrArray *entries,
			      const char *scratch, GError **error)
{
	g_autoptr(GPtrArray) works = g_ptr_array_new_with_free_func(work_free);

	for (guint i = 0; i < entries->len; i++) {
		Work *work = g_new0(Work, 1);

		g_ptr_array_add(works, work);
		work->context = context;
		work->entry = entries->pdata[i];
		work->dir = g_strdup_printf("%s/%u", scratch, i);
		rig_log_status(context->log, "collecting modules and programs for kernel %s",
			       work->entry->spec->kernel->name);
		if (!prepare(work, error))
			return NULL;
	}
	return g_steal_pointer(&works);
}

static gboolean ensure_images(const RigBootsetContext *context, const GPtrArray *entries,
			      GError **error)
{
	for (guint i = 0; i < entries->len; i++) {
		const RigBootsetEntry *entry = entries->pdata[i];
		gboolean hit;

		if (!entry->spec->diskless &&
		    !rig_bootset_ensure_image(context, entry->image, &hit, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean write_all(const RigBootsetContext *context, const GPtrArray *works,
			  const char *scratch, GError **error)
{
	g_autofree RigGuestfsDisk *disks = g_new0(RigGuestfsDisk, works->len);
	guint n = 0;

	for (guint i = 0; i < works->len; i++) {
		const Work *work = works->pdata[i];

		if (work->disk)
			disks[n++] = (RigGuestfsDisk){
				.path = work->disk, .backing = work->backing, .tar = work->tar};
	}
	return n == 0 || write_disks(context, scratch, disks, n, error);
}

static gboolean publish(const Work *work, GError **error)
{
	const RigBootsetEntry *entry = work->entry;
	g_autofree char *uses = entry_name(entry->image->dir);
	g_autofree char *sha256 = rig_cache_digest(entry->image->dir, RIG_IMAGE_FILE);
	gboolean alone = entry->spec->diskless;

	return rig_cache_publish(work->dir, entry->dir, entry->inputs, alone ? NULL : uses,
				 alone ? NULL : sha256, error);
}

gboolean rig_bootset_build(const RigBootsetContext *context, const GPtrArray *entries,
			   GError **error)
{
	g_autoptr(RigScratch) scratch = new_scratch(context, error);
	g_autoptr(GPtrArray) works = NULL;

	if (!scratch)
		return FALSE;
	rig_log_info(context->log, "building %u boot set%s (once)", entries->len,
		     entries->len == 1 ? "" : "s");
	works = prepare_all(context, entries, scratch->path, error);
	if (!works || !ensure_images(context, entries, error) ||
	    !write_all(context, works, scratch->path, error)) {
		g_prefix_error(error, "building boot sets: ");
		return FALSE;
	}
	for (guint i = 0; i < works->len; i++)
		if (!publish(works->pdata[i], error))
			return FALSE;
	return TRUE;
}
