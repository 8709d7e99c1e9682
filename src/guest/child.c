/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * child.c - starts programs: what argv and environment they get, and how they are rid of what the
 * agent arranged for itself.
 */
#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MPOL_DEFAULT 0

static void reset_signals(void)
{
	sigset_t none;

	/* All of them: who started the agent may have ignored some, as a shell does in the background. */
	for (int signo = 1; signo < NSIG; signo++)
		signal(signo, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Process 1 is exempt from the OOM killer and from NUMA balancing; programs must not inherit it. */
static void reset_exemptions(const struct rig_agent *agent)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "0", 1) < 0)
			errno = 0; /* a kernel without the file has no killer to fear either */
		close(fd);
	}
	syscall(SYS_set_mempolicy, MPOL_DEFAULT, NULL, 0);
	setrlimit(RLIMIT_NOFILE, &agent->child_files);
}

/* Shells only know descriptors of one digit. The way over high numbers keeps one of the two from
 * being overwritten by the other. */
static bool pass_on(const int keep[2])
{
	int high[2];

	if (keep[0] < 0)
		return true;
	high[0] = fcntl(keep[0], F_DUPFD_CLOEXEC, 10);
	high[1] = fcntl(keep[1], F_DUPFD_CLOEXEC, 10);
	return high[0] >= 0 && high[1] >= 0 && dup2(high[0], RIG_CHILD_KEEP) >= 0 &&
	       dup2(high[1], RIG_CHILD_KEEP + 1) >= 0;
}

static int enter(const struct rig_agent *agent, const struct rig_child *child)
{
	if (setpgid(0, 0) < 0 || dup2(child->in, 0) < 0 || dup2(child->out, 1) < 0 ||
	    dup2(child->err, 2) < 0)
		return errno;
	if (!pass_on(child->keep))
		return errno;
	if (child->cwd && chdir(child->cwd) < 0)
		return errno;
	if (agent->pid1)
		reset_exemptions(agent);
	reset_signals();
	execvpe(child->argv[0], child->argv, child->env);
	return errno;
}

/* vfork: a copy of the agent's page tables would make its own pages fault again, one by one,
 * while the program is measured; and the error of a failed exec comes back without a pipe. */
pid_t rig_child_start(const struct rig_agent *agent, const struct rig_child *child)
{
	volatile int error = 0;
	pid_t pid = vfork();

	if (pid == 0) {
		error = enter(agent, child);
		_exit(127);
	}
	if (pid < 0)
		return -errno;
	return error ? -error : pid;
}

char **rig_child_argv(const json_t *array)
{
	size_t count = json_array_size(array);
	char **argv = count ? calloc(count + 1, sizeof(*argv)) : NULL;

	for (size_t i = 0; argv && i < count; i++) {
		const char *word = json_string_value(json_array_get(array, i));

		argv[i] = word ? strdup(word) : NULL;
		if (!argv[i]) {
			rig_child_free_list(argv);
			return NULL;
		}
	}
	return argv;
}

/* Puts "key=value" into the list, in place of an earlier one of that key. Takes over `text`. */
static bool set_text(char **env, char *text)
{
	size_t len = text ? strcspn(text, "=") + 1 : 0;

	while (text && *env && strncmp(*env, text, len))
		env++;
	if (text) {
		free(*env);
		*env = text;
	}
	return text;
}

static bool set_variable(char **env, const char *key, const char *value)
{
	char *text = NULL;

	return asprintf(&text, "%s=%s", key, value) >= 0 && set_text(env, text);
}

static bool set_object(char **env, const json_t *object)
{
	const char *key;
	json_t *value;

	json_object_foreach((json_t *)object, key, value)
	{
		if (!json_is_string(value) || !*key || strchr(key, '=') ||
		    !set_variable(env, key, json_string_value(value)))
			return false;
	}
	return true;
}

char **rig_child_env(const json_t *object, const char *const *extra)
{
	const char *path = getenv("PATH");
	size_t extras = 0;
	char **env;

	if (object && !json_is_object(object))
		return NULL;
	while (extra && extra[extras])
		extras++;
	env = calloc(json_object_size(object) + extras + 4, sizeof(*env));
	if (!env)
		return NULL;
	bool set = set_variable(env, "PATH", path ? path : "/usr/bin:/bin") &&
		   set_variable(env, "HOME", "/root") && set_variable(env, "TERM", "dumb") &&
		   set_object(env, object);
	for (size_t i = 0; set && i < extras; i++)
		set = set_text(env, strdup(extra[i]));
	if (set)
		return env;
	rig_child_free_list(env);
	return NULL;
}

void rig_child_free_list(char **list)
{
	for (char **item = list; item && *item; item++)
		free(*item);
	free(list);
}
