/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-process.c - programs that end, fail, hang, flood, hide children, and that we cancel.
 */
#include "base/process.h"

#include "expect.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECOND G_USEC_PER_SEC

/* Run SCRIPT with sh; the other members of PROCESS as they are. */
static gboolean run_script(RigProcess process, const char *script, RigProcessResult *result,
			   GCancellable *cancellable, GError **error)
{
	const char *argv[] = {"sh", "-c", script, NULL};

	process.argv = argv;
	return rig_process_run(&process, result, cancellable, error);
}

static void expect_run(RigProcess process, const char *script, int status, const char *out,
		       const char *err)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	g_assert_true(run_script(process, script, &result, NULL, &error));
	g_assert_no_error(error);
	g_assert_cmpint(result.status, ==, status);
	g_assert_cmpstr(result.out, ==, out);
	g_assert_cmpstr(result.err, ==, err);
}

static gboolean is_alive(pid_t pid)
{
	g_autofree char *path = g_strdup_printf("/proc/%d/stat", (int)pid);
	g_autofree char *stat = NULL;

	if (!g_file_get_contents(path, &stat, NULL, NULL))
		return FALSE;
	/* A zombie is gone; whoever is its parent now has only to notice. */
	return !strstr(stat, ") Z ");
}

/* The number that a script left in PATH. */
static pid_t read_pid(const char *path)
{
	g_autofree char *text = NULL;

	g_assert_true(g_file_get_contents(path, &text, NULL, NULL));
	return (pid_t)g_ascii_strtoll(text, NULL, 10);
}

static void expect_gone(pid_t pid)
{
	g_assert_cmpint(pid, >, 1);
	for (int i = 0; i < 200 && is_alive(pid); i++)
		g_usleep(10 * 1000);
	g_assert_false(is_alive(pid));
}

static void test_output(void)
{
	expect_run((RigProcess){0}, "echo out; echo err >&2", 0, "out\n", "err\n");
	expect_run((RigProcess){0}, "exit 7", 7, "", "");
	expect_run((RigProcess){0}, "kill -9 $$", 137, "", "");
	expect_run((RigProcess){0}, "cat", 0, "", "");
	expect_run((RigProcess){.input = "to\ncat\n"}, "cat", 0, "to\ncat\n", "");
	expect_run((RigProcess){.input = ""}, "cat", 0, "", "");
	expect_run((RigProcess){.cwd = "/"}, "pwd", 0, "/\n", "");
}

/* More input than a pipe holds, to a program that does not read it. */
static void test_large_input(void)
{
	g_autofree char *input = g_strnfill(1 << 20, 'x');

	expect_run((RigProcess){.input = input}, "exit 3", 3, "", "");
	expect_run((RigProcess){.input = input}, "wc -c", 0, "1048576\n", "");
}

static void test_environment(void)
{
	static const char *const env[] = {"RIG_TEST_A=1=2", "RIG_TEST_B=", NULL};

	g_setenv("RIG_TEST_C", "ours", TRUE);
	expect_run((RigProcess){.env = env}, "echo \"$RIG_TEST_A,${RIG_TEST_B-unset},$RIG_TEST_C\"",
		   0, "1=2,,ours\n", "");
	g_assert_null(g_getenv("RIG_TEST_A"));
}

/* The child of a thread that blocks and ignores signals starts as if from a shell, without our
 * descriptors. */
static void test_clean_start(void)
{
	sigset_t set, old;
	int fd = open("/dev/null", O_RDONLY); /* no O_CLOEXEC */

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, &old);
	signal(SIGPIPE, SIG_IGN);
	/* Without 32 and 33, which belong to the C library and which it leaves ignored. */
	expect_run((RigProcess){0},
		   "grep -E 'SigBlk|SigIgn' /proc/self/status |"
		   "while read -r name mask; do echo $((0x$mask & 0x7fffffff)); done",
		   0, "0\n0\n", "");
	/* The last one is the folder, as ls itself has it open. */
	expect_run((RigProcess){0}, "exec ls /proc/self/fd", 0, "0\n1\n2\n3\n", "");
	signal(SIGPIPE, SIG_DFL);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	close(fd);
}

static void test_not_started(void)
{
	const char *missing[] = {"rig-no-such-program", NULL}, *sh[] = {"sh", NULL};
	const char *no_program[] = {"/etc/passwd", NULL};
	g_auto(RigProcessResult) result = {0};
	g_autofree char *old_path = g_strdup(g_getenv("PATH"));
	char *dir = expect_temp_dir();
	g_autoptr(GError) error = NULL;
	g_autofree char *path = g_strdup_printf("%s:%s", dir, old_path);
	g_autofree char *no_x = g_build_filename(dir, missing[0], NULL);

	/* With a file of that name that cannot be run the search ends in EACCES. */
	g_assert_true(rig_file_write(no_x, "", 0, 0644, &error));
	g_setenv("PATH", path, TRUE);
	g_assert_false(rig_process_run(&(RigProcess){.argv = missing}, &result, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "rig-no-such-program: not found\nhint: ");
	g_assert_false(rig_process_run(&(RigProcess){.argv = no_program}, &result, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "/etc/passwd: cannot start: Permission denied");
	g_assert_false(rig_process_run(&(RigProcess){.argv = sh, .cwd = "/no/dir"}, &result, NULL,
				       &error));
	expect_error(&error, RIG_ERROR_HOST, "sh: cannot start in /no/dir: no such directory");
	g_assert_null(result.out);
	g_setenv("PATH", old_path, TRUE);
	expect_remove(dir);
}

static void test_timeout(void)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	char *dir = expect_temp_dir();
	g_autofree char *pid_file = g_build_filename(dir, "pid", NULL);
	g_autofree char *script = g_strdup_printf("echo $$ >%s; exec sleep 100", pid_file);
	gint64 start = g_get_monotonic_time();

	g_assert_false(run_script((RigProcess){.timeout_ms = 300}, script, &result, NULL, &error));
	expect_error(&error, RIG_ERROR_TIMEOUT, "sh: not done after 300 ms, stopped");
	g_assert_cmpint(g_get_monotonic_time() - start, >=, SECOND * 3 / 10);
	g_assert_cmpint(g_get_monotonic_time() - start, <, 10 * SECOND);
	g_assert_false(is_alive(read_pid(pid_file)));
	expect_remove(dir);
}

/* Silence ends a program, however much time it has; words do not, however few. */
static void test_silence(void)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	RigProcess process = {.timeout_ms = 100000, .silence_ms = 300, .own_group = TRUE};

	g_assert_false(run_script(process, "echo one; sleep 100", &result, NULL, &error));
	expect_error(&error, RIG_ERROR_TIMEOUT, "sh: silent for 300 ms, stopped");
	process.silence_ms = 20000;
	g_assert_true(run_script(process, "for i in 1 2 3; do echo $i; sleep 0.2; done", &result,
				 NULL, &error));
	g_assert_no_error(error);
	g_assert_cmpstr(result.out, ==, "1\n2\n3\n");
	rig_process_result_clear(&result);
	process.timeout_ms = 300;
	g_assert_false(run_script(process, "while :; do echo; sleep 0.1; done", &result, NULL,
				  &error));
	expect_error(&error, RIG_ERROR_TIMEOUT, "sh: not done after 300 ms, stopped");
}

/* A group ends as a whole, also the member that ignores SIGTERM and outlives its leader. */
static void test_stubborn_group(void)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	char *dir = expect_temp_dir();
	g_autofree char *pid_file = g_build_filename(dir, "pid", NULL);
	g_autofree char *script = g_strdup_printf(
		"sh -c 'trap \"\" TERM; echo $$ >%s; while :; do sleep 1; done' & wait", pid_file);

	g_assert_false(run_script((RigProcess){.timeout_ms = 1000, .own_group = TRUE}, script,
				  &result, NULL, &error));
	expect_error(&error, RIG_ERROR_TIMEOUT, "stopped");
	expect_gone(read_pid(pid_file));
	expect_remove(dir);
}

static gpointer cancel_soon(gpointer cancellable)
{
	g_usleep(200 * 1000);
	g_cancellable_cancel(cancellable);
	return NULL;
}

static void test_cancel(void)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	char *dir = expect_temp_dir();
	g_autofree char *pid_file = g_build_filename(dir, "pid", NULL);
	g_autofree char *script = g_strdup_printf("sleep 100 & echo $! >%s; wait", pid_file);
	gint64 start = g_get_monotonic_time();

	g_assert_false(
		run_script((RigProcess){.own_group = TRUE}, script, &result, cancellable, &error));
	expect_error(&error, RIG_ERROR_INTERRUPTED, "sh: interrupted");
	g_assert_cmpint(g_get_monotonic_time() - start, <, 10 * SECOND);
	expect_gone(read_pid(pid_file));
	g_thread_join(thread);
	/* Cancelled before the start: not even a moment of running. */
	g_assert_false(run_script((RigProcess){0}, "sleep 100", &result, cancellable, &error));
	expect_error(&error, RIG_ERROR_INTERRUPTED, "sh: interrupted");
	expect_remove(dir);
}

/* Stopping does not spin: a cancelled cancellable stays readable. */
static void test_stop_is_idle(void)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	clock_t before = clock();

	g_assert_false(run_script((RigProcess){.own_group = TRUE},
				  "trap '' TERM; while :; do sleep 1; done", &result, cancellable,
				  &error));
	expect_error(&error, RIG_ERROR_INTERRUPTED, "interrupted");
	g_assert_cmpint(clock() - before, <, CLOCKS_PER_SEC / 2);
	g_thread_join(thread);
}

/* A script that leaves its number in PATH and stays, run by a process of its own in a group of its
 * own, once the script is there. */
static pid_t start_runner(const char *path)
{
	g_autofree char *script =
		g_strdup_printf("echo $$ >%s.new; mv %s.new %s; exec sleep 100", path, path, path);
	pid_t pid = fork();

	if (pid == 0) {
		g_auto(RigProcessResult) result = {0};

		setpgid(0, 0);
		_exit(run_script((RigProcess){0}, script, &result, NULL, NULL) ? 0 : 1);
	}
	for (int i = 0; i < 1000 && !g_file_test(path, G_FILE_TEST_EXISTS); i++)
		g_usleep(10 * 1000);
	return pid;
}

/* Whoever is killed takes what it runs along; nothing of it works on in the dark. */
static void test_dies_with_us(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *pid_file = g_build_filename(dir, "pid", NULL);
	pid_t runner = start_runner(pid_file);

	g_assert_cmpint(kill(runner, SIGKILL), ==, 0);
	g_assert_cmpint(waitpid(runner, NULL, 0), ==, runner);
	expect_gone(read_pid(pid_file));
	expect_remove(dir);
}

/* A terminal's Ctrl-C goes to the whole group: rig decides what becomes of what it runs. */
static void test_ctrl_c_is_not_theirs(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *pid_file = g_build_filename(dir, "pid", NULL);
	pid_t runner = start_runner(pid_file);
	pid_t child = read_pid(pid_file);

	g_assert_cmpint(getpgid(runner), ==, runner);
	g_assert_cmpint(getpgid(child), ==, child);
	g_assert_cmpint(kill(runner, SIGKILL), ==, 0);
	g_assert_cmpint(waitpid(runner, NULL, 0), ==, runner);
	expect_gone(child);
	expect_remove(dir);
}

/* Streams that were closed when we were started get into nobody's way. */
static void test_closed_streams(void)
{
	pid_t pid = fork();
	int status;

	if (pid == 0) {
		g_auto(RigProcessResult) result = {0};
		gboolean ok;

		close(0);
		close(1);
		ok = run_script((RigProcess){.input = "in"}, "cat; echo err >&2", &result, NULL,
				NULL);
		_exit(ok && !g_strcmp0(result.out, "in") && !g_strcmp0(result.err, "err\n") ? 0
											    : 1);
	}
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
}

/* A daemon that keeps our pipe open does not keep us. */
static void test_daemon(void)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;
	gint64 start = g_get_monotonic_time();

	g_assert_true(run_script((RigProcess){0}, "echo started; sleep 20 & echo $!", &result, NULL,
				 &error));
	g_assert_cmpint(g_get_monotonic_time() - start, <, 10 * SECOND);
	g_assert_true(g_str_has_prefix(result.out, "started\n"));
	kill((pid_t)g_ascii_strtoll(result.out + strlen("started\n"), NULL, 10), SIGKILL);
}

/* What comes through the pipe just after the end belongs to the output, too. */
static void test_late_output(void)
{
	expect_run((RigProcess){0}, "(sleep 0.1; echo late) & echo early", 0, "early\nlate\n", "");
}

static void test_flood(void)
{
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	g_assert_true(run_script((RigProcess){0},
				 "echo head; head -c 20000000 /dev/zero | tr '\\0' x;"
				 "head -c 5000000 /dev/zero | tr '\\0' y >&2; echo tail >&2",
				 &result, NULL, &error));
	g_assert_cmpuint(strlen(result.out), ==, 16 * 1024 * 1024);
	g_assert_true(g_str_has_prefix(result.out, "head\n"));
	g_assert_cmpuint(strlen(result.err), ==, 1024 * 1024);
	g_assert_true(g_str_has_suffix(result.err, "tail\n"));
}

static void test_check(void)
{
	const char *argv[] = {"sh", "-c", NULL, NULL};
	RigProcess process = {.argv = argv};
	g_auto(RigProcessResult) result = {0};
	g_autoptr(GError) error = NULL;

	argv[2] = "echo fine";
	g_assert_true(rig_process_check(&process, &result, RIG_ERROR_BOOT, NULL, &error));
	g_assert_cmpstr(result.out, ==, "fine\n");
	rig_process_result_clear(&result);
	argv[2] = "for i in 1 2 3 4 5 6; do echo \"line $i\" >&2; done; printf '\\033[1m' >&2; "
		  "exit 9";
	g_assert_false(rig_process_check(&process, &result, RIG_ERROR_BOOT, NULL, &error));
	g_assert_null(strstr(error->message, "line 2"));
	expect_error(&error, RIG_ERROR_BOOT, "sh: failed with status 9: line 3\n");
	g_assert_cmpint(result.status, ==, 9);
	rig_process_result_clear(&result);
	argv[2] = "printf '\\033[1mbold' >&2; exit 1";
	g_assert_false(rig_process_check(&process, &result, RIG_ERROR_BOOT, NULL, &error));
	expect_error(&error, RIG_ERROR_BOOT, "sh: failed with status 1: \\x1b[1mbold");
	rig_process_result_clear(&result);
	argv[2] = "exit 4";
	g_assert_false(rig_process_check(&process, &result, RIG_ERROR_BOOT, NULL, &error));
	g_assert_cmpstr(error->message, ==, "sh: failed with status 4");
}

/* Nothing is left open, whatever the way out. */
static void test_no_leak(void)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	guint before = 0, after = 0;

	for (int i = 0; i < 20; i++) {
		const char *missing[] = {"rig-no-such-program", NULL};
		g_auto(RigProcessResult) result = {0};
		g_autoptr(GDir) dir = NULL;

		g_assert_true(run_script((RigProcess){0}, "exit 0", &result, cancellable, NULL));
		rig_process_result_clear(&result);
		g_assert_false(
			rig_process_run(&(RigProcess){.argv = missing}, &result, NULL, NULL));
		g_assert_false(
			run_script((RigProcess){.timeout_ms = 1}, "sleep 9", &result, NULL, NULL));
		dir = g_dir_open("/proc/self/fd", 0, NULL);
		for (after = 0; g_dir_read_name(dir); after++)
			;
		before = before ? before : after;
	}
	g_assert_cmpuint(after, ==, before);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/process/output", test_output);
	g_test_add_func("/process/large-input", test_large_input);
	g_test_add_func("/process/environment", test_environment);
	g_test_add_func("/process/clean-start", test_clean_start);
	g_test_add_func("/process/not-started", test_not_started);
	g_test_add_func("/process/timeout", test_timeout);
	g_test_add_func("/process/silence", test_silence);
	g_test_add_func("/process/stubborn-group", test_stubborn_group);
	g_test_add_func("/process/cancel", test_cancel);
	g_test_add_func("/process/stop-is-idle", test_stop_is_idle);
	g_test_add_func("/process/dies-with-us", test_dies_with_us);
	g_test_add_func("/process/ctrl-c-is-not-theirs", test_ctrl_c_is_not_theirs);
	g_test_add_func("/process/closed-streams", test_closed_streams);
	g_test_add_func("/process/daemon", test_daemon);
	g_test_add_func("/process/late-output", test_late_output);
	g_test_add_func("/process/flood", test_flood);
	g_test_add_func("/process/check", test_check);
	g_test_add_func("/process/no-leak", test_no_leak);
	return g_test_run();
}
