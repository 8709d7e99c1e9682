/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * channel.c - lines in and out over the channel, with a queue for what the peer does not take yet.
 *
 * The port is watched edge-triggered: a virtio-serial port without a host reports a hang-up all
 * the time, and a level-triggered wait would spin on it in the middle of a measurement.
 */
#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void take_lines(struct rig_channel *channel)
{
	size_t start = 0;

	channel->held = false;
	while (start < channel->in_len) {
		char *line = channel->in + start;
		char *end = memchr(line, '\n', channel->in_len - start);

		if (!end)
			break;
		channel->held = channel->events->hold(channel->owner);
		if (channel->held)
			break;
		*end = '\0';
		start = end + 1 - channel->in;
		if (channel->skipping)
			channel->skipping = false;
		else if (end > line)
			channel->events->line(channel->owner, line, end - line);
	}
	channel->in_len -= start;
	memmove(channel->in, channel->in + start, channel->in_len);
}

/* A full buffer without a newline can only be a line that is too long. */
static void skip_long_line(struct rig_channel *channel)
{
	if (channel->held || channel->in_len < sizeof(channel->in))
		return;
	channel->in_len = 0;
	if (!channel->skipping)
		channel->events->too_long(channel->owner);
	channel->skipping = true;
}

static void read_input(struct rig_channel *channel)
{
	for (;;) {
		ssize_t n;

		take_lines(channel);
		if (channel->held || channel->watch.fd < 0)
			return;
		skip_long_line(channel);
		n = read(channel->watch.fd, channel->in + channel->in_len,
			 sizeof(channel->in) - channel->in_len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n > 0) {
			channel->in_len += n;
			continue;
		}
		/* From a virtio-serial port, 0 only says that no host is there now. */
		if (channel->kind == RIG_CHANNEL_SOCKET && (n == 0 || errno != EAGAIN))
			channel->events->gone(channel->owner);
		return;
	}
}

static void port_ready(struct rig_watch *watch, uint32_t events)
{
	struct rig_channel *channel = watch->owner;

	if (channel->kind == RIG_CHANNEL_VIRTIO && (events & EPOLLHUP)) {
		channel->in_len = 0;
		channel->skipping = false;
		channel->events->gone(channel->owner);
	}
	rig_channel_flush(channel);
	read_input(channel);
}

static int start(struct rig_channel *channel, int fd)
{
	channel->watch = (struct rig_watch){.fd = fd, .ready = port_ready, .owner = channel};
	return rig_loop_add(channel->loop, &channel->watch, EPOLLIN | EPOLLOUT | EPOLLET);
}

/* /sys/class/virtio-ports/vport1p1/name tells which port is ours; its node is /dev/vport1p1. */
static bool port_has_name(const char *path, const char *name)
{
	char text[128] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	if (read(fd, text, sizeof(text) - 1) < 0)
		text[0] = '\0';
	close(fd);
	text[strcspn(text, "\n")] = '\0';
	return !strcmp(text, name);
}

static int open_port_node(const char *sysfs_name_file)
{
	char node[64];
	const char *port = sysfs_name_file + strlen("/sys/class/virtio-ports/");
	int len = strcspn(port, "/"), fd;

	snprintf(node, sizeof(node), "/dev/%.*s", len, port);
	fd = open(node, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int find_port(const char *name)
{
	glob_t found;
	int fd = -ENOENT;

	if (glob("/sys/class/virtio-ports/*/name", GLOB_NOSORT, NULL, &found))
		return -ENOENT;
	for (size_t i = 0; i < found.gl_pathc && fd == -ENOENT; i++)
		if (port_has_name(found.gl_pathv[i], name))
			fd = open_port_node(found.gl_pathv[i]);
	globfree(&found);
	return fd;
}

int rig_channel_open_virtio(struct rig_channel *channel, struct rig_loop *loop, const char *name,
			    const struct rig_channel_events *events, void *owner)
{
	int fd = find_port(name);

	channel->kind = RIG_CHANNEL_VIRTIO;
	channel->loop = loop;
	channel->events = events;
	channel->owner = owner;
	return fd < 0 ? fd : start(channel, fd);
}

static int accept_one(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int listener, fd = -1;

	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	strcpy(address.sun_path, path);
	listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (listener < 0)
		return -errno;
	if (!bind(listener, (struct sockaddr *)&address, sizeof(address)) && !listen(listener, 1))
		fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	if (fd < 0)
		fd = -errno;
	close(listener);
	unlink(path);
	return fd;
}

int rig_channel_open_socket(struct rig_channel *channel, struct rig_loop *loop, const char *path,
			    const struct rig_channel_events *events, void *owner)
{
	int fd = accept_one(path);

	channel->kind = RIG_CHANNEL_SOCKET;
	channel->loop = loop;
	channel->events = events;
	channel->owner = owner;
	return fd < 0 ? fd : start(channel, fd);
}

int rig_channel_open_debugcon(struct rig_channel *channel)
{
	channel->kind = RIG_CHANNEL_DEBUGCON;
	channel->watch.fd = -1;
	return ioperm(RIG_DEBUGCON_PORT, 1, 1) < 0 ? -errno : 0;
}

static bool make_space(struct rig_channel *channel, size_t len)
{
	size_t size = channel->out_size ? channel->out_size : RIG_CHANNEL_ROOM;
	char *out;

	if (channel->out_start) {
		memmove(channel->out, channel->out + channel->out_start, channel->out_len);
		channel->out_start = 0;
	}
	while (size < channel->out_len + len)
		size *= 2;
	if (size == channel->out_size)
		return true;
	out = realloc(channel->out, size);
	if (!out)
		return false;
	channel->out = out;
	channel->out_size = size;
	return true;
}

void rig_channel_send(struct rig_channel *channel, const char *line, size_t len)
{
	if (channel->kind == RIG_CHANNEL_DEBUGCON) {
		outsb(RIG_DEBUGCON_PORT, line, len);
		return;
	}
	if (channel->out_start + channel->out_len + len > channel->out_size &&
	    !make_space(channel, len))
		return;
	memcpy(channel->out + channel->out_start + channel->out_len, line, len);
	channel->out_len += len;
}

void rig_channel_flush(struct rig_channel *channel)
{
	while (channel->out_len && channel->watch.fd >= 0) {
		const char *from = channel->out + channel->out_start;
		ssize_t n = channel->kind == RIG_CHANNEL_SOCKET
				    ? send(channel->watch.fd, from, channel->out_len, MSG_NOSIGNAL)
				    : write(channel->watch.fd, from, channel->out_len);

		if (n < 0 && errno == EINTR)
			continue;
		/* A socket whose peer is gone never takes the rest. */
		if (n < 0 && errno != EAGAIN && channel->kind == RIG_CHANNEL_SOCKET)
			channel->out_len = 0;
		if (n <= 0)
			return;
		channel->mid_line = from[n - 1] != '\n';
		channel->out_start += n;
		channel->out_len -= n;
	}
	channel->out_start = 0;
}

void rig_channel_forget(struct rig_channel *channel)
{
	channel->out_start = 0;
	channel->out_len = 0;
	/* The line that was cut must not swallow the next one. */
	if (channel->mid_line)
		rig_channel_send(channel, "\n", 1);
}

bool rig_channel_has_room(const struct rig_channel *channel)
{
	return channel->out_len < RIG_CHANNEL_ROOM;
}

bool rig_channel_is_empty(const struct rig_channel *channel)
{
	return channel->out_len == 0;
}

void rig_channel_resume(struct rig_channel *channel)
{
	if (channel->held)
		read_input(channel);
}

void rig_channel_close(struct rig_channel *channel)
{
	rig_loop_close(channel->loop, &channel->watch);
	free(channel->out);
	channel->out = NULL;
	channel->out_len = channel->out_size = 0;
}
