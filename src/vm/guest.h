/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest.h - the life of a guest: up, found again, talked with, down.
 *
 * A guest has a folder <state>/guests/NAME/: guest.json, overlay.qcow2, agent.sock, console.log,
 * domain.xml, lock. The folder is made before the domain and removed after it, so what a killed rig
 * left is always found through its folder; rig_guest_down() takes away whatever is there of it.
 */
#pragma once

#include "base/paths.h"
#include "model/raw.h"
#include "model/readback.h"
#include "vm/accel.h"
#include "vm/bootset.h"

typedef struct {
	const RigPaths *paths;
	RigLog *log;
	GCancellable *cancellable;
	const char *uri; /* NULL: embedded */
	/* Seconds until a guest that is not up counts as not booting, and until one that says
	 * nothing counts as hanging; 0: by the accelerator. */
	int boot_s, hang_s;
} RigGuestContext;

typedef struct {
	const char *name;
	const RigTopology *topology; /* as asked (unfitted) */
	const RigKernel *kernel;
	const RigImage *image;
	const RigBootset *bootset;
	RigAccel accel;
	const char *accel_reason;
	RigPlacementRequest placement;
	const char *cmdline; /* more words from the user, or NULL */
	const char *job;     /* diskless: the job (JSON); NULL otherwise */
	gboolean ephemeral;  /* belongs to this rig process (a run): `ps` shows it as left over once
				its owner is gone */
	gboolean keep_on_failure;
	gboolean dump; /* an oops is a panic, the guest stays there, and when it panics or hangs its
			  memory is written to a file */
} RigGuestSpec;

typedef struct RigGuest RigGuest; /* a guest that this process talks with; holds the guest's lock */

/* TRUE if WORDS (may be NULL) can be added to a kernel's command line; else RIG_ERROR_USAGE. To be
 * asked before anything is made. */
gboolean rig_guest_check_cmdline(const char *words, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Boot and wait for the agent (deadline scaled under TCG), read the topology back and compare. On
 * any failure the guest is taken down and the error (BOOT, PANIC, HANG, HOST...) carries the last
 * console lines and where the log was kept (<state>/last-failure/NAME.console.log). A diskless
 * guest with a job returns as soon as it is started (it has no channel to answer on). */
RigGuest *rig_guest_up(const RigGuestContext *context, const RigGuestSpec *spec,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Connect to a running guest by name. RIG_ERROR_USAGE when there is none, hint "rig ps". */
RigGuest *rig_guest_open(const RigGuestContext *context, const char *name,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Stop talking; the guest stays. */
void rig_guest_close(RigGuest *guest);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigGuest, rig_guest_close)

/* Where the console log of a guest that did not come up is kept:
 * <state>/last-failure/NAME.console.log. g_free. */
char *rig_guest_failure_path(const RigPaths *paths, const char *name);

/* Where the memory dump of a guest that broke is kept: <state>/last-failure/NAME.vmcore. g_free. */
char *rig_guest_dump_path(const RigPaths *paths, const char *name);

/* Write the memory of a guest that is up to that file, whatever it is doing; it stays. The guest
 * need not answer. */
gboolean rig_guest_dump(const RigGuestContext *context, const char *name,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What is known of it: flat text pairs for the record's manifest: "guest.class", "kernel.release",
 * "kernel.sha256", "qemu.version", "libvirt.version", "accel", "accel.reason", "topology.digest",
 * "topology.fit", "image.sha256", "agent.version"... */
GHashTable *rig_guest_manifest(const RigGuest *guest);
const RigReadback *rig_guest_readback(const RigGuest *guest);
const char *rig_guest_name(const RigGuest *guest);
const char *rig_guest_dir(const RigGuest *guest);
char *rig_guest_console_path(const RigGuest *guest);
char *rig_guest_domain_xml(const RigGuest *guest);
char rig_guest_class(const RigGuest *guest);
double rig_guest_time_scale(const RigGuest *guest); /* 1 under KVM, larger under TCG */

/* Where its memory was written to when it broke (g_free); NULL: it was not. */
char *rig_guest_dumped(const RigGuest *guest);

/* Run a job (JSON of rig_workload_job) and take all of its messages. Returns a run with done set,
 * or NULL: PANIC, HANG (no heartbeat), LOST (QEMU gone, protocol broken), TIMEOUT, INTERRUPTED.
 * PHASE is called at each mark and heartbeat, may be NULL. */
typedef void (*RigGuestPhaseFn)(const char *phase, gpointer data);
RigRawRun *rig_guest_run(RigGuest *guest, const char *job, int timeout_ms, RigGuestPhaseFn phase,
			 gpointer data, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same for a diskless guest that was started with its job: reads the debugcon file until the
 * guest is off. */
RigRawRun *rig_guest_collect(RigGuest *guest, int timeout_ms, RigGuestPhaseFn phase, gpointer data,
			     GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* exec with streams: stdin from IN_FD (-1: none) until its end, output to OUT_FD and ERR_FD. CODE:
 * exit code, 128 + signal. */
gboolean rig_guest_exec(RigGuest *guest, const char *const *argv, int in_fd, int out_fd, int err_fd,
			int *code, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_guest_put(RigGuest *guest, const char *host_path, const char *guest_path,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_guest_get(RigGuest *guest, const char *guest_path, const char *host_path,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Take a guest down by name: asks the agent to sync and power off only when GRACEFUL, destroys the
 * domain, removes the folder. One that is not there is fine. Works on what a killed rig left. */
gboolean rig_guest_down(const RigGuestContext *context, const char *name, gboolean graceful,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct {
	char *name, *topology, *fit, *kernel, *image, *accel,
		*state; /* state: "running", "panicked" (and it stays, to be dumped), "gone" (QEMU
			   is not there), "left over" (owner is gone), "busy" */
	char *owner;	/* "process 123 (rig run ...)" while its lock is held, else NULL */
	char class;
	gint64 started;
	gint64 pid; /* of QEMU, 0 unknown */
	gboolean ephemeral;
} RigGuestInfo;
/* All guests of this state folder, also what is left of dead ones. RigGuestInfo*. */
GPtrArray *rig_guest_list(const RigGuestContext *context, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void rig_guest_info_free(RigGuestInfo *info);
