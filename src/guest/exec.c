/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * exec.c - the `exec` request: a program whose output is sent as it comes.
 *
 * Nothing is read from the program while the channel is full, so a program that writes without
 * end waits in write(2), as it would for a slow terminal.
 */
#include "child.h"
#include "deadline.h"
#include "request.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* No more requests are taken while a program leaves this much of its input unread. */
#define INPUT_HOLD (1024 * 1024)

struct exec;

struct output {
	struct rig_watch watch;
	struct exec *exec;
	const char *name;
	bool stopped; /* not waited for, until the channel has room */
};

struct exec {
	struct rig_work work;
	struct rig_agent *agent;
	struct output out, err;
	struct rig_watch in;
	bool in_waiting; /* the pipe is full and is waited for */
	bool in_eof;
	char *pending;
	size_t pending_len;
	struct rig_deadline deadline;
	pid_t pid;
};

static void free_exec(struct exec *exec)
{
	rig_deadline_stop(&exec->deadline);
	rig_loop_close(&exec->agent->loop, &exec->in);
	rig_loop_close(&exec->agent->loop, &exec->out.watch);
	rig_loop_close(&exec->agent->loop, &exec->err.watch);
	exec->agent->work = NULL;
	free(exec->pending);
	free(exec);
}

/* Sends at most one chunk, no more than `limit`. Returns what read(2) returned. */
static ssize_t forward(struct output *output, size_t limit)
{
	char data[RIG_CHUNK_MAX];
	ssize_t n = read(output->watch.fd, data, limit < sizeof(data) ? limit : sizeof(data));

	if (n > 0)
		rig_agent_stream(output->exec->agent, output->exec->work.id, output->name, data, n);
	return n;
}

static void output_ready(struct rig_watch *watch, uint32_t events)
{
	struct output *output = watch->owner;
	struct rig_agent *agent = output->exec->agent;
	ssize_t n;

	if (!rig_channel_has_room(&agent->channel)) {
		rig_loop_remove(&agent->loop, watch);
		output->stopped = true;
		return;
	}
	n = forward(output, RIG_CHUNK_MAX);
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		rig_loop_close(&agent->loop, watch);
}

static void resume_output(struct output *output)
{
	if (!output->stopped || output->watch.fd < 0)
		return;
	output->stopped = false;
	rig_loop_add(&output->exec->agent->loop, &output->watch, EPOLLIN);
}

static void resume_exec(struct rig_work *work)
{
	struct exec *exec = (struct exec *)work;

	resume_output(&exec->out);
	resume_output(&exec->err);
}

static void close_input(struct exec *exec)
{
	if (exec->in_waiting)
		rig_loop_remove(&exec->agent->loop, &exec->in);
	if (exec->in.fd >= 0)
		close(exec->in.fd);
	exec->in.fd = -1;
	exec->in_waiting = false;
	exec->pending_len = 0;
}

/* Writes what the program takes, and waits for it only while there is something to write. */
static void write_input(struct exec *exec)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < exec->pending_len) {
		n = write(exec->in.fd, exec->pending + done, exec->pending_len - done);
		if (n <= 0)
			break;
		done += n;
	}
	exec->pending_len -= done;
	memmove(exec->pending, exec->pending + done, exec->pending_len);
	if (n < 0 && errno != EAGAIN && errno != EINTR) {
		close_input(exec); /* the program does not want any more */
	} else if (exec->pending_len && !exec->in_waiting) {
		exec->in_waiting = rig_loop_add(&exec->agent->loop, &exec->in, EPOLLOUT) == 0;
	} else if (!exec->pending_len) {
		if (exec->in_waiting)
			rig_loop_remove(&exec->agent->loop, &exec->in);
		exec->in_waiting = false;
		if (exec->in_eof)
			close_input(exec);
	}
}

static void input_ready(struct rig_watch *watch, uint32_t events)
{
	write_input(watch->owner);
}

static void take_input(struct rig_work *work, const void *data, size_t size, bool eof)
{
	struct exec *exec = (struct exec *)work;
	char *pending;

	if (exec->in.fd < 0 || exec->in_eof)
		return;
	pending = realloc(exec->pending, exec->pending_len + size + 1);
	if (!pending)
		return;
	exec->pending = pending;
	memcpy(pending + exec->pending_len, data, size);
	exec->pending_len += size;
	exec->in_eof = eof;
	write_input(exec);
}

static bool hold_exec(struct rig_work *work)
{
	return ((struct exec *)work)->pending_len > INPUT_HOLD;
}

/* The rest of the input will never come, and what is there must not hold up the next session. */
static void lose_peer(struct rig_work *work)
{
	close_input((struct exec *)work);
}

static void kill_exec(struct rig_work *work, int signal)
{
	kill(-((struct exec *)work)->pid, signal);
}

static void abort_exec(struct rig_work *work)
{
	kill_exec(work, SIGKILL);
	free_exec((struct exec *)work);
}

/* What is in the pipe when the program has ended is still its output. The pipe may stay open in a
 * process that it left in the background; nobody waits for that one. */
static void drain(struct output *output)
{
	int left = 0;

	if (output->watch.fd < 0 || ioctl(output->watch.fd, FIONREAD, &left) < 0)
		return;
	while (left > 0) {
		ssize_t n = forward(output, left);

		if (n <= 0)
			return;
		left -= n;
	}
}

static void child_reaped(struct rig_work *work, pid_t pid, int status)
{
	struct exec *exec = (struct exec *)work;

	if (pid != exec->pid)
		return;
	if (exec->deadline.passed)
		kill(-exec->pid, SIGKILL); /* those of its group that outlived it */
	drain(&exec->out);
	drain(&exec->err);
	rig_agent_exit(exec->agent, exec->work.id, status, exec->deadline.passed);
	free_exec(exec);
}

static const struct rig_work_ops exec_ops = {
	.input = take_input,
	.kill = kill_exec,
	.reaped = child_reaped,
	.resume = resume_exec,
	.hold = hold_exec,
	.gone = lose_peer,
	.abort = abort_exec,
};

/* The program's end of a pipe, and ours, which does not block. */
static bool make_pipe(int fds[2], int ours)
{
	return pipe2(fds, O_CLOEXEC) == 0 && fcntl(fds[ours], F_SETFL, O_NONBLOCK) == 0;
}

static void watch_output(struct exec *exec, struct output *output, const char *name, int fd)
{
	output->watch = (struct rig_watch){.fd = fd, .ready = output_ready, .owner = output};
	output->exec = exec;
	output->name = name;
	rig_loop_add(&exec->agent->loop, &output->watch, EPOLLIN);
}

static void close_pipe(const int fds[2])
{
	if (fds[0] >= 0)
		close(fds[0]);
	if (fds[1] >= 0)
		close(fds[1]);
}

/* Starts the program of `child` with three pipes. Returns its process id or -errno. */
static pid_t start_piped(struct exec *exec, struct rig_child *child, bool with_input)
{
	int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1};
	pid_t pid = -EMFILE;

	if (with_input)
		make_pipe(in, 1);
	else
		in[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	if (in[0] >= 0 && make_pipe(out, 0) && make_pipe(err, 0)) {
		child->in = in[0];
		child->out = out[1];
		child->err = err[1];
		pid = rig_child_start(exec->agent, child);
	}
	if (pid > 0) {
		watch_output(exec, &exec->out, "out", out[0]);
		watch_output(exec, &exec->err, "err", err[0]);
		exec->in = (struct rig_watch){.fd = in[1], .ready = input_ready, .owner = exec};
		in[1] = out[0] = err[0] = -1;
	}
	close_pipe(in);
	close_pipe(out);
	close_pipe(err);
	return pid;
}

static void start_exec(struct rig_agent *agent, uint64_t id, const json_t *request,
		       struct rig_child *child)
{
	struct exec *exec = calloc(1, sizeof(*exec));
	json_int_t timeout = json_integer_value(json_object_get(request, "timeout_ms"));

	if (!exec) {
		rig_agent_error(agent, id, "io", "no memory for a program");
		return;
	}
	exec->work = (struct rig_work){.id = id, .ops = &exec_ops};
	exec->agent = agent;
	exec->pid = start_piped(exec, child, json_is_true(json_object_get(request, "stdin")));
	if (exec->pid < 0) {
		rig_agent_error(agent, id, exec->pid == -ENOENT ? "no-program" : "not-executable",
				"cannot start %s: %s", child->argv[0], strerror(-exec->pid));
		free(exec);
		return;
	}
	rig_deadline_start(&exec->deadline, &agent->loop, exec->pid, timeout > 0 ? timeout : 0);
	agent->work = &exec->work;
}

void rig_exec_request(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	struct rig_child child = {
		.argv = rig_child_argv(json_object_get(request, "argv")),
		.env = rig_child_env(json_object_get(request, "env"), NULL),
		.cwd = json_string_value(json_object_get(request, "cwd")),
		.keep = {-1, -1},
	};

	if (!child.argv || !child.env)
		rig_agent_error(agent, id, "bad-request",
				"exec needs argv, a list of strings, and env of strings if any");
	else
		start_exec(agent, id, request, &child);
	rig_child_free_list(child.argv);
	rig_child_free_list(child.env);
}
