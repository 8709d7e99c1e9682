/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event loop of the agent: one thread, one epoll, timers and signals as descriptors. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#define RIG_NS_PER_S 1000000000ull
#define RIG_NS_PER_MS 1000000ull

struct rig_loop {
	int epoll;
};

/* One descriptor that is waited for. `ready` may remove and free any watch, its own too: the
 * loop takes one event at a time. `fd` is -1 while there is none. */
struct rig_watch {
	int fd;
	void (*ready)(struct rig_watch *watch, uint32_t events);
	void *owner;
};

/* Returns 0 or -errno. */
int rig_loop_init(struct rig_loop *loop);

/* Starts to wait for `events`; the watch must stay where it is. Returns 0 or -errno. */
int rig_loop_add(struct rig_loop *loop, struct rig_watch *watch, uint32_t events);

/* Stops waiting and keeps the descriptor. No events are asked for by removal rather than by an
 * empty mask, which would still report a hang-up without end. */
void rig_loop_remove(struct rig_loop *loop, struct rig_watch *watch);

/* Stops waiting and closes. Nothing happens when fd is -1. */
void rig_loop_close(struct rig_loop *loop, struct rig_watch *watch);

/* Waits at most `timeout_ms` (-1: for ever) for one event and serves it. */
void rig_loop_turn(struct rig_loop *loop, int timeout_ms);

/* Makes a timer of the monotonic clock and waits for it: first after `first_ns`, then every
 * `every_ns` (0: once). Returns 0 or -errno. */
int rig_loop_timer(struct rig_loop *loop, struct rig_watch *watch, uint64_t first_ns,
		   uint64_t every_ns);

/* Sets a timer anew, and clears an expiry that was not served yet. */
void rig_timer_set(struct rig_watch *watch, uint64_t first_ns, uint64_t every_ns);

/* Takes note of an expiry; false if there was none after all. */
bool rig_timer_take(struct rig_watch *watch);

/* CLOCK_MONOTONIC and the CPU time that this process has used, both in nanoseconds. */
uint64_t rig_clock_ns(void);
uint64_t rig_cpu_ns(void);
