/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fault.h - what the ways of fault.c to do harm share. Each returns the program's exit code, where
 * it returns at all.
 */
#pragma once

#include <sys/types.h>

/* TEXT into the file PATH; the program ends with 9 where that fails. */
void put(const char *path, const char *text);

/* A child that runs WORK on CPU and nowhere else. */
pid_t start_on(int cpu, void (*work)(int cpu));

/* fault-module.c: the kernel runs code that is not good for it, as the init of a module. */
int null_pointer(void);	      /* the task dies, the kernel goes on, the program is content */
int null_pointer_panic(void); /* the same where the kernel panics on it */
int soft_lockup(void);	      /* one CPU never comes back from the kernel */
int interrupts_off(void);     /* nor does any, and none takes an interrupt */

/* fault-agent.c: the agent falls silent, lies, or dies. */
int agent_mute(void);	 /* stopped for good */
int agent_killed(void);	 /* its code is overwritten */
int agent_broken(void);	 /* half a message */
int agent_bytes(void);	 /* a message that is not UTF-8 */
int agent_long(void);	 /* a line without an end */
int agent_escapes(void); /* an error full of terminal escapes */
int agent_order(void);	 /* answers to what nobody asked, then one of a wrong kind */
int agent_count(void);	 /* the end of a run that never was */
int agent_flood(void);	 /* 2 GiB of payload */
int agent_version(void); /* it is another version at the next hello */
