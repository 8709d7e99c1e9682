/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * request.c - takes a request apart and hands it to the part that serves it.
 */
#include "request.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void serve_hello(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	const char *session = json_string_value(json_object_get(request, "session"));

	if (!session || !*session || strlen(session) > RIG_SESSION_MAX) {
		rig_agent_error(agent, id, "bad-request", "hello needs a session of 1 to %d bytes",
				RIG_SESSION_MAX);
		return;
	}
	rig_agent_end_session(agent);
	rig_channel_forget(&agent->channel);
	rig_agent_hello(agent, id, session);
}

static void serve_ping(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	rig_agent_ok(agent, id);
}

static void serve_sync(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	sync();
	rig_agent_ok(agent, id);
}

static void serve_poweroff(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	rig_agent_ok(agent, id);
	agent->quit = true;
}

static bool is_current(const struct rig_agent *agent, const json_t *request)
{
	json_int_t to = json_integer_value(json_object_get(request, "to"));

	return agent->work && to > 0 && agent->work->id == (uint64_t)to;
}

/* Ends the receiver too: what it has got by now is not what was sent. */
static void refuse_input(struct rig_agent *agent)
{
	uint64_t id = agent->work->id;

	agent->work->ops->abort(agent->work);
	agent->work = NULL;
	rig_agent_error(agent, id, "bad-request", "input data is not base64");
}

/* Has no answer, and may well come for a program that has ended meanwhile. */
static void serve_input(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	const json_t *data = json_object_get(request, "data");
	bool eof = json_is_true(json_object_get(request, "eof"));
	char *bytes;
	ssize_t size;

	if (!is_current(agent, request) || !agent->work->ops->input)
		return;
	bytes = malloc(json_string_length(data) + 1);
	size = bytes ? rig_message_decode(json_string_value(data), json_string_length(data), bytes)
		     : -1;
	if (size < 0 || (data && !json_is_string(data)))
		refuse_input(agent);
	else
		agent->work->ops->input(agent->work, bytes, size, eof);
	free(bytes);
}

static void serve_kill(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	const json_t *field = json_object_get(request, "signal");
	json_int_t number = field ? json_integer_value(field) : SIGTERM;

	if (number < 1 || number > 64) {
		rig_agent_error(agent, id, "bad-request", "signal must be a number of 1 to 64");
		return;
	}
	if (is_current(agent, request) && agent->work->ops->kill)
		agent->work->ops->kill(agent->work, number);
	rig_agent_ok(agent, id);
}

static const struct {
	const char *op;
	bool alone; /* one of those of which there may be only one */
	void (*serve)(struct rig_agent *agent, uint64_t id, const json_t *request);
} operations[] = {
	{"hello", false, serve_hello},	     {"ping", false, serve_ping},
	{"read", false, rig_read_request},   {"exec", true, rig_exec_request},
	{"input", false, serve_input},	     {"kill", false, serve_kill},
	{"put", true, rig_put_request},	     {"get", false, rig_get_request},
	{"run", true, rig_run_request},	     {"sync", false, serve_sync},
	{"poweroff", false, serve_poweroff},
};

static void dispatch(struct rig_agent *agent, uint64_t id, const char *op, const json_t *request)
{
	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		if (strcmp(operations[i].op, op))
			continue;
		if (operations[i].alone && agent->work)
			rig_agent_error(agent, id, "busy", "request %llu is under way",
					(unsigned long long)agent->work->id);
		else
			operations[i].serve(agent, id, request);
		return;
	}
	rig_agent_error(agent, id, "bad-request", "unknown op '%.64s'", op);
}

void rig_request_serve(struct rig_agent *agent, const char *line, size_t len)
{
	json_t *request = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
	json_int_t id = json_integer_value(json_object_get(request, "id"));
	const char *op = json_string_value(json_object_get(request, "op"));

	/* Input has no answer, so it needs no id. */
	if (op && id == 0 && !strcmp(op, "input"))
		id = 1;
	if (!json_is_object(request))
		rig_agent_error(agent, 0, "bad-request", "not a JSON object");
	else if (id < 1)
		rig_agent_error(agent, 0, "bad-request", "id must be a positive number");
	else if (!op)
		rig_agent_error(agent, id, "bad-request", "op must be a string");
	else
		dispatch(agent, id, op, request);
	json_decref(request);
}
