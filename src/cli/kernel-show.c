/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kernel-show.c - how a kernel was built, and what differs between two.
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/choose.h"
#include "cli/kernel-build.h"
#include "model/kconfig.h"

static void print_line(const char *name, const char *value)
{
	g_autofree char *safe = rig_text_safe_line(value, -1);

	printf("%-10s %s\n", name, safe);
}

void rig_kernel_print_build(const RigKernelBuild *build)
{
	if (build->revision)
		print_line("revision", build->revision);
	for (guint i = 0; i < build->patches->len; i++) {
		const RigKernelPatch *patch = build->patches->pdata[i];

		print_line("patch", patch->name);
		print_line("  sha256", patch->sha256);
	}
	print_line("built with", build->config);
	for (guint i = 0; build->fragments[i]; i++)
		print_line("fragment", build->fragments[i]);
	if (build->recipe)
		print_line("recipe", build->recipe);
	print_line("key", build->key);
}

static void differ(GPtrArray *lines, const char *what, const char *from, const char *to)
{
	if (g_strcmp0(from, to))
		g_ptr_array_add(lines, g_strdup_printf("%s: %s -> %s", what, from ? from : "none",
						       to ? to : "none"));
}

static gboolean has_patch(const RigKernelBuild *build, const char *sha256)
{
	for (guint i = 0; build && i < build->patches->len; i++)
		if (!strcmp(((RigKernelPatch *)build->patches->pdata[i])->sha256, sha256))
			return TRUE;
	return FALSE;
}

static void differ_patches(GPtrArray *lines, const RigKernelBuild *a, const RigKernelBuild *b,
			   const char *sign)
{
	for (guint i = 0; a && i < a->patches->len; i++) {
		const RigKernelPatch *patch = a->patches->pdata[i];

		if (!has_patch(b, patch->sha256))
			g_ptr_array_add(lines, g_strdup_printf("patch: %s%s (%.12s)", sign,
							       patch->name, patch->sha256));
	}
}

static gboolean differ_config(GPtrArray *lines, const RigKernel *a, const RigKernel *b,
			      GError **error)
{
	g_autofree char *first = rig_kernel_config(a), *second = rig_kernel_config(b);
	g_autoptr(GPtrArray) options = NULL;

	if (!first || !second) {
		differ(lines, "config", first ? "known" : "unknown", second ? "known" : "unknown");
		return TRUE;
	}
	options = rig_kconfig_diff(first, second, error);
	for (guint i = 0; options && i < options->len; i++)
		g_ptr_array_add(lines, g_strdup(options->pdata[i]));
	return options != NULL;
}

/* Lines of what differs from A to B. */
static GPtrArray *differences(const RigKernel *a, const RigKernel *b, GError **error)
{
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	differ(lines, "release", a->release, b->release);
	differ(lines, "compiler", a->compiler, b->compiler);
	differ(lines, "source", a->build ? a->build->source : a->source,
	       b->build ? b->build->source : b->source);
	differ(lines, "revision", a->build ? a->build->revision : NULL,
	       b->build ? b->build->revision : NULL);
	differ_patches(lines, a->build, b->build, "-");
	differ_patches(lines, b->build, a->build, "+");
	differ(lines, "boot", a->boot_sha256, b->boot_sha256);
	differ(lines, "modules", a->modules_sha256, b->modules_sha256);
	return differ_config(lines, a, b, error) ? g_steal_pointer(&lines) : NULL;
}

static void print_json(const RigKernel *a, const RigKernel *b, GPtrArray *lines)
{
	RigJsonWriter *writer = rig_json_writer_new();

	g_ptr_array_add(lines, NULL);
	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", 1);
	rig_json_add_string(writer, "from", a->name);
	rig_json_add_string(writer, "to", b->name);
	rig_json_add_strings(writer, "differences", (const char *const *)lines->pdata);
	rig_json_close_object(writer);
	rig_cli_print_json(writer);
}

/* From OTHER to KERNEL, as "compare" goes from the base to what is compared with it. */
int rig_kernel_show_diff(RigCli *cli, const RigKernel *kernel, const char *other, GError **error)
{
	g_autofree char *dir = rig_choose_kernels_dir(cli);
	g_autoptr(RigKernel) base = rig_kernel_load(dir, other, error);
	g_autoptr(GPtrArray) lines = base ? differences(base, kernel, error) : NULL;

	if (!lines)
		return -1;
	if (cli->json) {
		print_json(base, kernel, lines);
		return 0;
	}
	for (guint i = 0; i < lines->len; i++) {
		g_autofree char *safe = rig_text_safe_line(lines->pdata[i], -1);

		printf("%s\n", safe);
	}
	return 0;
}
