/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kernelrecipe.c - recipes of kernels: the shipped ones, and what is refused.
 */
#include "model/kernelrecipe.h"

#include "expect.h"

#define GOOD                                                                             \
	"{\"version\":1,\"name\":\"x\",\"text\":\"t\",\"source\":\"linux-source-6.12\"," \
	"\"patches\":[\"p/a.patch\",\"/abs/b.patch\"],\"config\":\"own.config\","        \
	"\"counters\":[{\"name\":\"proc-vmstat.pgfault\",\"direction\":\"lower\"}],"     \
	"\"classes\":\"AB\",\"cannot\":\"c\"}"

static char *put(const char *dir, const char *name, const char *text)
{
	char *path = g_build_filename(dir, name, NULL);
	g_autoptr(GError) error = NULL;

	if (!rig_file_write(path, text, -1, 0644, &error))
		g_error("%s", error->message);
	return path;
}

static void test_load(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *path = put(dir, "x.json", GOOD);
	g_autofree char *patch = g_build_filename(dir, "p/a.patch", NULL);
	g_autofree char *config = g_build_filename(dir, "own.config", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernelRecipe) recipe = rig_kernelrecipe_load(path, &error);
	const RigKernelExpect *expect;

	g_assert_no_error(error);
	g_assert_cmpstr(recipe->patches[0], ==, patch);
	g_assert_cmpstr(recipe->patches[1], ==, "/abs/b.patch");
	g_assert_null(recipe->patches[2]);
	g_assert_cmpstr(recipe->config, ==, config);
	g_assert_cmpuint(g_strv_length(recipe->reverts), ==, 0);
	g_assert_cmpuint(recipe->expects->len, ==, 1);
	expect = recipe->expects->pdata[0];
	g_assert_cmpstr(expect->name, ==, "proc-vmstat.pgfault");
	g_assert_cmpint(expect->direction, ==, RIG_LOWER);
	g_assert_true(rig_kernelrecipe_fits(recipe, 'B'));
	g_assert_false(rig_kernelrecipe_fits(recipe, 'C'));
	expect_remove(dir);
}

static void test_bad(void)
{
	static const struct {
		const char *from, *to, *part;
	} cases[] = {
		{"\"name\":\"x\"", "\"name\":\"y\"", "is not the file's name"},
		{"\"classes\":\"AB\"", "\"classes\":\"AD\"", "classes"},
		{"\"classes\":\"AB\"", "\"classes\":\"\"", "classes"},
		{"\"lower\"", "\"down\"", "direction"},
		{"\"text\":\"t\"", "\"text\":\"\"", "text"},
		{"\"source\":\"linux-source-6.12\",", "", "source"},
		{"\"p/a.patch\"", "\"\"", "patches"},
		{"\"cannot\":\"c\"", "\"canot\":\"c\"", "canot"},
		{"\"version\":1", "\"version\":2", "version"},
	};
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(GOOD);
		g_autofree char *path = NULL;

		g_assert_cmpuint(g_string_replace(text, cases[i].from, cases[i].to, 1), ==, 1);
		path = put(dir, "x.json", text->str);
		g_assert_null(rig_kernelrecipe_load(path, &error));
		expect_error(&error, RIG_ERROR_USAGE, cases[i].part);
	}
	expect_remove(dir);
}

static void expect_there(const char *root, const char *folder, const char *name)
{
	g_autofree char *file = g_strconcat(name, ".json", NULL);
	g_autofree char *path = g_build_filename(root, folder, file, NULL);

	if (!g_file_test(path, G_FILE_TEST_EXISTS))
		g_error("%s does not exist", path);
}

/* Every shipped recipe loads, and what it names is there. */
static void test_shipped(void)
{
	const char *root = g_getenv("RIG_SOURCE_ROOT");
	g_autofree char *dir = g_build_filename(root, "kernels", NULL);
	g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
	const char *name;
	guint n = 0;

	while ((name = g_dir_read_name(handle))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		g_autoptr(GError) error = NULL;
		g_autoptr(RigKernelRecipe) recipe = NULL;

		if (!g_str_has_suffix(name, ".json"))
			continue;
		recipe = rig_kernelrecipe_load(path, &error);
		g_assert_no_error(error);
		for (guint i = 0; recipe->patches[i]; i++)
			g_assert_true(g_file_test(recipe->patches[i], G_FILE_TEST_EXISTS));
		if (recipe->base)
			expect_there(root, "kernels", recipe->base);
		if (recipe->workload)
			expect_there(root, "workloads", recipe->workload);
		if (!rig_kernelrecipe_fits(recipe, 'C'))
			g_assert_nonnull(recipe->cannot);
		n++;
	}
	g_assert_cmpuint(n, >=, 5);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kernelrecipe/load", test_load);
	g_test_add_func("/kernelrecipe/bad", test_bad);
	g_test_add_func("/kernelrecipe/shipped", test_shipped);
	return g_test_run();
}
