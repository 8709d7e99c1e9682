/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelstore.c - brings a kernel into rig's store.
 *
 * Everything is made in a scratch folder inside the store and renamed, so a kernel in the store is
 * whole.
 */
#include "vm/kernelstore.h"

#include "base/error.h"
#include "base/file.h"
#include "vm/bzimage.h"
#include "vm/cache.h"
#include "vm/kernelcheck.h"
#include "vm/kernelfile.h"
#include "vm/kernelsource.h"
#include "vm/modules.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define CONFIG_MAX (4 * 1024 * 1024)

/* One addition. */
typedef struct {
	const RigKernelStore *store;
	const RigKernelSource *source;
	const char *dir; /* that becomes the kernel's folder */
	RigKernelParts *parts;
	RigKernel *kernel;
} Addition;

static char *in_dir(const Addition *addition, const char *name)
{
	return g_build_filename(addition->dir, name, NULL);
}

/* TRUE if the bzImage in MAP could be unpacked to PATH and is an ELF file that QEMU starts. */
static gboolean unpack_elf(GMappedFile *map, const RigBzImage *image, const char *path, RigLog *log)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GMappedFile) elf = NULL;
	int fd = g_open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	gboolean good =
		fd >= 0 && rig_bzimage_extract(g_mapped_file_get_contents(map), image, fd, &error);

	if (fd >= 0)
		close(fd);
	elf = good ? g_mapped_file_new(path, FALSE, NULL) : NULL;
	if (elf && rig_elf_has_pvh(g_mapped_file_get_contents(elf), g_mapped_file_get_length(elf)))
		return TRUE;
	rig_log_verbose(log, "the bzImage is kept as it is: %s",
			error ? error->message : "the kernel in it has no PVH entry");
	g_unlink(path);
	return FALSE;
}

static gboolean store_bzimage(Addition *addition, GMappedFile *map, const char *path,
			      GError **error)
{
	g_auto(RigBzImage) image = {0};

	if (!rig_bzimage_read(g_mapped_file_get_contents(map), g_mapped_file_get_length(map),
			      &image, error))
		return FALSE;
	if (image.version)
		addition->kernel->banner = g_strconcat("Linux version ", image.version, NULL);
	if (unpack_elf(map, &image, path, addition->store->log)) {
		addition->kernel->format = g_strdup("elf-pvh");
		return TRUE;
	}
	addition->kernel->format = g_strdup("bzimage");
	return rig_file_copy(addition->parts->boot, path, 0644, error);
}

static gboolean store_elf(Addition *addition, GMappedFile *map, const char *path, GError **error)
{
	if (!rig_elf_has_pvh(g_mapped_file_get_contents(map), g_mapped_file_get_length(map))) {
		rig_error_set_hint(
			error, RIG_ERROR_USAGE, "build it with CONFIG_PVH=y, or add its bzImage",
			"%s has no PVH entry, so QEMU cannot start it", addition->parts->boot);
		return FALSE;
	}
	addition->kernel->format = g_strdup("elf-pvh");
	return rig_file_copy(addition->parts->boot, path, 0644, error);
}

static gboolean store_boot(Addition *addition, GError **error)
{
	g_autofree char *path = in_dir(addition, "boot");
	g_autoptr(GMappedFile) map = g_mapped_file_new(addition->parts->boot, FALSE, error);
	const char *data = map ? g_mapped_file_get_contents(map) : NULL;
	gsize length = map ? g_mapped_file_get_length(map) : 0;

	if (!map)
		return FALSE;
	if (length && rig_bzimage_is(data, length)) {
		if (!store_bzimage(addition, map, path, error))
			return FALSE;
	} else if (length && rig_elf_is(data, length)) {
		if (!store_elf(addition, map, path, error))
			return FALSE;
	} else {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "%s is neither a bzImage nor a vmlinux for x86-64",
			      addition->parts->boot);
		return FALSE;
	}
	addition->kernel->boot_sha256 = rig_file_sha256(path, error);
	return addition->kernel->boot_sha256 != NULL;
}

static gboolean write_config(Addition *addition, const char *text, GError **error)
{
	g_autofree char *path = in_dir(addition, "config");

	if (!rig_file_write(path, text, -1, 0644, error))
		return FALSE;
	addition->kernel->config_sha256 = rig_file_sha256(path, error);
	return addition->kernel->config_sha256 != NULL;
}

/* What the uncompressed kernel tells: banner and, where no file gave one, the config. */
static gboolean read_kernel(Addition *addition, GError **error)
{
	g_autofree char *path = in_dir(addition, "boot");
	g_autoptr(GMappedFile) map = g_mapped_file_new(path, FALSE, error);
	g_autofree char *banner = NULL, *config = NULL;
	const char *data = map ? g_mapped_file_get_contents(map) : NULL;
	gsize length = map ? g_mapped_file_get_length(map) : 0;

	if (!map)
		return FALSE;
	banner = rig_kernelfile_banner(data, length);
	if (banner) {
		g_free(addition->kernel->banner);
		addition->kernel->banner = g_steal_pointer(&banner);
	}
	if (addition->parts->config)
		config = rig_file_read(addition->parts->config, CONFIG_MAX, NULL, error);
	else
		config = rig_kernelfile_config(data, length);
	if (!config)
		return !addition->parts->config;
	return write_config(addition, config, error);
}

static gboolean name_release(Addition *addition, GError **error)
{
	RigKernel *kernel = addition->kernel;
	g_autofree char *config = NULL, *text = NULL;

	kernel->release = rig_kernelfile_release(kernel->banner);
	if (!kernel->release) {
		rig_error_set(error, RIG_ERROR_USAGE, "%s does not tell its release",
			      addition->parts->boot);
		return FALSE;
	}
	kernel->compiler = rig_kernelfile_compiler(kernel->banner);
	if (strcmp(kernel->compiler, "unknown"))
		return TRUE;
	config = in_dir(addition, "config");
	text = rig_file_read(config, CONFIG_MAX, NULL, NULL);
	if (text) {
		g_autofree char *version = rig_kconfig_value(text, "CONFIG_CC_VERSION_TEXT");

		g_free(kernel->compiler);
		kernel->compiler = rig_kernelfile_compiler(version);
	}
	return TRUE;
}

static gboolean store_modules(Addition *addition, GError **error)
{
	const char *from = addition->parts->modules;
	g_autofree char *to = g_build_filename(addition->dir, "modules", "lib", "modules",
					       addition->kernel->release, NULL);
	g_autoptr(RigModules) modules = NULL;

	if (!from)
		return TRUE;
	rig_log_status(addition->store->log, "storing the modules of %s",
		       addition->kernel->release);
	if (!rig_modules_install(from, to, addition->parts->own, addition->store->cancellable,
				 error))
		return FALSE;
	modules = rig_modules_open(to, error);
	if (!modules || !rig_modules_check_release(modules, addition->kernel->release, error))
		return FALSE;
	addition->kernel->modules_sha256 = rig_modules_digest(to, error);
	return addition->kernel->modules_sha256 != NULL;
}

static gboolean store_debug(Addition *addition, GError **error)
{
	g_autofree char *path = in_dir(addition, "vmlinux");

	return !addition->source->debug ||
	       rig_file_copy(addition->source->debug, path, 0644, error);
}

static gboolean fill(Addition *addition, GError **error)
{
	if (!rig_file_make_dirs(addition->dir, 0755, error))
		return FALSE;
	rig_log_status(addition->store->log, "unpacking the kernel");
	return store_boot(addition, error) && read_kernel(addition, error) &&
	       name_release(addition, error) && store_modules(addition, error) &&
	       store_debug(addition, error);
}

static gboolean is_same(const RigKernel *a, const RigKernel *b)
{
	return !g_strcmp0(a->build ? a->build->key : NULL, b->build ? b->build->key : NULL) &&
	       !g_strcmp0(a->boot_sha256, b->boot_sha256) &&
	       !g_strcmp0(a->config_sha256, b->config_sha256) &&
	       !g_strcmp0(a->modules_sha256, b->modules_sha256);
}

/* NULL if there is none, or none that can be read. */
static RigKernel *find_existing(const RigKernelStore *store, const char *name)
{
	return name ? rig_kernel_load(store->kernels_dir, name, NULL) : NULL;
}

/* The same, but for one that is damaged: it is as good as none. */
static RigKernel *find_whole(const RigKernelStore *store, const char *name)
{
	g_autoptr(RigKernel) kernel = find_existing(store, name);
	g_autoptr(RigDigests) digests = kernel ? rig_digests_open(store->cache_dir) : NULL;
	g_autoptr(GError) why = NULL;

	if (kernel && rig_kernel_check(digests, kernel, &why) &&
	    rig_kernel_check_modules(kernel, &why))
		return g_steal_pointer(&kernel);
	if (why)
		rig_log_warn(store->log, "%.*s", (int)strcspn(why->message, "\n"), why->message);
	return NULL;
}

static gboolean write_description(Addition *addition, GError **error)
{
	g_autofree char *path = in_dir(addition, "kernel.json");
	g_autofree char *text = NULL;

	addition->kernel->source =
		g_strdup(addition->source->text ? addition->source->text : addition->parts->text);
	addition->kernel->build = rig_kernelbuild_copy(addition->source->build);
	addition->kernel->added = g_get_real_time() / G_USEC_PER_SEC;
	text = rig_kernel_to_json(addition->kernel);
	return rig_file_write(path, text, -1, 0644, error);
}

/* An old kernel of that name steps aside into the scratch folder and goes with it. */
static gboolean move_in(Addition *addition, const char *scratch, GError **error)
{
	const RigKernelStore *store = addition->store;
	const char *name = addition->kernel->name;
	g_autofree char *target = g_build_filename(store->kernels_dir, name, NULL);
	g_autofree char *old = g_build_filename(scratch, "old", NULL);

	if (g_file_test(target, G_FILE_TEST_EXISTS) && g_rename(target, old) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be replaced", target);
		return FALSE;
	}
	if (g_rename(addition->dir, target) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be put into the store",
				    target);
		return FALSE;
	}
	return TRUE;
}

static gboolean ensure_default(const RigKernelStore *store, const char *name, GError **error)
{
	g_autofree char *now = rig_kernel_default(store->kernels_dir);
	g_autoptr(RigKernel) kernel = find_existing(store, now);

	return kernel || rig_kernel_set_default(store->kernels_dir, name, error);
}

static RigKernel *put(Addition *addition, const char *scratch, GError **error)
{
	const RigKernelStore *store = addition->store;
	const char *name =
		addition->source->name ? addition->source->name : addition->kernel->release;
	g_autoptr(RigKernel) existing = find_whole(store, name);

	if (!rig_file_check_name("kernel name", name, error))
		return NULL;
	if (existing && is_same(existing, addition->kernel)) {
		rig_log_info(store->log, "kernel %s is already there", name);
		return g_steal_pointer(&existing);
	}
	if (existing && !addition->source->replace) {
		rig_error_set_hint(
			error, RIG_ERROR_USAGE,
			"--replace puts this one in its place, --name gives it another name",
			"another kernel is in the store as \"%s\" (%s)", name, existing->source);
		return NULL;
	}
	addition->kernel->name = g_strdup(name);
	if (!write_description(addition, error) || !move_in(addition, scratch, error) ||
	    !ensure_default(store, name, error))
		return NULL;
	return rig_kernel_load(store->kernels_dir, name, error);
}

RigKernel *rig_kernelstore_add(const RigKernelStore *store, const RigKernelSource *source,
			       GError **error)
{
	g_autoptr(RigKernel) kernel = g_new0(RigKernel, 1);
	g_autoptr(RigKernel) existing = NULL;
	g_auto(RigKernelParts) parts = {0};
	g_autoptr(RigScratch) scratch = NULL;
	g_autofree char *dir = NULL;
	Addition addition = {store, source, NULL, &parts, kernel};

	if (source->name && !rig_file_check_name("kernel name", source->name, error))
		return NULL;
	scratch = rig_scratch_new(store->kernels_dir, "add", error);
	if (!scratch)
		return NULL;
	existing = find_whole(store, source->name);
	if (!rig_kernelsource_find(store, source, existing, scratch->path, &parts, error))
		return NULL;
	if (parts.same) {
		rig_log_info(store->log, "kernel %s is already there", existing->name);
		return g_steal_pointer(&existing);
	}
	addition.dir = dir = g_build_filename(scratch->path, "new", NULL);
	if (!fill(&addition, error))
		return NULL;
	return put(&addition, scratch->path, error);
}

/* The first of those that are left takes its place. */
static gboolean forget_default(const RigKernelStore *store, const char *name, GError **error)
{
	g_autofree char *now = rig_kernel_default(store->kernels_dir);
	g_autoptr(GPtrArray) rest = NULL;

	if (g_strcmp0(now, name))
		return TRUE;
	rest = rig_kernel_list(store->kernels_dir, error);
	if (!rest)
		return FALSE;
	if (!rest->len)
		return rig_kernel_clear_default(store->kernels_dir, error);
	return rig_kernel_set_default(store->kernels_dir, ((RigKernel *)rest->pdata[0])->name,
				      error);
}

gboolean rig_kernelstore_remove(const RigKernelStore *store, const char *name, GError **error)
{
	g_autofree char *dir = g_build_filename(store->kernels_dir, name, NULL);
	g_autoptr(RigScratch) scratch = NULL;
	g_autofree char *aside = NULL;

	if (!rig_file_check_name("kernel name", name, error))
		return FALSE;
	if (!g_file_test(dir, G_FILE_TEST_IS_DIR)) {
		rig_error_set_hint(error, RIG_ERROR_USAGE,
				   "\"rig kernel list\" shows those that there are",
				   "kernel \"%s\" is not in the store", name);
		return FALSE;
	}
	/* First out of the store at once, then away: half a kernel is never found. */
	scratch = rig_scratch_new(store->kernels_dir, "remove", error);
	if (!scratch)
		return FALSE;
	aside = g_build_filename(scratch->path, name, NULL);
	if (g_rename(dir, aside) < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "cannot be removed", dir);
		return FALSE;
	}
	return forget_default(store, name, error);
}
