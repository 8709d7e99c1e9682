/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernelcheck.c - is a kernel in the store still what was put there?
 *
 * The cache can be made again, a kernel cannot: what it came from may be gone. So a damaged one is
 * refused, and adding the same one again takes its place.
 */
#include "vm/kernelcheck.h"

#include "base/error.h"
#include "vm/modules.h"

#include <string.h>

/* What to say: PATH is not what kernel.json says of it. WHY: why it could not be read, or NULL. */
static gboolean refuse(const RigKernel *kernel, const char *path, const GError *why, GError **error)
{
	g_autofree char *hint = g_strdup_printf("add it again: rig kernel add SOURCE --name %s; it "
						"came from: %s",
						kernel->name, kernel->source);

	rig_error_set_hint(error, RIG_ERROR_HOST, hint, "kernel %s is damaged: %s%.*s",
			   kernel->name, why ? "" : path,
			   why ? (int)strcspn(why->message, "\n") : G_MAXINT,
			   why ? why->message : " has another digest than when it was added");
	return FALSE;
}

static gboolean check_file(RigDigests *digests, const RigKernel *kernel, const char *name,
			   const char *wanted, GError **error)
{
	g_autofree char *path = g_build_filename(kernel->dir, name, NULL);
	g_autoptr(GError) why = NULL;
	const char *is = wanted ? rig_digests_get(digests, path, &why) : NULL;

	if (!wanted || (is && !strcmp(is, wanted)))
		return TRUE;
	return refuse(kernel, path, why, error);
}

gboolean rig_kernel_check(RigDigests *digests, const RigKernel *kernel, GError **error)
{
	return check_file(digests, kernel, "boot", kernel->boot_sha256, error) &&
	       check_file(digests, kernel, "config", kernel->config_sha256, error);
}

gboolean rig_kernel_check_modules(const RigKernel *kernel, GError **error)
{
	g_autofree char *dir = rig_kernel_modules_dir(kernel);
	g_autoptr(GError) why = NULL;
	g_autofree char *is = dir ? rig_modules_digest(dir, &why) : NULL;

	if (!dir || (is && !strcmp(is, kernel->modules_sha256)))
		return TRUE;
	return refuse(kernel, dir, why, error);
}
