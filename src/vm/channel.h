/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * channel.h - lines over a unix socket to a peer that is not trusted.
 *
 * Bounded in both directions, never blocks longer than told, ends at once when cancelled. Reads
 * while it writes, so two full pipes cannot lock each other up.
 */
#pragma once

#include <gio/gio.h>

typedef struct RigChannel RigChannel;

/* Connect to the socket at PATH. A socket that is not there yet or that nobody serves is
 * RIG_ERROR_LOST; try again then. */
RigChannel *rig_channel_connect(const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Over FD, which it takes. */
RigChannel *rig_channel_new(int fd);
void rig_channel_free(RigChannel *channel);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigChannel, rig_channel_free)

/* Called about four times a second during every wait; FALSE with an error ends the wait. For what a
 * socket does not tell: a panic on the console, a QEMU that is gone. */
typedef gboolean (*RigChannelWatch)(gpointer data, GError **error);
void rig_channel_set_watch(RigChannel *channel, RigChannelWatch watch, gpointer data);

/* Put TEXT and a newline into the queue; rig_channel_next() sends it. Longer than RIG_LINE_MAX is a
 * mistake of the caller. */
void rig_channel_queue(RigChannel *channel, const char *text);
/* Bytes that wait to be sent. */
gsize rig_channel_queued(const RigChannel *channel);
/* TRUE once the peer has closed its end. */
gboolean rig_channel_is_closed(const RigChannel *channel);

typedef enum {
	RIG_CHANNEL_FAILED,  /* with an error */
	RIG_CHANNEL_LINE,    /* a line came */
	RIG_CHANNEL_INPUT,   /* INPUT_FD can be read */
	RIG_CHANNEL_EXPIRED, /* the time is over */
} RigChannelEvent;

/* Send what is queued and wait for the next line, for INPUT_FD (-1: none) to become readable while
 * the queue is empty, or for DEADLINE (g_get_monotonic_time(); 0: none). LINE (without newline, NUL
 * terminated) is valid until the next call. Failures: RIG_ERROR_LOST when the peer is gone or a
 * line is too long, RIG_ERROR_INTERRUPTED, whatever the watch says. */
RigChannelEvent rig_channel_next(RigChannel *channel, int input_fd, gint64 deadline,
				 GCancellable *cancellable, const char **line, gsize *length,
				 GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Only send what is queued, until DEADLINE. */
gboolean rig_channel_flush(RigChannel *channel, gint64 deadline, GCancellable *cancellable,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
