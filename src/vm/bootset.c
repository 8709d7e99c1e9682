/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bootset.c - boot sets out of the cache, or made when they are not there.
 *
 * The kernel's own file is no part of what is cached: QEMU loads it from the store, and a kernel
 * that was built again with the same modules and config needs nothing new.
 */
#include "vm/bootset-private.h"

#include "base/error.h"
#include "base/text.h"
#include "proto.h"
#include "vm/debian.h"
#include "vm/initramfs.h"
#include "vm/kernelcheck.h"
#include "vm/rootfs.h"

#include <string.h>

#define FORMAT "rig boot set 2"
#define IMAGE_FORMAT "rig image 1"

void rig_bootset_free(RigBootset *bootset)
{
	if (!bootset)
		return;
	g_free(bootset->key);
	g_free(bootset->boot);
	g_free(bootset->initrd);
	g_free(bootset->disk);
	g_free(bootset->cmdline);
	g_free(bootset);
}

static void image_entry_free(gpointer data)
{
	RigImageEntry *entry = data;

	g_free(entry->busybox);
	g_free(entry->base);
	g_free(entry->inputs);
	g_free(entry->key);
	g_free(entry->dir);
	g_free(entry);
}

static void bootset_entry_free(gpointer data)
{
	RigBootsetEntry *entry = data;

	g_free(entry->inputs);
	g_free(entry->key);
	g_free(entry->dir);
	g_free(entry);
}

static gboolean append_digest(GString *inputs, RigDigests *digests, const char *what,
			      const char *path, GError **error)
{
	const char *digest = rig_digests_get(digests, path, error);

	if (!digest)
		return FALSE;
	g_string_append_printf(inputs, "%s %s\n", what, digest);
	return TRUE;
}

static gboolean append_image_inputs(GString *inputs, RigDigests *digests, const RigImage *image,
				    const char *busybox, GError **error)
{
	g_string_append(inputs, IMAGE_FORMAT "\n");
	if (!append_digest(inputs, digests, "recipe", image->path, error) ||
	    !append_digest(inputs, digests, "busybox", busybox, error))
		return FALSE;
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];

		if (file->from && file->from[0] == '/' &&
		    !append_digest(inputs, digests, file->path, file->from, error))
			return FALSE;
	}
	return TRUE;
}

/* What apt finds for the same words changes with time. So an image is keyed by what was found,
 * which has to be there first. */
static gboolean append_base(GString *inputs, const RigBootsetContext *context,
			    const RigImage *image, char **base, GError **error)
{
	g_autofree char *digest = NULL;

	if (!image->debian)
		return TRUE;
	*base = rig_debian_get(context, image->debian, error);
	if (!*base)
		return FALSE;
	digest = rig_cache_digest(*base, RIG_DEBIAN_TAR);
	g_string_append_printf(inputs, "debian %s\n", digest);
	return TRUE;
}

static RigImageEntry *find_image(const RigBootsetContext *context, RigDigests *digests,
				 const RigImage *image, GError **error)
{
	g_autoptr(GString) inputs = g_string_new(NULL);
	g_autofree char *busybox = rig_rootfs_find_busybox(error);
	g_autofree char *base = NULL;
	RigImageEntry *entry;

	if (!busybox || !append_image_inputs(inputs, digests, image, busybox, error) ||
	    !append_base(inputs, context, image, &base, error)) {
		g_prefix_error(error, "image %s: ", image->name);
		return NULL;
	}
	entry = g_new0(RigImageEntry, 1);
	entry->image = image;
	entry->busybox = g_steal_pointer(&busybox);
	entry->base = g_steal_pointer(&base);
	entry->key = rig_text_sha256(inputs->str);
	entry->inputs = g_strdup(inputs->str);
	entry->dir = rig_cache_path(context->paths->cache, RIG_CACHE_IMAGE, entry->key);
	return entry;
}

/* rig's own programs that the recipe names, and rig-init. */
static gboolean append_own(GString *inputs, RigDigests *digests, const RigPaths *paths,
			   const RigImage *image, GError **error)
{
	g_autofree char *init = g_build_filename(paths->libexec, "rig-init", NULL);

	if (!append_digest(inputs, digests, "init", init, error))
		return FALSE;
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];
		g_autofree char *path = NULL;

		if (!file->from || !g_str_has_prefix(file->from, "guest:"))
			continue;
		path = g_build_filename(paths->libexec, file->from + strlen("guest:"), NULL);
		if (!append_digest(inputs, digests, file->path, path, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean append_programs(GString *inputs, RigDigests *digests, const char *const *programs,
				GError **error)
{
	for (guint i = 0; programs && programs[i]; i++) {
		g_autofree char *base = g_path_get_basename(programs[i]);
		g_autofree char *what = g_strconcat("program ", base, NULL);

		if (!append_digest(inputs, digests, what, programs[i], error))
			return FALSE;
	}
	return TRUE;
}

static const char *or_dash(const char *text)
{
	return text ? text : "-";
}

static RigBootsetEntry *find_bootset(const RigBootsetContext *context, RigDigests *digests,
				     const RigBootsetSpec *spec, const RigImageEntry *image,
				     GError **error)
{
	g_autoptr(GString) inputs = g_string_new(FORMAT "\n");
	const RigKernel *kernel = spec->kernel;
	RigBootsetEntry *entry;

	g_string_append_printf(inputs, "release %s\nconfig %s\nmodules %s\nimage %s\n%s\n",
			       kernel->release, or_dash(kernel->config_sha256),
			       or_dash(kernel->modules_sha256), image->key,
			       spec->diskless ? "diskless" : "disk");
	if (!append_own(inputs, digests, context->paths, image->image, error) ||
	    !append_programs(inputs, digests, spec->programs, error)) {
		g_prefix_error(error, "boot set for kernel %s: ", kernel->name);
		return NULL;
	}
	entry = g_new0(RigBootsetEntry, 1);
	entry->spec = spec;
	entry->image = image;
	entry->key = rig_text_sha256(inputs->str);
	entry->inputs = g_strdup(inputs->str);
	entry->dir = rig_cache_path(context->paths->cache, RIG_CACHE_BOOTSET, entry->key);
	return entry;
}

/* A disk is worth nothing without the image below it, and that very one: an image that was made
 * again has its blocks elsewhere. */
static gboolean has_its_image(const RigBootsetEntry *entry, RigLog *log)
{
	g_autofree char *wanted = rig_cache_uses_sha256(entry->dir);
	g_autofree char *is = NULL;

	if (!rig_cache_hit(entry->image->dir, log))
		return FALSE;
	is = rig_cache_digest(entry->image->dir, RIG_IMAGE_FILE);
	if (wanted && !g_strcmp0(wanted, is))
		return TRUE;
	rig_log_info(log, "boot set %.12s lies on an image that was made again", entry->key);
	return FALSE;
}

static gboolean is_hit(const RigBootsetEntry *entry, RigLog *log)
{
	return rig_cache_hit(entry->dir, log) &&
	       (entry->spec->diskless || has_its_image(entry, log));
}

static int compare_keys(gconstpointer a, gconstpointer b)
{
	const RigBootsetEntry *const *first = a, *const *second = b;

	return strcmp((*first)->key, (*second)->key);
}

/* Those that are not in the cache, each key once, in the order in which every rig locks them. */
static GPtrArray *find_missing(const RigBootsetContext *context, const GPtrArray *entries,
			       RigLog *log)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);
	GPtrArray *missing = g_ptr_array_new();

	for (guint i = 0; i < entries->len; i++) {
		RigBootsetEntry *entry = entries->pdata[i];

		entry->hit = is_hit(entry, log);
		if (!entry->hit && g_hash_table_add(seen, entry->key))
			g_ptr_array_add(missing, entry);
	}
	g_ptr_array_sort(missing, compare_keys);
	return missing;
}

static gboolean lock_all(const RigBootsetContext *context, const GPtrArray *entries,
			 GPtrArray *locks, GError **error)
{
	for (guint i = 0; i < entries->len; i++) {
		const RigBootsetEntry *entry = entries->pdata[i];
		RigLock *lock = rig_cache_lock(context->paths->cache, RIG_CACHE_BOOTSET, entry->key,
					       context->log, context->cancellable, error);

		if (!lock)
			return FALSE;
		g_ptr_array_add(locks, lock);
	}
	return TRUE;
}

static gboolean make_missing(const RigBootsetContext *context, const GPtrArray *entries,
			     GError **error)
{
	g_autoptr(GPtrArray) locks =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_lock_release);
	g_autoptr(GPtrArray) missing = find_missing(context, entries, context->log);
	g_autoptr(GPtrArray) still = NULL;

	if (!missing->len)
		return TRUE;
	if (!lock_all(context, missing, locks, error))
		return FALSE;
	/* Another rig may have made them while we waited. */
	still = find_missing(context, missing, NULL);
	return !still->len || rig_bootset_build(context, still, error);
}

static RigBootset *describe(const RigBootsetEntry *entry)
{
	RigBootset *bootset = g_new0(RigBootset, 1);
	g_autofree char *initrd = g_build_filename(entry->dir, RIG_INITRD_FILE, NULL);

	bootset->key = g_strdup(entry->key);
	bootset->boot = rig_kernel_boot_path(entry->spec->kernel);
	bootset->hit = entry->hit;
	if (!entry->spec->diskless)
		bootset->disk = g_build_filename(entry->dir, RIG_DISK_FILE, NULL);
	if (g_file_test(initrd, G_FILE_TEST_EXISTS))
		bootset->initrd = g_steal_pointer(&initrd);
	if (entry->spec->diskless)
		bootset->cmdline = g_strdup(RIG_CMDLINE_CHANNEL "debugcon");
	else if (bootset->initrd)
		bootset->cmdline = g_strdup(RIG_CMDLINE_ROOT "/dev/vda");
	else
		bootset->cmdline =
			g_strdup("root=/dev/vda rootfstype=ext4 rw init=" RIG_GUEST_AGENT);
	return bootset;
}

static RigImageEntry *image_of(const RigBootsetContext *context, RigDigests *digests,
			       GHashTable *images, const RigImage *image, GError **error)
{
	RigImageEntry *entry = g_hash_table_lookup(images, image);

	if (entry)
		return entry;
	entry = find_image(context, digests, image, error);
	if (entry)
		g_hash_table_insert(images, (gpointer)image, entry);
	return entry;
}

/* All its files would be guest memory, which is what is measured. */
static gboolean check_diskless(const RigBootsetSpec *specs, guint n, GError **error)
{
	for (guint i = 0; i < n; i++) {
		if (!specs[i].diskless || !specs[i].image->debian)
			continue;
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "leave out --diskless, or take an image such as tiny",
				   "image %s is a whole Debian root, too large to be an initramfs",
				   specs[i].image->name);
		return FALSE;
	}
	return TRUE;
}

static GPtrArray *find_all(const RigBootsetContext *context, const RigBootsetSpec *specs, guint n,
			   GHashTable *images, GError **error)
{
	g_autoptr(RigDigests) digests = rig_digests_open(context->paths->cache);
	g_autoptr(GPtrArray) entries = g_ptr_array_new_with_free_func(bootset_entry_free);

	for (guint i = 0; i < n; i++) {
		RigImageEntry *image = image_of(context, digests, images, specs[i].image, error);
		RigBootsetEntry *entry =
			image ? find_bootset(context, digests, &specs[i], image, error) : NULL;

		if (!entry)
			return NULL;
		g_ptr_array_add(entries, entry);
		if (!rig_kernel_check(digests, specs[i].kernel, error))
			return NULL;
	}
	return g_steal_pointer(&entries);
}

GPtrArray *rig_bootset_get(const RigBootsetContext *context, const RigBootsetSpec *specs, guint n,
			   GError **error)
{
	g_autoptr(GHashTable) images = g_hash_table_new_full(NULL, NULL, NULL, image_entry_free);
	g_autoptr(GPtrArray) entries = NULL;
	GPtrArray *bootsets;

	if (!check_diskless(specs, n, error))
		return NULL;
	entries = find_all(context, specs, n, images, error);
	if (!entries || !make_missing(context, entries, error))
		return NULL;
	bootsets = g_ptr_array_new_with_free_func((GDestroyNotify)rig_bootset_free);
	for (guint i = 0; i < entries->len; i++)
		g_ptr_array_add(bootsets, describe(entries->pdata[i]));
	return bootsets;
}

gboolean rig_bootset_write_job(const RigBootset *bootset, const char *job, const char *path,
			       GError **error)
{
	if (!bootset->initrd || bootset->disk) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "only a diskless guest takes its job with it");
		return FALSE;
	}
	return rig_initramfs_append_text(bootset->initrd, RIG_GUEST_JOB, job, path, error);
}

char *rig_bootset_image(const RigBootsetContext *context, const RigImage *image, gboolean *hit,
			GError **error)
{
	g_autoptr(RigDigests) digests = rig_digests_open(context->paths->cache);
	RigImageEntry *entry = find_image(context, digests, image, error);
	char *path = NULL;
	gboolean was_hit;

	/* Written back before somebody else does. */
	g_clear_pointer(&digests, rig_digests_close);
	if (!entry)
		return NULL;
	if (rig_bootset_ensure_image(context, entry, &was_hit, error))
		path = g_build_filename(entry->dir, RIG_IMAGE_FILE, NULL);
	if (hit)
		*hit = path && was_hit;
	image_entry_free(entry);
	return path;
}
