/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * read.c - the `read` request: the text of every file that a list of patterns names.
 *
 * The names are found at once, the files are read when their turn comes, and one message goes out
 * at a time, so that a long list needs the memory of one file.
 */
#include "file.h"
#include "request.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* One request names node and CPU files of the largest machine a few times over. */
#define READ_FILES_MAX 16384

struct reader {
	struct rig_producer producer;
	uint64_t id;
	glob_t found;
	size_t next;  /* file to read after the current one */
	size_t count; /* files sent */
	bool in_file;
	bool cut;
	size_t len, sent;
	char data[RIG_FILE_MAX];
};

static void free_reader(struct rig_producer *producer)
{
	struct reader *reader = (struct reader *)producer;

	globfree(&reader->found);
	free(reader);
}

/* Takes up the next file that can be read; false when there is none left. */
static bool load_next(struct reader *reader)
{
	while (reader->next < reader->found.gl_pathc) {
		int fd = rig_file_open(reader->found.gl_pathv[reader->next++]);
		ssize_t len;

		if (fd < 0)
			continue;
		len = rig_file_read(fd, reader->data, sizeof(reader->data), &reader->cut);
		close(fd);
		if (len < 0)
			continue;
		reader->len = len;
		reader->sent = 0;
		reader->in_file = true;
		reader->count++;
		return true;
	}
	return false;
}

static void send_chunk(struct rig_agent *agent, struct reader *reader)
{
	size_t left = reader->len - reader->sent;
	size_t size = left < RIG_CHUNK_MAX ? left : RIG_CHUNK_MAX;
	bool more = left > size;

	rig_agent_begin(agent, "data", reader->id);
	rig_message_text(&agent->message, "path", reader->found.gl_pathv[reader->next - 1]);
	rig_message_base64(&agent->message, "data", reader->data + reader->sent, size);
	rig_message_flag(&agent->message, "more", more);
	if (!more && reader->cut)
		rig_message_flag(&agent->message, "cut", true);
	rig_agent_send(agent);
	reader->sent += size;
	reader->in_file = more;
}

static bool pump_reader(struct rig_agent *agent, struct rig_producer *producer)
{
	struct reader *reader = (struct reader *)producer;

	if (reader->in_file || load_next(reader)) {
		send_chunk(agent, reader);
		return true;
	}
	rig_agent_begin(agent, "ok", reader->id);
	rig_message_number(&agent->message, "files", reader->count);
	rig_agent_send(agent);
	free_reader(producer);
	return false;
}

/* NULL, or what is wrong with the list. */
static const char *find_files(struct reader *reader, const json_t *paths)
{
	size_t index;
	json_t *path;

	if (!json_is_array(paths))
		return "paths must be a list of strings";
	json_array_foreach((json_t *)paths, index, path)
	{
		const char *pattern = json_string_value(path);
		int flags = index ? GLOB_APPEND : 0, failed;

		if (!pattern || pattern[0] != '/')
			return "each of the paths must be a string that begins with /";
		failed = glob(pattern, flags, NULL, &reader->found);
		if (failed && failed != GLOB_NOMATCH)
			return "a pattern cannot be expanded";
		if (reader->found.gl_pathc > READ_FILES_MAX)
			return "the patterns name too many files";
	}
	return NULL;
}

void rig_read_paths(struct rig_agent *agent, uint64_t id, const json_t *paths)
{
	struct reader *reader = calloc(1, sizeof(*reader));
	const char *wrong = reader ? find_files(reader, paths) : "no memory";

	if (!wrong) {
		reader->id = id;
		reader->producer.pump = pump_reader;
		reader->producer.drop = free_reader;
		if (rig_agent_produce(agent, &reader->producer))
			return;
		rig_agent_error(agent, id, "busy", "too many files are being sent");
	} else {
		rig_agent_error(agent, id, "bad-request", "%s", wrong);
	}
	if (reader)
		free_reader(&reader->producer);
}

void rig_read_request(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	rig_read_paths(agent, id, json_object_get(request, "paths"));
}
