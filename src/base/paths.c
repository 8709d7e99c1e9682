/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * paths.c - where data, state, cache and the guest executables lie.
 *
 * A rig that runs from its build directory takes data and guest executables from that tree only:
 * an older rig that is installed beside it must not lend it an agent of another protocol.
 */
#include "base/paths.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* TRUE if the program that runs lies below RIG_BUILD_DIR. */
static gboolean runs_from_build_dir(void)
{
	g_autofree char *self = g_file_read_link("/proc/self/exe", NULL);
	char *build = realpath(RIG_BUILD_DIR, NULL);
	gboolean below = FALSE;

	if (self && build) {
		gsize length = strlen(build);

		below = strncmp(self, build, length) == 0 && self[length] == '/';
	}
	free(build);
	return below;
}

/* The value of VARIABLE as an absolute path, NULL if it is unset or empty. */
static char *from_environment(const char *variable)
{
	const char *value = g_getenv(variable);

	return value && *value ? g_canonicalize_filename(value, NULL) : NULL;
}

/* The folder "rig" below an XDG base folder; relative values are to be ignored, says XDG. */
static char *xdg_folder(const char *variable, const char *fallback)
{
	const char *value = g_getenv(variable);
	const char *home = g_getenv("HOME");

	if (value && g_path_is_absolute(value))
		return g_build_filename(value, "rig", NULL);
	if (!home || !g_path_is_absolute(home))
		home = g_get_home_dir();
	return g_build_filename(home, fallback, "rig", NULL);
}

static char **data_folders(gboolean from_build_dir)
{
	g_autoptr(GStrvBuilder) folders = g_strv_builder_new();
	g_autofree char *config = xdg_folder("XDG_CONFIG_HOME", ".config");
	g_auto(GStrv) extra = g_strsplit(g_getenv("RIG_DATA_PATH") ?: "", ":", -1);

	for (guint i = 0; extra[i]; i++) {
		g_autofree char *folder = g_canonicalize_filename(extra[i], NULL);

		if (*extra[i])
			g_strv_builder_add(folders, folder);
	}
	g_strv_builder_add(folders, config);
	g_strv_builder_add(folders, from_build_dir ? RIG_SOURCE_DIR : RIG_DATADIR);
	return g_strv_builder_end(folders);
}

static char *own_folder(const char *variable, const char *for_root, const char *xdg,
			const char *xdg_fallback)
{
	char *folder = from_environment(variable);

	if (folder)
		return folder;
	return geteuid() == 0 ? g_strdup(for_root) : xdg_folder(xdg, xdg_fallback);
}

RigPaths *rig_paths_new(void)
{
	RigPaths *paths = g_new0(RigPaths, 1);
	gboolean from_build_dir = runs_from_build_dir();

	paths->data = data_folders(from_build_dir);
	paths->state =
		own_folder("RIG_STATE_DIR", "/var/lib/rig", "XDG_STATE_HOME", ".local/state");
	paths->cache = own_folder("RIG_CACHE_DIR", "/var/cache/rig", "XDG_CACHE_HOME", ".cache");
	paths->libexec = from_environment("RIG_GUEST_DIR");
	if (!paths->libexec)
		paths->libexec =
			g_strdup(from_build_dir ? RIG_BUILD_DIR "/src/guest" : RIG_LIBEXECDIR);
	return paths;
}

void rig_paths_free(RigPaths *paths)
{
	if (!paths)
		return;
	g_strfreev(paths->data);
	g_free(paths->state);
	g_free(paths->cache);
	g_free(paths->libexec);
	g_free(paths);
}

static void set_not_found(const RigPaths *paths, const char *dir, const char *what,
			  const char *name, GError **error)
{
	g_auto(GStrv) names = rig_paths_list(paths, dir);
	const char *nearest = rig_text_nearest(name, (const char *const *)names);
	g_autofree char *hint = NULL;

	if (nearest)
		hint = g_strdup_printf("did you mean \"%s\"? \"rig %s list\" shows them all",
				       nearest, what);
	else
		hint = g_strdup_printf("\"rig %s list\" shows them all", what);
	rig_error_set_hint(error, RIG_ERROR_USAGE, hint, "%s \"%s\": not found", what, name);
}

char *rig_paths_find(const RigPaths *paths, const char *dir, const char *what, const char *name,
		     GError **error)
{
	g_autofree char *file = g_strconcat(name, ".json", NULL);

	if (strchr(name, '/') || g_str_has_suffix(name, ".json"))
		return g_strdup(name);
	if (!rig_file_check_name(what, name, error))
		return NULL;
	for (guint i = 0; paths->data[i]; i++) {
		g_autofree char *path = g_build_filename(paths->data[i], dir, file, NULL);

		if (g_file_test(path, G_FILE_TEST_EXISTS))
			return g_steal_pointer(&path);
	}
	set_not_found(paths, dir, what, name, error);
	return NULL;
}

static void add_names(GHashTable *names, const char *folder)
{
	g_autoptr(GDir) dir = g_dir_open(folder, 0, NULL);
	const char *entry;

	while (dir && (entry = g_dir_read_name(dir))) {
		g_autofree char *name = NULL;

		if (entry[0] == '.' || !g_str_has_suffix(entry, ".json"))
			continue;
		name = g_strndup(entry, strlen(entry) - strlen(".json"));
		if (!g_hash_table_contains(names, name))
			g_hash_table_add(names, g_steal_pointer(&name));
	}
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **rig_paths_list(const RigPaths *paths, const char *dir)
{
	g_autoptr(GHashTable) names = g_hash_table_new(g_str_hash, g_str_equal);
	char **list;
	guint count;

	for (guint i = 0; paths->data[i]; i++) {
		g_autofree char *folder = g_build_filename(paths->data[i], dir, NULL);

		add_names(names, folder);
	}
	list = (char **)g_hash_table_get_keys_as_array(names, &count);
	qsort(list, count, sizeof(*list), compare_names);
	return list;
}
