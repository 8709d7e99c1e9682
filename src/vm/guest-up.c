/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-up.c - boot a guest and refuse it unless it is what was asked for.
 *
 * The order matters for a rig that dies on the way: folder, guest.json, files, domain. Whatever is
 * there can be found by the folder and taken away again.
 */
#include "vm/guest-private.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "vm/domxml.h"
#include "vm/guest-files.h"
#include "vm/guest-manifest.h"
#include "vm/qemuproc.h"

/* From the start of QEMU to the agent's hello, on a real machine. */
#define BOOT_S 30
#define VIRT_WAIT_MS 120000
/* QEMU 10.0 with several emulated CPUs fails an assertion of its own (iotlb_to_section) in one boot
 * of some dozens, before the guest has run anything. That says nothing of the guest, so it is
 * booted again, in plain sight. */
#define CRASHES_MAX 2
/* A start writes less than this. */
#define ROOM_MIN (2 * 1024 * 1024)
/* One that babbles is seen at half of it. */
#define CONSOLE_KEPT_MAX (2 * (gsize)RIG_CONSOLE_MAX)
/* One boot under way. */
typedef struct {
	const RigGuestContext *context;
	const RigGuestSpec *spec;
	RigGuestState *state;
	RigPlacement *placement;
	RigGuestFiles files;
	char *cmdline;
	gint64 since; /* when the present step began */
} Boot;

/* How long each step of a boot took is in the record: a slow one is found there. */
static void note_step(Boot *boot, const char *key)
{
	gint64 now = g_get_monotonic_time();
	double seconds = (double)(now - boot->since) / G_USEC_PER_SEC;
	char text[32];

	g_snprintf(text, sizeof(text), "%.3f", seconds);
	rig_guest_state_note(boot->state, key, text);
	rig_log_verbose(boot->context->log, "%s: %s: %s s", boot->spec->name, key, text);
	boot->since = now;
}

static RigGuestState *new_state(const RigGuestContext *context, const RigGuestSpec *spec)
{
	RigGuestState *state = rig_guest_state_new();

	state->name = g_strdup(spec->name);
	state->dir = rig_guest_state_dir(context->paths, spec->name);
	state->uri = g_strdup(context->uri);
	state->owner = getpid();
	state->started = g_get_real_time() / G_USEC_PER_SEC;
	state->ephemeral = spec->ephemeral;
	state->dump = spec->dump;
	state->output_only = spec->job != NULL;
	state->topology = g_strdup(spec->topology->name);
	state->kernel = g_strdup(spec->kernel->name);
	state->image = g_strdup(spec->image->name);
	state->accel = g_strdup(rig_accel_name(spec->accel));
	return state;
}

/* Starting. */

static GHashTable *metadata(const Boot *boot)
{
	GHashTable *table = g_hash_table_new_full(g_str_hash, g_str_equal, NULL, g_free);

	g_hash_table_insert(table, (gpointer) "dir", g_strdup(boot->state->dir));
	g_hash_table_insert(table, (gpointer) "kernel", g_strdup(boot->state->kernel));
	g_hash_table_insert(table, (gpointer) "topology", g_strdup(boot->state->topology));
	return table;
}

static char *render(const Boot *boot)
{
	g_autoptr(GHashTable) table = metadata(boot);
	RigDomainSpec domain = {
		.name = boot->spec->name,
		.placement = boot->placement,
		.kernel = boot->spec->bootset->boot,
		.initrd = boot->files.initrd,
		.cmdline = boot->cmdline,
		.disk = boot->files.overlay,
		.console = boot->files.console,
		.agent_socket = boot->files.socket,
		.debugcon = boot->files.debugcon,
		.dump = boot->spec->dump,
		.no_relabel = boot->files.user.other,
		.metadata = table,
	};

	return rig_domxml_render(&domain);
}

static gboolean place(Boot *boot, RigVirt *virt, GError **error)
{
	g_autofree char *capabilities = rig_virt_capabilities(virt, error);
	g_autoptr(RigHost) host = NULL;
	RigPlacementRequest request = boot->spec->placement;
	g_autofree char *libvirt = NULL;
	g_autofree char *qemu = NULL;

	if (!capabilities || !rig_virt_versions(virt, &libvirt, &qemu, error))
		return FALSE;
	host = rig_host_parse(capabilities, "", error);
	if (!host || !rig_guest_files_set_user(&boot->files, virt, host->dac_label, error))
		return FALSE;
	request.accel = boot->spec->accel;
	boot->placement = rig_placement_compute(boot->spec->topology, host, &request, error);
	if (!boot->placement)
		return FALSE;
	rig_guest_state_note(boot->state, "host.cpu_model", host->model);
	rig_guest_state_note(boot->state, "libvirt.version", libvirt);
	rig_guest_state_note(boot->state, "libvirt.uri", rig_virt_uri(virt));
	rig_guest_state_note(boot->state, "qemu.version", qemu);
	rig_guest_note_placement(boot->state, boot->spec, boot->placement);
	boot->state->memory = rig_topology_memory(boot->placement->topology);
	return TRUE;
}

/* What stands between OPEN and CLOSE, the first time. */
static char *text_between(const char *xml, const char *open, const char *close)
{
	const char *at = strstr(xml, open);
	const char *from = at ? at + strlen(open) : NULL;
	const char *to = from ? strstr(from, close) : NULL;

	return to ? g_strndup(from, (gsize)(to - from)) : NULL;
}

/* What the started domain is known by from now on. */
static gboolean take_identity(Boot *boot, RigVirt *virt, GError **error)
{
	RigGuestState *state = boot->state;
	g_autofree char *path = rig_guest_state_file(state, "domain.xml");
	g_autofree char *xml = rig_virt_domain_xml(virt, state->name, error);
	g_autofree char *id = NULL;

	if (!xml) {
		if (error && !*error)
			rig_error_set(error, RIG_ERROR_LOST, "QEMU ended right after its start");
		return FALSE;
	}
	state->uuid = text_between(xml, "<uuid>", "</uuid>");
	id = text_between(xml, " id='", "'");
	state->domain_id = id ? g_ascii_strtoll(id, NULL, 10) : 0;
	state->pid = rig_qemuproc_find("/proc", state->uuid);
	return rig_file_write(path, xml, -1, 0600, error) && rig_guest_state_save(state, error);
}

static gboolean start(Boot *boot, GError **error)
{
	const RigGuestContext *context = boot->context;
	g_autoptr(RigVirt) virt = NULL;
	g_autofree char *path = rig_guest_state_file(boot->state, "domain.xml");
	g_autofree char *xml = NULL;

	virt = rig_virt_open(context->uri, context->paths->state, VIRT_WAIT_MS,
			     context->cancellable, error);
	if (!virt || !rig_virt_check_here(virt, error) || !place(boot, virt, error))
		return FALSE;
	rig_guest_note_spec(boot->state, boot->spec, boot->cmdline);
	if (!rig_guest_files_hand_over(&boot->files, boot->spec->bootset, error))
		return FALSE;
	xml = render(boot);
	if (!rig_file_write(path, xml, -1, 0600, error))
		return FALSE;
	return rig_virt_start(virt, xml, error) &&
	       rig_guest_files_close_socket(&boot->files, error) &&
	       take_identity(boot, virt, error);
}

/* Waiting. */

static gboolean read_back(RigGuest *guest, const Boot *boot, GError **error)
{
	RigReadback *readback = &guest->state->readback;
	g_autoptr(GPtrArray) files = rig_agent_read(guest->agent, rig_readback_paths(), error);

	if (!files || !rig_readback_check(files, boot->placement->topology, readback, error))
		return FALSE;
	rig_guest_state_note(guest->state, "agent.version", rig_agent_version(guest->agent));
	rig_guest_state_note(guest->state, "guest.release", rig_agent_release(guest->agent));
	rig_guest_state_note(guest->state, "guest.boot_id", rig_agent_boot_id(guest->agent));
	rig_guest_state_note(guest->state, "guest.numa_balancing", readback->numa_balancing);
	return TRUE;
}

static gboolean wait_ready(RigGuest *guest, const Boot *boot, GError **error)
{
	gint64 seconds = boot->context->boot_s > 0 ? boot->context->boot_s
						   : (gint64)(BOOT_S * rig_guest_time_scale(guest));
	gint64 deadline = g_get_monotonic_time() + seconds * G_USEC_PER_SEC;
	g_autoptr(GError) reason = NULL;

	if (guest->state->output_only) {
		guest->shape = rig_topology_copy(boot->placement->topology);
		return TRUE;
	}
	if (rig_guest_connect(guest, deadline, &reason) && read_back(guest, boot, &reason))
		return TRUE;
	if (g_error_matches(reason, RIG_ERROR, RIG_ERROR_TIMEOUT) ||
	    g_error_matches(reason, RIG_ERROR, RIG_ERROR_HANG)) {
		guest->silent = TRUE;
		rig_error_set(error, RIG_ERROR_BOOT, "the agent did not answer within %d s",
			      (int)seconds);
	} else if (g_error_matches(reason, RIG_ERROR, RIG_ERROR_LOST) &&
		   rig_console_check(guest->console) == RIG_CONSOLE_OFF) {
		rig_error_set(error, RIG_ERROR_BOOT, "it went off while booting: %s",
			      rig_console_line(guest->console));
	} else {
		g_propagate_error(error, g_steal_pointer(&reason));
	}
	return FALSE;
}

/* Giving up. */

char *rig_guest_failure_path(const RigPaths *paths, const char *name)
{
	g_autofree char *file = g_strdup_printf("%s.console.log", name);

	return g_build_filename(paths->state, "last-failure", file, NULL);
}

static void keep_console(const Boot *boot, const char *path)
{
	g_autofree char *dir = g_path_get_dirname(path);
	const char *console = boot->files.console;
	gsize length = 0;
	g_autofree char *text =
		console ? rig_file_read_own(console, CONSOLE_KEPT_MAX, &length, NULL) : NULL;

	/* An older one would be taken for this one's. */
	(void)unlink(path);
	if (text && rig_file_make_dirs(dir, 0755, NULL))
		(void)!rig_file_write(path, text, (gssize)length, 0600, NULL);
}

/* What others say on a full disk, libvirt above all, names anything but the disk. */
static void mention_room(const RigGuestContext *context, GError **error)
{
	struct statvfs disk;
	guint64 room;
	GError *better;

	if ((*error)->code != RIG_ERROR_HOST || strstr((*error)->message, "\nhint: ") ||
	    statvfs(context->paths->state, &disk) < 0)
		return;
	room = (guint64)(geteuid() ? disk.f_bavail : disk.f_bfree) * disk.f_frsize;
	if (room >= ROOM_MIN)
		return;
	better = g_error_new(RIG_ERROR, RIG_ERROR_HOST,
			     "%s\nhint: only %" G_GUINT64_FORMAT " KiB are free in %s; free some "
			     "space there",
			     (*error)->message, room / 1024, context->paths->state);
	g_clear_error(error);
	g_propagate_error(error, better);
}

static void take_down(const Boot *boot, RigGuest *guest, GError **error)
{
	/* Also when the user has just cancelled everything. */
	RigGuestContext context = *boot->context;
	g_autofree char *kept = rig_guest_failure_path(boot->context->paths, boot->spec->name);
	g_autofree char *hint = g_strdup_printf("the whole console is in %s", kept);
	g_autoptr(GError) left = NULL;

	mention_room(boot->context, error);
	rig_guest_explain(guest, hint, error);
	g_prefix_error(error, "guest %s: ", boot->spec->name);
	keep_console(boot, kept);
	if (boot->spec->keep_on_failure)
		return;
	context.cancellable = NULL;
	if (!rig_guest_destroy(&context, guest->state, &left) ||
	    !rig_file_remove_tree(guest->state->dir, &left))
		rig_log_warn(context.log, "guest %s is left over: %s", boot->spec->name,
			     left->message);
}

static void clear_boot(Boot *boot)
{
	g_clear_pointer(&boot->placement, rig_placement_free);
	rig_guest_files_clear(&boot->files);
	g_free(boot->cmdline);
}

/* The folder and its lock: from here on the guest exists for others. */
static RigLock *claim(const RigGuestContext *context, const RigGuestState *state, GError **error)
{
	g_autofree char *root = rig_guest_state_root(context->paths);

	if (!rig_file_make_dirs(root, 0755, error))
		return NULL;
	if (mkdir(state->dir, 0700) < 0) {
		g_autofree char *hint =
			g_strdup_printf("rig down %s, or choose another --name", state->name);

		if (errno == EEXIST)
			rig_error_set_hint(error, RIG_ERROR_USAGE, hint,
					   "there is a guest \"%s\" already", state->name);
		else
			rig_error_set_errno(error, RIG_ERROR_HOST, errno, "create", state->dir);
		return NULL;
	}
	return rig_guest_lock(state->dir, "booting the guest", error);
}

static gboolean boot_guest(RigGuest *guest, Boot *boot, GError **error)
{
	RigGuestState *state = guest->state;

	boot->since = g_get_monotonic_time();
	if (!rig_guest_state_save(state, error) ||
	    !rig_guest_files_make(&boot->files, state, boot->spec, boot->context->cancellable,
				  error))
		return FALSE;
	note_step(boot, "time.files_s");
	if (!start(boot, error))
		return FALSE;
	note_step(boot, "time.start_s");
	if (!wait_ready(guest, boot, error) || !rig_guest_check_place(guest, error))
		return FALSE;
	note_step(boot, "time.agent_s");
	state->ready = TRUE;
	return rig_guest_state_save(state, error);
}

/* One attempt. *CRASHED: it was QEMU that failed, not the guest. */
static RigGuest *attempt(const RigGuestContext *context, const RigGuestSpec *spec, guint number,
			 gboolean *crashed, GError **error)
{
	g_autoptr(RigGuestState) state = new_state(context, spec);
	g_autoptr(RigGuest) guest = NULL;
	g_autoptr(GError) reason = NULL;
	Boot boot = {.context = context, .spec = spec, .state = state};
	RigLock *lock;
	gboolean ok;

	*crashed = FALSE;
	if (number > 1) {
		g_autofree char *text = g_strdup_printf("%u", number);

		rig_guest_state_note(state, "time.boot_attempts", text);
	}
	if (!rig_guest_files_check_paths(context, state, error))
		return NULL;
	lock = claim(context, state, error);
	if (!lock)
		return NULL;
	boot.cmdline = rig_guest_cmdline(spec);
	guest = rig_guest_new(context, g_steal_pointer(&state), lock, FALSE);
	ok = boot_guest(guest, &boot, &reason);
	if (!ok) {
		take_down(&boot, guest, &reason);
		*crashed = guest->crashed;
		g_propagate_error(error, g_steal_pointer(&reason));
	}
	clear_boot(&boot);
	return ok ? g_steal_pointer(&guest) : NULL;
}

RigGuest *rig_guest_up(const RigGuestContext *context, const RigGuestSpec *spec, GError **error)
{
	g_autofree char *stale = rig_guest_dump_path(context->paths, spec->name);

	if (!rig_file_check_name("guest name", spec->name, error))
		return NULL;
	/* By a process of the same number, long ago. */
	if (spec->ephemeral)
		(void)unlink(stale);
	for (guint number = 1;; number++) {
		g_autoptr(GError) reason = NULL;
		gboolean crashed;
		RigGuest *guest = attempt(context, spec, number, &crashed, &reason);

		if (guest)
			return guest;
		if (!crashed || number > CRASHES_MAX || spec->keep_on_failure) {
			g_propagate_error(error, g_steal_pointer(&reason));
			return NULL;
		}
		rig_log_warn(context->log, "%.*s; booting it again",
			     (int)strcspn(reason->message, "\n"), reason->message);
	}
}
