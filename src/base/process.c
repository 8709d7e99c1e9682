/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process.c - run another program to its end.
 *
 * How it is started is in process-spawn.c. One poll() waits for output, for the end (a pidfd), for
 * the deadline and for the cancellable.
 */
#include "base/process.h"

#include "base/error.h"
#include "base/process-spawn.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define OUT_MAX (16 * 1024 * 1024)
#define ERR_MAX (1024 * 1024)
#define TERM_GRACE_MS 2000  /* from SIGTERM to SIGKILL */
#define DRAIN_GRACE_MS 500  /* for output after the end: a daemon may have kept the pipe */
#define NO_PIDFD_POLL_MS 20 /* how often to look where the kernel has no pidfd */
#define ERROR_LINES 5

enum { OUT, ERR, END, CANCEL, N_FDS };

/* One run. */
typedef struct {
	const RigProcess *process;
	GCancellable *cancellable;
	pid_t pid;
	struct pollfd fds[N_FDS]; /* fd -1: closed, and poll() passes it over */
	GString *text[2];	  /* OUT and ERR */
	gint64 deadline;	  /* monotonic microseconds, or -1 */
	gint64 heard;		  /* when a stream last brought something; at first the start */
	int cancel_fd;		  /* of the cancellable, or -1 */
	gboolean ended;
} Run;

void rig_process_result_clear(RigProcessResult *result)
{
	g_clear_pointer(&result->out, g_free);
	g_clear_pointer(&result->err, g_free);
	result->status = 0;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* A descriptor that reads TEXT. Not a pipe: nobody has to feed it, and no SIGPIPE can come. */
static int open_input(const char *text)
{
	int fd;
	gsize length, done = 0;

	if (!text)
		return open("/dev/null", O_RDONLY | O_CLOEXEC);
	fd = memfd_create("rig-stdin", MFD_CLOEXEC);
	length = strlen(text);
	while (fd >= 0 && done < length) {
		gssize n = pwrite(fd, text + done, length - done, (off_t)done);

		if (n < 0)
			close_fd(&fd);
		else
			done += (gsize)n;
	}
	return fd;
}

/* A folder of PATH that we may not search turns "not found" into EACCES. */
static gboolean on_path(const char *program)
{
	g_autofree char *found = g_find_program_in_path(program);

	return found || strchr(program, '/');
}

static void set_spawn_error(GError **error, const RigProcess *process, int errnum)
{
	const char *program = process->argv[0];

	if (process->cwd && !g_file_test(process->cwd, G_FILE_TEST_IS_DIR))
		rig_error_set(error, RIG_ERROR_HOST, "%s: cannot start in %s: no such directory",
			      program, process->cwd);
	else if (errnum == ENOENT || !on_path(program))
		rig_error_set_hint(error, RIG_ERROR_HOST,
				   "install the package that brings it; \"rig doctor\" tells more",
				   "%s: not found", program);
	else
		rig_error_set_errno(error, RIG_ERROR_HOST, errnum, "cannot start", program);
}

/* Start the program of RUN and keep the reading ends of its output. */
static gboolean start(Run *run, GError **error)
{
	int out[2] = {-1, -1}, err[2] = {-1, -1};
	int in = open_input(run->process->input);
	int errnum = 0;

	if (in < 0 || pipe2(out, O_CLOEXEC) < 0 || pipe2(err, O_CLOEXEC) < 0)
		errnum = errno;
	else
		errnum = rig_process_spawn(run->process, (int[3]){in, out[1], err[1]}, &run->pid);
	close_fd(&in);
	close_fd(&out[1]);
	close_fd(&err[1]);
	run->fds[OUT] = (struct pollfd){out[0], POLLIN, 0};
	run->fds[ERR] = (struct pollfd){err[0], POLLIN, 0};
	if (errnum) {
		set_spawn_error(error, run->process, errnum);
		return FALSE;
	}
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(err[0], F_SETFL, O_NONBLOCK);
	run->fds[END] = (struct pollfd){(int)syscall(SYS_pidfd_open, run->pid, 0), POLLIN, 0};
	return TRUE;
}

/* Keep the head of stdout, which programs parse, and the tail of stderr, which tells the cause. */
static void keep(GString *text, int which, const char *data, gsize n)
{
	if (which == OUT) {
		g_string_append_len(text, data, (gssize)MIN(n, OUT_MAX - text->len));
		return;
	}
	g_string_append_len(text, data, (gssize)n);
	if (text->len > 2 * ERR_MAX)
		g_string_erase(text, 0, (gssize)(text->len - ERR_MAX));
}

static void read_output(Run *run, int which)
{
	char buffer[65536];
	gssize n = read(run->fds[which].fd, buffer, sizeof(buffer));

	if (n > 0)
		run->heard = g_get_monotonic_time();
	if (n > 0 && run->process->watch)
		run->process->watch(run->process->watch_data, buffer, (gsize)n);
	if (n > 0)
		keep(run->text[which], which, buffer, (gsize)n);
	else if (n == 0 || (errno != EAGAIN && errno != EINTR))
		close_fd(&run->fds[which].fd);
}

/* TRUE if the child is over; it stays a zombie, so its number and its group's stay ours. */
static gboolean has_ended(const Run *run)
{
	siginfo_t info = {0};

	return waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) < 0 ||
	       info.si_pid == run->pid;
}

/* Wait until something happens, at most until UNTIL (-1: no limit), and read what there is. */
static void step(Run *run, gint64 until)
{
	gint64 left = until < 0 ? -1 : MAX(until - g_get_monotonic_time(), 0) / 1000 + 1;

	if (!run->ended && run->fds[END].fd < 0)
		left = left < 0 ? NO_PIDFD_POLL_MS : MIN(left, NO_PIDFD_POLL_MS);
	if (poll(run->fds, N_FDS, (int)MIN(left, G_MAXINT)) > 0) {
		for (int i = OUT; i <= ERR; i++) {
			if (run->fds[i].fd >= 0 && run->fds[i].revents)
				read_output(run, i);
		}
	}
	if (!run->ended && has_ended(run)) {
		run->ended = TRUE;
		close_fd(&run->fds[END].fd);
	}
}

/* When it is given up if nothing more comes; -1: never. */
static gint64 limit_of(const Run *run)
{
	gint64 silence = run->heard + run->process->silence_ms * G_GINT64_CONSTANT(1000);

	if (run->process->silence_ms <= 0)
		return run->deadline;
	return run->deadline < 0 ? silence : MIN(silence, run->deadline);
}

static gboolean check_time(const Run *run, GError **error)
{
	gint64 now = g_get_monotonic_time(), limit = limit_of(run);
	gboolean silent = limit != run->deadline;
	g_autofree char *time = NULL;

	if (limit < 0 || now < limit)
		return TRUE;
	time = rig_text_duration((silent ? run->process->silence_ms : run->process->timeout_ms) /
				 1000.0);
	rig_error_set(error, RIG_ERROR_TIMEOUT, "%s: %s %s, stopped", run->process->argv[0],
		      silent ? "silent for" : "not done after", time);
	return FALSE;
}

/* Read to the end. FALSE if the deadline or the cancellable came first. */
static gboolean follow(Run *run, GError **error)
{
	while (!run->ended) {
		if (g_cancellable_is_cancelled(run->cancellable)) {
			rig_error_set(error, RIG_ERROR_INTERRUPTED, "%s: interrupted",
				      run->process->argv[0]);
			return FALSE;
		}
		if (!check_time(run, error))
			return FALSE;
		step(run, limit_of(run));
	}
	return TRUE;
}

/* Read what is left in the pipes, but wait for no stranger that holds them open. */
static void drain(Run *run)
{
	gint64 until = g_get_monotonic_time() + DRAIN_GRACE_MS * 1000;

	run->fds[CANCEL].fd = -1;
	while ((run->fds[OUT].fd >= 0 || run->fds[ERR].fd >= 0) && g_get_monotonic_time() < until)
		step(run, until);
}

static void stop(Run *run)
{
	pid_t target = run->process->own_group ? -run->pid : run->pid;
	gint64 until = g_get_monotonic_time() + TERM_GRACE_MS * 1000;

	run->fds[CANCEL].fd = -1; /* stays readable and would keep poll() from waiting */
	kill(target, SIGTERM);
	while (!run->ended && g_get_monotonic_time() < until)
		step(run, until);
	/* Also when the leader is gone: the rest of its group may have ignored SIGTERM. */
	if (!run->ended || run->process->own_group)
		kill(target, SIGKILL);
}

static int reap(const Run *run)
{
	int status = 0;

	while (waitpid(run->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return 255;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void run_init(Run *run, const RigProcess *process, GCancellable *cancellable)
{
	*run = (Run){.process = process, .cancellable = cancellable, .deadline = -1};
	run->heard = g_get_monotonic_time();
	run->cancel_fd = g_cancellable_get_fd(cancellable);
	for (int i = 0; i < N_FDS; i++)
		run->fds[i] = (struct pollfd){-1, 0, 0};
	run->text[OUT] = g_string_new(NULL);
	run->text[ERR] = g_string_new(NULL);
	if (process->timeout_ms > 0)
		run->deadline =
			g_get_monotonic_time() + process->timeout_ms * G_GINT64_CONSTANT(1000);
	run->fds[CANCEL] = (struct pollfd){run->cancel_fd, POLLIN, 0};
}

static void run_clear(Run *run)
{
	run->fds[CANCEL].fd = -1;
	for (int i = 0; i < N_FDS; i++)
		close_fd(&run->fds[i].fd);
	g_string_free(run->text[OUT], TRUE);
	g_string_free(run->text[ERR], TRUE);
	if (run->cancel_fd >= 0)
		g_cancellable_release_fd(run->cancellable);
}

/* Hand over the texts; a cut stderr starts with a whole character again once made safe. */
static void take_result(Run *run, RigProcessResult *result)
{
	GString *err = run->text[ERR];

	if (err->len > ERR_MAX)
		g_string_erase(err, 0, (gssize)(err->len - ERR_MAX));
	result->out = g_strdup(run->text[OUT]->str);
	result->err = g_strdup(err->str);
}

gboolean rig_process_run(const RigProcess *process, RigProcessResult *result,
			 GCancellable *cancellable, GError **error)
{
	gboolean ok = FALSE;
	Run run;

	*result = (RigProcessResult){0};
	run_init(&run, process, cancellable);
	if (start(&run, error)) {
		ok = follow(&run, error);
		if (ok)
			drain(&run);
		else
			stop(&run);
		result->status = reap(&run);
		if (ok)
			take_result(&run, result);
	}
	run_clear(&run);
	return ok;
}

gboolean rig_process_check(const RigProcess *process, RigProcessResult *result, int code,
			   GCancellable *cancellable, GError **error)
{
	g_autofree char *safe = NULL;

	if (!rig_process_run(process, result, cancellable, error))
		return FALSE;
	if (result->status == 0)
		return TRUE;
	safe = rig_text_safe(rig_text_last_lines(result->err, ERROR_LINES), -1);
	g_strchomp(safe);
	rig_error_set(error, code, "%s: failed with status %d%s%s", process->argv[0],
		      result->status, *safe ? ": " : "", safe);
	return FALSE;
}
