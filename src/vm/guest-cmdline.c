/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-cmdline.c - the words that a guest's kernel gets.
 */
#include "vm/guest-private.h"

#include <string.h>

#include "base/error.h"
#include "proto.h"

/* Warnings and worse reach the console; less would make the boot slower. KASLR would put other code
 * onto other cache lines at every boot. */
#define CMDLINE "console=ttyS0 loglevel=5 nokaslr"
/* A panic ends QEMU at once; or the guest stays where it is. */
#define CMDLINE_END " panic=-1"
#define CMDLINE_DUMP " panic=0 oops=panic " RIG_CMDLINE_DUMP
/* On a busy host the clock's watchdog comes late under emulation and takes the TSC for broken in
 * the middle of a run; and the kernel counts too few ticks of the timer and panics while it boots
 * ("IO-APIC + timer doesn't work"), a check that it leaves out by itself under KVM. */
#define CMDLINE_TCG "tsc=reliable no_timer_check"

/* The kernel's own limit, COMMAND_LINE_SIZE of x86, less room for what rig says. */
#define WORDS_MAX (2048 - 512)

gboolean rig_guest_check_cmdline(const char *words, GError **error)
{
	gsize length = words ? strlen(words) : 0;

	for (gsize i = 0; i < length; i++) {
		if ((guchar)words[i] >= 0x20 && (guchar)words[i] < 0x7f)
			continue;
		rig_error_set(error, RIG_ERROR_USAGE,
			      "--cmdline: byte %zu is no printable ASCII character", i + 1);
		return FALSE;
	}
	if (length <= WORDS_MAX)
		return TRUE;
	rig_error_set(error, RIG_ERROR_USAGE,
		      "--cmdline: %zu bytes are too many, the kernel leaves room for %d", length,
		      WORDS_MAX);
	return FALSE;
}

char *rig_guest_cmdline(const RigGuestSpec *spec)
{
	g_autoptr(GString) text = g_string_new(CMDLINE);

	g_string_append(text, spec->dump ? CMDLINE_DUMP : CMDLINE_END);
	if (spec->accel == RIG_ACCEL_TCG)
		g_string_append(text, " " CMDLINE_TCG);
	/* A diskless boot set means to be given a job; without one it is talked with. The first
	 * word counts. */
	if (!spec->bootset->disk && !spec->job)
		g_string_append(text, " " RIG_CMDLINE_CHANNEL "virtio");
	if (spec->bootset->cmdline && *spec->bootset->cmdline)
		g_string_append_printf(text, " %s", spec->bootset->cmdline);
	if (spec->cmdline && *spec->cmdline)
		g_string_append_printf(text, " %s", spec->cmdline);
	return g_string_free(g_steal_pointer(&text), FALSE);
}
