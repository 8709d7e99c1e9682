/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * choose.c - the topology, kernel and image that a command means when little or nothing is said.
 */
#include "cli/choose.h"

#include <string.h>

#include "base/text.h"
#include "vm/kernelstore.h"

#define DEFAULT_IMAGE "tiny"

RigTopology *rig_choose_topology(RigCli *cli, const char *name, GError **error)
{
	g_autofree char *path = rig_paths_find(cli->paths, "topologies", "topology", name, error);

	return path ? rig_topology_load(path, error) : NULL;
}

RigWorkload *rig_choose_workload(RigCli *cli, const char *name, GError **error)
{
	g_autofree char *path = rig_paths_find(cli->paths, "workloads", "workload", name, error);

	return path ? rig_workload_load(path, error) : NULL;
}

RigImage *rig_choose_image(RigCli *cli, const char *name, GError **error)
{
	g_autofree char *path =
		rig_paths_find(cli->paths, "images", "image", name ? name : DEFAULT_IMAGE, error);

	return path ? rig_image_load(path, error) : NULL;
}

char *rig_choose_kernels_dir(RigCli *cli)
{
	return g_build_filename(cli->paths->state, "kernels", NULL);
}

/* Nothing was said and no default is set: the kernel that the user runs is the likeliest one to be
 * meant. */
static RigKernel *host_kernel(RigCli *cli, const char *kernels_dir, GError **error)
{
	RigKernelStore store = {
		.kernels_dir = kernels_dir,
		.cache_dir = cli->paths->cache,
		.log = cli->log,
		.cancellable = cli->cancellable,
	};
	RigKernelSource source = {.source = "host"};
	g_autoptr(GError) why = NULL;
	RigKernel *kernel = rig_kernelstore_add(&store, &source, &why);

	if (kernel) {
		rig_log_info(cli->log, "no kernel was named: taking the host's own, %s",
			     kernel->release);
		return kernel;
	}
	if (rig_error_exit_code(why) == RIG_ERROR_INTERRUPTED) {
		g_propagate_error(error, g_steal_pointer(&why));
		return NULL;
	}
	rig_error_set_hint(
		error, RIG_ERROR_USAGE,
		"rig kernel add linux-image-cloud-amd64   (a package, a file or a build folder)",
		"no kernel was named, none is in the store, and the host's own cannot be taken "
		"(%.*s)",
		(int)strcspn(why->message, "\n"), why->message);
	return NULL;
}

/* "linux-1a2b3c4d" for /home/u/linux: what it is called, and which of those it is. g_free. */
static char *name_of_path(const char *path)
{
	g_autofree char *full = g_canonicalize_filename(path, NULL);
	g_autofree char *base = g_path_get_basename(full);
	g_autofree char *digest = rig_text_sha256(full);

	for (char *c = base; *c; c++)
		if (!g_ascii_isalnum(*c) && !strchr("+._-", *c))
			*c = '_';
	return g_strdup_printf("%s%.40s-%.8s", g_ascii_isalnum(*base) ? "" : "k", base, digest);
}

/* A folder in which a kernel was built, or its file, as it is now. */
static RigKernel *kernel_of_path(RigCli *cli, const char *kernels_dir, const char *path,
				 GError **error)
{
	g_autofree char *name = name_of_path(path);
	RigKernelStore store = {
		.kernels_dir = kernels_dir,
		.cache_dir = cli->paths->cache,
		.log = cli->log,
		.cancellable = cli->cancellable,
	};
	RigKernelSource source = {.name = name, .source = path, .replace = TRUE};
	RigKernel *kernel = rig_kernelstore_add(&store, &source, error);

	if (kernel)
		rig_log_info(cli->log, "%s is kernel %s, %s", path, name, kernel->release);
	return kernel;
}

RigKernel *rig_choose_kernel(RigCli *cli, const char *name, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autofree char *default_name = name ? NULL : rig_kernel_default(dir);

	if (name && strchr(name, '/'))
		return kernel_of_path(cli, dir, name, error);
	if (name || default_name)
		return rig_kernel_load(dir, name ? name : default_name, error);
	return host_kernel(cli, dir, error);
}
