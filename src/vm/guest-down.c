/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-down.c - take a guest away, whatever is left of it.
 *
 * Under the embedded driver a guest that is known well enough is ended without libvirt: its QEMU is
 * killed and what the driver kept of it is removed. The overlay is thrown away, so there is nothing
 * that a slower end would save.
 */
#include "vm/guest-private.h"

#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "vm/cgroup.h"
#include "vm/domxml.h"
#include "vm/qemuproc.h"
#include "vm/virtroot.h"

#define VIRT_WAIT_MS 120000
#define KILL_MS 10000
#define POWEROFF_MS 5000

/* TRUE if the domain XML says that it is the guest in DIR: another one may have its name. */
static gboolean is_ours(const char *xml, const char *dir)
{
	g_autoptr(GHashTable) metadata = rig_domxml_metadata(xml);

	return metadata && g_strcmp0(g_hash_table_lookup(metadata, "dir"), dir) == 0;
}

static gboolean destroy_by_libvirt(const RigGuestContext *context, const RigGuestState *state,
				   GError **error)
{
	g_autoptr(RigVirt) virt = rig_virt_open(state->uri, context->paths->state, VIRT_WAIT_MS,
						context->cancellable, error);
	g_autoptr(GError) reason = NULL;
	g_autofree char *xml = NULL;

	if (!virt)
		return FALSE;
	xml = rig_virt_domain_xml(virt, state->name, &reason);
	if (reason) {
		g_propagate_error(error, g_steal_pointer(&reason));
		return FALSE;
	}
	if (!xml || !is_ours(xml, state->dir))
		return TRUE;
	return rig_virt_destroy(virt, state->name, error);
}

/* Known by process and domain number, under the driver whose root is ours. */
static gboolean destroy_embedded(const RigGuestContext *context, const RigGuestState *state)
{
	g_autofree char *root = g_build_filename(context->paths->state, "libvirt", NULL);

	if (!rig_qemuproc_kill("/proc", (pid_t)state->pid, state->uuid, KILL_MS))
		return FALSE;
	rig_virtroot_forget(root, state->name, state->domain_id);
	return TRUE;
}

/* A QEMU that the driver does not know: its start was cut off. */
static gboolean destroy_unknown(const RigGuestContext *context, const RigGuestState *state,
				GError **error)
{
	g_autofree char *root = g_build_filename(context->paths->state, "libvirt", NULL);
	g_autofree char *uuid = NULL;
	pid_t pid = rig_qemuproc_find_named("/proc", state->name, root, &uuid);

	if (pid == 0 || rig_qemuproc_kill("/proc", pid, uuid, KILL_MS))
		return TRUE;
	rig_error_set(error, RIG_ERROR_HOST, "QEMU of guest \"%s\" (process %d) does not end",
		      state->name, (int)pid);
	return FALSE;
}

gboolean rig_guest_destroy(const RigGuestContext *context, const RigGuestState *state,
			   GError **error)
{
	g_autofree char *root = g_build_filename(context->paths->state, "libvirt", NULL);
	g_autofree char *xml = rig_guest_state_file(state, "domain.xml");

	/* It is written before anybody is asked to start it. Without it there is nothing to end,
	 * and a libvirt that cannot be reached is in nobody's way. */
	if (state->pid == 0 && !g_file_test(xml, G_FILE_TEST_EXISTS))
		return TRUE;
	if (state->uri)
		return destroy_by_libvirt(context, state, error);
	if ((state->pid == 0 || state->domain_id == 0 || !destroy_embedded(context, state)) &&
	    (!destroy_by_libvirt(context, state, error) || !destroy_unknown(context, state, error)))
		return FALSE;
	rig_cgroup_forget("/sys/fs/cgroup", root, state->name);
	return TRUE;
}

static void power_off(const RigGuestContext *context, const char *name)
{
	g_autoptr(RigGuest) guest = rig_guest_open(context, name, NULL);
	gint64 deadline = g_get_monotonic_time() + POWEROFF_MS * G_TIME_SPAN_MILLISECOND;

	if (!guest || !rig_agent_sync(guest->agent, NULL) ||
	    !rig_agent_poweroff(guest->agent, NULL))
		return;
	while (rig_guest_state_alive(guest->state) && g_get_monotonic_time() < deadline)
		g_usleep(20000);
}

/* What is known of a folder; enough to look for the domain even where guest.json is broken. */
static RigGuestState *load_or_guess(const RigGuestContext *context, const char *name,
				    const char *dir)
{
	RigGuestState *state = rig_guest_state_load(dir, NULL);

	if (state)
		return state;
	state = rig_guest_state_new();
	state->name = g_strdup(name);
	state->dir = g_strdup(dir);
	state->uri = g_strdup(context->uri);
	return state;
}

/* A guest that another rig works with is not taken from under it. */
static RigLock *lock_for_down(const char *name, const char *dir, GError **error)
{
	RigLock *lock = rig_guest_lock(dir, "taking the guest down", error);

	if (!lock)
		g_prefix_error(error, "guest \"%s\" is in use: ", name);
	return lock;
}

gboolean rig_guest_down(const RigGuestContext *context, const char *name, gboolean graceful,
			GError **error)
{
	g_autofree char *dir = rig_guest_state_dir(context->paths, name);
	g_autoptr(RigGuestState) state = NULL;
	g_autoptr(RigLock) lock = NULL;

	if (!rig_file_check_name("guest name", name, error))
		return FALSE;
	/* Of a link only the link goes, what it leads to stays. */
	if (!rig_guest_state_is_there(dir))
		return rig_file_remove_tree(dir, error);
	if (graceful)
		power_off(context, name);
	lock = lock_for_down(name, dir, error);
	if (!lock)
		return FALSE;
	state = load_or_guess(context, name, dir);
	return rig_guest_destroy(context, state, error) && rig_file_remove_tree(dir, error);
}
