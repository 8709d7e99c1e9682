/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * deadline.c - ends a process group when its time is over.
 */
#include "deadline.h"

#include <signal.h>

/* About 12 days; longer is as good as no limit and must not overflow. */
#define TIMEOUT_MAX_MS 1000000000

#define GRACE_NS (2 * RIG_NS_PER_S)

static void expired(struct rig_watch *watch, uint32_t events)
{
	struct rig_deadline *deadline = watch->owner;

	if (!rig_timer_take(watch))
		return;
	kill(-deadline->group, deadline->passed ? SIGKILL : SIGTERM);
	if (!deadline->passed)
		rig_timer_set(watch, GRACE_NS, 0);
	deadline->passed = true;
}

void rig_deadline_start(struct rig_deadline *deadline, struct rig_loop *loop, pid_t group,
			uint64_t timeout_ms)
{
	*deadline = (struct rig_deadline){.loop = loop, .group = group};
	deadline->timer = (struct rig_watch){.fd = -1, .ready = expired, .owner = deadline};
	if (timeout_ms > TIMEOUT_MAX_MS)
		timeout_ms = TIMEOUT_MAX_MS;
	if (timeout_ms)
		rig_loop_timer(loop, &deadline->timer, timeout_ms * RIG_NS_PER_MS, 0);
}

void rig_deadline_stop(struct rig_deadline *deadline)
{
	if (deadline->loop)
		rig_loop_close(deadline->loop, &deadline->timer);
}
