/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * settings.c - writes the settings of a job, and puts back what was there before.
 */
#include "settings.h"

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VALUE_MAX 4096

/* One write, as these files take a value only as a whole. Returns 0 or an errno. */
static int write_value(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	size_t len = strlen(value);
	int error = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	n = write(fd, value, len);
	if (n < 0)
		error = errno;
	else if ((size_t)n != len)
		error = EIO;
	close(fd);
	return error;
}

/* A choice reads as "always [madvise] never" and is written as "madvise". */
static void keep_choice(char *text)
{
	char *open = strchr(text, '['), *shut = open ? strchr(open, ']') : NULL;

	if (!shut || strchr(shut, '['))
		return;
	*shut = '\0';
	memmove(text, open + 1, shut - open);
}

static char *read_old(const char *path)
{
	char text[VALUE_MAX];
	int fd = rig_file_open(path);
	bool cut;
	ssize_t n;

	if (fd < 0)
		return NULL;
	n = rig_file_read(fd, text, sizeof(text) - 1, &cut);
	close(fd);
	if (n < 0 || cut)
		return NULL;
	text[n] = '\0';
	keep_choice(text);
	return strdup(text);
}

static bool apply_one(struct rig_settings *settings, const char *path, const json_t *value,
		      char *message, size_t size)
{
	struct rig_setting *setting = &settings->list[settings->count];
	const char *text = json_string_value(value);
	int error;

	if (path[0] != '/' || !text) {
		snprintf(message, size, "setting %s must be a path that begins with / and a string",
			 path);
		return false;
	}
	*setting = (struct rig_setting){.path = strdup(path), .old = read_old(path)};
	error = setting->path ? write_value(path, text) : ENOMEM;
	if (!error) {
		settings->count++;
		return true;
	}
	snprintf(message, size, "cannot write '%s' to %s: %s", text, path, strerror(error));
	free(setting->path);
	free(setting->old);
	return false;
}

bool rig_settings_apply(struct rig_settings *settings, const json_t *object, char *message,
			size_t message_size)
{
	const char *path;
	json_t *value;

	*settings = (struct rig_settings){0};
	if (object && !json_is_object(object)) {
		snprintf(message, message_size, "settings must be an object of strings");
		return false;
	}
	settings->list = calloc(json_object_size(object) + 1, sizeof(*settings->list));
	if (!settings->list) {
		snprintf(message, message_size, "no memory for settings");
		return false;
	}
	json_object_foreach((json_t *)object, path, value)
	{
		if (!apply_one(settings, path, value, message, message_size)) {
			rig_settings_restore(settings);
			return false;
		}
	}
	return true;
}

void rig_settings_restore(struct rig_settings *settings)
{
	while (settings->count) {
		struct rig_setting *setting = &settings->list[--settings->count];

		if (setting->old && write_value(setting->path, setting->old))
			fprintf(stderr, "rig-agent: cannot put back %s\n", setting->path);
		free(setting->path);
		free(setting->old);
	}
	free(settings->list);
	settings->list = NULL;
}
