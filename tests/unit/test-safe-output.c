/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-safe-output.c - a guest's bytes on their way to a terminal, cut at every place.
 */
#include <string.h>
#include <unistd.h>

#include "cli/safe-output.h"

/* TEXT in pieces of N bytes, as it arrives. */
static char *pass(const char *text, gsize length, gsize n)
{
	int fds[2];
	RigSafeOutput *output;
	char *seen = g_malloc0(65536);

	g_assert_cmpint(pipe(fds), ==, 0);
	output = rig_safe_output_new(fds[1]);
	for (gsize at = 0; at < length; at += n)
		g_assert_true(rig_safe_output_write(output, text + at, MIN(n, length - at)));
	rig_safe_output_free(output);
	close(fds[1]);
	g_assert_cmpint(read(fds[0], seen, 65535), >=, 0);
	close(fds[0]);
	return seen;
}

static void test_pieces(void)
{
	static const char text[] = "Grüße, 世界 🙂\r\n\x1b]0;x\x07\xc2\x9b"
				   "31m\ttab\xff end";
	static const char expected[] = "Grüße, 世界 🙂\n\\x1b]0;x\\x07\\x9b31m\ttab\\xff end";

	for (gsize n = 1; n <= sizeof(text); n++) {
		g_autofree char *seen = pass(text, sizeof(text) - 1, n);

		g_assert_cmpstr(seen, ==, expected);
	}
}

/* A character that never ends is shown for what it is. */
static void test_cut_at_the_end(void)
{
	g_autofree char *seen = pass("a\xf0\x9f\x99", 4, 1);
	g_autofree char *nul = pass("a\0b", 3, 1);

	g_assert_cmpstr(seen, ==, "a\\xf0\\x9f\\x99");
	g_assert_cmpstr(nul, ==, "a\\x00b");
}

/* What is begun is not held back for ever: a prompt has no newline. */
static void test_at_once(void)
{
	int fds[2];
	char seen[16] = "";
	RigSafeOutput *output;

	g_assert_cmpint(pipe(fds), ==, 0);
	output = rig_safe_output_new(fds[1]);
	g_assert_true(rig_safe_output_write(output, "login: ", 7));
	g_assert_cmpint(read(fds[0], seen, sizeof(seen) - 1), ==, 7);
	g_assert_cmpstr(seen, ==, "login: ");
	rig_safe_output_free(output);
	close(fds[0]);
	close(fds[1]);
}

static void test_pipe(void)
{
	int fds[2];
	char seen[64] = "";
	RigSafePipe *safe;

	g_assert_cmpint(pipe(fds), ==, 0);
	safe = rig_safe_pipe_new(fds[1]);
	g_assert_cmpint(write(rig_safe_pipe_fd(safe), "\x1b[2J\n", 5), ==, 5);
	rig_safe_pipe_free(safe);
	close(fds[1]);
	g_assert_cmpint(read(fds[0], seen, sizeof(seen) - 1), ==, 8);
	g_assert_cmpstr(seen, ==, "\\x1b[2J\n");
	close(fds[0]);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/safe-output/pieces", test_pieces);
	g_test_add_func("/safe-output/cut-at-the-end", test_cut_at_the_end);
	g_test_add_func("/safe-output/at-once", test_at_once);
	g_test_add_func("/safe-output/pipe", test_pipe);
	return g_test_run();
}
