/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virt-frame.c - what virt.c and its helper process say to each other.
 */
#include "vm/virt-frame.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#define FRAME_MAX (16 * 1024 * 1024)

static gboolean send_all(int fd, const void *data, gsize length)
{
	const char *p = data;

	while (length > 0) {
		ssize_t n = send(fd, p, length, MSG_NOSIGNAL);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return FALSE;
		p += n;
		length -= (gsize)n;
	}
	return TRUE;
}

static gboolean recv_all(int fd, void *data, gsize length)
{
	char *p = data;

	while (length > 0) {
		ssize_t n = recv(fd, p, length, 0);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return FALSE;
		p += n;
		length -= (gsize)n;
	}
	return TRUE;
}

gboolean rig_virt_frame_write(int fd, char kind, const char *text)
{
	guint32 length = (guint32)strlen(text) + 1;

	return send_all(fd, &length, sizeof(length)) && send_all(fd, &kind, 1) &&
	       send_all(fd, text, length - 1);
}

char *rig_virt_frame_read(int fd)
{
	guint32 length;
	g_autofree char *text = NULL;

	if (!recv_all(fd, &length, sizeof(length)) || length == 0 || length > FRAME_MAX)
		return NULL;
	text = g_malloc(length + 1);
	if (!recv_all(fd, text, length))
		return NULL;
	text[length] = '\0';
	return g_steal_pointer(&text);
}
