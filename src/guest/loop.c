/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.c - the event loop of the agent.
 */
#include "loop.h"

#include <errno.h>
#include <stddef.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

int rig_loop_init(struct rig_loop *loop)
{
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	return loop->epoll < 0 ? -errno : 0;
}

int rig_loop_add(struct rig_loop *loop, struct rig_watch *watch, uint32_t events)
{
	struct epoll_event event = {.events = events, .data.ptr = watch};

	return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, watch->fd, &event) < 0 ? -errno : 0;
}

void rig_loop_remove(struct rig_loop *loop, struct rig_watch *watch)
{
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, watch->fd, NULL);
}

void rig_loop_close(struct rig_loop *loop, struct rig_watch *watch)
{
	if (watch->fd < 0)
		return;
	rig_loop_remove(loop, watch);
	close(watch->fd);
	watch->fd = -1;
}

void rig_loop_turn(struct rig_loop *loop, int timeout_ms)
{
	struct epoll_event event;

	if (epoll_wait(loop->epoll, &event, 1, timeout_ms) == 1) {
		struct rig_watch *watch = event.data.ptr;

		watch->ready(watch, event.events);
	}
}

static struct timespec from_ns(uint64_t ns)
{
	return (struct timespec){.tv_sec = ns / RIG_NS_PER_S, .tv_nsec = ns % RIG_NS_PER_S};
}

int rig_loop_timer(struct rig_loop *loop, struct rig_watch *watch, uint64_t first_ns,
		   uint64_t every_ns)
{
	watch->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (watch->fd < 0)
		return -errno;
	rig_timer_set(watch, first_ns, every_ns);
	return rig_loop_add(loop, watch, EPOLLIN);
}

void rig_timer_set(struct rig_watch *watch, uint64_t first_ns, uint64_t every_ns)
{
	struct itimerspec when = {.it_value = from_ns(first_ns), .it_interval = from_ns(every_ns)};

	timerfd_settime(watch->fd, 0, &when, NULL);
}

bool rig_timer_take(struct rig_watch *watch)
{
	uint64_t expiries;

	return read(watch->fd, &expiries, sizeof(expiries)) == sizeof(expiries);
}

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * RIG_NS_PER_S + now.tv_nsec;
}

uint64_t rig_clock_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t rig_cpu_ns(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}
