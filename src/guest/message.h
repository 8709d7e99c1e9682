/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One outgoing line of the protocol, written into a fixed buffer. */
#pragma once

#include "../proto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Built by hand and not with jansson: data messages are the bulk of what is sent, and their
 * payload need not be copied twice. */
struct rig_message {
	size_t len;
	bool overflow;
	char line[RIG_LINE_MAX];
};

/* Starts an object with its "type". Whatever was in the buffer is forgotten. */
void rig_message_begin(struct rig_message *message, const char *type);

void rig_message_number(struct rig_message *message, const char *key, uint64_t value);
void rig_message_flag(struct rig_message *message, const char *key, bool value);

/* Adds a string. Control characters are escaped and bytes that are not UTF-8 become '?', so that
 * any file name can be named. */
void rig_message_text(struct rig_message *message, const char *key, const char *value);

/* Adds `size` bytes as base64; at most RIG_CHUNK_MAX. */
void rig_message_base64(struct rig_message *message, const char *key, const void *data,
			size_t size);

/* Ends the object and the line. Returns the length of the line, or 0 when it did not fit. */
size_t rig_message_end(struct rig_message *message);

/* Decodes strict base64 of `len` characters in place-safe fashion: `out` (at least len/4*3 bytes)
 * may be `text` itself. Returns the number of bytes, or -1 for anything that is not base64. */
ssize_t rig_message_decode(const char *text, size_t len, void *out);
