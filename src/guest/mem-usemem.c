/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem-usemem.c - the anon-* cases: tasks that write private anonymous memory which was populated by
 * their parent (cow) or by nobody (w).
 *
 * Two phases that the original lumps together are apart here: "copy" (cow) or "populate" (w), in
 * which every page is written for the first time, and "access", in which pages are where they are.
 *
 * The original's figure (kbps) is kept beside: its clock starts before the first page is populated
 * and holds populating, forking and gathering the tasks, the first writes and the accesses. What
 * rig adds is taken out: the wait for the answers to marks, and at the gate between the two phases.
 * Its bytes are 8 an access and an eighth of the size as a credit for allocating.
 */
#include "mem-usemem.h"
#include "mem-hugetlb.h"
#include "mem-store.h"
#include "mem-tasks.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

/* What a task leaves for its parent. */
struct report {
	uint64_t first_ns; /* copy or populate */
	uint64_t first_accesses;
	uint64_t first_pages;
	uint64_t access_ns;
	uint64_t accesses;
};

/* In shared memory, because it is known only after the fork. */
struct deadline {
	uint64_t ns;
};

struct usemem {
	const struct rig_mem_plan *plan;
	struct rig_control *control;
	struct rig_crew crew;
	struct rig_crew_work work;
	struct rig_hugetlb_pool pool;
	struct deadline *deadline;
	void *region;		/* cow: the parent's */
	struct rig_touch touch; /* cow: one for all threads of a process */
	uint64_t before_ns;	/* the clock until all tasks stood ready */
};

static int map_flags(const struct rig_mem_plan *plan)
{
	return MAP_PRIVATE | MAP_ANONYMOUS | (plan->what->hugetlb ? MAP_HUGETLB : 0);
}

/*
 * A region that a task will populate itself. Huge pages are not reserved: a reservation would take
 * them from the buddy allocator now and here, not at the fault on the CPU that faults.
 */
static void *map_own(const struct rig_mem_plan *plan)
{
	return mmap(NULL, plan->size, PROT_READ | PROT_WRITE, map_flags(plan) | MAP_NORESERVE, -1,
		    0);
}

static void prepare_process(struct rig_crew *crew, unsigned process, void *data)
{
	struct usemem *run = data;

	if (run->plan->what->cow &&
	    !rig_touch_init(&run->touch, run->plan->size, run->plan->page_size))
		rig_crew_fail(crew, process, "no memory for the map of touched pages");
}

/* The phase of first writes, from mapping on. */
static void first_writes(struct usemem *run, struct rig_store *store, unsigned index,
			 struct rig_touch *touch, struct report *report)
{
	const struct rig_mem_plan *plan = run->plan;
	uint64_t start = rig_store_now_ns();
	void *region = run->region ? run->region : map_own(plan);
	struct rig_store_copied copied;

	if (region == MAP_FAILED)
		rig_crew_fail(&run->crew, index, "cannot map %llu bytes: %s",
			      (unsigned long long)plan->size, strerror(errno));
	rig_store_init(store, region, plan->size, plan->what->random, plan->seed, index);
	copied = rig_store_copy(store, touch);
	report->first_ns = rig_store_now_ns() - start;
	report->first_accesses = copied.accesses;
	report->first_pages = copied.pages;
}

static void task_main(struct rig_crew *crew, unsigned index, void *data)
{
	struct usemem *run = data;
	struct report *report = rig_crew_report(crew, index);
	struct rig_touch own = {0};
	struct rig_touch *touch = run->plan->what->cow ? &run->touch : &own;
	struct rig_store store;
	uint64_t start;

	if (touch == &own && !rig_touch_init(&own, run->plan->size, run->plan->page_size))
		rig_crew_fail(crew, index, "no memory for the map of touched pages");
	rig_crew_gate(crew);
	first_writes(run, &store, index, touch, report);
	rig_crew_gate(crew);
	start = rig_store_now_ns();
	report->accesses = rig_store_until(&store, run->deadline->ns);
	report->access_ns = rig_store_now_ns() - start;
	rig_crew_gate(crew);
}

static bool mark(struct usemem *run, const char *phase, const pid_t *tasks, size_t count, char *why)
{
	if (rig_control_mark(run->control, phase, tasks, count))
		return true;
	snprintf(why, RIG_MEM_WHY_MAX, "the control channel is gone at mark %s", phase);
	return false;
}

/* Marks the phase of first writes; now the tasks are known. */
static bool mark_first(struct usemem *run, char *why)
{
	pid_t *tids = calloc(run->crew.tasks, sizeof(*tids));
	bool good;

	if (!tids) {
		snprintf(why, RIG_MEM_WHY_MAX, "no memory for %u task ids", run->crew.tasks);
		return false;
	}
	for (unsigned i = 0; i < run->crew.tasks; i++)
		tids[i] = rig_crew_tid(&run->crew, i);
	good = mark(run, run->plan->what->cow ? "copy" : "populate", tids, run->crew.tasks, why);
	free(tids);
	return good;
}

/* The parent's region: mapped with its reservation, so that a pool that is short for it says so. */
static bool populate_parent(struct usemem *run, char *why)
{
	void *region = mmap(NULL, run->plan->size, PROT_READ | PROT_WRITE,
			    map_flags(run->plan) | MAP_POPULATE, -1, 0);

	if (region == MAP_FAILED) {
		snprintf(why, RIG_MEM_WHY_MAX, "the parent cannot map %llu bytes: %s%s",
			 (unsigned long long)run->plan->size, strerror(errno),
			 run->plan->what->hugetlb ? " (short hugetlb pool?)" : "");
		return false;
	}
	run->region = region;
	return true;
}

static bool start_tasks(struct usemem *run, char *why)
{
	uint64_t start;

	if (run->plan->what->cow && !mark(run, "populate", NULL, 0, why))
		return false;
	start = rig_store_now_ns();
	if (run->plan->what->cow && !populate_parent(run, why))
		return false;
	run->work = (struct rig_crew_work){
		.prepare = prepare_process,
		.task = task_main,
		.data = run,
	};
	if (!rig_crew_start(&run->crew, &run->work, why) || !rig_crew_gather(&run->crew, why))
		return false;
	run->before_ns = rig_store_now_ns() - start;
	return true;
}

/*
 * All tasks stop at one time, and the run time counts by the original's clock. Where populating and
 * copying took most of it (an emulated guest), the accesses still get a quarter: a phase of some
 * milliseconds would be counted, and say nothing.
 */
static void set_deadline(struct usemem *run, uint64_t first_ns)
{
	uint64_t used = run->before_ns + first_ns;
	uint64_t runtime = run->plan->runtime_s * 1000000000ULL;
	uint64_t left = runtime > used ? runtime - used : 0;

	run->deadline->ns = rig_store_now_ns() + (left > runtime / 4 ? left : runtime / 4);
}

static bool run_phases(struct usemem *run, char *why)
{
	uint64_t start;
	uint64_t first_ns;

	if (!start_tasks(run, why) || !mark_first(run, why))
		return false;
	start = rig_store_now_ns();
	rig_crew_release(&run->crew);
	if (!rig_crew_gather(&run->crew, why))
		return false;
	first_ns = rig_store_now_ns() - start;
	if (!mark(run, "access", NULL, 0, why))
		return false;
	set_deadline(run, first_ns);
	rig_crew_release(&run->crew);
	if (!rig_crew_gather(&run->crew, why) || !mark(run, "teardown", NULL, 0, why))
		return false;
	rig_crew_release(&run->crew);
	return rig_crew_finish(&run->crew, why);
}

/* KiB/s. */
static double rate(double bytes, uint64_t ns)
{
	return ns ? bytes / 1024.0 / ((double)ns / 1e9) : 0.0;
}

static void add_first(struct rig_control *control, const struct rig_mem_plan *plan,
		      const struct report *report)
{
	bool cow = plan->what->cow;

	rig_control_add(control, cow ? "copy_us" : "populate_us", report->first_ns / 1000);
	rig_control_add(control, cow ? "copy_pages" : "populate_pages", report->first_pages);
	rig_control_add_real(
		control, cow ? "copy_kbps" : "populate_kbps",
		rate((double)(report->first_pages * plan->page_size), report->first_ns));
}

static bool send_result(struct usemem *run, unsigned index)
{
	const struct report *report = rig_crew_report(&run->crew, index);
	struct rig_control *control = run->control;
	uint64_t orig_ns = run->before_ns + report->first_ns + report->access_ns;
	uint64_t bytes = 8 * (report->first_accesses + report->accesses) + run->plan->size / 8;
	uint64_t access_bytes = 8 * report->accesses;

	rig_control_begin(control, "result");
	rig_control_add(control, "task", index);
	rig_control_add(control, "pid", (uint64_t)rig_crew_pid(&run->crew, index));
	rig_control_add(control, "tid", (uint64_t)rig_crew_tid(&run->crew, index));
	rig_control_add_real(control, "kbps", rate((double)bytes, orig_ns));
	rig_control_add(control, "bytes", bytes);
	rig_control_add(control, "orig_us", orig_ns / 1000);
	add_first(control, run->plan, report);
	rig_control_add(control, "access_us", report->access_ns / 1000);
	rig_control_add(control, "access_bytes", access_bytes);
	rig_control_add_real(control, "access_kbps", rate((double)access_bytes, report->access_ns));
	return rig_control_send(control);
}

bool rig_usemem_resolved(const struct rig_mem_plan *plan, struct rig_control *control)
{
	rig_control_begin(control, "resolved");
	rig_control_add(control, "tasks", plan->tasks);
	rig_control_add(control, "processes", plan->processes);
	rig_control_add(control, "threads", plan->threads);
	rig_control_add(control, "unit", plan->unit);
	rig_control_add(control, "size", plan->size);
	rig_control_add(control, "runtime", plan->runtime_s);
	rig_control_add(control, "seed", plan->seed);
	rig_control_add(control, "page_size", plan->page_size);
	if (plan->set_pool)
		rig_control_add(control, "pool_pages", plan->pool_pages);
	rig_control_add(control, "mem_total", plan->mem_total);
	rig_control_add(control, "cpus", plan->cpus);
	return rig_control_send(control);
}

static bool run_whole(struct usemem *run, char *why)
{
	const struct rig_mem_plan *plan = run->plan;

	if (!mark(run, "setup", NULL, 0, why))
		return false;
	if (plan->set_pool &&
	    !rig_hugetlb_pool_set(&run->pool, RIG_HUGETLB_DIR, plan->pool_pages, why))
		return false;
	if (!run_phases(run, why))
		return false;
	for (unsigned i = 0; i < run->crew.tasks; i++)
		if (!send_result(run, i)) {
			snprintf(why, RIG_MEM_WHY_MAX, "the control channel is gone at result %u",
				 i);
			return false;
		}
	return true;
}

bool rig_usemem_run(const struct rig_mem_plan *plan, struct rig_control *control, char *why)
{
	struct usemem run = {.plan = plan, .control = control};
	bool good;

	if (!rig_crew_init(&run.crew, plan->processes, plan->threads, sizeof(struct report), why))
		return false;
	run.deadline = mmap(NULL, sizeof(*run.deadline), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	good = run.deadline != MAP_FAILED && run_whole(&run, why);
	if (run.deadline == MAP_FAILED)
		snprintf(why, RIG_MEM_WHY_MAX, "no shared memory: %s", strerror(errno));
	else
		munmap(run.deadline, sizeof(*run.deadline));
	if (run.region)
		munmap(run.region, plan->size);
	/* Children must be gone before, or the surplus pages would outlive the permission. */
	rig_hugetlb_pool_restore(&run.pool);
	rig_crew_clear(&run.crew);
	return good;
}
