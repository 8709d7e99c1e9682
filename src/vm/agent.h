/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent.h - rig's side of docs/protocol.md: ask a guest's agent, take its answers.
 *
 * The agent is not trusted: messages that are too long, malformed or out of turn are
 * RIG_ERROR_LOST, and the connection is of no use after that.
 */
#pragma once

#include "model/raw.h"
#include "vm/channel.h"

typedef struct RigAgent RigAgent;

/* Over CHANNEL, which it takes. SILENCE_MS: how long the agent may say nothing at all (it sends
 * heartbeats) before it counts as hung. */
RigAgent *rig_agent_new(RigChannel *channel, int silence_ms, GCancellable *cancellable);
void rig_agent_free(RigAgent *agent);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(RigAgent, rig_agent_free)

/* Begin a session: ends whatever half line and whatever job an earlier rig left. Ignores everything
 * until the answer with the session's own number; waits for it until DEADLINE (monotonic time),
 * then RIG_ERROR_TIMEOUT. Another protocol version is RIG_ERROR_BOOT. */
gboolean rig_agent_hello(RigAgent *agent, gint64 deadline,
			 GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* TRUE once QEMU has closed the channel. */
gboolean rig_agent_is_closed(const RigAgent *agent);
/* From the hello, made safe; "" before it. */
const char *rig_agent_version(const RigAgent *agent);
const char *rig_agent_release(const RigAgent *agent);
const char *rig_agent_boot_id(const RigAgent *agent);

/* Read files (glob patterns): RigRawFile*. */
GPtrArray *rig_agent_read(RigAgent *agent, const char *const *patterns,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Run ARGV with stdin from IN_FD (-1: none) and output to OUT_FD and ERR_FD. CODE: exit code, or
 * 128 + signal. Interrupted: the command is killed in the guest. */
gboolean rig_agent_exec(RigAgent *agent, const char *const *argv, int in_fd, int out_fd, int err_fd,
			int *code, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Copy from IN_FD until its end to PATH in the guest, and from PATH in the guest to OUT_FD. MODE
 * may be NULL. */
gboolean rig_agent_put(RigAgent *agent, int in_fd, const char *path, int mode,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_agent_get(RigAgent *agent, const char *path, int out_fd, int *mode,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Run a job and feed all of its messages to RUN until it is done. DEADLINE 0: as long as heartbeats
 * come. PHASE (may be NULL) is called at marks and heartbeats. */
typedef void (*RigAgentPhase)(const char *phase, gpointer data);
gboolean rig_agent_run(RigAgent *agent, const char *job, RigRawRun *run, gint64 deadline,
		       RigAgentPhase phase, gpointer data,
		       GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Write back what the guest has in memory, and go off. The end of the channel is the answer to the
 * second. */
gboolean rig_agent_sync(RigAgent *agent, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean rig_agent_poweroff(RigAgent *agent, GError **error) G_GNUC_WARN_UNUSED_RESULT;
