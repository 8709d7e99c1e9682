/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent.c - a session with a guest's agent, and the requests that are asked and answered in one go.
 */
#include "vm/agent-message.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "proto.h"

/* A hello is sent again after this long: the agent may not have had its port open yet. */
#define HELLO_AGAIN_MS 2000
/* What one request may take to be answered when nothing in the guest is slow. */
#define SIMPLE_MS 60000

struct RigAgent {
	RigChannel *channel;
	GCancellable *cancellable;
	int silence_ms;
	gint64 id; /* of the last request */
	char *session, *version, *release, *boot_id;
};

RigAgent *rig_agent_new(RigChannel *channel, int silence_ms, GCancellable *cancellable)
{
	RigAgent *agent = g_new0(RigAgent, 1);

	agent->channel = channel;
	agent->silence_ms = silence_ms;
	g_set_object(&agent->cancellable, cancellable);
	agent->session = g_strdup_printf("%08x%08x", g_random_int(), g_random_int());
	return agent;
}

void rig_agent_free(RigAgent *agent)
{
	if (!agent)
		return;
	rig_channel_free(agent->channel);
	g_clear_object(&agent->cancellable);
	g_free(agent->session);
	g_free(agent->version);
	g_free(agent->release);
	g_free(agent->boot_id);
	g_free(agent);
}

const char *rig_agent_version(const RigAgent *agent)
{
	return agent->version ? agent->version : "";
}

const char *rig_agent_release(const RigAgent *agent)
{
	return agent->release ? agent->release : "";
}

const char *rig_agent_boot_id(const RigAgent *agent)
{
	return agent->boot_id ? agent->boot_id : "";
}

gboolean rig_agent_violation(GError **error, const char *format, ...)
{
	g_autofree char *message = NULL;
	g_autofree char *safe = NULL;
	va_list args;

	va_start(args, format);
	message = g_strdup_vprintf(format, args);
	va_end(args);
	safe = rig_text_safe(message, MIN(strlen(message), 400));
	rig_error_set(error, RIG_ERROR_LOST, "the guest's agent broke the protocol: %s", safe);
	return FALSE;
}

RigAgentRequest rig_agent_begin(RigAgent *agent, const char *op)
{
	RigAgentRequest request = {.writer = rig_json_writer_new(), .id = ++agent->id};

	rig_json_open_object(request.writer, NULL);
	rig_json_add_int(request.writer, "id", request.id);
	rig_json_add_string(request.writer, "op", op);
	return request;
}

gboolean rig_agent_send(RigAgent *agent, RigAgentRequest *request, GError **error)
{
	g_autofree char *text = NULL;

	rig_json_close_object(request->writer);
	text = rig_json_writer_text(request->writer, FALSE);
	g_clear_pointer(&request->writer, rig_json_writer_free);
	if (strlen(text) >= RIG_LINE_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "the request to the guest is %zu bytes long, above the %d of a line",
			      strlen(text), RIG_LINE_MAX - 1);
		return FALSE;
	}
	rig_channel_queue(agent->channel, text);
	return TRUE;
}

void rig_agent_send_input(RigAgent *agent, gint64 to, const void *data, gsize n)
{
	g_autofree char *base64 = n > 0 ? g_base64_encode(data, n) : NULL;
	g_autofree char *text = NULL;

	agent->id++;
	if (base64)
		text = g_strdup_printf("{\"id\": %" G_GINT64_FORMAT
				       ", \"op\": \"input\", \"to\": %" G_GINT64_FORMAT
				       ", \"data\": \"%s\"}",
				       agent->id, to, base64);
	else
		text = g_strdup_printf("{\"id\": %" G_GINT64_FORMAT
				       ", \"op\": \"input\", \"to\": %" G_GINT64_FORMAT
				       ", \"eof\": true}",
				       agent->id, to);
	rig_channel_queue(agent->channel, text);
}

gboolean rig_agent_is_closed(const RigAgent *agent)
{
	return rig_channel_is_closed(agent->channel);
}

gboolean rig_agent_is_drained(const RigAgent *agent)
{
	return rig_channel_queued(agent->channel) == 0;
}

const char *rig_agent_type(RigJson *message)
{
	const char *type = rig_json_string(message, "type", RIG_JSON_OPTIONAL);

	return type ? type : "";
}

static RigJson *parse(const char *line, gsize length, GError **error)
{
	g_autoptr(GError) reason = NULL;
	RigJson *message = rig_json_parse("message", line, (gssize)length, &reason);

	if (!message) {
		rig_agent_violation(error, "%s", reason->message);
		return NULL;
	}
	if (!rig_json_is_object(message)) {
		rig_json_free(message);
		rig_agent_violation(error, "a message is no object");
		return NULL;
	}
	return message;
}

/* The time is over: a deadline of the caller's, or nothing was heard for too long. */
static void set_expired(const RigAgent *agent, gboolean deadline, GError **error)
{
	if (deadline)
		rig_error_set(error, RIG_ERROR_TIMEOUT, "the guest did not answer in time");
	else
		rig_error_set(error, RIG_ERROR_HANG, "the guest said nothing for %d s",
			      agent->silence_ms / 1000);
}

RigJson *rig_agent_message(RigAgent *agent, int input_fd, gint64 deadline, GError **error)
{
	gint64 silence = g_get_monotonic_time() + (gint64)agent->silence_ms * 1000;
	gboolean first = deadline > 0 && deadline < silence;
	const char *line;
	gsize length;

	for (;;) {
		switch (rig_channel_next(agent->channel, input_fd, first ? deadline : silence,
					 agent->cancellable, &line, &length, error)) {
		case RIG_CHANNEL_LINE:
			if (length > 0)
				return parse(line, length, error);
			break;
		case RIG_CHANNEL_EXPIRED:
			set_expired(agent, first, error);
			return NULL;
		default: /* failed with an error, or input */
			return NULL;
		}
	}
}

gboolean rig_agent_fail(RigJson *message, GError **error)
{
	static const struct {
		const char *word;
		RigErrorCode code;
	} codes[] = {{"busy", RIG_ERROR_HOST},
		     {"no-file", RIG_ERROR_USAGE},
		     {"no-program", RIG_ERROR_NO_PROGRAM},
		     {"not-executable", RIG_ERROR_NOT_EXECUTABLE},
		     {"bad-request", RIG_ERROR_LOST},
		     {"too-big", RIG_ERROR_USAGE}};
	const char *word = rig_json_string(message, "code", RIG_JSON_OPTIONAL);
	const char *text = rig_json_string(message, "message", RIG_JSON_OPTIONAL);
	g_autofree char *safe = rig_text_safe(text ? text : "no message", -1);
	RigErrorCode code = RIG_ERROR_FAILED;

	for (guint i = 0; i < G_N_ELEMENTS(codes); i++)
		if (g_strcmp0(word, codes[i].word) == 0)
			code = codes[i].code;
	rig_error_set(error, code, "in the guest: %.1000s", safe);
	return FALSE;
}

RigJson *rig_agent_answer(RigAgent *agent, gint64 id, int input_fd, gint64 deadline, GError **error)
{
	for (;;) {
		RigJson *message = rig_agent_message(agent, input_fd, deadline, error);

		if (!message)
			return NULL;
		if (rig_json_int(message, "id", RIG_JSON_OPTIONAL, 0, G_MAXINT64, 0) == id) {
			if (strcmp(rig_agent_type(message), "error") != 0)
				return message;
			(void)rig_agent_fail(message, error);
			rig_json_free(message);
			return NULL;
		}
		rig_json_free(message);
	}
}

void rig_agent_abandon(RigAgent *agent, gint64 id)
{
	RigAgentRequest request = rig_agent_begin(agent, "kill");

	rig_json_add_int(request.writer, "to", id);
	rig_json_add_int(request.writer, "signal", 9);
	if (rig_agent_send(agent, &request, NULL))
		(void)!rig_channel_flush(agent->channel,
					 g_get_monotonic_time() + 200 * G_TIME_SPAN_MILLISECOND,
					 NULL, NULL);
}

/* Hello. */

static gboolean send_hello(RigAgent *agent, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, "hello");

	rig_json_add_string(request.writer, "session", agent->session);
	rig_channel_queue(agent->channel, "");
	return rig_agent_send(agent, &request, error);
}

static char *copy_safe(RigJson *message, const char *key)
{
	const char *text = rig_json_string(message, key, RIG_JSON_OPTIONAL);

	return text ? rig_text_safe(text, (gssize)MIN(strlen(text), 200)) : g_strdup("");
}

static gboolean take_hello(RigAgent *agent, RigJson *message, GError **error)
{
	gint64 protocol = rig_json_int(message, "protocol", RIG_JSON_REQUIRED, 0, G_MAXINT, 0);

	if (protocol != RIG_PROTOCOL) {
		rig_error_set_hint(error, RIG_ERROR_BOOT, "build the image again: rig image build",
				   "the guest's agent speaks protocol %d, not %d", (int)protocol,
				   RIG_PROTOCOL);
		return FALSE;
	}
	g_free(agent->version);
	g_free(agent->release);
	g_free(agent->boot_id);
	agent->version = copy_safe(message, "agent");
	agent->release = copy_safe(message, "release");
	agent->boot_id = copy_safe(message, "boot_id");
	return TRUE;
}

/* TRUE if LINE is the hello of this session; anything else may be left from an earlier one. */
static RigJson *parse_hello(const RigAgent *agent, const char *line, gsize length)
{
	g_autoptr(RigJson) message = parse(line, length, NULL);

	if (!message || strcmp(rig_agent_type(message), "hello") != 0 ||
	    g_strcmp0(rig_json_string(message, "session", RIG_JSON_OPTIONAL), agent->session) != 0)
		return NULL;
	return g_steal_pointer(&message);
}

gboolean rig_agent_hello(RigAgent *agent, gint64 deadline, GError **error)
{
	gint64 again = 0;

	for (;;) {
		gint64 now = g_get_monotonic_time();
		g_autoptr(RigJson) message = NULL;
		const char *line;
		gsize length;

		if (now >= deadline) {
			set_expired(agent, TRUE, error);
			return FALSE;
		}
		if (now >= again && rig_agent_is_drained(agent)) {
			if (!send_hello(agent, error))
				return FALSE;
			again = now + HELLO_AGAIN_MS * G_TIME_SPAN_MILLISECOND;
		}
		switch (rig_channel_next(agent->channel, -1, MIN(deadline, MAX(again, now + 1000)),
					 agent->cancellable, &line, &length, error)) {
		case RIG_CHANNEL_FAILED:
			return FALSE;
		case RIG_CHANNEL_LINE:
			message = parse_hello(agent, line, length);
			if (message)
				return take_hello(agent, message, error);
			break;
		default:
			break;
		}
	}
}

/* Requests that are asked and answered. */

static gboolean ask_ok(RigAgent *agent, const char *op, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, op);
	g_autoptr(RigJson) answer = NULL;

	if (!rig_agent_send(agent, &request, error))
		return FALSE;
	answer = rig_agent_answer(agent, request.id, -1,
				  g_get_monotonic_time() + SIMPLE_MS * G_TIME_SPAN_MILLISECOND,
				  error);
	if (!answer)
		return FALSE;
	if (strcmp(rig_agent_type(answer), "ok") != 0)
		return rig_agent_violation(error, "%s is answered by \"%s\"", op,
					   rig_agent_type(answer));
	return TRUE;
}

gboolean rig_agent_sync(RigAgent *agent, GError **error)
{
	return ask_ok(agent, "sync", error);
}

gboolean rig_agent_poweroff(RigAgent *agent, GError **error)
{
	return ask_ok(agent, "poweroff", error);
}

GPtrArray *rig_agent_read(RigAgent *agent, const char *const *patterns, GError **error)
{
	RigAgentRequest request = rig_agent_begin(agent, "read");
	gint64 deadline = g_get_monotonic_time() + SIMPLE_MS * G_TIME_SPAN_MILLISECOND;
	g_autoptr(RigRawRun) files = rig_raw_run_new();

	rig_json_add_strings(request.writer, "paths", patterns);
	if (!rig_agent_send(agent, &request, error))
		return NULL;
	for (;;) {
		g_autoptr(RigJson) message =
			rig_agent_answer(agent, request.id, -1, deadline, error);

		if (!message)
			return NULL;
		if (strcmp(rig_agent_type(message), "ok") == 0)
			return g_ptr_array_ref(files->files);
		if (!rig_raw_run_feed(files, message, error))
			return NULL;
	}
}

gint64 rig_agent_send_job(RigAgent *agent, const char *job, GError **error)
{
	g_autofree char *text = NULL;

	text = g_strdup_printf("{\"id\": %" G_GINT64_FORMAT ", \"op\": \"run\", \"job\": %s}",
			       ++agent->id, job);
	if (strchr(text, '\n') || strlen(text) >= RIG_LINE_MAX) {
		rig_error_set(error, RIG_ERROR_USAGE,
			      "the job does not fit into one line of %d bytes", RIG_LINE_MAX);
		return -1;
	}
	rig_channel_queue(agent->channel, text);
	return agent->id;
}
