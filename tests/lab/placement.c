/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * placement.c - where a guest's memory and vCPUs lie on a host with two nodes, read from QEMU's
 * process and not from its XML; and that rig notices when they are moved.
 */
#include <string.h>

#include "lab.h"

#define UP "rig up 2sp-icl -k linux-6.12 --cell-memory 384M --accel kvm --boot-timeout 600"

static RigJson *finding(RigJson *root, const char *name)
{
	RigJson *findings = rig_json_array(root, "findings", RIG_JSON_REQUIRED);

	for (guint i = 0; i < rig_json_length(findings); i++) {
		RigJson *item = rig_json_at(findings, i);

		if (!g_strcmp0(rig_json_string(item, "name", RIG_JSON_REQUIRED), name))
			return item;
	}
	g_error("doctor does not tell of %s", name);
}

static void expect_finding(RigJson *root, const char *name, const char *level, const char *text)
{
	RigJson *item = finding(root, name);
	const char *found = rig_json_string(item, "text", RIG_JSON_REQUIRED);

	g_assert_cmpstr(rig_json_string(item, "level", RIG_JSON_REQUIRED), ==, level);
	if (!strstr(found, text))
		g_error("doctor says of %s: %s", name, found);
}

static void reserve_hugepages(Lab *lab, guint pages)
{
	g_free(lab_get(lab,
		       "for n in 0 1; do f=/sys/devices/system/node/node$n/hugepages/"
		       "hugepages-2048kB/nr_hugepages; echo %u >$f; test $(cat $f) = %u; done",
		       pages, pages));
}

static void test_doctor(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	g_autoptr(RigJson) root = NULL;

	reserve_hugepages(lab, 40);
	lab_sh(lab, "rig doctor --json");
	lab_expect(lab, 0, NULL);
	root = lab_json(lab);
	expect_finding(root, "KVM", "ok", "usable: a canary guest booted");
	expect_finding(root, "node 0", "ok", "CPUs 0-1");
	expect_finding(root, "node 1", "ok", "CPUs 2-3");
	expect_finding(root, "node 0", "ok", "40 of 40");
	expect_finding(root, "node 1", "ok", "40 of 40");
	reserve_hugepages(lab, 0);
}

/* QEMU's pages that are bound to NODE, by the node that they are on: MiB. */
static void read_bound(Lab *lab, int node, double mib[2])
{
	g_autofree char *text = lab_get(lab, "cat /proc/$(pgrep -f '[g]uest=2sp-icl,')/numa_maps");
	g_autofree char *policy = g_strdup_printf(" bind:%d ", node);
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint found = 0;

	mib[0] = mib[1] = 0;
	for (guint i = 0; lines[i]; i++) {
		const char *size = strstr(lines[i], " kernelpagesize_kB=");
		double kib = size ? g_ascii_strtod(strchr(size, '=') + 1, NULL) : 0;

		if (!strstr(lines[i], policy))
			continue;
		found++;
		for (int n = 0; n < 2; n++) {
			g_autofree char *key = g_strdup_printf(" N%d=", n);
			const char *pages = strstr(lines[i], key);

			if (pages)
				mib[n] += g_ascii_strtod(pages + strlen(key), NULL) * kib / 1024;
		}
	}
	g_assert_cmpuint(found, >, 0);
}

/* All that is bound to a node lies there, and there is some. Returns how much. */
static double expect_on_node(Lab *lab, int node)
{
	double mib[2];

	read_bound(lab, node, mib);
	g_assert_cmpfloat(mib[node], >, 0);
	g_assert_cmpfloat(mib[!node], ==, 0);
	return mib[node];
}

/* Which cell is which: what a CPU of a cell touches first comes from its own cell, and appears on
 * its own host node only. */
static void expect_cell_grows(Lab *lab, int cell)
{
	double before[2], after[2];

	before[0] = expect_on_node(lab, 0);
	before[1] = expect_on_node(lab, 1);
	g_free(lab_get(lab,
		       "rig exec 2sp-icl -- taskset %x dd if=/dev/zero of=/dev/shm/fill bs=1M "
		       "count=120; rig exec 2sp-icl -- rm /dev/shm/fill",
		       cell ? 1 << 2 : 1));
	after[0] = expect_on_node(lab, 0);
	after[1] = expect_on_node(lab, 1);
	g_assert_cmpfloat(after[cell] - before[cell], >, 100);
	g_assert_cmpfloat(after[!cell] - before[!cell], <, 40);
}

static void expect_thread(Lab *lab, const char *name, const char *cpus)
{
	g_autofree char *allowed =
		lab_get(lab,
			"for t in /proc/$(pgrep -f '[g]uest=2sp-icl,')/task/*; do "
			"if [ \"$(cat $t/comm)\" = '%s' ]; then sed -n 's/^Cpus_allowed_list:.//p' "
			"$t/status; fi; done | sort -u",
			name);

	g_assert_cmpstr(allowed, ==, cpus);
}

/* The guest's own manifest says how it was placed. */
static void expect_manifest(Lab *lab, const char *key, const char *part)
{
	g_autofree char *text = lab_get(lab, "cat " LAB_STATE "/guests/2sp-icl/guest.json");
	g_autoptr(RigJson) root = rig_json_parse("guest.json", text, -1, NULL);
	RigJson *manifest = rig_json_object(root, "manifest", RIG_JSON_REQUIRED);
	const char *value = rig_json_string(manifest, key, RIG_JSON_REQUIRED);

	if (!value || !strstr(value, part))
		g_error("%s is \"%s\", not \"%s\"", key, value ? value : "missing", part);
}

static void test_class_a(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	g_autofree char *mergeable = NULL;

	lab_sh(lab, UP);
	lab_expect(lab, 0, "class A");
	expect_cell_grows(lab, 0);
	expect_cell_grows(lab, 1);
	expect_thread(lab, "CPU 0/KVM", "0");
	expect_thread(lab, "CPU 1/KVM", "1");
	expect_thread(lab, "CPU 2/KVM", "2");
	expect_thread(lab, "CPU 3/KVM", "3");
	/* No CPU of the two nodes is left over, so the emulator may use all of them. */
	expect_thread(lab, "qemu-system-x86", "0-3");
	mergeable = lab_get(lab, "test -d /sys/kernel/mm/ksm; "
				 "grep -c '^VmFlags:.* mg' /proc/$(pgrep -f "
				 "'[g]uest=2sp-icl,')/smaps || true");
	g_assert_cmpstr(mergeable, ==, "0");
	expect_manifest(lab, "guest.class", "A");
	expect_manifest(lab, "host.numa_balancing", "0");
	expect_manifest(lab, "placement.read_back", "on node 1; 4 vCPUs and the emulator");
	g_free(lab_get(lab, "rig down 2sp-icl"));
}

static double free_hugepages(Lab *lab, int node)
{
	g_autofree char *text = lab_get(lab,
					"cat /sys/devices/system/node/node%d/hugepages/"
					"hugepages-2048kB/free_hugepages",
					node);

	return g_ascii_strtod(text, NULL);
}

static void test_hugepages(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	reserve_hugepages(lab, 200);
	lab_sh(lab, UP " --hugepages 2M");
	lab_expect(lab, 0, "class A");
	for (int node = 0; node < 2; node++) {
		/* 384 MiB are 192 pages, taken when the guest starts. */
		g_assert_cmpfloat(free_hugepages(lab, node), ==, 200 - 192);
		g_assert_cmpfloat(expect_on_node(lab, node), ==, 384);
	}
	g_free(lab_get(lab, "rig down 2sp-icl"));
	g_assert_cmpfloat(free_hugepages(lab, 0), ==, 200);
	reserve_hugepages(lab, 0);
}

static void test_class_b(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	g_autofree char *bound = NULL;

	lab_sh(lab, UP " --no-pin");
	lab_expect(lab, 0, "class B");
	bound = lab_get(lab,
			"grep -c ' bind:' /proc/$(pgrep -f '[g]uest=2sp-icl,')/numa_maps || true");
	g_assert_cmpstr(bound, ==, "0");
	expect_thread(lab, "CPU 0/KVM", "0-3");
	expect_manifest(lab, "guest.class", "B");
	g_free(lab_get(lab, "rig down 2sp-icl"));
}

static void expect_noticed(Lab *lab, const char *words)
{
	lab_sh(lab, "rig run anon-w-seq --on 2sp-icl --set runtime=2");
	lab_expect(lab, 3, words);
}

/* Pages and threads moved by somebody else, as a daemon or a colleague would. */
static void test_tampering(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	lab_sh(lab, UP);
	lab_expect(lab, 0, "class A");
	g_free(lab_get(lab, "migratepages $(pgrep -f '[g]uest=2sp-icl,') 1 0"));
	expect_noticed(lab, "of cell 1 lie on host node 0, all was put on node 1");
	g_free(lab_get(lab, "migratepages $(pgrep -f '[g]uest=2sp-icl,') 0 1"));
	expect_noticed(lab, "of cell 0 lie on host node 1, all was put on node 0");
	g_free(lab_get(lab, "rig down 2sp-icl"));

	lab_sh(lab, UP);
	lab_expect(lab, 0, "class A");
	/* libvirt holds it by a cpuset too. */
	g_free(lab_get(lab, "for t in /proc/$(pgrep -f '[g]uest=2sp-icl,')/task/*; do "
			    "if [ \"$(cat $t/comm)\" = 'CPU 3/KVM' ]; then "
			    "echo 0 >/sys/fs/cgroup$(sed 's/^0:://' $t/cgroup)/cpuset.cpus; fi; "
			    "done"));
	expect_noticed(lab, "vCPU 3 may run on host CPUs 0, it was put on 3");
	g_free(lab_get(lab, "rig down 2sp-icl"));
}

void lab_add_placement_tests(Lab *lab)
{
	g_test_add_data_func("/lab/doctor", lab, test_doctor);
	g_test_add_data_func("/lab/class-a", lab, test_class_a);
	g_test_add_data_func("/lab/hugepages", lab, test_hugepages);
	g_test_add_data_func("/lab/class-b", lab, test_class_b);
	g_test_add_data_func("/lab/tampering", lab, test_tampering);
}
