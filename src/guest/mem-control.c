/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-control.c - writes the control lines. Each line is one write(2) of at most
 * RIG_CONTROL_LINE_MAX bytes. Values are numbers, but for the text of a failure.
 */
#include "mem-control.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The number in environment variable @name as an open descriptor; @fallback without it; -2: bad. */
static int descriptor_of(const char *name, int fallback)
{
	const char *text = getenv(name);
	char *end = NULL;
	long number;

	if (!text)
		return fallback;
	number = strtol(text, &end, 10);
	if (end == text || *end != '\0' || number < 0 || number > 65535 ||
	    fcntl((int)number, F_GETFD) < 0)
		return -2;
	return (int)number;
}

bool rig_control_open(struct rig_control *control)
{
	control->used = 0;
	control->out = descriptor_of(RIG_ENV_CONTROL_FD, -1);
	control->ack = descriptor_of(RIG_ENV_ACK_FD, -1);
	if (control->out == -1) {
		control->out = STDOUT_FILENO;
		control->ack = -1;
	}
	return control->out >= 0 && control->ack >= -1;
}

__attribute__((format(printf, 2, 3))) static void append(struct rig_control *control,
							 const char *format, ...)
{
	size_t room = sizeof(control->line) - control->used;
	va_list args;
	int length;

	va_start(args, format);
	length = vsnprintf(control->line + control->used, room, format, args);
	va_end(args);
	if (length > 0)
		control->used += (size_t)length < room ? (size_t)length : room - 1;
}

static bool flush(struct rig_control *control)
{
	size_t done = 0;

	while (done < control->used) {
		ssize_t count = write(control->out, control->line + done, control->used - done);

		if (count < 0 && errno == EINTR)
			continue;
		if (count <= 0)
			return false;
		done += (size_t)count;
	}
	control->used = 0;
	return true;
}

static bool wait_for_answer(const struct rig_control *control)
{
	char byte;
	ssize_t count;

	if (control->ack < 0)
		return true;
	do
		count = read(control->ack, &byte, 1);
	while (count < 0 && errno == EINTR);
	return count == 1;
}

bool rig_control_mark(struct rig_control *control, const char *phase, const pid_t *tasks,
		      size_t count)
{
	/* A thread id has at most 7 digits (PID_MAX_LIMIT), and there is a comma. */
	size_t room = (sizeof(control->line) - 128) / 8;
	size_t step = (count + room - 1) / room;

	append(control, "{\"mark\": \"%s\"", phase);
	for (size_t i = 0; i < count; i += step)
		append(control, "%s%d", i == 0 ? ", \"tasks\": [" : ",", (int)tasks[i]);
	append(control, "%s}\n", count ? "]" : "");
	return flush(control) && wait_for_answer(control);
}

void rig_control_begin(struct rig_control *control, const char *kind)
{
	control->used = 0;
	append(control, "{\"%s\": {", kind);
}

static void add_name(struct rig_control *control, const char *name)
{
	bool first = control->line[control->used - 1] == '{';

	append(control, "%s\"%s\": ", first ? "" : ", ", name);
}

void rig_control_add(struct rig_control *control, const char *name, uint64_t value)
{
	add_name(control, name);
	append(control, "%" PRIu64, value);
}

void rig_control_add_real(struct rig_control *control, const char *name, double value)
{
	add_name(control, name);
	append(control, "%.6f", isfinite(value) ? value : 0.0);
}

bool rig_control_send(struct rig_control *control)
{
	append(control, "}}\n");
	return flush(control);
}

bool rig_control_fail(struct rig_control *control, const char *why)
{
	control->used = 0;
	append(control, "{\"fail\": \"");
	for (; *why && control->used < sizeof(control->line) - 16; why++) {
		unsigned char c = (unsigned char)*why;

		if (c == '"' || c == '\\')
			append(control, "\\%c", c);
		else
			append(control, "%c", c < 0x20 || c > 0x7e ? '?' : c);
	}
	append(control, "\"}\n");
	return flush(control);
}
