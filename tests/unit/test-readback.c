/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-readback.c - text of real boots (tests/data/readback: Linux 6.1 and 6.12 in QEMU) held
 * against the shape that was asked, and the same text spoilt.
 */
#include "expect.h"
#include "model/readback.h"

#define CPU "/sys/devices/system/cpu/"
#define NODE "/sys/devices/system/node/"

static void add_file(GPtrArray *files, const char *path, const char *text)
{
	RigRawFile *file = g_new0(RigRawFile, 1);

	file->path = g_strdup(path);
	file->task = -1;
	file->text = g_strdup(text);
	file->length = strlen(text);
	g_ptr_array_add(files, file);
}

/* A boot's files: "=== PATH" and the text of each. */
static GPtrArray *load(const char *name)
{
	g_autofree char *path = g_test_build_filename(G_TEST_DIST, "data", "readback", name, NULL);
	g_autoptr(GError) error = NULL;
	g_autofree char *text = rig_file_read(path, 1 << 20, NULL, &error);
	GPtrArray *files = g_ptr_array_new_with_free_func((GDestroyNotify)rig_raw_file_free);
	g_auto(GStrv) parts = NULL;

	g_assert_no_error(error);
	parts = g_strsplit(text, "=== ", -1);
	for (guint i = 1; parts[i]; i++) {
		char *end = strchr(parts[i], '\n');

		g_assert_nonnull(end);
		*end = '\0';
		add_file(files, parts[i], end + 1);
	}
	return files;
}

static void replace(GPtrArray *files, const char *path, const char *text)
{
	for (guint i = 0; i < files->len; i++)
		if (!strcmp(((RigRawFile *)files->pdata[i])->path, path)) {
			g_ptr_array_remove_index(files, i);
			if (text)
				add_file(files, path, text);
			return;
		}
	g_error("%s is not among the files", path);
}

static RigTopology *shape(guint sockets, guint threads, guint tiers, guint remote)
{
	RigTopology *t = g_new0(RigTopology, 1);
	guint n = sockets + tiers;

	t->name = g_strdup("t");
	t->sockets = sockets;
	t->cores = 2 / threads;
	t->threads = threads;
	t->n_cells = n;
	t->cells = g_new0(RigCell, n);
	t->distances = g_new0(guint, n * n);
	for (guint i = 0; i < n; i++) {
		t->cells[i].memory = 1 << 30;
		t->cells[i].cpus = rig_cpulist_new();
		if (i < sockets)
			rig_cpulist_add_range(t->cells[i].cpus, 2 * i, 2 * i + 1);
		for (guint j = 0; j < n; j++)
			t->distances[i * n + j] = i == j ? 10 : remote;
	}
	return t;
}

static void check_ok(const char *name, RigTopology *topology, const char *release)
{
	g_autoptr(RigTopology) owned = topology;
	g_autoptr(GPtrArray) files = load(name);
	g_autoptr(GError) error = NULL;
	RigReadback out;
	gboolean ok = rig_readback_check(files, topology, &out, &error);

	g_assert_no_error(error);
	g_assert_true(ok);
	g_assert_cmpstr(out.release, ==, release);
	g_assert_cmpstr(out.numa_balancing, ==, "1");
	g_assert_true(g_str_has_prefix(out.cmdline, "console=ttyS0"));
	g_assert_cmpuint(out.nodes, ==, topology->n_cells);
	g_assert_cmpuint(out.cpus, ==, rig_topology_vcpus(topology));
	g_assert_cmpuint(out.mem_total, >, rig_topology_memory(topology) / 100 * 90);
	rig_readback_clear(&out);
	g_assert_null(out.release);
}

static void test_good(void)
{
	RigTopology *tier = shape(2, 2, 1, 20);

	tier->distances[2] = tier->distances[6] = 30;
	tier->distances[5] = tier->distances[7] = 40;
	check_ok("2sp-6.12.txt", shape(2, 2, 0, 20), "6.12.117+deb12-cloud-amd64");
	check_ok("2sp-6.1.txt", shape(2, 2, 0, 20), "6.1.0-57-cloud-amd64");
	check_ok("4sp-6.12.txt", shape(4, 2, 0, 21), "6.12.117+deb12-cloud-amd64");
	check_ok("tier-6.12.txt", tier, "6.12.117+deb12-cloud-amd64");
}

static void check_refused(GPtrArray *files, RigTopology *topology, const char *message)
{
	g_autoptr(GPtrArray) owned_files = files;
	g_autoptr(RigTopology) owned = topology;
	g_autoptr(GError) error = NULL;

	g_assert_false(rig_readback_check(files, topology, NULL, &error));
	expect_error(&error, RIG_ERROR_BOOT, message);
}

/* Real boots of a machine that is not the one that was asked for. */
static void test_other_machine(void)
{
	RigTopology *big = shape(2, 2, 0, 20), *small = shape(2, 2, 0, 20);

	check_refused(load("2sp-numa-off.txt"), shape(2, 2, 0, 20), "it has nodes 0, not 0-1");
	check_refused(load("smp-without-sockets.txt"), shape(2, 1, 0, 20),
		      "cpus 0 and 2 share one package");
	check_refused(load("4sp-6.12.txt"), shape(2, 2, 0, 21), "it has cpus 0-7, not 0-3");
	check_refused(load("2sp-6.12.txt"), shape(2, 2, 0, 21),
		      "node 0 has distances \"10 20\", not \"10 21\"");
	check_refused(load("2sp-6.12.txt"), shape(2, 1, 0, 20), "cpus 0 and 1 share one core");
	big->cells[1].memory = G_GUINT64_CONSTANT(2) << 30;
	check_refused(load("2sp-6.12.txt"), big, "node 1 has 1007 MiB of memory, not 2048 MiB");
	small->cells[0].memory = 512 << 20;
	check_refused(load("2sp-6.12.txt"), small, "MiB of memory, not 512 MiB");
}

typedef struct {
	const char *path, *text, *message; /* text NULL: the file is missing */
} Spoilt;

static const Spoilt spoilt[] = {
	{NODE "online", NULL, "it tells no nodes"},
	{NODE "online", "0-2\n", "it has nodes 0-2, not 0-1"},
	{NODE "online", "\033[2J", "\"\\x1b[2J\", not a list"},
	{CPU "online", "0-2\n", "it has cpus 0-2, not 0-3"},
	{NODE "node1/cpulist", "2\n", "node 1 has cpus 2, not 2-3"},
	{NODE "node1/cpulist", "\n", "node 1 has cpus none, not 2-3"},
	{NODE "node1/cpulist", "0-99999999999\n", "not a list"},
	{NODE "node1/cpulist", NULL, "node1/cpulist is missing"},
	{NODE "node1/meminfo", NULL, "node 1 tells no memory"},
	{NODE "node1/meminfo", "Node 1 MemTotal: lots kB\n", "node 1 tells no memory"},
	{NODE "node1/meminfo", "Node 1 MemTotal: 99999999999999999999999 kB\n", "node 1"},
	{NODE "node1/meminfo", "Node 1 MemTotal: 400000 kB\n", "node 1 has 390 MiB"},
	{NODE "node1/distance", "20 10 10\n", "\"20 10 10\", not \"20 10\""},
	{NODE "node1/distance", "20\n", "\"20\", not \"20 10\""},
	{NODE "node1/distance", NULL, "not told"},
	{CPU "cpu3/topology/physical_package_id", "0\n", "share"},
	{CPU "cpu3/topology/physical_package_id", "-1\n", "physical_package_id of cpu 3 is \"-1\""},
	{CPU "cpu3/topology/physical_package_id", NULL, "physical_package_id of cpu 3 is not told"},
	{CPU "cpu3/topology/core_id", "1\n", "cpus 2 and 3 do not share one core"},
};

static void test_spoilt(gconstpointer data)
{
	const Spoilt *item = data;
	GPtrArray *files = load("2sp-6.12.txt");

	replace(files, item->path, item->text);
	check_refused(files, shape(2, 2, 0, 20), item->message);
}

/* What the agent is asked for holds all that the check needs. */
static void test_paths(void)
{
	const char *const *paths = rig_readback_paths();
	g_autoptr(GPtrArray) files = load("2sp-6.12.txt");

	for (guint i = 0; i < files->len; i++) {
		const char *path = ((RigRawFile *)files->pdata[i])->path;
		gboolean asked = FALSE;

		for (guint p = 0; paths[p]; p++)
			asked |= g_pattern_match_simple(paths[p], path);
		if (!asked)
			g_error("%s is not asked for", path);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/readback/good", test_good);
	g_test_add_func("/readback/other-machine", test_other_machine);
	g_test_add_func("/readback/paths", test_paths);
	for (guint i = 0; i < G_N_ELEMENTS(spoilt); i++) {
		g_autofree char *path = g_strdup_printf("/readback/spoilt/%u", i);

		g_test_add_data_func(path, &spoilt[i], test_spoilt);
	}
	return g_test_run();
}
