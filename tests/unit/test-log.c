/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-log.c - what is said at which level, to a file and to a (pseudo) terminal.
 */
#include "base/log.h"

#include "expect.h"

#include <poll.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* One of everything. */
static void say(RigLog *log)
{
	rig_log_status(log, "status %d", 1);
	rig_log_info(log, "info");
	rig_log_verbose(log, "verbose");
	rig_log_warn(log, "careful");
	rig_log_status_clear(log);
}

static void expect_in_file(RigLogLevel level, const char *expected)
{
	g_autofree char *text = NULL;
	gsize length;
	FILE *stream = open_memstream(&text, &length);
	FILE *file = tmpfile();
	RigLog *log = rig_log_new(file, level);
	int c;

	g_assert_false(rig_log_is_terminal(log));
	say(log);
	rig_log_free(log);
	rewind(file);
	while ((c = fgetc(file)) != EOF)
		fputc(c, stream);
	fclose(file);
	fclose(stream);
	g_assert_cmpstr(text, ==, expected);
}

static void test_levels(void)
{
	expect_in_file(RIG_LOG_QUIET, "warning: careful\n");
	expect_in_file(RIG_LOG_NORMAL, "info\nwarning: careful\n");
	expect_in_file(RIG_LOG_VERBOSE, "status 1\ninfo\nverbose\nwarning: careful\n");
}

static void test_null(void)
{
	say(NULL);
	g_assert_false(rig_log_is_terminal(NULL));
	rig_log_free(NULL);
}

/* A pseudo terminal of COLUMNS; what a person would see comes out of MASTER. */
typedef struct {
	int master;
	FILE *stream;
} Terminal;

static void terminal_open(Terminal *terminal, unsigned short columns)
{
	struct winsize size = {.ws_row = 25, .ws_col = columns};
	int fd;

	terminal->master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
	g_assert_cmpint(terminal->master, >=, 0);
	g_assert_no_errno(grantpt(terminal->master));
	g_assert_no_errno(unlockpt(terminal->master));
	fd = open(ptsname(terminal->master), O_RDWR | O_NOCTTY);
	g_assert_cmpint(fd, >=, 0);
	g_assert_no_errno(ioctl(fd, TIOCSWINSZ, &size));
	terminal->stream = fdopen(fd, "w");
}

/* What was written comes through the kernel's own queue, so wait until LENGTH bytes are there, at
 * most 10 s. */
static char *terminal_read(Terminal *terminal, gsize length)
{
	g_autoptr(GString) shown = g_string_new(NULL);
	struct pollfd wait = {.fd = terminal->master, .events = POLLIN};
	char buffer[4096];
	gssize n;

	do {
		n = read(terminal->master, buffer, sizeof(buffer));
		if (n > 0)
			g_string_append_len(shown, buffer, n);
	} while (n > 0 || (shown->len < length && poll(&wait, 1, 10000) > 0));
	return g_strdup(shown->str);
}

static void terminal_close(Terminal *terminal)
{
	fclose(terminal->stream);
	close(terminal->master);
}

static void expect_shown(Terminal *terminal, const char *expected)
{
	g_autofree char *shown = terminal_read(terminal, strlen(expected));

	g_assert_cmpstr(shown, ==, expected);
}

#define ERASE "\r\033[K"

static void test_status(void)
{
	Terminal terminal;
	RigLog *log;

	terminal_open(&terminal, 40);
	log = rig_log_new(terminal.stream, RIG_LOG_NORMAL);
	g_assert_true(rig_log_is_terminal(log));
	rig_log_status(log, "one");
	expect_shown(&terminal, "one");
	rig_log_status(log, "two\nlines");
	expect_shown(&terminal, ERASE "two lines");
	rig_log_info(log, "info");
	expect_shown(&terminal, ERASE "info\r\ntwo lines");
	rig_log_status_clear(log);
	expect_shown(&terminal, ERASE);
	rig_log_info(log, "clean");
	expect_shown(&terminal, "clean\r\n");
	rig_log_status(log, "last");
	rig_log_free(log);
	expect_shown(&terminal, "last" ERASE);
	terminal_close(&terminal);
}

static void test_width(void)
{
	Terminal terminal;
	RigLog *log;

	terminal_open(&terminal, 10);
	log = rig_log_new(terminal.stream, RIG_LOG_NORMAL);
	rig_log_status(log, "0123456789abc");
	expect_shown(&terminal, "012345678");
	rig_log_status(log, "Grüße, Welt");
	expect_shown(&terminal, ERASE "Grüße, We");
	/* Wide characters take two columns each; half of one is not shown. */
	rig_log_status(log, "漢字漢字漢字");
	expect_shown(&terminal, ERASE "漢字漢字");
	rig_log_free(log);
	terminal_close(&terminal);
}

static void test_escapes(void)
{
	Terminal terminal;
	RigLog *log;

	terminal_open(&terminal, 80);
	log = rig_log_new(terminal.stream, RIG_LOG_VERBOSE);
	rig_log_info(log, "a\033[31mb%s", "\033]0;title\a");
	expect_shown(&terminal, "a\\x1b[31mb\\x1b]0;title\\x07\r\n");
	rig_log_status(log, "\033[2J");
	expect_shown(&terminal, "\\x1b[2J\r\n");
	rig_log_free(log);
	terminal_close(&terminal);
}

static void test_dumb(void)
{
	g_autofree char *old = g_strdup(g_getenv("TERM"));
	Terminal terminal;
	RigLog *log;

	terminal_open(&terminal, 80);
	g_setenv("TERM", "dumb", TRUE);
	log = rig_log_new(terminal.stream, RIG_LOG_NORMAL);
	g_assert_false(rig_log_is_terminal(log));
	rig_log_status(log, "nothing");
	expect_shown(&terminal, "");
	rig_log_free(log);
	terminal_close(&terminal);
	old ? g_setenv("TERM", old, TRUE) : (g_unsetenv("TERM"), TRUE);
}

#define THREADS 8
#define LINES 500

static gpointer speak(gpointer log)
{
	for (int i = 0; i < LINES; i++) {
		rig_log_info(log, "a line that must stay whole");
		rig_log_status(log, "status %d", i);
	}
	return NULL;
}

static void test_threads(void)
{
	FILE *file = tmpfile();
	RigLog *log = rig_log_new(file, RIG_LOG_NORMAL);
	GThread *threads[THREADS];
	char line[200];
	int n = 0;

	for (int i = 0; i < THREADS; i++)
		threads[i] = g_thread_new("speak", speak, log);
	for (int i = 0; i < THREADS; i++)
		g_thread_join(threads[i]);
	rig_log_free(log);
	for (rewind(file); fgets(line, sizeof(line), file); n++)
		g_assert_cmpstr(line, ==, "a line that must stay whole\n");
	g_assert_cmpint(n, ==, THREADS * LINES);
	fclose(file);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_setenv("TERM", "xterm", TRUE);
	g_test_add_func("/log/levels", test_levels);
	g_test_add_func("/log/null", test_null);
	g_test_add_func("/log/status", test_status);
	g_test_add_func("/log/width", test_width);
	g_test_add_func("/log/escapes", test_escapes);
	g_test_add_func("/log/dumb", test_dumb);
	g_test_add_func("/log/threads", test_threads);
	return g_test_run();
}
