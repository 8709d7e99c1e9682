/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run.c - carries out one job: settings, program, marks, samples, and the end of all that the
 * program started.
 *
 * While the program runs, the agent only wakes up for its control lines, its output, the sample
 * timer and the heartbeat. Everything is kept in memory; report.c sends it when all is over.
 */
#include "run.h"

#include "child.h"
#include "pipes.h"
#include "request.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the program left behind is killed again and again, at last with everything else in the
 * guest, and then given up. */
#define KILL_AGAIN_NS (10 * RIG_NS_PER_MS)
#define KILL_ALL_NS (2 * RIG_NS_PER_S)
#define KILL_GIVE_UP_NS (5 * RIG_NS_PER_S)

#define SAMPLE_MIN_MS 10

static void free_capture(struct rig_run *run, struct rig_capture *capture)
{
	rig_loop_close(&run->agent->loop, &capture->watch);
	free(capture->data);
}

static void close_watches(struct rig_run *run)
{
	rig_loop_close(&run->agent->loop, &run->control_watch);
	rig_loop_close(&run->agent->loop, &run->out.watch);
	rig_loop_close(&run->agent->loop, &run->err.watch);
	rig_loop_close(&run->agent->loop, &run->sample);
	rig_loop_close(&run->agent->loop, &run->again);
	rig_deadline_stop(&run->deadline);
	if (run->ack >= 0)
		close(run->ack);
	run->ack = -1;
}

void rig_run_free(struct rig_run *run)
{
	close_watches(run);
	free_capture(run, &run->out);
	free_capture(run, &run->err);
	rig_snapshots_free(&run->snapshots);
	rig_settings_restore(&run->settings);
	if (run->report.kmsg > 0)
		close(run->report.kmsg);
	run->agent->work = NULL;
	free(run);
}

/* One read of the program's output. False when there is nothing (more). */
static bool capture_once(struct rig_run *run, struct rig_capture *capture)
{
	size_t room = RIG_OUTPUT_MAX - capture->len;
	char beyond[16384];
	ssize_t n;

	if (capture->watch.fd < 0)
		return false;
	n = read(capture->watch.fd, room ? capture->data + capture->len : beyond,
		 room ? room : sizeof(beyond));
	if (n > 0 && room)
		capture->len += n;
	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		rig_loop_close(&run->agent->loop, &capture->watch);
	return n > 0;
}

static void out_ready(struct rig_watch *watch, uint32_t events)
{
	struct rig_run *run = watch->owner;

	capture_once(run, &run->out);
}

static void err_ready(struct rig_watch *watch, uint32_t events)
{
	struct rig_run *run = watch->owner;

	capture_once(run, &run->err);
}

/* The program stands still until the byte comes, so all of this belongs to no phase's work. */
static void take_mark(struct rig_run *run)
{
	if (run->mark.has_tasks)
		rig_snapshots_watch(&run->snapshots, run->mark.tasks, run->mark.count);
	rig_snapshots_mark(&run->snapshots, run->mark.phase);
	rig_agent_begin(run->agent, "phase", run->work.id);
	rig_message_text(&run->agent->message, "phase", run->mark.phase);
	/* Without a peer, or with one that is stuck, phase lines must not pile up. */
	if (rig_channel_has_room(&run->agent->channel))
		rig_agent_send(run->agent);
	rig_channel_flush(&run->agent->channel);
	if (run->ack >= 0 && write(run->ack, "+", 1) < 0)
		errno = 0; /* a program that does not read its answers does not wait for them */
}

static void break_off(struct rig_run *run, const char *why)
{
	run->broken = why;
	rig_loop_close(&run->agent->loop, &run->control_watch);
	kill(-run->pid, SIGKILL);
}

/* One read of control lines. False when there is nothing (more). */
static bool control_once(struct rig_run *run)
{
	const char *line;
	bool ended;
	size_t len;

	if (run->control_watch.fd < 0)
		return false;
	if (!rig_control_fill(&run->control, &ended)) {
		if (ended)
			rig_loop_close(&run->agent->loop, &run->control_watch);
		return false;
	}
	while ((line = rig_control_next(&run->control, &len))) {
		rig_snapshots_event(&run->snapshots, line, len);
		if (rig_control_parse_mark(line, len, &run->mark))
			take_mark(run);
	}
	if (rig_control_is_broken(&run->control))
		break_off(run, "the program wrote a control line that is too long");
	return true;
}

static void control_ready(struct rig_watch *watch, uint32_t events)
{
	control_once(watch->owner);
}

static void sample_ready(struct rig_watch *watch, uint32_t events)
{
	struct rig_run *run = watch->owner;

	if (rig_timer_take(watch))
		rig_snapshots_sample(&run->snapshots);
}

/* Nobody is left who could write any more. */
static void finish(struct rig_run *run)
{
	run->end_ns = rig_clock_ns();
	run->cpu_ns = rig_cpu_ns() - run->cpu_ns;
	while (!run->broken && control_once(run))
		;
	while (!run->broken && capture_once(run, &run->out))
		;
	while (!run->broken && capture_once(run, &run->err))
		;
	rig_snapshots_mark(&run->snapshots, "end");
	close_watches(run);
	rig_settings_restore(&run->settings);
	if (!run->broken) {
		rig_report_start(run);
		return;
	}
	rig_agent_error(run->agent, run->work.id, "io", "%s", run->broken);
	rig_run_free(run);
}

static void end_family(struct rig_run *run)
{
	uint64_t since = rig_clock_ns() - run->exited_ns;
	size_t left = rig_family_kill(run->pid, &run->snapshots.except);

	if (left && since > KILL_GIVE_UP_NS) {
		run->broken = "processes that the program left behind cannot be killed";
		left = 0;
	} else if (left && since > KILL_ALL_NS && run->agent->pid1) {
		kill(-1, SIGKILL);
	}
	if (!left)
		finish(run);
	else
		rig_timer_set(&run->again, KILL_AGAIN_NS, 0);
}

static void again_ready(struct rig_watch *watch, uint32_t events)
{
	if (rig_timer_take(watch))
		end_family(watch->owner);
}

static void child_reaped(struct rig_work *work, pid_t pid, int status)
{
	struct rig_run *run = (struct rig_run *)work;

	if (pid != run->pid || run->exited)
		return;
	run->exited = true;
	run->exited_ns = rig_clock_ns();
	run->status = status;
	rig_loop_close(&run->agent->loop, &run->sample);
	rig_deadline_stop(&run->deadline);
	run->again = (struct rig_watch){.fd = -1, .ready = again_ready, .owner = run};
	rig_loop_timer(&run->agent->loop, &run->again, KILL_AGAIN_NS, 0);
	end_family(run);
}

static void kill_run(struct rig_work *work, int signal)
{
	struct rig_run *run = (struct rig_run *)work;

	if (!run->exited)
		kill(-run->pid, signal);
}

static void abort_run(struct rig_work *work)
{
	struct rig_run *run = (struct rig_run *)work;

	if (!run->end_ns)
		rig_family_end(run->pid, &run->snapshots.except, 2000);
	rig_run_free(run);
}

static const char *phase_of(struct rig_work *work)
{
	return ((struct rig_run *)work)->snapshots.phase;
}

static const struct rig_work_ops run_ops = {
	.kill = kill_run,
	.reaped = child_reaped,
	.abort = abort_run,
	.phase = phase_of,
};

static void watch_program(struct rig_run *run, const struct rig_pipes *pipes)
{
	struct rig_loop *loop = &run->agent->loop;

	run->out.watch = (struct rig_watch){pipes->out[0], out_ready, run};
	run->err.watch = (struct rig_watch){pipes->err[0], err_ready, run};
	run->control_watch = (struct rig_watch){pipes->control[0], control_ready, run};
	run->control.fd = pipes->control[0];
	run->ack = pipes->ack[1];
	rig_loop_add(loop, &run->out.watch, EPOLLIN);
	rig_loop_add(loop, &run->err.watch, EPOLLIN);
	rig_loop_add(loop, &run->control_watch, EPOLLIN);
}

/* Returns the process id or -errno. */
static pid_t start_program(struct rig_run *run, struct rig_pipes *pipes, char **argv,
			   const json_t *env)
{
	char control[32], ack[32];
	const char *const extra[] = {control, ack, NULL};
	struct rig_child child = {.argv = argv,
				  .in = pipes->null,
				  .out = pipes->out[1],
				  .err = pipes->err[1],
				  .keep = {pipes->control[1], pipes->ack[0]}};
	pid_t pid;

	snprintf(control, sizeof(control), RIG_ENV_CONTROL_FD "=%d", RIG_CHILD_KEEP);
	snprintf(ack, sizeof(ack), RIG_ENV_ACK_FD "=%d", RIG_CHILD_KEEP + 1);
	child.env = rig_child_env(env, extra);
	if (!child.env)
		return -EINVAL;
	run->cpu_ns = rig_cpu_ns();
	run->start_ns = rig_clock_ns();
	pid = rig_child_start(run->agent, &child);
	rig_child_free_list(child.env);
	return pid;
}

static void start_clocks(struct rig_run *run, const json_t *job)
{
	json_int_t timeout = json_integer_value(json_object_get(job, "timeout_ms"));

	rig_deadline_start(&run->deadline, &run->agent->loop, run->pid, timeout > 0 ? timeout : 0);
	if (run->sample_ns)
		rig_loop_timer(&run->agent->loop, &run->sample, run->sample_ns, run->sample_ns);
}

/* Answers the error and frees the run; the settings are put back. */
static void refuse(struct rig_run *run, const char *code, const char *message)
{
	rig_agent_error(run->agent, run->work.id, code, "%s", message);
	rig_run_free(run);
}

static void launch(struct rig_run *run, const json_t *job, char **argv)
{
	struct rig_pipes pipes;
	char message[512];
	bool open = rig_pipes_open(&pipes);

	watch_program(run, &pipes);
	rig_snapshots_mark(&run->snapshots, "start");
	run->pid = open ? start_program(run, &pipes, argv, json_object_get(job, "env")) : -EMFILE;
	rig_pipes_close_program(&pipes);
	if (run->pid > 0) {
		start_clocks(run, job);
		return;
	}
	snprintf(message, sizeof(message), "cannot start %s: %s", argv[0], strerror(-run->pid));
	refuse(run, run->pid == -ENOENT ? "no-file" : "io", message);
}

static void prepare(struct rig_run *run, const json_t *job, char **argv)
{
	json_int_t sample = json_integer_value(json_object_get(job, "sample_ms"));
	const char *wrong = rig_snapshots_init(&run->snapshots, job);
	char message[1024];

	if (!wrong && (sample < 0 || (sample && sample < SAMPLE_MIN_MS) || sample > 3600000))
		wrong = "sample_ms must be 0, or 10 to 3600000";
	if (wrong) {
		refuse(run, "bad-request", wrong);
		return;
	}
	run->sample_ns = sample * RIG_NS_PER_MS;
	if (!rig_settings_apply(&run->settings, json_object_get(job, "settings"), message,
				sizeof(message))) {
		refuse(run, "setting", message);
		return;
	}
	launch(run, job, argv);
}

static struct rig_run *new_run(struct rig_agent *agent, uint64_t id)
{
	struct rig_run *run = calloc(1, sizeof(*run));

	if (!run)
		return NULL;
	run->work = (struct rig_work){.id = id, .ops = &run_ops};
	run->agent = agent;
	run->out.watch.fd = run->err.watch.fd = run->control_watch.fd = -1;
	run->sample = (struct rig_watch){-1, sample_ready, run};
	run->again.fd = run->ack = -1;
	run->deadline.timer.fd = -1;
	run->out.data = malloc(RIG_OUTPUT_MAX);
	run->err.data = malloc(RIG_OUTPUT_MAX);
	if (!run->out.data || !run->err.data) {
		free(run->out.data);
		free(run->err.data);
		free(run);
		return NULL;
	}
	agent->work = &run->work;
	return run;
}

void rig_run_job(struct rig_agent *agent, uint64_t id, const json_t *job)
{
	char **argv = rig_child_argv(json_object_get(job, "argv"));
	struct rig_run *run = argv ? new_run(agent, id) : NULL;

	if (!argv)
		rig_agent_error(agent, id, "bad-request", "a job needs argv, a list of strings");
	else if (!run)
		rig_agent_error(agent, id, "io", "no memory for a run");
	else
		prepare(run, job, argv);
	rig_child_free_list(argv);
}

void rig_run_request(struct rig_agent *agent, uint64_t id, const json_t *request)
{
	rig_run_job(agent, id, json_object_get(request, "job"));
}
