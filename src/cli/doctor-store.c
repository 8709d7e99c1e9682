/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * doctor-store.c - what rig itself needs: folders, its guest programs, a busybox, a kernel.
 */
#include "cli/doctor.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/file.h"
#include "base/lock.h"
#include "cli/choose.h"
#include "vm/rootfs.h"

#define GROUP "rig"
#define SPACE_MIN (512ULL * 1024 * 1024)
#define SPACE_GOOD (2ULL * 1024 * 1024 * 1024)

static void add_error(GPtrArray *findings, RigFindingLevel level, const char *name,
		      const GError *error)
{
	g_auto(GStrv) parts = g_strsplit(error->message, "\nhint: ", 2);

	rig_finding_add(findings, level, GROUP, name, g_strdup(parts[0]), parts[1]);
}

static void check_folder(GPtrArray *findings, const char *name, const char *variable,
			 const char *path)
{
	g_autofree char *advice = g_strdup_printf("set %s to a folder with more room", variable);
	g_autoptr(GError) error = NULL;
	RigFindingLevel level;
	struct statvfs space;
	guint64 bytes;

	if (!rig_file_make_dirs(path, 0755, &error)) {
		add_error(findings, RIG_FINDING_FAIL, name, error);
		return;
	}
	if (access(path, W_OK) < 0 || statvfs(path, &space) < 0) {
		rig_finding_add(findings, RIG_FINDING_FAIL, GROUP, name,
				g_strdup_printf("%s: %s", path, g_strerror(errno)), advice);
		return;
	}
	bytes = (guint64)space.f_bavail * space.f_frsize;
	level = bytes >= SPACE_GOOD  ? RIG_FINDING_OK
		: bytes >= SPACE_MIN ? RIG_FINDING_WARN
				     : RIG_FINDING_FAIL;
	rig_finding_add(findings, level, GROUP, name,
			g_strdup_printf("%s, %.1f GiB free", path, (double)bytes / (1 << 30)),
			level == RIG_FINDING_OK ? NULL : advice);
}

static void check_programs(RigCli *cli, GPtrArray *findings)
{
	static const char *const names[] = {"rig-init", "rig-agent", "rig-mem"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *path = g_build_filename(cli->paths->libexec, names[i], NULL);
		g_autoptr(GError) error = NULL;

		if (!rig_rootfs_check_program(path, NULL, &error))
			add_error(findings, RIG_FINDING_FAIL, names[i], error);
	}
	rig_finding_add(findings, RIG_FINDING_OK, GROUP, "guest programs",
			g_strdup(cli->paths->libexec), NULL);
}

static void check_busybox(GPtrArray *findings)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = rig_rootfs_find_busybox(&error);

	if (path)
		rig_finding_add(findings, RIG_FINDING_OK, GROUP, "busybox", g_strdup(path), NULL);
	else
		add_error(findings, RIG_FINDING_FAIL, "busybox", error);
}

static gboolean host_kernel_readable(void)
{
	glob_t found = {0};
	gboolean ok = FALSE;

	if (glob("/boot/vmlinuz-*", 0, NULL, &found) == 0)
		for (gsize i = 0; i < found.gl_pathc; i++)
			ok |= access(found.gl_pathv[i], R_OK) == 0;
	globfree(&found);
	return ok;
}

static void check_kernels(RigCli *cli, GPtrArray *findings)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autofree char *chosen = rig_kernel_default(dir);
	g_autoptr(GPtrArray) kernels = rig_kernel_list(dir, NULL);
	guint n = kernels ? kernels->len : 0;

	if (n > 0)
		rig_finding_add(findings, RIG_FINDING_OK, GROUP, "kernels",
				g_strdup_printf("%u in the store, default: %s", n,
						chosen ? chosen : "none"),
				chosen ? NULL : "rig kernel default NAME");
	else if (host_kernel_readable())
		rig_finding_add(findings, RIG_FINDING_OK, GROUP, "kernels",
				g_strdup("none in the store; the host's own can be taken"), NULL);
	else
		rig_finding_add(findings, RIG_FINDING_WARN, GROUP, "kernels",
				g_strdup("none in the store, and none of the host can be read"),
				"rig kernel add linux-image-cloud-amd64");
}

static void check_data(RigCli *cli, GPtrArray *findings)
{
	static const char *const dirs[] = {"topologies", "workloads", "images"};

	for (guint i = 0; i < G_N_ELEMENTS(dirs); i++) {
		g_auto(GStrv) names = rig_paths_list(cli->paths, dirs[i]);
		guint n = g_strv_length(names);

		rig_finding_add(findings, n ? RIG_FINDING_OK : RIG_FINDING_FAIL, GROUP, dirs[i],
				g_strdup_printf("%u", n),
				n ? NULL : "set RIG_DATA_PATH to the folder that holds them");
	}
}

static void check_measuring(RigCli *cli, GPtrArray *findings)
{
	g_autofree char *path = g_build_filename(cli->paths->state, "measure.lock", NULL);
	g_autofree char *holder = rig_lock_holder(path);

	if (holder)
		rig_finding_add(findings, RIG_FINDING_WARN, GROUP, "measurement",
				g_strdup_printf("under way: %s", holder),
				"a second one waits with rig run --wait");
}

void rig_doctor_store(RigCli *cli, GPtrArray *findings)
{
	check_folder(findings, "state", "RIG_STATE_DIR", cli->paths->state);
	check_folder(findings, "cache", "RIG_CACHE_DIR", cli->paths->cache);
	check_programs(cli, findings);
	check_busybox(findings);
	check_kernels(cli, findings);
	check_data(cli, findings);
	check_measuring(cli, findings);
}
