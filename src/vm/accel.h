/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * accel.h - is KVM usable here? Only a guest that boots under it proves it.
 */
#pragma once

#include <gio/gio.h>

#include "base/log.h"
#include "base/paths.h"
#include "model/kernel.h"
#include "model/placement.h"

typedef enum { RIG_ACCEL_WANT_AUTO, RIG_ACCEL_WANT_KVM, RIG_ACCEL_WANT_TCG } RigAccelWant;
gboolean rig_accel_want_parse(const char *text, RigAccelWant *want, GError **error)
	G_GNUC_WARN_UNUSED_RESULT; /* "auto", "kvm", "tcg" */

typedef struct {
	gboolean known, usable;
	char *reason; /* one line for people: "a canary guest booted in 0.8 s", "/dev/kvm is there, but the canary did not come up within 10 s" */
} RigKvmProbe;
void rig_kvm_probe_clear(RigKvmProbe *probe);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(RigKvmProbe, rig_kvm_probe_clear)

/* Boot a canary (KERNEL with rig-init and rig.canary) under KVM until it is silent for too long. The answer is kept in
 * <state>/kvm-probe.json for this host boot, host kernel, QEMU version and device; CACHED_ONLY never boots. KERNEL NULL: only what
 * is kept, or what is certain without a boot (no /dev/kvm, no permission: not usable). Never an error of its own. */
void rig_accel_probe(const RigPaths *paths, RigLog *log, const RigKernel *kernel, gboolean cached_only,
		     GCancellable *cancellable, RigKvmProbe *probe);

/* Ask again next time if the kept answer is no: for somebody who has changed something. */
void rig_accel_forget_no(const RigPaths *paths);

/* The accelerator to use. AUTO falls back to TCG with one line in the log; KVM refuses with RIG_ERROR_HOST. */
gboolean rig_accel_choose(const RigPaths *paths, RigLog *log, RigAccelWant want, const RigKernel *kernel,
			  GCancellable *cancellable, RigAccel *accel, char **reason, GError **error)
	G_GNUC_WARN_UNUSED_RESULT;

/* "QEMU emulator version 10.0.2": 10.0.2; NULL where there is no QEMU. g_free. */
char *rig_accel_qemu_version(void);
