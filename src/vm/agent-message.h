/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent-message.h - single requests and messages, for the files that make up agent.h.
 */
#pragma once

#include "vm/agent.h"

/* A request that has its id and op; add fields, then send. The id is what answers carry. */
typedef struct {
	RigJsonWriter *writer;
	gint64 id;
} RigAgentRequest;

RigAgentRequest rig_agent_begin(RigAgent *agent, const char *op);
/* Queue it. RIG_ERROR_USAGE when it is longer than a line may be. */
gboolean rig_agent_send(RigAgent *agent, RigAgentRequest *request,
			GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Queue a run of JOB (JSON); its id, or -1 with an error. */
gint64 rig_agent_send_job(RigAgent *agent, const char *job, GError **error);
/* Queue an input message for request TO: N bytes, or its end when N is 0. */
void rig_agent_send_input(RigAgent *agent, gint64 to, const void *data, gsize n);
/* TRUE while nothing waits to be sent. */
gboolean rig_agent_is_drained(const RigAgent *agent);

/* The next message whatever it is (rig_json_free); NULL with an error, or without one when INPUT_FD
 * (-1: none) can be read. DEADLINE 0: only the silence counts. */
RigJson *rig_agent_message(RigAgent *agent, int input_fd, gint64 deadline,
			   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The next message that answers ID; an answer of type "error" becomes an error. */
RigJson *rig_agent_answer(RigAgent *agent, gint64 id, int input_fd, gint64 deadline,
			  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* What a message is; "" when it does not say so. */
const char *rig_agent_type(RigJson *message);
/* RIG_ERROR_LOST: the agent broke the protocol, and how. Returns FALSE. */
gboolean rig_agent_violation(GError **error, const char *format, ...) G_GNUC_PRINTF(2, 3);
/* An answer of type "error" as an error of ours. Returns FALSE. */
gboolean rig_agent_fail(RigJson *message, GError **error);
/* Ask for the end of request ID's processes, without waiting long: we are about to leave. */
void rig_agent_abandon(RigAgent *agent, gint64 id);
