/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rootfs-image.c - what an image recipe puts into a guest's file system.
 */
#include "vm/rootfs.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "vm/kernelfile.h"

#include <string.h>

#define BUSYBOX_TIMEOUT_MS 10000

static gboolean image_has(const RigImage *image, const char *path)
{
	for (guint i = 0; image && i < image->files->len; i++)
		if (!g_strcmp0(((const RigImageFile *)image->files->pdata[i])->path, path))
			return TRUE;
	return FALSE;
}

gboolean rig_rootfs_check_program(const char *path, const RigImage *image, GError **error)
{
	g_autoptr(GMappedFile) map =
		rig_file_check(path, NULL) ? g_mapped_file_new(path, FALSE, NULL) : NULL;
	g_autofree char *interpreter = NULL;
	const char *data = map ? g_mapped_file_get_contents(map) : NULL;
	gsize length = map ? g_mapped_file_get_length(map) : 0;

	if (!map) {
		rig_error_set_hint(error, RIG_ERROR_HOST,
				   "check the path; for rig's own programs, build rig",
				   "program %s cannot be read", path);
		return FALSE;
	}
	if (length > 2 && data[0] == '#' && data[1] == '!')
		return TRUE;
	if (!rig_elf_is(data, length)) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "program %s is neither an x86-64 executable nor a script", path);
		return FALSE;
	}
	interpreter = rig_elf_interpreter(data, length);
	if (!interpreter || (image && image->debian) || image_has(image, interpreter))
		return TRUE;
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"link it statically (-static), or let the image's recipe bring its libraries",
		"program %s is dynamic: it needs %s, which the guest has not", path, interpreter);
	return FALSE;
}

char *rig_rootfs_find_busybox(GError **error)
{
	static const char *const places[] = {"/bin/busybox", "/usr/bin/busybox", "/sbin/busybox",
					     "/usr/sbin/busybox", "/bin/busybox-static"};

	for (guint i = 0; i < G_N_ELEMENTS(places); i++)
		if (rig_rootfs_check_program(places[i], NULL, NULL))
			return g_strdup(places[i]);
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "install the package busybox-static (Fedora: busybox)",
			   "no statically linked busybox on this host");
	return NULL;
}

static const RigImageFile *find_busybox_file(const RigImage *image)
{
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];

		if (file->from && !strcmp(file->from, "busybox"))
			return file;
	}
	return NULL;
}

/* The recipe's applets stand in /bin, all of busybox's own list where busybox wants them.
 * g_strfreev. */
static char **list_applets(const RigImage *image, const char *busybox, GError **error)
{
	const char *argv[] = {busybox, "--list-full", NULL};
	const RigProcess process = {.argv = argv, .timeout_ms = BUSYBOX_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};
	guint n = image->busybox_applets ? g_strv_length(image->busybox_applets) : 0;
	char **applets;

	if (!image->busybox_applets) {
		if (!rig_process_check(&process, &result, RIG_ERROR_HOST, NULL, error))
			return NULL;
		return g_strsplit(result.out, "\n", -1);
	}
	applets = g_new0(char *, n + 1);
	for (guint i = 0; i < n; i++)
		applets[i] = g_strconcat("bin/", image->busybox_applets[i], NULL);
	return applets;
}

static gboolean add_applets(RigRootfs *rootfs, const RigImage *image, const char *busybox,
			    GError **error)
{
	const RigImageFile *file = find_busybox_file(image);
	g_auto(GStrv) applets = NULL;

	if (!file)
		return TRUE;
	applets = list_applets(image, busybox, error);
	for (guint i = 0; applets && applets[i]; i++) {
		g_autofree char *path = g_strconcat("/", applets[i], NULL);

		if (applets[i][0] && strcmp(path, file->path))
			rig_rootfs_add_link(rootfs, path, file->path);
	}
	return applets != NULL;
}

static gboolean add_own(RigRootfs *rootfs, const RigImageFile *file, const RigPaths *paths,
			GError **error)
{
	g_autofree char *source =
		g_build_filename(paths->libexec, file->from + strlen("guest:"), NULL);

	if (!rig_rootfs_check_program(source, NULL, error))
		return FALSE;
	rig_rootfs_add_file(rootfs, file->path, source, file->mode);
	return TRUE;
}

/* A dynamic program fails here, where the message can say why, and not in the guest. */
static gboolean check_source(const RigImage *image, const RigImageFile *file, GError **error)
{
	g_autoptr(GMappedFile) map = g_mapped_file_new(file->from, FALSE, NULL);

	return !map ||
	       !rig_elf_is(g_mapped_file_get_contents(map), g_mapped_file_get_length(map)) ||
	       rig_rootfs_check_program(file->from, image, error);
}

static gboolean add_base(RigRootfs *rootfs, const RigImage *image, const RigImageFile *file,
			 const char *busybox, GError **error)
{
	if (file->from && !strcmp(file->from, "busybox")) {
		rig_rootfs_add_file(rootfs, file->path, busybox, file->mode);
	} else if (file->from) {
		if (!check_source(image, file, error))
			return FALSE;
		rig_rootfs_add_file(rootfs, file->path, file->from, file->mode);
	} else if (file->link) {
		rig_rootfs_add_link(rootfs, file->path, file->link);
	} else if (file->text) {
		rig_rootfs_add_text(rootfs, file->path, file->text, file->mode);
	} else {
		rig_rootfs_add_dir(rootfs, file->path, file->mode);
	}
	return TRUE;
}

gboolean rig_rootfs_add_image(RigRootfs *rootfs, const RigImage *image, RigRootfsPart part,
			      const RigPaths *paths, const char *busybox, GError **error)
{
	if (part == RIG_ROOTFS_BASE && !add_applets(rootfs, image, busybox, error))
		return FALSE;
	for (guint i = 0; i < image->files->len; i++) {
		const RigImageFile *file = image->files->pdata[i];
		gboolean own = file->from && g_str_has_prefix(file->from, "guest:");

		if (own && part == RIG_ROOTFS_OWN && !add_own(rootfs, file, paths, error))
			return FALSE;
		if (!own && part == RIG_ROOTFS_BASE &&
		    !add_base(rootfs, image, file, busybox, error))
			return FALSE;
	}
	if (part == RIG_ROOTFS_BASE) {
		/* For a kernel that does not mount devtmpfs by itself. */
		rig_rootfs_add_char_device(rootfs, "/dev/console", 5, 1, 0600);
		rig_rootfs_add_char_device(rootfs, "/dev/null", 1, 3, 0666);
	}
	return TRUE;
}
