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

/* The last comparison: is it of CLASS (NULL: of several), and was its throughput judged? */
static void expect_judged(Lab *lab, const char *class, gboolean judged)
{
	g_autoptr(RigJson) root = lab_json(lab);
	RigJson *stats = rig_json_at(rig_json_array(root, "statistics", RIG_JSON_REQUIRED), 0);
	RigJson *metrics = rig_json_array(stats, "metrics", RIG_JSON_REQUIRED);
	const char *verdict = NULL;

	for (guint i = 0; i < rig_json_length(metrics); i++) {
		RigJson *metric = rig_json_at(metrics, i);

		if (!g_strcmp0(rig_json_string(metric, "name", RIG_JSON_REQUIRED),
			       "vm-scalability.throughput"))
			verdict = rig_json_string(metric, "verdict", RIG_JSON_REQUIRED);
	}
	if (class)
		g_assert_cmpstr(rig_json_string(stats, "class", RIG_JSON_REQUIRED), ==, class);
	g_assert_cmpint(rig_json_bool(root, "timings_comparable", RIG_JSON_REQUIRED, FALSE), ==,
			judged);
	g_assert_nonnull(verdict);
	g_assert_cmpint(strcmp(verdict, "not judged") != 0, ==, judged);
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
	/* One boot a side decides nothing, but it is judged: the verdict is not "not judged". */
	lab_sh(lab, "rig compare linux-6.1 linux-6.12 --json");
	lab_expect(lab, 20, NULL);
	expect_judged(lab, "A", TRUE);
	lab_sh(lab, "rig compare linux-6.1 linux-6.12");
	lab_expect(lab, 20, NULL);
	g_assert_nonnull(strstr(lab->outer.last.out, "A (KVM, bound to host nodes)"));
}

/* The same runs on an emulated machine, made before the lab was up: beside a real one, and alone,
 * they are shown, and their timings have no say. */
static void test_beside_emulated(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	lab_sh(lab, "sh /root/mix.sh /root/mixed linux-6.1 linux-6.12; "
		    "RIG_STATE_DIR=/root/mixed rig compare linux-6.1 linux-6.12");
	lab_expect(lab, 0, "NOT JUDGED");
	lab_expect(lab, 0, "different placement classes cannot be compared");
	lab_sh(lab, "RIG_STATE_DIR=/root/mixed rig compare linux-6.1 linux-6.12 --json");
	expect_judged(lab, NULL, FALSE);
	lab_sh(lab, "sh /root/mix.sh /root/alone none 'linux-*'; "
		    "RIG_STATE_DIR=/root/alone rig compare linux-6.1 linux-6.12 --json");
	expect_judged(lab, "C", FALSE);
}

void lab_add_run_tests(Lab *lab)
{
	g_test_add_data_func("/lab/run/two-kernels", lab, test_two_kernels);
	g_test_add_data_func("/lab/run/beside-emulated", lab, test_beside_emulated);
}
