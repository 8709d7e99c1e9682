/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * refusals.c - what a KVM host with two nodes can lack: each ends with 3 and the words for it, and
 * leaves nothing.
 */
#include "lab.h"

#define UP "rig up 2sp-icl -k linux-6.12 --boot-timeout 600 "
#define NODE_PAGES(node, pages)                              \
	"echo " pages " >/sys/devices/system/node/node" node \
	"/hugepages/hugepages-2048kB/nr_hugepages; "

/* Nothing of a guest is there: neither for rig nor for anybody. */
static void expect_no_guest(Lab *lab)
{
	g_autofree char *guests =
		lab_get(lab, "ls " LAB_STATE "/guests; pgrep qemu-system || true");

	g_assert_cmpstr(guests, ==, "");
}

/* HINT: what it says to do next. */
static void refused(Lab *lab, const char *script, const char *words, const char *hint)
{
	lab_sh(lab, "%s", script);
	lab_expect(lab, 3, words);
	lab_expect(lab, 3, hint);
	expect_no_guest(lab);
}

static void test_node_too_full(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	/* Reserved pages are as good as used ones. */
	g_free(lab_get(lab, NODE_PAGES("1", "600")));
	refused(lab, UP "--accel kvm --cell-memory 1G", "needs 1G: host node 1 has",
		"ask for less with --cell-memory");
	g_free(lab_get(lab, NODE_PAGES("1", "0")));
}

static void test_too_few_hugepages(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	g_free(lab_get(lab, NODE_PAGES("0", "200") NODE_PAGES("1", "100")));
	refused(lab, UP "--accel kvm --hugepages 2M --cell-memory 384M",
		"needs 384M: host node 1 has 200M in free hugepages of 2M",
		"echo 192 > /sys/devices/system/node/node1/");
	g_free(lab_get(lab, NODE_PAGES("1", "200") "umount /dev/hugepages"));
	refused(lab, UP "--accel kvm --hugepages 2M --cell-memory 384M", "hugetlbfs",
		"mount -t hugetlbfs");
	g_free(lab_get(lab, "mount -t hugetlbfs hugetlbfs /dev/hugepages; " NODE_PAGES("0", "0")
				    NODE_PAGES("1", "0")));
}

static void test_too_many_vcpus(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	refused(lab, UP "--accel kvm --cell-cpus 4 --cell-memory 384M",
		"needs at least 8 vCPUs, the host has 4 CPUs", "--overcommit");
	lab_sh(lab, UP "--accel kvm --cell-cpus 4 --cell-memory 384M --overcommit --dry-run");
	lab_expect(lab, 0, NULL);
}

/* What auto does: it says so and boots an emulated guest, which here would take long; it is
 * interrupted, and leaves nothing. */
static void falls_back(Lab *lab, const char *why)
{
	lab_sh(lab, "timeout -s INT 10 " UP "--cell-memory 384M");
	lab_expect(lab, 124, why);
	lab_expect(lab, 124, "the guest is emulated (TCG, class C)");
	expect_no_guest(lab);
}

static void test_no_permission(gconstpointer data)
{
	Lab *lab = (Lab *)data;
	const char *folders = "export RIG_STATE_DIR=~/rig/state RIG_CACHE_DIR=~/rig/cache; ";

	lab_sh_as(lab, "stranger", "%s" UP "--accel kvm --cell-memory 384M", folders);
	lab_expect(lab, 3, "/dev/kvm may not be opened by stranger, who runs QEMU");
	lab_sh_as(lab, "stranger", "%s" UP "--cell-memory 384M --dry-run", folders);
	lab_expect(lab, 0, "emulated: no KVM (/dev/kvm may not be opened by stranger");
	/* For root it is QEMU's own account that has to get there. */
	g_free(lab_get(lab, "chmod 600 /dev/kvm"));
	refused(lab, UP "--accel kvm --cell-memory 384M",
		"/dev/kvm may not be opened by libvirt-qemu", "rig doctor");
	g_free(lab_get(lab, "chmod 660 /dev/kvm"));
}

/* The module goes and comes back; what was found out before does not count meanwhile. */
static void test_no_module(gconstpointer data)
{
	Lab *lab = (Lab *)data;

	lab_sh(lab, UP "--cell-memory 384M --dry-run");
	lab_expect(lab, 0, ", under KVM");
	g_free(lab_get(lab, "rmmod kvm_amd; rmmod kvm; rm -f /dev/kvm"));
	refused(lab, UP "--accel kvm --cell-memory 384M", "there is no /dev/kvm", "--accel tcg");
	falls_back(lab, "no KVM (there is no /dev/kvm)");
	g_free(lab_get(lab, "modprobe kvm_amd; chgrp kvm /dev/kvm; chmod 660 /dev/kvm"));
	lab_sh(lab, UP "--cell-memory 384M --dry-run");
	lab_expect(lab, 0, ", under KVM");
}

void lab_add_refusal_tests(Lab *lab)
{
	g_test_add_data_func("/lab/refused/node-too-full", lab, test_node_too_full);
	g_test_add_data_func("/lab/refused/too-few-hugepages", lab, test_too_few_hugepages);
	g_test_add_data_func("/lab/refused/too-many-vcpus", lab, test_too_many_vcpus);
	g_test_add_data_func("/lab/refused/no-permission", lab, test_no_permission);
	g_test_add_data_func("/lab/refused/no-module", lab, test_no_module);
}
