/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * interrupt.c - SIGINT and SIGTERM turned into a cancelled GCancellable.
 *
 * A thread of its own takes the signals by sigwait(3), so no code of rig runs in a signal handler
 * and every wait in rig is ended by the same cancellable.
 */
#include "cli/interrupt.h"

#include "base/error.h"

#include <signal.h>
#include <unistd.h>

/* The one thing that belongs to the process and not to a call: which signal it got. */
static gint received;

static gpointer wait_for_signals(gpointer data)
{
	GCancellable *cancellable = data;
	sigset_t set;
	int signo;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	while (sigwait(&set, &signo) == 0) {
		static const char again[] = "rig: stopping, a moment\n";
		if (g_atomic_int_compare_and_exchange(&received, 0, signo))
			g_cancellable_cancel(cancellable);
		else if (write(STDERR_FILENO, again, sizeof(again) - 1) < 0)
			break;
	}
	return NULL;
}

GCancellable *rig_interrupt_start(GError **error)
{
	g_autoptr(GCancellable) cancellable = g_cancellable_new();
	g_autoptr(GError) reason = NULL;
	GThread *thread;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signal(SIGPIPE, SIG_IGN);
	thread = g_thread_try_new("signals", wait_for_signals, cancellable, &reason);
	if (!thread) {
		rig_error_set_hint(error, RIG_ERROR_HOST,
				   "free some memory, or raise the limit (ulimit -v)",
				   "rig cannot start: %s", reason->message);
		return NULL;
	}
	g_thread_unref(thread);
	return g_steal_pointer(&cancellable);
}

int rig_interrupt_signal(void)
{
	return g_atomic_int_get(&received);
}
