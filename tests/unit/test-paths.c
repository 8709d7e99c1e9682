/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-paths.c - where rig looks, as the environment says.
 *
 * The test itself runs from the build directory, so the source tree stands in for the installed
 * folder here; tests/cli checks the installed program.
 */
#include "base/paths.h"

#include "expect.h"

#include <unistd.h>

static const char *const variables[] = {
	"RIG_DATA_PATH",   "RIG_STATE_DIR",  "RIG_CACHE_DIR",  "RIG_GUEST_DIR",
	"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
};

typedef struct {
	char *dir;
	char *first, *second; /* data folders in DIR */
} Fixture;

static void write_file(const char *folder, const char *name)
{
	g_autofree char *path = g_build_filename(folder, "topologies", name, NULL);
	g_autofree char *parent = g_path_get_dirname(path);

	g_assert_true(rig_file_make_dirs(parent, 0755, NULL));
	g_assert_true(rig_file_write(path, "{}", -1, 0644, NULL));
}

static void set_up(Fixture *f, gconstpointer data)
{
	g_autofree char *both = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
		g_unsetenv(variables[i]);
	f->dir = expect_temp_dir();
	f->first = g_build_filename(f->dir, "first", NULL);
	f->second = g_build_filename(f->dir, "second", NULL);
	both = g_strdup_printf("%s::%s", f->first, f->second);
	g_setenv("RIG_DATA_PATH", both, TRUE);
	g_setenv("HOME", f->dir, TRUE);
}

static void tear_down(Fixture *f, gconstpointer data)
{
	expect_remove(f->dir);
	g_free(f->first);
	g_free(f->second);
}

static void test_defaults(Fixture *f, gconstpointer data)
{
	g_autoptr(RigPaths) paths = rig_paths_new();
	g_autofree char *config = g_build_filename(f->dir, ".config", "rig", NULL);
	g_autofree char *state = g_build_filename(f->dir, ".local/state", "rig", NULL);

	g_assert_cmpuint(g_strv_length(paths->data), ==, 4);
	g_assert_cmpstr(paths->data[0], ==, f->first);
	g_assert_cmpstr(paths->data[1], ==, f->second);
	g_assert_cmpstr(paths->data[2], ==, config);
	g_assert_cmpstr(paths->state, ==, geteuid() ? state : "/var/lib/rig");
	g_assert_true(g_str_has_suffix(paths->cache, geteuid() ? ".cache/rig" : "/var/cache/rig"));
}

/* What was built here uses what was built here. */
static void test_from_build_dir(Fixture *f, gconstpointer data)
{
	g_autoptr(RigPaths) paths = rig_paths_new();
	const char *root = g_getenv("RIG_SOURCE_ROOT");

	if (!root) {
		g_test_skip("RIG_SOURCE_ROOT is not set: not run by meson");
		return;
	}
	g_assert_cmpstr(paths->data[3], ==, root);
	g_assert_true(g_str_has_suffix(paths->libexec, "/src/guest"));
}

static void test_variables(Fixture *f, gconstpointer data)
{
	g_autofree char *here = g_get_current_dir();
	g_autofree char *relative = g_build_filename(here, "x", "state", NULL);
	g_autoptr(RigPaths) paths = NULL;

	g_setenv("RIG_STATE_DIR", "x/./state", TRUE);
	g_setenv("RIG_CACHE_DIR", "/c", TRUE);
	g_setenv("RIG_GUEST_DIR", "/g", TRUE);
	g_setenv("XDG_CONFIG_HOME", "/conf", TRUE);
	paths = rig_paths_new();
	g_assert_cmpstr(paths->state, ==, relative);
	g_assert_cmpstr(paths->cache, ==, "/c");
	g_assert_cmpstr(paths->libexec, ==, "/g");
	g_assert_cmpstr(paths->data[2], ==, "/conf/rig");
}

/* Set but empty, or relative where XDG forbids it, is as good as not set. */
static void test_empty_variables(Fixture *f, gconstpointer data)
{
	g_autofree char *config = g_build_filename(f->dir, ".config", "rig", NULL);
	g_autoptr(RigPaths) paths = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
		g_setenv(variables[i], "", TRUE);
	g_setenv("XDG_CONFIG_HOME", "relative", TRUE);
	paths = rig_paths_new();
	g_assert_cmpuint(g_strv_length(paths->data), ==, 2);
	g_assert_cmpstr(paths->data[0], ==, config);
	g_assert_true(g_path_is_absolute(paths->state));
	g_assert_true(g_path_is_absolute(paths->cache));
	g_assert_cmpstr(paths->libexec, !=, "");
}

static void test_find(Fixture *f, gconstpointer data)
{
	g_autoptr(RigPaths) paths = rig_paths_new();
	g_autoptr(GError) error = NULL;
	g_autofree char *shadow = g_build_filename(f->first, "topologies", "both.json", NULL);
	g_autofree char *other = g_build_filename(f->second, "topologies", "second.json", NULL);
	g_autofree char *a = NULL, *b = NULL, *c = NULL, *d = NULL;

	write_file(f->first, "both.json");
	write_file(f->second, "both.json");
	write_file(f->second, "second.json");
	a = rig_paths_find(paths, "topologies", "topology", "both", &error);
	g_assert_cmpstr(a, ==, shadow);
	b = rig_paths_find(paths, "topologies", "topology", "second", &error);
	g_assert_cmpstr(b, ==, other);
	c = rig_paths_find(paths, "topologies", "topology", "./mine", &error);
	g_assert_cmpstr(c, ==, "./mine");
	d = rig_paths_find(paths, "topologies", "topology", "mine.json", &error);
	g_assert_cmpstr(d, ==, "mine.json");
	g_assert_no_error(error);
}

static void test_find_bad(Fixture *f, gconstpointer data)
{
	g_autoptr(RigPaths) paths = rig_paths_new();
	g_autoptr(GError) error = NULL;

	write_file(f->first, "2sp-test.json");
	g_assert_null(rig_paths_find(paths, "topologies", "topology", "2sp-tets", &error));
	expect_error(&error, RIG_ERROR_USAGE,
		     "topology \"2sp-tets\": not found\nhint: did you mean \"2sp-test\"? "
		     "\"rig topology list\" shows them all");
	g_assert_null(rig_paths_find(paths, "topologies", "topology", "zzzzzzzz", &error));
	expect_error(&error, RIG_ERROR_USAGE, "not found\nhint: \"rig topology list\" shows");
	g_assert_null(rig_paths_find(paths, "topologies", "topology", "", &error));
	expect_error(&error, RIG_ERROR_USAGE, "topology \"\" is no valid name");
	g_assert_null(rig_paths_find(paths, "topologies", "topology", "..", &error));
	expect_error(&error, RIG_ERROR_USAGE, "no valid name");
}

static void test_list(Fixture *f, gconstpointer data)
{
	g_autoptr(RigPaths) paths = rig_paths_new();
	g_auto(GStrv) names = NULL, none = NULL;

	/* Without the source tree's own. */
	g_free(g_steal_pointer(&paths->data[3]));
	write_file(f->first, "b.json");
	write_file(f->first, ".hidden.json");
	write_file(f->first, "readme.md");
	write_file(f->second, "b.json");
	write_file(f->second, "a.json");
	names = rig_paths_list(paths, "topologies");
	g_assert_cmpuint(g_strv_length(names), ==, 2);
	g_assert_cmpstr(names[0], ==, "a");
	g_assert_cmpstr(names[1], ==, "b");
	none = rig_paths_list(paths, "nothing");
	g_assert_cmpuint(g_strv_length(none), ==, 0);
}

#define ADD(name, function) g_test_add("/paths/" name, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("defaults", test_defaults);
	ADD("from-build-dir", test_from_build_dir);
	ADD("variables", test_variables);
	ADD("empty-variables", test_empty_variables);
	ADD("find", test_find);
	ADD("find-bad", test_find_bad);
	ADD("list", test_list);
	return g_test_run();
}
