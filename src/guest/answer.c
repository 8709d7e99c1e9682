/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * answer.c - the answers that every part of the agent sends, and the pump of bulk senders.
 */
#include "agent.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

void rig_agent_begin(struct rig_agent *agent, const char *type, uint64_t id)
{
	rig_message_begin(&agent->message, type);
	rig_message_number(&agent->message, "id", id);
}

void rig_agent_send(struct rig_agent *agent)
{
	size_t len = rig_message_end(&agent->message);

	if (len)
		rig_channel_send(&agent->channel, agent->message.line, len);
}

void rig_agent_ok(struct rig_agent *agent, uint64_t id)
{
	rig_agent_begin(agent, "ok", id);
	rig_agent_send(agent);
}

void rig_agent_error(struct rig_agent *agent, uint64_t id, const char *code, const char *format,
		     ...)
{
	char text[1024];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	rig_agent_begin(agent, "error", id);
	rig_message_text(&agent->message, "code", code);
	rig_message_text(&agent->message, "message", text);
	rig_agent_send(agent);
}

void rig_agent_add_status(struct rig_agent *agent, int status, bool timed_out)
{
	if (timed_out)
		rig_message_flag(&agent->message, "timeout", true);
	else if (WIFSIGNALED(status))
		rig_message_number(&agent->message, "signal", WTERMSIG(status));
	else
		rig_message_number(&agent->message, "code", WEXITSTATUS(status));
}

void rig_agent_exit(struct rig_agent *agent, uint64_t id, int status, bool timed_out)
{
	rig_agent_begin(agent, "exit", id);
	rig_agent_add_status(agent, status, timed_out);
	rig_agent_send(agent);
}

void rig_agent_stream(struct rig_agent *agent, uint64_t id, const char *stream, const void *data,
		      size_t size)
{
	rig_agent_begin(agent, "data", id);
	rig_message_text(&agent->message, "stream", stream);
	rig_message_base64(&agent->message, "data", data, size);
	rig_agent_send(agent);
}

bool rig_agent_produce(struct rig_agent *agent, struct rig_producer *producer)
{
	struct rig_producer **tail = &agent->producers;

	if (agent->producer_count >= RIG_PRODUCERS_MAX)
		return false;
	while (*tail)
		tail = &(*tail)->next;
	producer->next = NULL;
	*tail = producer;
	agent->producer_count++;
	return true;
}

bool rig_agent_pump(struct rig_agent *agent)
{
	struct rig_producer **link = &agent->producers;

	while (*link && rig_channel_has_room(&agent->channel)) {
		struct rig_producer *producer = *link, *next = producer->next;

		if (producer->pump(agent, producer)) {
			link = &producer->next;
			continue;
		}
		*link = next;
		agent->producer_count--;
	}
	return agent->producers && rig_channel_has_room(&agent->channel);
}

void rig_agent_end_session(struct rig_agent *agent)
{
	while (agent->producers) {
		struct rig_producer *producer = agent->producers;

		agent->producers = producer->next;
		producer->drop(producer);
	}
	agent->producer_count = 0;
	if (agent->work)
		agent->work->ops->abort(agent->work);
	agent->work = NULL;
}

void rig_agent_beat(struct rig_agent *agent)
{
	struct rig_work *work = agent->work;
	const char *phase = work && work->ops->phase ? work->ops->phase(work) : NULL;

	if (!rig_channel_has_room(&agent->channel))
		return;
	rig_message_begin(&agent->message, "heartbeat");
	rig_message_number(&agent->message, "uptime_ms", rig_clock_ns() / RIG_NS_PER_MS);
	rig_message_number(&agent->message, "busy", work ? work->id : 0);
	if (phase)
		rig_message_text(&agent->message, "phase", phase);
	rig_agent_send(agent);
}

static void read_boot_id(char *text, size_t size)
{
	int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	text[strcspn(text, "\n")] = '\0';
	if (fd >= 0)
		close(fd);
}

void rig_agent_hello(struct rig_agent *agent, uint64_t id, const char *session)
{
	char boot_id[64];
	struct utsname name;

	agent->greeted = true;
	uname(&name);
	read_boot_id(boot_id, sizeof(boot_id));
	rig_agent_begin(agent, "hello", id);
	rig_message_text(&agent->message, "session", session);
	rig_message_number(&agent->message, "protocol", RIG_PROTOCOL);
	rig_message_text(&agent->message, "agent", RIG_VERSION);
	rig_message_text(&agent->message, "release", name.release);
	rig_message_text(&agent->message, "boot_id", boot_id);
	rig_agent_send(agent);
}
