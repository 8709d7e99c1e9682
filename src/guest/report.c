/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.c - sends what a run has kept, in the order of docs/protocol.md, one message at a time.
 */
#include "run.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

/* The log buffer of a usual kernel is much smaller. */
#define KMSG_MAX (2 * 1024 * 1024)

static bool next_part(struct rig_report *report)
{
	report->part++;
	report->offset = 0;
	return true;
}

static void send_snap(struct rig_run *run, const struct rig_entry *entry)
{
	struct rig_message *message = &run->agent->message;
	char phase[RIG_PHASE_MAX + 1] = "";

	memcpy(phase, entry->data, entry->size < RIG_PHASE_MAX ? entry->size : RIG_PHASE_MAX);
	rig_agent_begin(run->agent, "snap", run->work.id);
	rig_message_number(message, "snap", run->report.snap++);
	rig_message_text(message, "kind", entry->kind == RIG_ENTRY_MARK ? "mark" : "sample");
	rig_message_text(message, "phase", phase);
	rig_message_number(message, "t_ns", entry->t_ns);
	rig_agent_send(run->agent);
}

static void send_file_chunk(struct rig_run *run)
{
	struct rig_message *message = &run->agent->message;
	struct rig_report *report = &run->report;
	const struct rig_entry *file = report->file;
	size_t left = file->size - report->sent;
	size_t size = left < RIG_CHUNK_MAX ? left : RIG_CHUNK_MAX;

	rig_agent_begin(run->agent, "data", run->work.id);
	rig_message_number(message, "snap", report->snap - 1);
	if (file->task)
		rig_message_number(message, "task", file->task);
	rig_message_text(message, "path", file->name);
	rig_message_base64(message, "data", file->data + report->sent, size);
	rig_message_flag(message, "more", left > size);
	if (left == size && file->cut)
		rig_message_flag(message, "cut", true);
	rig_agent_send(run->agent);
	report->sent += size;
	if (left == size)
		report->file = NULL;
}

static bool send_next_snap(struct rig_run *run)
{
	struct rig_report *report = &run->report;
	const struct rig_entry *entry;

	if (!report->file) {
		entry = rig_snapshots_entry(&run->snapshots, &report->offset);
		if (!entry)
			return next_part(report);
		if (entry->kind == RIG_ENTRY_EVENT)
			return true;
		if (entry->kind != RIG_ENTRY_FILE) {
			send_snap(run, entry);
			return true;
		}
		report->file = entry;
		report->sent = 0;
	}
	send_file_chunk(run);
	return true;
}

static bool send_next_event(struct rig_run *run)
{
	const struct rig_entry *entry;

	do {
		entry = rig_snapshots_entry(&run->snapshots, &run->report.offset);
		if (!entry)
			return next_part(&run->report);
	} while (entry->kind != RIG_ENTRY_EVENT);
	rig_agent_begin(run->agent, "event", run->work.id);
	rig_message_number(&run->agent->message, "t_ns", entry->t_ns);
	rig_message_base64(&run->agent->message, "data", entry->data, entry->size);
	rig_agent_send(run->agent);
	return true;
}

static bool send_output(struct rig_run *run, const struct rig_capture *capture, const char *name)
{
	size_t left = capture->len - run->report.offset;
	size_t size = left < RIG_CHUNK_MAX ? left : RIG_CHUNK_MAX;

	if (!left)
		return next_part(&run->report);
	rig_agent_stream(run->agent, run->work.id, name, capture->data + run->report.offset, size);
	run->report.offset += size;
	return true;
}

/* Fills `data` with whole records; a read gives one, or EPIPE for those that were overwritten. */
static size_t read_kmsg(int fd, char *data, size_t size)
{
	size_t len = 0;

	while (size - len >= 8192) {
		ssize_t n = read(fd, data + len, size - len);

		if (n < 0 && (errno == EPIPE || errno == EINTR))
			continue;
		if (n <= 0)
			break;
		len += n;
	}
	return len;
}

static bool send_kmsg(struct rig_run *run)
{
	struct rig_report *report = &run->report;
	char data[RIG_CHUNK_MAX];
	size_t len;

	if (report->kmsg < 0)
		report->kmsg = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	len = report->kmsg < 0 || report->kmsg_bytes > KMSG_MAX
		      ? 0
		      : read_kmsg(report->kmsg, data, sizeof(data));
	if (!len)
		return next_part(report);
	report->kmsg_bytes += len;
	rig_agent_stream(run->agent, run->work.id, "kmsg", data, len);
	return true;
}

static bool send_done(struct rig_run *run)
{
	struct rig_message *message = &run->agent->message;

	rig_agent_begin(run->agent, "done", run->work.id);
	rig_agent_add_status(run->agent, run->status, run->deadline.passed);
	rig_message_number(message, "start_ns", run->start_ns);
	rig_message_number(message, "end_ns", run->end_ns);
	rig_message_number(message, "snaps", run->snapshots.snaps);
	rig_message_number(message, "events", run->snapshots.events);
	rig_message_number(message, "agent_cpu_ns", run->cpu_ns);
	rig_message_flag(message, "full", run->snapshots.full);
	rig_agent_send(run->agent);
	rig_run_free(run);
	return false;
}

static struct rig_run *run_of(struct rig_producer *producer)
{
	return (struct rig_run *)((char *)producer - offsetof(struct rig_run, report.producer));
}

static bool pump_report(struct rig_agent *agent, struct rig_producer *producer)
{
	struct rig_run *run = run_of(producer);

	switch (run->report.part) {
	case RIG_REPORT_SNAPS:
		return send_next_snap(run);
	case RIG_REPORT_EVENTS:
		return send_next_event(run);
	case RIG_REPORT_OUT:
		return send_output(run, &run->out, "out");
	case RIG_REPORT_ERR:
		return send_output(run, &run->err, "err");
	case RIG_REPORT_KMSG:
		return send_kmsg(run);
	default:
		return send_done(run);
	}
}

/* The run itself is freed by its work's abort. */
static void drop_report(struct rig_producer *producer)
{
}

void rig_report_start(struct rig_run *run)
{
	run->report = (struct rig_report){.kmsg = -1};
	run->report.producer.pump = pump_report;
	run->report.producer.drop = drop_report;
	if (rig_agent_produce(run->agent, &run->report.producer))
		return;
	rig_agent_error(run->agent, run->work.id, "busy", "too many files are being sent");
	rig_run_free(run);
}
