/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-lock.c - locks that other processes hold, drop, die with, and that we stop waiting for.
 */
#include "base/lock.h"

#include "expect.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
	char *dir;
	char *path;
} Fixture;

static void set_up(Fixture *f, gconstpointer data)
{
	f->dir = expect_temp_dir();
	f->path = g_build_filename(f->dir, "sub", "lock", NULL);
}

static void tear_down(Fixture *f, gconstpointer data)
{
	expect_remove(f->dir);
	g_free(f->path);
}

static RigLock *take(Fixture *f, const char *what)
{
	g_autoptr(GError) error = NULL;
	RigLock *lock = rig_lock_take(f->path, what, 0, NULL, &error);

	g_assert_no_error(error);
	g_assert_nonnull(lock);
	return lock;
}

/* A child that holds the lock as WHAT for HOLD_MS (-1: until it is killed), and has it on return.
 */
static pid_t start_holder(Fixture *f, const char *what, int hold_ms)
{
	int ready[2];
	char byte;
	pid_t pid;

	g_assert_no_errno(pipe(ready));
	pid = fork();
	g_assert_cmpint(pid, >=, 0);
	if (pid == 0) {
		RigLock *lock = rig_lock_take(f->path, what, 0, NULL, NULL);

		if (!lock || write(ready[1], "x", 1) != 1)
			_exit(1);
		if (hold_ms < 0)
			pause();
		g_usleep((gulong)hold_ms * 1000);
		rig_lock_release(lock);
		_exit(0);
	}
	close(ready[1]);
	g_assert_cmpint(read(ready[0], &byte, 1), ==, 1);
	close(ready[0]);
	return pid;
}

static void end_holder(pid_t pid)
{
	kill(pid, SIGKILL);
	g_assert_cmpint(waitpid(pid, NULL, 0), ==, pid);
}

static void test_take(Fixture *f, gconstpointer data)
{
	g_autofree char *expected = g_strdup_printf("process %d (rig run a)", (int)getpid());
	g_autofree char *holder = NULL;
	RigLock *lock;

	g_assert_null(rig_lock_holder(f->path));
	lock = take(f, "rig run a");
	holder = rig_lock_holder(f->path);
	g_assert_cmpstr(holder, ==, expected);
	rig_lock_release(lock);
	g_assert_null(rig_lock_holder(f->path));
	g_assert_true(g_file_test(f->path, G_FILE_TEST_EXISTS));
	rig_lock_release(take(f, "again"));
	rig_lock_release(NULL);
}

static void test_held(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	pid_t pid = start_holder(f, "rig run numa02", -1);
	g_autofree char *message = g_strdup_printf(
		"%s is held by process %d (rig run numa02)\nhint: ", f->path, (int)pid);
	gint64 start = g_get_monotonic_time();

	g_assert_null(rig_lock_take(f->path, "rig up", 0, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, message);
	g_assert_cmpint(g_get_monotonic_time() - start, <, 30 * G_USEC_PER_SEC);
	/* Killed without a chance to tidy up, it leaves a text, but no lock. */
	end_holder(pid);
	g_assert_null(rig_lock_holder(f->path));
	rig_lock_release(take(f, "rig up"));
}

static void test_time_limit(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	pid_t pid = start_holder(f, "holder", -1);
	gint64 start = g_get_monotonic_time();

	g_assert_null(rig_lock_take(f->path, "rig up", 300, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "is held by process");
	g_assert_cmpint(g_get_monotonic_time() - start, >=, 300 * 1000);
	end_holder(pid);
}

static void test_wait(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	pid_t pid = start_holder(f, "holder", 300);
	RigLock *lock = rig_lock_take(f->path, "rig up", -1, NULL, &error);
	int status;

	g_assert_no_error(error);
	rig_lock_release(lock);
	g_assert_cmpint(waitpid(pid, &status, 0), ==, pid);
	g_assert_cmpint(status, ==, 0);
}

static gpointer cancel_soon(gpointer cancellable)
{
	g_usleep(200 * 1000);
	g_cancellable_cancel(cancellable);
	return NULL;
}

static void test_cancel(Fixture *f, gconstpointer data)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	g_autoptr(GError) error = NULL;
	pid_t pid = start_holder(f, "holder", -1);
	GThread *thread = g_thread_new("cancel", cancel_soon, cancellable);
	gint64 start = g_get_monotonic_time();

	g_assert_null(rig_lock_take(f->path, "rig up", -1, cancellable, &error));
	g_assert_cmpint(g_get_monotonic_time() - start, <, 10 * G_USEC_PER_SEC);
	expect_error(&error, RIG_ERROR_INTERRUPTED, "interrupted while waiting for");
	g_thread_join(thread);
	end_holder(pid);
}

/* In place: a new file under that name would not be the one that is locked. */
static void overwrite(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	g_assert_nonnull(file);
	fputs(text, file);
	g_assert_no_errno(fclose(file));
}

/* The text of the file may come from anybody who may write there. */
static void test_bad_text(Fixture *f, gconstpointer data)
{
	static const struct {
		const char *text, *expected;
	} cases[] = {
		{"", "another process"},
		{"garbage", "another process"},
		{"12", "another process"},
		{"0 zero", "another process"},
		{"12x rig", "another process"},
		{"12 rig \033[31mrun\a\nmore", "process 12 (rig \\x1b[31mrun\\x07)"},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		RigLock *lock = take(f, "x");
		g_autofree char *holder = NULL;

		overwrite(f->path, cases[i].text);
		holder = rig_lock_holder(f->path);
		g_assert_cmpstr(holder, ==, cases[i].expected);
		rig_lock_release(lock);
	}
}

static void test_long_text(Fixture *f, gconstpointer data)
{
	g_autofree char *what = g_strnfill(10000, 'w');
	g_autofree char *holder = NULL;
	RigLock *lock = take(f, what);

	holder = rig_lock_holder(f->path);
	g_assert_cmpuint(strlen(holder), <, 300);
	g_assert_true(g_str_has_prefix(holder, "process "));
	rig_lock_release(lock);
}

static void test_bad_path(Fixture *f, gconstpointer data)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *link = g_build_filename(f->dir, "link", NULL);

	g_assert_null(rig_lock_take(f->dir, "x", 0, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "cannot open: Is a directory");
	g_assert_no_errno(symlink("/tmp/rig-nowhere", link));
	g_assert_null(rig_lock_take(link, "x", 0, NULL, &error));
	expect_error(&error, RIG_ERROR_HOST, "link is a symbolic link");
	g_assert_null(rig_lock_holder(link));
}

typedef struct {
	const char *path;
	int ready; /* set once the lock is held */
} Asker;

/* What rig_lock_holder() does, only slower. */
static gpointer ask(gpointer data)
{
	Asker *asker = data;
	int fd = open(asker->path, O_RDONLY | O_CLOEXEC);

	g_assert_no_errno(flock(fd, LOCK_SH));
	g_atomic_int_set(&asker->ready, 1);
	g_usleep(20 * 1000);
	close(fd);
	return NULL;
}

/* Asking who holds it must not make somebody else's only try fail. */
static void test_asking_disturbs_nobody(Fixture *f, gconstpointer data)
{
	Asker asker = {f->path, 0};
	GThread *thread;

	rig_lock_release(take(f, "first"));
	thread = g_thread_new("ask", ask, &asker);
	while (!g_atomic_int_get(&asker.ready))
		g_usleep(100);
	rig_lock_release(take(f, "rig up"));
	g_thread_join(thread);
}

#define ADD(name, function) g_test_add("/lock/" name, Fixture, NULL, set_up, function, tear_down)

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	ADD("take", test_take);
	ADD("held", test_held);
	ADD("time-limit", test_time_limit);
	ADD("wait", test_wait);
	ADD("cancel", test_cancel);
	ADD("bad-text", test_bad_text);
	ADD("long-text", test_long_text);
	ADD("bad-path", test_bad_path);
	ADD("asking-disturbs-nobody", test_asking_disturbs_nobody);
	return g_test_run();
}
