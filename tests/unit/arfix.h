/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * arfix.h - look into archives, for tests.
 */
#pragma once

#include <archive.h>
#include <archive_entry.h>
#include <glib.h>

/* The members of the archive in DATA, one a line, in their order: "MODE PATH" in octal, " ->
 * TARGET" for a link, " = CONTENT" for a file. Several cpio archives in a row are read like the
 * kernel does with ALL. */
static inline char *arfix_list(const void *data, gsize length, gboolean all)
{
	struct archive *reader = archive_read_new();
	struct archive_entry *entry;
	GString *text = g_string_new(NULL);
	gsize used = 0;
	int status;

	archive_read_support_format_tar(reader);
	archive_read_support_format_cpio(reader);
	g_assert_cmpint(archive_read_open_memory(reader, data, length), ==, ARCHIVE_OK);
	while ((status = archive_read_next_header(reader, &entry)) == ARCHIVE_OK) {
		const char *target = archive_entry_symlink(entry);
		gint64 size = target ? 0 : archive_entry_size(entry);
		g_autofree char *content = g_malloc0(size + 1);

		g_string_append_printf(text, "%o %s", archive_entry_mode(entry),
				       archive_entry_pathname(entry));
		g_assert_cmpint(archive_entry_uid(entry), ==, 0);
		g_assert_cmpint(archive_read_data(reader, content, size), ==, size);
		if (target)
			g_string_append_printf(text, " -> %s", target);
		else if (size)
			g_string_append_printf(text, " = %s", content);
		g_string_append_c(text, '\n');
	}
	g_assert_cmpint(status, ==, ARCHIVE_EOF);
	used = archive_filter_bytes(reader, -1);
	archive_read_free(reader);
	while (all && used < length && ((const char *)data)[used] == 0)
		used++;
	if (all && used < length) {
		g_autofree char *rest = arfix_list((const char *)data + used, length - used, TRUE);

		g_assert_cmpuint(used % 4, ==, 0);
		g_string_append(text, rest);
	}
	return g_string_free(text, FALSE);
}
