/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelsource.c - finds boot file, config and modules of a kernel in packages, build trees, files
 * and on the host.
 */
#include "vm/kernelsource.h"

#include "base/error.h"
#include "base/file.h"
#include "vm/modules-walk.h"
#include "vm/package.h"

#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#define TEXT_MAX (8 * 1024 * 1024)

void rig_kernelparts_clear(RigKernelParts *parts)
{
	g_clear_pointer(&parts->boot, g_free);
	g_clear_pointer(&parts->config, g_free);
	g_clear_pointer(&parts->modules, g_free);
	g_clear_pointer(&parts->text, g_free);
}

/* The first entry of PARENT/DIR, by name, that starts with PREFIX. g_free. */
static char *first_in(const char *parent, const char *dir, const char *prefix)
{
	g_autofree char *path = g_build_filename(parent, dir, NULL);
	g_autoptr(GDir) handle = g_dir_open(path, 0, NULL);
	g_autofree char *best = NULL;
	const char *name;

	while (handle && (name = g_dir_read_name(handle)))
		if (g_str_has_prefix(name, prefix) && (!best || strcmp(name, best) < 0)) {
			g_free(best);
			best = g_strdup(name);
		}
	return best ? g_build_filename(path, best, NULL) : NULL;
}

/* DIR/NAME if it can be read. g_free. */
static char *readable_in(const char *dir, const char *name)
{
	char *path = dir ? g_build_filename(dir, name, NULL) : NULL;

	if (path && access(path, R_OK) == 0)
		return path;
	g_free(path);
	return NULL;
}

static char *either(char *first, char *second)
{
	if (first) {
		g_free(second);
		return first;
	}
	return second;
}

/* Debian has boot/vmlinuz-RELEASE, Fedora lib/modules/RELEASE/vmlinuz; the configs likewise. */
static gboolean find_unpacked(const char *dir, RigKernelParts *parts, GError **error)
{
	parts->own = TRUE;
	parts->modules = first_in(dir, "lib/modules", "");
	parts->boot =
		either(first_in(dir, "boot", "vmlinuz-"), readable_in(parts->modules, "vmlinuz"));
	parts->config =
		either(first_in(dir, "boot", "config-"), readable_in(parts->modules, "config"));
	if (parts->boot)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "name the package that has vmlinuz, e.g. linux-image-RELEASE or "
			   "kernel-core",
			   "no kernel in %s, only modules", parts->text);
	return FALSE;
}

static gboolean extract(const RigKernelStore *store, const char *file, const char *dir,
			GError **error)
{
	g_autofree char *base = g_path_get_basename(file);

	rig_log_status(store->log, "unpacking %s", base);
	return rig_package_extract(file, dir, store->cancellable, error);
}

static gboolean find_in_file(const RigKernelStore *store, const char *file, const char *scratch,
			     RigKernelParts *parts, GError **error)
{
	g_autofree char *dir = g_build_filename(scratch, "x", NULL);
	g_autofree char *base = g_path_get_basename(file);

	parts->text = g_strdup_printf("package %s", base);
	return extract(store, file, dir, error) && find_unpacked(dir, parts, error);
}

static gboolean fetch(const RigKernelStore *store, const RigPackageName *name, const char *scratch,
		      GError **error)
{
	g_autofree char *downloads = g_build_filename(scratch, "download", NULL);
	g_autofree char *dir = g_build_filename(scratch, "x", NULL);
	g_autoptr(GPtrArray) files = NULL;

	if (!rig_file_make_dirs(downloads, 0755, error))
		return FALSE;
	files = rig_package_download(name, downloads, store->log, store->cancellable, error);
	for (guint i = 0; files && i < files->len; i++)
		if (!extract(store, files->pdata[i], dir, error))
			return FALSE;
	return files != NULL;
}

static gboolean find_by_name(const RigKernelStore *store, const char *spec,
			     const RigKernel *existing, const char *scratch, RigKernelParts *parts,
			     GError **error)
{
	g_autofree char *dir = g_build_filename(scratch, "x", NULL);
	g_auto(RigPackageName) name = {0};

	rig_log_status(store->log, "looking for package %s", spec);
	if (!rig_package_resolve(spec, store->cancellable, &name, error))
		return FALSE;
	parts->text = g_strdup_printf("package %s", name.text);
	parts->same = existing && !name.dnf && !strcmp(existing->source, parts->text);
	return parts->same ||
	       (fetch(store, &name, scratch, error) && find_unpacked(dir, parts, error));
}

static gboolean is_modules_dir(const char *dir)
{
	g_autofree char *kernel = g_build_filename(dir, "kernel", NULL);
	g_autofree char *builtin = g_build_filename(dir, "modules.builtin", NULL);

	return g_file_test(kernel, G_FILE_TEST_IS_DIR) || g_file_test(builtin, G_FILE_TEST_EXISTS);
}

/* --modules names lib/modules/RELEASE, or what "make modules_install" was given as
 * INSTALL_MOD_PATH. */
static char *find_modules(const char *dir, GError **error)
{
	g_autofree char *inner = NULL;

	if (is_modules_dir(dir))
		return g_strdup(dir);
	inner = first_in(dir, "lib/modules", "");
	if (inner && is_modules_dir(inner))
		return g_steal_pointer(&inner);
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "name the folder lib/modules/RELEASE that make modules_install made",
			   "%s: no folder of kernel modules", dir);
	return NULL;
}

static gboolean find_image_file(const RigKernelSource *source, RigKernelParts *parts,
				GError **error)
{
	g_autofree char *full = g_canonicalize_filename(source->source, NULL);

	parts->boot = g_strdup(source->source);
	parts->text = g_strdup_printf("file %s", full);
	return rig_file_check(parts->boot, error);
}

/* modules.order names objects or modules, with or without "kernel/", by the kernel's age. */
static char *built_module(const char *line)
{
	const char *start = g_str_has_prefix(line, "kernel/") ? line + strlen("kernel/") : line;
	const char *dot = strrchr(start, '.');

	if (!dot || start[0] == '/' || strstr(start, ".."))
		return NULL;
	return g_strdup_printf("%.*s.ko", (int)(dot - start), start);
}

static gboolean copy_built(const char *dir, const char *target, const char *line, guint *copied,
			   GError **error)
{
	g_autofree char *file = built_module(line);
	g_autofree char *from = file ? g_build_filename(dir, file, NULL) : NULL;
	g_autofree char *to = file ? g_build_filename(target, "kernel", file, NULL) : NULL;
	g_autofree char *parent = to ? g_path_get_dirname(to) : NULL;

	if (!from || access(from, R_OK) < 0)
		return TRUE; /* listed, but not built yet */
	(*copied)++;
	return rig_file_make_dirs(parent, 0755, error) && rig_file_copy(from, to, 0644, error);
}

static gboolean copy_list(const char *dir, const char *target, const char *name, GError **error)
{
	g_autofree char *from = readable_in(dir, name);
	g_autofree char *to = g_build_filename(target, name, NULL);

	return !from || rig_file_copy(from, to, 0644, error);
}

static gboolean collect_built(const char *dir, const char *target, guint *copied, GError **error)
{
	g_autofree char *order = g_build_filename(dir, "modules.order", NULL);
	g_autofree char *text = rig_file_read(order, TEXT_MAX, NULL, NULL);
	g_auto(GStrv) lines = text ? g_strsplit(text, "\n", -1) : NULL;

	*copied = 0;
	if (!rig_file_make_dirs(target, 0755, error))
		return FALSE;
	for (guint i = 0; lines && lines[i]; i++)
		if (lines[i][0] && !copy_built(dir, target, lines[i], copied, error))
			return FALSE;
	return copy_list(dir, target, "modules.builtin", error) &&
	       copy_list(dir, target, "modules.builtin.modinfo", error);
}

static gboolean find_build(const char *dir, const char *scratch, RigKernelParts *parts,
			   GError **error)
{
	g_autofree char *full = g_canonicalize_filename(dir, NULL);
	g_autofree char *target = g_build_filename(scratch, "built", NULL);
	guint copied;

	parts->text = g_strdup_printf("build %s", full);
	parts->boot =
		either(readable_in(dir, "arch/x86/boot/bzImage"), readable_in(dir, "vmlinux"));
	parts->config = readable_in(dir, ".config");
	if (!parts->boot) {
		rig_error_set_hint(error, RIG_ERROR_USAGE, "build it: make bzImage",
				   "%s: neither arch/x86/boot/bzImage nor vmlinux in it", dir);
		return FALSE;
	}
	if (!collect_built(dir, target, &copied, error))
		return FALSE;
	if (copied || is_modules_dir(target)) {
		parts->modules = g_steal_pointer(&target);
		parts->own = TRUE;
	}
	return TRUE;
}

static gboolean find_host(RigKernelParts *parts, GError **error)
{
	struct utsname host;
	g_autofree char *modules = NULL, *boot = NULL, *config = NULL;

	uname(&host);
	modules = g_build_filename("/lib/modules", host.release, NULL);
	boot = g_strconcat("vmlinuz-", host.release, NULL);
	config = g_strconcat("config-", host.release, NULL);
	parts->text = g_strdup("host");
	parts->boot = either(readable_in("/boot", boot), readable_in(modules, "vmlinuz"));
	parts->config = either(readable_in("/boot", config), readable_in(modules, "config"));
	if (is_modules_dir(modules))
		parts->modules = g_steal_pointer(&modules);
	if (parts->boot)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "add one from a package instead: rig kernel add linux-image-cloud-amd64 "
			   "(Ubuntu hides /boot from users: sudo chmod +r /boot/vmlinuz-*)",
			   "the host's kernel %s cannot be read from /boot/vmlinuz-%s or "
			   "/lib/modules/%s/vmlinuz",
			   host.release, host.release, host.release);
	return FALSE;
}

/* What the user said goes before what was found. */
static gboolean apply_options(const RigKernelSource *source, RigKernelParts *parts, GError **error)
{
	if (source->config) {
		g_free(parts->config);
		parts->config = g_strdup(source->config);
	}
	if (source->modules) {
		g_free(parts->modules);
		parts->modules = find_modules(source->modules, error);
		parts->own = FALSE;
		return parts->modules != NULL;
	}
	return TRUE;
}

gboolean rig_kernelsource_find(const RigKernelStore *store, const RigKernelSource *source,
			       const RigKernel *existing, const char *scratch,
			       RigKernelParts *parts, GError **error)
{
	const char *text = source->source;
	gboolean found;

	if (!strcmp(text, "host"))
		found = find_host(parts, error);
	else if (g_file_test(text, G_FILE_TEST_IS_DIR))
		found = find_build(text, scratch, parts, error);
	else if (g_file_test(text, G_FILE_TEST_EXISTS) && rig_package_is_file(text))
		found = find_in_file(store, text, scratch, parts, error);
	else if (g_file_test(text, G_FILE_TEST_EXISTS))
		found = find_image_file(source, parts, error);
	else if (text[0] == '/' || text[0] == '.' || rig_package_is_file(text)) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s: no such file", text);
		return FALSE;
	} else
		found = find_by_name(store, text, existing, scratch, parts, error);
	return found && (parts->same || apply_options(source, parts, error));
}
