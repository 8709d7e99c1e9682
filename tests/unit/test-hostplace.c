/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-hostplace.c - a QEMU process's files against a placement: what is where it was put, and each
 * way not to be.
 */
#include "expect.h"
#include "model/hostplace.h"

#define PLACE                                                                                 \
	"{\"class\": \"A\", \"accel\": \"kvm\", \"fitted\": true, \"hugepage\": 0, "          \
	"\"host_nodes\": [0, 1], \"vcpu_pin\": [\"0\", \"2-3\"], \"emulator_pin\": \"0-3\", " \
	"\"notes\": [], \"topology\": {}}"

/* Lines as Linux 6.12 prints them; QEMU's own heap is not bound. */
#define HEAP "55d0c8a00000 default heap anon=700 dirty=700 N0=500 N1=200 kernelpagesize_kB=4\n"
#define CELL0 "7f1000000000 bind:0 anon=25600 dirty=25600 active=0 N0=25600 kernelpagesize_kB=4\n"
#define CELL1 \
	"7f2000000000 bind:1 file=/dev/hugepages/x huge dirty=64 N1=64 kernelpagesize_kB=2048\n"

static void add_thread(GPtrArray *threads, const char *name, const char *allowed, gboolean is_main)
{
	RigHostThread *thread = g_new0(RigHostThread, 1);

	thread->name = g_strdup(name);
	thread->allowed = g_strdup(allowed);
	thread->is_main = is_main;
	g_ptr_array_add(threads, thread);
}

static GPtrArray *threads_of(const char *emulator, const char *first, const char *second)
{
	GPtrArray *threads = g_ptr_array_new_with_free_func((GDestroyNotify)rig_hostthread_free);

	add_thread(threads, "qemu-system-x86", emulator, TRUE);
	add_thread(threads, "call_rcu", "7", FALSE);
	if (second)
		add_thread(threads, "CPU 1/KVM", second, FALSE);
	add_thread(threads, "CPU 0/KVM", first, FALSE);
	return threads;
}

static void expect_wrong(const char *numa_maps, GPtrArray *threads, const char *message)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigHostPlace) place = rig_hostplace_parse(PLACE, &error);
	g_autofree char *summary = NULL;

	g_assert_no_error(error);
	g_assert_false(rig_hostplace_check(place, numa_maps, threads, &summary, &error));
	expect_error(&error, RIG_ERROR_HOST, message);
	g_assert_null(summary);
	g_ptr_array_unref(threads);
}

static void test_in_place(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigHostPlace) place = rig_hostplace_parse(PLACE, &error);
	g_autoptr(GPtrArray) threads = threads_of("0-3", "0", "2-3");
	g_autofree char *summary = NULL;

	g_assert_no_error(error);
	g_assert_true(rig_hostplace_check(place, HEAP CELL0 CELL1, threads, &summary, &error));
	g_assert_no_error(error);
	g_assert_cmpstr(summary, ==,
			"cell 0: 100 MiB on node 0; cell 1: 128 MiB on node 1; "
			"2 vCPUs and the emulator on their CPUs");
}

static void test_memory_elsewhere(void)
{
	expect_wrong(HEAP CELL0 "7f2000000000 bind:1 anon=1000 N0=256 N1=744 kernelpagesize_kB=4\n",
		     threads_of("0-3", "0", "2-3"),
		     "1.0 MiB of cell 1 lie on host node 0, all was put on node 1");
	/* Pages of all mappings that are bound there count, huge ones by their size. */
	expect_wrong(HEAP CELL0 CELL1
		     "7f3000000000 bind:1 huge dirty=1 N0=1 kernelpagesize_kB=2048\n",
		     threads_of("0-3", "0", "2-3"), "2.0 MiB of cell 1 lie on host node 0");
	expect_wrong(HEAP CELL0 "7f2000000000 default anon=1000 N1=1000 kernelpagesize_kB=4\n",
		     threads_of("0-3", "0", "2-3"),
		     "memory of cell 1 is not bound to host node 1 any more");
	/* Neither a preference nor a set of nodes is a binding to one. */
	expect_wrong(HEAP CELL0 "7f2000000000 prefer:1 anon=1000 N1=1000\n",
		     threads_of("0-3", "0", "2-3"), "is not bound to host node 1");
	expect_wrong(HEAP CELL0 "7f2000000000 bind:1-2 anon=1000 N1=1000\n",
		     threads_of("0-3", "0", "2-3"), "is not bound to host node 1");
	expect_wrong("", threads_of("0-3", "0", "2-3"), "memory of cell 0 is not bound");
}

static void test_threads_elsewhere(void)
{
	expect_wrong(HEAP CELL0 CELL1, threads_of("0-3", "0", "2"),
		     "vCPU 1 may run on host CPUs 2, it was put on 2-3");
	expect_wrong(HEAP CELL0 CELL1, threads_of("0-3", "0-3", "2-3"),
		     "vCPU 0 may run on host CPUs 0-3, it was put on 0");
	expect_wrong(HEAP CELL0 CELL1, threads_of("1", "0", "2-3"),
		     "the emulator may run on host CPUs 1, it was put on 0-3");
	expect_wrong(HEAP CELL0 CELL1, threads_of("0-3", "0", NULL),
		     "QEMU has no thread of vCPU 1");
	expect_wrong(HEAP CELL0 CELL1, threads_of("0-3", "nonsense", "2-3"),
		     "vCPU 0 may run on host CPUs none that can be read");
}

static void test_bad_placement(void)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_hostplace_parse("{}", &error));
	expect_error(&error, RIG_ERROR_USAGE, "host_nodes");
	g_assert_null(rig_hostplace_parse("{\"host_nodes\": [0], \"vcpu_pin\": [\"x\"]}", &error));
	expect_error(&error, RIG_ERROR_USAGE, "vcpu_pin[0]");
	g_assert_null(rig_hostplace_parse("{\"host_nodes\": [64], \"vcpu_pin\": []}", &error));
	expect_error(&error, RIG_ERROR_USAGE, "host_nodes[0]");
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/hostplace/in-place", test_in_place);
	g_test_add_func("/hostplace/memory-elsewhere", test_memory_elsewhere);
	g_test_add_func("/hostplace/threads-elsewhere", test_threads_elsewhere);
	g_test_add_func("/hostplace/bad-placement", test_bad_placement);
	return g_test_run();
}
