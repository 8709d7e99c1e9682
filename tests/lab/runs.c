/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runs.c - two kernels measured under KVM: their timings are judged; an emulated machine's beside
 * them are not.
 */
#include <string.h>

#include "lab.h"

static void expect_run(RigJson *run)
{
	RigJson *metrics = rig_json_object(run, "metrics", RIG_JSON_REQUIRED);

	g_assert_cmpstr(rig_json_string(run, "outcome", RIG_JSON_REQUIRED), ==, "ok");
	g_assert_cmpstr(rig_json_string(run, "class", RIG_JSON_REQUIRED), ==, "A");
	g_assert_cmpfloat(
		rig_json_double(metrics, "vm-scalability.throughput", RIG_JSON_REQUIRED, 0), >, 0);
}

static void test_two_kernels(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	g_autoptr(RigJson) root = NULL;
	RigJson *runs;

	lab_sh(lab, "rig run anon-cow-rand-hugetlb -k linux-6.1 -k linux-6.12 --accel kvm "
		    "--cell-memory 384M --set runtime=2 --boot-timeout 600 --json");
	lab_expect(lab, 0, NULL);
	root = lab_json(lab);
	runs = rig_json_array(root, "runs", RIG_JSON_REQUIRED);
	g_assert_cmpuint(rig_json_length(runs), ==, 2);
	for (guint i = 0; i < 2; i++)
		expect_run(rig_json_at(runs, i));
	lab_sh(lab, "rig compare linux-6.1 linux-6.12");
	g_assert_nonnull(strstr(lab->outer.last.out, "A (KVM, pinned)"));
}

void lab_add_run_tests(Lab *lab)
{
	g_test_add_data_func("/lab/run/two-kernels", lab, test_two_kernels);
}
