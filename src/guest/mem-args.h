/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-args.h - the options of rig-mem as typed, and as sizes and numbers once the machine is known.
 */
#pragma once

#include "mem-cases.h"

#define RIG_MEM_HUGE_PAGE (2ULL << 20)

/* Room for one message about a bad option or a plan that cannot be. */
#define RIG_MEM_WHY_MAX 256

/* A number, or a percentage of something that is known later. */
struct rig_mem_amount {
	bool set;
	bool percent;
	uint64_t value;
};

enum rig_mem_bind {
	RIG_MEM_BIND_NONE = 0,
	RIG_MEM_BIND_HARD = 1,
	RIG_MEM_BIND_INVERSE = 2,
};

struct rig_mem_options {
	struct rig_mem_amount tasks;
	struct rig_mem_amount unit;
	struct rig_mem_amount size;
	struct rig_mem_amount runtime;
	struct rig_mem_amount seed;
	struct rig_mem_amount pool;
	struct rig_mem_amount passes;
	struct rig_mem_amount first_node;
	enum rig_mem_bind bind;
	bool no_pool;
};

/* What the defaults are taken from. */
struct rig_mem_machine {
	uint64_t mem_total; /* bytes */
	unsigned cpus;	    /* online */
	uint64_t page_size; /* bytes */
};

/* Everything that a run does, in numbers. */
struct rig_mem_plan {
	const struct rig_mem_case *what;
	unsigned tasks;
	unsigned processes;
	unsigned threads;   /* of one process */
	uint64_t mem_total; /* bytes */
	unsigned cpus;
	uint64_t page_size; /* bytes; 2 MiB for hugetlb */
	uint64_t seed;

	/* usemem */
	uint64_t unit; /* bytes */
	uint64_t size; /* bytes of one task's region; numa: of one process's buffer */
	uint64_t runtime_s;
	bool set_pool;
	uint64_t pool_pages;

	/* numa */
	uint64_t slice; /* bytes of one thread's part of the buffer */
	uint64_t passes;
	enum rig_mem_bind bind;
	unsigned first_node;
};

/* Parses "4096", "64K", "2MiB", "1G" and so on (powers of 1024) into @bytes. */
bool rig_mem_size_parse(const char *text, uint64_t *bytes);

/*
 * Takes one "--name=value" (or "--no-pool") for @what into @options. False and a message that names
 * the option in @why (RIG_MEM_WHY_MAX bytes) if it is unknown, malformed or means nothing to @what.
 */
bool rig_mem_option_parse(const struct rig_mem_case *what, const char *argument,
			  struct rig_mem_options *options, char *why);

/* MemTotal, CPUs and page size of the machine that this runs on. */
bool rig_mem_machine_read(struct rig_mem_machine *machine, char *why);

/*
 * Turns @options into a @plan for @machine: defaults, percentages, rounding. False and @why
 * (RIG_MEM_WHY_MAX bytes) if they cannot be: no task, a region of nothing, more than the memory.
 */
bool rig_mem_plan_resolve(const struct rig_mem_case *what, const struct rig_mem_options *options,
			  const struct rig_mem_machine *machine, struct rig_mem_plan *plan,
			  char *why);

/* The lines of --help about the options. */
const char *rig_mem_options_help(void);
