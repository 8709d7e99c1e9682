/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dump.c - memory dumps as the commands show them: where one is, and what opens it.
 *
 * A reader wants the vmlinux with debug information of the very kernel that ran. rig keeps it for
 * kernels that it built with --debug; distributions have it in a package of its own.
 */
#include "cli/dump.h"

#include <string.h>

#include "base/text.h"
#include "cli/choose.h"

#define PACKAGE "package "

char *rig_dump_of(const RigRecord *record)
{
	g_autofree char *path =
		record->dir ? g_build_filename(record->dir, RIG_STORE_DUMP, NULL) : NULL;

	return path && g_file_test(path, G_FILE_TEST_IS_REGULAR) ? g_steal_pointer(&path) : NULL;
}

/* "package linux-image-X 6.12.95-1": the name with Debian's ending for debug information. NULL for
 * kernels from elsewhere. */
static char *debug_package(const RigKernel *kernel)
{
	const char *name;

	if (!kernel->source || !g_str_has_prefix(kernel->source, PACKAGE "linux-image-") ||
	    !kernel->banner || !strstr(kernel->banner, "Debian"))
		return NULL;
	name = kernel->source + strlen(PACKAGE);
	return g_strdup_printf("%.*s-dbg", (int)strcspn(name, " "), name);
}

static char *command_for(const RigKernel *kernel, const char *dump)
{
	g_autofree char *own = g_build_filename(kernel->dir, "vmlinux", NULL);
	g_autofree char *package = debug_package(kernel);

	if (g_file_test(own, G_FILE_TEST_EXISTS))
		return g_strdup_printf("crash %s %s", own, dump);
	if (package)
		return g_strdup_printf(
			"crash /usr/lib/debug/boot/vmlinux-%s %s  (that vmlinux is in the package "
			"%s)",
			kernel->release, dump, package);
	return g_strdup_printf(
		"crash VMLINUX %s  (VMLINUX: kernel %s with debug information, as rig kernel "
		"build --debug keeps it)",
		dump, kernel->name);
}

char *rig_dump_command(RigCli *cli, const char *name, const char *sha256, const char *dump)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autoptr(RigKernel) kernel = name ? rig_kernel_load(dir, name, NULL) : NULL;
	g_autofree char *text = NULL;

	/* The store may hold another kernel under that name by now. */
	if (kernel && sha256 && g_strcmp0(kernel->boot_sha256, sha256) == 0)
		text = command_for(kernel, dump);
	else
		text = g_strdup_printf("crash VMLINUX %s  (VMLINUX: kernel %s with debug "
				       "information; it is not in rig's store any more)",
				       dump, name ? name : "of the guest");
	return rig_text_safe_line(text, -1);
}
