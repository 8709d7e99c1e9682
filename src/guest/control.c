/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * control.c - takes a workload program's control lines apart, as far as the agent needs it.
 */
#include "control.h"

#include <errno.h>
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A taken line stays in the buffer, ended by NUL, until the next call. */
static void drop_taken_line(struct rig_control *control)
{
	char *end = memchr(control->data, '\0', control->len);

	if (!end)
		return;
	control->len -= end + 1 - control->data;
	memmove(control->data, end + 1, control->len);
}

/* NUL marks the end of a taken line; no JSON text holds it as such. */
static void blank_nuls(char *data, size_t len)
{
	for (char *nul; (nul = memchr(data, '\0', len)); *nul = ' ')
		;
}

bool rig_control_fill(struct rig_control *control, bool *ended)
{
	char *to = control->data + control->len;
	ssize_t n = read(control->fd, to, sizeof(control->data) - control->len);

	*ended = n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR);
	if (n <= 0)
		return false;
	blank_nuls(to, n);
	control->len += n;
	return true;
}

const char *rig_control_next(struct rig_control *control, size_t *len)
{
	char *end;

	drop_taken_line(control);
	end = memchr(control->data, '\n', control->len);
	if (!end)
		return NULL;
	*end = '\0';
	*len = end - control->data;
	return control->data;
}

bool rig_control_is_broken(const struct rig_control *control)
{
	return control->len == sizeof(control->data);
}

static void take_tasks(const json_t *tasks, struct rig_mark *mark)
{
	size_t index;
	json_t *task;

	mark->has_tasks = json_is_array(tasks);
	mark->count = 0;
	json_array_foreach((json_t *)tasks, index, task)
	{
		json_int_t tid = json_integer_value(task);

		if (tid > 0 && tid <= INT32_MAX && mark->count < RIG_TASKS_MAX)
			mark->tasks[mark->count++] = tid;
	}
}

bool rig_control_parse_mark(const char *line, size_t len, struct rig_mark *mark)
{
	json_t *object = memmem(line, len, "\"mark\"", 6) ? json_loadb(line, len, 0, NULL) : NULL;
	const char *phase = json_string_value(json_object_get(object, "mark"));

	if (phase) {
		snprintf(mark->phase, sizeof(mark->phase), "%s", phase);
		take_tasks(json_object_get(object, "tasks"), mark);
	}
	json_decref(object);
	return phase;
}
