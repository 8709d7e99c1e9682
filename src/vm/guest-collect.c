/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * guest-collect.c - what a diskless guest wrote to its output-only port, read until it is off.
 *
 * The messages are those of the agent's channel (docs/protocol.md): hello, the read-back files,
 * then the run.
 */
#include "vm/guest-private.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "proto.h"
#include "vm/agent-message.h"

#define LOOK_US 100000
#define PIECE 65536

typedef struct {
	RigGuest *guest;
	int fd;
	GString *partial;
	RigRawRun *run;
	gint64 heard;
	RigGuestPhaseFn phase;
	gpointer data;
} Collector;

static void announce(const Collector *collector, RigJson *message)
{
	const char *phase = rig_json_string(message, "phase", RIG_JSON_OPTIONAL);
	g_autofree char *safe = NULL;

	if (!phase || !collector->phase || strcmp(rig_agent_type(message), "snap") == 0)
		return;
	safe = rig_text_safe(phase, (gssize)MIN(strlen(phase), 64));
	collector->phase(safe, collector->data);
}

static gboolean check_hello(RigJson *message, GError **error)
{
	gint64 protocol = rig_json_int(message, "protocol", RIG_JSON_OPTIONAL, 0, G_MAXINT, 0);

	if (protocol == RIG_PROTOCOL)
		return TRUE;
	rig_error_set(error, RIG_ERROR_BOOT, "the guest's agent speaks protocol %d, not %d",
		      (int)protocol, RIG_PROTOCOL);
	return FALSE;
}

static gboolean take_line(Collector *collector, GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_autoptr(RigJson) message = NULL;

	if (collector->partial->len == 0)
		return TRUE;
	message = rig_json_parse("message", collector->partial->str,
				 (gssize)collector->partial->len, &reason);
	if (!message || !rig_json_is_object(message))
		return rig_agent_violation(error, "%s",
					   reason ? reason->message : "a message is no object");
	if (strcmp(rig_agent_type(message), "error") == 0)
		return rig_agent_fail(message, error);
	if (strcmp(rig_agent_type(message), "hello") == 0)
		return check_hello(message, error);
	announce(collector, message);
	return rig_raw_run_feed(collector->run, message, error);
}

static gboolean take(Collector *collector, const char *data, gsize length, GError **error)
{
	for (gsize i = 0; i < length && !collector->run->done; i++) {
		if (data[i] != '\n') {
			g_string_append_c(collector->partial, data[i]);
			if (collector->partial->len >= RIG_LINE_MAX)
				return rig_agent_violation(error, "a line is longer than %d bytes",
							   RIG_LINE_MAX);
			continue;
		}
		if (!take_line(collector, error))
			return FALSE;
		g_string_truncate(collector->partial, 0);
	}
	return TRUE;
}

/* Read what is there. *GOT tells whether there was anything. */
static gboolean read_more(Collector *collector, gboolean *got, GError **error)
{
	g_autofree char *piece = g_malloc(PIECE);
	ssize_t n;

	*got = FALSE;
	while (!collector->run->done && (n = read(collector->fd, piece, PIECE)) > 0) {
		*got = TRUE;
		collector->heard = g_get_monotonic_time();
		if (!take(collector, piece, (gsize)n, error))
			return FALSE;
	}
	return TRUE;
}

static gboolean check_time(const Collector *collector, gint64 deadline, GError **error)
{
	gint64 now = g_get_monotonic_time();
	gint64 silence = (gint64)rig_guest_silence_ms(collector->guest) * 1000;

	if (g_cancellable_is_cancelled(collector->guest->cancellable))
		rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
	else if (deadline > 0 && now >= deadline)
		rig_error_set(error, RIG_ERROR_TIMEOUT, "the guest did not end in time");
	else if (now - collector->heard > silence)
		rig_error_set(error, RIG_ERROR_HANG, "the guest said nothing for %d s",
			      (int)(silence / G_USEC_PER_SEC));
	else
		return TRUE;
	return FALSE;
}

static gboolean collect(Collector *collector, gint64 deadline, GError **error)
{
	while (!collector->run->done) {
		g_autoptr(GError) over = NULL;
		gboolean watched = rig_guest_watch(collector->guest, &over);
		gboolean got;

		/* What it wrote before its end counts: so look at the end first, then read. */
		if (!read_more(collector, &got, error))
			return FALSE;
		if (collector->run->done)
			return TRUE;
		if (!watched && !got) {
			g_propagate_error(error, g_steal_pointer(&over));
			return FALSE;
		}
		if (!check_time(collector, deadline, error))
			return FALSE;
		g_usleep(LOOK_US);
	}
	return TRUE;
}

/* The read-back came with the run; a guest of another shape has measured something else. */
static gboolean check_shape(Collector *collector, GError **error)
{
	RigGuest *guest = collector->guest;

	if (!guest->shape)
		return TRUE;
	return rig_readback_check(collector->run->files, guest->shape, &guest->state->readback,
				  error);
}

RigRawRun *rig_guest_collect(RigGuest *guest, int timeout_ms, RigGuestPhaseFn phase, gpointer data,
			     GError **error)
{
	g_autofree char *path = rig_guest_state_file(guest->state, "debugcon.log");
	g_autofree char *console = rig_guest_console_path(guest);
	g_autoptr(GString) partial = g_string_new(NULL);
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	gint64 now = g_get_monotonic_time();
	Collector collector = {
		.guest = guest,
		.fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK),
		.partial = partial,
		.run = run,
		.heard = now,
		.phase = phase,
		.data = data,
	};
	double scale = rig_guest_time_scale(guest);
	gboolean ok;

	if (collector.fd < 0) {
		rig_error_set(error, RIG_ERROR_LOST, "%s: QEMU made no such file", path);
		return NULL;
	}
	ok = collect(&collector,
		     timeout_ms > 0 ? now + (gint64)((timeout_ms + 60000) * scale) * 1000 : 0,
		     error) &&
	     check_shape(&collector, error);
	close(collector.fd);
	if (!ok) {
		rig_guest_explain(guest, console, error);
		return NULL;
	}
	return g_steal_pointer(&run);
}
