/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-fate.c - what became of a guest: is it still there, and if not, what do its console and its
 * QEMU say?
 */
#include "vm/guest-private.h"

#include <string.h>

#include "base/error.h"
#include "vm/virtroot.h"

#define PROCESS_US (1 * G_USEC_PER_SEC) /* between two looks at QEMU's process */
#define END_US (5 * G_USEC_PER_SEC)
#define LOOK_US 50000
#define TAIL_LINES 8

static void set_gone(RigGuest *guest, GError **error)
{
	g_autofree char *words =
		guest->state->uri ? NULL
				  : rig_virtroot_last_words(guest->virt_root, guest->state->name);

	guest->crashed = words && strstr(words, "Assertion");
	rig_error_set(error, RIG_ERROR_LOST, "QEMU is gone%s%s", words ? ": " : "",
		      words ? words : "");
}

gboolean rig_guest_watch(gpointer data, GError **error)
{
	RigGuest *guest = data;
	gint64 now = g_get_monotonic_time();

	switch (rig_console_check(guest->console)) {
	case RIG_CONSOLE_PANIC:
		rig_error_set(error, RIG_ERROR_PANIC, "the kernel panicked: %s",
			      rig_console_line(guest->console));
		return FALSE;
	case RIG_CONSOLE_OFF:
		rig_error_set(error, RIG_ERROR_LOST, "the guest went off: %s",
			      rig_console_line(guest->console));
		return FALSE;
	case RIG_CONSOLE_BABBLES:
		rig_error_set(error, RIG_ERROR_LOST,
			      "the guest babbles: its console is above %d MiB",
			      RIG_CONSOLE_MAX / 1024 / 1024);
		return FALSE;
	case RIG_CONSOLE_QUIET:
		break;
	}
	if (now - guest->checked < PROCESS_US)
		return TRUE;
	guest->checked = now;
	if (guest->state->pid == 0 || rig_guest_state_alive(guest->state))
		return TRUE;
	set_gone(guest, error);
	return FALSE;
}

/* QEMU closes the channel before it is gone itself. */
static gboolean see_it_end(RigGuest *guest, GError **error)
{
	gint64 deadline = g_get_monotonic_time() + END_US;

	do {
		guest->checked = 0;
		if (!rig_guest_watch(guest, error))
			return TRUE;
		if (!guest->agent || !rig_agent_is_closed(guest->agent))
			return FALSE;
		g_usleep(LOOK_US);
	} while (g_get_monotonic_time() < deadline);
	return FALSE;
}

/* A closed channel tells less than the console and the process do. */
static void look_closer(RigGuest *guest, GError **error)
{
	g_autoptr(GError) better = NULL;

	if (!g_error_matches(*error, RIG_ERROR, RIG_ERROR_LOST) &&
	    !g_error_matches(*error, RIG_ERROR, RIG_ERROR_HANG))
		return;
	if (see_it_end(guest, &better)) {
		g_clear_error(error);
		g_propagate_error(error, g_steal_pointer(&better));
	}
}

/* MESSAGE with the last of what the console says and LOG, the path of the rest. */
static void set_with_console(const RigGuest *guest, int code, const char *message, const char *log,
			     GError **error)
{
	g_autofree char *path = rig_guest_console_path(guest);
	g_autofree char *tail = rig_console_tail(path, TAIL_LINES);

	/* Without a QEMU there is nothing to say of a console. */
	if (strstr(message, "\nhint: ") || (*g_strstrip(tail) == '\0' && !guest->state->pid))
		rig_error_set(error, code, "%s", message);
	else if (*tail == '\0' && guest->state->ready)
		rig_error_set_hint(error, code, log, "%s\nits console is empty", message);
	else if (*tail == '\0')
		rig_error_set_hint(
			error, code,
			"--cmdline ignore_loglevel has the kernel say all, "
			"CONFIG_SERIAL_8250_CONSOLE=y lets it",
			"%s\nits console is empty: the kernel did not start, had nothing "
			"to warn of, or cannot write to ttyS0",
			message);
	else
		rig_error_set_hint(error, code, log, "%s\nlast lines of the console:\n%s", message,
				   tail);
}

void rig_guest_explain(RigGuest *guest, const char *log, GError **error)
{
	g_autofree char *message = NULL;
	g_autofree char *dumped = NULL;
	g_autofree char *both = NULL;
	int code;

	if (!error || !*error)
		return;
	look_closer(guest, error);
	code = (*error)->code;
	if (rig_guest_dump_broken(guest, code)) {
		dumped = rig_guest_dumped(guest);
		both = g_strdup_printf("%s; the memory dump is %s", log, dumped);
	}
	if (code == RIG_ERROR_INTERRUPTED || code == RIG_ERROR_USAGE)
		return;
	message = g_strdup((*error)->message);
	g_clear_error(error);
	set_with_console(guest, code, message, both ? both : log, error);
}
