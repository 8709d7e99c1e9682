/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * process-spawn.c - start a program that must not outlive us.
 *
 * fork() and not posix_spawn(), which cannot ask for a signal at our death: a make or a supermin
 * that outlived a killed rig would write on into what the next rig has just locked. rig has
 * threads, so the child calls nothing but what a signal handler may call.
 */
#include "base/process-spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* All that the child needs, made before the fork. */
typedef struct {
	const RigProcess *process;
	const char *path;
	char **env;
	int fds[3];
	int report; /* takes the errno of what failed; closed by a program that runs */
	pid_t parent;
} Child;

static char **environment(const char *const *extra)
{
	char **env = g_get_environ();

	for (; extra && *extra; extra++) {
		const char *equals = strchr(*extra, '=');
		g_autofree char *key = NULL;

		g_return_val_if_fail(equals, env);
		key = g_strndup(*extra, (gsize)(equals - *extra));
		env = g_environ_setenv(env, key, equals + 1, TRUE);
	}
	return env;
}

static void reset_signals(void)
{
	const struct sigaction plain = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int i = 1; i < NSIG; i++)
		sigaction(i, &plain, NULL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Out of the way of 0, 1 and 2 first: ours may have been closed when rig was started. */
static gboolean set_streams(Child *child)
{
	for (int i = 0; i < 3; i++) {
		child->fds[i] = fcntl(child->fds[i], F_DUPFD_CLOEXEC, 3);
		if (child->fds[i] < 0)
			return FALSE;
	}
	for (int i = 0; i < 3; i++)
		if (dup2(child->fds[i], i) < 0)
			return FALSE;
	/* What libraries opened without the flag; an old kernel that cannot is no reason to fail.
	 */
	(void)close_range(3, ~0u, CLOSE_RANGE_CLOEXEC);
	return TRUE;
}

static void become(Child *child)
{
	const RigProcess *process = child->process;
	int errnum;

	reset_signals();
	if (prctl(PR_SET_PDEATHSIG, SIGTERM) == 0 && getppid() != child->parent)
		_exit(128 + SIGTERM);
	if (setpgid(0, 0) == 0 && set_streams(child) && (!process->cwd || chdir(process->cwd) == 0))
		execve(child->path, (char **)process->argv, child->env);
	errnum = errno;
	if (write(child->report, &errnum, sizeof(errnum)) < 0)
		_exit(126);
	_exit(127);
}

/* What the child said before it became the program: nothing, 0, or why it could not. */
static int read_report(int fd)
{
	int errnum = 0;
	ssize_t n;

	do
		n = read(fd, &errnum, sizeof(errnum));
	while (n < 0 && errno == EINTR);
	return n == sizeof(errnum) ? errnum : 0;
}

static int start(Child *child, pid_t *pid)
{
	sigset_t all, old;
	int report[2], errnum;

	if (pipe2(report, O_CLOEXEC) < 0)
		return errno;
	/* 0, 1 and 2 will be others in the child. */
	child->report = fcntl(report[1], F_DUPFD_CLOEXEC, 3);
	errnum = child->report < 0 ? errno : 0;
	close(report[1]);
	/* No handler of ours runs in the child. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	*pid = errnum ? -1 : fork();
	if (*pid == 0)
		become(child);
	if (*pid < 0 && !errnum)
		errnum = errno;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (child->report >= 0)
		close(child->report);
	if (!errnum)
		errnum = read_report(report[0]);
	close(report[0]);
	return errnum;
}

int rig_process_spawn(const RigProcess *process, const int fds[3], pid_t *pid)
{
	g_autofree char *path = g_find_program_in_path(process->argv[0]);
	g_auto(GStrv) env = environment(process->env);
	Child child = {.process = process,
		       .path = path ? path : process->argv[0],
		       .env = env,
		       .fds = {fds[0], fds[1], fds[2]},
		       .parent = getpid()};
	int errnum;

	/* Without a folder it is not there, wherever we are. */
	if (!path && !strchr(process->argv[0], '/'))
		return ENOENT;
	errnum = start(&child, pid);
	if (errnum && *pid > 0)
		while (waitpid(*pid, NULL, 0) < 0 && errno == EINTR)
			;
	return errnum;
}
