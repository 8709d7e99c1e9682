/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * agent.c - rig-agent: init of a guest, and rig's hand in it. docs/protocol.md tells what it
 * understands.
 *
 * As process 1 it serves the channel that the kernel command line names; as an ordinary process,
 * with --socket, it serves one connection and touches nothing of the host, so that all of it can
 * be tested there.
 */
#include "agent.h"

#include "boot.h"
#include "cmdline.h"
#include "family.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define FLUSH_MS 2000

/* The job of a diskless guest has a request of its own number. */
#define READBACK_ID 0
#define JOB_ID 1

static void line_came(void *owner, char *line, size_t len)
{
	struct rig_agent *agent = owner;

	if (!agent->quit)
		rig_request_serve(agent, line, len);
}

static void line_too_long(void *owner)
{
	rig_agent_error(owner, 0, "too-big", "a line is longer than %d bytes", RIG_LINE_MAX);
}

static void peer_gone(void *owner)
{
	struct rig_agent *agent = owner;

	if (agent->work && agent->work->ops->gone)
		agent->work->ops->gone(agent->work);
	if (agent->channel.kind == RIG_CHANNEL_SOCKET)
		agent->quit = true;
}

static bool must_hold(void *owner)
{
	struct rig_agent *agent = owner;
	struct rig_work *work = agent->work;

	return agent->channel.out_len > RIG_CHANNEL_HOLD ||
	       (work && work->ops->hold && work->ops->hold(work));
}

static const struct rig_channel_events channel_events = {
	.line = line_came,
	.too_long = line_too_long,
	.gone = peer_gone,
	.hold = must_hold,
};

/* As process 1, the agent is everybody's last parent. */
static void reap(struct rig_agent *agent)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		if (agent->work && agent->work->ops->reaped)
			agent->work->ops->reaped(agent->work, pid, status);
}

static void signal_came(struct rig_watch *watch, uint32_t events)
{
	struct rig_agent *agent = watch->owner;
	struct signalfd_siginfo info;

	while (read(watch->fd, &info, sizeof(info)) == sizeof(info))
		if (info.ssi_signo != SIGCHLD)
			agent->quit = true;
	reap(agent);
}

static void heartbeat_due(struct rig_watch *watch, uint32_t events)
{
	struct rig_agent *agent = watch->owner;

	/* Before a hello there is nobody to hear it. */
	if (rig_timer_take(watch) && agent->greeted)
		rig_agent_beat(agent);
}

/* SIGTERM and SIGINT are also what ctrl-alt-del and a program's `poweroff` send to process 1. */
static bool watch_signals(struct rig_agent *agent)
{
	static const int wanted[] = {SIGCHLD, SIGTERM, SIGINT, SIGUSR1, SIGUSR2, SIGPWR};
	sigset_t set;

	sigemptyset(&set);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		sigaddset(&set, wanted[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	agent->signals = (struct rig_watch){.ready = signal_came, .owner = agent};
	agent->signals.fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
	return agent->signals.fd >= 0 && rig_loop_add(&agent->loop, &agent->signals, EPOLLIN) == 0;
}

static bool start_loop(struct rig_agent *agent)
{
	uint64_t beat = RIG_HEARTBEAT_S * RIG_NS_PER_S;

	agent->heartbeat = (struct rig_watch){.fd = -1, .ready = heartbeat_due, .owner = agent};
	return watch_signals(agent) &&
	       rig_loop_timer(&agent->loop, &agent->heartbeat, beat, beat) == 0;
}

/* Does all that can go on without an event. True when there is more of it. */
static bool advance(struct rig_agent *agent)
{
	bool more = rig_agent_pump(agent);

	rig_channel_flush(&agent->channel);
	more = more || (agent->producers && rig_channel_has_room(&agent->channel));
	if (agent->work && agent->work->ops->resume && rig_channel_has_room(&agent->channel))
		agent->work->ops->resume(agent->work);
	if (agent->channel.held && !must_hold(agent)) {
		rig_channel_resume(&agent->channel);
		more = true; /* its answers are to be flushed */
	}
	return more;
}

static void serve(struct rig_agent *agent)
{
	while (!agent->quit)
		rig_loop_turn(&agent->loop, advance(agent) ? 0 : -1);
}

/* Serves only until everything that was begun is done. */
static void serve_out(struct rig_agent *agent)
{
	while (!agent->quit) {
		bool more = advance(agent);

		if (!agent->work && !agent->producers)
			return;
		rig_loop_turn(&agent->loop, more ? 0 : -1);
	}
}

/* The answer to `poweroff` is to arrive, but not at any price. */
static void flush_last(struct rig_agent *agent)
{
	const struct timespec step = {.tv_nsec = RIG_NS_PER_MS};

	for (int ms = 0; ms < FLUSH_MS; ms++) {
		rig_channel_flush(&agent->channel);
		if (rig_channel_is_empty(&agent->channel))
			return;
		nanosleep(&step, NULL);
	}
}

/* The port comes when the host's half of the device has told its name: soon, or never, and in
 * that case rig shows what is said here. */
static void open_port(struct rig_agent *agent)
{
	const struct timespec step = {.tv_nsec = RIG_NS_PER_MS};
	int error = -ENOENT;

	for (unsigned int ms = 0; error && !agent->quit; ms++) {
		error = rig_channel_open_virtio(&agent->channel, &agent->loop, RIG_PORT_NAME,
						&channel_events, agent);
		if (error && ms == 10000)
			fprintf(stderr, "rig-agent: no port " RIG_PORT_NAME " yet: %s\n",
				strerror(-error));
		if (error && ms >= 10000)
			rig_loop_turn(&agent->loop, 100);
		else if (error)
			nanosleep(&step, NULL);
	}
}

/* The answers are followed by power off, so this is the whole life of a diskless guest. */
static void serve_job(struct rig_agent *agent)
{
	json_error_t error;
	json_t *job = json_load_file(RIG_GUEST_JOB, JSON_REJECT_DUPLICATES, &error);
	json_t *readback = json_object_get(job, "readback");

	rig_agent_hello(agent, READBACK_ID, "");
	if (readback)
		rig_read_paths(agent, READBACK_ID, readback);
	serve_out(agent);
	if (job)
		rig_run_job(agent, JOB_ID, job);
	else
		rig_agent_error(agent, JOB_ID, "bad-request", RIG_GUEST_JOB " line %d: %s",
				error.line, error.text);
	json_decref(job);
	serve_out(agent);
}

static void serve_guest(struct rig_agent *agent)
{
	char cmdline[4096], kind[32];
	int error;

	rig_cmdline_load("/proc/cmdline", cmdline, sizeof(cmdline));
	rig_cmdline_value(cmdline, RIG_CMDLINE_CHANNEL, kind, sizeof(kind));
	if (!strcmp(kind, "debugcon")) {
		error = rig_channel_open_debugcon(&agent->channel);
		if (!error)
			serve_job(agent);
		else
			fprintf(stderr, "rig-agent: no access to the debug port: %s\n",
				strerror(-error));
		return;
	}
	if (kind[0] && strcmp(kind, "virtio"))
		fprintf(stderr, "rig-agent: unknown channel, taking virtio\n");
	open_port(agent);
	serve(agent);
}

static _Noreturn void be_init(struct rig_agent *agent)
{
	agent->pid1 = true;
	rig_boot_setup();
	setenv("PATH",
	       RIG_GUEST_BIN ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	/* Not before there are descriptors 0 to 2: it would become one of them. */
	if (rig_loop_init(&agent->loop) == 0 && start_loop(agent))
		serve_guest(agent);
	else
		fprintf(stderr, "rig-agent: cannot start: %s\n", strerror(errno));
	rig_agent_end_session(agent);
	flush_last(agent);
	rig_boot_power_off();
}

static int be_tested(struct rig_agent *agent, const char *path)
{
	const struct rig_pids none = {0};
	int error;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	/* Signals are taken over last: until then they end the process as usual. */
	error = rig_loop_init(&agent->loop);
	if (!error)
		error = rig_channel_open_socket(&agent->channel, &agent->loop, path,
						&channel_events, agent);
	if (error || !start_loop(agent)) {
		fprintf(stderr, "rig-agent: cannot serve %s: %s\n", path,
			strerror(error ? -error : errno));
		return EXIT_FAILURE;
	}
	serve(agent);
	rig_agent_end_session(agent);
	flush_last(agent);
	rig_family_end(0, &none, 2000);
	rig_channel_close(&agent->channel);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	struct rig_agent *agent = calloc(1, sizeof(*agent));

	if (!agent)
		return EXIT_FAILURE;
	getrlimit(RLIMIT_NOFILE, &agent->child_files);
	if (getpid() == 1 && argc == 1)
		be_init(agent);
	if (argc == 3 && !strcmp(argv[1], "--socket")) {
		int code = be_tested(agent, argv[2]);

		free(agent);
		return code;
	}
	free(agent);
	fprintf(stderr, "usage: rig-agent --socket PATH (or as process 1 of a guest)\n");
	return 2;
}
