/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-numa.c - numa01, numa01-thread-alloc, numa02 and numa02-smt: memory that is first touched on
 * one node and then passed over by threads on all of them, for automatic NUMA balancing to sort.
 *
 * Phases: "populate" is the first touch (by the main thread or, in numa01, by each thread zeroing
 * the whole buffer of its process), "access" the passes. "seconds" holds both, as the original's
 * does, without the wait for the answer to the mark between them. A pass zeroes what it goes over.
 */
#include "mem-numa.h"
#include "mem-locality.h"
#include "mem-nodes.h"
#include "mem-store.h"
#include "mem-tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* A pass looks at the clock once in this many bytes. */
#define CHUNK (4UL << 20)

struct report {
	uint64_t access_ns;
	uint64_t bytes;	       /* passed over */
	uint64_t converged_ns; /* from the start of the phase; 0: never */
	double share;
	int home;
	int known;
};

struct numa {
	const struct rig_mem_plan *plan;
	struct rig_control *control;
	struct rig_crew crew;
	struct rig_crew_work work;
	struct rig_nodes nodes;
	char *buffer; /* a child's: of its process */
	uint64_t populate_ns;
	uint64_t access_ns;
};

static void *map_aligned(size_t size)
{
	char *base = mmap(NULL, size + RIG_MEM_HUGE_PAGE, PROT_READ | PROT_WRITE,
			  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	return base + (-(uintptr_t)base % RIG_MEM_HUGE_PAGE);
}

/* numa01 binds whole processes, numa02 the threads of its one process. */
static unsigned part_of(const struct rig_mem_plan *plan, unsigned index)
{
	return plan->processes > 1 ? index / plan->threads : index;
}

static unsigned parts(const struct rig_mem_plan *plan)
{
	return plan->processes > 1 ? plan->processes : plan->threads;
}

static void bind_memory(struct numa *run, unsigned process)
{
	const struct rig_mem_plan *plan = run->plan;
	unsigned pieces = plan->processes > 1 ? 1 : plan->threads;
	size_t piece = plan->size / pieces;

	for (unsigned i = 0; i < pieces; i++) {
		unsigned part = plan->processes > 1 ? process : i;
		int node = rig_nodes_memory(&run->nodes, part, parts(plan), plan->bind);

		if (!rig_nodes_bind_memory(run->buffer + i * piece, piece, node))
			rig_crew_fail(&run->crew, process * plan->threads,
				      "cannot bind its memory to node %d: %s", node,
				      strerror(errno));
	}
}

static void run_on(struct numa *run, unsigned index, int node)
{
	if (!rig_nodes_run_on(node))
		rig_crew_fail(&run->crew, index, "cannot run on node %d: %s", node,
			      strerror(errno));
}

static void prepare_process(struct rig_crew *crew, unsigned process, void *data)
{
	struct numa *run = data;
	const struct rig_mem_plan *plan = run->plan;
	unsigned first = process * plan->threads;

	run->buffer = map_aligned(plan->size);
	if (!run->buffer)
		rig_crew_fail(crew, first, "cannot map %llu bytes: %s",
			      (unsigned long long)plan->size, strerror(errno));
	if (plan->bind == RIG_MEM_BIND_NONE)
		run_on(run, first, (int)plan->first_node); /* inherited by the threads */
	else
		bind_memory(run, process);
	if (plan->what->main_touches)
		memset(run->buffer, 0, plan->size);
}

/* The first touch of a thread, and then the CPUs where it may run from now on. */
static int settle(struct numa *run, unsigned index)
{
	const struct rig_mem_plan *plan = run->plan;
	int node = -1;

	if (plan->bind != RIG_MEM_BIND_NONE) {
		node = rig_nodes_cpu(&run->nodes, part_of(plan, index), parts(plan));
		run_on(run, index, node);
	}
	if (!plan->what->main_touches)
		memset(run->buffer, 0, plan->size);
	if (plan->bind == RIG_MEM_BIND_NONE)
		run_on(run, index, -1);
	return node;
}

/* Returns the bytes that it went over. */
static uint64_t pass_over(char *base, size_t size, struct rig_locality *locality)
{
	size_t done = 0;

	while (done < size) {
		size_t chunk = size - done < CHUNK ? size - done : CHUNK;

		memset(base + done, 0, chunk);
		/* The compiler may not merge a pass with the next one. */
		__asm__ volatile("" : : "r"(base) : "memory");
		done += chunk;
		rig_locality_look(locality, rig_store_now_ns());
	}
	return done;
}

static void save_locality(struct report *report, const struct rig_locality *locality)
{
	report->home = locality->home;
	report->share = locality->share;
	report->known = locality->known;
	report->converged_ns = locality->since_ns ? locality->since_ns - locality->start_ns : 0;
}

static void task_main(struct rig_crew *crew, unsigned index, void *data)
{
	struct numa *run = data;
	const struct rig_mem_plan *plan = run->plan;
	struct report *report = rig_crew_report(crew, index);
	bool own = plan->what->own_slice;
	char *base = run->buffer + (own ? index % plan->threads * plan->slice : 0);
	size_t size = own ? plan->slice : plan->size;
	struct rig_locality locality;
	int bound = settle(run, index);
	uint64_t start;

	rig_crew_gate(crew);
	start = rig_store_now_ns();
	rig_locality_init(&locality, base, size, plan->page_size, bound, start);
	for (uint64_t pass = 0; pass < plan->passes; pass++)
		report->bytes += pass_over(base, size, &locality);
	report->access_ns = rig_store_now_ns() - start;
	rig_locality_finish(&locality);
	save_locality(report, &locality);
	rig_crew_gate(crew);
}

static bool mark(struct numa *run, const char *phase, const pid_t *tasks, size_t count, char *why)
{
	if (rig_control_mark(run->control, phase, tasks, count))
		return true;
	snprintf(why, RIG_MEM_WHY_MAX, "the control channel is gone at mark %s", phase);
	return false;
}

static bool mark_access(struct numa *run, char *why)
{
	pid_t *tids = calloc(run->crew.tasks, sizeof(*tids));
	bool good;

	if (!tids) {
		snprintf(why, RIG_MEM_WHY_MAX, "no memory for %u task ids", run->crew.tasks);
		return false;
	}
	for (unsigned i = 0; i < run->crew.tasks; i++)
		tids[i] = rig_crew_tid(&run->crew, i);
	good = mark(run, "access", tids, run->crew.tasks, why);
	free(tids);
	return good;
}

static bool run_phases(struct numa *run, char *why)
{
	uint64_t start;

	if (!mark(run, "setup", NULL, 0, why) || !rig_nodes_read(&run->nodes, run->plan, why) ||
	    !mark(run, "populate", NULL, 0, why))
		return false;
	run->work = (struct rig_crew_work){
		.prepare = prepare_process,
		.task = task_main,
		.data = run,
	};
	start = rig_store_now_ns();
	if (!rig_crew_start(&run->crew, &run->work, why) || !rig_crew_gather(&run->crew, why))
		return false;
	run->populate_ns = rig_store_now_ns() - start;
	if (!mark_access(run, why))
		return false;
	start = rig_store_now_ns();
	rig_crew_release(&run->crew);
	if (!rig_crew_gather(&run->crew, why))
		return false;
	run->access_ns = rig_store_now_ns() - start;
	if (!mark(run, "teardown", NULL, 0, why))
		return false;
	rig_crew_release(&run->crew);
	return rig_crew_finish(&run->crew, why);
}

static bool send_result(struct numa *run, unsigned index)
{
	const struct report *report = rig_crew_report(&run->crew, index);
	struct rig_control *control = run->control;

	rig_control_begin(control, "result");
	rig_control_add(control, "task", index);
	rig_control_add(control, "pid", (uint64_t)rig_crew_pid(&run->crew, index));
	rig_control_add(control, "tid", (uint64_t)rig_crew_tid(&run->crew, index));
	rig_control_add_real(control, "seconds", (double)report->access_ns / 1e9);
	rig_control_add(control, "bytes", report->bytes);
	if (report->known) {
		rig_control_add(control, "home_node", (uint64_t)report->home);
		rig_control_add_real(control, "home_share", 100.0 * report->share);
	}
	if (report->converged_ns)
		rig_control_add_real(control, "converged", (double)report->converged_ns / 1e9);
	return rig_control_send(control);
}

static bool send_metric(struct numa *run, const char *name, double value)
{
	rig_control_begin(run->control, "metric");
	rig_control_add_real(run->control, name, value);
	return rig_control_send(run->control);
}

/* The last thread to converge makes the run's time; one that never did leaves it without a value.
 */
static bool send_convergence(struct numa *run)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < run->crew.tasks; i++) {
		const struct report *report = rig_crew_report(&run->crew, i);

		if (!report->known || report->converged_ns == 0)
			return true;
		if (report->converged_ns > last)
			last = report->converged_ns;
	}
	return send_metric(run, "convergence_seconds", (double)last / 1e9);
}

static bool send_all(struct numa *run, char *why)
{
	bool good = true;

	for (unsigned i = 0; i < run->crew.tasks && good; i++)
		good = send_result(run, i);
	good = good &&
	       send_metric(run, "seconds", (double)(run->populate_ns + run->access_ns) / 1e9) &&
	       send_metric(run, "populate_seconds", (double)run->populate_ns / 1e9) &&
	       send_metric(run, "access_seconds", (double)run->access_ns / 1e9) &&
	       send_convergence(run);
	if (!good)
		snprintf(why, RIG_MEM_WHY_MAX, "the control channel is gone at the results");
	return good;
}

bool rig_numa_resolved(const struct rig_mem_plan *plan, struct rig_control *control)
{
	rig_control_begin(control, "resolved");
	rig_control_add(control, "tasks", plan->tasks);
	rig_control_add(control, "processes", plan->processes);
	rig_control_add(control, "threads", plan->threads);
	rig_control_add(control, "size", plan->size);
	rig_control_add(control, "slice", plan->slice);
	rig_control_add(control, "passes", plan->passes);
	rig_control_add(control, "bind", plan->bind);
	if (plan->bind == RIG_MEM_BIND_NONE)
		rig_control_add(control, "first_node", plan->first_node);
	rig_control_add(control, "mem_total", plan->mem_total);
	rig_control_add(control, "cpus", plan->cpus);
	return rig_control_send(control);
}

bool rig_numa_run(const struct rig_mem_plan *plan, struct rig_control *control, char *why)
{
	struct numa run = {.plan = plan, .control = control};
	bool good;

	if (!rig_crew_init(&run.crew, plan->processes, plan->threads, sizeof(struct report), why))
		return false;
	good = run_phases(&run, why) && send_all(&run, why);
	rig_crew_clear(&run.crew);
	return good;
}
