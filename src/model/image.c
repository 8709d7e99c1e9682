/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * image.c - reads image recipes, images/NAME.json.
 *
 * A recipe is a list of files with where they come from, perhaps over a Debian root. What it says
 * is made by vm/rootfs.c and vm/debian.c, as a disk or as an initramfs.
 */
#include "model/image.h"

#include "base/error.h"
#include "base/file.h"

#include <string.h>

#define SIZE_MIN (64ull << 20)
#define SIZE_MAX_BYTES (1ull << 40)
#define FILES_MAX 4096
#define PACKAGES_MAX 1024
#define DEBIAN_NAME_MAX 128

static void image_file_free(gpointer data)
{
	RigImageFile *file = data;

	g_free(file->path);
	g_free(file->from);
	g_free(file->link);
	g_free(file->text);
	g_free(file);
}

static void image_debian_free(RigImageDebian *debian)
{
	if (!debian)
		return;
	g_free(debian->suite);
	g_strfreev(debian->packages);
	g_free(debian);
}

void rig_image_free(RigImage *image)
{
	if (!image)
		return;
	g_free(image->name);
	g_free(image->text);
	g_free(image->path);
	image_debian_free(image->debian);
	g_clear_pointer(&image->files, g_ptr_array_unref);
	g_strfreev(image->busybox_applets);
	g_strfreev(image->modules);
	g_free(image);
}

/* Absolute, without empty, "." or ".." parts, without control characters. */
static gboolean is_guest_path(const char *path)
{
	g_auto(GStrv) parts = NULL;

	if (path[0] != '/' || !path[1] || strlen(path) > 1024)
		return FALSE;
	for (const char *p = path; *p; p++)
		if (g_ascii_iscntrl(*p))
			return FALSE;
	parts = g_strsplit(path + 1, "/", -1);
	for (guint i = 0; parts[i]; i++)
		if (!parts[i][0] || !strcmp(parts[i], ".") || !strcmp(parts[i], ".."))
			return FALSE;
	return TRUE;
}

static int read_mode(RigJson *object, int fallback)
{
	const char *text = rig_json_string(object, "mode", RIG_JSON_OPTIONAL);
	guint64 mode;

	if (!text)
		return fallback;
	if (!g_ascii_string_to_unsigned(text, 8, 0, 07777, &mode, NULL)) {
		rig_json_fail(object, "mode", "\"%s\" is no octal mode such as \"0755\"", text);
		return fallback;
	}
	return mode;
}

static gboolean is_known_from(const char *from)
{
	if (g_str_has_prefix(from, "guest:"))
		return rig_file_check_name("guest program", from + strlen("guest:"), NULL);
	return from[0] == '/' || !strcmp(from, "busybox");
}

static RigImageFile *read_file(RigJson *object)
{
	RigImageFile *file = g_new0(RigImageFile, 1);
	const char *path = rig_json_string(object, "path", RIG_JSON_REQUIRED);
	const char *from = rig_json_string(object, "from", RIG_JSON_OPTIONAL);
	const char *link = rig_json_string(object, "link", RIG_JSON_OPTIONAL);
	const char *text = rig_json_string(object, "text", RIG_JSON_OPTIONAL);

	if (path && !is_guest_path(path))
		rig_json_fail(object, "path", "\"%s\" is no clean absolute path", path);
	if (!!from + !!link + !!text > 1)
		rig_json_fail(object, "path",
			      "only one of \"from\", \"link\" and \"text\" may be given");
	if (from && !is_known_from(from))
		rig_json_fail(
			object, "from",
			"\"%s\" is none of an absolute path, \"busybox\" and \"guest:PROGRAM\"",
			from);
	if (link && !link[0])
		rig_json_fail(object, "link", "the target is empty");
	file->path = g_strdup(path);
	file->from = g_strdup(from);
	file->link = g_strdup(link);
	file->text = g_strdup(text);
	file->mode = read_mode(object, text ? 0644 : 0755);
	return file;
}

static void read_files(RigJson *array, RigImage *image)
{
	g_autoptr(GHashTable) seen = g_hash_table_new(g_str_hash, g_str_equal);

	if (array && rig_json_length(array) > FILES_MAX)
		rig_json_fail(array, NULL, "more than %d files", FILES_MAX);
	for (guint i = 0; array && i < rig_json_length(array) && rig_json_ok(array); i++) {
		RigJson *object = rig_json_at(array, i);
		RigImageFile *file = read_file(object);

		g_ptr_array_add(image->files, file);
		if (file->path && !g_hash_table_add(seen, file->path))
			rig_json_fail(object, "path", "\"%s\" is there twice", file->path);
	}
}

static void check_words(RigJson *root, const char *key, char **words, const char *also)
{
	for (guint i = 0; words && words[i]; i++) {
		gsize good = 0;

		while (g_ascii_isalnum(words[i][good]) ||
		       (words[i][good] && strchr(also, words[i][good])))
			good++;
		if (!good || words[i][good])
			rig_json_fail(root, key, "\"%s\" is no name", words[i]);
	}
}

/* Lower case letters and digits, and after the first character also ALSO: Debian's rule for the
 * names of packages. They become words of a command line, where this cannot be an option. */
static gboolean is_debian_name(const char *name, const char *also)
{
	gsize length = strlen(name);

	if (length < 2 || length > DEBIAN_NAME_MAX || strchr(also, name[0]))
		return FALSE;
	for (; *name; name++)
		if (!g_ascii_islower(*name) && !g_ascii_isdigit(*name) && !strchr(also, *name))
			return FALSE;
	return TRUE;
}

/* apt takes a name with "-" at its end as one to be removed. */
static gboolean is_package_name(const char *name)
{
	return is_debian_name(name, "+-.") && !g_str_has_suffix(name, "-");
}

static RigImageDebian *read_debian(RigJson *object)
{
	RigImageDebian *debian = g_new0(RigImageDebian, 1);

	debian->suite = g_strdup(rig_json_string(object, "suite", RIG_JSON_REQUIRED));
	debian->packages = rig_json_strings(object, "packages", RIG_JSON_OPTIONAL);
	if (!debian->packages)
		debian->packages = g_new0(char *, 1);
	if (debian->suite && !is_debian_name(debian->suite, "-."))
		rig_json_fail(object, "suite", "\"%s\" is no name of a suite", debian->suite);
	if (g_strv_length(debian->packages) > PACKAGES_MAX)
		rig_json_fail(object, "packages", "more than %d packages", PACKAGES_MAX);
	for (char **name = debian->packages; *name; name++)
		if (!is_package_name(*name))
			rig_json_fail(object, "packages", "\"%s\" is no name of a package", *name);
	return debian;
}

static RigImage *read_image(RigJson *root, const char *path)
{
	RigImage *image = g_new0(RigImage, 1);
	g_autofree char *base = g_path_get_basename(path);

	if (g_str_has_suffix(base, ".json"))
		base[strlen(base) - strlen(".json")] = '\0';
	image->name = g_steal_pointer(&base);
	image->path = g_strdup(path);
	image->files = g_ptr_array_new_with_free_func(image_file_free);
	rig_json_int(root, "version", RIG_JSON_REQUIRED, 1, 1, 1);
	image->text = g_strdup(rig_json_string(root, "text", RIG_JSON_REQUIRED));
	image->size = rig_json_size(root, "size", RIG_JSON_REQUIRED, 0);
	if (image->size < SIZE_MIN || image->size > SIZE_MAX_BYTES || image->size % 4096)
		rig_json_fail(root, "size", "not a multiple of 4096B between 64M and 1T");
	image->busybox_applets = rig_json_strings(root, "busybox_applets", RIG_JSON_OPTIONAL);
	check_words(root, "busybox_applets", image->busybox_applets, "[_-");
	image->modules = rig_json_strings(root, "modules", RIG_JSON_OPTIONAL);
	check_words(root, "modules", image->modules, "*?_-");
	if (!image->modules)
		image->modules = g_new0(char *, 1);
	if (rig_json_has(root, "debian"))
		image->debian = read_debian(rig_json_object(root, "debian", RIG_JSON_REQUIRED));
	read_files(rig_json_array(root, "files", RIG_JSON_REQUIRED), image);
	return image;
}

RigImage *rig_image_load(const char *path, GError **error)
{
	g_autoptr(RigJson) root = rig_json_load(path, 0, error);
	g_autoptr(RigImage) image = NULL;

	if (!root)
		return NULL;
	image = read_image(root, path);
	if (!rig_json_finish(root, error))
		return NULL;
	if (!rig_file_check_name("image name", image->name, error))
		return NULL;
	return g_steal_pointer(&image);
}
