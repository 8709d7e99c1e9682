/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * modules.h - the modules of one kernel: which there are, what they need, in which order they load.
 *
 * Names are as the kernel prints them (with '_'); files are relative to the folder
 * lib/modules/RELEASE.
 */
#pragma once

#include <gio/gio.h>

typedef struct RigModules RigModules;

/* Index the folder DIR of uncompressed modules (libkmod need not know any compression). DIR NULL:
 * no modules, nothing known to be built in. Reads each module's own information; no modules.dep is
 * needed. */
RigModules *rig_modules_open(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_modules_free(RigModules *modules);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigModules, rig_modules_free)

/* RIG_ERROR_USAGE if one of them says that it was built for another kernel than RELEASE: that one
 * would not load, and the guest not find its disk. */
gboolean rig_modules_check_release(const RigModules *modules, const char *release,
				   GError **error) G_GNUC_WARN_UNUSED_RESULT;

guint rig_modules_count(const RigModules *modules);
gboolean rig_modules_has(const RigModules *modules, const char *name);
/* By modules.builtin; FALSE too where that file is missing, see rig_modules_knows_builtin(). */
gboolean rig_modules_is_builtin(const RigModules *modules, const char *name);
gboolean rig_modules_knows_builtin(const RigModules *modules);

/* Append to FILES (char*, relative, each once) the module files for PATTERNS (names, or globs with
 * '*' and '?') with all that they need, in the order in which they are to be loaded. Names that are
 * built in or that the kernel does not have add nothing; a module that needs one that is missing is
 * RIG_ERROR_HOST. */
gboolean rig_modules_resolve(const RigModules *modules, const char *const *patterns,
			     GPtrArray *files, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* The text of a modules.dep for FILES (NULL: all modules): "file: what it needs". g_free. */
char *rig_modules_dep(const RigModules *modules, const GPtrArray *files);

/* Copy the tree FROM to the new folder TO: modules uncompressed, modules.builtin*, modules.order, a
 * new modules.dep; nothing else (no build or source links). MOVE: FROM is ours and may be emptied.
 */
gboolean rig_modules_install(const char *from, const char *to, gboolean move,
			     GCancellable *cancellable, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* One digest over all names and contents below DIR. g_free. */
char *rig_modules_digest(const char *dir, GError **error) G_GNUC_WARN_UNUSED_RESULT;
