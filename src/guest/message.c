/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * message.c - writes one line of the protocol: JSON with escaped strings and base64 payloads.
 */
#include "message.h"

#include <stdio.h>
#include <string.h>

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static void put(struct rig_message *message, const char *data, size_t len)
{
	/* Two bytes are kept for the end of the object. */
	if (message->overflow || len > sizeof(message->line) - 2 - message->len) {
		message->overflow = true;
		return;
	}
	memcpy(message->line + message->len, data, len);
	message->len += len;
}

static void put_key(struct rig_message *message, const char *key)
{
	put(message, message->len > 1 ? ",\"" : "\"", message->len > 1 ? 2 : 1);
	put(message, key, strlen(key));
	put(message, "\":", 2);
}

/* Length of the well-formed UTF-8 sequence at `s`, or 0. */
static size_t utf8_length(const unsigned char *s)
{
	size_t len = s[0] < 0x80 ? 1 : s[0] < 0xc2 ? 0 : s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;

	if (s[0] > 0xf4 || (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
	    (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((s[i] & 0xc0) != 0x80)
			return 0;
	return len;
}

static size_t put_character(struct rig_message *message, const unsigned char *s)
{
	size_t len = utf8_length(s);
	char escape[8];

	if (!len) {
		put(message, "?", 1);
		return 1;
	}
	if (len == 1 && (s[0] < 0x20 || s[0] == 0x7f || s[0] == '"' || s[0] == '\\')) {
		snprintf(escape, sizeof(escape), "\\u%04x", s[0]);
		put(message, escape, 6);
		return 1;
	}
	put(message, (const char *)s, len);
	return len;
}

void rig_message_begin(struct rig_message *message, const char *type)
{
	message->len = 0;
	message->overflow = false;
	put(message, "{", 1);
	rig_message_text(message, "type", type);
}

void rig_message_number(struct rig_message *message, const char *key, uint64_t value)
{
	char digits[24];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)value);

	put_key(message, key);
	put(message, digits, len);
}

void rig_message_flag(struct rig_message *message, const char *key, bool value)
{
	put_key(message, key);
	put(message, value ? "true" : "false", value ? 4 : 5);
}

void rig_message_text(struct rig_message *message, const char *key, const char *value)
{
	const unsigned char *s = (const unsigned char *)value;

	put_key(message, key);
	put(message, "\"", 1);
	while (*s)
		s += put_character(message, s);
	put(message, "\"", 1);
}

static void encode_triple(const unsigned char *in, size_t n, char out[4])
{
	uint32_t bits = in[0] << 16 | (n > 1 ? in[1] << 8 : 0) | (n > 2 ? in[2] : 0);

	out[0] = alphabet[bits >> 18];
	out[1] = alphabet[bits >> 12 & 63];
	out[2] = n > 1 ? alphabet[bits >> 6 & 63] : '=';
	out[3] = n > 2 ? alphabet[bits & 63] : '=';
}

void rig_message_base64(struct rig_message *message, const char *key, const void *data, size_t size)
{
	const unsigned char *in = data;
	char four[4];

	put_key(message, key);
	put(message, "\"", 1);
	for (; size; in += 3) {
		size_t n = size < 3 ? size : 3;

		encode_triple(in, n, four);
		put(message, four, sizeof(four));
		size -= n;
	}
	put(message, "\"", 1);
}

size_t rig_message_end(struct rig_message *message)
{
	if (message->overflow)
		return 0;
	memcpy(message->line + message->len, "}\n", 2);
	message->len += 2;
	return message->len;
}

static int decode_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

ssize_t rig_message_decode(const char *text, size_t len, void *out)
{
	size_t pad = len && text[len - 1] == '=' ? (len > 1 && text[len - 2] == '=' ? 2 : 1) : 0;
	unsigned char *to = out;

	if (len % 4)
		return -1;
	for (size_t i = 0; i < len; i += 4) {
		size_t skip = i + 4 == len ? pad : 0;
		uint32_t bits = 0;

		for (size_t k = 0; k < 4; k++) {
			int digit = k >= 4 - skip ? 0 : decode_digit(text[i + k]);

			if (digit < 0)
				return -1;
			bits = bits << 6 | digit;
		}
		for (size_t k = 0; k < 3 - skip; k++)
			*to++ = bits >> (16 - 8 * k);
	}
	return to - (unsigned char *)out;
}
