/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-kernel.c - what the folders of rig's kernel store say.
 */
#include "model/kernel.h"

#include "expect.h"

#define DIGEST_A "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
#define DIGEST_B "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
#define GOOD                                                                                  \
	"{\"version\":1,\"name\":\"base\",\"release\":\"6.1.0\",\"banner\":\"Linux version "  \
	"6.1.0\","                                                                            \
	"\"compiler\":\"gcc-12\",\"source\":\"host\",\"format\":\"elf-pvh\",\"boot_sha256\":" \
	"\"" DIGEST_A "\",\"config_sha256\":\"" DIGEST_B "\",\"modules_sha256\":\"" DIGEST_A  \
	"\",\"added\":7}"

static void put(const char *dir, const char *name, const char *file, const char *text)
{
	g_autofree char *folder = g_build_filename(dir, name, NULL);
	g_autofree char *path = g_build_filename(folder, file, NULL);
	g_autoptr(GError) error = NULL;

	if (!rig_file_make_dirs(folder, 0755, &error) ||
	    !rig_file_write(path, text, -1, 0644, &error))
		g_error("%s", error->message);
}

static void test_load(void)
{
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;
	g_autoptr(RigKernel) kernel = NULL;
	g_autofree char *boot = NULL, *modules = NULL, *name = NULL, *config = NULL;

	put(dir, "base", "kernel.json", GOOD);
	put(dir, "base", "config", "CONFIG_NUMA=y\n");
	kernel = rig_kernel_load(dir, "base", &error);
	g_assert_no_error(error);
	g_assert_cmpstr(kernel->release, ==, "6.1.0");
	g_assert_cmpint(kernel->added, ==, 7);
	boot = rig_kernel_boot_path(kernel);
	g_assert_true(g_str_has_suffix(boot, "/base/boot"));
	modules = rig_kernel_modules_dir(kernel);
	g_assert_true(g_str_has_suffix(modules, "/base/modules/lib/modules/6.1.0"));
	name = rig_kernel_kconfig_name(kernel);
	g_assert_cmpstr(name, ==, "config-bbbbbbbbbbbb");
	config = rig_kernel_config(kernel);
	g_assert_cmpstr(config, ==, "CONFIG_NUMA=y\n");
	expect_remove(dir);
}

static void test_round_trip(void)
{
	char *dir = expect_temp_dir();
	g_autoptr(RigKernel) first = NULL, second = NULL;
	g_autofree char *text = NULL, *again = NULL, *name = NULL, *modules = NULL;
	g_autoptr(GError) error = NULL;

	put(dir, "base", "kernel.json", GOOD);
	first = rig_kernel_load(dir, "base", &error);
	g_assert_no_error(error);
	g_clear_pointer(&first->modules_sha256, g_free);
	g_clear_pointer(&first->config_sha256, g_free);
	text = rig_kernel_to_json(first);
	put(dir, "other", "kernel.json", text);
	second = rig_kernel_load(dir, "other", &error);
	g_assert_no_error(error);
	/* The folder names it, not what was written once. */
	g_assert_cmpstr(second->name, ==, "other");
	modules = rig_kernel_modules_dir(second);
	g_assert_null(modules);
	g_assert_null(rig_kernel_config(second));
	name = rig_kernel_kconfig_name(second);
	g_assert_cmpstr(name, ==, "config-unknown");
	expect_remove(dir);
}

static void test_bad(void)
{
	static const struct {
		const char *from, *to, *part;
	} cases[] = {
		{"\"elf-pvh\"", "\"zImage\"", "format"},
		{"\"6.1.0\"", "\"../../x\"", "release"},
		{"\"6.1.0\"", "\"..\"", "release"},
		{"\"version\":1", "\"version\":2", "version"},
		{"\"added\":7", "\"added\":7,\"more\":1", "more"},
		{"\"boot_sha256\":\"" DIGEST_A, "\"boot_sha256\":\"x" DIGEST_A, "boot_sha256"},
		{"\"compiler\":\"gcc-12\",", "", "compiler"},
	};
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) text = g_string_new(GOOD);

		g_assert_cmpuint(g_string_replace(text, cases[i].from, cases[i].to, 1), ==, 1);
		put(dir, "bad", "kernel.json", text->str);
		g_assert_null(rig_kernel_load(dir, "bad", &error));
		expect_error(&error, RIG_ERROR_USAGE, cases[i].part);
	}
	g_assert_null(rig_kernel_load(dir, "nobody", &error));
	expect_error(&error, RIG_ERROR_USAGE, "rig kernel add");
	g_assert_null(rig_kernel_load(dir, "../bad", &error));
	expect_error(&error, RIG_ERROR_USAGE, "../bad");
	expect_remove(dir);
}

static void test_list(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *missing = g_build_filename(dir, "nothing", NULL);
	g_autoptr(GPtrArray) kernels = NULL, none = NULL;
	g_autoptr(GError) error = NULL;

	put(dir, "head", "kernel.json", GOOD);
	put(dir, "base", "kernel.json", GOOD);
	put(dir, ".add-123", "kernel.json", GOOD);
	put(dir, "empty", "boot", "");
	kernels = rig_kernel_list(dir, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(kernels->len, ==, 2);
	g_assert_cmpstr(((RigKernel *)kernels->pdata[0])->name, ==, "base");
	g_assert_cmpstr(((RigKernel *)kernels->pdata[1])->name, ==, "head");
	none = rig_kernel_list(missing, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(none->len, ==, 0);
	expect_remove(dir);
}

static void test_default(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *name = NULL, *evil = g_build_filename(dir, ".default", NULL);
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_kernel_default(dir));
	g_assert_false(rig_kernel_set_default(dir, "base", &error));
	expect_error(&error, RIG_ERROR_USAGE, "base");
	put(dir, "base", "kernel.json", GOOD);
	g_assert_true(rig_kernel_set_default(dir, "base", &error));
	name = rig_kernel_default(dir);
	g_assert_cmpstr(name, ==, "base");
	g_assert_true(rig_file_write(evil, "../../etc\n", -1, 0644, &error));
	g_assert_null(rig_kernel_default(dir));
	g_assert_true(rig_kernel_clear_default(dir, &error));
	g_assert_true(rig_kernel_clear_default(dir, &error));
	expect_remove(dir);
}

static void expect_value(const char *option, const char *want)
{
	static const char config[] = "# CONFIG_OFF is not set\nCONFIG_NUMA_BALANCING=y\n"
				     "CONFIG_NUMA=m\nCONFIG_TEXT=\"a b\"\nCONFIG_LAST=y";
	g_autofree char *value = rig_kconfig_value(config, option);

	g_assert_cmpstr(value, ==, want);
}

static void test_config(void)
{
	expect_value("CONFIG_NUMA", "m");
	expect_value("CONFIG_NUMA_BALANCING", "y");
	expect_value("CONFIG_OFF", "n");
	expect_value("CONFIG_ABSENT", "n");
	expect_value("CONFIG_TEXT", "\"a b\"");
	expect_value("CONFIG_LAST", "y");
	expect_value("NUMA", "n");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/kernel/load", test_load);
	g_test_add_func("/kernel/round-trip", test_round_trip);
	g_test_add_func("/kernel/bad", test_bad);
	g_test_add_func("/kernel/list", test_list);
	g_test_add_func("/kernel/default", test_default);
	g_test_add_func("/kernel/config", test_config);
	return g_test_run();
}
