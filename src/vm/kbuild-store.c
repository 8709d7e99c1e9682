/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild-store.c - compiles a configured kernel and puts what came of it into the store.
 */
#include "vm/kbuild-private.h"

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "vm/cache.h"

#include <string.h>

#define CONFIG_MAX (4 * 1024 * 1024)
#define STRIP_TIMEOUT_MS (120 * 1000)
#define IMAGE "arch/x86/boot/bzImage"

static gboolean has(const RigKmake *make, const char *option)
{
	g_autofree char *path = g_build_filename(make->build, ".config", NULL);
	g_autofree char *config = rig_file_read(path, CONFIG_MAX, NULL, NULL);
	g_autofree char *value = config ? rig_kconfig_value(config, option) : NULL;

	return !g_strcmp0(value, "y");
}

gboolean rig_kbuild_compile(RigKmake *make, GError **error)
{
	const char *targets[] = {has(make, "CONFIG_PVH") ? "vmlinux" : "bzImage",
				 has(make, "CONFIG_MODULES") ? "modules" : NULL, NULL};

	return rig_kmake_run(make, targets, NULL, error);
}

/* The stored ELF has neither debug information nor symbols; kallsyms are inside the kernel. */
static gboolean strip_kernel(const RigKmake *make, const char *from, const char *to, GError **error)
{
	const char *argv[] = {"objcopy", "-R", ".comment", "-S", from, to, NULL};
	const RigProcess process = {.argv = argv, .timeout_ms = STRIP_TIMEOUT_MS};
	g_auto(RigProcessResult) result = {0};

	return rig_process_check(&process, &result, RIG_ERROR_HOST, make->cancellable, error);
}

static gboolean install_modules(RigKmake *make, const char *dir, GError **error)
{
	g_autofree char *path = g_strconcat("INSTALL_MOD_PATH=", dir, NULL);
	const char *targets[] = {"modules_install", path, "INSTALL_MOD_STRIP=1", "DEPMOD=true",
				 NULL};

	return rig_kmake_run(make, targets, NULL, error);
}

/* modules_install makes the folder even for a kernel that has no module. */
static gboolean has_modules(const char *dir)
{
	g_autofree char *parent = g_build_filename(dir, "lib", "modules", NULL);
	g_autoptr(GDir) handle = g_dir_open(parent, 0, NULL);
	const char *release = handle ? g_dir_read_name(handle) : NULL;

	return release != NULL;
}

static char *find_boot(const RigKmake *make, const char *scratch, GError **error)
{
	g_autofree char *vmlinux = g_build_filename(make->build, "vmlinux", NULL);
	g_autofree char *stripped = g_build_filename(scratch, "vmlinux", NULL);

	if (!has(make, "CONFIG_PVH"))
		return g_build_filename(make->build, IMAGE, NULL);
	return strip_kernel(make, vmlinux, stripped, error) ? g_steal_pointer(&stripped) : NULL;
}

/* "linux-source-6.12 6.12.95-1 + fix.patch" */
static char *describe(const RigKernelBuild *build)
{
	GString *text = g_string_new("built from ");

	g_string_append(text, build->source);
	for (guint i = 0; i < build->patches->len; i++)
		g_string_append_printf(text, " + %s",
				       ((RigKernelPatch *)build->patches->pdata[i])->name);
	return g_string_free(text, FALSE);
}

RigKernel *rig_kbuild_store(const RigKbuild *build, RigKmake *make, GError **error)
{
	const RigKbuildSpec *spec = build->spec;
	g_autoptr(RigScratch) scratch = rig_scratch_new(build->store->cache_dir, "kstore", error);
	g_autofree char *boot = scratch ? find_boot(make, scratch->path, error) : NULL;
	g_autofree char *modules = scratch ? g_build_filename(scratch->path, "m", NULL) : NULL;
	g_autofree char *config = g_build_filename(make->build, ".config", NULL);
	g_autofree char *vmlinux = g_build_filename(make->build, "vmlinux", NULL);
	g_autofree char *text = describe(build->build);
	RigKernelSource source = {.name = spec->name,
				  .source = boot,
				  .config = config,
				  .text = text,
				  .debug = spec->debug ? vmlinux : NULL,
				  .build = build->build,
				  .replace = TRUE};

	if (!boot)
		return NULL;
	if (has(make, "CONFIG_MODULES")) {
		if (!install_modules(make, modules, error))
			return NULL;
		source.modules = has_modules(modules) ? modules : NULL;
	}
	return rig_kernelstore_add(build->store, &source, error);
}
