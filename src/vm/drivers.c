/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drivers.c - finds out whether a kernel has a driver as a module, built in, or not at all.
 *
 * Three witnesses: the modules themselves, modules.builtin, and the config. A kernel that somebody
 * gave as one file may have none of them; then it is taken as having all built in.
 */
#include "vm/drivers.h"

#include "base/error.h"
#include "model/kernel.h"

#include <string.h>

RigDriverState rig_driver_find(const RigModules *modules, const char *config,
			       const RigDriver *driver)
{
	g_autofree char *value = config ? rig_kconfig_value(config, driver->option) : NULL;

	if (rig_modules_has(modules, driver->module))
		return RIG_DRIVER_MODULE;
	if (rig_modules_is_builtin(modules, driver->module) || !g_strcmp0(value, "y"))
		return RIG_DRIVER_BUILTIN;
	if (value || rig_modules_knows_builtin(modules))
		return RIG_DRIVER_MISSING;
	return RIG_DRIVER_UNKNOWN;
}

static void set_missing(const char *kernel, const char *config, const RigDriver *driver,
			GError **error)
{
	g_autofree char *value = config ? rig_kconfig_value(config, driver->option) : NULL;

	if (!g_strcmp0(value, "m"))
		rig_error_set_hint(
			error, RIG_ERROR_HOST,
			"add the kernel again with --modules DIR, after make modules "
			"modules_install INSTALL_MOD_PATH=DIR",
			"kernel %s has %s as a module (%s=m), and the store has not that "
			"module",
			kernel, driver->module, driver->option);
	else
		rig_error_set_hint(error, RIG_ERROR_HOST, "turn the option on and build it again",
				   "kernel %s lacks the driver %s (%s)", kernel, driver->module,
				   driver->option);
}

gboolean rig_drivers_resolve(const RigModules *modules, const char *config, const char *kernel,
			     const RigDriver *drivers, GPtrArray *files, GError **error)
{
	for (const RigDriver *driver = drivers; driver->module; driver++) {
		const char *name[] = {driver->module, NULL};
		RigDriverState state = rig_driver_find(modules, config, driver);

		if (state == RIG_DRIVER_MISSING) {
			set_missing(kernel, config, driver, error);
			return FALSE;
		}
		if (state == RIG_DRIVER_MODULE &&
		    !rig_modules_resolve(modules, name, files, error)) {
			g_prefix_error(error, "kernel %s: ", kernel);
			return FALSE;
		}
	}
	return TRUE;
}
