/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-list.c - which guests there are. From their folders and /proc alone: it costs nothing.
 */
#include "vm/guest-private.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "base/error.h"
#include "base/file.h"

void rig_guest_info_free(RigGuestInfo *info)
{
	if (!info)
		return;
	g_free(info->name);
	g_free(info->topology);
	g_free(info->fit);
	g_free(info->kernel);
	g_free(info->image);
	g_free(info->accel);
	g_free(info->state);
	g_free(info->owner);
	g_free(info);
}

/* One that was started to be dumped stays where it panicked. */
static gboolean has_panicked(const RigGuestState *state)
{
	g_autofree char *path = rig_guest_state_file(state, "console.log");
	g_autoptr(RigConsole) console = state->dump ? rig_console_new(path, FALSE, 0) : NULL;

	return console && rig_console_check(console) == RIG_CONSOLE_PANIC;
}

/* A guest whose rig works with it holds its lock; one that a rig left behind does not. */
static const char *state_of(const RigGuestState *state, const char *owner)
{
	if (owner)
		return "busy";
	if (!state->ready || state->ephemeral)
		return "left over";
	if (!rig_guest_state_alive(state))
		return "gone";
	return has_panicked(state) ? "panicked" : "running";
}

static RigGuestInfo *describe(const char *dir, const char *name)
{
	gboolean there = rig_guest_state_is_there(dir);
	g_autoptr(RigGuestState) state = there ? rig_guest_state_load(dir, NULL) : NULL;
	g_autofree char *lock = g_build_filename(dir, "lock", NULL);
	RigGuestInfo *info = g_new0(RigGuestInfo, 1);

	info->name = g_strdup(name);
	info->class = 'C';
	info->owner = there ? rig_lock_holder(lock) : NULL;
	if (!state) {
		info->state = g_strdup(info->owner ? "busy" : "left over");
		return info;
	}
	info->topology = g_strdup(state->topology);
	info->fit = g_strdup(state->fit);
	info->kernel = g_strdup(state->kernel);
	info->image = g_strdup(state->image);
	info->accel = g_strdup(state->accel);
	info->class = state->class;
	info->started = state->started;
	info->pid = rig_guest_state_alive(state) ? state->pid : 0;
	info->ephemeral = state->ephemeral;
	info->state = g_strdup(state_of(state, info->owner));
	return info;
}

static gint by_name(gconstpointer a, gconstpointer b)
{
	const RigGuestInfo *x = *(RigGuestInfo *const *)a;
	const RigGuestInfo *y = *(RigGuestInfo *const *)b;

	return strcmp(x->name, y->name);
}

GPtrArray *rig_guest_list(const RigGuestContext *context, GError **error)
{
	g_autofree char *root = rig_guest_state_root(context->paths);
	g_autoptr(GPtrArray) guests =
		g_ptr_array_new_with_free_func((GDestroyNotify)rig_guest_info_free);
	g_autoptr(GError) reason = NULL;
	g_autoptr(GDir) dir = g_dir_open(root, 0, &reason);
	const char *name;

	if (!dir && !g_error_matches(reason, G_FILE_ERROR, G_FILE_ERROR_NOENT)) {
		rig_error_set(error, RIG_ERROR_HOST, "%s", reason->message);
		return NULL;
	}
	while (dir && (name = g_dir_read_name(dir))) {
		g_autofree char *path = g_build_filename(root, name, NULL);

		/* A link is listed, so that it is seen and can be taken down. */
		if (rig_file_check_name("guest name", name, NULL) &&
		    (rig_guest_state_is_there(path) || g_file_test(path, G_FILE_TEST_IS_SYMLINK)))
			g_ptr_array_add(guests, describe(path, name));
	}
	g_ptr_array_sort(guests, by_name);
	return g_steal_pointer(&guests);
}
