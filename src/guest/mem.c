/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mem.c - rig-mem, the memory workloads: `rig-mem CASE [--option=value]...`. It speaks the control
 * protocol with the agent (docs/protocol.md) and by hand prints the same lines to stdout.
 */
#include "mem-args.h"
#include "mem-bench.h"
#include "mem-control.h"
#include "mem-numa.h"
#include "mem-usemem.h"

#include <stdio.h>
#include <string.h>

enum {
	EXIT_DONE = 0,
	EXIT_NOT_WHOLE = 1,
	EXIT_USAGE = 2,
};

#define BENCH_SIZE (256ULL << 20)

static void print_list(void)
{
	for (size_t i = 0; i < rig_mem_cases_count; i++)
		printf("%-24s %s\n", rig_mem_cases[i].name, rig_mem_cases[i].text);
}

static void print_help(void)
{
	printf("usage: rig-mem CASE [--option=value]...\n"
	       "       rig-mem --list | --help | --bench-loop [--size=SIZE]\n\n"
	       "%s\n"
	       "--bench-loop compares the loop of random stores with a plain one.\n\n"
	       "Exit status: 0 every task did its work, 1 it did not, 2 usage.\n\n"
	       "Cases:\n",
	       rig_mem_options_help());
	print_list();
}

static int usage_error(const char *why)
{
	fprintf(stderr, "rig-mem: %s\nhint: rig-mem --help\n", why);
	return EXIT_USAGE;
}

static int bench(int argc, char **argv)
{
	uint64_t size = BENCH_SIZE;

	if (argc > 1 || (argc == 1 && (strncmp(argv[0], "--size=", 7) != 0 ||
				       !rig_mem_size_parse(argv[0] + 7, &size) || size < 4096)))
		return usage_error("--bench-loop takes --size=SIZE and nothing else");
	if (!rig_mem_bench(size)) {
		fprintf(stderr, "rig-mem: cannot map %llu bytes\n", (unsigned long long)size);
		return EXIT_NOT_WHOLE;
	}
	return EXIT_DONE;
}

static bool carry_out(const struct rig_mem_plan *plan, struct rig_control *control, char *why)
{
	if (plan->what->family == RIG_MEM_USEMEM)
		return rig_usemem_resolved(plan, control) && rig_usemem_run(plan, control, why);
	return rig_numa_resolved(plan, control) && rig_numa_run(plan, control, why);
}

static int run_case(const struct rig_mem_case *what, int argc, char **argv)
{
	struct rig_mem_options options = {0};
	struct rig_mem_machine machine;
	struct rig_mem_plan plan;
	struct rig_control control;
	char why[RIG_MEM_WHY_MAX] = "the control channel is gone";

	for (int i = 0; i < argc; i++)
		if (!rig_mem_option_parse(what, argv[i], &options, why))
			return usage_error(why);
	if (!rig_control_open(&control))
		return usage_error(RIG_ENV_CONTROL_FD " or " RIG_ENV_ACK_FD
						      " is not an open descriptor");
	if (!rig_mem_machine_read(&machine, why)) {
		rig_control_fail(&control, why);
		return EXIT_NOT_WHOLE;
	}
	if (!rig_mem_plan_resolve(what, &options, &machine, &plan, why))
		return usage_error(why);
	if (carry_out(&plan, &control, why))
		return EXIT_DONE;
	rig_control_fail(&control, why);
	fprintf(stderr, "rig-mem: %s\n", why);
	return EXIT_NOT_WHOLE;
}

int main(int argc, char **argv)
{
	const struct rig_mem_case *what;

	if (argc < 2)
		return usage_error("no case named");
	if (strcmp(argv[1], "--help") == 0)
		print_help();
	else if (strcmp(argv[1], "--list") == 0)
		print_list();
	else if (strcmp(argv[1], "--bench-loop") == 0)
		return bench(argc - 2, argv + 2);
	else if ((what = rig_mem_case_find(argv[1])))
		return run_case(what, argc - 2, argv + 2);
	else {
		char why[RIG_MEM_WHY_MAX];

		snprintf(why, sizeof(why), "unknown case '%.64s'", argv[1]);
		return usage_error(why);
	}
	return EXIT_DONE;
}
