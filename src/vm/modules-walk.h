/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules-walk.h - the files below a folder of modules.
 */
#pragma once

#include <glib.h>

/* All regular files below DIR, relative, sorted; links are not followed. NULL with ERROR. */
GPtrArray *rig_modules_walk(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* TRUE for NAME.ko, also with the ending of a compression behind it. */
gboolean rig_modules_is_module_file(const char *file);
