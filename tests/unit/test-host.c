/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-host.c - capabilities of this project's reference machine and of hosts made up for it;
 * hygiene.
 */
#include "hostfix.h"

static RigHost *parse_fails(const char *xml, GError **error)
{
	return rig_host_parse(xml, NULL, error);
}

static void test_real(void)
{
	g_autofree char *path =
		g_test_build_filename(G_TEST_DIST, "data", "host", "capabilities-1node.xml", NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *xml = rig_file_read(path, 1 << 20, NULL, &error);
	g_autoptr(RigHost) host = rig_host_parse(xml, NULL, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(host->n_nodes, ==, 1);
	g_assert_cmpuint(host->cpus, ==, 2);
	g_assert_cmpuint(host->nodes[0].cores->len, ==, 2);
	g_assert_cmpint(host->nodes[0].socket, ==, 0);
	g_assert_cmpuint(host->nodes[0].memory, >, G_GUINT64_CONSTANT(1) << 30);
	g_assert_cmpuint(host->nodes[0].free_memory, ==, 0);
	g_assert_nonnull(host->model);
}

static void test_server(void)
{
	const HostFix fix = {.nodes = 2,
			     .cores = 4,
			     .threads = 2,
			     .tiers = 1,
			     .memory = 4096,
			     .free = 1024,
			     .huge = 100,
			     .free_huge = 60,
			     .short_node = 1,
			     .short_free = 512};
	g_autoptr(RigHost) host = fix_host(&fix);
	g_autofree char *cpus = rig_cpulist_format(host->nodes[1].cpus);
	g_autofree char *core = rig_cpulist_format(host->nodes[1].cores->pdata[0]);

	g_assert_cmpuint(host->n_nodes, ==, 3);
	g_assert_cmpuint(host->cpus, ==, 16);
	g_assert_cmpstr(host->model, ==, "Icelake-Server");
	g_assert_cmpstr(host->dac_label, ==, "+64055:+64055");
	g_assert_cmpstr(cpus, ==, "4-7,12-15");
	g_assert_cmpstr(core, ==, "4,12");
	g_assert_cmpuint(host->nodes[1].cores->len, ==, 4);
	g_assert_cmpint(host->nodes[1].socket, ==, 1);
	g_assert_cmpint(host->nodes[2].socket, ==, -1);
	g_assert_cmpuint(host->nodes[0].memory, ==, G_GUINT64_CONSTANT(4) << 30);
	g_assert_cmpuint(host->nodes[0].free_memory, ==, G_GUINT64_CONSTANT(1) << 30);
	g_assert_cmpuint(host->nodes[1].free_memory, ==, G_GUINT64_CONSTANT(512) << 20);
	g_assert_cmpuint(host->nodes[0].hugepages_2m, ==, 100);
	g_assert_cmpuint(host->nodes[0].free_hugepages_2m, ==, 60);
	g_assert_cmpuint(host->nodes[0].free_hugepages_1g, ==, 0);
}

/* On one node the kernel's estimate counts; of two it would say nothing about either. */
static void test_available(void)
{
	HostFix fix = {.nodes = 1, .cores = 2, .threads = 1, .memory = 4096, .free = 1024};
	char *root = expect_temp_dir();

	for (; fix.nodes <= 2; fix.nodes++) {
		g_autofree char *xml = fix_capabilities(&fix);
		g_autoptr(RigHost) host = NULL;

		for (guint n = 0; n < fix.nodes; n++)
			fix_write_node(&fix, root, n);
		fix_write(root, "/proc/meminfo", "MemTotal: 8 kB\nMemAvailable: 3145728 kB\n");
		host = rig_host_parse(xml, root, NULL);
		g_assert_nonnull(host);
		g_assert_cmpuint(host->nodes[0].free_memory >> 20, ==,
				 fix.nodes == 1 ? 3072 : 1024);
	}
	expect_remove(root);
}

#define HOST(cells)                                                                \
	"<capabilities><host><topology><cells>" cells "</cells></topology></host>" \
	"</capabilities>"

static void test_bad(void)
{
	static const struct {
		const char *xml, *message;
	} bad[] = {
		{"", "not well-formed"},
		{"<capabilities>", "not well-formed"},
		{"<capabilities/>", "no <cell>"},
		{HOST(""), "no <cell>"},
		{HOST("<cell/>"), "id is \"\""},
		{HOST("<cell id='-1'/>"), "id is \"-1\""},
		{HOST("<cell id='99999'/>"), "id is \"99999\""},
		{HOST("<cell id='0'/>"), "no CPU"},
		{HOST("<cell id='0'><memory unit='MiB'>4</memory></cell>"), "MiB, not KiB"},
		{HOST("<cell id='0'><memory unit='KiB'>-4</memory></cell>"), "\"-4\""},
		{HOST("<cell id='0'><cpus><cpu id='x' siblings='0'/></cpus></cell>"), "\"x\""},
		{HOST("<cell id='0'><cpus><cpu id='0' socket_id='0' siblings='a'/></cpus></cell>"),
		 "<cpu id='0'>: siblings"},
		{HOST("<cell id='0'><cpus><cpu id='0' siblings='0'/></cpus></cell>"), "socket_id"},
		{HOST("<cell id='0'><pages size='2048'>many</pages></cell>"), "\"many\""},
	};

	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_null(parse_fails(bad[i].xml, &error));
		expect_error(&error, RIG_ERROR_HOST, bad[i].message);
	}
}

/* An offline CPU is named without siblings; nothing may be pinned to it. */
static void test_offline(void)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(RigHost) host = rig_host_parse(
		HOST("<cell id='0'><cpus><cpu id='0' socket_id='0' core_id='0' siblings='0'/>"
		     "<cpu id='1'/></cpus></cell>"),
		NULL, &error);

	g_assert_no_error(error);
	g_assert_cmpuint(host->cpus, ==, 1);
}

static const RigHygiene *find(GPtrArray *items, const char *key)
{
	for (guint i = 0; i < items->len; i++)
		if (!strcmp(((RigHygiene *)items->pdata[i])->key, key))
			return items->pdata[i];
	return NULL;
}

static void check_item(GPtrArray *items, const char *key, const char *value, gboolean advice)
{
	const RigHygiene *item = find(items, key);

	if (!item)
		g_error("%s was not found", key);
	g_assert_cmpstr(item->value, ==, value);
	if ((item->advice != NULL) != advice)
		g_error("%s = %s: advice is %s", key, value,
			item->advice ? item->advice : "missing");
}

static void write_noisy(const char *root)
{
	fix_write(root, "/proc/sys/kernel/numa_balancing", "1\n");
	fix_write(root, "/proc/sys/kernel/osrelease", "6.1.0\n");
	fix_write(root, "/sys/kernel/mm/ksm/run", "1\n");
	fix_write(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
	fix_write(root, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "powersave\n");
	fix_write(root, "/sys/devices/system/cpu/cpufreq/policy1/scaling_governor",
		  "performance\n");
	fix_write(root, "/sys/devices/system/cpu/cpufreq/boost", "1\n");
	fix_write(root, "/sys/devices/system/cpu/online", "0-3\n");
	fix_write(root, "/proc/loadavg", "1.50 1.00 0.50 2/300 1234\n");
	fix_write(root, "/proc/meminfo",
		  "MemTotal: 100 kB\nSwapTotal: 4096 kB\nSwapFree: 1024 kB\n");
}

static void write_quiet(const char *root)
{
	fix_write(root, "/proc/sys/kernel/numa_balancing", "0\n");
	fix_write(root, "/sys/kernel/mm/ksm/run", "0\n");
	fix_write(root, "/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
	fix_write(root, "/sys/devices/system/cpu/cpufreq/policy0/scaling_governor",
		  "performance\n");
	fix_write(root, "/sys/devices/system/cpu/cpufreq/boost", "0\n");
	fix_write(root, "/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n");
	fix_write(root, "/proc/loadavg", "0.10 1.00 0.50 2/300 1234\n");
	fix_write(root, "/proc/meminfo", "MemTotal: 100 kB\nSwapTotal: 0 kB\nSwapFree: 0 kB\n");
}

static void test_noisy(void)
{
	char *root = expect_temp_dir();
	g_autoptr(GPtrArray) items = NULL;

	write_noisy(root);
	items = rig_host_hygiene(root);
	check_item(items, "host.numa_balancing", "1", TRUE);
	check_item(items, "host.kernel", "6.1.0", FALSE);
	check_item(items, "host.ksm", "1", TRUE);
	check_item(items, "host.thp", "never", TRUE);
	check_item(items, "host.governor", "performance,powersave", TRUE);
	check_item(items, "host.boost", "1", TRUE);
	check_item(items, "host.load", "1.50", TRUE);
	check_item(items, "host.swap_used", "3M", TRUE);
	g_assert_null(find(items, "host.no_turbo"));
	expect_remove(root);
}

static void test_quiet(void)
{
	char *root = expect_temp_dir();
	g_autoptr(GPtrArray) items = NULL, none = rig_host_hygiene(root);

	g_assert_cmpuint(none->len, ==, 0);
	write_quiet(root);
	items = rig_host_hygiene(root);
	check_item(items, "host.numa_balancing", "0", FALSE);
	check_item(items, "host.ksm", "0", FALSE);
	check_item(items, "host.thp", "madvise", FALSE);
	check_item(items, "host.governor", "performance", FALSE);
	check_item(items, "host.boost", "0", FALSE);
	check_item(items, "host.no_turbo", "1", FALSE);
	check_item(items, "host.load", "0.10", FALSE);
	check_item(items, "host.swap_used", "0B", FALSE);
	expect_remove(root);
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/host/real", test_real);
	g_test_add_func("/host/server", test_server);
	g_test_add_func("/host/available", test_available);
	g_test_add_func("/host/bad", test_bad);
	g_test_add_func("/host/offline", test_offline);
	g_test_add_func("/hygiene/noisy", test_noisy);
	g_test_add_func("/hygiene/quiet", test_quiet);
	return g_test_run();
}
