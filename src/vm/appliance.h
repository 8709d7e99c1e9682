/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * appliance.h - the small machine that libguestfs works in, made by supermin from a kernel of rig's
 * store.
 *
 * A fresh host may have no kernel that libguestfs can use (containers have none, Ubuntu hides /boot
 * from users); rig's store has.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "base/paths.h"

/* Find or make the appliance. LIBRARY_PATH: where libguestfs keeps what an appliance is made of,
 * guestfs_get_path(). Returns the folder for guestfs_set_path(). A kernel of the store that has one
 * already is taken again, then one from a package, then any other that has the drivers, then what
 * supermin finds on the host. RIG_ERROR_HOST with a hint if there is none. g_free. */
char *rig_appliance_get(const RigPaths *paths, const char *library_path, RigLog *log,
			GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;
