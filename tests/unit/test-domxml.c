/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-domxml.c - the domain XML to the letter: tests/golden/domxml/NAME.xml, which a second test
 * holds against libvirt's schema. RIG_GOLDEN_UPDATE=1 writes the files anew, to be read before a
 * commit.
 */
#include "hostfix.h"
#include "vm/domxml.h"

static const HostFix small = {.nodes = 1, .cores = 2, .threads = 1, .memory = 24576, .free = 20480};
static const HostFix server = {.nodes = 2,
			       .cores = 32,
			       .threads = 2,
			       .memory = 262144,
			       .free = 204800,
			       .huge = 65536,
			       .free_huge = 65536};

static RigTopology *load(const char *name)
{
	g_autofree char *file = g_strdup_printf("%s.json", name);
	g_autofree char *path =
		g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "topologies", file, NULL);
	g_autoptr(GError) error = NULL;
	RigTopology *topology = rig_topology_load(path, &error);

	g_assert_no_error(error);
	return topology;
}

static RigPlacement *place(const char *name, const HostFix *fix, const RigPlacementRequest *request)
{
	g_autoptr(RigTopology) topology = load(name);
	g_autoptr(RigHost) host = fix_host(fix);
	g_autoptr(GError) error = NULL;
	RigPlacement *placement = rig_placement_compute(topology, host, request, &error);

	g_assert_no_error(error);
	return placement;
}

static RigDomainSpec spec_for(const RigPlacement *placement)
{
	return (RigDomainSpec){
		.name = "rig-test",
		.placement = placement,
		.kernel = "/var/lib/rig/kernels/k/boot",
		.initrd = "/var/cache/rig/boot/initramfs",
		.cmdline = "console=ttyS0 rig.root=/dev/vda",
		.disk = "/var/lib/rig/guests/rig-test/overlay.qcow2",
		.console = "/var/lib/rig/guests/rig-test/console.log",
		.agent_socket = "/var/lib/rig/guests/rig-test/agent.sock",
		.no_relabel = TRUE,
	};
}

static void check_golden(const char *name, const RigDomainSpec *spec)
{
	g_autofree char *text = rig_domxml_render(spec);
	g_autofree char *file = g_strdup_printf("%s.xml", name);
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "golden", "domxml", file, NULL);
	g_autofree char *expected = NULL;
	g_autoptr(GError) error = NULL;

	if (g_getenv("RIG_GOLDEN_UPDATE"))
		g_file_set_contents(path, text, -1, NULL);
	g_file_get_contents(path, &expected, NULL, &error);
	g_assert_no_error(error);
	g_assert_cmpstr(text, ==, expected);
}

static void test_fitted(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("2sp-icl", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	g_assert_cmpint(placement->class, ==, 'C');
	check_golden("2sp-icl-tcg", &spec);
}

/* AMD's CPUs show a guest its threads only with a feature that "host-passthrough" leaves out. */
static void test_amd(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_KVM, .cell_cpus = 4};
	HostFix amd = server;
	g_autoptr(RigPlacement) placement = NULL;
	RigDomainSpec spec;

	amd.amd = "topoext";
	placement = place("2sp-icl", &amd, &request);
	spec = spec_for(placement);
	check_golden("2sp-icl-amd", &spec);
}

static void test_class_a(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_KVM,
					     .cell_cpus = 4,
					     .cell_memory = G_GUINT64_CONSTANT(4) << 30,
					     .hugepage = 2 << 20};
	g_autoptr(RigPlacement) placement = place("2sp-icl", &server, &request);
	RigDomainSpec spec = spec_for(placement);

	g_assert_cmpint(placement->class, ==, 'A');
	check_golden("2sp-icl-class-a", &spec);
}

static void test_four_sockets(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("4sp-hsx-144t", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	check_golden("4sp-hsx-144t-tcg", &spec);
}

static void test_tier(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("2sp-tier", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	check_golden("2sp-tier-tcg", &spec);
}

/* A guest that is a host: under emulation it has a CPU with AMD's virtualization. */
static void test_nested(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG, .exact_size = TRUE};
	g_autoptr(RigPlacement) placement = place("lab-2sp", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	check_golden("lab-2sp-tcg", &spec);
}

static void test_diskless(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("2sp-icl", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	spec.disk = NULL;
	spec.agent_socket = NULL;
	spec.debugcon = "/var/lib/rig/guests/rig-test/debugcon";
	spec.cmdline = "console=ttyS0 rig.channel=debugcon";
	check_golden("2sp-icl-diskless", &spec);
}

/* Stays at a panic, and the guest can say where its kernel describes itself. */
static void test_dump(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("1sp-4t", &small, &request);
	RigDomainSpec spec = spec_for(placement);

	spec.dump = TRUE;
	check_golden("1sp-4t-dump", &spec);
}

static void test_metadata(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("1sp-4t", &small, &request);
	g_autoptr(GHashTable) metadata = g_hash_table_new(g_str_hash, g_str_equal);
	RigDomainSpec spec = spec_for(placement);
	g_autoptr(GHashTable) back = NULL;
	g_autofree char *text = NULL;

	g_hash_table_insert(metadata, (char *)"kernel", (char *)"6.12 <\"&'>");
	g_hash_table_insert(metadata, (char *)"topology", (char *)"1sp-4t");
	spec.metadata = metadata;
	check_golden("1sp-4t-metadata", &spec);
	text = rig_domxml_render(&spec);
	back = rig_domxml_metadata(text);
	g_assert_nonnull(back);
	g_assert_cmpuint(g_hash_table_size(back), ==, 2);
	g_assert_cmpstr(g_hash_table_lookup(back, "kernel"), ==, "6.12 <\"&'>");
	g_assert_cmpstr(g_hash_table_lookup(back, "topology"), ==, "1sp-4t");
}

static void test_not_ours(void)
{
	static const char *const texts[] = {
		"",
		"<domain",
		"<domain/>",
		"<domain><metadata/></domain>",
		"<domain><metadata><guest><a>b</a></guest></metadata></domain>",
		"<domain><metadata><o:guest "
		"xmlns:o='urn:other'><o:a>b</o:a></o:guest></metadata></domain>",
		"<domain><guest xmlns='" RIG_METADATA_URI "'><a>b</a></guest></domain>"};

	for (guint i = 0; i < G_N_ELEMENTS(texts); i++)
		g_assert_null(rig_domxml_metadata(texts[i]));
}

/* What a user types reaches the XML as text, whatever it is. */
static void test_escaping(void)
{
	const RigPlacementRequest request = {.accel = RIG_ACCEL_TCG};
	g_autoptr(RigPlacement) placement = place("1sp-4t", &small, &request);
	RigDomainSpec spec = spec_for(placement);
	g_autofree char *text = NULL;

	spec.cmdline = "a</cmdline><devices/>&\"'";
	spec.console = "/tmp/\"'<x>&";
	text = rig_domxml_render(&spec);
	g_assert_nonnull(strstr(text, "a&lt;/cmdline&gt;&lt;devices/&gt;&amp;"));
	g_assert_nonnull(strstr(text, "path=\"/tmp/&quot;'&lt;x&gt;&amp;\""));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/domxml/fitted", test_fitted);
	g_test_add_func("/domxml/class-a", test_class_a);
	g_test_add_func("/domxml/amd", test_amd);
	g_test_add_func("/domxml/four-sockets", test_four_sockets);
	g_test_add_func("/domxml/tier", test_tier);
	g_test_add_func("/domxml/nested", test_nested);
	g_test_add_func("/domxml/diskless", test_diskless);
	g_test_add_func("/domxml/dump", test_dump);
	g_test_add_func("/domxml/metadata", test_metadata);
	g_test_add_func("/domxml/not-ours", test_not_ours);
	g_test_add_func("/domxml/escaping", test_escaping);
	return g_test_run();
}
