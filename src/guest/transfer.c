/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * transfer.c - files into the guest (`put`) and out of it (`get`).
 */
#include "file.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct put {
	struct rig_work work;
	struct rig_agent *agent;
	int fd;
	uint64_t size;
	char *path;
	char *beside; /* where it is written until it is whole */
};

static void free_put(struct put *put)
{
	if (put->fd >= 0) {
		close(put->fd);
		unlink(put->beside);
	}
	free(put->path);
	free(put->beside);
	free(put);
}

static void abort_put(struct rig_work *work)
{
	free_put((struct put *)work);
}

static void fail_put(struct put *put, const char *what, int error)
{
	const char *code = error == ENOENT || error == ENOTDIR ? "no-file" : "io";

	put->agent->work = NULL;
	rig_agent_error(put->agent, put->work.id, code, "cannot %s %s: %s", what, put->path,
			strerror(error));
	free_put(put);
}

static bool write_all(int fd, const char *data, size_t size)
{
	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0) {
			data += n;
			size -= n;
		}
	}
	return true;
}

static void finish_put(struct put *put)
{
	if (rename(put->beside, put->path) < 0) {
		fail_put(put, "rename to", errno);
		return;
	}
	close(put->fd);
	put->fd = -1;
	put->agent->work = NULL;
	rig_agent_begin(put->agent, "ok", put->work.id);
	rig_message_number(&put->agent->message, "size", put->size);
	rig_agent_send(put->agent);
	free_put(put);
}

static void take_input(struct rig_work *work, const void *data, size_t size, bool eof)
{
	struct put *put = (struct put *)work;

	if (!write_all(put->fd, data, size)) {
		fail_put(put, "write", errno);
		return;
	}
	put->size += size;
	if (eof)
		finish_put(put);
}

static void kill_put(struct rig_work *work, int signal)
{
	fail_put((struct put *)work, "write", EINTR);
}

static const struct rig_work_ops put_ops = {
	.input = take_input, .kill = kill_put, .abort = abort_put};

static struct put *new_put(struct rig_agent *agent, uint64_t id, const char *path)
{
	struct put *put = calloc(1, sizeof(*put));

	if (!put)
		return NULL;
	put->work = (struct rig_work){.id = id, .ops = &put_ops};
	put->agent = agent;
	put->fd = -1;
	put->path = strdup(path);
	if (!put->path || asprintf(&put->beside, "%s.rig-put", path) < 0) {
		put->beside = NULL;
		free_put(put);
		return NULL;
	}
	agent->work = &put->work;
	return put;
}

static void open_put(struct put *put, mode_t mode)
{
	put->fd = open(put->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (put->fd < 0)
		fail_put(put, "create", errno);
	else if (fchmod(put->fd, mode) < 0)
		fail_put(put, "set the mode of", errno);
}

void rig_put_request(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	const char *path = json_string_value(json_object_get(request, "path"));
	const json_t *mode = json_object_get(request, "mode");
	struct put *put;

	if (!path || path[0] != '/' || !json_is_integer(mode) || json_integer_value(mode) < 0 ||
	    json_integer_value(mode) > 07777) {
		rig_agent_error(agent, id, "bad-request",
				"put needs a path that begins with / and a mode");
		return;
	}
	put = new_put(agent, id, path);
	if (put)
		open_put(put, json_integer_value(mode));
	else
		rig_agent_error(agent, id, "io", "no memory for a file");
}

struct get {
	struct rig_producer producer;
	uint64_t id, size;
	int fd;
	mode_t mode;
	bool ended;
	size_t len;
	char path[PATH_MAX];
	char data[RIG_CHUNK_MAX + 1]; /* one byte ahead tells whether a chunk is the last */
};

static void free_get(struct rig_producer *producer)
{
	struct get *get = (struct get *)producer;

	close(get->fd);
	free(get);
}

/* Fills the buffer as far as the file goes. Returns 0 or an errno. */
static int fill_get(struct get *get)
{
	while (get->len < sizeof(get->data)) {
		ssize_t n = read(get->fd, get->data + get->len, sizeof(get->data) - get->len);

		if (n == 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return errno;
		if (n > 0)
			get->len += n;
	}
	return 0;
}

static void send_part(struct rig_agent *agent, struct get *get)
{
	bool more = get->len > RIG_CHUNK_MAX;
	size_t size = more ? RIG_CHUNK_MAX : get->len;

	rig_agent_begin(agent, "data", get->id);
	rig_message_text(&agent->message, "path", get->path);
	rig_message_base64(&agent->message, "data", get->data, size);
	rig_message_flag(&agent->message, "more", more);
	rig_agent_send(agent);
	get->size += size;
	get->len -= size;
	memmove(get->data, get->data + size, get->len);
	get->ended = !more;
}

static void send_end(struct rig_agent *agent, const struct get *get)
{
	rig_agent_begin(agent, "ok", get->id);
	rig_message_number(&agent->message, "size", get->size);
	rig_message_number(&agent->message, "mode", get->mode);
	rig_agent_send(agent);
}

static bool pump_get(struct rig_agent *agent, struct rig_producer *producer)
{
	struct get *get = (struct get *)producer;
	int error = get->ended ? 0 : fill_get(get);

	if (!error && !get->ended) {
		send_part(agent, get);
		return true;
	}
	if (error)
		rig_agent_error(agent, get->id, "io", "cannot read %s: %s", get->path,
				strerror(error));
	else
		send_end(agent, get);
	free_get(producer);
	return false;
}

static void start_get(struct rig_agent *agent, uint64_t id, const char *path, int fd)
{
	struct get *get = calloc(1, sizeof(*get));
	struct stat st;

	if (!get || fstat(fd, &st) < 0) {
		rig_agent_error(agent, id, "io", "cannot look at %s", path);
		free(get);
		close(fd);
		return;
	}
	get->id = id;
	get->fd = fd;
	get->mode = st.st_mode & 07777;
	get->producer.pump = pump_get;
	get->producer.drop = free_get;
	snprintf(get->path, sizeof(get->path), "%s", path);
	if (rig_agent_produce(agent, &get->producer))
		return;
	rig_agent_error(agent, id, "busy", "too many files are being sent");
	free_get(&get->producer);
}

void rig_get_request(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	const char *path = json_string_value(json_object_get(request, "path"));
	int fd;

	if (!path || path[0] != '/') {
		rig_agent_error(agent, id, "bad-request", "get needs a path that begins with /");
		return;
	}
	fd = rig_file_open(path);
	if (fd == -EINVAL)
		rig_agent_error(agent, id, "bad-request", "%s is no regular file", path);
	else if (fd < 0)
		rig_agent_error(agent, id, fd == -ENOENT || fd == -ENOTDIR ? "no-file" : "io",
				"cannot open %s: %s", path, strerror(-fd));
	else
		start_get(agent, id, path, fd);
}
