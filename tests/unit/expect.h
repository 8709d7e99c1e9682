/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * expect.h - what the unit tests say often.
 */
#pragma once

#include "base/error.h"
#include "base/file.h"

#include <gio/gio.h>
#include <string.h>

/* *ERROR is of our domain, has CODE, and its message holds PART; it is cleared for the next use. */
#define expect_error(error, code, part)                                                     \
	do {                                                                                \
		g_assert_error(*(error), RIG_ERROR, (int)(code));                           \
		if (!strstr((*(error))->message, part))                                     \
			g_error("%s:%d: \"%s\" is not in \"%s\"", __FILE__, __LINE__, part, \
				(*(error))->message);                                       \
		g_clear_error(error);                                                       \
	} while (0)

/* A fresh directory; expect_remove() takes it away again and frees its name. */
static inline char *expect_temp_dir(void)
{
	g_autoptr(GError) error = NULL;
	char *dir = rig_file_temp_dir(g_get_tmp_dir(), "rig-test", &error);

	g_assert_no_error(error);
	return dir;
}

static inline void expect_remove(char *dir)
{
	g_autoptr(GError) error = NULL;

	if (!rig_file_remove_tree(dir, &error))
		g_error("%s", error->message);
	g_assert_false(g_file_test(dir, G_FILE_TEST_EXISTS));
	g_free(dir);
}
