/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * virt-frame.h - what virt.c and its helper process say to each other.
 *
 * A frame is a 4-byte length and that many bytes of text. Both ends are the same program, so there
 * is no version in it.
 */
#pragma once

#include <glib.h>

#define RIG_VIRT_ARGV0 "rig-virt" /* how the helper is started */
#define RIG_VIRT_FD 3		  /* its end of the socket */

/* First character of a request; the rest is its argument. */
enum {
	RIG_VIRT_OPEN = 'o',
	RIG_VIRT_CAPABILITIES = 'c',
	RIG_VIRT_DOMAIN_CAPABILITIES = 'k',
	RIG_VIRT_VERSIONS = 'v',
	RIG_VIRT_HOSTNAME = 'h',
	RIG_VIRT_START = 's',
	RIG_VIRT_DESTROY = 'd',
	RIG_VIRT_LIST = 'l',
	RIG_VIRT_DUMP = 'm', /* name, newline, path */
	RIG_VIRT_XML = 'x',
};

/* First character of an answer; the rest is the result or the error's text. */
enum {
	RIG_VIRT_OK = '+',
	RIG_VIRT_NONE = '0',
	RIG_VIRT_ERROR = '-',
};

/* FALSE when the other end is gone. */
gboolean rig_virt_frame_write(int fd, char kind, const char *text);
/* NULL when the other end is gone; else kind and text, NUL terminated. g_free. */
char *rig_virt_frame_read(int fd);
