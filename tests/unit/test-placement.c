/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-placement.c - the rules of docs/topology.md: what fits, what is bound, what is refused.
 */
#include "hostfix.h"
#include "model/placement.h"

#define GIB (G_GUINT64_CONSTANT(1) << 30)
#define MIB (G_GUINT64_CONSTANT(1) << 20)

static const HostFix laptop = {
	.nodes = 1, .cores = 4, .threads = 2, .memory = 32768, .free = 16384};
static const HostFix tiny = {.nodes = 1, .cores = 2, .threads = 1, .memory = 8192, .free = 4096};
static const HostFix server = {.nodes = 2,
			       .cores = 32,
			       .threads = 2,
			       .memory = 262144,
			       .free = 204800,
			       .huge = 8192,
			       .free_huge = 4096};
static const HostFix exact_server = {
	.nodes = 2, .cores = 32, .threads = 2, .memory = 262144, .free = 140000};
static const HostFix no_smt = {
	.nodes = 2, .cores = 8, .threads = 1, .memory = 65536, .free = 60000};

static RigTopology *load(const char *name)
{
	g_autofree char *path =
		g_strdup_printf("%s/topologies/%s.json", g_getenv("RIG_SOURCE_ROOT"), name);
	g_autoptr(GError) error = NULL;
	RigTopology *topology = rig_topology_load(path, &error);

	g_assert_no_error(error);
	return topology;
}

static RigPlacement *compute(const char *name, const HostFix *fix,
			     const RigPlacementRequest *request, GError **error)
{
	g_autoptr(RigTopology) topology = load(name);
	g_autoptr(RigHost) host = fix_host(fix);

	return rig_placement_compute(topology, host, request, error);
}

static RigPlacement *place(const char *name, const HostFix *fix, RigPlacementRequest request)
{
	g_autoptr(GError) error = NULL;
	RigPlacement *placement = compute(name, fix, &request, &error);

	g_assert_no_error(error);
	return placement;
}

static void refused(const char *name, const HostFix *fix, RigPlacementRequest request,
		    RigErrorCode code, const char *message)
{
	g_autoptr(GError) error = NULL;

	g_assert_null(compute(name, fix, &request, &error));
	expect_error(&error, code, message);
}

static void check_shape(const RigPlacement *p, guint sockets, guint cores, guint threads)
{
	guint vcpus = 0;

	g_assert_cmpuint(p->topology->sockets, ==, sockets);
	g_assert_cmpuint(p->topology->cores, ==, cores);
	g_assert_cmpuint(p->topology->threads, ==, threads);
	for (guint i = 0; i < p->topology->n_cells; i++)
		vcpus += rig_cpulist_count(p->topology->cells[i].cpus);
	g_assert_cmpuint(vcpus, ==, sockets * cores * threads);
}

static void check_note(const RigPlacement *p, const char *part)
{
	for (guint i = 0; i < p->notes->len; i++)
		if (strstr(p->notes->pdata[i], part))
			return;
	g_error("no note says \"%s\"", part);
}

/* Emulated: two vCPUs and a GiB a cell, whatever the machine; distances stay. */
static void test_tcg(void)
{
	g_autoptr(RigPlacement) p =
		place("2sp-icl", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_TCG});
	g_autoptr(RigTopology) asked = load("2sp-icl");
	g_autofree char *text = rig_placement_describe(p, asked);

	check_shape(p, 2, 1, 2);
	g_assert_cmpuint(p->topology->cells[0].memory, ==, GIB);
	g_assert_cmpuint(rig_topology_distance(p->topology, 0, 1), ==, 20);
	g_assert_cmpint(p->class, ==, 'C');
	g_assert_true(p->fitted);
	g_assert_cmpint(p->host_node[0], ==, -1);
	g_assert_null(p->vcpu_pin);
	g_assert_cmpstr(text, ==,
			"fitted to 2 sockets x 1 core x 2 threads, 2 cells of 1G (asked: "
			"2 sockets x 32 cores x 2 threads, 2 cells, 256G)");
	check_note(p, "class C");
	check_note(p, "at most 2 vCPUs a cell");
}

static void test_tcg_four(void)
{
	g_autoptr(RigPlacement) p =
		place("4sp-hsx-144t", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_TCG});
	g_autofree char *cpus = rig_cpulist_format(p->topology->cells[3].cpus);

	check_shape(p, 4, 1, 2);
	g_assert_cmpstr(cpus, ==, "6-7");
	g_assert_cmpuint(rig_topology_memory(p->topology), ==, 4 * GIB);
}

/* A tier shrinks like the others and keeps no CPU. */
static void test_tcg_tier(void)
{
	g_autoptr(RigPlacement) p =
		place("2sp-tier", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_TCG});

	check_shape(p, 2, 1, 2);
	g_assert_cmpuint(p->topology->cells[2].memory, ==, GIB);
	g_assert_cmpuint(rig_cpulist_count(p->topology->cells[2].cpus), ==, 0);
}

static void test_tcg_asked(void)
{
	const RigPlacementRequest request = {
		.accel = RIG_ACCEL_TCG, .cell_cpus = 6, .cell_memory = 3 * GIB};
	g_autoptr(RigPlacement) p = place("2sp-icl", &laptop, request);

	check_shape(p, 2, 3, 2);
	g_assert_cmpuint(p->topology->cells[1].memory, ==, 3 * GIB);
}

/* An AMD CPU without topoext cannot tell a guest of threads: under KVM they become cores. */
static void test_no_topoext(void)
{
	const HostFix without = {.nodes = 2,
				 .cores = 32,
				 .threads = 2,
				 .memory = 262144,
				 .free = 204800,
				 .amd = "topoextra svm"};
	HostFix with = without;
	g_autoptr(RigPlacement) cores =
		place("2sp-icl", &without, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});
	g_autoptr(RigPlacement) asked = place(
		"2sp-icl", &without, (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .cell_cpus = 4});
	g_autoptr(RigPlacement) emulated =
		place("2sp-icl", &without, (RigPlacementRequest){.accel = RIG_ACCEL_TCG});
	g_autoptr(RigPlacement) kept = NULL;

	check_shape(cores, 2, 64, 1);
	g_assert_false(cores->topoext);
	g_assert_nonnull(strstr(cores->notes->pdata[0], "AMD without topoext"));
	check_shape(asked, 2, 4, 1);
	check_shape(emulated, 2, 1, 2);
	with.amd = "svm topoext";
	kept = place("2sp-icl", &with, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});
	check_shape(kept, 2, 32, 2);
	g_assert_true(kept->topoext);
}

/* An odd number of vCPUs cannot keep two threads a core. */
static void test_odd_cpus(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG, .cell_cpus = 3};
	g_autoptr(RigPlacement) p = place("2sp-icl", &laptop, request);

	check_shape(p, 2, 3, 1);
}

/* What fits is left as it is, and says so. */
static void test_unfitted(void)
{
	g_autoptr(RigPlacement) p = place(
		"1sp-4t", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .no_pin = TRUE});
	g_autoptr(RigTopology) asked = load("1sp-4t");

	check_shape(p, 1, 2, 2);
	g_assert_false(p->fitted);
	g_assert_null(rig_placement_describe(p, asked));
	g_assert_cmpint(p->class, ==, 'B');
	check_note(p, "switched off");
}

/* KVM on one node: as many vCPUs as the host has CPUs, memory by what is free. */
static void test_kvm_laptop(void)
{
	g_autoptr(RigPlacement) p =
		place("2sp-icl", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});

	check_shape(p, 2, 2, 2);
	g_assert_cmpuint(p->topology->cells[0].memory, ==, 6 * GIB);
	g_assert_cmpint(p->class, ==, 'B');
	check_note(p, "2 cells with CPUs need as many host nodes, the host has 1");
	check_note(p, "the host has 16G free, of which rig takes at most 12G");
}

static void test_kvm_too_few(void)
{
	refused("2sp-icl", &tiny, (RigPlacementRequest){.accel = RIG_ACCEL_KVM}, RIG_ERROR_HOST,
		"needs at least 4 vCPUs, the host has 2 CPUs");
	refused("2sp-icl", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .cell_cpus = 8},
		RIG_ERROR_HOST, "needs at least 16 vCPUs, the host has 8 CPUs");
}

static void test_overcommit(void)
{
	g_autoptr(RigPlacement) all =
		place("2sp-icl", &laptop,
		      (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .overcommit = TRUE});
	g_autoptr(RigPlacement) some = place(
		"2sp-icl", &laptop,
		(RigPlacementRequest){.accel = RIG_ACCEL_KVM, .overcommit = TRUE, .cell_cpus = 8});

	check_shape(all, 2, 32, 2);
	check_shape(some, 2, 4, 2);
}

static char *pin_of(const RigPlacement *p, guint vcpu)
{
	return rig_cpulist_format(p->vcpu_pin[vcpu]);
}

/* Two nodes: each cell on its own, threads of a guest core on the threads of a host core. */
static void test_class_a(void)
{
	const RigPlacementRequest request = {
		.accel = RIG_ACCEL_KVM, .cell_cpus = 4, .cell_memory = 4 * GIB};
	g_autoptr(RigPlacement) p = place("2sp-icl", &server, request);
	g_autofree char *v0 = pin_of(p, 0), *v1 = pin_of(p, 1), *v2 = pin_of(p, 2),
			*v4 = pin_of(p, 4);
	g_autofree char *v7 = pin_of(p, 7), *emulator = rig_cpulist_format(p->emulator_pin);

	g_assert_cmpint(p->class, ==, 'A');
	g_assert_cmpint(p->host_node[0], ==, 0);
	g_assert_cmpint(p->host_node[1], ==, 1);
	g_assert_cmpstr(v0, ==, "0");
	g_assert_cmpstr(v1, ==, "64");
	g_assert_cmpstr(v2, ==, "1");
	g_assert_cmpstr(v4, ==, "32");
	g_assert_cmpstr(v7, ==, "97");
	g_assert_cmpstr(emulator, ==, "2-31,34-63,66-95,98-127");
}

/* The machine of the report on one like it: every CPU is used once, the emulator shares. */
static void test_class_a_full(void)
{
	g_autoptr(RigPlacement) p =
		place("2sp-icl", &exact_server, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});
	g_autoptr(RigCpuList) used = rig_cpulist_new();
	g_autofree char *emulator = rig_cpulist_format(p->emulator_pin);

	check_shape(p, 2, 32, 2);
	g_assert_cmpint(p->class, ==, 'A');
	for (guint v = 0; v < 128; v++) {
		g_assert_cmpuint(rig_cpulist_count(p->vcpu_pin[v]), ==, 1);
		g_assert_false(rig_cpulist_intersects(used, p->vcpu_pin[v]));
		rig_cpulist_add(used, rig_cpulist_at(p->vcpu_pin[v], 0));
	}
	g_assert_cmpuint(rig_cpulist_count(used), ==, 128);
	g_assert_cmpstr(emulator, ==, "0-127");
}

/* Guest threads where the host has none go to cores of their own. */
static void test_no_smt(void)
{
	g_autoptr(RigPlacement) p =
		place("2sp-icl", &no_smt, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});
	g_autofree char *v0 = pin_of(p, 0), *v1 = pin_of(p, 1), *v8 = pin_of(p, 8);

	check_shape(p, 2, 4, 2);
	g_assert_cmpint(p->class, ==, 'A');
	g_assert_cmpstr(v0, ==, "0");
	g_assert_cmpstr(v1, ==, "1");
	g_assert_cmpstr(v8, ==, "8");
}

/* Guest cores of one thread take host cores of their own while there are any. */
static void test_spread(void)
{
	const HostFix fix = {.nodes = 2, .cores = 4, .threads = 2, .memory = 65536, .free = 60000};
	const RigPlacementRequest request = {.accel = RIG_ACCEL_KVM, .cell_cpus = 5};
	g_autoptr(RigPlacement) p = place("2sp-icl", &fix, request);
	g_autofree char *v3 = pin_of(p, 3), *v4 = pin_of(p, 4);

	check_shape(p, 2, 5, 1);
	g_assert_cmpstr(v3, ==, "3");
	g_assert_cmpstr(v4, ==, "8");
}

/* Equal cells stay equal: the shorter node decides for both. */
static void test_short_node(void)
{
	HostFix fix = server;
	g_autoptr(RigPlacement) p = NULL;

	fix.short_node = 1;
	fix.short_free = 16384;
	p = place("2sp-icl", &fix, (RigPlacementRequest){.accel = RIG_ACCEL_KVM});
	g_assert_cmpuint(p->topology->cells[0].memory, ==, 12 * GIB);
	g_assert_cmpuint(p->topology->cells[1].memory, ==, 12 * GIB);
	check_note(p, "host node 1 has 16G free, of which rig takes at most 12G");
	refused("2sp-icl", &fix,
		(RigPlacementRequest){.accel = RIG_ACCEL_KVM, .cell_memory = 16 * GIB},
		RIG_ERROR_HOST,
		"needs 16G: host node 1 has 16G free, of which rig takes at most 12G");
	fix.short_free = 200;
	refused("2sp-icl", &fix, (RigPlacementRequest){.accel = RIG_ACCEL_KVM}, RIG_ERROR_HOST,
		"host node 1 has 200M free");
}

static void test_little_memory(void)
{
	HostFix fix = laptop;
	g_autoptr(RigPlacement) p = NULL;

	fix.free = 1536;
	p = place("2sp-icl", &fix, (RigPlacementRequest){.accel = RIG_ACCEL_TCG});
	g_assert_cmpuint(p->topology->cells[0].memory, ==, 576 * MIB);
	fix.free = 512;
	refused("2sp-icl", &fix, (RigPlacementRequest){.accel = RIG_ACCEL_TCG}, RIG_ERROR_HOST,
		"the host has 512M free, of which rig takes at most 384M");
}

/* A remote host tells what it has, not what is free. */
static void test_remote(void)
{
	g_autoptr(RigPlacement) p = place(
		"2sp-icl", &laptop, (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .remote = TRUE});

	g_assert_cmpuint(p->topology->cells[0].memory, ==, 12 * GIB);
}

static void test_hugepages(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_KVM, .hugepage = 2 * MIB};
	g_autoptr(RigPlacement) p = place("2sp-icl", &server, request);

	g_assert_cmpuint(p->topology->cells[0].memory, ==, 8 * GIB);
	g_assert_cmpuint(p->hugepage, ==, 2 * MIB);
	check_note(p, "8G in free hugepages of 2M");
	refused("2sp-icl", &exact_server, request, RIG_ERROR_HOST,
		"/sys/devices/system/node/node0/hugepages/hugepages-2048kB/nr_hugepages");
	refused("2sp-icl", &laptop, request, RIG_ERROR_HOST,
		"the host has 0B in free hugepages of 2M");
	refused("2sp-icl", &server, (RigPlacementRequest){.accel = RIG_ACCEL_KVM, .hugepage = 4096},
		RIG_ERROR_USAGE, "neither 2M nor 1G");
	refused("2sp-icl", &server,
		(RigPlacementRequest){
			.accel = RIG_ACCEL_KVM, .hugepage = GIB, .cell_memory = 1536 * MIB},
		RIG_ERROR_USAGE, "1536M is not a multiple of 1G");
}

/* A tier without a slow node behind it is still placed, but is no class A. */
static void test_tier_nodes(void)
{
	HostFix fix = server;
	const RigPlacementRequest request = {.accel = RIG_ACCEL_KVM};
	g_autoptr(RigPlacement) shared = place("2sp-tier", &fix, request), own = NULL;

	g_assert_cmpint(shared->class, ==, 'B');
	g_assert_cmpint(shared->host_node[2], ==, 0);
	g_assert_nonnull(shared->vcpu_pin);
	check_note(shared, "cell 2 has no host node of its own");
	fix.tiers = 1;
	own = place("2sp-tier", &fix, request);
	g_assert_cmpint(own->class, ==, 'A');
	g_assert_cmpint(own->host_node[2], ==, 2);
}

static void test_more_than_a_node(void)
{
	const RigPlacementRequest request = {
		.accel = RIG_ACCEL_KVM, .cell_cpus = 9, .overcommit = TRUE};
	g_autoptr(RigPlacement) p = place("2sp-icl", &no_smt, request);

	g_assert_cmpint(p->class, ==, 'B');
	g_assert_null(p->vcpu_pin);
	g_assert_cmpint(p->host_node[0], ==, -1);
	check_note(p, "not bound: no host node with 9 CPUs is left for cell 0");
}

static void test_exact(void)
{
	const RigPlacementRequest kvm = {.accel = RIG_ACCEL_KVM, .exact_size = TRUE};
	const RigPlacementRequest tcg = {.accel = RIG_ACCEL_TCG, .exact_size = TRUE};
	g_autoptr(RigPlacement) p = place("1sp-4t", &laptop, tcg);

	check_shape(p, 1, 2, 2);
	g_assert_cmpuint(p->topology->cells[0].memory, ==, 4 * GIB);
	g_assert_false(p->fitted);
	refused("2sp-icl", &laptop, kvm, RIG_ERROR_HOST, "does not fit as it is: 2 x 2 of 32 x 2");
	refused("2sp-icl", &exact_server, kvm, RIG_ERROR_HOST,
		"needs 128G: host node 0 has 140000M free, of which rig takes at most 105000M");
}

static void test_usage(void)
{
	refused("2sp-icl", &laptop,
		(RigPlacementRequest){.accel = RIG_ACCEL_TCG, .exact_size = TRUE, .cell_cpus = 2},
		RIG_ERROR_USAGE, "exclude each other");
	refused("2sp-icl", &laptop,
		(RigPlacementRequest){.accel = RIG_ACCEL_TCG, .cell_memory = GIB + 1},
		RIG_ERROR_USAGE, "not a multiple of 2M");
}

static RigPlacement *place_text(const char *text, const RigPlacementRequest *request,
				GError **error)
{
	g_autoptr(RigTopology) topology = rig_topology_parse("t.json", text, error);
	g_autoptr(RigHost) host = fix_host(&laptop);

	g_assert_nonnull(topology);
	return rig_placement_compute(topology, host, request, error);
}

#define TWO_IN_ONE                                                                          \
	"{\"version\": 1, \"name\": \"t\", \"text\": \"x\", \"sockets\": 3, \"cores\": 4, " \
	"\"threads\": 2, "                                                                  \
	"\"cells\": [{\"memory\": \"1G\", \"sockets\": [0, 1]}, {\"memory\": \"%s\", "      \
	"\"sockets\": [2]}], "                                                              \
	"\"distances\": [[10, 20], [20, 10]]}"

/* Cells of different socket counts: the socket is what shrinks. */
static void test_uneven_cells(void)
{
	const RigPlacementRequest plain = {.accel = RIG_ACCEL_TCG};
	const RigPlacementRequest four = {.accel = RIG_ACCEL_TCG, .cell_cpus = 4};
	g_autofree char *text = g_strdup_printf(TWO_IN_ONE, "1G");
	g_autoptr(GError) error = NULL;
	g_autoptr(RigPlacement) p = place_text(text, &plain, &error);

	g_assert_no_error(error);
	check_shape(p, 3, 1, 2);
	g_assert_cmpuint(rig_cpulist_count(p->topology->cells[0].cpus), ==, 4);
	g_assert_null(place_text(text, &four, &error));
	expect_error(&error, RIG_ERROR_USAGE, "do not divide evenly");
}

static void test_memoryless(void)
{
	const RigPlacementRequest plain = {.accel = RIG_ACCEL_TCG};
	g_autofree char *text = g_strdup_printf(TWO_IN_ONE, "0B");
	g_autoptr(GError) error = NULL;

	g_assert_null(place_text(text, &plain, &error));
	expect_error(&error, RIG_ERROR_HOST, "cell 1 has no memory");
}

static void test_json(void)
{
	const RigPlacementRequest request = {
		.accel = RIG_ACCEL_KVM, .cell_cpus = 2, .cell_memory = GIB};
	g_autoptr(RigPlacement) p = place("2sp-icl", &server, request);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(RigJson) root = NULL;
	g_autofree char *text = NULL;

	rig_placement_to_json(p, writer, NULL);
	text = rig_json_writer_text(writer, TRUE);
	root = rig_json_parse("x", text, -1, NULL);
	g_assert_nonnull(root);
	g_assert_cmpstr(rig_json_string(root, "class", RIG_JSON_REQUIRED), ==, "A");
	g_assert_cmpstr(rig_json_string(root, "accel", RIG_JSON_REQUIRED), ==, "kvm");
	g_assert_true(rig_json_bool(root, "fitted", RIG_JSON_REQUIRED, FALSE));
	g_assert_cmpuint(rig_json_length(rig_json_array(root, "vcpu_pin", RIG_JSON_REQUIRED)), ==,
			 4);
	g_assert_true(rig_json_ok(root));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/placement/tcg", test_tcg);
	g_test_add_func("/placement/tcg-four", test_tcg_four);
	g_test_add_func("/placement/tcg-tier", test_tcg_tier);
	g_test_add_func("/placement/tcg-asked", test_tcg_asked);
	g_test_add_func("/placement/odd-cpus", test_odd_cpus);
	g_test_add_func("/placement/no-topoext", test_no_topoext);
	g_test_add_func("/placement/unfitted", test_unfitted);
	g_test_add_func("/placement/kvm-laptop", test_kvm_laptop);
	g_test_add_func("/placement/kvm-too-few", test_kvm_too_few);
	g_test_add_func("/placement/overcommit", test_overcommit);
	g_test_add_func("/placement/class-a", test_class_a);
	g_test_add_func("/placement/class-a-full", test_class_a_full);
	g_test_add_func("/placement/no-smt", test_no_smt);
	g_test_add_func("/placement/spread", test_spread);
	g_test_add_func("/placement/short-node", test_short_node);
	g_test_add_func("/placement/little-memory", test_little_memory);
	g_test_add_func("/placement/remote", test_remote);
	g_test_add_func("/placement/hugepages", test_hugepages);
	g_test_add_func("/placement/tier-nodes", test_tier_nodes);
	g_test_add_func("/placement/more-than-a-node", test_more_than_a_node);
	g_test_add_func("/placement/exact", test_exact);
	g_test_add_func("/placement/usage", test_usage);
	g_test_add_func("/placement/uneven-cells", test_uneven_cells);
	g_test_add_func("/placement/memoryless", test_memoryless);
	g_test_add_func("/placement/json", test_json);
	return g_test_run();
}
