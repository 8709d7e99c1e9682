/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-agentclient.c - the client of docs/protocol.md against agents that babble, lie and leave.
 *
 * The peer is a thread with a script: what it says at the beginning, and what it answers to each
 * request. "@ID" in an answer is the request's id, "@SESSION" the session of the last hello.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "expect.h"
#include "proto.h"
#include "vm/agent.h"

/* Never waited for where all is well, however busy the machine is. */
#define LONG_MS 60000

#define HELLO                                                                             \
	"{\"type\": \"hello\", \"id\": @ID, \"session\": \"@SESSION\", \"protocol\": 1, " \
	"\"agent\": \"0.1.0\", \"release\": \"6.12\", \"boot_id\": \"b\"}\n"

typedef struct {
	int fd;
	const char *first;	/* said before anything was heard */
	const char *answers[4]; /* to the first, second... request that is no hello */
	const char *hello;	/* NULL: HELLO */
	gboolean close_at_end;	/* after the last answer */
	GString *heard;		/* all requests */
	guint inputs;
} Peer;

static void send_text(int fd, const char *text)
{
	gsize length = strlen(text);

	while (length > 0) {
		ssize_t n = send(fd, text, length, MSG_NOSIGNAL);

		if (n <= 0)
			return;
		text += n;
		length -= (gsize)n;
	}
}

static void answer(Peer *peer, const char *template, const char *id, const char *session)
{
	g_autoptr(GString) text = g_string_new(template);

	g_string_replace(text, "@ID", id, 0);
	g_string_replace(text, "@SESSION", session, 0);
	send_text(peer->fd, text->str);
}

static void serve(Peer *peer, const char *line, guint *step)
{
	g_autoptr(RigJson) request = rig_json_parse("request", line, -1, NULL);
	const char *op = rig_json_string(request, "op", RIG_JSON_REQUIRED);
	g_autofree char *id = NULL;

	g_assert_nonnull(request);
	id = g_strdup_printf("%d",
			     (int)rig_json_int(request, "id", RIG_JSON_REQUIRED, 1, 1000000, 0));
	if (strcmp(op, "hello") == 0) {
		answer(peer, peer->hello ? peer->hello : HELLO, id,
		       rig_json_string(request, "session", RIG_JSON_REQUIRED));
		return;
	}
	if (strcmp(op, "input") == 0) {
		peer->inputs++;
		if (!rig_json_bool(request, "eof", RIG_JSON_OPTIONAL, FALSE))
			return;
		id = (g_free(id),
		      g_strdup_printf("%d", (int)rig_json_int(request, "to", RIG_JSON_REQUIRED, 1,
							      1000000, 0)));
	}
	if (strcmp(op, "kill") == 0 || *step >= G_N_ELEMENTS(peer->answers) ||
	    !peer->answers[*step])
		return;
	answer(peer, peer->answers[(*step)++], id, "");
	if (peer->close_at_end && (*step == G_N_ELEMENTS(peer->answers) || !peer->answers[*step]))
		shutdown(peer->fd, SHUT_RDWR);
}

static gpointer run_peer(gpointer data)
{
	Peer *peer = data;
	FILE *in = fdopen(dup(peer->fd), "r");
	g_autofree char *line = g_malloc(2 * RIG_LINE_MAX);
	guint step = 0;

	if (peer->first)
		send_text(peer->fd, peer->first);
	while (fgets(line, 2 * RIG_LINE_MAX, in)) {
		g_string_append(peer->heard, line);
		if (*g_strstrip(line))
			serve(peer, line, &step);
	}
	fclose(in);
	return NULL;
}

typedef struct {
	Peer peer;
	RigAgent *agent;
	GThread *thread;
	GCancellable *cancellable;
} Fixture;

static void setup(Fixture *f, gconstpointer data)
{
	f->peer.heard = g_string_new(NULL);
	f->cancellable = g_cancellable_new();
}

static void begin(Fixture *f, int silence_ms)
{
	int fds[2];

	g_assert_cmpint(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds), ==, 0);
	f->peer.fd = fds[1];
	f->thread = g_thread_new("peer", run_peer, &f->peer);
	f->agent = rig_agent_new(rig_channel_new(fds[0]), silence_ms, f->cancellable);
}

static gint64 in_ms(int ms)
{
	return g_get_monotonic_time() + ms * 1000;
}

static void begin_session(Fixture *f)
{
	g_autoptr(GError) error = NULL;

	begin(f, LONG_MS);
	g_assert_true(rig_agent_hello(f->agent, in_ms(LONG_MS), &error));
	g_assert_no_error(error);
}

/* End both sides; the peer's notes can be read then. */
static void end(Fixture *f)
{
	g_clear_pointer(&f->agent, rig_agent_free);
	if (f->thread)
		g_thread_join(f->thread);
	f->thread = NULL;
}

static void teardown(Fixture *f, gconstpointer data)
{
	end(f);
	close(f->peer.fd);
	g_string_free(f->peer.heard, TRUE);
	g_object_unref(f->cancellable);
}

static void test_hello(Fixture *f, gconstpointer data)
{
	begin_session(f);
	g_assert_cmpstr(rig_agent_version(f->agent), ==, "0.1.0");
	g_assert_cmpstr(rig_agent_release(f->agent), ==, "6.12");
	g_assert_cmpstr(rig_agent_boot_id(f->agent), ==, "b");
	end(f);
	/* An empty line ends what an earlier rig may have left half said. */
	g_assert_true(g_str_has_prefix(f->peer.heard->str, "\n{"));
}

/* What an earlier session left, and what is no message at all, comes before the hello. */
static void test_hello_after_noise(Fixture *f, gconstpointer data)
{
	f->peer.first =
		"alf a line\"}\n"
		"\xff\xfe\x01 noise\n"
		"[1, 2]\n"
		"{\"type\": \"hello\", \"id\": 1, \"session\": \"of another\", \"protocol\": 9}\n"
		"{\"type\": \"done\", \"id\": 5, \"code\": 0}\n"
		"\n";
	begin_session(f);
	g_assert_cmpstr(rig_agent_version(f->agent), ==, "0.1.0");
}

static void test_wrong_session(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	f->peer.hello =
		"{\"type\": \"hello\", \"id\": @ID, \"session\": \"liar\", \"protocol\": 1}\n";
	begin(f, LONG_MS);
	g_assert_false(rig_agent_hello(f->agent, in_ms(300), &error));
	expect_error(&error, RIG_ERROR_TIMEOUT, "did not answer in time");
}

static void test_wrong_protocol(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	f->peer.hello =
		"{\"type\": \"hello\", \"id\": @ID, \"session\": \"@SESSION\", \"protocol\": 2}\n";
	begin(f, LONG_MS);
	g_assert_false(rig_agent_hello(f->agent, in_ms(LONG_MS), &error));
	expect_error(&error, RIG_ERROR_BOOT, "protocol 2");
}

static void test_hello_too_long(Fixture *f, gconstpointer data)
{
	static char
		noise[RIG_LINE_MAX + 6]; /* the peer's thread may still send it when we return */
	g_autoptr(GError) error = NULL;

	memset(noise, 'x', sizeof(noise) - 1);
	f->peer.first = noise;
	begin(f, LONG_MS);
	g_assert_false(rig_agent_hello(f->agent, in_ms(LONG_MS), &error));
	expect_error(&error, RIG_ERROR_LOST, "longer than");
}

static void test_read(Fixture *f, gconstpointer data)
{
	static const char *const paths[] = {"/proc/x", NULL};
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) files = NULL;

	/* "ab", "c" in two chunks; a heartbeat and a late answer of another request between them.
	 */
	f->peer.answers[0] =
		"{\"type\": \"data\", \"id\": @ID, \"path\": \"/proc/x\", \"data\": \"YWI=\", "
		"\"more\": true}\n"
		"{\"type\": \"heartbeat\", \"uptime_ms\": 1}\n"
		"{\"type\": \"exit\", \"id\": 999, \"code\": 3}\n"
		"{\"type\": \"data\", \"id\": @ID, \"path\": \"/proc/x\", \"data\": \"Yw==\", "
		"\"more\": false}\n"
		"{\"type\": \"ok\", \"id\": @ID, \"files\": 1}\n";
	begin_session(f);
	files = rig_agent_read(f->agent, paths, &error);
	g_assert_no_error(error);
	g_assert_cmpuint(files->len, ==, 1);
	g_assert_cmpstr(((RigRawFile *)files->pdata[0])->path, ==, "/proc/x");
	g_assert_cmpstr(((RigRawFile *)files->pdata[0])->text, ==, "abc");
}

static void test_read_error(Fixture *f, gconstpointer data)
{
	static const char *const paths[] = {"/x", NULL};
	g_autoptr(GError) error = NULL;

	f->peer.answers[0] = "{\"type\": \"error\", \"id\": @ID, \"code\": \"no-file\", "
			     "\"message\": \"/x: no\\u001b[2Jthing\"}\n";
	begin_session(f);
	g_assert_null(rig_agent_read(f->agent, paths, &error));
	g_assert_null(strchr(error->message, '\x1b'));
	expect_error(&error, RIG_ERROR_USAGE, "/x: no\\x1b[2Jthing");
}

static int exec_to(Fixture *f, int in_fd, char **out, GError **error)
{
	static const char *const argv[] = {"cat", NULL};
	g_autofree char *path = g_strdup("/tmp/rig-agentclient-XXXXXX");
	int fd = g_mkstemp(path);
	int code = -1;

	g_assert_cmpint(fd, >=, 0);
	if (!rig_agent_exec(f->agent, argv, in_fd, fd, fd, &code, error))
		code = -1;
	if (out)
		g_assert_true(g_file_get_contents(path, out, NULL, NULL));
	close(fd);
	unlink(path);
	return code;
}

static void test_exec(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *out = NULL;

	f->peer.answers[0] =
		"{\"type\": \"data\", \"id\": @ID, \"stream\": \"out\", \"data\": \"aGVsbG8K\"}\n"
		"{\"type\": \"exit\", \"id\": @ID, \"code\": 7}\n";
	begin_session(f);
	g_assert_cmpint(exec_to(f, -1, &out, &error), ==, 7);
	g_assert_no_error(error);
	g_assert_cmpstr(out, ==, "hello\n");
}

static void test_exec_signal(Fixture *f, gconstpointer data)
{
	f->peer.answers[0] = "{\"type\": \"exit\", \"id\": @ID, \"signal\": 9}\n";
	begin_session(f);
	g_assert_cmpint(exec_to(f, -1, NULL, NULL), ==, 137);
}

/* stdin goes in pieces and ends with an end. */
static void test_exec_input(Fixture *f, gconstpointer data)
{
	g_autofree char *text = g_strnfill(3 * RIG_CHUNK_MAX, 'i');
	g_autofree char *path = g_strdup("/tmp/rig-agentclient-XXXXXX");
	int fd = g_mkstemp(path);

	g_assert_cmpint(write(fd, text, 3 * RIG_CHUNK_MAX), ==, 3 * RIG_CHUNK_MAX);
	lseek(fd, 0, SEEK_SET);
	f->peer.answers[0] = "\n";
	f->peer.answers[1] = "{\"type\": \"exit\", \"id\": @ID, \"code\": 0}\n";
	begin_session(f);
	g_assert_cmpint(exec_to(f, fd, NULL, NULL), ==, 0);
	end(f);
	g_assert_cmpuint(f->peer.inputs, ==, 4);
	close(fd);
	unlink(path);
}

static void expect_exec_failure(Fixture *f, const char *first_answer, int code, const char *part)
{
	g_autoptr(GError) error = NULL;

	f->peer.answers[0] = first_answer;
	begin_session(f);
	g_assert_cmpint(exec_to(f, -1, NULL, &error), ==, -1);
	expect_error(&error, code, part);
}

static void test_exec_closed(Fixture *f, gconstpointer data)
{
	f->peer.close_at_end = TRUE;
	expect_exec_failure(
		f,
		"{\"type\": \"data\", \"id\": @ID, \"stream\": \"out\", \"data\": \"YQ==\"}\n"
		"{\"type\": \"exi",
		RIG_ERROR_LOST, "closed");
}

static void test_exec_no_json(Fixture *f, gconstpointer data)
{
	expect_exec_failure(f, "Segmentation fault\n", RIG_ERROR_LOST, "broke the protocol");
}

static void test_exec_wrong_answer(Fixture *f, gconstpointer data)
{
	expect_exec_failure(f, "{\"type\": \"done\", \"id\": @ID}\n", RIG_ERROR_LOST, "\"done\"");
}

static void test_exec_no_data(Fixture *f, gconstpointer data)
{
	expect_exec_failure(f, "{\"type\": \"data\", \"id\": @ID, \"data\": 5}\n", RIG_ERROR_LOST,
			    "without data");
}

static void test_exec_busy(Fixture *f, gconstpointer data)
{
	expect_exec_failure(
		f, "{\"type\": \"error\", \"id\": @ID, \"code\": \"busy\", \"message\": \"run\"}\n",
		RIG_ERROR_HOST, "in the guest: run");
}

/* No heartbeat for as long as was allowed. */
static void test_silence(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;

	begin(f, 300);
	g_assert_true(rig_agent_hello(f->agent, in_ms(LONG_MS), &error));
	g_assert_cmpint(exec_to(f, -1, NULL, &error), ==, -1);
	expect_error(&error, RIG_ERROR_HANG, "said nothing");
}

static gpointer cancel_soon(gpointer data)
{
	g_usleep(150000);
	g_cancellable_cancel(data);
	return NULL;
}

/* Interrupted: promptly, and what runs in the guest is killed. */
static void test_interrupt(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	GThread *thread;
	gint64 at;

	begin_session(f);
	thread = g_thread_new("cancel", cancel_soon, f->cancellable);
	at = g_get_monotonic_time();
	g_assert_cmpint(exec_to(f, -1, NULL, &error), ==, -1);
	/* Not when the agent had been silent for too long. */
	g_assert_cmpint(g_get_monotonic_time() - at, <, LONG_MS * 1000);
	expect_error(&error, RIG_ERROR_INTERRUPTED, "interrupted");
	g_thread_join(thread);
	end(f);
	g_assert_nonnull(strstr(f->peer.heard->str, "\"op\":\"kill\""));
}

static void count_phases(const char *phase, gpointer data)
{
	g_string_append_printf(data, "%s,", phase);
}

#define SNAPS                                                                                     \
	"{\"type\": \"phase\", \"id\": @ID, \"phase\": \"co\\u001bpy\"}\n"                        \
	"{\"type\": \"snap\", \"id\": @ID, \"snap\": 0, \"kind\": \"mark\", \"phase\": "          \
	"\"start\", "                                                                             \
	"\"t_ns\": 5}\n"                                                                          \
	"{\"type\": \"data\", \"id\": @ID, \"snap\": 0, \"path\": \"/proc/vmstat\", \"data\": "   \
	"\"YQ==\", \"more\": false}\n"                                                            \
	"{\"type\": \"snap\", \"id\": @ID, \"snap\": 1, \"kind\": \"mark\", \"phase\": \"end\", " \
	"\"t_ns\": 9}\n"

#define DONE(snaps)                                                                       \
	"{\"type\": \"done\", \"id\": @ID, \"code\": 0, \"start_ns\": 5, \"end_ns\": 9, " \
	"\"snaps\": " #snaps ", \"events\": 0, \"agent_cpu_ns\": 1, \"full\": false}\n"

static void test_run(Fixture *f, gconstpointer data)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(GString) phases = g_string_new(NULL);
	g_autoptr(GError) error = NULL;

	f->peer.answers[0] = SNAPS DONE(2);
	begin_session(f);
	g_assert_true(rig_agent_run(f->agent, "{\"argv\": [\"/x\"]}", run, in_ms(LONG_MS),
				    count_phases, phases, &error));
	g_assert_no_error(error);
	g_assert_true(run->done);
	g_assert_cmpuint(run->snaps->len, ==, 2);
	g_assert_cmpstr(phases->str, ==, "co\\x1bpy,");
}

static void expect_run_failure(Fixture *f, const char *text, int ms, int code)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(GError) error = NULL;

	f->peer.answers[0] = text;
	begin_session(f);
	g_assert_false(rig_agent_run(f->agent, "{\"argv\": [\"/x\"]}", run, in_ms(ms), NULL, NULL,
				     &error));
	g_assert_error(error, RIG_ERROR, code);
	g_assert_false(run->done);
}

static void test_run_wrong_count(Fixture *f, gconstpointer data)
{
	expect_run_failure(f, SNAPS DONE(3), LONG_MS, RIG_ERROR_LOST);
}

static void test_run_setting(Fixture *f, gconstpointer data)
{
	expect_run_failure(
		f,
		"{\"type\": \"error\", \"id\": @ID, \"code\": \"setting\", \"message\": \"no\"}\n",
		LONG_MS, RIG_ERROR_FAILED);
}

static void test_run_half(Fixture *f, gconstpointer data)
{
	f->peer.close_at_end = TRUE;
	expect_run_failure(f, SNAPS, LONG_MS, RIG_ERROR_LOST);
}

static void test_run_deadline(Fixture *f, gconstpointer data)
{
	expect_run_failure(f, SNAPS, 300, RIG_ERROR_TIMEOUT);
}

static void test_run_job_two_lines(Fixture *f, gconstpointer data)
{
	g_autoptr(RigRawRun) run = rig_raw_run_new();
	g_autoptr(GError) error = NULL;

	begin_session(f);
	g_assert_false(rig_agent_run(f->agent, "{\n}", run, 0, NULL, NULL, &error));
	expect_error(&error, RIG_ERROR_USAGE, "one line");
}

#define ADD(name, function) \
	g_test_add("/agentclient/" name, Fixture, NULL, setup, function, teardown)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("hello", test_hello);
	ADD("hello-after-noise", test_hello_after_noise);
	ADD("wrong-session", test_wrong_session);
	ADD("wrong-protocol", test_wrong_protocol);
	ADD("hello-too-long", test_hello_too_long);
	ADD("read", test_read);
	ADD("read-error", test_read_error);
	ADD("exec", test_exec);
	ADD("exec-signal", test_exec_signal);
	ADD("exec-input", test_exec_input);
	ADD("exec-closed", test_exec_closed);
	ADD("exec-no-json", test_exec_no_json);
	ADD("exec-wrong-answer", test_exec_wrong_answer);
	ADD("exec-no-data", test_exec_no_data);
	ADD("exec-busy", test_exec_busy);
	ADD("silence", test_silence);
	ADD("interrupt", test_interrupt);
	ADD("run", test_run);
	ADD("run-wrong-count", test_run_wrong_count);
	ADD("run-setting", test_run_setting);
	ADD("run-half", test_run_half);
	ADD("run-deadline", test_run_deadline);
	ADD("run-job-two-lines", test_run_job_two_lines);
	return g_test_run();
}
