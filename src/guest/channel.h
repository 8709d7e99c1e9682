/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * channel.h - the byte channel between agent and rig: a virtio-serial port, a socket, or an
 * output-only I/O port.
 *
 * Sending never blocks: lines are queued and written when the other side takes them. Nobody may
 * be there at all, for any length of time.
 */
#pragma once

#include "../proto.h"
#include "loop.h"

#include <stdbool.h>
#include <stddef.h>

/* Bulk senders (files, results, output of programs) wait while more than this is queued. */
#define RIG_CHANNEL_ROOM (256 * 1024)

/* No request is taken while more than this is queued. */
#define RIG_CHANNEL_HOLD (1024 * 1024)

enum rig_channel_kind {
	RIG_CHANNEL_VIRTIO,
	RIG_CHANNEL_SOCKET,
	RIG_CHANNEL_DEBUGCON,
};

struct rig_channel_events {
	/* A line without its newline, ended by NUL; never empty. */
	void (*line)(void *owner, char *line, size_t len);
	/* A line longer than RIG_LINE_MAX was thrown away. */
	void (*too_long)(void *owner);
	/* The peer went away. A virtio-serial port may find a new one later; a socket does not. */
	void (*gone)(void *owner);
	/* Whether the next line must wait. */
	bool (*hold)(void *owner);
};

struct rig_channel {
	enum rig_channel_kind kind;
	struct rig_loop *loop;
	struct rig_watch watch;
	const struct rig_channel_events *events;
	void *owner;

	char in[RIG_LINE_MAX];
	size_t in_len;
	bool skipping; /* inside a line that is too long */
	bool held;     /* there may be input that was not looked at */

	char *out;
	size_t out_start, out_len, out_size;
	bool mid_line; /* the last byte written was not a newline */
};

/* Opens the port that the guest's kernel knows as `name`. Returns 0, -ENOENT while there is no
 * such port yet, or -errno. `events` and `owner` stay the caller's. */
int rig_channel_open_virtio(struct rig_channel *channel, struct rig_loop *loop, const char *name,
			    const struct rig_channel_events *events, void *owner);

/* Listens at `path` and waits, without limit, for one connection. Returns 0 or -errno. */
int rig_channel_open_socket(struct rig_channel *channel, struct rig_loop *loop, const char *path,
			    const struct rig_channel_events *events, void *owner);

/* Gets access to the I/O port. Needs to be root, on x86. Returns 0 or -errno. */
int rig_channel_open_debugcon(struct rig_channel *channel);

/* Queues one whole line. Lines are lost only when there is no memory. */
void rig_channel_send(struct rig_channel *channel, const char *line, size_t len);

/* Writes what the peer takes at once. */
void rig_channel_flush(struct rig_channel *channel);

/* Forgets what is queued, which was meant for an earlier session. */
void rig_channel_forget(struct rig_channel *channel);

bool rig_channel_has_room(const struct rig_channel *channel);
bool rig_channel_is_empty(const struct rig_channel *channel);

/* Closes the channel and frees the queue. */
void rig_channel_close(struct rig_channel *channel);

/* Looks at input that was held back, once `hold` has become false. */
void rig_channel_resume(struct rig_channel *channel);
