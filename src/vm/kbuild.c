/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild.c - builds a kernel: what it is made of, whether it is there, and the way to it.
 *
 * A source without patches is built in its own tree in the cache; a patched one in a side (kside.h)
 * that starts with the base's build, so the base is built first where it is not there.
 */
#include "vm/kbuild-private.h"

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "model/kconfig.h"
#include "vm/cache.h"
#include "vm/kside.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

#define FORMAT "rig kernel build 1"
#define COMPLETE "rig-complete" /* in a build directory: how many steps the whole build took */
#define STEPS "steps"		/* in a side: how many its last build took */
#define RELINK_STEPS 26		/* for a change of one file (measured) */
#define LOGS "kernel-logs"
#define CONFIG_MAX (4 * 1024 * 1024)

static void build_clear(RigKbuild *build)
{
	rig_ksource_clear(&build->source);
	g_clear_pointer(&build->patches, g_ptr_array_unref);
	g_clear_pointer(&build->asked, g_ptr_array_unref);
	g_free(build->base_config);
	g_free(build->cc);
	g_free(build->config_key);
	g_free(build->build_name);
	rig_kernelbuild_free(build->build);
	g_free(build->log_path);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKbuild, build_clear)

static gboolean take_patch(RigKbuild *build, RigKpatch *patch)
{
	if (patch)
		g_ptr_array_add(build->patches, patch);
	return patch != NULL;
}

static gboolean read_patches(RigKbuild *build, GError **error)
{
	const RigKbuildSpec *spec = build->spec;

	build->patches = g_ptr_array_new_with_free_func((GDestroyNotify)rig_kpatch_free);
	if (build->source.dirty)
		take_patch(build, g_steal_pointer(&build->source.dirty));
	for (guint i = 0; spec->reverts && spec->reverts[i]; i++)
		if (!take_patch(build, rig_ksource_revert(build->store, &build->source,
							  spec->reverts[i], error)))
			return FALSE;
	for (guint i = 0; spec->patches && spec->patches[i]; i++)
		if (!take_patch(build, rig_kpatch_load(spec->patches[i], error)))
			return FALSE;
	return TRUE;
}

static gboolean make_config_key(RigKbuild *build, GError **error)
{
	const RigKbuildSpec *spec = build->spec;
	g_autofree char *versions =
		rig_kmake_tool_versions(build->cc, build->store->cancellable, error);
	g_autofree char *asked = rig_kconfig_text(build->asked);
	g_autofree char *inputs = NULL;

	if (!versions)
		return FALSE;
	inputs = g_strdup_printf("%s\n%s\n%s\n%s\n%s\n%s", FORMAT, build->cc, versions,
				 build->base_config ? build->base_config
				 : spec->config	    ? spec->config
						    : "tiny",
				 asked, spec->debug ? "debug" : "");
	build->config_key = rig_text_sha256(inputs);
	build->build_name = g_strdup_printf(RIG_KBUILD_PREFIX "%.16s", build->config_key);
	return TRUE;
}

/* A package's name is not enough: another day it may be another version. */
static const char *identity(const RigKbuild *build)
{
	return build->source.kind == RIG_KSOURCE_PACKAGE ? build->source.text : build->source.key;
}

/* What kernel.json tells of it, and the key over all that matters. */
static void describe(RigKbuild *build)
{
	const RigKbuildSpec *spec = build->spec;
	g_autoptr(GString) inputs = g_string_new(NULL);
	RigKernelBuild *about = rig_kernelbuild_new();

	build->build = about;
	about->source = g_strdup(build->source.text);
	about->revision = g_strdup(build->source.revision);
	about->config = g_strdup(spec->config ? spec->config : "tiny");
	about->fragments =
		spec->fragments ? g_strdupv((char **)spec->fragments) : g_new0(char *, 1);
	about->recipe = g_strdup(spec->recipe);
	about->debug = spec->debug;
	g_string_append_printf(inputs, "source %s\nconfig %s\n", identity(build),
			       build->config_key);
	for (guint i = 0; i < build->patches->len; i++) {
		const RigKpatch *patch = build->patches->pdata[i];

		rig_kernelbuild_add_patch(about, patch->name, patch->sha256);
		g_string_append_printf(inputs, "patch %s\n", patch->sha256);
	}
	about->key = rig_text_sha256(inputs->str);
}

static gboolean prepare(RigKbuild *build, GError **error)
{
	const RigKbuildSpec *spec = build->spec;
	g_autofree char *file = g_strconcat(spec->name, ".log", NULL);
	g_autofree char *logs = g_build_filename(build->store->cache_dir, LOGS, NULL);

	if (!rig_file_check_name("kernel name", spec->name, error) ||
	    !rig_ksource_find(build->store, spec->source, spec->rev, &build->source, error) ||
	    !read_patches(build, error) || !rig_kbuild_read_config(build, error))
		return FALSE;
	build->cc = rig_kmake_cc();
	build->log_path = g_build_filename(logs, file, NULL);
	if (!make_config_key(build, error) || !rig_file_make_dirs(logs, 0755, error))
		return FALSE;
	describe(build);
	return TRUE;
}

/* The kernel if it is there and made of the same; or NULL, with an error if NAME is not ours to
 * take. */
static RigKernel *find_hit(const RigKbuild *build, GError **error)
{
	const RigKbuildSpec *spec = build->spec;
	g_autoptr(RigKernel) kernel = rig_kernel_load(build->store->kernels_dir, spec->name, NULL);
	g_autofree char *boot = kernel ? rig_kernel_boot_path(kernel) : NULL;

	if (!kernel)
		return NULL;
	if (kernel->build && !strcmp(kernel->build->key, build->build->key) &&
	    g_file_test(boot, G_FILE_TEST_EXISTS))
		return g_steal_pointer(&kernel);
	if (!kernel->build && !spec->replace)
		rig_error_set_hint(error, RIG_ERROR_USAGE, "--replace takes its place",
				   "kernel \"%s\" is in the store and was not built by rig (%s)",
				   spec->name, kernel->source);
	return NULL;
}

static guint read_steps(const char *dir, const char *name)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *text = rig_file_read(path, 64, NULL, NULL);
	guint64 steps = text ? g_ascii_strtoull(text, NULL, 10) : 0;

	return MIN(steps, G_MAXINT);
}

static gboolean write_steps(const char *dir, const char *name, guint steps, GError **error)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	g_autofree char *text = g_strdup_printf("%u\n", steps);

	return rig_file_write(path, text, -1, 0644, error);
}

static gboolean is_configured(const char *dir)
{
	g_autofree char *marker = g_build_filename(dir, RIG_KBUILD_CONFIGURED, NULL);

	return g_file_test(marker, G_FILE_TEST_EXISTS);
}

/* A first build has no earlier one to count by: about 27 steps for 10 options (measured: 2,029 for
 * 757 of rig's own config). */
static guint expected_steps(const char *dir)
{
	g_autofree char *path = g_build_filename(dir, ".config", NULL);
	g_autofree char *config = rig_file_read(path, CONFIG_MAX, NULL, NULL);
	guint options = 0;

	for (const char *c = config; c && (c = strstr(c, "=y\n")); c++)
		options++;
	return options * 27 / 10;
}

static RigKmake new_make(const RigKbuild *build, const char *tree, const char *dir)
{
	return (RigKmake){.tree = tree,
			  .build = dir,
			  .name = build->spec->name,
			  .log_path = build->log_path,
			  .cc = build->cc,
			  .log = build->store->log,
			  .cancellable = build->store->cancellable};
}

/* For "rig gc": a tree is used when something is built of it. */
static void mark_used(const RigKbuild *build)
{
	g_autofree char *dir = g_path_get_dirname(build->source.tree);

	if (g_utime(dir, NULL) < 0)
		g_debug("the time of use of %s cannot be set", dir);
}

/* The kernel as the source has it, in the source's tree. DIR gets its build directory. */
static gboolean build_base(const RigKbuild *build, char **dir, GError **error)
{
	const char *tree = build->source.tree;
	g_autofree char *path = g_build_filename(tree, build->build_name, NULL);
	RigKmake make = new_make(build, tree, path);

	*dir = NULL;
	if (!rig_ksource_unpack(build->store, &build->source, error) ||
	    !rig_kmake_check_tools(tree, error))
		return FALSE;
	mark_used(build);
	if (read_steps(path, COMPLETE)) {
		*dir = g_steal_pointer(&path);
		return TRUE;
	}
	rig_log_info(build->store->log, "building %s for the first time with this config",
		     build->source.text);
	if (!rig_file_make_dirs(path, 0755, error))
		return FALSE;
	if (!is_configured(path) && !rig_kbuild_configure(build, &make, error))
		return FALSE;
	make.expected = expected_steps(path);
	if (!rig_kbuild_compile(&make, error) ||
	    !write_steps(path, COMPLETE, MAX(make.steps, 1), error))
		return FALSE;
	*dir = g_steal_pointer(&path);
	return TRUE;
}

static RigKernel *finish(const RigKbuild *build, const char *tree, const char *dir, GError **error)
{
	RigKmake make = new_make(build, tree, dir);

	rig_log_status(build->store->log, "kernel %s: storing", build->spec->name);
	return rig_kbuild_store(build, &make, error);
}

static gboolean compile_side(const RigKbuild *build, RigKside *side, const char *dir,
			     GError **error)
{
	RigKmake make = new_make(build, side->tree, dir);

	make.expected = read_steps(side->dir, STEPS);
	if (!make.expected)
		make.expected = RELINK_STEPS;
	if ((side->reconfigure || !is_configured(dir)) &&
	    !rig_kbuild_configure(build, &make, error))
		return FALSE;
	return rig_kbuild_compile(&make, error) && write_steps(side->dir, STEPS, make.steps, error);
}

static char *side_key(const RigKbuild *build)
{
	g_autofree char *inputs = g_strdup_printf("%s\n%s\n%s", identity(build), build->config_key,
						  build->spec->name);

	return rig_text_sha256(inputs);
}

static RigLock *lock(const RigKbuild *build, const char *kind, const char *key, GError **error)
{
	return rig_cache_lock(build->store->cache_dir, kind, key, build->store->log,
			      build->store->cancellable, error);
}

static RigKernel *build_side(const RigKbuild *build, RigLock *tree_lock, GError **error)
{
	g_autofree char *key = side_key(build);
	g_autofree char *dir = NULL;
	g_auto(RigKside) side = {.store = build->store,
				 .key = key,
				 .base = build->source.tree,
				 .build = build->build_name};
	g_autoptr(RigLock) base_lock = tree_lock;
	g_autoptr(RigLock) own = lock(build, RIG_CACHE_KSIDE, key, error);

	if (!own || !rig_kside_open(&side, error) || !rig_kside_patch(&side, build->patches, error))
		return NULL;
	/* From here on only the side's own files are read. */
	g_clear_pointer(&base_lock, rig_lock_release);
	dir = g_build_filename(side.tree, build->build_name, NULL);
	return compile_side(build, &side, dir, error) ? finish(build, side.tree, dir, error) : NULL;
}

static RigKernel *build_new(const RigKbuild *build, GError **error)
{
	RigLock *tree_lock;
	g_autofree char *dir = NULL;
	RigKernel *kernel;

	if (!rig_kmake_check_tools(NULL, error))
		return NULL;
	g_unlink(build->log_path);
	tree_lock = lock(build, RIG_CACHE_KTREE, build->source.key, error);
	if (!tree_lock)
		return NULL;
	if (!build_base(build, &dir, error)) {
		rig_lock_release(tree_lock);
		return NULL;
	}
	if (build->patches->len)
		return build_side(build, tree_lock, error);
	kernel = finish(build, build->source.tree, dir, error);
	rig_lock_release(tree_lock);
	return kernel;
}

RigKernel *rig_kbuild(const RigKernelStore *store, const RigKbuildSpec *spec, gboolean *hit,
		      GError **error)
{
	g_auto(RigKbuild) build = {.store = store, .spec = spec};
	g_autoptr(GError) taken = NULL;
	RigKernel *kernel;

	if (hit)
		*hit = FALSE;
	if (!prepare(&build, error)) {
		g_prefix_error(error, "kernel %s: ", spec->name);
		return NULL;
	}
	kernel = find_hit(&build, &taken);
	if (taken) {
		g_propagate_error(error, g_steal_pointer(&taken));
		return NULL;
	}
	if (kernel && hit)
		*hit = TRUE;
	if (!kernel)
		kernel = build_new(&build, error);
	if (!kernel)
		g_prefix_error(error, "kernel %s: ", spec->name);
	return kernel;
}
