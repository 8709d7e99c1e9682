/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent-stream.c - requests whose answer is a stream: a command's output, a file, a run.
 */
#include "vm/agent-message.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "proto.h"

static gboolean write_all(int fd, const guchar *data, gsize length, GError **error)
{
	while (length > 0) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "write",
					    "what came from the guest");
			return FALSE;
		}
		data += n;
		length -= (gsize)n;
	}
	return TRUE;
}

static gboolean write_payload(RigJson *message, int fd, GError **error)
{
	const char *base64 = rig_json_string(message, "data", RIG_JSON_REQUIRED);
	g_autofree guchar *bytes = NULL;
	gsize length;

	if (!base64)
		return rig_agent_violation(error, "a data message without data");
	bytes = g_base64_decode(base64, &length);
	if (length > RIG_CHUNK_MAX)
		return rig_agent_violation(error, "%zu bytes in one message", length);
	return write_all(fd, bytes, length, error);
}

/* INPUT_FD has something, or is at its end: then it becomes -1. */
static gboolean forward_input(RigAgent *agent, gint64 id, int *input_fd, GError **error)
{
	char buffer[RIG_CHUNK_MAX];
	ssize_t n = read(*input_fd, buffer, sizeof(buffer));

	if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return TRUE;
	if (n < 0) {
		rig_error_set_errno(error, RIG_ERROR_FAILED, errno, "read",
				    "what is to go to the guest");
		return FALSE;
	}
	rig_agent_send_input(agent, id, buffer, (gsize)n);
	if (n == 0)
		*input_fd = -1;
	return TRUE;
}

static int exit_code(RigJson *message)
{
	gint64 signal = rig_json_int(message, "signal", RIG_JSON_OPTIONAL, 0, 64, 0);

	if (rig_json_bool(message, "timeout", RIG_JSON_OPTIONAL, FALSE))
		return RIG_ERROR_TIMEOUT;
	if (signal > 0)
		return 128 + (int)signal;
	return (int)rig_json_int(message, "code", RIG_JSON_OPTIONAL, 0, 255, 255);
}

/* One message of an exec; *OVER when it was the last. */
static gboolean take_exec(RigJson *message, int out_fd, int err_fd, int *code, gboolean *over,
			  GError **error)
{
	const char *type = rig_agent_type(message);
	const char *stream;

	if (strcmp(type, "exit") == 0) {
		*code = exit_code(message);
		*over = TRUE;
		return TRUE;
	}
	if (strcmp(type, "data") != 0)
		return rig_agent_violation(error, "exec is answered by \"%s\"", type);
	stream = rig_json_string(message, "stream", RIG_JSON_OPTIONAL);
	return write_payload(message, g_strcmp0(stream, "err") == 0 ? err_fd : out_fd, error);
}

/* Move both ways until the request is over. */
static gboolean pump_exec(RigAgent *agent, gint64 id, int in_fd, int out_fd, int err_fd, int *code,
			  GError **error)
{
	gboolean over = FALSE;

	while (!over) {
		g_autoptr(GError) reason = NULL;
		g_autoptr(RigJson) message = rig_agent_answer(agent, id, in_fd, 0, &reason);

		if (reason) {
			g_propagate_error(error, g_steal_pointer(&reason));
			return FALSE;
		}
		if (message ? !take_exec(message, out_fd, err_fd, code, &over, error)
			    : !forward_input(agent, id, &in_fd, error))
			return FALSE;
	}
	return TRUE;
}

gboolean rig_agent_exec(RigAgent *agent, const char *const *argv, int in_fd, int out_fd, int err_fd,
			int *code, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, "exec");

	rig_json_add_strings(request.writer, "argv", argv);
	rig_json_add_bool(request.writer, "stdin", in_fd >= 0);
	if (!rig_agent_send(agent, &request, error))
		return FALSE;
	if (pump_exec(agent, request.id, in_fd, out_fd, err_fd, code, error))
		return TRUE;
	rig_agent_abandon(agent, request.id);
	return FALSE;
}

static gboolean take_put_answer(RigAgent *agent, gint64 id, int *in_fd, gboolean *over,
				GError **error)
{
	g_autoptr(GError) reason = NULL;
	g_autoptr(RigJson) message = rig_agent_answer(agent, id, *in_fd, 0, &reason);

	if (reason) {
		g_propagate_error(error, g_steal_pointer(&reason));
		return FALSE;
	}
	if (!message)
		return forward_input(agent, id, in_fd, error);
	if (strcmp(rig_agent_type(message), "ok") != 0)
		return rig_agent_violation(error, "put is answered by \"%s\"",
					   rig_agent_type(message));
	*over = TRUE;
	return TRUE;
}

gboolean rig_agent_put(RigAgent *agent, int in_fd, const char *path, int mode, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, "put");
	gboolean over = FALSE;

	rig_json_add_string(request.writer, "path", path);
	rig_json_add_int(request.writer, "mode", mode);
	if (!rig_agent_send(agent, &request, error))
		return FALSE;
	while (!over)
		if (!take_put_answer(agent, request.id, &in_fd, &over, error))
			return FALSE;
	return TRUE;
}

gboolean rig_agent_get(RigAgent *agent, const char *path, int out_fd, int *mode, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, "get");

	rig_json_add_string(request.writer, "path", path);
	if (!rig_agent_send(agent, &request, error))
		return FALSE;
	for (;;) {
		g_autoptr(RigJson) message = rig_agent_answer(agent, request.id, -1, 0, error);

		if (!message)
			return FALSE;
		if (strcmp(rig_agent_type(message), "ok") == 0) {
			if (mode)
				*mode = (int)rig_json_int(message, "mode", RIG_JSON_OPTIONAL, 0,
							  07777, 0644);
			return TRUE;
		}
		if (strcmp(rig_agent_type(message), "data") != 0)
			return rig_agent_violation(error, "get is answered by \"%s\"",
						   rig_agent_type(message));
		if (!write_payload(message, out_fd, error))
			return FALSE;
	}
}

static void announce(RigJson *message, RigAgentPhase phase, gpointer data)
{
	const char *type = rig_agent_type(message);
	const char *name;
	g_autofree char *safe = NULL;

	if (!phase || (strcmp(type, "phase") != 0 && strcmp(type, "heartbeat") != 0))
		return;
	name = rig_json_string(message, "phase", RIG_JSON_OPTIONAL);
	safe = rig_text_safe(name ? name : "", (gssize)MIN(strlen(name ? name : ""), 64));
	phase(safe, data);
}

/* Heartbeats carry no id; everything else of another request is old. */
static gboolean belongs(RigJson *message, gint64 id)
{
	return strcmp(rig_agent_type(message), "heartbeat") == 0 ||
	       rig_json_int(message, "id", RIG_JSON_OPTIONAL, 0, G_MAXINT64, 0) == id;
}

static gboolean take_run(RigJson *message, gint64 id, RigRawRun *run, RigAgentPhase phase,
			 gpointer data, GError **error)
{
	if (!belongs(message, id))
		return TRUE;
	if (strcmp(rig_agent_type(message), "error") == 0)
		return rig_agent_fail(message, error);
	announce(message, phase, data);
	return rig_raw_run_feed(run, message, error);
}

gboolean rig_agent_run(RigAgent *agent, const char *job, RigRawRun *run, gint64 deadline,
		       RigAgentPhase phase, gpointer data, GError **error)
{
	gint64 id = rig_agent_send_job(agent, job, error);

	if (id < 0)
		return FALSE;
	while (!run->done) {
		g_autoptr(RigJson) message = rig_agent_message(agent, -1, deadline, error);

		if (message && take_run(message, id, run, phase, data, error))
			continue;
		/* The guest may stay, the job must not. */
		rig_agent_abandon(agent, id);
		return FALSE;
	}
	return TRUE;
}
