/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-channel.c - lines over a socket to peers that are slow, loud, silent or gone.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/error.h"
#include "proto.h"
#include "vm/channel.h"

/* Never waited for where all is well, however busy the machine is. */
#define LONG_MS 60000

typedef struct {
	RigChannel *channel;
	int peer;
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	int fds[2];

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
	f->channel = rig_channel_new(fds[0]);
	f->peer = fds[1];
}

static void teardown(Fixture *f, gconstpointer data)
{
	rig_channel_free(f->channel);
	if (f->peer >= 0)
		close(f->peer);
}

static gint64 in_ms(int ms)
{
	return g_get_monotonic_time() + ms * 1000;
}

static void say(Fixture *f, const char *text)
{
	g_assert_cmpint(write(f->peer, text, strlen(text)), ==, (gssize)strlen(text));
}

static void expect_line(Fixture *f, const char *expected)
{
	g_autoptr(GError) error = NULL;
	const char *line = NULL;
	gsize length = 0;
	RigChannelEvent event =
		rig_channel_next(f->channel, -1, in_ms(LONG_MS), NULL, &line, &length, &error);

	g_assert_no_error(error);
	g_assert_cmpint(event, ==, RIG_CHANNEL_LINE);
	g_assert_cmpstr(line, ==, expected);
	g_assert_cmpuint(length, ==, strlen(expected));
}

static void expect_failure(Fixture *f, GCancellable *cancellable, int code, const char *part)
{
	g_autoptr(GError) error = NULL;
	const char *line;
	gsize length;

	g_assert_cmpint(rig_channel_next(f->channel, -1, in_ms(LONG_MS), cancellable, &line,
					 &length, &error),
			==, RIG_CHANNEL_FAILED);
	g_assert_error(error, RIG_ERROR, code);
	g_assert_nonnull(strstr(error->message, part));
}

static void test_lines(Fixture *f, gconstpointer data)
{
	say(f, "one\n\ntwo\nhalf");
	expect_line(f, "one");
	expect_line(f, "");
	expect_line(f, "two");
	say(f, " done\n");
	expect_line(f, "half done");
}

static void test_last_words(Fixture *f, gconstpointer data)
{
	say(f, "last\nunfinished");
	close(f->peer);
	f->peer = -1;
	expect_line(f, "last");
	expect_failure(f, NULL, RIG_ERROR_LOST, "closed");
}

/* A peer that closed its end still has last words, whatever we wanted to send. */
static void test_last_words_while_sending(Fixture *f, gconstpointer data)
{
	say(f, "panic\n");
	close(f->peer);
	f->peer = -1;
	rig_channel_queue(f->channel, "hello?");
	expect_line(f, "panic");
	expect_failure(f, NULL, RIG_ERROR_LOST, "closed");
}

static void test_longest_line(Fixture *f, gconstpointer data)
{
	g_autofree char *line = g_strnfill(RIG_LINE_MAX - 1, 'x');
	g_autofree char *sent = g_strconcat(line, "\n", NULL);

	say(f, sent);
	expect_line(f, line);
}

static void test_too_long(Fixture *f, gconstpointer data)
{
	g_autofree char *line = g_strnfill(RIG_LINE_MAX, 'x');

	say(f, line);
	say(f, "\n");
	expect_failure(f, NULL, RIG_ERROR_LOST, "longer than");
}

/* Without an end there must be an end to our patience, too. */
static void test_endless_line(Fixture *f, gconstpointer data)
{
	g_autofree char *line = g_strnfill(RIG_LINE_MAX + 10, 'x');

	say(f, line);
	expect_failure(f, NULL, RIG_ERROR_LOST, "longer than");
}

static void test_deadline(Fixture *f, gconstpointer data)
{
	gint64 begin = g_get_monotonic_time();
	const char *line;
	gsize length;

	g_assert_cmpint(rig_channel_next(f->channel, -1, in_ms(120), NULL, &line, &length, NULL),
			==, RIG_CHANNEL_EXPIRED);
	g_assert_cmpint(g_get_monotonic_time() - begin, >=, 110000);
	g_assert_cmpint(g_get_monotonic_time() - begin, <, LONG_MS * 1000);
}

static gpointer babble(gpointer data)
{
	int fd = GPOINTER_TO_INT(data);

	while (send(fd, "noise\n", 6, MSG_NOSIGNAL) > 0)
		;
	return NULL;
}

/* A peer that never stops must not keep us from the deadline. */
static void test_babble_deadline(Fixture *f, gconstpointer data)
{
	GThread *thread = g_thread_new("babble", babble, GINT_TO_POINTER(f->peer));
	gint64 deadline = in_ms(200);
	RigChannelEvent event;
	const char *line;
	gsize length;

	do
		event = rig_channel_next(f->channel, -1, deadline, NULL, &line, &length, NULL);
	while (event == RIG_CHANNEL_LINE);
	g_assert_cmpint(event, ==, RIG_CHANNEL_EXPIRED);
	rig_channel_free(f->channel);
	f->channel = NULL;
	g_thread_join(thread);
}

static gpointer cancel_soon(gpointer data)
{
	g_usleep(100000);
	g_cancellable_cancel(data);
	return NULL;
}

static void test_cancel(Fixture *f, gconstpointer data)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);

	expect_failure(f, cancellable, RIG_ERROR_INTERRUPTED, "interrupted");
	g_thread_join(thread);
}

static gboolean third_time(gpointer data, GError **error)
{
	int *calls = data;

	if (++*calls < 3)
		return TRUE;
	rig_error_set(error, RIG_ERROR_PANIC, "the console says so");
	return FALSE;
}

static void test_watch(Fixture *f, gconstpointer data)
{
	int calls = 0;

	rig_channel_set_watch(f->channel, third_time, &calls);
	expect_failure(f, NULL, RIG_ERROR_PANIC, "console");
	g_assert_cmpint(calls, ==, 3);
}

static gpointer echo_all(gpointer data)
{
	int fd = GPOINTER_TO_INT(data);
	char buffer[4096];
	ssize_t n;

	while ((n = recv(fd, buffer, sizeof(buffer), 0)) > 0)
		if (send(fd, buffer, (size_t)n, MSG_NOSIGNAL) != n)
			break;
	return NULL;
}

/* More in both directions than the sockets hold: nobody may wait for the other for ever. */
static void test_full_pipes(Fixture *f, gconstpointer data)
{
	g_autofree char *line = g_strnfill(RIG_LINE_MAX - 1, 'y');
	GThread *thread = g_thread_new("echo", echo_all, GINT_TO_POINTER(f->peer));

	for (guint i = 0; i < 64; i++)
		rig_channel_queue(f->channel, line);
	for (guint i = 0; i < 64; i++)
		expect_line(f, line);
	g_assert_cmpuint(rig_channel_queued(f->channel), ==, 0);
	rig_channel_free(f->channel);
	f->channel = NULL;
	g_thread_join(thread);
}

static void test_flush_blocked(Fixture *f, gconstpointer data)
{
	g_autofree char *line = g_strnfill(RIG_LINE_MAX - 1, 'y');
	g_autoptr(GError) error = NULL;

	for (guint i = 0; i < 64; i++)
		rig_channel_queue(f->channel, line);
	g_assert_false(rig_channel_flush(f->channel, in_ms(150), NULL, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_LOST);
}

static void test_input(Fixture *f, gconstpointer data)
{
	const char *line;
	gsize length;
	int fds[2];

	g_assert_cmpint(pipe(fds), ==, 0);
	g_assert_cmpint(write(fds[1], "x", 1), ==, 1);
	g_assert_cmpint(
		rig_channel_next(f->channel, fds[0], in_ms(1000), NULL, &line, &length, NULL), ==,
		RIG_CHANNEL_INPUT);
	close(fds[0]);
	close(fds[1]);
}

static void test_connect(void)
{
	g_autofree char *dir = g_dir_make_tmp("rig-channel-XXXXXX", NULL);
	g_autofree char *path = g_build_filename(dir, "s", NULL);
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	g_autoptr(RigChannel) channel = NULL;
	g_autoptr(GError) error = NULL;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	g_assert_null(rig_channel_connect(path, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_LOST);
	g_clear_error(&error);
	strcpy(address.sun_path, path);
	g_assert_cmpint(bind(fd, (struct sockaddr *)&address, sizeof(address)), ==, 0);
	g_assert_cmpint(listen(fd, 1), ==, 0);
	channel = rig_channel_connect(path, &error);
	g_assert_no_error(error);
	g_assert_nonnull(channel);
	close(fd);
	unlink(path);
	rmdir(dir);
}

static void test_long_path(void)
{
	g_autofree char *path = g_strnfill(150, 'p');
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_channel_connect(path, &error));
	g_assert_error(error, RIG_ERROR, RIG_ERROR_HOST);
	g_assert_nonnull(strstr(error->message, "hint: "));
}

#define ADD(name, function) g_test_add("/channel/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("lines", test_lines);
	ADD("last-words", test_last_words);
	ADD("last-words-while-sending", test_last_words_while_sending);
	ADD("longest-line", test_longest_line);
	ADD("too-long", test_too_long);
	ADD("endless-line", test_endless_line);
	ADD("deadline", test_deadline);
	ADD("babble-deadline", test_babble_deadline);
	ADD("cancel", test_cancel);
	ADD("watch", test_watch);
	ADD("full-pipes", test_full_pipes);
	ADD("flush-blocked", test_flush_blocked);
	ADD("input", test_input);
	g_test_add_func("/channel/connect", test_connect);
	g_test_add_func("/channel/long-path", test_long_path);
	return g_test_run();
}
