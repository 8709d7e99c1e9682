/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-error.c - messages, hints and exit codes.
 */
#include "expect.h"

#include <errno.h>

static void test_set(void)
{
	g_autoptr(GError) error = NULL;

	rig_error_set(&error, RIG_ERROR_PANIC, "guest \"%s\": panicked", "a");
	g_assert_error(error, RIG_ERROR, RIG_ERROR_PANIC);
	g_assert_cmpstr(error->message, ==, "guest \"a\": panicked");
	rig_error_set(NULL, RIG_ERROR_PANIC, "nobody listens to %d", 1);
	rig_error_set_hint(NULL, RIG_ERROR_PANIC, "hint", "nobody listens to %d", 1);
	rig_error_set_errno(NULL, RIG_ERROR_PANIC, ENOSPC, "nobody", "listens");
}

static void test_hint(void)
{
	g_autoptr(GError) error = NULL;

	/* A % in a hint is text, not a format. */
	rig_error_set_hint(&error, RIG_ERROR_HOST, "run 100% of \"rig doctor\"", "no %s", "KVM");
	g_prefix_error(&error, "guest \"a\": ");
	g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
	g_assert_cmpstr(error->message, ==,
			"guest \"a\": no KVM\nhint: run 100% of \"rig doctor\"");
}

static void expect_errno(int errnum, RigErrorCode code, const char *hint)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *start = g_strdup_printf("/x: cannot write: %s", g_strerror(errnum));

	rig_error_set_errno(&error, RIG_ERROR_USAGE, errnum, "cannot write", "/x");
	g_assert_error(error, RIG_ERROR, (int)code);
	g_assert_true(g_str_has_prefix(error->message, start));
	if (hint)
		g_assert_nonnull(strstr(strstr(error->message, "\nhint: "), hint));
	else
		g_assert_cmpstr(error->message, ==, start);
}

static void test_errno(void)
{
	expect_errno(ENOENT, RIG_ERROR_USAGE, NULL);
	expect_errno(ENOSPC, RIG_ERROR_HOST, "free some space");
	expect_errno(EDQUOT, RIG_ERROR_HOST, "free some space");
	expect_errno(EACCES, RIG_ERROR_HOST, "owner");
	expect_errno(EPERM, RIG_ERROR_HOST, "owner");
	expect_errno(EROFS, RIG_ERROR_HOST, "read-only");
	expect_errno(EMFILE, RIG_ERROR_HOST, "ulimit");
}

static void test_exit_code(void)
{
	g_autoptr(GError) ours = g_error_new(RIG_ERROR, RIG_ERROR_TIMEOUT, "late");
	g_autoptr(GError) cancelled = g_error_new(G_IO_ERROR, G_IO_ERROR_CANCELLED, "stop");
	g_autoptr(GError) other = g_error_new(G_IO_ERROR, G_IO_ERROR_FAILED, "other");

	g_assert_cmpint(rig_error_exit_code(NULL), ==, 0);
	g_assert_cmpint(rig_error_exit_code(ours), ==, 124);
	g_assert_cmpint(rig_error_exit_code(cancelled), ==, 130);
	g_assert_cmpint(rig_error_exit_code(other), ==, 1);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/error/set", test_set);
	g_test_add_func("/error/hint", test_hint);
	g_test_add_func("/error/errno", test_errno);
	g_test_add_func("/error/exit-code", test_exit_code);
	return g_test_run();
}
