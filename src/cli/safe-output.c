/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * safe-output.c - a guest's bytes on their way to a terminal.
 */
#include "cli/safe-output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

#define UTF8_MAX 4

struct RigSafeOutput {
	int fd;
	GString *pending; /* an unfinished character at the end */
};

struct RigSafePipe {
	int fds[2];
	RigSafeOutput *output;
	GThread *thread;
};

RigSafeOutput *rig_safe_output_new(int fd)
{
	RigSafeOutput *output = g_new0(RigSafeOutput, 1);

	output->fd = fd;
	output->pending = g_string_new(NULL);
	return output;
}

static gboolean write_all(int fd, const char *data)
{
	gsize length = strlen(data);

	while (length > 0) {
		ssize_t n = write(fd, data, length);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return FALSE;
		data += n;
		length -= (gsize)n;
	}
	return TRUE;
}

/* Bytes at the end that may be the beginning of a character. */
static gsize unfinished(const GString *text)
{
	for (gsize n = 1; n < UTF8_MAX && n <= text->len; n++) {
		const char *at = text->str + text->len - n;

		if (((guchar)*at & 0xc0) == 0x80)
			continue;
		return g_utf8_get_char_validated(at, (gssize)n) == (gunichar)-2 && *at ? n : 0;
	}
	return 0;
}

gboolean rig_safe_output_write(RigSafeOutput *output, const char *data, gsize length)
{
	g_autofree char *safe = NULL;
	gsize keep;

	for (gsize i = 0; i < length; i++)
		if (data[i] != '\r')
			g_string_append_c(output->pending, data[i]);
	keep = unfinished(output->pending);
	safe = rig_text_safe(output->pending->str, (gssize)(output->pending->len - keep));
	g_string_erase(output->pending, 0, (gssize)(output->pending->len - keep));
	return write_all(output->fd, safe);
}

void rig_safe_output_free(RigSafeOutput *output)
{
	g_autofree char *rest = NULL;

	if (!output)
		return;
	rest = rig_text_safe(output->pending->str, (gssize)output->pending->len);
	(void)!write_all(output->fd, rest);
	g_string_free(output->pending, TRUE);
	g_free(output);
}

static gpointer carry(gpointer data)
{
	RigSafePipe *pipe = data;
	char buffer[16384];
	ssize_t n;

	/* Read on when the terminal is gone: the writer must not wait for ever. */
	while ((n = read(pipe->fds[0], buffer, sizeof(buffer))) > 0 || (n < 0 && errno == EINTR))
		if (n > 0)
			(void)rig_safe_output_write(pipe->output, buffer, (gsize)n);
	return NULL;
}

RigSafePipe *rig_safe_pipe_new(int fd)
{
	RigSafePipe *pipe = g_new0(RigSafePipe, 1);

	if (pipe2(pipe->fds, O_CLOEXEC) < 0)
		g_error("no pipe: %s", g_strerror(errno));
	pipe->output = rig_safe_output_new(fd);
	pipe->thread = g_thread_new("safe-output", carry, pipe);
	return pipe;
}

int rig_safe_pipe_fd(const RigSafePipe *pipe)
{
	return pipe->fds[1];
}

void rig_safe_pipe_free(RigSafePipe *pipe)
{
	if (!pipe)
		return;
	close(pipe->fds[1]);
	g_thread_join(pipe->thread);
	close(pipe->fds[0]);
	rig_safe_output_free(pipe->output);
	g_free(pipe);
}
