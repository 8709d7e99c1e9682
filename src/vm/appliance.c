/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * appliance.c - makes libguestfs' appliance with supermin.
 *
 * libguestfs would run supermin itself, with the environment of our process and without a deadline.
 * Run from here, it gets its kernel as an argument, a deadline, and it is not run at all while
 * nothing has changed.
 */
#include "vm/appliance.h"

#include "base/error.h"
#include "base/file.h"
#include "base/lock.h"
#include "base/process.h"
#include "base/text.h"
#include "model/kernel.h"
#include "vm/cache.h"
#include "vm/drivers.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SUPERMIN_TIMEOUT_MS (5 * 60 * 1000)
#define HOST_MODULES "/lib/modules"

static const RigDriver needed[] = {
	{"virtio_pci", "CONFIG_VIRTIO_PCI"},
	{"virtio_scsi", "CONFIG_SCSI_VIRTIO"},
	{"sd_mod", "CONFIG_BLK_DEV_SD"},
	{"ext4", "CONFIG_EXT4_FS"},
	{"virtio_console", "CONFIG_VIRTIO_CONSOLE"},
	{NULL, NULL},
};
/* Makes the appliance's random numbers ready sooner. */
static const char *const welcome[] = {"virtio_rng", NULL};

/* One appliance to be made. */
typedef struct {
	const char *dir; /* <cache>/appliance/KEY */
	char *output, *modules;
	const char *parts;	 /* the folder supermin.d */
	const RigKernel *kernel; /* NULL: supermin looks for one on the host */
	RigLog *log;
	GCancellable *cancellable;
} Job;

/* KERNEL NULL: of the host. g_free. */
static char *key_of(const RigKernel *kernel)
{
	g_autofree char *text = NULL;

	if (!kernel)
		return g_strdup("host");
	text = g_strdup_printf("rig appliance 1\n%s\n%s\n", kernel->boot_sha256,
			       kernel->modules_sha256 ? kernel->modules_sha256 : "-");
	return rig_text_sha256(text);
}

static char *dir_of(const RigPaths *paths, const RigKernel *kernel)
{
	g_autofree char *key = key_of(kernel);

	return rig_cache_path(paths->cache, RIG_CACHE_APPLIANCE, key);
}

/* The modules of KERNEL that the appliance needs; FALSE if it cannot carry one. */
static gboolean resolve(const RigKernel *kernel, RigModules **modules, GPtrArray *files,
			GError **error)
{
	g_autofree char *dir = rig_kernel_modules_dir(kernel);
	g_autofree char *config = rig_kernel_config(kernel);

	*modules = rig_modules_open(dir, error);
	return *modules &&
	       rig_drivers_resolve(*modules, config, kernel->name, needed, files, error) &&
	       rig_modules_resolve(*modules, welcome, files, error);
}

static gboolean is_suited(const RigKernel *kernel)
{
	g_autoptr(RigModules) modules = NULL;
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);

	return resolve(kernel, &modules, files, NULL);
}

/* A kernel under test may not boot, so one of the distribution's is the better base. */
static const RigKernel *choose(const RigPaths *paths, const GPtrArray *kernels)
{
	for (guint i = 0; i < kernels->len; i++) {
		g_autofree char *dir = dir_of(paths, kernels->pdata[i]);
		g_autofree char *root = g_build_filename(dir, "appliance.d", "root", NULL);

		if (g_file_test(root, G_FILE_TEST_EXISTS))
			return kernels->pdata[i];
	}
	for (guint pass = 0; pass < 2; pass++)
		for (guint i = 0; i < kernels->len; i++) {
			const RigKernel *kernel = kernels->pdata[i];
			gboolean package = g_str_has_prefix(kernel->source, "package ");

			if (package == (pass == 0) && is_suited(kernel))
				return kernel;
		}
	return NULL;
}

static gboolean copy_modules(const Job *job, GError **error)
{
	g_autofree char *from = rig_kernel_modules_dir(job->kernel);
	g_autoptr(RigModules) modules = NULL;
	g_autoptr(GPtrArray) files = g_ptr_array_new_with_free_func(g_free);
	g_autofree char *dep = g_build_filename(job->modules, "modules.dep", NULL);
	g_autofree char *text = NULL;

	if (!resolve(job->kernel, &modules, files, error) ||
	    !rig_file_make_dirs(job->modules, 0755, error))
		return FALSE;
	for (guint i = 0; i < files->len; i++) {
		g_autofree char *source = g_build_filename(from, files->pdata[i], NULL);
		g_autofree char *target = g_build_filename(job->modules, files->pdata[i], NULL);
		g_autofree char *parent = g_path_get_dirname(target);

		if (!rig_file_make_dirs(parent, 0755, error) ||
		    !rig_file_copy(source, target, 0644, error))
			return FALSE;
	}
	text = rig_modules_dep(modules, files);
	return rig_file_write(dep, text, -1, 0644, error);
}

/* supermin copies the mode of this folder, so it must be there, however empty. */
static gboolean ensure_host_folder(RigLog *log, GError **error)
{
	if (g_file_test(HOST_MODULES, G_FILE_TEST_IS_DIR))
		return TRUE;
	if (g_mkdir(HOST_MODULES, 0755) == 0) {
		rig_log_info(log, "made the empty folder " HOST_MODULES ", which supermin wants");
		return TRUE;
	}
	rig_error_set_hint(error, RIG_ERROR_HOST, "sudo mkdir " HOST_MODULES,
			   "supermin wants the folder " HOST_MODULES ", which is not there");
	return FALSE;
}

static char **supermin_env(const Job *job)
{
	g_autofree char *boot = job->kernel ? rig_kernel_boot_path(job->kernel) : NULL;
	GPtrArray *env = g_ptr_array_new();

	if (boot) {
		g_ptr_array_add(env, g_strconcat("SUPERMIN_KERNEL=", boot, NULL));
		g_ptr_array_add(
			env, g_strconcat("SUPERMIN_KERNEL_VERSION=", job->kernel->release, NULL));
		g_ptr_array_add(env, g_strconcat("SUPERMIN_MODULES=", job->modules, NULL));
	}
	g_ptr_array_add(env, NULL);
	return (char **)g_ptr_array_free(env, FALSE);
}

static gboolean run_supermin(const Job *job, GError **error)
{
	const char *argv[] = {"supermin",   "--build", "--copy-kernel", "-f", "ext2",
			      "--host-cpu", "x86_64",  job->parts,	"-o", job->output,
			      NULL};
	g_auto(GStrv) env = supermin_env(job);
	const RigProcess process = {.argv = argv,
				    .env = (const char *const *)env,
				    .timeout_ms = SUPERMIN_TIMEOUT_MS,
				    .own_group = TRUE};
	g_auto(RigProcessResult) result = {0};

	if (rig_process_check(&process, &result, RIG_ERROR_HOST, job->cancellable, error))
		return TRUE;
	g_prefix_error(error, "libguestfs' appliance cannot be made: ");
	return FALSE;
}

static gint64 mtime_of(const char *path)
{
	GStatBuf st;

	return g_stat(path, &st) == 0 ? st.st_mtime : 0;
}

/* The appliance holds copies of the host's programs, so it is made again after packages have
 * changed. */
static gboolean is_current(const Job *job)
{
	static const char *const packages[] = {"/var/lib/dpkg/status", "/var/lib/rpm/rpmdb.sqlite",
					       "/usr/lib/sysimage/rpm/rpmdb.sqlite"};
	g_autofree char *mark = g_build_filename(job->output, "README.fixed", NULL);
	gint64 made = mtime_of(mark);

	if (!made || mtime_of(job->parts) > made)
		return FALSE;
	for (guint i = 0; i < G_N_ELEMENTS(packages); i++)
		if (mtime_of(packages[i]) > made)
			return FALSE;
	return TRUE;
}

static gboolean make(const Job *job, GError **error)
{
	g_autofree char *mark = g_build_filename(job->output, "README.fixed", NULL);

	rig_log_status(job->log, "making libguestfs' appliance with the kernel %s",
		       job->kernel ? job->kernel->release : "of the host");
	/* A supermin that was killed has left its own scratch folders beside. */
	if (!rig_file_remove_tree(job->dir, error) || !rig_file_make_dirs(job->dir, 0755, error) ||
	    !ensure_host_folder(job->log, error) || (job->kernel && !copy_modules(job, error)) ||
	    !run_supermin(job, error))
		return FALSE;
	/* libguestfs takes the folder as an appliance if this file is there too. */
	return rig_file_write(mark, "Made by rig with supermin.\n", -1, 0644, error);
}

static char *find_parts(const char *library_path, GError **error)
{
	g_auto(GStrv) places = g_strsplit(library_path ? library_path : "", ":", -1);

	for (guint i = 0; places[i]; i++) {
		g_autofree char *parts = g_build_filename(places[i], "supermin.d", NULL);

		if (places[i][0] && g_file_test(parts, G_FILE_TEST_IS_DIR))
			return g_steal_pointer(&parts);
	}
	rig_error_set_hint(error, RIG_ERROR_HOST,
			   "install libguestfs with its appliance and supermin",
			   "no folder supermin.d in %s", library_path);
	return NULL;
}

static gboolean host_has_kernel(void)
{
	g_autoptr(GDir) boot = g_dir_open("/boot", 0, NULL);
	const char *name;

	while (boot && (name = g_dir_read_name(boot))) {
		g_autofree char *path = g_build_filename("/boot", name, NULL);

		if (g_str_has_prefix(name, "vmlinuz") && access(path, R_OK) == 0)
			return TRUE;
	}
	return FALSE;
}

static gboolean make_locked(const RigPaths *paths, Job *job, const char *key, GError **error)
{
	g_autoptr(RigLock) lock = NULL;

	/* Its time of use, for rig gc. */
	if (is_current(job) && utimensat(AT_FDCWD, job->dir, NULL, AT_SYMLINK_NOFOLLOW) == 0)
		return TRUE;
	lock = rig_cache_lock(paths->cache, RIG_CACHE_APPLIANCE, key, job->log, job->cancellable,
			      error);
	return lock && (is_current(job) || make(job, error));
}

char *rig_appliance_get(const RigPaths *paths, const char *library_path, RigLog *log,
			GCancellable *cancellable, GError **error)
{
	g_autofree char *store = g_build_filename(paths->state, "kernels", NULL);
	g_autofree char *parts = find_parts(library_path, error);
	g_autoptr(GPtrArray) kernels = parts ? rig_kernel_list(store, error) : NULL;
	g_autofree char *key = NULL, *dir = NULL, *modules = NULL, *output = NULL;
	Job job = {.parts = parts, .log = log, .cancellable = cancellable};

	if (!kernels)
		return NULL;
	job.kernel = choose(paths, kernels);
	if (!job.kernel && !host_has_kernel()) {
		rig_error_set_hint(
			error, RIG_ERROR_HOST,
			"add one of a package: rig kernel add linux-image-cloud-amd64",
			"no kernel for libguestfs' appliance: none in rig's store has the "
			"drivers, none in /boot can be read");
		return NULL;
	}
	key = key_of(job.kernel);
	job.dir = dir = dir_of(paths, job.kernel);
	job.output = output = g_build_filename(dir, "appliance.d", NULL);
	job.modules = modules = g_build_filename(dir, "lib", "modules",
						 job.kernel ? job.kernel->release : "host", NULL);
	return make_locked(paths, &job, key, error) ? g_steal_pointer(&output) : NULL;
}
