/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmdline.c - words of the kernel command line, for rig-init and rig-agent alike.
 */
#include "cmdline.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const char blanks[] = " \t\n";

void rig_cmdline_load(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	if (fd >= 0)
		close(fd);
}

bool rig_cmdline_value(const char *text, const char *prefix, char *value, size_t size)
{
	size_t skip = strlen(prefix);

	value[0] = '\0';
	for (text += strspn(text, blanks); *text; text += strspn(text, blanks)) {
		size_t len = strcspn(text, blanks);

		if (len >= skip && !strncmp(text, prefix, skip)) {
			if (len - skip >= size)
				return false;
			memcpy(value, text + skip, len - skip);
			value[len - skip] = '\0';
			return true;
		}
		text += len;
	}
	return false;
}

bool rig_cmdline_has(const char *text, const char *word)
{
	char rest[2];

	return rig_cmdline_value(text, word, rest, sizeof(rest)) && !rest[0];
}
