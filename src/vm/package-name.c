/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * package-name.c - from a package's name to its files, through the distribution's own client.
 *
 * rig does not know where packages come from and does not verify them: apt and dnf do both.
 */
#include "vm/package.h"

#include "base/error.h"
#include "base/process.h"

#include <string.h>

#define ASK_TIMEOUT_MS (60 * 1000)
#define DOWNLOAD_TIMEOUT_MS (15 * 60 * 1000)
#define META_DEPTH_MAX 4

void rig_package_name_clear(RigPackageName *name)
{
	g_clear_pointer(&name->text, g_free);
	g_clear_pointer(&name->ids, g_ptr_array_unref);
}

/* The value of a field in the first paragraph of what apt-cache shows. g_free. */
static char *field(const char *show, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(show, "\n", -1);
	gsize length = strlen(name);

	for (guint i = 0; lines[i] && (i == 0 || lines[i][0]); i++)
		if (g_str_has_prefix(lines[i], name) && lines[i][length] == ':')
			return g_strstrip(g_strdup(lines[i] + length + 1));
	return NULL;
}

/* "linux-image-1 (= 2)": "linux-image-1=2"; without an exact version the name alone. */
static char *dependency_id(const char *text)
{
	g_auto(GStrv) words = g_strsplit_set(text, " ()", -1);
	const char *version = strstr(text, "(= ");

	if (!version)
		return g_strdup(words[0]);
	version += strlen("(= ");
	return g_strdup_printf("%s=%.*s", words[0], (int)strcspn(version, ")"), version);
}

GPtrArray *rig_package_depends(const char *show, const char *prefix)
{
	GPtrArray *ids = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *depends = field(show, "Depends");
	g_auto(GStrv) items = depends ? g_strsplit(depends, ",", -1) : NULL;

	for (guint i = 0; items && items[i]; i++) {
		const char *item = g_strstrip(items[i]);

		if (g_str_has_prefix(item, prefix) && !strchr(item, '|'))
			g_ptr_array_add(ids, dependency_id(item));
	}
	return ids;
}

static char *apt_show(const char *id, GCancellable *cancellable, GError **error)
{
	const char *argv[] = {"apt-cache", "show", "--no-all-versions", "--", id, NULL};
	const RigProcess process = {.argv = argv, .timeout_ms = ASK_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	if (!rig_process_run(&process, &result, cancellable, error))
		return NULL;
	if (result.status == 0 && result.out[0])
		return g_steal_pointer(&result.out);
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"check the name; \"apt-get update\" as root fetches the lists of packages",
		"package %s is not known to apt", id);
	return NULL;
}

/* Ubuntu has the modules in a package of their own. */
static void finish_apt(const char *show, RigPackageName *name)
{
	g_autofree char *package = field(show, "Package");
	g_autofree char *version = field(show, "Version");
	g_autoptr(GPtrArray) modules = rig_package_depends(show, "linux-modules-");

	name->text = g_strdup_printf("%s %s", package, version);
	name->ids = g_ptr_array_new_with_free_func(g_free);
	g_ptr_array_add(name->ids, g_strdup_printf("%s=%s", package, version));
	for (guint i = 0; i < modules->len; i++)
		g_ptr_array_add(name->ids, g_strdup(modules->pdata[i]));
}

static gboolean resolve_apt(const char *spec, GCancellable *cancellable, RigPackageName *name,
			    GError **error)
{
	g_autofree char *id = g_strdup(spec);

	for (guint depth = 0; depth < META_DEPTH_MAX; depth++) {
		g_autofree char *show = apt_show(id, cancellable, error);
		g_autoptr(GPtrArray) images =
			show ? rig_package_depends(show, "linux-image-") : NULL;

		if (!show)
			return FALSE;
		if (!images->len) {
			finish_apt(show, name);
			return TRUE;
		}
		g_free(id);
		id = g_strdup(images->pdata[0]);
	}
	rig_error_set(error, RIG_ERROR_USAGE, "package %s: meta packages without end", spec);
	return FALSE;
}

/* Fedora splits a kernel in packages of the same version; "kernel" itself is empty. */
static void resolve_dnf(const char *spec, RigPackageName *name)
{
	const char *rest =
		g_str_has_prefix(spec, "kernel-core") ? spec + strlen("kernel-core") : NULL;

	if (!strcmp(spec, "kernel"))
		rest = "";
	name->dnf = TRUE;
	name->text = g_strdup(spec);
	name->ids = g_ptr_array_new_with_free_func(g_free);
	if (!rest) {
		g_ptr_array_add(name->ids, g_strdup(spec));
		return;
	}
	g_ptr_array_add(name->ids, g_strconcat("kernel-core", rest, NULL));
	g_ptr_array_add(name->ids, g_strconcat("kernel-modules-core", rest, NULL));
	g_ptr_array_add(name->ids, g_strconcat("kernel-modules", rest, NULL));
}

static gboolean has_program(const char *name)
{
	g_autofree char *path = g_find_program_in_path(name);

	return path != NULL;
}

gboolean rig_package_resolve(const char *spec, GCancellable *cancellable, RigPackageName *name,
			     GError **error)
{
	if (spec[0] == '-' || spec[strcspn(spec, " \t\n")]) {
		rig_error_set(error, RIG_ERROR_USAGE, "\"%s\" is no package name", spec);
		return FALSE;
	}
	if (has_program("apt-get"))
		return resolve_apt(spec, cancellable, name, error);
	if (has_program("dnf")) {
		resolve_dnf(spec, name);
		return TRUE;
	}
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "download the package by other means and name the file",
			   "package %s: neither apt-get nor dnf is on this host", spec);
	return FALSE;
}

static GPtrArray *list_packages(const char *dir, GError **error)
{
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) handle = g_dir_open(dir, 0, error);
	const char *name;

	while (handle && (name = g_dir_read_name(handle)))
		if (rig_package_is_file(name))
			g_ptr_array_add(files, g_build_filename(dir, name, NULL));
	return handle ? g_steal_pointer(&files) : NULL;
}

GPtrArray *rig_package_download(const RigPackageName *name, const char *dir, RigLog *log,
				GCancellable *cancellable, GError **error)
{
	g_autoptr(GPtrArray) argv = g_ptr_array_new();
	g_autoptr(GPtrArray) files = NULL;
	g_auto(RigProcessResult) result = {0};
	RigProcess process = {.cwd = dir, .timeout_ms = DOWNLOAD_TIMEOUT_MS, .own_group = TRUE};

	rig_log_status(log, "downloading %s", name->text);
	g_ptr_array_add(argv, (char *)(name->dnf ? "dnf" : "apt-get"));
	g_ptr_array_add(argv, (char *)"download");
	for (guint i = 0; i < name->ids->len; i++)
		g_ptr_array_add(argv, name->ids->pdata[i]);
	g_ptr_array_add(argv, NULL);
	process.argv = (const char *const *)argv->pdata;
	if (!rig_process_check(&process, &result, RIG_ERROR_HOST, cancellable, error)) {
		g_prefix_error(error, "downloading %s: ", name->text);
		return NULL;
	}
	files = list_packages(dir, error);
	if (!files || files->len)
		return g_steal_pointer(&files);
	rig_error_set(error, RIG_ERROR_HOST, "%s left no package file for %s",
		      name->dnf ? "dnf" : "apt-get", name->text);
	return NULL;
}
