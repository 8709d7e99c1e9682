/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * channel.c - lines over a unix socket to a peer that is not trusted.
 *
 * One poll loop does everything: it sends the queue, reads into a buffer of two lines at the most,
 * and looks at the cancellable and at the caller's watch.
 */
#include "vm/channel.h"

#include <errno.h>
#include <fcntl.h>
#include <gio/gio.h>
#include <glib-unix.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "proto.h"

#define WATCH_MS 250
#define BUFFER_MAX (2 * RIG_LINE_MAX)

struct RigChannel {
	int fd;
	GString *in, *out;
	gsize used; /* bytes of IN that were handed out and can go */
	gsize sent; /* bytes of OUT that are gone */
	gboolean eof;
	RigChannelWatch watch;
	gpointer watch_data;
	gint64 watched; /* when the watch was last asked */
};

RigChannel *rig_channel_new(int fd)
{
	RigChannel *channel = g_new0(RigChannel, 1);

	channel->fd = fd;
	channel->in = g_string_new(NULL);
	channel->out = g_string_new(NULL);
	(void)g_unix_set_fd_nonblocking(fd, TRUE, NULL);
	return channel;
}

RigChannel *rig_channel_connect(const char *path, GError **error)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd;

	if (strlen(path) >= sizeof(address.sun_path)) {
		rig_error_set_hint(error, RIG_ERROR_HOST, "set RIG_STATE_DIR to a shorter path",
				   "%s: a socket's path has at most %zu bytes", path,
				   sizeof(address.sun_path) - 1);
		return NULL;
	}
	strcpy(address.sun_path, path);
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0) {
		rig_error_set_errno(error, RIG_ERROR_HOST, errno, "socket", path);
		return NULL;
	}
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0) {
		rig_error_set(error, RIG_ERROR_LOST, "%s: nobody answers: %s", path,
			      g_strerror(errno));
		close(fd);
		return NULL;
	}
	return rig_channel_new(fd);
}

void rig_channel_free(RigChannel *channel)
{
	if (!channel)
		return;
	close(channel->fd);
	g_string_free(channel->in, TRUE);
	g_string_free(channel->out, TRUE);
	g_free(channel);
}

void rig_channel_set_watch(RigChannel *channel, RigChannelWatch watch, gpointer data)
{
	channel->watch = watch;
	channel->watch_data = data;
}

void rig_channel_queue(RigChannel *channel, const char *text)
{
	g_assert(strlen(text) < RIG_LINE_MAX);
	g_string_append(channel->out, text);
	g_string_append_c(channel->out, '\n');
}

gsize rig_channel_queued(const RigChannel *channel)
{
	return channel->out->len - channel->sent;
}

gboolean rig_channel_is_closed(const RigChannel *channel)
{
	return channel->eof;
}

/* Take the next whole line out of the buffer; -1 with an error if the peer's line has no end. */
static int take_line(RigChannel *channel, const char **line, gsize *length, GError **error)
{
	char *end;

	if (channel->used > 0)
		g_string_erase(channel->in, 0, channel->used);
	channel->used = 0;
	end = memchr(channel->in->str, '\n', channel->in->len);
	if ((end ? (gsize)(end - channel->in->str) : channel->in->len) >= RIG_LINE_MAX) {
		rig_error_set(error, RIG_ERROR_LOST,
			      "the guest's agent sent a line longer than %d bytes", RIG_LINE_MAX);
		return -1;
	}
	if (!end)
		return 0;
	*end = '\0';
	*line = channel->in->str;
	*length = (gsize)(end - channel->in->str);
	channel->used = *length + 1;
	return 1;
}

/* A peer that takes nothing more is no error here: what it said last is still to be read, and the
 * end is seen there. */
static void send_some(RigChannel *channel)
{
	ssize_t n = send(channel->fd, channel->out->str + channel->sent,
			 rig_channel_queued(channel), MSG_NOSIGNAL);

	if (n > 0)
		channel->sent += (gsize)n;
	else if (n < 0 && errno != EAGAIN && errno != EINTR)
		channel->sent = channel->out->len;
	if (channel->sent == channel->out->len) {
		g_string_truncate(channel->out, 0);
		channel->sent = 0;
	}
}

static void read_some(RigChannel *channel)
{
	char buffer[16384];
	ssize_t n = recv(channel->fd, buffer, sizeof(buffer), 0);

	if (n > 0)
		g_string_append_len(channel->in, buffer, n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		channel->eof = TRUE;
}

static gboolean ask_watch(RigChannel *channel, gint64 now, GError **error)
{
	if (!channel->watch || now - channel->watched < WATCH_MS * 1000)
		return TRUE;
	channel->watched = now;
	return channel->watch(channel->watch_data, error);
}

static gboolean check_cancelled(GCancellable *cancellable, GError **error)
{
	if (!g_cancellable_is_cancelled(cancellable))
		return TRUE;
	rig_error_set(error, RIG_ERROR_INTERRUPTED, "interrupted");
	return FALSE;
}

static int poll_ms(const RigChannel *channel, gint64 now, gint64 deadline)
{
	gint64 ms = channel->watch ? WATCH_MS : 60000;

	if (deadline > 0)
		ms = MIN(ms, MAX(0, (deadline - now + 999) / 1000));
	return (int)ms;
}

/* One turn of the loop: wait and move bytes. TRUE if INPUT_FD can be read. */
static gboolean turn(RigChannel *channel, int input_fd, gint64 deadline, GCancellable *cancellable)
{
	gboolean pending = rig_channel_queued(channel) > 0;
	gboolean room = !channel->eof && channel->in->len < BUFFER_MAX;
	struct pollfd fds[3] = {
		{.fd = channel->fd,
		 .events = (short)((room ? POLLIN : 0) | (pending ? POLLOUT : 0))},
		{.fd = g_cancellable_get_fd(cancellable), .events = POLLIN},
		{.fd = pending ? -1 : input_fd, .events = POLLIN},
	};
	int n = poll(fds, G_N_ELEMENTS(fds), poll_ms(channel, g_get_monotonic_time(), deadline));

	if (fds[1].fd >= 0)
		g_cancellable_release_fd(cancellable);
	if (n <= 0)
		return FALSE;
	if (fds[0].revents & (POLLIN | POLLHUP | POLLERR))
		read_some(channel);
	if (fds[0].revents & POLLOUT)
		send_some(channel);
	return fds[2].revents != 0;
}

RigChannelEvent rig_channel_next(RigChannel *channel, int input_fd, gint64 deadline,
				 GCancellable *cancellable, const char **line, gsize *length,
				 GError **error)
{
	gboolean input = FALSE;

	for (;;) {
		gint64 now = g_get_monotonic_time();
		int got;

		/* Before the next line is taken: a peer that babbles must not get past these. */
		if (!check_cancelled(cancellable, error) || !ask_watch(channel, now, error))
			return RIG_CHANNEL_FAILED;
		if (deadline > 0 && now >= deadline)
			return RIG_CHANNEL_EXPIRED;
		got = take_line(channel, line, length, error);
		if (got != 0)
			return got > 0 ? RIG_CHANNEL_LINE : RIG_CHANNEL_FAILED;
		if (input)
			return RIG_CHANNEL_INPUT;
		if (channel->eof) {
			rig_error_set(error, RIG_ERROR_LOST, "the guest's channel was closed");
			return RIG_CHANNEL_FAILED;
		}
		input = turn(channel, input_fd, deadline, cancellable);
	}
}

gboolean rig_channel_flush(RigChannel *channel, gint64 deadline, GCancellable *cancellable,
			   GError **error)
{
	while (rig_channel_queued(channel) > 0) {
		gint64 now = g_get_monotonic_time();

		if (!check_cancelled(cancellable, error) || !ask_watch(channel, now, error))
			return FALSE;
		if (channel->eof || (deadline > 0 && now >= deadline)) {
			rig_error_set(error, RIG_ERROR_LOST, "the guest's channel takes nothing");
			return FALSE;
		}
		(void)turn(channel, -1, deadline, cancellable);
	}
	return TRUE;
}
