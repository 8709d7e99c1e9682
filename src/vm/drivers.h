/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * drivers.h - does a kernel have a driver, and how?
 */
#pragma once

#include "vm/modules.h"

typedef struct {
	const char *module; /* "virtio_blk" */
	const char *option; /* "CONFIG_VIRTIO_BLK" */
} RigDriver;

typedef enum {
	RIG_DRIVER_MISSING,
	RIG_DRIVER_MODULE,
	RIG_DRIVER_BUILTIN,
	RIG_DRIVER_UNKNOWN, /* neither modules nor config are known: it may be built in */
} RigDriverState;

/* CONFIG: text of the .config, or NULL. */
RigDriverState rig_driver_find(const RigModules *modules, const char *config,
			       const RigDriver *driver);

/* The modules among DRIVERS (ends with a NULL module) with what they need, in load order, appended
 * to FILES. A driver that is missing is RIG_ERROR_HOST and names KERNEL and the option. */
gboolean rig_drivers_resolve(const RigModules *modules, const char *config, const char *kernel,
			     const RigDriver *drivers, GPtrArray *files,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;
