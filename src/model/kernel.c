/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel.c - reads and describes the kernels of rig's store.
 *
 * What puts them there is vm/kernelstore.c; here is only what the folder <state>/kernels/NAME says.
 */
#include "model/kernel.h"

#include "base/error.h"
#include "base/file.h"

#include <errno.h>
#include <glib/gstdio.h>
#include <string.h>

#define KERNEL_JSON_MAX (64 * 1024)
#define CONFIG_MAX (4 * 1024 * 1024)
#define DEFAULT_FILE ".default"

void rig_kernel_free(RigKernel *kernel)
{
	if (!kernel)
		return;
	g_free(kernel->name);
	g_free(kernel->dir);
	g_free(kernel->release);
	g_free(kernel->banner);
	g_free(kernel->compiler);
	g_free(kernel->source);
	g_free(kernel->format);
	g_free(kernel->boot_sha256);
	g_free(kernel->config_sha256);
	g_free(kernel->modules_sha256);
	rig_kernelbuild_free(kernel->build);
	g_free(kernel);
}

static gboolean is_digest(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static char *read_digest(RigJson *root, const char *key, RigJsonFlags flags)
{
	const char *text = rig_json_string(root, key, flags);

	if (text && !is_digest(text))
		rig_json_fail(root, key, "\"%s\" is no SHA-256 digest", text);
	return g_strdup(text);
}

/* The release names a folder below modules/, so it must not lead out of it. */
static char *read_release(RigJson *root)
{
	const char *release = rig_json_string(root, "release", RIG_JSON_REQUIRED);

	if (release && (!release[0] || release[0] == '.' || strchr(release, '/')))
		rig_json_fail(root, "release", "\"%s\" is no kernel release", release);
	return g_strdup(release);
}

static void read_fields(RigJson *root, RigKernel *kernel)
{
	static const char *const formats[] = {"elf-pvh", "bzimage", NULL};
	int format;

	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	rig_json_ignore(root, "name"); /* the folder's name is what counts */
	kernel->release = read_release(root);
	kernel->banner = g_strdup(rig_json_string(root, "banner", RIG_JSON_OPTIONAL));
	kernel->compiler = g_strdup(rig_json_string(root, "compiler", RIG_JSON_REQUIRED));
	kernel->source = g_strdup(rig_json_string(root, "source", RIG_JSON_REQUIRED));
	format = rig_json_choice(root, "format", RIG_JSON_REQUIRED, formats, 1);
	kernel->format = g_strdup(formats[format == 0 ? 0 : 1]);
	kernel->boot_sha256 = read_digest(root, "boot_sha256", RIG_JSON_REQUIRED);
	kernel->config_sha256 = read_digest(root, "config_sha256", RIG_JSON_OPTIONAL);
	kernel->modules_sha256 = read_digest(root, "modules_sha256", RIG_JSON_OPTIONAL);
	kernel->build =
		rig_kernelbuild_from_json(rig_json_object(root, "build", RIG_JSON_OPTIONAL));
	kernel->added = rig_json_int(root, "added", RIG_JSON_REQUIRED, 0, G_MAXINT64, 0);
}

RigKernel *rig_kernel_load(const char *kernels_dir, const char *name, GError **error)
{
	g_autoptr(RigKernel) kernel = g_new0(RigKernel, 1);
	g_autofree char *path = NULL;
	g_autoptr(RigJson) root = NULL;

	if (!rig_file_check_name("kernel name", name, error))
		return NULL;
	kernel->name = g_strdup(name);
	kernel->dir = g_build_filename(kernels_dir, name, NULL);
	path = g_build_filename(kernel->dir, "kernel.json", NULL);
	if (!g_file_test(path, G_FILE_TEST_EXISTS)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "\"rig kernel list\" shows those that there are, \"rig kernel "
				   "add SOURCE\" adds one",
				   "kernel \"%s\" is not in the store", name);
		return NULL;
	}
	root = rig_json_load(path, KERNEL_JSON_MAX, error);
	if (!root)
		return NULL;
	read_fields(root, kernel);
	return rig_json_finish(root, error) ? g_steal_pointer(&kernel) : NULL;
}

static int compare_names(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Folders that have a kernel.json; what a killed "kernel add" left starts with a dot. */
static GPtrArray *list_names(const char *kernels_dir)
{
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	g_autoptr(GDir) dir = g_dir_open(kernels_dir, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = NULL;

		if (name[0] == '.')
			continue;
		path = g_build_filename(kernels_dir, name, "kernel.json", NULL);
		if (g_file_test(path, G_FILE_TEST_EXISTS))
			g_ptr_array_add(names, g_strdup(name));
	}
	g_ptr_array_sort(names, compare_names);
	return names;
}

GPtrArray *rig_kernel_list(const char *kernels_dir, GError **error)
{
	g_autoptr(GPtrArray) kernels =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_kernel_free);
	g_autoptr(GPtrArray) names = list_names(kernels_dir);

	for (guint i = 0; i < names->len; i++) {
		RigKernel *kernel = rig_kernel_load(kernels_dir, names->pdata[i], error);

		if (!kernel)
			return NULL;
		g_ptr_array_add(kernels, kernel);
	}
	return g_steal_pointer(&kernels);
}

char *rig_kernel_to_json(const RigKernel *kernel)
{
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();

	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "name", kernel->name);
	rig_json_add_string(writer, "release", kernel->release);
	if (kernel->banner)
		rig_json_add_string(writer, "banner", kernel->banner);
	rig_json_add_string(writer, "compiler", kernel->compiler);
	rig_json_add_string(writer, "source", kernel->source);
	rig_json_add_string(writer, "format", kernel->format);
	rig_json_add_string(writer, "boot_sha256", kernel->boot_sha256);
	if (kernel->config_sha256)
		rig_json_add_string(writer, "config_sha256", kernel->config_sha256);
	if (kernel->modules_sha256)
		rig_json_add_string(writer, "modules_sha256", kernel->modules_sha256);
	if (kernel->build)
		rig_kernelbuild_to_json(kernel->build, writer, "build");
	rig_json_add_int(writer, "added", kernel->added);
	rig_json_close_object(writer);
	return rig_json_writer_text(writer, TRUE);
}

char *rig_kernel_boot_path(const RigKernel *kernel)
{
	return g_build_filename(kernel->dir, "boot", NULL);
}

char *rig_kernel_modules_dir(const RigKernel *kernel)
{
	if (!kernel->modules_sha256)
		return NULL;
	return g_build_filename(kernel->dir, "modules", "lib", "modules", kernel->release, NULL);
}

char *rig_kernel_config(const RigKernel *kernel)
{
	g_autofree char *path = g_build_filename(kernel->dir, "config", NULL);

	return kernel->config_sha256 ? rig_file_read(path, CONFIG_MAX, NULL, NULL) : NULL;
}

char *rig_kernel_kconfig_name(const RigKernel *kernel)
{
	if (!kernel->config_sha256)
		return g_strdup("config-unknown");
	return g_strdup_printf("config-%.12s", kernel->config_sha256);
}

char *rig_kernel_default(const char *kernels_dir)
{
	g_autofree char *path = g_build_filename(kernels_dir, DEFAULT_FILE, NULL);
	g_autofree char *name = rig_file_read(path, 256, NULL, NULL);

	if (!name || !rig_file_check_name("kernel name", g_strstrip(name), NULL))
		return NULL;
	return g_steal_pointer(&name);
}

gboolean rig_kernel_set_default(const char *kernels_dir, const char *name, GError **error)
{
	g_autofree char *path = g_build_filename(kernels_dir, DEFAULT_FILE, NULL);
	g_autofree char *line = g_strconcat(name, "\n", NULL);
	g_autoptr(RigKernel) kernel = rig_kernel_load(kernels_dir, name, error);

	return kernel && rig_file_write(path, line, -1, 0644, error);
}

gboolean rig_kernel_clear_default(const char *kernels_dir, GError **error)
{
	g_autofree char *path = g_build_filename(kernels_dir, DEFAULT_FILE, NULL);

	if (g_unlink(path) < 0 && errno != ENOENT) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be removed", path);
		return FALSE;
	}
	return TRUE;
}

char *rig_kconfig_value(const char *config_text, const char *option)
{
	gsize length = strlen(option);
	const char *line = config_text;

	while (line && *line) {
		const char *end = strchrnul(line, '\n');

		if (!strncmp(line, option, length) && line[length] == '=')
			return g_strstrip(g_strndup(line + length + 1, end - line - length - 1));
		line = *end ? end + 1 : end;
	}
	return g_strdup("n");
}
