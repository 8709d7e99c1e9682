/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-plan.c - from options and machine to a plan in numbers. Pure apart from reading the machine,
 * so that the sizes of a 256 GiB server can be tested anywhere.
 */
#include "mem-args.h"
#include "../proto.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* A numa buffer is at most this part of memory, so that all of them fit on one node of two. */
#define NUMA_SHARE 8

static uint64_t round_up(uint64_t value, uint64_t step)
{
	return (value + step - 1) / step * step;
}

static uint64_t amount_of(const struct rig_mem_amount *amount, uint64_t whole, uint64_t fallback)
{
	if (!amount->set)
		return fallback;
	return amount->percent ? whole * amount->value / 100 : amount->value;
}

static bool resolve_tasks(struct rig_mem_plan *plan, const struct rig_mem_options *options,
			  char *why)
{
	unsigned share = plan->what->family == RIG_MEM_NUMA ? plan->what->cpus_per_thread : 1;
	uint64_t tasks = amount_of(&options->tasks, plan->cpus, plan->cpus / share);

	if (tasks > RIG_TASKS_MAX) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "option --tasks: %llu tasks, at most %d can be watched",
			 (unsigned long long)tasks, RIG_TASKS_MAX);
		return false;
	}
	plan->tasks = tasks ? (unsigned)tasks : 1;
	return true;
}

/* In how many regions the unit is cut: one for each copy, the parent's included. */
static unsigned usemem_parts(const struct rig_mem_plan *plan)
{
	if (!plan->what->cow)
		return plan->tasks;
	return plan->what->threads ? 1 : plan->tasks + 1;
}

/* How often the unit is in memory: the -mt child copies all of it beside the parent's. */
static unsigned usemem_copies(const struct rig_mem_plan *plan)
{
	return plan->what->cow && plan->what->threads ? 2 : 1;
}

static void resolve_pool(struct rig_mem_plan *plan, const struct rig_mem_options *options)
{
	uint64_t bytes = plan->unit * usemem_copies(plan);
	uint64_t needed = round_up(bytes, RIG_MEM_HUGE_PAGE) / RIG_MEM_HUGE_PAGE + plan->tasks + 1;

	if (!plan->what->hugetlb || options->no_pool)
		return;
	plan->set_pool = true;
	plan->pool_pages = amount_of(&options->pool, 0, needed);
}

static bool resolve_usemem(struct rig_mem_plan *plan, const struct rig_mem_options *options,
			   char *why)
{
	unsigned parts = usemem_parts(plan);
	uint64_t unit = plan->mem_total * plan->what->unit / 100;

	if (plan->what->hugetlb)
		plan->page_size = RIG_MEM_HUGE_PAGE;
	plan->processes = plan->what->threads ? 1 : plan->tasks;
	plan->threads = plan->what->threads ? plan->tasks : 1;
	plan->runtime_s = amount_of(&options->runtime, 0, 20);
	plan->seed = amount_of(&options->seed, 0, 1);
	plan->unit = amount_of(&options->unit, plan->mem_total, unit);
	if (options->size.set)
		plan->unit = options->size.value * parts;
	plan->size = round_up(plan->unit / parts, plan->page_size);
	if (plan->size == 0) {
		snprintf(why, RIG_MEM_WHY_MAX, "a unit of %llu bytes is too small for %u tasks",
			 (unsigned long long)plan->unit, plan->tasks);
		return false;
	}
	if (plan->size > plan->mem_total / (parts * usemem_copies(plan))) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "%u regions of %llu bytes are more than the memory of %llu bytes",
			 parts * usemem_copies(plan), (unsigned long long)plan->size,
			 (unsigned long long)plan->mem_total);
		return false;
	}
	resolve_pool(plan, options);
	return true;
}

static bool resolve_numa(struct rig_mem_plan *plan, const struct rig_mem_options *options,
			 char *why)
{
	uint64_t fits = plan->mem_total / NUMA_SHARE;
	uint64_t size = plan->what->size < fits ? plan->what->size : fits;
	unsigned passes = size < plan->what->size ? plan->what->passes_small : plan->what->passes;

	plan->processes = plan->what->processes;
	plan->threads = plan->tasks / plan->processes;
	if (plan->threads == 0)
		plan->threads = 1;
	plan->tasks = plan->threads * plan->processes;
	size = amount_of(&options->size, 0, size);
	/* Slices of whole huge pages, so that no huge page is shared between two threads. */
	plan->slice = size / plan->threads;
	plan->slice -= plan->slice %
		       (plan->slice < RIG_MEM_HUGE_PAGE ? plan->page_size : RIG_MEM_HUGE_PAGE);
	plan->size = plan->slice * plan->threads;
	plan->passes = amount_of(&options->passes, 0, passes);
	plan->bind = options->bind;
	plan->first_node = (unsigned)amount_of(&options->first_node, 0, 0);
	if (plan->slice == 0) {
		snprintf(why, RIG_MEM_WHY_MAX, "a buffer of %llu bytes is too small for %u threads",
			 (unsigned long long)size, plan->threads);
		return false;
	}
	if (plan->size > plan->mem_total / plan->processes) {
		snprintf(why, RIG_MEM_WHY_MAX,
			 "%u buffers of %llu bytes are more than the memory of %llu bytes",
			 plan->processes, (unsigned long long)plan->size,
			 (unsigned long long)plan->mem_total);
		return false;
	}
	return true;
}

bool rig_mem_plan_resolve(const struct rig_mem_case *what, const struct rig_mem_options *options,
			  const struct rig_mem_machine *machine, struct rig_mem_plan *plan,
			  char *why)
{
	*plan = (struct rig_mem_plan){
		.what = what,
		.mem_total = machine->mem_total,
		.cpus = machine->cpus,
		.page_size = machine->page_size,
	};
	if (!resolve_tasks(plan, options, why))
		return false;
	return what->family == RIG_MEM_USEMEM ? resolve_usemem(plan, options, why)
					      : resolve_numa(plan, options, why);
}

bool rig_mem_machine_read(struct rig_mem_machine *machine, char *why)
{
	unsigned long long kib = 0;
	char line[128];
	FILE *file = fopen("/proc/meminfo", "re");

	while (file && kib == 0 && fgets(line, sizeof(line), file))
		if (sscanf(line, "MemTotal: %llu kB", &kib) != 1)
			kib = 0;
	if (file)
		fclose(file);
	machine->mem_total = kib * 1024;
	machine->cpus = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	machine->page_size = (uint64_t)sysconf(_SC_PAGESIZE);
	if (kib == 0)
		snprintf(why, RIG_MEM_WHY_MAX, "no MemTotal in /proc/meminfo");
	return kib != 0;
}
