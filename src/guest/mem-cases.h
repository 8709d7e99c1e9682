/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-cases.h - the cases of rig-mem: what each one does, as data.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits, so that an option can say to which families it applies. */
enum rig_mem_family {
	RIG_MEM_USEMEM = 1,
	RIG_MEM_NUMA = 2,
};

struct rig_mem_case {
	const char *name;
	const char *text;
	enum rig_mem_family family;

	/* usemem */
	bool cow;      /* the parent populates, children write their copy */
	bool random;   /* stores at random places, else in order */
	bool hugetlb;  /* surplus 2 MiB pages */
	bool threads;  /* one process with T threads, else T processes */
	unsigned unit; /* default unit in percent of MemTotal */

	/* numa */
	unsigned processes;
	unsigned cpus_per_thread; /* 2: one thread for every two CPUs */
	bool own_slice;		  /* the counted passes go over the thread's slice, else over all */
	bool main_touches;     /* the main thread touches the buffer, else each thread zeroes it */
	uint64_t size;	       /* the original's buffer of one process */
	unsigned passes;       /* the original's passes */
	unsigned passes_small; /* passes where the buffer had to shrink to fit a small guest */
};

extern const struct rig_mem_case rig_mem_cases[];
extern const size_t rig_mem_cases_count;

/* The case called @name, or NULL. */
const struct rig_mem_case *rig_mem_case_find(const char *name);
