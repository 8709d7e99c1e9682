/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent.h - what the parts of the agent share: the channel with its answers, the one piece of
 * work that may be under way, and senders of bulk data.
 */
#pragma once

#include "channel.h"
#include "loop.h"
#include "message.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#define RIG_SESSION_MAX 128

/* Bulk senders at a time; one more is answered by "busy". */
#define RIG_PRODUCERS_MAX 16

struct rig_agent;
struct rig_work;

/* What an exec, a put or a run does when something happens. Any may be NULL. */
struct rig_work_ops {
	/* An `input` request for it; `data` is decoded, `eof` ends it. */
	void (*input)(struct rig_work *work, const void *data, size_t size, bool eof);
	/* A `kill` request for it. */
	void (*kill)(struct rig_work *work, int signal);
	/* A child of the agent was reaped; it may be the work's own (`status` as of waitpid). */
	void (*reaped)(struct rig_work *work, pid_t pid, int status);
	/* The channel has room again. */
	void (*resume)(struct rig_work *work);
	/* Whether requests must wait, because input was not used up yet. */
	bool (*hold)(struct rig_work *work);
	/* The peer is gone: nothing more will come in. */
	void (*gone)(struct rig_work *work);
	/* Stop without an answer, free everything. */
	void (*abort)(struct rig_work *work);
	/* The current phase for heartbeats, or NULL. */
	const char *(*phase)(struct rig_work *work);
};

/* The one exec, put or run that is under way. First member of its owner's structure. */
struct rig_work {
	uint64_t id;
	const struct rig_work_ops *ops;
};

/* Something that sends many messages, one a call, when the channel has room. First member of its
 * owner's structure, or reached through it. */
struct rig_producer {
	struct rig_producer *next;
	/* Sends one message. False when it was the last one; then the owner has freed itself. */
	bool (*pump)(struct rig_agent *agent, struct rig_producer *producer);
	/* Ends early, without an answer: frees what the producer owns. */
	void (*drop)(struct rig_producer *producer);
};

struct rig_agent {
	struct rig_loop loop;
	struct rig_channel channel;
	struct rig_message message;
	struct rig_work *work;
	struct rig_producer *producers;
	size_t producer_count;
	struct rig_watch signals;
	struct rig_watch heartbeat;
	bool greeted; /* a hello was sent: somebody hears heartbeats */
	bool pid1;
	bool quit;		   /* leave the loop: power off as process 1, exit otherwise */
	struct rlimit child_files; /* RLIMIT_NOFILE as children get it */
};

/* Starts an answer in agent->message; rig_agent_send() ends and queues it. */
void rig_agent_begin(struct rig_agent *agent, const char *type, uint64_t id);
void rig_agent_send(struct rig_agent *agent);

void rig_agent_ok(struct rig_agent *agent, uint64_t id);

/* Sends an error answer; `code` is one of those of docs/protocol.md. */
__attribute__((format(printf, 4, 5))) void
rig_agent_error(struct rig_agent *agent, uint64_t id, const char *code, const char *format, ...);

/* Sends the end of a program as `type` "exit"; rig_agent_add_status() adds the same fields to a
 * message that was begun. */
void rig_agent_exit(struct rig_agent *agent, uint64_t id, int status, bool timed_out);
void rig_agent_add_status(struct rig_agent *agent, int status, bool timed_out);

/* Sends one chunk of a program's output, at most RIG_CHUNK_MAX bytes. */
void rig_agent_stream(struct rig_agent *agent, uint64_t id, const char *stream, const void *data,
		      size_t size);

/* Takes over a producer, which is pumped from the loop from now on. False, and nothing taken,
 * when there are too many. */
bool rig_agent_produce(struct rig_agent *agent, struct rig_producer *producer);

/* Pumps each producer once if there is room. True when more could be sent at once. */
bool rig_agent_pump(struct rig_agent *agent);

/* Ends whatever a session left running, without answers. */
void rig_agent_end_session(struct rig_agent *agent);

/* One heartbeat, unless the peer does not take what is sent. */
void rig_agent_beat(struct rig_agent *agent);

/* Sends the hello message for request `id`, which echoes the session's name. */
void rig_agent_hello(struct rig_agent *agent, uint64_t id, const char *session);
