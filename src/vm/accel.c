/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * accel.c - is KVM usable here? Only a guest that boots under it proves it.
 *
 * There are hosts where /dev/kvm opens, machines and vCPUs can be made, and no kernel ever gets
 * past its first instructions. So the question is put to a kernel, once a boot of the host.
 */
#include "vm/accel.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/text.h"
#include "proto.h"
#include "vm/cache.h"
#include "vm/initramfs.h"
#include "vm/virtroot.h"

#define QEMU "qemu-system-x86_64"
#define KVM_DEVICE "/dev/kvm"
/* Where KVM works, a kernel's first words come within a second, and one word after the other. But a
 * busy host is slow, one that is itself emulated is very slow, and a wrong no is kept for long; so
 * the canary may take its time as long as it says something. */
#define CANARY_SILENCE_MS 30000
#define CANARY_MS 180000
#define VERSION_MS 10000
#define PROBE_VERSION 1

static const char *const want_words[] = {"auto", "kvm", "tcg", NULL};

gboolean rig_accel_want_parse(const char *text, RigAccelWant *want, GError **error)
{
	for (guint i = 0; want_words[i]; i++) {
		if (strcmp(text, want_words[i]) == 0) {
			*want = (RigAccelWant)i;
			return TRUE;
		}
	}
	rig_error_set(error, RIG_ERROR_USAGE, "accelerator \"%s\" is none of auto, kvm, tcg", text);
	return FALSE;
}

void rig_kvm_probe_clear(RigKvmProbe *probe)
{
	g_clear_pointer(&probe->reason, g_free);
	probe->known = probe->usable = FALSE;
}

static void answer(RigKvmProbe *probe, gboolean usable, char *reason)
{
	rig_kvm_probe_clear(probe);
	probe->known = TRUE;
	probe->usable = usable;
	probe->reason = reason;
}

char *rig_accel_qemu_version(void)
{
	const char *argv[] = {QEMU, "--version", NULL};
	RigProcess process = {.argv = argv, .timeout_ms = VERSION_MS};
	g_auto(RigProcessResult) result = {0};
	const char *at;

	if (!rig_process_run(&process, &result, NULL, NULL) || result.status != 0 || !result.out)
		return NULL;
	at = strstr(result.out, "version ");
	if (!at)
		return NULL;
	at += strlen("version ");
	return g_strndup(at, strspn(at, "0123456789."));
}

/* Who runs QEMU: as root it is another account, whose rights count. */
static void find_user(RigQemuUser *user)
{
	if (rig_virtroot_user(user, NULL))
		return;
	user->other = FALSE;
	g_strlcpy(user->name, g_get_user_name(), sizeof(user->name));
}

/* What is certain without a boot. */
static gboolean certainly_not(RigKvmProbe *probe)
{
	RigQemuUser user;
	int errnum;

	find_user(&user);
	errnum = rig_virtroot_try_open(KVM_DEVICE, &user);
	if (errnum == 0)
		return FALSE;
	if (errnum == ENOENT)
		answer(probe, FALSE, g_strdup("there is no " KVM_DEVICE));
	else if (errnum == EACCES || errnum == EPERM)
		answer(probe, FALSE,
		       g_strdup_printf(KVM_DEVICE " may not be opened by %s, who runs QEMU (is it "
						  "in the group of " KVM_DEVICE "?)",
				       user.name));
	else
		answer(probe, FALSE,
		       g_strdup_printf(KVM_DEVICE " does not open: %s", g_strerror(errnum)));
	return TRUE;
}

/* The kept answer. */

/* What an answer holds for: a boot of the host, a QEMU, and the device, which is made anew when
 * KVM's module is loaded again with other parameters. NULL when that cannot be told. */
static char *probe_key(void)
{
	struct stat device;
	g_autofree char *boot = rig_file_read("/proc/sys/kernel/random/boot_id", 256, NULL, NULL);
	g_autofree char *release = rig_file_read("/proc/sys/kernel/osrelease", 256, NULL, NULL);
	g_autofree char *qemu = rig_accel_qemu_version();

	if (!boot || !release || !qemu || stat(KVM_DEVICE, &device) < 0)
		return NULL;
	return g_strdup_printf("%s %s qemu %s device %" G_GINT64_FORMAT, g_strchomp(boot),
			       g_strchomp(release), qemu, (gint64)device.st_ctime);
}

static char *probe_path(const RigPaths *paths)
{
	return g_build_filename(paths->state, "kvm-probe.json", NULL);
}

static gboolean load_kept(const RigPaths *paths, const char *key, RigKvmProbe *probe)
{
	g_autofree char *path = probe_path(paths);
	g_autoptr(RigJson) root = rig_json_load(path, 0, NULL);
	const char *kept_key, *reason;
	gboolean usable;

	if (!root || !key)
		return FALSE;
	(void)rig_json_int(root, "version", RIG_JSON_REQUIRED, PROBE_VERSION, PROBE_VERSION, 0);
	kept_key = rig_json_string(root, "key", RIG_JSON_REQUIRED);
	usable = rig_json_bool(root, "usable", RIG_JSON_REQUIRED, FALSE);
	reason = rig_json_string(root, "reason", RIG_JSON_REQUIRED);
	if (!rig_json_finish(root, NULL) || strcmp(kept_key, key) != 0)
		return FALSE;
	answer(probe, usable, g_strdup(reason));
	return TRUE;
}

/* An answer that cannot be kept is found again next time. */
static void keep(const RigPaths *paths, const char *key, const RigKvmProbe *probe)
{
	g_autofree char *path = probe_path(paths);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *text = NULL;

	if (!key)
		return;
	rig_json_open_object(writer, NULL);
	rig_json_add_int(writer, "version", PROBE_VERSION);
	rig_json_add_string(writer, "key", key);
	rig_json_add_bool(writer, "usable", probe->usable);
	rig_json_add_string(writer, "reason", probe->reason);
	rig_json_close_object(writer);
	text = rig_json_writer_text(writer, TRUE);
	if (rig_file_make_dirs(paths->state, 0755, NULL))
		(void)!rig_file_write(path, text, -1, 0644, NULL);
}

void rig_accel_forget_no(const RigPaths *paths)
{
	g_autofree char *path = probe_path(paths);
	g_autofree char *key = probe_key();
	g_auto(RigKvmProbe) kept = {0};

	if (load_kept(paths, key, &kept) && !kept.usable)
		(void)unlink(path);
}

/* The canary. */

static gboolean write_canary(const RigPaths *paths, const char *path, GError **error)
{
	g_autofree char *init = g_build_filename(paths->libexec, "rig-init", NULL);
	g_autoptr(GPtrArray) none = g_ptr_array_new();
	g_autoptr(RigRootfs) rootfs = rig_rootfs_new();

	rig_initramfs_add_boot(rootfs, init, NULL, none);
	return rig_initramfs_write(rootfs, path, error);
}

/* QEMU went before its guest said anything. Its first line is the reason, later ones its
 * consequences. */
static char *why_ended(const RigProcessResult *result, double seconds)
{
	const char *err = result->err ? result->err : "";
	g_autofree char *first = g_strndup(err, strcspn(err, "\n"));
	g_autofree char *safe = rig_text_safe(g_strstrip(first), -1);

	return g_strdup_printf(KVM_DEVICE " is there, but a canary guest ended after %.1f s: %s",
			       seconds, *safe ? safe : "without a word");
}

/* Boot it in DIR. FALSE with an error only when the question could not be put at all. */
static gboolean boot_canary(const RigKernel *kernel, const char *dir, GCancellable *cancellable,
			    RigKvmProbe *probe, GError **error)
{
	g_autofree char *boot = rig_kernel_boot_path(kernel);
	g_autofree char *initrd = g_build_filename(dir, "initrd", NULL);
	const char *argv[] = {QEMU,	    "-accel",  "kvm",
			      "-cpu",	    "host",    "-nodefaults",
			      "-display",   "none",    "-m",
			      "256",	    "-serial", "stdio",
			      "-kernel",    boot,      "-initrd",
			      initrd,	    "-append", "console=ttyS0 panic=-1 " RIG_CMDLINE_CANARY,
			      "-no-reboot", NULL};
	RigProcess process = {.argv = argv,
			      .timeout_ms = CANARY_MS,
			      .silence_ms = CANARY_SILENCE_MS,
			      .own_group = TRUE};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) reason = NULL;
	gint64 begin = g_get_monotonic_time();
	double seconds;

	if (!rig_process_run(&process, &result, cancellable, &reason) &&
	    reason->code != RIG_ERROR_TIMEOUT) {
		g_propagate_error(error, g_steal_pointer(&reason));
		return FALSE;
	}
	seconds = (double)(g_get_monotonic_time() - begin) / G_USEC_PER_SEC;
	if (result.out && strstr(result.out, RIG_CANARY_LINE))
		answer(probe, TRUE, g_strdup_printf("a canary guest booted in %.1f s", seconds));
	else if (reason)
		answer(probe, FALSE,
		       g_strdup_printf(KVM_DEVICE " is there, but a canary guest did not come up: "
						  "given up after %.0f s",
				       seconds));
	else
		answer(probe, FALSE, why_ended(&result, seconds));
	return TRUE;
}

static gboolean ask_canary(const RigPaths *paths, const RigKernel *kernel,
			   GCancellable *cancellable, RigKvmProbe *probe, GError **error)
{
	g_autoptr(RigScratch) scratch = rig_scratch_new(paths->cache, "canary", error);
	g_autofree char *initrd = NULL;

	if (!scratch)
		return FALSE;
	initrd = g_build_filename(scratch->path, "initrd", NULL);
	return write_canary(paths, initrd, error) &&
	       boot_canary(kernel, scratch->path, cancellable, probe, error);
}

void rig_accel_probe(const RigPaths *paths, RigLog *log, const RigKernel *kernel,
		     gboolean cached_only, GCancellable *cancellable, RigKvmProbe *probe)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *key = NULL;

	rig_kvm_probe_clear(probe);
	if (certainly_not(probe))
		return;
	key = probe_key();
	if (load_kept(paths, key, probe))
		return;
	if (cached_only || !kernel) {
		probe->reason =
			g_strdup(KVM_DEVICE " opens; whether a guest boots under it was not "
					    "tried yet");
		return;
	}
	rig_log_status(
		log,
		"trying whether a guest boots under KVM (once; given up after %d s of silence)",
		CANARY_SILENCE_MS / 1000);
	if (ask_canary(paths, kernel, cancellable, probe, &error))
		keep(paths, key, probe);
	else
		probe->reason =
			g_strdup_printf("the canary could not be started: %s", error->message);
	rig_log_status_clear(log);
}

gboolean rig_accel_choose(const RigPaths *paths, RigLog *log, RigAccelWant want,
			  const RigKernel *kernel, GCancellable *cancellable, RigAccel *accel,
			  char **reason, GError **error)
{
	g_auto(RigKvmProbe) probe = {0};

	*accel = RIG_ACCEL_TCG;
	*reason = NULL;
	if (want == RIG_ACCEL_WANT_TCG) {
		*reason = g_strdup("asked for");
		return TRUE;
	}
	rig_accel_probe(paths, log, kernel, FALSE, cancellable, &probe);
	if (g_cancellable_is_cancelled(cancellable)) {
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
		return FALSE;
	}
	if (probe.usable)
		*accel = RIG_ACCEL_KVM;
	else if (want == RIG_ACCEL_WANT_KVM) {
		rig_error_set_hint(error, RIG_ERROR_HOST, "rig doctor; or --accel tcg",
				   "KVM cannot be used: %s", probe.reason);
		return FALSE;
	} else {
		rig_log_info(log, "no KVM (%s): the guest is emulated (TCG, class C)",
			     probe.reason);
	}
	*reason = g_steal_pointer(&probe.reason);
	return TRUE;
}
