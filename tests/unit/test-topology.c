/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test-topology.c - topology files: what is taken, what is refused and with which words.
 */
#include "expect.h"
#include "model/topology.h"

#define HEAD "{\"version\": 1, \"name\": \"t\", \"text\": \"x\", "
#define CPUS "\"sockets\": 2, \"cores\": 2, \"threads\": 2, "
#define CELLS                                                               \
	"\"cells\": [{\"memory\": \"1G\", \"sockets\": [0]}, {\"memory\": " \
	"\"1G\", \"sockets\": [1]}], "
#define DIST "\"distances\": [[10, 20], [20, 10]]"
#define TIGHT(cells) HEAD CPUS "\"cells\": [" cells "], " DIST "}"
#define FAR(rows) HEAD CPUS CELLS "\"distances\": " rows "}"

static RigTopology *parse(const char *text)
{
	g_autoptr(GError) error = NULL;
	RigTopology *topology = rig_topology_parse("t.json", text, &error);

	g_assert_no_error(error);
	return topology;
}

static void test_fields(void)
{
	g_autoptr(RigTopology) t = parse(HEAD CPUS CELLS DIST "}");
	g_autofree char *text = rig_topology_describe(t);
	g_autofree char *cpus = rig_cpulist_format(t->cells[1].cpus);

	g_assert_cmpstr(t->name, ==, "t");
	g_assert_cmpuint(rig_topology_vcpus(t), ==, 8);
	g_assert_cmpuint(rig_topology_memory(t), ==, G_GUINT64_CONSTANT(2) << 30);
	g_assert_cmpuint(rig_topology_distance(t, 0, 0), ==, 10);
	g_assert_cmpuint(rig_topology_distance(t, 1, 0), ==, 20);
	g_assert_cmpuint(rig_topology_cell_of(t, 3), ==, 0);
	g_assert_cmpuint(rig_topology_cell_of(t, 4), ==, 1);
	g_assert_cmpstr(cpus, ==, "4-7");
	g_assert_cmpstr(text, ==, "2 sockets x 2 cores x 2 threads, 2 cells, 2G");
	g_assert_null(t->robot);
}

/* Sockets and CPU lists say the same; two sockets in one cell, a tier, a cell without memory. */
static void test_forms(void)
{
	g_autoptr(RigTopology) sockets = parse(HEAD CPUS CELLS DIST "}");
	g_autoptr(RigTopology) cpus = parse(TIGHT("{\"memory\": \"1024M\", \"cpus\": \"0-3\"}, "
						  "{\"memory\": \"1G\", \"cpus\": \"4,5-7\"}"));
	g_autoptr(RigTopology) tier = parse(TIGHT("{\"memory\": \"1G\", \"sockets\": [1, 0]}, "
						  "{\"memory\": \"512M\"}"));
	g_autoptr(RigTopology) empty = parse(TIGHT("{\"memory\": \"1G\", \"sockets\": [0]}, "
						   "{\"memory\": \"0B\", \"sockets\": [1]}"));
	g_autofree char *one = rig_topology_digest(sockets);
	g_autofree char *two = rig_topology_digest(cpus);
	g_autofree char *other = rig_topology_digest(tier);
	g_autofree char *text = rig_topology_describe(tier);

	g_assert_cmpstr(one, ==, two);
	g_assert_cmpstr(one, !=, other);
	g_assert_cmpuint(strlen(one), ==, 64);
	g_assert_cmpstr(text, ==,
			"2 sockets x 2 cores x 2 threads, 2 cells (1 without CPUs), 1536M");
	g_assert_cmpuint(rig_cpulist_count(tier->cells[1].cpus), ==, 0);
	g_assert_cmpuint(empty->cells[1].memory, ==, 0);
}

static void test_one_cell(void)
{
	g_autoptr(RigTopology) t = parse(
		HEAD
		"\"machine\": {\"robot\": \"r\", \"cpu\": \"c\"}, \"sockets\": 1, \"cores\": 1, "
		"\"threads\": 1, \"cells\": [{\"memory\": \"1G\", \"sockets\": [0]}]}");
	g_autofree char *text = rig_topology_describe(t);

	g_assert_cmpuint(rig_topology_distance(t, 0, 0), ==, 10);
	g_assert_cmpstr(text, ==, "1 socket x 1 core x 1 thread, 1 cell, 1G");
	g_assert_cmpstr(t->robot, ==, "r");
	g_assert_cmpstr(t->cpu, ==, "c");
}

/* What is written can be read again and is the same, text and all. */
static void test_round_trip(void)
{
	g_autoptr(RigTopology) t = parse(TIGHT("{\"memory\": \"1G\", \"sockets\": [0, 1]}, "
					       "{\"memory\": \"512M\"}"));
	g_autoptr(RigTopology) copy = rig_topology_copy(t);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autoptr(RigTopology) again = NULL;
	g_autofree char *text = NULL, *a = rig_topology_digest(t), *b = rig_topology_digest(copy);
	g_autofree char *c = NULL;

	rig_topology_to_json(t, writer, NULL);
	text = rig_json_writer_text(writer, TRUE);
	again = parse(text);
	c = rig_topology_digest(again);
	g_assert_cmpstr(a, ==, b);
	g_assert_cmpstr(a, ==, c);
	g_assert_cmpstr(again->text, ==, "x");
}

/* A guest that is a host is another machine, and stays one when it is written and read. */
static void test_nested(void)
{
	g_autoptr(RigTopology) plain = parse(TIGHT("{\"memory\": \"1G\", \"sockets\": [0, 1]}, "
						   "{\"memory\": \"512M\"}"));
	g_autoptr(RigTopology) nested = rig_topology_copy(plain);
	g_autoptr(RigJsonWriter) writer = rig_json_writer_new();
	g_autofree char *a = rig_topology_digest(plain), *b = NULL, *text = NULL;
	g_autoptr(RigTopology) again = NULL;

	g_assert_false(plain->nested);
	nested->nested = TRUE;
	b = rig_topology_digest(nested);
	g_assert_cmpstr(a, !=, b);
	rig_topology_to_json(nested, writer, NULL);
	text = rig_json_writer_text(writer, TRUE);
	again = parse(text);
	g_assert_true(again->nested);
}

typedef struct {
	const char *name, *text, *message;
} Bad;

static const Bad bad[] = {
	{"empty", "", "t.json"},
	{"not-json", "{", "t.json"},
	{"not-object", "[]", "object"},
	{"no-version", "{\"name\": \"t\"}", "version"},
	{"version", "{\"version\": 2}", "version"},
	{"unknown-key", HEAD CPUS CELLS DIST ", \"colour\": 1}", "colour"},
	{"unknown-cell-key",
	 TIGHT("{\"memory\": \"1G\", \"sockets\": [0], \"size\": 1}, "
	       "{\"memory\": \"1G\", \"sockets\": [1]}"),
	 "cells[0]: unknown key \"size\""},
	{"unknown-machine-key", HEAD "\"machine\": {\"ram\": \"x\"}, " CPUS CELLS DIST "}",
	 "machine: unknown key \"ram\""},
	{"name", "{\"version\": 1, \"name\": \"../x\", \"text\": \"x\", " CPUS CELLS DIST "}",
	 "../x"},
	{"text-control",
	 "{\"version\": 1, \"name\": \"t\", \"text\": \"a\\u001b[2J\", " CPUS CELLS DIST "}",
	 "control character (0x1b)"},
	{"text-empty", "{\"version\": 1, \"name\": \"t\", \"text\": \"\", " CPUS CELLS DIST "}",
	 "text"},
	{"no-sockets", HEAD "\"cores\": 2, \"threads\": 2, " CELLS DIST "}", "sockets"},
	{"zero-cores", HEAD "\"sockets\": 2, \"cores\": 0, \"threads\": 2, " CELLS DIST "}",
	 "cores"},
	{"threads-text", HEAD "\"sockets\": 2, \"cores\": 2, \"threads\": \"2\", " CELLS DIST "}",
	 "threads"},
	{"cores-fraction", HEAD "\"sockets\": 2, \"cores\": 1.5, \"threads\": 2, " CELLS DIST "}",
	 "cores"},
	{"too-many-vcpus", HEAD "\"sockets\": 64, \"cores\": 512, \"threads\": 8, " CELLS DIST "}",
	 "262144 vCPUs, at most 1024"},
	{"no-cells", HEAD CPUS "\"cells\": [], " DIST "}", "has 0 cells"},
	{"cells-object", HEAD CPUS "\"cells\": {}, " DIST "}", "cells"},
	{"cell-number", TIGHT("1"), "cells[0]"},
	{"no-memory", TIGHT("{\"sockets\": [0]}, {\"memory\": \"1G\", \"sockets\": [1]}"),
	 "cells[0].memory"},
	{"memory-without-unit",
	 TIGHT("{\"memory\": \"128\", \"sockets\": [0]}, {\"memory\": \"1G\", \"sockets\": [1]}"),
	 "128"},
	{"memory-number", TIGHT("{\"memory\": 128, \"sockets\": [0]}"), "cells[0].memory"},
	{"memory-odd",
	 TIGHT("{\"memory\": \"1025M\", \"sockets\": [0]}, {\"memory\": \"1G\", \"sockets\": [1]}"),
	 "cells[0].memory: 1025M is not a multiple of 2M"},
	{"memory-huge",
	 TIGHT("{\"memory\": \"17T\", \"sockets\": [0]}, {\"memory\": \"1G\", \"sockets\": [1]}"),
	 "17T is more than 16T"},
	{"memory-little",
	 TIGHT("{\"memory\": \"64M\", \"sockets\": [0]}, {\"memory\": \"128M\", \"sockets\": [1]}"),
	 "192M of memory together"},
	{"both-forms", TIGHT("{\"memory\": \"1G\", \"sockets\": [0], \"cpus\": \"0-3\"}"),
	 "cells[0].cpus: give either sockets or cpus"},
	{"socket-twice", TIGHT("{\"memory\": \"1G\", \"sockets\": [0, 0]}"),
	 "socket 0 is listed twice"},
	{"socket-unknown", TIGHT("{\"memory\": \"1G\", \"sockets\": [0, 2]}"),
	 "cells[0].sockets[1]"},
	{"cpus-bad", TIGHT("{\"memory\": \"1G\", \"cpus\": \"0-x\"}"), "cells[0].cpus"},
	{"cpus-unknown", TIGHT("{\"memory\": \"1G\", \"cpus\": \"0-8\"}"),
	 "vCPU 8 of \"0-8\" does not exist, there are 8"},
	{"cpu-in-two",
	 TIGHT("{\"memory\": \"1G\", \"sockets\": [0]}, {\"memory\": \"1G\", \"sockets\": [0, 1]}"),
	 "cells[1]: vCPU 0 is already in cells[0]"},
	{"cpu-in-none", TIGHT("{\"memory\": \"1G\", \"sockets\": [0]}, {\"memory\": \"1G\"}"),
	 "vCPU 4 of 8 is in no cell"},
	{"socket-split",
	 TIGHT("{\"memory\": \"1G\", \"cpus\": \"0-5\"}, {\"memory\": \"1G\", \"cpus\": \"6-7\"}"),
	 "cells[1]: takes vCPU 6, but socket 1 begins in cells[0]"},
	{"out-of-order",
	 TIGHT("{\"memory\": \"1G\", \"sockets\": [1]}, {\"memory\": \"1G\", \"sockets\": [0]}"),
	 "rising order"},
	{"empty-cell",
	 HEAD CPUS
	 "\"cells\": [{\"memory\": \"1G\", \"sockets\": [0, 1]}, {\"memory\": \"0B\"}], " DIST "}",
	 "cells[1]: has neither CPUs nor memory"},
	{"no-distances", HEAD CPUS CELLS "\"machine\": {}}", "distances"},
	{"distances-number", FAR("1"), "distances"},
	{"rows", FAR("[[10, 20]]"), "distances: has 1 rows for 2 cells"},
	{"row-short", FAR("[[10, 20], [20]]"), "distances[1]: has 1 distances for 2 cells"},
	{"row-number", FAR("[[10, 20], 5]"), "distances[1]: is not an array"},
	{"diagonal", FAR("[[11, 20], [20, 10]]"), "distances[0][0]: is 11"},
	{"near", FAR("[[10, 10], [10, 10]]"), "distances[0][1]: is 10"},
	{"below", FAR("[[10, 9], [9, 10]]"), "distances[0][1]"},
	{"above", FAR("[[10, 255], [255, 10]]"), "distances[0][1]"},
	{"asymmetric", FAR("[[10, 20], [21, 10]]"),
	 "distances[1][0]: is 21, but distances[0][1] is 20"},
};

static void test_bad(gconstpointer data)
{
	const Bad *item = data;
	g_autoptr(GError) error = NULL;

	g_assert_null(rig_topology_parse("t.json", item->text, &error));
	g_assert_true(g_str_has_prefix(error->message, "t.json"));
	expect_error(&error, RIG_ERROR_USAGE, item->message);
}

static void test_file_name(void)
{
	char *dir = expect_temp_dir();
	g_autofree char *good = g_build_filename(dir, "t.json", NULL);
	g_autofree char *copied = g_build_filename(dir, "mine.json", NULL);
	g_autoptr(GError) error = NULL;
	g_autoptr(RigTopology) t = NULL;

	g_file_set_contents(good, HEAD CPUS CELLS DIST "}", -1, NULL);
	g_file_set_contents(copied, HEAD CPUS CELLS DIST "}", -1, NULL);
	t = rig_topology_load(good, &error);
	g_assert_no_error(error);
	g_assert_null(rig_topology_load(copied, &error));
	expect_error(&error, RIG_ERROR_USAGE, "mine.json: name: is \"t\"");
	g_assert_null(rig_topology_load("/nonexistent/t.json", &error));
	g_assert_nonnull(error);
	expect_remove(dir);
}

typedef struct {
	const char *name;
	guint vcpus, cells;
	guint64 gib;
} Shipped;

/* The machines of the reports, as the robot lists them. */
static const Shipped shipped[] = {
	{"1sp-4t", 4, 1, 4},	  {"2sp-clx-96t", 96, 2, 256},	   {"2sp-clxap-192t", 192, 2, 192},
	{"2sp-icl", 128, 2, 256}, {"2sp-icl-96t", 96, 2, 256},	   {"2sp-skl-104t", 104, 2, 192},
	{"2sp-tier", 64, 3, 256}, {"4sp-clxap-192t", 192, 4, 192}, {"4sp-hsx-144t", 144, 4, 512},
	{"lab-2sp", 4, 2, 4},
};

static void test_shipped(void)
{
	g_autofree char *dir = g_build_filename(g_getenv("RIG_SOURCE_ROOT"), "topologies", NULL);
	g_autoptr(GDir) handle = g_dir_open(dir, 0, NULL);
	guint files = 0;

	while (g_dir_read_name(handle))
		files++;
	g_assert_cmpuint(files, ==, G_N_ELEMENTS(shipped));
	for (guint i = 0; i < G_N_ELEMENTS(shipped); i++) {
		g_autofree char *path = g_strdup_printf("%s/%s.json", dir, shipped[i].name);
		g_autoptr(GError) error = NULL;
		g_autoptr(RigTopology) t = rig_topology_load(path, &error);

		g_assert_no_error(error);
		g_assert_cmpuint(rig_topology_vcpus(t), ==, shipped[i].vcpus);
		g_assert_cmpuint(t->n_cells, ==, shipped[i].cells);
		g_assert_cmpuint(rig_topology_memory(t) >> 30, ==, shipped[i].gib);
	}
}

/* The example in the documentation is the shipped file, letter by letter. */
static void test_documented(void)
{
	const char *root = g_getenv("RIG_SOURCE_ROOT");
	g_autofree char *doc = g_build_filename(root, "docs", "topology.md", NULL);
	g_autofree char *file = g_build_filename(root, "topologies", "2sp-tier.json", NULL);
	g_autofree char *text = NULL, *example = NULL;

	g_assert_true(g_file_get_contents(doc, &text, NULL, NULL));
	g_assert_true(g_file_get_contents(file, &example, NULL, NULL));
	g_assert_nonnull(strstr(text, example));
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/topology/fields", test_fields);
	g_test_add_func("/topology/forms", test_forms);
	g_test_add_func("/topology/one-cell", test_one_cell);
	g_test_add_func("/topology/round-trip", test_round_trip);
	g_test_add_func("/topology/nested", test_nested);
	g_test_add_func("/topology/file-name", test_file_name);
	g_test_add_func("/topology/shipped", test_shipped);
	g_test_add_func("/topology/documented", test_documented);
	for (guint i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autofree char *path = g_strconcat("/topology/bad/", bad[i].name, NULL);

		g_test_add_data_func(path, &bad[i], test_bad);
	}
	return g_test_run();
}
