/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * await.c - how far a rig in the background has got, seen in its folders.
 */
#include "await.h"

#include "base/file.h"

static gboolean is_ready(CliFixture *f)
{
	g_autofree char *guests = g_build_filename(f->root, "state", "guests", NULL);
	g_autoptr(GDir) dir = g_dir_open(guests, 0, NULL);
	const char *name = dir ? g_dir_read_name(dir) : NULL;
	g_autofree char *path = name ? g_build_filename(guests, name, "guest.json", NULL) : NULL;
	g_autofree char *text = path ? rig_file_read(path, 1 << 20, NULL, NULL) : NULL;

	return text && g_regex_match_simple("\"ready\": *true", text, 0, 0);
}

void await_ready(CliFixture *f)
{
	for (guint i = 0; i < 6000; i++) {
		if (is_ready(f))
			return;
		g_usleep(50000);
	}
	g_error("no guest came up");
}
