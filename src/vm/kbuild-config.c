/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * kbuild-config.c - the config of a kernel that rig builds.
 *
 * "tiny" is make allnoconfig with all of the fragments; every other base is laid under them and
 * completed by make olddefconfig. Both drop what cannot be had without a word, so that is looked
 * for afterwards.
 */
#include "vm/kbuild-private.h"

#include "base/error.h"
#include "base/file.h"
#include "model/kconfig.h"

#include <glib/gstdio.h>
#include <string.h>

#define FRAGMENT_MAX (4 * 1024 * 1024)

/* Without one of these no guest of rig comes up; it is an error to ask for one in vain. */
static const char *const guest_needs[] = {
	"CONFIG_64BIT=y",
	"CONFIG_VIRTIO_PCI=y|m",
	"CONFIG_VIRTIO_BLK=y|m",
	"CONFIG_VIRTIO_CONSOLE=y|m",
	"CONFIG_EXT4_FS=y|m",
	"CONFIG_DEVTMPFS=y",
	"CONFIG_PROC_FS=y",
	"CONFIG_SYSFS=y",
	"CONFIG_BINFMT_ELF=y",
	"CONFIG_SERIAL_8250_CONSOLE=y",
	NULL,
};

static const char debug_fragment[] =
	"CONFIG_DEBUG_INFO_DWARF_TOOLCHAIN_DEFAULT=y\n"
	"# CONFIG_DEBUG_INFO_NONE is not set\n"
	/* What a memory dump describes itself by, and the way there. */
	"CONFIG_PROC_KCORE=y\n"
	"CONFIG_FW_CFG_SYSFS=y\n";

static gboolean add_text(RigKbuild *build, const char *name, const char *text, GError **error)
{
	g_autoptr(GPtrArray) options = rig_kconfig_parse(name, text, error);

	if (!options)
		return FALSE;
	rig_kconfig_override(build->asked, options);
	return TRUE;
}

static gboolean add_file(RigKbuild *build, const char *path, GError **error)
{
	g_autofree char *text = rig_file_read(path, FRAGMENT_MAX, NULL, error);

	return text && add_text(build, path, text, error);
}

static gboolean is_named_base(const char *config)
{
	return !config || !strcmp(config, "tiny") || !strcmp(config, "defconfig");
}

gboolean rig_kbuild_read_config(RigKbuild *build, GError **error)
{
	const RigKbuildSpec *spec = build->spec;

	build->asked = g_ptr_array_new_with_free_func((GDestroyNotify)rig_kconfig_option_free);
	if (!is_named_base(spec->config)) {
		build->base_config = rig_file_read(spec->config, FRAGMENT_MAX, NULL, error);
		if (!build->base_config)
			return FALSE;
	}
	if (!add_file(build, spec->fragment, error))
		return FALSE;
	if (spec->debug && !add_text(build, "--debug", debug_fragment, error))
		return FALSE;
	for (guint i = 0; spec->fragments && spec->fragments[i]; i++)
		if (!add_file(build, spec->fragments[i], error))
			return FALSE;
	return TRUE;
}

static gboolean run_target(RigKmake *make, const char *target, const char *env, GError **error)
{
	const char *targets[] = {target, NULL};
	const char *added[] = {env, NULL};

	return rig_kmake_run(make, targets, env ? added : NULL, error);
}

static gboolean make_tiny(const RigKbuild *build, RigKmake *make, GError **error)
{
	g_autofree char *path = g_build_filename(make->build, "rig-asked.config", NULL);
	g_autofree char *text = rig_kconfig_text(build->asked);
	g_autofree char *env = g_strconcat("KCONFIG_ALLCONFIG=", path, NULL);

	return rig_file_write(path, text, -1, 0644, error) &&
	       run_target(make, "allnoconfig", env, error);
}

static gboolean make_merged(const RigKbuild *build, RigKmake *make, const char *path,
			    GError **error)
{
	g_autofree char *base = NULL, *merged = NULL;

	if (build->base_config)
		base = g_strdup(build->base_config);
	else if (run_target(make, "defconfig", NULL, error))
		base = rig_file_read(path, FRAGMENT_MAX, NULL, error);
	if (!base)
		return FALSE;
	merged = rig_kconfig_merge(base, build->asked);
	return rig_file_write(path, merged, -1, 0644, error) &&
	       run_target(make, "olddefconfig", NULL, error);
}

static const char *asked_value(const GPtrArray *asked, const char *option)
{
	for (guint i = 0; i < asked->len; i++) {
		const RigKconfigOption *one = asked->pdata[i];

		if (!strcmp(one->option, option))
			return one->value;
	}
	return NULL;
}

/* What the user turned off by a fragment of his own is his to miss. */
static void add_unmet(const GPtrArray *asked, const char *config, const char *const *needs,
		      GString *unmet)
{
	for (; needs && *needs; needs++) {
		g_autofree char *option = rig_kconfig_need_option(*needs);

		if (!rig_kconfig_meets(config, *needs) &&
		    g_strcmp0(asked_value(asked, option), "n") && !strstr(unmet->str, *needs))
			g_string_append_printf(unmet, "%s%s", unmet->len ? ", " : "", *needs);
	}
}

static gboolean check_needs(const RigKbuild *build, const char *config, GError **error)
{
	g_autoptr(GString) unmet = g_string_new(NULL);

	add_unmet(build->asked, config, guest_needs, unmet);
	add_unmet(build->asked, config, build->spec->needs, unmet);
	if (!unmet->len)
		return TRUE;
	rig_error_set_hint(error, RIG_ERROR_USAGE,
			   "their dependencies are not met in this source and config; make "
			   "menuconfig tells of them",
			   "the config cannot have what rig's guests or workloads need: %s",
			   unmet->str);
	return FALSE;
}

static gboolean list_missing(const RigKbuild *build, const char *config, GError **error)
{
	g_autoptr(GPtrArray) missing = rig_kconfig_missing(config, build->asked, error);

	if (!missing)
		return FALSE;
	for (guint i = 0; i < missing->len; i++) {
		const RigKconfigOption *one = missing->pdata[i];

		rig_log_warn(build->store->log, "kernel %s: %s=%s was asked for, the config has %s",
			     build->spec->name, one->option, one->value, one->got);
	}
	return TRUE;
}

gboolean rig_kbuild_configure(const RigKbuild *build, RigKmake *make, GError **error)
{
	g_autofree char *path = g_build_filename(make->build, ".config", NULL);
	g_autofree char *marker = g_build_filename(make->build, RIG_KBUILD_CONFIGURED, NULL);
	g_autofree char *config = NULL;
	gboolean tiny = !build->spec->config || !strcmp(build->spec->config, "tiny");

	rig_log_status(build->store->log, "kernel %s: configuring", build->spec->name);
	/* Whatever stops us, the next build must not take a config that nobody has checked. */
	g_unlink(marker);
	if (!(tiny ? make_tiny(build, make, error) : make_merged(build, make, path, error)))
		return FALSE;
	config = rig_file_read(path, FRAGMENT_MAX, NULL, error);
	return config && list_missing(build, config, error) && check_needs(build, config, error) &&
	       rig_file_write(marker, "", 0, 0644, error);
}
