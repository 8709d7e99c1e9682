/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bootset-cache.c - what the cache holds and how to free it, for rig gc.
 */
#include "vm/bootset-private.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KIND_TEMPORARY "temporary"
#define KIND_FAILURE "failure"
#define TEXT_MAX (1024 * 1024)
#define QCOW2_NAME_MAX 1023

void rig_cache_entry_free(RigCacheEntry *entry)
{
	if (!entry)
		return;
	g_free(entry->kind);
	g_free(entry->key);
	g_free(entry->path);
	g_free(entry->text);
	g_free(entry);
}

static guint64 big_endian(const guint8 *bytes, guint n)
{
	guint64 value = 0;

	for (guint i = 0; i < n; i++)
		value = value << 8 | bytes[i];
	return value;
}

/* The backing file that a qcow2 header names. g_free. */
static char *backing_of(const char *path)
{
	guint8 header[20];
	char name[QCOW2_NAME_MAX + 1] = "";
	int fd = g_open(path, O_RDONLY | O_CLOEXEC, 0);
	guint64 offset, size;

	if (fd >= 0 && pread(fd, header, sizeof(header), 0) == sizeof(header) &&
	    !memcmp(header, "QFI\xfb", 4)) {
		offset = big_endian(header + 8, 8);
		size = big_endian(header + 16, 4);
		if (offset && size <= QCOW2_NAME_MAX &&
		    pread(fd, name, size, offset) != (gssize)size)
			name[0] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return g_strdup(name);
}

/* What a guest's folder says of the files that the guest was started with. */
static void append_guest(GString *text, const char *guests, const char *name)
{
	static const char *const files[] = {"guest.json", "domain.xml"};
	g_autofree char *overlay = g_build_filename(guests, name, "overlay.qcow2", NULL);
	g_autofree char *backing = backing_of(overlay);

	g_string_append_printf(text, "%s\n", backing);
	for (guint i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *path = g_build_filename(guests, name, files[i], NULL);
		g_autofree char *content = rig_file_read(path, TEXT_MAX, NULL, NULL);

		if (content)
			g_string_append_printf(text, "%s\n", content);
	}
}

/* All that the folders of guests say; an entry whose key is in it is in use. */
static char *read_guests(const RigPaths *paths)
{
	g_autofree char *guests = g_build_filename(paths->state, "guests", NULL);
	g_autoptr(GDir) dir = g_dir_open(guests, 0, NULL);
	GString *text = g_string_new(NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir)))
		append_guest(text, guests, name);
	return g_string_free(text, FALSE);
}

static RigCacheEntry *new_entry(const char *kind, const char *parent, const char *name)
{
	RigCacheEntry *entry = g_new0(RigCacheEntry, 1);

	entry->kind = g_strdup(kind);
	entry->key = g_strdup(name);
	entry->path = g_build_filename(parent, name, NULL);
	entry->bytes = rig_file_tree_bytes(entry->path);
	entry->last_used = rig_cache_last_used(entry->path);
	return entry;
}

static void list_kind(GPtrArray *entries, const RigPaths *paths, const char *kind, const char *text,
		      const char *guests)
{
	g_autofree char *parent = g_build_filename(paths->cache, kind, NULL);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		RigCacheEntry *entry;
		g_autofree char *path = g_build_filename(parent, name, NULL);

		if (name[0] == '.' || !g_file_test(path, G_FILE_TEST_IS_DIR))
			continue;
		entry = new_entry(kind, parent, name);
		entry->text = g_strdup(text);
		entry->in_use = strstr(guests, name) != NULL;
		g_ptr_array_add(entries, entry);
	}
}

/* A guest's boot set is in use, and with it the image below it and what that is made of. */
static void mark_images(GPtrArray *entries)
{
	for (guint i = 0; i < entries->len; i++) {
		const RigCacheEntry *user = entries->pdata[i];
		g_autofree char *uses = user->in_use ? rig_cache_uses(user->path) : NULL;

		for (guint j = 0; uses && j < entries->len; j++) {
			RigCacheEntry *entry = entries->pdata[j];

			if (g_str_has_suffix(uses, entry->key))
				entry->in_use = TRUE;
		}
	}
}

static void list_debris(GPtrArray *entries, const char *parent)
{
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(parent, name, NULL);
		RigCacheEntry *entry;

		if (!rig_scratch_is_debris(path) && !rig_file_is_debris(path))
			continue;
		entry = new_entry(KIND_TEMPORARY, parent, name);
		entry->text = g_strdup("left by a rig that was killed");
		g_ptr_array_add(entries, entry);
	}
}

/* What guests that broke left outside any record: consoles, memory dumps. */
static void list_failures(GPtrArray *entries, const RigPaths *paths)
{
	g_autofree char *parent = g_build_filename(paths->state, "last-failure", NULL);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		RigCacheEntry *entry;
		struct stat info;

		if (name[0] == '.')
			continue;
		entry = new_entry(KIND_FAILURE, parent, name);
		if (lstat(entry->path, &info) == 0)
			entry->last_used = info.st_mtime;
		entry->text = g_strdup(name);
		g_ptr_array_add(entries, entry);
	}
}

GPtrArray *rig_bootset_cache_list(const RigPaths *paths, GError **error)
{
	GPtrArray *entries = g_ptr_array_new_with_free_func((GDestroyNotify)rig_cache_entry_free);
	static const char *const places[] = {"", "kernels", "plans", "last-failure", "libvirt/etc"};
	g_autofree char *guests = read_guests(paths);

	list_kind(entries, paths, RIG_CACHE_BOOTSET, "initramfs and disk of a kernel with an image",
		  guests);
	list_kind(entries, paths, RIG_CACHE_IMAGE, "root file system that the disks lie on",
		  guests);
	list_kind(entries, paths, RIG_CACHE_DEBIAN, "packages of Debian that images are made of",
		  guests);
	list_kind(entries, paths, RIG_CACHE_APPLIANCE, "the machine that libguestfs works in",
		  guests);
	list_kind(entries, paths, RIG_CACHE_KTREE, "a kernel's source with its builds", guests);
	list_kind(entries, paths, RIG_CACHE_KSIDE, "a patched source with its build", guests);
	mark_images(entries);
	list_debris(entries, paths->cache);
	for (guint i = 0; i < G_N_ELEMENTS(places); i++) {
		g_autofree char *place = g_build_filename(paths->state, places[i], NULL);

		list_debris(entries, place);
	}
	list_failures(entries, paths);
	return entries;
}

/* Boot sets on an image that goes are worth nothing. */
static gboolean remove_users(const RigPaths *paths, const RigCacheEntry *image, GError **error)
{
	g_autofree char *parent = g_build_filename(paths->cache, RIG_CACHE_BOOTSET, NULL);
	g_autoptr(GDir) dir = g_dir_open(parent, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(parent, name, NULL);
		g_autofree char *uses = rig_cache_uses(path);

		if (uses && g_str_has_suffix(uses, image->key) &&
		    !rig_file_remove_tree(path, error))
			return FALSE;
	}
	return TRUE;
}

/* Refuse to take away what somebody is just making. */
static RigLock *lock_entry(const RigPaths *paths, const RigCacheEntry *entry, GError **error)
{
	g_autofree char *name = g_strdup_printf("%s-%s", entry->kind, entry->key);
	g_autofree char *path = g_build_filename(paths->cache, "locks", name, NULL);

	return rig_lock_take(path, "rig gc", 0, NULL, error);
}

gboolean rig_bootset_cache_remove(const RigPaths *paths, const RigCacheEntry *entry, GError **error)
{
	g_autoptr(RigLock) lock = NULL;

	if (entry->in_use) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "\"rig ps\" shows the guests",
				   "%s %.12s is in use by a guest", entry->kind, entry->key);
		return FALSE;
	}
	if (!strcmp(entry->kind, KIND_TEMPORARY))
		return rig_scratch_is_debris(entry->path)
			       ? rig_file_remove_tree(entry->path, error)
			       : rig_file_remove_debris(entry->path, error);
	if (!strcmp(entry->kind, KIND_FAILURE))
		return rig_file_remove_tree(entry->path, error);
	lock = lock_entry(paths, entry, error);
	if (!lock)
		return FALSE;
	if (!strcmp(entry->kind, RIG_CACHE_IMAGE) && !remove_users(paths, entry, error))
		return FALSE;
	return rig_file_remove_tree(entry->path, error);
}

gboolean rig_bootset_cache_verify(const RigCacheEntry *entry, GError **error)
{
	if (strcmp(entry->kind, RIG_CACHE_BOOTSET) && strcmp(entry->kind, RIG_CACHE_IMAGE) &&
	    strcmp(entry->kind, RIG_CACHE_DEBIAN))
		return TRUE;
	return rig_cache_verify(entry->path, error);
}
